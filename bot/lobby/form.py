"""The form for a new game: opponents, options, clock and terms."""

from functools import partial
from typing import Final

from bot.boards.lessons import learn_buttons
from bot.kernel.cards import Button, Card, Menu
from bot.kernel.commandline import DEFAULT_LEVEL, Parameter
from bot.kernel.context import Context
from bot.kernel.features import GAME_PARAMETER, yes_or_no
from bot.kernel.form_presses import open_form
from bot.kernel.forms import GAME, NO, OPTION_PREFIX, YES, Field, Form, FormNotes, FormState, Values
from bot.kernel.permissions import may_have_clock, needs_private_notices
from bot.kernel.presses import Press, press, read_number
from bot.kernel.question_cards import items_on_page, make_button, picking_rows
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.texts import Speaker, join
from bot.table.clocks import CLOCK_NAMES, CLOCK_PATTERN, NO_CLOCK
from bot.table.commands import is_answer_only
from bot.table.game_lookup import check_game_installed
from engine import Game, games
from engine.search import LEVELS

COMPUTER: Final = "computer"
"""The parameter for the level of the computers that play."""
MAX_SEATS: Final = max((game.seats[-1] for game in games.values()), default=2)
CLOCK: Final = "clock"
CLOCK_PARAMETER: Final = Parameter(
    CLOCK, "text", choices=tuple(name for names in CLOCK_NAMES.values() for name in names), pattern=CLOCK_PATTERN
)
_PACE: Final = "pace"
"""The field for the kind of clock."""
OWN_CLOCK: Final = "own"
DEFAULT_OWN_CLOCK: Final = "10+5"
_LIVE_KINDS: Final = ("evening", "minutes")
_ALONE: Final = "alone"
_SLOW: Final = "slow"
_CLOCKLESS: Final = "clockless"
_LEVELS: Final = tuple(map(str, LEVELS))


def _seat_counts(values: Values) -> tuple[str, ...]:
    return ("", *map(str, games[values[GAME]].seats)) if len(games[values[GAME]].seats) > 1 else ("",)


async def _local(context: Context, requester: RequestContext) -> Values:
    """Return which limits the place has: only games with computers, no live clocks, or no clocks."""
    found = {_ALONE: YES} if is_answer_only(requester) else {}
    found |= {_SLOW: YES} if needs_private_notices(context, requester) else {}
    return found if await may_have_clock(context, requester) else {**found, _CLOCKLESS: YES}


def _has_clock(values: Values) -> bool:
    return _CLOCKLESS not in values


def _pace(values: Values) -> str:
    """Return the kind of clock that is chosen."""
    return next((kind for kind, names in CLOCK_NAMES.items() if values.get(CLOCK, NO_CLOCK) in names), OWN_CLOCK)


def _paces(values: Values) -> tuple[str, ...]:
    return tuple(kind for kind in (*CLOCK_NAMES, OWN_CLOCK) if _SLOW not in values or kind not in _LIVE_KINDS)


def _clocks(values: Values) -> tuple[str, ...]:
    return CLOCK_NAMES.get(values.get(_PACE, NO_CLOCK), ())


def _with_people(values: Values) -> bool:
    return _ALONE not in values


async def _tell(_context: Context, requester: RequestContext, state: FormState) -> FormNotes:
    voice = requester.speaker.of(state.subject)
    rules = make_button(voice, "button.rules", "rules", None, 0, state.subject)
    about = [f"option.{name}.{value}.about" for name, value in state.values.items()]
    lines = [voice.say("tagline"), *(voice.say(each) for each in about if voice.has(each))]
    how = voice.say("new.how" if _with_people(state.values) else "new.how.alone")
    return FormNotes([*lines, how], [rules, *learn_buttons(requester.speaker, state.subject)])


FORM: Final = Form(
    command="play",
    version=2,
    subject=Field("g", GAME_PARAMETER),
    fields=(
        Field(
            "l",
            Parameter(COMPUTER, "level", choices=_LEVELS),
            lambda values: "" if _with_people(values) else DEFAULT_LEVEL,
            lambda values: ("", *_LEVELS) if _with_people(values) else _LEVELS,
        ),
        Field(
            "k",
            Parameter(_PACE, "choice", choices=(*CLOCK_NAMES, OWN_CLOCK)),
            _pace,
            _paces,
            asked=_has_clock,
            words="clock.kind",
            narrows=True,
        ),
        Field(
            "c",
            CLOCK_PARAMETER,
            lambda values: (*_clocks(values), DEFAULT_OWN_CLOCK)[0],
            _clocks,
            _has_clock,
            needs=_PACE,
        ),
        Field("s", Parameter("seats", "number", least=2, most=MAX_SEATS), "", _seat_counts, asked=_with_people),
        Field("o", Parameter("opponents", "people"), asked=_with_people),
        Field("r", yes_or_no("rated"), YES),
        Field("h", yes_or_no("hints"), "", ("", YES, NO)),
        Field("t", yes_or_no("try"), YES),
    ),
    title=lambda voice, _: (voice.game_span,),
    tell=_tell,
    submit=lambda values: "button.computer" if values[COMPUTER] else "button.post",
    done=lambda values: "computer.begun" if values[COMPUTER] else "new.posted",
    games=lambda: list(games),
    which="new.which",
    options=1,
    local=_local,
)


def read_options(speaker: Speaker, game: Game, values: Values) -> dict[str, str | int]:
    """Return the named options as the rules know them; unknown values stay unchanged."""
    voice = speaker.of(game.key)
    options: dict[str, str | int] = {}
    known = {name for other in games.values() for name in other.options}
    given = {name.removeprefix(OPTION_PREFIX): value for name, value in values.items()}
    for name in sorted(known & set(given)):
        text = given[name].strip().lower()
        option = game.options.get(name)
        fitting = [
            value
            for value in (option.values if option else ())
            if text in (str(value).lower(), voice.word(f"option.{name}", value).lower())
        ]
        options[name] = fitting[0] if fitting else text
    return options


def check_seat_count(game: Game, seats: int) -> None:
    """Raise Refused if a game cannot be played with this number of seats."""
    least, most = game.seats[0], game.seats[-1]
    if seats not in game.seats:
        key = "refusal.seats" if least < most else "refusal.seats-only"
        raise Refused(key, game=game.key, least=least, most=most, seats=seats)


_VALUE_SEPARATOR: Final = ":"


async def press_choose(_context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that asks which game to play, or another page of them."""
    page, level, *_ = (*(pressed.path or ("0",)), "")
    if read_number(page) is None or level not in ("", *_LEVELS):
        raise Refused("refusal.stale")
    return Reply(games_card(requester.speaker, level, page=int(page)), update=bool(pressed.rest))


async def press_new(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a game: open its form with the values from the button."""
    key, values = await read_new_game(context, pressed)
    return await open_form(context, requester, FORM, {**values, "game": key})


async def read_new_game(context: Context, pressed: Press) -> tuple[str, dict[str, str]]:
    """Return the game in a press, and the values of its options and terms by name; Refused if there is no such game."""
    key, *chosen = pressed.path or ("",)
    await check_game_installed(context, key)
    if key not in games:
        raise Refused("refusal.stale")
    return key, dict(each.partition(_VALUE_SEPARATOR)[::2] for each in chosen)


def games_card(speaker: Speaker, level: str = "", *, page: int = 0, against: int | None = None) -> Card:
    """Return a page of the list of games to choose from, with a menu to play one against the computer at once.

    With a level, each game starts at once against a computer; with `against`, each challenges that person.
    """
    names = {key: speaker.of(key).line("name") for key in items_on_page(list(games), page)[1]}
    parts = [speaker.say("new.which")]
    for voice in map(speaker.of, names):
        parts.append(speaker.say("new.game", game=voice.game_span, tagline=voice.say("tagline")))
    if against is not None:
        choose = turn = partial(_game_press, "against", str(against))
    elif level:
        choose = partial(_game_press, "solo", f"level{_VALUE_SEPARATOR}{level}")
        turn = partial(_game_press, "choose", level)
    else:
        choose, turn = partial(_game_press, "new", ""), partial(_game_press, "choose", "")
    rows = picking_rows(speaker, list(games), page, lambda key: Button(names[key], choose(key)), turn)
    if against is None and not level:
        labels = {key: speaker.line("computer.play", game=name) for key, name in names.items()}
        alone = tuple(Button(label, _game_press("solo", "", key)) for key, label in labels.items())
        rows = (*rows, Menu(speaker.line("computer.menu"), alone))
    return Card(join(parts), rows=rows)


def _game_press(action: str, value: str, key: str) -> str:
    """Return the press for a game, or for a page of games, followed by a value if there is one."""
    return press(action, None, 0, key, *([value] if value else ()))
