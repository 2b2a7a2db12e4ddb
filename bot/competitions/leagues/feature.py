"""Leagues: the command with its form, and the buttons."""

from typing import Final

from bot.competitions.commands import (
    DOUBLE_FIELD,
    ENTRY_FIELD,
    FILL_FIELD,
    HOLIDAY_CHOICES,
    HOLIDAYS,
    RATED_FIELD,
    SLOW_CLOCKS,
    CompetitionCommands,
    clock_field,
    read_clock,
    read_table_terms,
)
from bot.competitions.keeper import ActionRule
from bot.competitions.league import (
    DEFAULT_SEASON_DAYS,
    MAX_MEMBERS,
    MAX_SEASON_DAYS,
    MIN_MEMBERS,
    MIN_SEASON_DAYS,
    LeagueTerms,
)
from bot.competitions.leagues import service
from bot.competitions.leagues.cards import LeagueCards
from bot.competitions.leagues.service import LEAGUES
from bot.kernel.context import Context
from bot.kernel.features import Feature, number
from bot.kernel.forms import GAME, Field, Values
from bot.kernel.request_context import RequestContext
from engine import games

SEASON_DAYS: Final = tuple(map(str, (14, 21, 30, 60, 92)))
DEFAULT_HOLIDAY_DAYS: Final = 7
DEFAULT_MEMBERS: Final = 5
_MEMBERS: Final = tuple(map(str, (4, 5, 6, 8, 10, 12, 16, 24, 32)))


def _usual_seats(values: Values) -> str:
    """Return the default number of seats of a league's games: two, or the maximum if two cannot play."""
    seats = games[values[GAME]].seats
    return str(2 if 2 in seats else seats[-1])


def read_terms(_context: Context, requester: RequestContext, values: Values) -> LeagueTerms:
    """Return the terms from the values of the form or the command; Refused, InvalidOption."""
    seats = int(values.get("seats") or _usual_seats(values))
    return LeagueTerms(
        **read_table_terms(requester, games[values[GAME]], seats, values),
        clock=read_clock(values),
        days=int(values.get("days", DEFAULT_SEASON_DAYS)),
        least=int(values.get("least", DEFAULT_MEMBERS)),
        holidays=int(values.get("holidays", DEFAULT_HOLIDAY_DAYS)),
    )


FEATURE: Final[Feature] = CompetitionCommands(
    cards=LeagueCards,
    read_terms=read_terms,
    fields=(
        clock_field(SLOW_CLOCKS),
        Field("d", number("days", MIN_SEASON_DAYS, MAX_SEASON_DAYS), str(DEFAULT_SEASON_DAYS), SEASON_DAYS),
        Field("l", number("least", MIN_MEMBERS, MAX_MEMBERS), str(DEFAULT_MEMBERS), _MEMBERS),
        ENTRY_FIELD,
        Field("h", HOLIDAYS, str(DEFAULT_HOLIDAY_DAYS), HOLIDAY_CHOICES),
        Field("t", number("seats", 2, 5), _usual_seats, lambda values: tuple(map(str, games[values[GAME]].seats))),
        FILL_FIELD,
        DOUBLE_FIELD,
        RATED_FIELD,
    ),
    which="league.which",
    options=4,
    actions={
        "stay": ActionRule(LEAGUES.stay, takes_part=True),
        "start": ActionRule(service.start_now, update=True, runs=True),
        "limit": ActionRule(service.set_limit, numbered=True, update=True, words=LeagueCards.limit_words),
    },
    rank=21,
    older=("leaguenew", "leaguepost"),
).feature()
