"""What the outbox remembers between transactions: due posts, sends that finished after a lock was lost, openings.

The database is the truth. Memory receives everything that becomes due. An entry too many costs one read of a post; a
missing one is found by the next scan of the database.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic
from typing import Final

import structlog
from cachetools import FIFOCache

from storage import DuePost, Notice, PlaceRow, Post, ShownPost, Store

MAX_KEPT: Final = 10_000
"""Maximum number of posts in memory; beyond that, the database is scanned again when these are done."""

MAX_STALE: Final = 100
"""Number of outdated heap entries tolerated beside the valid ones."""

Chat = tuple[str, str]
"""A platform, and the id of a channel there."""


class DuePosts:
    """The due posts, ordered by time; those in busy chats are held back."""

    def __init__(self) -> None:
        self._known: dict[int, DuePost] = {}
        self._times: list[tuple[datetime, int]] = []
        self._held: defaultdict[Chat, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, post: int) -> bool:
        return post in self._known

    def put(self, due: DuePost) -> bool:
        """Add a due post; return False if there is no room."""
        known = self._known.get(due.post)
        if known is None and len(self._known) >= MAX_KEPT:
            return False
        if known is not None and (known.revision is None or due.revision is None):
            # It is due for more than a new revision: showing that revision does not settle it.
            due = replace(due, revision=None)
        if known is not None and not known.first:
            due = replace(due, first=False)
        self._known[due.post] = due
        heapq.heappush(self._times, (due.due_at, due.post))
        if len(self._times) > 2 * len(self._known) + MAX_STALE:
            self._times = [(each.due_at, each.post) for each in self._known.values()]
            heapq.heapify(self._times)
        return True

    def forget_shown(self, post: int, revision: int) -> None:
        """Drop a post that was due only because of a revision up to this one."""
        known = self._known.get(post)
        if known is not None and known.revision is not None and known.revision <= revision:
            del self._known[post]

    def take(self, now: datetime, busy: Container[Chat]) -> dict[Chat, list[DuePost]]:
        """Remove and return what is due now, longest due first; hold back what is in busy chats."""
        found: defaultdict[Chat, list[DuePost]] = defaultdict(list)
        while (due := self._first_valid()) is not None and due.due_at <= now:
            heapq.heappop(self._times)
            chat = (due.platform, due.channel)
            if chat in busy:
                self._held[chat].add(due.post)
            else:
                del self._known[due.post]
                found[chat].append(due)
        return found

    def release(self, chat: Chat) -> None:
        """Release what was held back in a chat."""
        for post in self._held.pop(chat, ()):
            if post in self._known:
                heapq.heappush(self._times, (self._known[post].due_at, post))

    @property
    def next_due(self) -> datetime | None:
        """Time at which the first post not held back is due; None if none is known."""
        due = self._first_valid()
        return due.due_at if due is not None else None

    def _first_valid(self) -> DuePost | None:
        while self._times:
            due_at, post = self._times[0]
            known = self._known.get(post)
            if known is not None and known.due_at == due_at:
                return known
            heapq.heappop(self._times)
        return None


MAX_UNCONFIRMED_SENDS: Final = 1000
"""Maximum number of unconfirmed sends; an outage with more posts in flight is beyond repair here."""


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class DeliveredPost:
    """Something sent to a message: `before` is the post as it was read, `shown` what the message shows now.

    `notices` are those whose people the message mentions. `sure`: False if we do not know whether the message shows it.
    """

    before: Post
    shown: ShownPost
    notices: tuple[Notice, ...] = ()
    sure: bool = True

    @property
    def chat(self) -> Chat:
        """The chat of the message."""
        return self.before.place.platform, self.before.place.channel


class UnconfirmedSends:
    """Sends not written down: the chat's lock or the database was lost meanwhile. They are settled under a new lock."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._left: dict[Chat, list[DeliveredPost]] = defaultdict(list)

    @property
    def chats(self) -> Iterable[Chat]:
        """The chats with something to settle."""
        return list(self._left)

    async def record(self, delivered: DeliveredPost, later: datetime | None = None) -> Post | None:
        """Record what a message shows and whom it has notified; return the post, None if it is gone.

        Old messages are retired `later`.
        """
        return await self._store.posts.record_shown(
            delivered.before, delivered.shown, self._clock(), later=later, notices=delivered.notices
        )

    def add(self, delivered: DeliveredPost) -> None:
        """Queue a send to be settled once its chat is locked again and the database is there."""
        before = delivered.before
        log.warning("claim-lost", platform=before.place.platform, subject=before.subject, post=before.id)
        if sum(map(len, self._left.values())) < MAX_UNCONFIRMED_SENDS:
            self._left[delivered.chat].append(delivered)

    async def resolve(self, chat: Chat) -> None:
        """Settle the sends of a chat. The caller must hold its lock, so that no one shows anything there meanwhile."""
        while left := self._left.get(chat):
            await self._settle(left[0])
            left.pop(0)
        self._left.pop(chat, None)

    async def _settle(self, delivered: DeliveredPost) -> None:
        store, post, shown, at = self._store, delivered.before, delivered.shown, self._clock()
        now = await store.posts.get(post.id)
        if now is None or now.gone:
            return
        if _shown_state(now) == _shown_state(post):
            # Nothing was shown since.
            if delivered.sure:
                await self.record(delivered)
            return
        if (now.message, now.shown_revision) != (shown.message, shown.revision):
            await store.posts.record_late(post.id, shown.message, shown.revision, at)
        if delivered.notices and delivered.sure:
            await store.notices.record_delivered(delivered.notices, at, place=post.place.id)


def _shown_state(post: Post) -> tuple[str | None, int | None, int | None]:
    return post.message, post.shown_revision, post.announced


class Openings:
    """When places were opened again, so that a refusal that was on its way meanwhile does not close them."""

    def __init__(self) -> None:
        self._opened: FIFOCache[tuple[str, str | None], float] = FIFOCache(MAX_KEPT)

    @staticmethod
    def now() -> float:
        """Return the time by which openings are compared."""
        return monotonic()

    def note(self, platform: str, group: str | None) -> None:
        """Note that a group is open again, or a whole platform (None)."""
        self._opened[platform, group] = monotonic()

    def since(self, begun: float, place: PlaceRow) -> bool:
        """Return whether a place was opened after a time."""
        keys = [(place.platform, each) for each in (None, place.group, place.channel)]
        return any(self._opened.get(key, -1.0) >= begun for key in keys)
