"""What happens in a competition, stored for ever; entrants are numbers from 0 in the order of entering, never people.

A round has boards from 0, a board one game or, in a knock-out, several: a drawn one is played again. Seats of a
pairing are entrants, or NOBODY where a computer fills in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AwareDatetime, ConfigDict, Field, TypeAdapter, ValidationError

from engine import EngineError

COMPUTER_ENTRANT: Final = -1
"""What stands for an entrant at a seat that a computer fills; computers win nothing."""
MIN_ENTRANTS: Final = 3
MAX_ENTRANTS: Final = 64
MAX_ROUND_ROBIN_ENTRANTS: Final = 16
"""So many can play all against all."""
MAX_ROUNDS: Final = 30

_STRICT_CONFIG: Final = ConfigDict(extra="forbid", strict=True)

Whole = Annotated[int, Field(ge=0, le=100_000)]
Someone = Annotated[int, Field(ge=COMPUTER_ENTRANT, le=100_000)]
Short = Annotated[str, Field(max_length=200)]


class InvalidCompetition(EngineError):
    """Events or terms that are none of a competition; `params["event"]` is the number of the event from 1, if any."""


class Format(StrEnum):
    """How a competition is played."""

    ALL = "all"
    TWICE = "twice"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    TABLES = "tables"


class Leaving(StrEnum):
    """Why an entrant is out: they said so, their account became one with another's or was forgotten."""

    ASKED = "asked"
    LINKED = "linked"
    FORGOTTEN = "forgotten"


class Ending(StrEnum):
    """How a competition ended: played to its end, lapsed for want of entrants, or stopped by its organiser."""

    PLAYED = "played"
    LAPSED = "lapsed"
    STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True)
class CupTerms:
    """What the maker chose.

    `clock` is how many seconds a turn may take. `seats` are those of a game, `fewest` those of the smallest table that
    may be drawn where entrants cannot be divided evenly. `rounds` are those of a Swiss or of tables, 0 where the format
    (or the number of entrants) says how many. It starts at `starts_at`, or when `most` have entered; with fewer than
    `least` at that time it waits, or lapses (`lapses`). `entry` says who may enter: all here, all of this server, or
    those who have the code. `computers` is the level of those that fill in, empty for none, `holidays` how many days
    entrants may be away, and wins for one of the reasons in `double` count twice.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    game: Annotated[str, Field(min_length=1, max_length=60)]
    format: Annotated[Format, Field(strict=False)]
    clock: Annotated[int, Field(gt=0, le=100_000_000)]
    options: dict[str, str | int] = field(default_factory=dict)
    seats: Annotated[int, Field(ge=2, le=5)] = 2
    fewest: Annotated[int, Field(ge=2, le=5)] = 2
    rounds: Annotated[int, Field(ge=0, le=MAX_ROUNDS)] = 0
    least: Annotated[int, Field(ge=MIN_ENTRANTS, le=MAX_ENTRANTS)] = MIN_ENTRANTS
    most: Annotated[int, Field(ge=MIN_ENTRANTS, le=MAX_ENTRANTS)] = MAX_ROUND_ROBIN_ENTRANTS
    starts_at: AwareDatetime | None = None
    lapses: bool = False
    entry: Literal["here", "group", "code"] = "here"
    computers: Short = ""
    holidays: Annotated[int, Field(ge=0, le=365)] = 0
    double: Annotated[tuple[Short, ...], Field(max_length=20)] = ()
    rated: bool = True

    def problem(self) -> str | None:
        """Return a code for what does not fit together, None where all does."""
        if self.least > self.most:
            return "least-above-most"
        if self.format in (Format.ALL, Format.TWICE) and self.most > MAX_ROUND_ROBIN_ENTRANTS:
            return "too-many-for-all"
        if (self.format == Format.TABLES) != (self.seats > 2):
            return "format-seats"
        if self.fewest > self.seats:
            return "fewest-above-seats"
        return None


@dataclass(frozen=True)
class Pairing:
    """A board of a round: who has which seat of its game, in the order of the seats."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    seats: Annotated[tuple[Someone, ...], Field(min_length=2, max_length=5)]


@dataclass(frozen=True)
class Walkover:
    """A board of a round at which nobody plays: one is there, the other has left or is silent."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    winner: Whole
    loser: Whole


@dataclass(frozen=True)
class CupCreated:
    """Somebody made a competition; `seed_hash` is the SHA-256 of the seed of its lots (docs/fair-chance.md)."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    terms: CupTerms
    code: Annotated[str, Field(min_length=1, max_length=40)]
    seed_hash: Annotated[str, Field(min_length=64, max_length=64)]


@dataclass(frozen=True)
class CupEntered:
    """Somebody entered, or came back before the start; `cause` is the platform's id of what they did."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole
    cause: Short


@dataclass(frozen=True)
class CupLeft:
    """An entrant left: before the start altogether, later from the next round."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole
    why: Annotated[Leaving, Field(strict=False)] = Leaving.ASKED


@dataclass(frozen=True)
class CupExcluded:
    """The organiser has put an entrant out, who cannot enter again."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole


@dataclass(frozen=True)
class CupPostponed:
    """Too few had come: its start was put off, None until enough are there."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    until: AwareDatetime | None = None


@dataclass(frozen=True)
class CupClosed:
    """Nobody enters any more: the lot is drawn among those who are in, once the awaited ones have given their part.

    `cause` is the platform's id of the press by which it was closed, empty where that is no id, or there was no press.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    awaited: tuple[Whole, ...] = ()
    cause: Short = ""


@dataclass(frozen=True)
class CupGave:
    """An entrant's browser has opened what it committed to when they entered (docs/fair-chance.md)."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole
    link: Annotated[str, Field(min_length=64, max_length=64)]


@dataclass(frozen=True)
class CupStarted:
    """It begins: the entrants in the order of the lot, their ratings in points where they have one, and its rounds.

    `sharing` are those who use a browser together with another entrant: if they win, it counts as little as games do.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    lots: Annotated[tuple[Whole, ...], Field(max_length=MAX_ENTRANTS)]
    ratings: dict[Whole, int] = field(default_factory=dict)
    rounds: Annotated[int, Field(ge=1, le=200)] = 1
    sharing: tuple[Whole, ...] = ()


@dataclass(frozen=True)
class RoundPaired:
    """A round begins (from 1): its boards in order, the games won without playing, and those who have a bye."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    round: Annotated[int, Field(ge=1, le=200)]
    pairings: tuple[Pairing, ...]
    walkovers: tuple[Walkover, ...] = ()
    byes: tuple[Whole, ...] = ()


@dataclass(frozen=True)
class GameReplayed:
    """A drawn game of a knock-out is played again with seats changed: game `number` (from 0) of its board."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    round: Whole
    board: Whole
    number: Whole
    seats: Annotated[tuple[Someone, ...], Field(min_length=2, max_length=5)]


@dataclass(frozen=True)
class GameAttached:
    """A game has been opened for a board; `game` is its id."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    round: Whole
    board: Whole
    number: Whole
    game: Short


@dataclass(frozen=True)
class CupResult:
    """A game has ended: the places of its seats (1 is best, equal are shared) and the reason.

    `absent` are the seats that lost since they never made a first move. A game that came to nothing (called off,
    given up together, damaged) is a draw.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    round: Whole
    board: Whole
    number: Whole
    places: Annotated[tuple[Annotated[int, Field(ge=1, le=5)], ...], Field(min_length=2, max_length=5)]
    reason: Short
    absent: tuple[Annotated[int, Field(ge=0, le=4)], ...] = ()


@dataclass(frozen=True)
class BoardDecided:
    """A board of a knock-out whose game was drawn is decided: by the lot after the second, or since one is gone."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    round: Whole
    board: Whole
    winner: Whole
    lot: bool = True


@dataclass(frozen=True)
class CupAsked:
    """An entrant who never made a first move is asked whether they are still in; silent, they are not paired."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole


@dataclass(frozen=True)
class CupStays:
    """An entrant who was asked is still in, from the next round on."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole


@dataclass(frozen=True)
class CupPaused:
    """No further round begins."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG


@dataclass(frozen=True)
class CupResumed:
    """Rounds begin again."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG


@dataclass(frozen=True)
class CupEnded:
    """It is over; `uncounted` are the winners whose win counts nowhere else, as they share a browser with others."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    why: Annotated[Ending, Field(strict=False)]
    uncounted: tuple[Whole, ...] = ()


CupEvent = (
    CupCreated | CupEntered | CupLeft | CupExcluded | CupPostponed | CupStarted | RoundPaired | GameReplayed
    | GameAttached | CupResult | BoardDecided | CupAsked | CupStays | CupPaused | CupResumed | CupEnded
    | CupClosed | CupGave
)  # fmt: skip

EVENT_TYPES: Final[Mapping[str, type[CupEvent]]] = {
    "created": CupCreated,
    "entered": CupEntered,
    "left": CupLeft,
    "excluded": CupExcluded,
    "postponed": CupPostponed,
    "closed": CupClosed,
    "gave": CupGave,
    "started": CupStarted,
    "paired": RoundPaired,
    "again": GameReplayed,
    "attached": GameAttached,
    "result": CupResult,
    "decided": BoardDecided,
    "asked": CupAsked,
    "stays": CupStays,
    "paused": CupPaused,
    "resumed": CupResumed,
    "ended": CupEnded,
}
_EVENT_NAMES: Final = {kind: name for name, kind in EVENT_TYPES.items()}
_EVENT_ADAPTERS: Final[Mapping[str, TypeAdapter[CupEvent]]] = {
    name: TypeAdapter(kind) for name, kind in EVENT_TYPES.items()
}
_TERMS_ADAPTER: Final = TypeAdapter(CupTerms)


def kind_of(event: CupEvent) -> str:
    """Return the word under which an event is stored."""
    return _EVENT_NAMES[type(event)]


def to_json(event: CupEvent) -> dict[str, Any]:
    """Return what is stored of an event besides its kind; what is as usual is left out."""
    dumped: dict[str, Any] = _EVENT_ADAPTERS[kind_of(event)].dump_python(event, mode="json", exclude_defaults=True)
    return dumped


def from_json(kind: str, data: object) -> CupEvent:
    """Return a stored event; InvalidCompetition (unknown-event, broken-event, or what its terms lack)."""
    if kind not in EVENT_TYPES:
        raise InvalidCompetition("unknown-event", kind=str(kind)[:60])
    try:
        event = _EVENT_ADAPTERS[kind].validate_json(json.dumps(data))
    except (ValidationError, ValueError, TypeError, RecursionError):
        raise InvalidCompetition("broken-event", kind=kind) from None
    if isinstance(event, CupCreated) and (problem := event.terms.problem()):
        raise InvalidCompetition(problem)
    return event


def read_terms(data: object) -> CupTerms:
    """Return terms from their JSON; InvalidCompetition says in a code what is wrong, and in which `field`."""
    try:
        terms = _TERMS_ADAPTER.validate_json(json.dumps(data))
    except ValidationError as error:
        where = error.errors(include_url=False)[0]["loc"]
        raise InvalidCompetition("broken-terms", field=str(where[0] if where else "")) from None
    except (ValueError, TypeError, RecursionError):
        raise InvalidCompetition("broken-terms", field="") from None
    if problem := terms.problem():
        raise InvalidCompetition(problem)
    return terms


def terms_json(terms: CupTerms) -> dict[str, Any]:
    """Return the JSON of terms; what is as usual is left out."""
    dumped: dict[str, Any] = _TERMS_ADAPTER.dump_python(terms, mode="json", exclude_defaults=True)
    return dumped
