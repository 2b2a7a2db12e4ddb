"""What delivery remembers between transactions: boards that are due, and sends that finished after a lock was lost.

The database is the truth. Memory receives everything that becomes due. Knowing of too much costs one read of a
surface; what it misses is found by the next scan of the database.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import structlog

from bot.core.notice_routes import Route
from storage import DueBoard, Store, Surface

MAX_KEPT: Final = 10_000
"""How many surfaces are remembered; of more, the database is asked again when these are done."""

MAX_STALE: Final = 100
"""How many times that count no more are kept beside those that do."""

Chat = tuple[str, str]
"""A platform, and the id of a channel there."""


class DueBoards:
    """The surfaces that something is to be done for, by time; those in busy chats are held back."""

    def __init__(self) -> None:
        self._known: dict[int, DueBoard] = {}
        self._times: list[tuple[datetime, int]] = []
        self._held: defaultdict[Chat, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._known)

    def put(self, board: DueBoard) -> bool:
        """Remember when something is to be done; False where there is no room for it."""
        known = self._known.get(board.surface)
        if known is None and len(self._known) >= MAX_KEPT:
            return False
        if known is not None and (known.revision is None or board.revision is None):
            # Due for more than that the game has moved on: that it was shown is no answer.
            board = replace(board, revision=None)
        self._known[board.surface] = board
        heapq.heappush(self._times, (board.due_at, board.surface))
        if len(self._times) > 2 * len(self._known) + MAX_STALE:
            self._times = [(each.due_at, each.surface) for each in self._known.values()]
            heapq.heapify(self._times)
        return True

    def forget_shown(self, surface: int, revision: int) -> None:
        """Forget that a game's moving on to a revision, or to an earlier one, has made a surface due."""
        known = self._known.get(surface)
        if known is not None and known.revision is not None and known.revision <= revision:
            del self._known[surface]

    def take(self, now: datetime, busy: Container[Chat]) -> dict[Chat, list[DueBoard]]:
        """Return and forget what is due by now, the longest due first; what is in busy chats is held back."""
        found: defaultdict[Chat, list[DueBoard]] = defaultdict(list)
        while (board := self._first()) is not None and board.due_at <= now:
            heapq.heappop(self._times)
            chat = (board.platform, board.channel)
            if chat in busy:
                self._held[chat].add(board.surface)
            else:
                del self._known[board.surface]
                found[chat].append(board)
        return found

    def release(self, chat: Chat) -> None:
        """Hold nothing back any more that is in a chat."""
        for surface in self._held.pop(chat, ()):
            if surface in self._known:
                heapq.heappush(self._times, (self._known[surface].due_at, surface))

    @property
    def next_due(self) -> datetime | None:
        """When something is due that is not held back, None if nothing is known."""
        board = self._first()
        return board.due_at if board is not None else None

    def _first(self) -> DueBoard | None:
        while self._times:
            due_at, surface = self._times[0]
            known = self._known.get(surface)
            if known is not None and known.due_at == due_at:
                return known
            heapq.heappop(self._times)
        return None


MAX_UNCONFIRMED_SENDS: Final = 1000
"""How many doubts are kept: an outage with more boards under way than that is none that this could mend."""


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DeliveredRevision:
    """A revision that a message was told to show: `before` is the surface as it was read, `turn` what it announces.

    `told` are the notices that the message tells. Where nobody knows whether the message shows it, `sure` is False.
    """

    before: Surface
    message: str
    revision: int
    turn: int
    notices: tuple[int, ...] = field(default=())
    sure: bool = True


async def record_delivery(
    store: Store, delivered: DeliveredRevision, at: datetime, later: datetime | None = None
) -> Surface | None:
    """Note what a message shows and whom it has told; return the surface, None if there is no such.

    Old messages are retired `later`.
    """
    surface = delivered.before
    async with store.transaction():
        noted = await store.surfaces.record_shown(
            surface, revision=delivered.revision, message=delivered.message, turn=delivered.turn, at=at, later=later
        )
        if delivered.notices:
            await store.notices.record_delivered(delivered.notices, at, route=Route.HERE, place=surface.place.id)
    return noted


class UnconfirmedSends:
    """Remembers by chat what may have landed too late, until that is noted under a new claim."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._left: dict[Chat, list[DeliveredRevision]] = defaultdict(list)

    @property
    def chats(self) -> Iterable[Chat]:
        """The chats with something to note."""
        return list(self._left)

    def add(self, chat: Chat, delivered: DeliveredRevision) -> None:
        """Have something looked at again as soon as the chat is claimed anew."""
        log.warning("claim-lost", platform=chat[0], game=delivered.before.game, surface=delivered.before.id)
        if sum(map(len, self._left.values())) < MAX_UNCONFIRMED_SENDS:
            self._left[chat].append(delivered)

    async def resolve(self, chat: Chat) -> None:
        """Note what was left of a chat, which must be claimed, so that nobody is showing anything there meanwhile."""
        while left := self._left.get(chat):
            await self._settle(left[0])
            left.pop(0)
        self._left.pop(chat, None)

    async def _settle(self, delivered: DeliveredRevision) -> None:
        store, surface, at = self._store, delivered.before, self._clock()
        now = await store.surfaces.get(surface.id)
        if now is None or now.gone:
            return
        if _shown_state(now) == _shown_state(surface):
            # Nobody has shown anything since.
            if delivered.sure:
                await record_delivery(store, delivered, at)
            return
        if now.message == delivered.message:
            if now.shown_revision != delivered.revision:
                await store.surfaces.record_overwritten(surface.id, delivered.message, delivered.revision, at)
        else:
            await store.surfaces.record_orphan(surface.id, delivered.message, delivered.revision, at)
        if delivered.notices and delivered.sure:
            await store.notices.record_delivered(delivered.notices, at, route=Route.HERE, place=surface.place.id)


def _shown_state(surface: Surface) -> tuple[str | None, int | None, int | None]:
    return surface.message, surface.shown_revision, surface.announced_turn
