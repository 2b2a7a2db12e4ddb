"""Plain data about where games are shown, and what is due there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from storage.rows import Notice, PlaceRow


@dataclass(frozen=True, slots=True)
class Surface:
    """A place where a game is shown, and how far delivery has come there.

    `message` shows `shown_revision` (both None before the first delivery) and announced the turn `announced_turn`.
    `stale_messages` are older messages whose buttons must be removed, `shown_then` the revisions that they show as far
    as these are known. `extra_messages` are the messages beside the board, by what they are about. `due_at` is
    when something is to be done, None when all is; after `attempts` failures in a row. One that is `waiting` may
    not be written to at present: nothing is done there until its place is open again.
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


@dataclass(frozen=True, slots=True)
class SurfaceWithNotices:
    """A surface as delivery needs it: with the notices of its game, the oldest first.

    `is_only_open` says that its game can be shown in no other place at present.
    """

    surface: Surface
    notices: tuple[Notice, ...]
    is_only_open: bool


@dataclass(frozen=True, slots=True)
class DueBoard:
    """A surface that something is to be done for at a time, and the chat that it is in.

    `revision` is the one of its game that made it due, None where something else did.
    """

    surface: int
    platform: str
    channel: str
    due_at: datetime
    revision: int | None = None

    def to_json(self) -> list[Any]:
        """Return it as other processes are told of it."""
        return [self.surface, self.platform, self.channel, self.due_at.timestamp(), self.revision]

    @classmethod
    def from_json(cls, fields: Sequence[Any]) -> DueBoard:
        """Return what another process has told of."""
        surface, platform, channel, due_at, revision = fields[:5]
        return cls(surface, platform, channel, datetime.fromtimestamp(due_at, UTC), revision)
