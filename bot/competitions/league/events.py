"""The stored events of a league, with their times; people are numbers from 0 in the order of entering."""

from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import Field

from bot.competitions.events import (
    Asked,
    CommonTerms,
    Ended,
    Entered,
    EventCodec,
    EventTime,
    Excluded,
    HexHash,
    Left,
    RulesVersion,
    Short,
    Someone,
    Stays,
    Strict,
    Whole,
)

MIN_MEMBERS: Final = 3
"""Minimum number of members of a season."""
MAX_MEMBERS: Final = 200
MIN_SEASON_DAYS: Final = 14
MAX_SEASON_DAYS: Final = 92
DEFAULT_SEASON_DAYS: Final = 30
MIN_SEASON_TURNS: Final = 10
"""Minimum length of a season, in times for one turn."""
DEFAULT_GAMES_AT_ONCE: Final = 3
MAX_GAMES_AT_ONCE: Final = 10


@dataclass(frozen=True, kw_only=True)
class LeagueTerms(CommonTerms):
    """The maker's choices.

    `days` is the length of a season. `seats` is the number of seats of a game, `fewest` that of the smallest table. The
    first season begins with `least` members. `computers` is the level of the computers that fill up divisions, empty
    for none; `holidays` is the maximum number of days by which a holiday extends a turn; wins for a reason in `double`
    count twice.
    """

    days: Annotated[int, Field(ge=MIN_SEASON_DAYS, le=MAX_SEASON_DAYS)] = DEFAULT_SEASON_DAYS
    seats: Annotated[int, Field(ge=2, le=5)] = 2
    fewest: Annotated[int, Field(ge=2, le=5)] = 2
    least: Annotated[int, Field(ge=MIN_MEMBERS, le=MAX_MEMBERS)] = 5
    computers: Short = ""
    holidays: Annotated[int, Field(ge=0, le=30)] = 7
    double: Annotated[tuple[Short, ...], Field(max_length=20)] = ()

    def problem(self) -> str | None:
        """Return a code for terms that contradict each other, None if they are valid."""
        if self.fewest > self.seats:
            return "fewest-above-seats"
        return "clock-too-slow" if self.days * 86_400 < MIN_SEASON_TURNS * self.clock else None


@dataclass(frozen=True)
class LeagueDivision(Strict):
    """A division of a season: its members by their earlier rank, and the number of computers that fill it up."""

    members: Annotated[tuple[Whole, ...], Field(min_length=1, max_length=16)]
    computers: Annotated[int, Field(ge=0, le=8)] = 0


@dataclass(frozen=True)
class Fixture(Strict):
    """A planned game of a season: its division and round (both from 1), and its seats."""

    division: Annotated[int, Field(ge=1, le=100)]
    round: Annotated[int, Field(ge=1, le=100)]
    seats: Annotated[tuple[Someone, ...], Field(min_length=2, max_length=5)]


@dataclass(frozen=True)
class LeagueCreated(Strict):
    """Somebody made a league; `seed_hash` is the SHA-256 of the seed from which its games' seeds are derived."""

    terms: LeagueTerms
    code: Annotated[str, Field(min_length=1, max_length=40)]
    seed_hash: HexHash


@dataclass(frozen=True)
class LeagueLimited(Strict):
    """A member limited how many of their games may run at once."""

    entrant: Whole
    most: Annotated[int, Field(ge=1, le=MAX_GAMES_AT_ONCE)]


@dataclass(frozen=True)
class SeasonStarted(Strict):
    """A season begins: its divisions, the best first, its games, and when it ends.

    `ratings`, in points, are those from which the first season's divisions follow. `rules_version` says by
    which rules the divisions were made and the season is played.
    """

    season: Annotated[int, Field(ge=1, le=10_000)]
    ends_at: EventTime
    divisions: Annotated[tuple[LeagueDivision, ...], Field(min_length=1, max_length=64)]
    fixtures: tuple[Fixture, ...]
    ratings: dict[Whole, int] = field(default_factory=dict)
    rules_version: RulesVersion = 1


@dataclass(frozen=True)
class FixtureAttached(Strict):
    """A game was opened: `fixture` is its number in the season from 0, `seats` are its members by seat."""

    fixture: Whole
    game: Short
    seats: Annotated[tuple[Someone, ...], Field(min_length=2, max_length=5)]


@dataclass(frozen=True)
class FixtureVoided(Strict):
    """A game is not played, because one of its members has blocked another."""

    fixture: Whole


@dataclass(frozen=True)
class FixtureResult(Strict):
    """A game ended: the places of its seats (1 is best, equal ones are shared), the reason, and who never moved."""

    fixture: Whole
    places: Annotated[tuple[Annotated[int, Field(ge=1, le=5)], ...], Field(min_length=2, max_length=5)]
    reason: Short
    absent: tuple[Annotated[int, Field(ge=0, le=4)], ...] = ()


@dataclass(frozen=True)
class SeasonEnded(Strict):
    """A season ended; unfinished games count as drawn."""

    season: Annotated[int, Field(ge=1, le=10_000)]


LeagueEvent = (
    LeagueCreated | Entered | Left | Excluded | LeagueLimited | SeasonStarted | FixtureAttached
    | FixtureVoided | FixtureResult | Asked | Stays | SeasonEnded | Ended
)  # fmt: skip

LEAGUE_CODEC: Final[EventCodec[LeagueEvent]] = EventCodec(
    {
        "created": LeagueCreated,
        "entered": Entered,
        "left": Left,
        "excluded": Excluded,
        "limited": LeagueLimited,
        "season": SeasonStarted,
        "attached": FixtureAttached,
        "voided": FixtureVoided,
        "result": FixtureResult,
        "asked": Asked,
        "stays": Stays,
        "season-ended": SeasonEnded,
        "ended": Ended,
    }
)
