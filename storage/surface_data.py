"""Plain data about the places that show games, and what is due there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from storage.rows import Notice, PlaceRow


@dataclass(frozen=True, slots=True)
class Surface:
    """A place that shows a game, and how far delivery has come there.

    `message` shows `shown_revision` (both None before the first delivery) and announced the turn `announced_turn`.
    `stale_messages` are older messages whose buttons must be removed, `shown_then` their revisions as far as known.
    `extra_messages` are the messages beside the board, by subject. `due_at` is when it is processed next, None when all
    is done; `attempts` is the number of failures in a row. A `waiting` surface may not be written to at present:
    nothing happens there until its place is open again.
    """

    id: int
    game: str
    place: PlaceRow
    revision: int
    message: str | None = None
    shown_revision: int | None = None
    announced_turn: int | None = None
    stale_messages: tuple[str, ...] = ()
    shown_then: Mapping[str, int] = field(default_factory=dict)
    extra_messages: Mapping[str, str] = field(default_factory=dict)
    due_at: datetime | None = None
    attempts: int = 0
    gone: bool = False
    waiting: bool = False


class PlayersHere(NamedTuple):
    """How many of a game's players were ever seen in a place, and one of them."""

    number: int
    one: int | None


@dataclass(frozen=True, slots=True)
class SurfaceWithNotices:
    """A surface with the notices of its game, oldest first, as delivery needs it, all read at one moment.

    `on_platform` are those people of the notices whom a message there can mention. `to_move` is the person whose turn
    it was then. `is_only_open` says that no other place can show its game at present. `players_here` are those of its
    players who were ever seen there.
    """

    surface: Surface
    notices: tuple[Notice, ...]
    on_platform: frozenset[int]
    to_move: int | None
    is_only_open: bool
    players_here: PlayersHere


@dataclass(frozen=True, slots=True)
class DueBoard:
    """A surface that is due at a time, and its chat.

    `revision` is the revision of its game that made it due, None if something else did.
    """

    surface: int
    platform: str
    channel: str
    due_at: datetime
    revision: int | None = None

    def to_json(self) -> list[Any]:
        """Return the JSON of a notification to other processes."""
        return [self.surface, self.platform, self.channel, self.due_at.timestamp(), self.revision]

    @classmethod
    def from_json(cls, fields: Sequence[Any]) -> DueBoard:
        """Return the due board of another process's notification."""
        surface, platform, channel, due_at, revision = fields[:5]
        return cls(surface, platform, channel, datetime.fromtimestamp(due_at, UTC), revision)
