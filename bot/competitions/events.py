"""The stored events of a cup; entrants are numbers from 0 in the order of entering, never people.

A round has boards from 0. A board has one game; in a knock-out it has several if one was drawn and is replayed. Seats
of a pairing are entrants, or COMPUTER_ENTRANT.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, TypeAdapter, ValidationError

from bot.table.clocks import TimeControl
from engine import EngineError
from engine.record import is_possible_year
from storage import Json, Terms

COMPUTER_ENTRANT: Final = -1
"""The entrant number of a computer; computers hold no titles."""
MIN_ENTRANTS: Final = 3
MAX_ENTRANTS: Final = 64
MAX_ROUND_ROBIN_ENTRANTS: Final = 16
"""Maximum number of entrants of a round robin."""
MAX_ROUNDS: Final = 30
RULES_VERSION: Final = 2
"""The version of the rules by which competitions and seasons begin now; those of version 1 are in `rules_1.py`."""

Whole = Annotated[int, Field(ge=0, le=100_000)]
Someone = Annotated[int, Field(ge=COMPUTER_ENTRANT, le=100_000)]
Entrants = tuple[Whole, ...]
"""Entrants by their numbers."""
Divisions = tuple[Entrants, ...]
"""The members of the divisions of a league, the best division first."""
Short = Annotated[str, Field(max_length=200)]
HexHash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 as 64 hexadecimal digits in lower case."""
RulesVersion = Annotated[int, Field(ge=1, le=RULES_VERSION)]
"""The version of the rules; files and events without one are of version 1."""


def _check_year(when: datetime) -> datetime:
    if not is_possible_year(when):
        raise ValueError(when)
    return when


EventTime = Annotated[AwareDatetime, AfterValidator(_check_year)]
"""A time with its zone, in a possible year."""

TableSize = Annotated[int, Field(ge=2, le=5)]
Seats = Annotated[tuple[Someone, ...], Field(min_length=2, max_length=5)]
Places = Annotated[tuple[Annotated[int, Field(ge=1, le=5)], ...], Field(min_length=2, max_length=5)]
"""The places of the seats of a game: 1 is best, equal ones are shared."""
AbsentSeats = tuple[Annotated[int, Field(ge=0, le=4)], ...]
"""The seats that never made a first move."""
Reasons = Annotated[tuple[Short, ...], Field(max_length=20)]


def people_of(seats: Iterable[int]) -> list[int]:
    """Return the people in seats, without computers."""
    return [entrant for entrant in seats if entrant != COMPUTER_ENTRANT]


class Strict:
    """A stored type that is read strictly: additional fields and values of other types are refused."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)


class InvalidCompetition(EngineError):
    """Invalid events or terms; `params["event"]` is the number of the event from 1, if there is one."""


class CompetitionEvent(Strict):
    """An event of a competition of any kind."""


Events = Sequence[CompetitionEvent]


class EventCodec:
    """The stored form of events: the name of the kind, and JSON without default values."""

    def __init__(
        self, types: Mapping[str, type[CompetitionEvent]], shifted: Callable[[Any, timedelta], Any] | None = None
    ) -> None:
        """Set the event types by the names under which they are stored.

        `shifted` returns an event with its times moved; None if its competition counts by dates.
        """
        self.types, self.shifted = types, shifted
        self._names = {kind: name for name, kind in types.items()}
        self._adapters: dict[str, TypeAdapter[Any]] = {name: TypeAdapter(kind) for name, kind in types.items()}

    def kind_of(self, event: CompetitionEvent) -> str:
        """Return the name under which an event is stored."""
        return self._names[type(event)]

    def to_json(self, event: CompetitionEvent) -> Json:
        """Return the stored data of an event, without its kind and without default values."""
        dumped: Json = self._adapters[self.kind_of(event)].dump_python(event, mode="json", exclude_defaults=True)
        return dumped

    def from_json(self, kind: str, data: object) -> Any:
        """Return a stored event; InvalidCompetition (unknown-event, broken-event)."""
        if kind not in self.types:
            raise InvalidCompetition("unknown-event", kind=str(kind)[:60])
        try:
            return self._adapters[kind].validate_json(json.dumps(data))
        except (ValidationError, ValueError, TypeError, RecursionError):
            raise InvalidCompetition("broken-event", kind=kind) from None


class Format(StrEnum):
    """The formats of cups."""

    ALL = "all"
    TWICE = "twice"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    TABLES = "tables"

    @property
    def is_round_robin(self) -> bool:
        """Whether all play all."""
        return self in (Format.ALL, Format.TWICE)

    @property
    def pairs_by_points(self) -> bool:
        """Whether rounds are paired by the points so far, so that those who have blocked each other need not meet."""
        return self in (Format.SWISS, Format.TABLES)


class Leaving(StrEnum):
    """Why an entrant left: they asked, were silent in a league, or their account was linked or forgotten."""

    ASKED = "asked"
    SILENT = "silent"
    LINKED = "linked"
    FORGOTTEN = "forgotten"


class Ending(StrEnum):
    """How a cup ended: played to its end, lapsed for lack of entrants, or stopped by its organiser."""

    PLAYED = "played"
    LAPSED = "lapsed"
    STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True)
class CommonTerms(Strict):
    """The terms that all competitions have.

    `clock` is the time for a turn in seconds, 0 where there is only a reserve; `entry` says who may enter: everybody
    here, everybody on this server, or everybody with the code.
    """

    game: Annotated[str, Field(min_length=1, max_length=60)]
    clock: Annotated[int, Field(ge=0, le=100_000_000)]
    options: dict[str, str | int] = field(default_factory=dict)
    entry: Literal["here", "group", "code"] = "here"
    rated: bool = True

    @property
    def time_control(self) -> TimeControl:
        """How much time players have."""
        return TimeControl(self.clock or None)

    @property
    def is_live(self) -> bool:
        """Whether games are played in one sitting: rounds then begin when the players are there."""
        return self.time_control.apply(Terms()).is_live

    def problem(self) -> str | None:
        """Return a code for terms that contradict each other, None if they are valid."""
        return None if self.time_control.kind != "none" else "no-clock"


@dataclass(frozen=True, kw_only=True)
class TableTerms(CommonTerms):
    """The terms that cups and leagues have.

    `seats` is the number of seats of a game, `fewest` that of the smallest table, for entrants that cannot be divided
    evenly. `computers` is the level of the computers that fill up tables and divisions, empty for none. `holidays` is
    the maximum number of days by which a holiday extends a turn; wins for a reason in `double` count twice.
    """

    seats: TableSize = 2
    fewest: TableSize = 2
    computers: Short = ""
    holidays: Annotated[int, Field(ge=0, le=365)] = 0
    double: Reasons = ()

    def problem(self) -> str | None:
        """Return a code for terms that contradict each other, None if they are valid."""
        return "fewest-above-seats" if self.fewest > self.seats else super().problem()


@dataclass(frozen=True, kw_only=True)
class CupTerms(TableTerms):
    """The maker's choices.

    `rounds` is for Swiss cups and tables, 0 where the format (or the number of entrants) decides. The cup starts at
    `starts_at`, or when `most` have entered; with fewer than `least` at that time it waits, or lapses (`lapses`).
    Players have a `reserve` of seconds for a game; `increment` is added after each turn.
    """

    format: Annotated[Format, Field(strict=False)]
    rounds: Annotated[int, Field(ge=0, le=MAX_ROUNDS)] = 0
    least: Annotated[int, Field(ge=MIN_ENTRANTS, le=MAX_ENTRANTS)] = MIN_ENTRANTS
    most: Annotated[int, Field(ge=MIN_ENTRANTS, le=MAX_ENTRANTS)] = MAX_ROUND_ROBIN_ENTRANTS
    starts_at: EventTime | None = None
    lapses: bool = False
    reserve: Annotated[int, Field(ge=0, le=100_000_000)] = 0
    increment: Annotated[int, Field(ge=0, le=100_000)] = 0

    @property
    def time_control(self) -> TimeControl:
        """How much time players have."""
        return TimeControl(self.clock or None, self.reserve or None, self.increment)

    def problem(self) -> str | None:
        """Return a code for terms that contradict each other, None if they are valid."""
        if self.least > self.most:
            return "least-above-most"
        if self.format.is_round_robin and self.most > MAX_ROUND_ROBIN_ENTRANTS:
            return "too-many-for-all"
        if (self.format == Format.TABLES) != (self.seats > 2):
            return "format-seats"
        return super().problem()


@dataclass(frozen=True)
class Pairing(Strict):
    """A board of a round: its entrants in the order of the seats."""

    seats: Seats


@dataclass(frozen=True)
class Walkover(Strict):
    """A board that is won without playing, because the other entrant has left or is silent."""

    winner: Whole
    loser: Whole


@dataclass(frozen=True)
class Created(CompetitionEvent):
    """A person made a competition; `seed_hash` is the SHA-256 of its seed of lots and games (docs/fair-chance.md)."""

    terms: CommonTerms
    code: Annotated[str, Field(min_length=1, max_length=40)]
    seed_hash: HexHash


@dataclass(frozen=True)
class CupCreated(Created):
    """A person made a cup."""

    terms: CupTerms
    rules_version: RulesVersion = 1


@dataclass(frozen=True)
class OfEntrant(CompetitionEvent):
    """An event of one entrant."""

    entrant: Whole


@dataclass(frozen=True)
class Entered(OfEntrant):
    """A person entered, or came back; `cause` is the platform's id of their joining event."""

    cause: Short


@dataclass(frozen=True)
class Left(OfEntrant):
    """An entrant left: a cup that has started from the next round on, any other competition completely."""

    why: Annotated[Leaving, Field(strict=False)] = Leaving.ASKED


@dataclass(frozen=True)
class Excluded(OfEntrant):
    """The organiser excluded an entrant, who cannot enter again."""


@dataclass(frozen=True)
class Ended(CompetitionEvent):
    """The organiser ended a ladder or league."""


@dataclass(frozen=True)
class CupPostponed(CompetitionEvent):
    """Too few had entered, and the start was postponed; with None, until enough have entered."""

    until: EventTime | None = None


@dataclass(frozen=True)
class CupClosed(CompetitionEvent):
    """Entering is closed: the lot is drawn among the entrants once the awaited contributions have arrived.

    `cause` is the platform's id of the press that closed it, empty without a press or an id.
    """

    awaited: Entrants = ()
    cause: Short = ""


@dataclass(frozen=True)
class CupGave(OfEntrant):
    """An entrant's browser revealed what it committed to when they entered (docs/fair-chance.md)."""

    link: HexHash


@dataclass(frozen=True)
class CupStarted(CompetitionEvent):
    """The start: the entrants in the order of the lot, their ratings in points if they have one, the number of rounds.

    `sharing` are entrants who share a browser with another: their win does not count, and their games are not rated.
    """

    lots: Annotated[Entrants, Field(max_length=MAX_ENTRANTS)]
    ratings: dict[Whole, int] = field(default_factory=dict)
    rounds: Annotated[int, Field(ge=1, le=200)] = 1
    sharing: Entrants = ()


@dataclass(frozen=True)
class RoundPaired(CompetitionEvent):
    """A round (from 1) begins: its boards in order, walkovers and byes."""

    round: Annotated[int, Field(ge=1, le=200)]
    pairings: tuple[Pairing, ...]
    walkovers: tuple[Walkover, ...] = ()
    byes: Entrants = ()

    @property
    def seated(self) -> list[int]:
        """The entrants who play."""
        return [entrant for pairing in self.pairings for entrant in people_of(pairing.seats)]


@dataclass(frozen=True)
class OfGame(CompetitionEvent):
    """An event of a game of a cup; `number` is the game's number on its board (from 0)."""

    round: Whole
    board: Whole
    number: Whole


@dataclass(frozen=True)
class GameReplayed(OfGame):
    """A drawn knock-out game is replayed with the seats changed."""

    seats: Seats


@dataclass(frozen=True)
class Here(OfEntrant):
    """An entrant is there for their game of a live round; it begins when all of its people are there."""


@dataclass(frozen=True)
class Missed(OfGame):
    """Entrants were not there in time for a live game: the others win it, or play without them."""

    absent: Annotated[Entrants, Field(min_length=1, max_length=5)]


@dataclass(frozen=True)
class GameAttached(OfGame):
    """A game was opened for a board; `game` is its id."""

    game: Short


@dataclass(frozen=True)
class CupResult(OfGame):
    """A game ended: the places of its seats (1 is best, equal ones are shared) and the reason.

    `absent` are the seats that lost because they never made a first move. A game without a result (called off, given up
    by all, damaged) is a draw.
    """

    places: Places
    reason: Short
    absent: AbsentSeats = ()


@dataclass(frozen=True)
class BoardDecided(CompetitionEvent):
    """A drawn knock-out board is decided: by the lot after the second game, or because one entrant has left."""

    round: Whole
    board: Whole
    winner: Whole
    lot: bool = True


@dataclass(frozen=True)
class Asked(OfEntrant):
    """An entrant who never made a first move must confirm that they take part; until then they are not paired."""


@dataclass(frozen=True)
class Stays(OfEntrant):
    """An entrant who was asked still takes part, from the next round on."""


@dataclass(frozen=True)
class CupPaused(CompetitionEvent):
    """The cup is paused: no further round begins."""


@dataclass(frozen=True)
class CupResumed(CompetitionEvent):
    """The cup goes on: rounds begin again."""


@dataclass(frozen=True)
class CupEnded(CompetitionEvent):
    """The cup is over; `uncounted` are winners whose win does not count, because they share a browser with another."""

    why: Annotated[Ending, Field(strict=False)]
    uncounted: Entrants = ()


CUP_CODEC: Final = EventCodec(
    {
        "created": CupCreated,
        "entered": Entered,
        "left": Left,
        "excluded": Excluded,
        "postponed": CupPostponed,
        "closed": CupClosed,
        "gave": CupGave,
        "started": CupStarted,
        "paired": RoundPaired,
        "again": GameReplayed,
        "here": Here,
        "missed": Missed,
        "attached": GameAttached,
        "result": CupResult,
        "decided": BoardDecided,
        "asked": Asked,
        "stays": Stays,
        "paused": CupPaused,
        "resumed": CupResumed,
        "ended": CupEnded,
    }
)
