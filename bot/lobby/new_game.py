"""The form of a new game, step by step; the buttons carry all choices made so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from bot.core.context import Context
from bot.core.game_pages import games_on_page, picking_rows, read_page
from bot.core.private_reach import may_have_clock
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span, Speaker, join
from bot.learn.cards import learn_buttons
from bot.lobby import service as lobby
from bot.lobby.cards import clock_name, levels_menu
from bot.play.clocks import CLOCKS, NO_CLOCK
from bot.play.game_lookup import check_game_installed
from bot.play.nonmember import is_answer_only
from engine import games
from engine.search import LEVELS

_VALUE_SEPARATOR: Final = ":"
CLOCK: Final = "clock"
LEVEL: Final = "level"


@dataclass(frozen=True, slots=True)
class NewGameChoice:
    """The choices made so far: a game, its options, the clock, the level of the computer."""

    game: str
    options: Mapping[str, str | int] = field(default_factory=dict)
    clock: str = NO_CLOCK
    level: int | None = None

    def press(self, deed: str) -> str:
        """Return the payload of a button with this choice; default values are left out."""
        usual = {name: option.default for name, option in games[self.game].options.items()}
        chosen = [f"{name}{_VALUE_SEPARATOR}{value}" for name, value in self.options.items() if value != usual[name]]
        if self.clock != NO_CLOCK:
            chosen.append(f"{CLOCK}{_VALUE_SEPARATOR}{self.clock}")
        if self.level is not None:
            chosen.append(f"{LEVEL}{_VALUE_SEPARATOR}{self.level}")
        return press(deed, None, 0, self.game, *chosen)


async def press_choose(_context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that asks which game to play, or another page of them."""
    page, *level = pressed.path or ("0",)
    if read_page(page) is None or any(each not in map(str, LEVELS) for each in level):
        raise Refused("refusal.stale")
    card = games_card(asker.mine, int(level[0]) if level else None, page=int(page))
    return Reply(card, private=True, update=bool(pressed.rest))


async def press_new(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a game from the list, or of one of its options; newcomers to it can learn it instead."""
    choice = await read_available_choice(context, pressed)
    new = await context.store.lessons.is_new_to(asker.person.id, choice.game)
    timed = await may_have_clock(context, asker)
    card = options_card(asker.mine, choice, new=new, alone=is_answer_only(asker), timed=timed)
    return Reply(card, private=True, update=True)


async def press_post(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that opens the chosen game, with its options, for anyone to join."""
    choice = await read_available_choice(context, pressed)
    reply = Reply(Card(asker.mine.of(choice.game).say("new.posted")), private=True, update=True)
    plan = lobby.GameProposal(choice.game, choice.options, games[choice.game].seats[-1], clock=choice.clock)
    row = await lobby.open_table(context, asker, plan, reply)
    return replace(reply, opens=row.id)


def default_choice(key: str) -> NewGameChoice:
    """Return the default choice for a game."""
    return NewGameChoice(key, {name: option.default for name, option in games[key].options.items()})


def games_card(speaker: Speaker, level: int | None = None, *, page: int = 0, against: int | None = None) -> Card:
    """Return a page of the list of games to choose from.

    With a level, each starts at once against a computer; `against` is the person whom each challenges.
    """
    parts = [speaker.say("new.which")]
    for key in games_on_page(list(games), page):
        voice = speaker.of(key)
        name = Span(voice.line("name"), bold=True)
        parts.append(speaker.say("new.game", game=name, tagline=voice.say("tagline")))

    def button(key: str) -> Button:
        if against is not None:
            return Button(speaker.of(key).line("name"), press("against", None, 0, key, str(against)))
        chosen = press("new", None, 0, key) if level is None else NewGameChoice(key, level=level).press("solo")
        return Button(speaker.of(key).line("name"), chosen)

    def turned(other: str) -> str:
        if against is not None:
            return press("against", None, 0, other, str(against))
        return press("choose", None, 0, other, *([] if level is None else [str(level)]))

    return Card(join(parts), rows=picking_rows(speaker, list(games), page, button, turned))


def options_card(
    speaker: Speaker, choice: NewGameChoice, *, new: bool = False, alone: bool = False, timed: bool = True
) -> Card:
    """Return the options of a game to choose from, with their meanings, and the button that opens it.

    `alone`: True if only the computer can join in this place. `timed`: True if there may be a clock.
    """
    voice, game = speaker.of(choice.game), games[choice.game]
    parts = [voice.say("new.game", game=Span(voice.line("name"), bold=True), tagline=voice.say("tagline"))]
    rows: list[Row] = []
    for name, option in game.options.items():
        chosen = choice.options[name]
        about = f"option.{name}.{chosen}.about"
        value = voice.line(f"option.{name}.{chosen}")
        said = voice.say("lobby.option", option=voice.line(f"option.{name}"), value=value)
        parts.append(join([said, voice.say(about)], " – ") if voice.has(about) else said)
        entries = [
            Button(
                voice.line(f"option.{name}.{other}"),
                replace(choice, options={**choice.options, name: other}).press("new"),
            )
            for other in option.values
        ]
        rows.append(Menu(voice.line(f"option.{name}"), tuple(entries)))
    if timed:
        parts.append(voice.say("lobby.clock", clock=clock_name(voice, CLOCKS[choice.clock])))
    clocks = [
        Button(clock_name(voice, seconds), replace(choice, clock=name).press("new")) for name, seconds in CLOCKS.items()
    ]
    if timed:
        rows.append(Menu(voice.line("new.clock"), tuple(clocks)))
    rows.append(levels_menu(voice, {level: replace(choice, level=level).press("solo") for level in LEVELS}))
    rows.append(
        (
            *(() if alone else (Button(voice.line("button.post"), choice.press("post"), "primary"),)),
            Button(voice.line("button.rules"), press("rules", None, 0, choice.game)),
            *(learn_buttons(speaker, choice.game) if new else ()),
        )
    )
    how = voice.say("new.how.alone" if alone else "new.how", game=choice.game)
    return Card(join([*parts, how]), rows=tuple(rows))


async def read_available_choice(context: Context, pressed: Press) -> NewGameChoice:
    """Return the choice in a press; Refused if the game or option does not exist any more, or not here now."""
    await check_game_installed(context, (pressed.path or ("",))[0])
    return read_choice(pressed)


def read_choice(pressed: Press) -> NewGameChoice:
    """Return the choice in a press; Refused if the game or option does not exist any more."""
    key, *chosen = pressed.path or ("",)
    if key not in games:
        raise Refused("refusal.stale")
    choice = default_choice(key)
    for pair in chosen:
        name, _, value = pair.partition(_VALUE_SEPARATOR)
        if name == CLOCK and value in CLOCKS:
            choice = replace(choice, clock=value)
            continue
        if name == LEVEL and value in map(str, LEVELS):
            choice = replace(choice, level=int(value))
            continue
        found = (
            [known for known in games[key].options[name].values if str(known) == value]
            if name in choice.options
            else []
        )
        if not found:
            raise Refused("refusal.stale")
        choice = replace(choice, options={**choice.options, name: found[0]})
    return choice
