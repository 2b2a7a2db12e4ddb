"""The menu: what waits for the reader, then everything that can be done here, a few presses away."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.boards.lesson_cards import LESSON_SCOPE, newcomer_rows
from bot.core.context import Context
from bot.core.features import commands_open_to
from bot.core.question_cards import button_pairs
from bot.core.request_context import RequestContext
from bot.core.run_presses import run_press
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import MENU_PRESS, TODAY_PRESS, Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker, Text, join
from bot.lobby.cards import brief_words
from bot.play.game_lookup import game_label

BEGIN: Final = "begin"
BEGIN_PRESS: Final = press(MENU_PRESS, None, 0, BEGIN)
"""What somebody presses who opens the bot."""
COMPETITIONS: Final = "competitions"
EVERYTHING: Final = "all"
MAX_BUTTONS: Final = 20
"""With more buttons a message is too large for Discord: they are options of menus."""
MAX_OPTIONS: Final = 25
MAX_WAITING: Final = 3
"""Maximum number of games that wait for the reader and have a button of their own."""
COMPETITION_COMMANDS: Final = ("cup", "league", "ladder", "team", "guess")


async def menu_command(context: Context, asker: RequestContext, _values: Mapping[str, str]) -> Reply:
    """Show the menu; to those who have not played yet, the four things to begin with."""
    return Reply(await menu_card(context, asker), private=True)


async def start_command(context: Context, asker: RequestContext) -> Reply:
    """Show what somebody sees who opens the bot: a newcomer the beginning, everybody else the menu."""
    if await _is_new(context, asker):
        return Reply(Card(asker.mine.say("menu.welcome"), rows=newcomer_rows(asker.mine)), private=True)
    return await menu_command(context, asker, {})


async def press_menu(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button Menu, or one that leads to a part of it."""
    if pressed.rest == BEGIN:
        return await start_command(context, asker)
    if not pressed.rest:
        return Reply(await menu_card(context, asker), private=True, update=True)
    known = await commands_open_to(context, asker)
    if pressed.rest == COMPETITIONS:
        names: Sequence[str] = [name for name in COMPETITION_COMMANDS if name in known]
    elif pressed.rest == EVERYTHING:
        names = [name for name in known if name not in (MENU_PRESS, "help")]
    else:
        raise Refused("refusal.stale")
    buttons = [Button(asker.mine.line(f"menu.{name}"), run_press(name)) for name in names]
    back = Button(asker.mine.line("button.back"), press(MENU_PRESS))
    rows: tuple[Row, ...] = button_pairs([*buttons, back])
    if len(buttons) > MAX_BUTTONS:
        label = asker.mine.line("menu.all")
        parts = [buttons[at : at + MAX_OPTIONS] for at in range(0, len(buttons), MAX_OPTIONS)]
        rows = (*(Menu(label, tuple(part)) for part in parts), (back,))
    return Reply(Card(asker.mine.say(f"menu.{pressed.rest}.title"), rows=rows), private=True, update=True)


async def menu_card(context: Context, asker: RequestContext) -> Card:
    """Return the menu in the reader's language: first what waits for them."""
    speaker = asker.mine
    waiting = [each for each in await context.store.games.list_for_person(asker.person.id) if each.waiting]
    parts: list[Text] = [speaker.say("menu.title")]
    buttons = []
    if waiting:
        parts.append(speaker.say("games.waiting", n=len(waiting)))
    for each in await context.people_of_games(waiting[:MAX_WAITING]):
        brief = each.brief
        deed = "show" if brief.status == "playing" else "join"
        parts.append(brief_words(each, brief, speaker, asker.person.id))
        buttons.append(Button(game_label(asker, each)[:80], press(deed, brief.id, brief.revision), "primary"))
    return Card(join(parts), rows=(*((each,) for each in buttons), *button_pairs(menu_buttons(speaker))))


def menu_buttons(speaker: Speaker) -> list[Button]:
    """Return the ways to everything that can be done here."""
    return [
        Button(speaker.line("menu.play"), press("choose")),
        Button(speaker.line("menu.games"), run_press("games")),
        Button(speaker.line("menu.learn"), press("learn", LESSON_SCOPE)),
        Button(speaker.line("menu.puzzle"), TODAY_PRESS),
        Button(speaker.line("menu.competitions"), press(MENU_PRESS, None, 0, COMPETITIONS)),
        Button(speaker.line("menu.leaderboard"), press("leaders")),
        Button(speaker.line("menu.profile"), run_press("profile")),
        Button(speaker.line("menu.settings"), run_press("settings")),
        Button(speaker.line("menu.help"), run_press("help")),
    ]


async def _is_new(context: Context, asker: RequestContext) -> bool:
    """Return True if somebody has no game, and has finished none."""
    if await context.store.games.list_for_person(asker.person.id, 1):
        return False
    return not await context.store.ratings.results_of_person(asker.person.id, limit=1)
