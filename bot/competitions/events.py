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


Whole = Annotated[int, Field(ge=0, le=100_000)]
Someone = Annotated[int, Field(ge=COMPUTER_ENTRANT, le=100_000)]
Short = Annotated[str, Field(max_length=200)]


class Strict:
    """Read strictly from what is stored: with no field more, and none of another type."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)


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
class CommonTerms(Strict):
    """What the maker of any competition chooses.

    `clock` is how many seconds a turn may take; `entry` says who may enter: all here, all of this server, or those who
    have the code.
    """

    game: Annotated[str, Field(min_length=1, max_length=60)]
    clock: Annotated[int, Field(gt=0, le=100_000_000)]
    options: dict[str, str | int] = field(default_factory=dict)
    entry: Literal["here", "group", "code"] = "here"
    rated: bool = True


@dataclass(frozen=True, kw_only=True)
class CupTerms(CommonTerms):
    """What the maker chose.

    `seats` are those of a game, `fewest` those of the smallest table that may be drawn where entrants cannot be divided
    evenly. `rounds` are those of a Swiss or of tables, 0 where the format (or the number of entrants) says how many. It
    starts at `starts_at`, or when `most` have entered; with fewer than `least` at that time it waits, or lapses
    (`lapses`). `computers` is the level of those that fill in, empty for none, `holidays` how many days entrants may be
    away, and wins for one of the reasons in `double` count twice.
    """

    format: Annotated[Format, Field(strict=False)]
    seats: Annotated[int, Field(ge=2, le=5)] = 2
    fewest: Annotated[int, Field(ge=2, le=5)] = 2
    rounds: Annotated[int, Field(ge=0, le=MAX_ROUNDS)] = 0
    least: Annotated[int, Field(ge=MIN_ENTRANTS, le=MAX_ENTRANTS)] = MIN_ENTRANTS
    most: Annotated[int, Field(ge=MIN_ENTRANTS, le=MAX_ENTRANTS)] = MAX_ROUND_ROBIN_ENTRANTS
    starts_at: AwareDatetime | None = None
    lapses: bool = False
    computers: Short = ""
    holidays: Annotated[int, Field(ge=0, le=365)] = 0
    double: Annotated[tuple[Short, ...], Field(max_length=20)] = ()

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
class Pairing(Strict):
    """A board of a round: who has which seat of its game, in the order of the seats."""

    seats: Annotated[tuple[Someone, ...], Field(min_length=2, max_length=5)]


@dataclass(frozen=True)
class Walkover(Strict):
    """A board of a round at which nobody plays: one is there, the other has left or is silent."""

    winner: Whole
    loser: Whole


@dataclass(frozen=True)
class CupCreated(Strict):
    """Somebody made a competition; `seed_hash` is the SHA-256 of the seed of its lots (docs/fair-chance.md)."""

    terms: CupTerms
    code: Annotated[str, Field(min_length=1, max_length=40)]
    seed_hash: Annotated[str, Field(min_length=64, max_length=64)]


@dataclass(frozen=True)
class CupEntered(Strict):
    """Somebody entered, or came back before the start; `cause` is the platform's id of what they did."""

    entrant: Whole
    cause: Short


@dataclass(frozen=True)
class CupLeft(Strict):
    """An entrant left: before the start altogether, later from the next round."""

    entrant: Whole
    why: Annotated[Leaving, Field(strict=False)] = Leaving.ASKED


@dataclass(frozen=True)
class CupExcluded(Strict):
    """The organiser has put an entrant out, who cannot enter again."""

    entrant: Whole


@dataclass(frozen=True)
class CupPostponed(Strict):
    """Too few had come: its start was put off, None until enough are there."""

    until: AwareDatetime | None = None


@dataclass(frozen=True)
class CupClosed(Strict):
    """Nobody enters any more: the lot is drawn among those who are in, once the awaited ones have given their part.

    `cause` is the platform's id of the press by which it was closed, empty where that is no id, or there was no press.
    """

    awaited: tuple[Whole, ...] = ()
    cause: Short = ""


@dataclass(frozen=True)
class CupGave(Strict):
    """An entrant's browser has opened what it committed to when they entered (docs/fair-chance.md)."""

    entrant: Whole
    link: Annotated[str, Field(min_length=64, max_length=64)]


@dataclass(frozen=True)
class CupStarted(Strict):
    """It begins: the entrants in the order of the lot, their ratings in points where they have one, and its rounds.

    `sharing` are those who use a browser together with another entrant: if they win, it counts as little as games do.
    """

    lots: Annotated[tuple[Whole, ...], Field(max_length=MAX_ENTRANTS)]
    ratings: dict[Whole, int] = field(default_factory=dict)
    rounds: Annotated[int, Field(ge=1, le=200)] = 1
    sharing: tuple[Whole, ...] = ()


@dataclass(frozen=True)
class RoundPaired(Strict):
    """A round begins (from 1): its boards in order, the games won without playing, and those who have a bye."""

    round: Annotated[int, Field(ge=1, le=200)]
    pairings: tuple[Pairing, ...]
    walkovers: tuple[Walkover, ...] = ()
    byes: tuple[Whole, ...] = ()


@dataclass(frozen=True)
class GameReplayed(Strict):
    """A drawn game of a knock-out is played again with seats changed: game `number` (from 0) of its board."""

    round: Whole
    board: Whole
    number: Whole
    seats: Annotated[tuple[Someone, ...], Field(min_length=2, max_length=5)]


@dataclass(frozen=True)
class GameAttached(Strict):
    """A game has been opened for a board; `game` is its id."""

    round: Whole
    board: Whole
    number: Whole
    game: Short


@dataclass(frozen=True)
class CupResult(Strict):
    """A game has ended: the places of its seats (1 is best, equal are shared) and the reason.

    `absent` are the seats that lost since they never made a first move. A game that came to nothing (called off,
    given up together, damaged) is a draw.
    """

    round: Whole
    board: Whole
    number: Whole
    places: Annotated[tuple[Annotated[int, Field(ge=1, le=5)], ...], Field(min_length=2, max_length=5)]
    reason: Short
    absent: tuple[Annotated[int, Field(ge=0, le=4)], ...] = ()


@dataclass(frozen=True)
class BoardDecided(Strict):
    """A board of a knock-out whose game was drawn is decided: by the lot after the second, or since one is gone."""

    round: Whole
    board: Whole
    winner: Whole
    lot: bool = True


@dataclass(frozen=True)
class CupAsked(Strict):
    """An entrant who never made a first move is asked whether they are still in; silent, they are not paired."""

    entrant: Whole


@dataclass(frozen=True)
class CupStays(Strict):
    """An entrant who was asked is still in, from the next round on."""

    entrant: Whole


@dataclass(frozen=True)
class CupPaused(Strict):
    """No further round begins."""


@dataclass(frozen=True)
class CupResumed(Strict):
    """Rounds begin again."""


@dataclass(frozen=True)
class CupEnded(Strict):
    """It is over; `uncounted` are the winners whose win counts nowhere else, as they share a browser with others."""

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
