"""Parameters and results of the storage besides its rows (storage/schema.py), independent of any game's rules."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from storage.agreements import Terms
from storage.columns import Json
from storage.message_schema import NewNotice
from storage.schema import GameRow, NewResult, Person, PlaceRow, ProcessedEvent, Rating, Seat


def utc_now() -> datetime:
    """Return the current time in UTC, for callers without a clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """A game to be created, in its lobby; without an `id` the store generates one."""

    game: str
    place: int
    starter: int
    rules_version: int
    seat_count: int
    seats: tuple[Seat, ...]
    options: Json
    seed: str = field(repr=False)
    seed_hash: str
    id: str | None = None
    terms: Terms = field(default_factory=Terms)
    alarm_at: datetime | None = None
    chance: Json | None = None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be added to a game; `person` is its author, if any.

    `cause` names the cause if it is not the platform's event.
    """

    kind: str
    data: Json = field(default_factory=dict)
    person: int | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The counts of a person's rated results in one game or in all, in a scope."""

    person: int
    name: str
    played: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOrigin:
    """The author and the place of an event according to the platform; see `Identity` and `PlaceRow`."""

    platform: str
    user: str
    name: str
    language: str | None = None
    channel: str
    thread: str | None = None
    group: str | None = None
    kind: Literal["group", "private"] = "group"
    title: str = ""
    guest: bool = False


@dataclass(frozen=True, slots=True)
class RequestSource:
    """The author and the place of a platform's event; `processed` is the stored event if it was processed before.

    `can_dm` is the identity's. `is_game_here` says that the game of the event is shown in the place.
    `channel_route` is the route of notices that the author has chosen for that channel, empty for the general one.
    """

    person: Person
    place: PlaceRow
    processed: ProcessedEvent | None = None
    can_dm: bool | None = None
    is_game_here: bool = False
    channel_route: str = ""


@dataclass(frozen=True, slots=True)
class PastNotice:
    """The outdated notices of a game of one kind, optionally only about one subject or to one person."""

    kind: str
    subject: str | None = None
    person: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameChange:
    """One step of a game, stored completely or not at all.

    `game` is the new row, made with `dataclasses.replace` from the row that was read: its `revision` must still be
    current, and so must the columns of `before`, the row as read, that change without an event. `events` holds at least
    one event, so that every change has a new revision. `unplanned` says that no plans were checked.
    """

    game: GameRow
    before: GameRow | None = None
    unplanned: bool = False
    events: tuple[NewEvent, ...]
    at: datetime
    processed: ProcessedEvent | None = None
    results: tuple[NewResult, ...] = ()
    ratings: tuple[Rating, ...] = ()
    past: tuple[PastNotice, ...] = ()
    promised: tuple[NewNotice, ...] = ()
