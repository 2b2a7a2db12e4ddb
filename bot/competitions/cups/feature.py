"""Cups: the command with its form, and the buttons."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.competitions.commands import (
    DOUBLE_FIELD,
    ENTRY_FIELD,
    FILL_FIELD,
    HOLIDAY_CHOICES,
    HOLIDAYS,
    RATED_FIELD,
    ROUND_CLOCKS,
    CompetitionCommands,
    clock_field,
    read_control,
    read_table_terms,
)
from bot.competitions.cups import service
from bot.competitions.cups.cards import CupCards
from bot.competitions.cups.service import CUPS
from bot.competitions.events import (
    MAX_ENTRANTS,
    MAX_ROUND_ROBIN_ENTRANTS,
    MAX_ROUNDS,
    MIN_ENTRANTS,
    CupTerms,
    Format,
)
from bot.competitions.keeper import ActionRule
from bot.kernel.commandline import Parameter
from bot.kernel.context import Context
from bot.kernel.features import Feature, number, yes_or_no
from bot.kernel.forms import GAME, NO, YES, Field, Values
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.table.clocks import timezone_of
from engine import games

ENTRANT_COUNTS: Final = (4, 6, 8, 10, 12, 16, 24, 32, 48, 64)
LEAST_COUNTS: Final = (3, 4, 5, 6, 8, 10, 12, 16)
START_DELAYS: Final = ("", "1h", "6h", "1d", "3d", "7d")
ROUND_COUNTS: Final = ("", *map(str, range(1, 13)))
_DELAY_PATTERN: Final = re.compile(r"(\d{1,3})\s*([mhd])")
_DELAY_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}


def _formats(values: Values) -> tuple[str, ...]:
    """Return the formats in which a game can be played."""
    seats = games[values[GAME]].seats
    return tuple(str(each) for each in Format if (seats[-1] > 2 if each == Format.TABLES else seats[0] <= 2))


def _counts(values: Values) -> tuple[str, ...]:
    most = MAX_ROUND_ROBIN_ENTRANTS if Format(values["format"]).is_round_robin else MAX_ENTRANTS
    return tuple(str(each) for each in ENTRANT_COUNTS if each <= most)


def _least_counts(values: Values) -> tuple[str, ...]:
    return tuple(str(each) for each in LEAST_COUNTS if each <= int(values["players"]))


def _table_sizes(values: Values) -> tuple[str, ...]:
    return tuple(str(seats) for seats in reversed(games[values[GAME]].seats) if seats > 2)


def read_terms(context: Context, requester: RequestContext, values: Values) -> CupTerms:
    """Return the terms from the values of the form or the command; Refused, InvalidOption."""
    game = games[values["game"]]
    kind = Format(values.get("format") or _formats(values)[0])
    if kind == Format.TABLES and game.seats[-1] < 3:
        raise Refused("refusal.cup-no-tables", game=game.key)
    seats = int(values.get("seats", game.seats[-1])) if kind == Format.TABLES else 2
    most = int(values.get("players", MAX_ROUND_ROBIN_ENTRANTS))
    if kind.is_round_robin and most > MAX_ROUND_ROBIN_ENTRANTS:
        raise Refused("refusal.cup-too-many-for-all", most=MAX_ROUND_ROBIN_ENTRANTS, n=most, field="players")
    least = int(values.get("least", MIN_ENTRANTS))
    if least > most:
        raise Refused("refusal.cup-least", least=least, most=most, field="least")
    control = read_control(values)
    return CupTerms(
        **read_table_terms(requester, game, seats, values),
        format=kind,
        clock=control.turn or 0,
        reserve=control.reserve or 0,
        increment=control.increment,
        rounds=int(values.get("rounds", 0)),
        least=least,
        most=most,
        starts_at=_read_start(context, requester, values["starts"]) if values.get("starts") else None,
        lapses=values.get("lapse") == YES,
        holidays=int(values.get("holidays", 0)),
    )


def find_misread_game(values: Values) -> str | None:
    """Return the value of the start if it is not a time: it is probably meant as the game."""
    start = values.get("starts", "")
    return start if start and _DELAY_PATTERN.fullmatch(start) is None else None


def _read_start(context: Context, requester: RequestContext, text: str) -> datetime:
    """Return the start of a cup: a time from now, or a date and time in the requester's time zone."""
    ahead = _DELAY_PATTERN.fullmatch(text.strip().lower())
    if ahead is not None:
        return context.clock() + timedelta(**{_DELAY_UNITS[ahead[2]]: int(ahead[1])})
    try:
        start = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Refused("refusal.cup-when", text=text[:20], field="starts") from None
    return (start if start.tzinfo else start.replace(tzinfo=timezone_of(requester.person.settings))).astimezone(UTC)


FEATURE: Final[Feature] = CompetitionCommands(
    cards=CupCards,
    read_terms=read_terms,
    fields=(
        Field("f", Parameter("format", "choice", choices=tuple(Format)), lambda values: _formats(values)[0], _formats),
        clock_field(ROUND_CLOCKS),
        Field("n", number("players", MIN_ENTRANTS, MAX_ENTRANTS), "8", _counts, needs="format"),
        ENTRY_FIELD,
        Field("s", Parameter("starts", "text"), "", START_DELAYS),
        DOUBLE_FIELD,
        Field(
            "o",
            number("rounds", 1, MAX_ROUNDS),
            "",
            ROUND_COUNTS,
            lambda values: Format(values["format"]).pairs_by_points,
            "format",
        ),
        Field(
            "t",
            number("seats", 2, 5),
            lambda values: _table_sizes(values)[0],
            _table_sizes,
            lambda values: values["format"] == Format.TABLES,
            "format",
        ),
        Field("l", number("least", MIN_ENTRANTS, MAX_ENTRANTS), str(MIN_ENTRANTS), _least_counts, needs="players"),
        FILL_FIELD,
        Field("h", HOLIDAYS, "0", HOLIDAY_CHOICES),
        Field("w", yes_or_no("lapse"), NO),
        RATED_FIELD,
    ),
    which="cup.which",
    options=5,
    actions={
        "leave": ActionRule(CUPS.leave),
        "stay": ActionRule(CUPS.stay, takes_part=True),
        "give": ActionRule(service.give, silent=True),
        "here": ActionRule(service.be_here, takes_part=True),
        "start": ActionRule(service.start_now, runs=True),
        "pause": ActionRule(service.pause, update=True, runs=True),
        "resume": ActionRule(service.resume, update=True, runs=True),
    },
    views={"details": CupCards.details_card, "ties": CupCards.tie_breaks_card},
    misread=find_misread_game,
    rank=20,
    listed=True,
    older=("cupnew", "cupmore", "cuppost"),
).feature()
