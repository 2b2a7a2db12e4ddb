"""The first step of a new game: which one, or at once against the computer."""

from typing import Final

from bot.core.context import Context
from bot.core.form_presses import open_form
from bot.core.game_pages import games_on_page, picking_rows, read_page
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card, Menu
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span, Speaker, join
from bot.lobby.form import FORM
from bot.play.game_lookup import check_game_installed
from engine import games
from engine.search import LEVELS

_VALUE_SEPARATOR: Final = ":"


async def press_choose(_context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that asks which game to play, or another page of them."""
    page, *level = pressed.path or ("0",)
    if read_page(page) is None or any(each not in map(str, LEVELS) for each in level):
        raise Refused("refusal.stale")
    card = games_card(asker.mine, int(level[0]) if level else None, page=int(page))
    return Reply(card, private=True, update=bool(pressed.rest))


async def press_new(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a game: its form, with what the button has chosen of it."""
    key, values = await read_new_game(context, pressed)
    return await open_form(context, asker, FORM, {**values, "game": key})


async def read_new_game(context: Context, pressed: Press) -> tuple[str, dict[str, str]]:
    """Return the game in a press, and the values of its options and terms by name; Refused if there is no such game."""
    key, *chosen = pressed.path or ("",)
    await check_game_installed(context, key)
    if key not in games:
        raise Refused("refusal.stale")
    return key, dict(each.partition(_VALUE_SEPARATOR)[::2] for each in chosen)


def games_card(speaker: Speaker, level: int | None = None, *, page: int = 0, against: int | None = None) -> Card:
    """Return a page of the list of games to choose from, with a menu to play one against the computer at once.

    With a level, each starts at once against a computer; `against` is the person whom each challenges.
    """
    parts, shown = [speaker.say("new.which")], games_on_page(list(games), page)
    for key in shown:
        voice = speaker.of(key)
        name = Span(voice.line("name"), bold=True)
        parts.append(speaker.say("new.game", game=name, tagline=voice.say("tagline")))

    def button(key: str) -> Button:
        name = speaker.of(key).line("name")
        if against is not None:
            return Button(name, press("against", None, 0, key, str(against)))
        return Button(name, press("new", None, 0, key)) if level is None else _solo_button(name, key, level)

    def turned(other: str) -> str:
        if against is not None:
            return press("against", None, 0, other, str(against))
        return press("choose", None, 0, other, *([] if level is None else [str(level)]))

    rows = picking_rows(speaker, list(games), page, button, turned)
    if level is None and against is None:
        names = {key: speaker.of(key).line("name") for key in shown}
        alone = tuple(_solo_button(speaker.line("computer.play", game=name), key) for key, name in names.items())
        rows = (*rows, Menu(speaker.line("computer.menu"), alone))
    return Card(join(parts), rows=rows)


def _solo_button(name: str, key: str, level: int | None = None) -> Button:
    chosen = [] if level is None else [f"level{_VALUE_SEPARATOR}{level}"]
    return Button(name, press("solo", None, 0, key, *chosen))
