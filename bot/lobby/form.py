"""The form for a new game: whom with, its options, its clock and its terms."""

from typing import Final

from bot.boards.lesson_cards import learn_buttons
from bot.core.commands import GAME_PARAMETER, yes_or_no
from bot.core.context import Context
from bot.core.forms import GAME, NO, YES, Field, Form, FormNotes, FormState, Values
from bot.core.private_reach import may_have_clock
from bot.core.request_context import RequestContext
from bot.entry.commandline import DEFAULT_LEVEL, Parameter
from bot.interface.cards import Button
from bot.interface.presses import press
from bot.language.texts import Span
from bot.play.clocks import CLOCKS, NO_CLOCK
from bot.play.nonmember import is_answer_only
from engine import games
from engine.search import LEVELS

COMPUTER: Final = "computer"
"""The parameter for the level of the computers that play."""
MAX_SEATS: Final = max((game.seats[-1] for game in games.values()), default=2)
_ALONE: Final = "alone"
_CLOCKLESS: Final = "clockless"
_LEVELS: Final = tuple(map(str, LEVELS))


def _seat_counts(values: Values) -> tuple[str, ...]:
    return ("", *map(str, games[values[GAME]].seats)) if len(games[values[GAME]].seats) > 1 else ("",)


async def _local(context: Context, asker: RequestContext) -> Values:
    """Return whether only the computer can play here, and whether nobody could be reminded of a clock."""
    alone = {_ALONE: YES} if is_answer_only(asker) else {}
    return alone if await may_have_clock(context, asker) else {**alone, _CLOCKLESS: YES}


def _with_people(values: Values) -> bool:
    return _ALONE not in values


async def _tell(_context: Context, asker: RequestContext, state: FormState) -> FormNotes:
    voice = asker.mine.of(state.subject)
    rules = Button(voice.line("button.rules"), press("rules", None, 0, state.subject))
    about = [f"option.{name}.{value}.about" for name, value in state.values.items()]
    lines = [voice.say("tagline"), *(voice.say(each) for each in about if voice.has(each))]
    how = voice.say("new.how" if _with_people(state.values) else "new.how.alone")
    return FormNotes([*lines, how], [rules, *learn_buttons(asker.mine, state.subject)])


FORM: Final = Form(
    command="play",
    version=1,
    subject=Field("g", GAME_PARAMETER),
    fields=(
        Field(
            "l",
            Parameter(COMPUTER, "level", choices=_LEVELS),
            lambda values: "" if _with_people(values) else DEFAULT_LEVEL,
            lambda values: ("", *_LEVELS) if _with_people(values) else _LEVELS,
        ),
        Field(
            "c",
            Parameter("clock", "choice", choices=tuple(CLOCKS)),
            NO_CLOCK,
            asked=lambda values: _CLOCKLESS not in values,
        ),
        Field("s", Parameter("seats", "number", least=2, most=MAX_SEATS), "", _seat_counts, asked=_with_people),
        Field("o", Parameter("opponents", "people"), asked=_with_people),
        Field("r", yes_or_no("rated"), YES),
        Field("h", yes_or_no("hints"), "", lambda _: ("", YES, NO)),
        Field("t", yes_or_no("try"), YES),
    ),
    title=lambda voice, _: (Span(voice.line("name"), bold=True),),
    tell=_tell,
    submit=lambda values: "button.computer" if values[COMPUTER] else "button.post",
    done=lambda values: "computer.begun" if values[COMPUTER] else "new.posted",
    games=lambda: list(games),
    which="new.which",
    options=1,
    local=_local,
)
