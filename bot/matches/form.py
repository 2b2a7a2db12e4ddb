"""The fields that forms for new competitions share."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bot.core.commands import GAME_PARAMETER, yes_or_no
from bot.core.context import Context
from bot.core.forms import GAME, NO, YES, Field, FormNotes, FormState, Tell, Values
from bot.core.request_context import RequestContext
from bot.entry.commandline import Parameter
from bot.interface.refusals import Refused
from bot.language.texts import Speaker, Text
from bot.matches.stored import Entry
from bot.play.clocks import CLOCKS, NO_CLOCK
from engine import Game, games
from engine.search import LEVELS

COMPETITION_CLOCKS: Final = tuple(name for name in CLOCKS if name != NO_CLOCK)
ENTRY_RULES: Final[tuple[Entry, ...]] = ("here", "group", "code")
ENTRY_NAMES: Final = ("here", "server", "code")
"""The names of `ENTRY_RULES` in the catalogues."""
MAX_HOLIDAY_DAYS: Final = 30
_HOLIDAYS: Final = tuple(map(str, (0, 1, 2, 3, 5, 7, 14, MAX_HOLIDAY_DAYS)))
_LEVELS: Final = tuple(map(str, LEVELS))


def has_grand_wins(values: Values) -> bool:
    """Return True if some wins of a form's game may count double."""
    return bool(games[values[GAME]].facts.grand)


GAME_FIELD: Final = Field("g", GAME_PARAMETER)
CLOCK_FIELD: Final = Field("c", Parameter("clock", "choice", choices=COMPETITION_CLOCKS), "1d")
ENTRY_FIELD: Final = Field("e", Parameter("entry", "choice", choices=ENTRY_NAMES), ENTRY_NAMES[0])
FILL_FIELD: Final = Field("m", Parameter("fill", "choice", choices=_LEVELS), offers=lambda _: ("", *_LEVELS))
DOUBLE_FIELD: Final = Field("x", yes_or_no("double"), NO, asked=has_grand_wins)
RATED_FIELD: Final = Field("r", yes_or_no("rated"), YES)


def read_clock(values: Mapping[str, str]) -> int:
    """Return the chosen seconds of a turn; Refused without a clock."""
    if not values.get("clock"):
        raise Refused("refusal.cup-clock", clocks=COMPETITION_CLOCKS)
    return CLOCKS[values["clock"]] or 0


def read_entry_rule(values: Mapping[str, str]) -> Entry:
    """Return the chosen rule for who may enter; by default everybody in this place."""
    return ENTRY_RULES[ENTRY_NAMES.index(values.get("entry", ENTRY_NAMES[0]))]


def read_double(game: Game, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the reasons of wins that count double; Refused if the game has none such."""
    if values.get("double") != YES:
        return ()
    if not game.facts.grand:
        raise Refused("refusal.cup-no-double", game=game.key)
    return tuple(sorted(game.facts.grand))


def tell_terms(
    read: Callable[[Context, RequestContext, Mapping[str, str]], Any], lines: Callable[[Any, Speaker], list[Text]]
) -> Tell:
    """Return what says below a form which terms its values mean."""

    async def tell(context: Context, asker: RequestContext, state: FormState) -> FormNotes:
        return FormNotes(lines(read(context, asker, state.command_values), asker.mine.of(state.subject)))

    return tell


def holidays_field(default: int) -> Field:
    """Return the field for how many days longer a turn may take for somebody's holiday."""
    parameter = Parameter("holidays", "number", least=0, most=MAX_HOLIDAY_DAYS)
    return Field("h", parameter, str(default), offers=lambda _: _HOLIDAYS)


def days_field(choices: tuple[int, ...], default: int, least: int, most: int) -> Field:
    """Return the field for how many days something lasts."""
    parameter = Parameter("days", "number", least=least, most=most)
    return Field("d", parameter, str(default), offers=lambda _: tuple(map(str, choices)))
