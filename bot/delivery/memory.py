"""In-memory state of delivery between transactions: due boards, and sends that finished after a lock was lost.

The database is the truth. Memory receives everything that becomes due. An entry too many costs one read of a surface; a
missing one is found by the next scan of the database.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import structlog

from bot.core.notice_routes import Route
from storage import DueBoard, Notice, Store, Surface

MAX_KEPT: Final = 10_000
"""Maximum number of surfaces in memory; beyond that, the database is scanned again when these are done."""

MAX_STALE: Final = 100
"""Number of outdated heap entries tolerated beside the valid ones."""

Chat = tuple[str, str]
"""A platform, and the id of a channel there."""


class DueBoards:
    """The due surfaces, ordered by time; those in busy chats are held back."""

    def __init__(self) -> None:
        self._known: dict[int, DueBoard] = {}
        self._times: list[tuple[datetime, int]] = []
        self._held: defaultdict[Chat, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._known)

    def put(self, board: DueBoard) -> bool:
        """Add a due surface; return False if there is no room."""
        known = self._known.get(board.surface)
        if known is None and len(self._known) >= MAX_KEPT:
            return False
        if known is not None and (known.revision is None or board.revision is None):
            # It is due for more than a new revision: showing that revision does not settle it.
            board = replace(board, revision=None)
        self._known[board.surface] = board
        heapq.heappush(self._times, (board.due_at, board.surface))
        if len(self._times) > 2 * len(self._known) + MAX_STALE:
            self._times = [(each.due_at, each.surface) for each in self._known.values()]
            heapq.heapify(self._times)
        return True

    def forget_shown(self, surface: int, revision: int) -> None:
        """Drop a surface that was due only because of a revision up to this one."""
        known = self._known.get(surface)
        if known is not None and known.revision is not None and known.revision <= revision:
            del self._known[surface]

    def take(self, now: datetime, busy: Container[Chat]) -> dict[Chat, list[DueBoard]]:
        """Remove and return what is due now, longest due first; hold back what is in busy chats."""
        found: defaultdict[Chat, list[DueBoard]] = defaultdict(list)
        while (board := self._first_valid()) is not None and board.due_at <= now:
            heapq.heappop(self._times)
            chat = (board.platform, board.channel)
            if chat in busy:
                self._held[chat].add(board.surface)
            else:
                del self._known[board.surface]
                found[chat].append(board)
        return found

    def release(self, chat: Chat) -> None:
        """Release what was held back in a chat."""
        for surface in self._held.pop(chat, ()):
            if surface in self._known:
                heapq.heappush(self._times, (self._known[surface].due_at, surface))

    @property
    def next_due(self) -> datetime | None:
        """Time at which the first surface not held back is due; None if none is known."""
        board = self._first_valid()
        return board.due_at if board is not None else None

    def _first_valid(self) -> DueBoard | None:
        while self._times:
            due_at, surface = self._times[0]
            known = self._known.get(surface)
            if known is not None and known.due_at == due_at:
                return known
            heapq.heappop(self._times)
        return None


MAX_UNCONFIRMED_SENDS: Final = 1000
"""Maximum number of unconfirmed sends; an outage with more boards in flight is beyond repair here."""


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DeliveredRevision:
    """A revision sent to a message: `before` is the surface as it was read, `turn` what the message announces.

    `notices` are those whose people the message mentions. `sure`: False if we do not know whether the message shows it.
    """

    before: Surface
    message: str
    revision: int
    turn: int
    notices: tuple[Notice, ...] = ()
    sure: bool = True


async def record_delivery(
    store: Store, delivered: DeliveredRevision, at: datetime, later: datetime | None = None
) -> Surface | None:
    """Record what a message shows and whom it has notified; return the surface, None if it is gone.

    Old messages are retired `later`.
    """
    return await store.surfaces.record_shown(
        delivered.before,
        revision=delivered.revision,
        message=delivered.message,
        turn=delivered.turn,
        at=at,
        later=later,
        notices=delivered.notices,
        route=Route.HERE,
    )


class UnconfirmedSends:
    """Sends that may have finished after their chat's lock was lost, until they are settled under a new lock."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._left: dict[Chat, list[DeliveredRevision]] = defaultdict(list)

    @property
    def chats(self) -> Iterable[Chat]:
        """The chats with something to settle."""
        return list(self._left)

    def add(self, chat: Chat, delivered: DeliveredRevision) -> None:
        """Queue a send to be settled once its chat is locked again."""
        log.warning("claim-lost", platform=chat[0], game=delivered.before.game, surface=delivered.before.id)
        if sum(map(len, self._left.values())) < MAX_UNCONFIRMED_SENDS:
            self._left[chat].append(delivered)

    async def resolve(self, chat: Chat) -> None:
        """Settle the sends of a chat. The caller must hold its lock, so that nobody shows anything there meanwhile."""
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
            # Nothing was shown since.
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
