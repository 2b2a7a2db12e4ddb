"""The outbox's worker: a queue for each chat, so that none waits for another; it survives a restart."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final

import structlog
from cachetools import FIFOCache

from bot.core.context import Context
from bot.core.due_worker import MAX_ROUNDS
from bot.core.features import load_post_kinds
from bot.interface.requests import Adapter
from bot.operations.outages import log_outage
from bot.outbox.delivering import FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS, PostDelivery
from bot.outbox.memory import Chat, DuePosts, Openings, UnconfirmedSends
from storage import DuePost, News, PlayersHere, Post, PostWithNotices, StorageError

MAX_SLEEP_SECONDS: Final = 60.0
"""Seconds between scans of the database for due posts, most of which memory knows."""
ORPHAN_SCAN_INTERVAL_SECONDS: Final = 20.0
"""The same with peer processes: one that died may have left posts without announcing them."""
SCAN_BATCH: Final = 1000
"""Number of posts read in one scan."""
CLAIM_RETRY_SECONDS: Final = 3.0
"""Maximum seconds before retrying a chat that a peer process serves."""
FIRST_SCAN_SECONDS: Final = 0.2
"""First delay of those retries; it doubles each time."""

log = structlog.get_logger(__name__)


class Delivery:
    """A worker with a queue for each chat."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._adapters: Mapping[str, Adapter] = context.adapters
        self._wanted = asyncio.Event()
        self._next_due_at = DuePosts()
        self._chats: dict[Chat, asyncio.Task[None]] = {}
        self._loop: asyncio.Task[None] | None = None
        self._look_at = 0.0
        self._looks_for_all = True
        self._started_at = context.clock()
        self._elsewhere: dict[Chat, tuple[float, int]] = {}
        self._doubts = UnconfirmedSends(context.store, context.clock)
        self._in_hand: FIFOCache[int, Post] = FIFOCache(SCAN_BATCH)
        """Posts as last written whose old messages are still to be retired."""
        self.openings = Openings()
        self.kinds = load_post_kinds(context)
        self._delivery = PostDelivery(context, self.kinds, self._next_due_at, self._doubts, self.openings)
        context.store.add_listener(self._on_change, {"due", "elsewhere"})

    def start(self) -> None:
        """Start; what an earlier process left undone is done first."""
        self._loop = asyncio.create_task(self._run(), name="delivery")
        self.wake()

    async def close(self, timeout_seconds: float = 5.0) -> None:
        """Stop; work in progress has `timeout_seconds` seconds to finish."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None
        running = list(self._chats.values())
        if running:
            _, late = await asyncio.wait(running, timeout=timeout_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def wake(self) -> None:
        """Scan the database for due posts soon."""
        self._looks_for_all, self._look_at = True, 0.0
        self._wanted.set()

    async def run_until_idle(self) -> None:
        """Deliver everything that is due now and return once all of it was tried, at most MAX_ROUNDS times."""
        for _ in range(MAX_ROUNDS):
            self.wake()
            begun = await self._dispatch()
            if not begun and not self._chats:
                return
            if self._chats:
                # Cancelling the caller must not cancel the deliveries: they would start again.
                await asyncio.wait(self._chats.values())
        log.error("job-does-not-rest", job="delivery")

    def _on_change(self, news: News) -> None:
        """Schedule posts that became due; if the news does not name them, scan the database."""
        kind, what = news
        if kind == "due":
            for due in what or ():
                if due.platform in self._adapters or not self._context.store.is_shared:
                    self._schedule(due)
            if what is None:
                self.wake()
        elif kind == "elsewhere" and what is None:
            self.wake()
        elif kind == "elsewhere" and what[0] == "due":
            self._on_peer_change(what[1])

    def _on_peer_change(self, queue: Sequence[Sequence[Any]] | None) -> None:
        """Schedule posts that a peer process announces, if they are in a chat that this process is serving.

        The peer delivers the rest, if it can; if it has died, a later scan finds them.
        """
        for each in queue or ():
            due, is_brought = DuePost.from_json(each), each[-1]
            ours = (due.platform, due.channel) in self._chats
            if ours or (not is_brought and due.platform in self._adapters):
                self._schedule(due)
        scan_at = asyncio.get_running_loop().time() + CLAIM_RETRY_SECONDS
        if scan_at < self._look_at:
            self._look_at = scan_at
            self._wanted.set()

    def _schedule(self, due: DuePost) -> None:
        if not self._next_due_at.put(due):
            # Memory is full: scan the database again once there is room.
            self._looks_for_all = True
        self._wanted.set()

    async def _run(self) -> None:
        while True:
            self._wanted.clear()
            try:
                await self._dispatch()
                pause = self._pause()
            except StorageError as error:
                log_outage(log, "delivery-waits-for-the-database", error)
                pause = FIRST_RETRY_SECONDS
            except Exception:
                # Catch everything: one unreadable row must not end the delivery of all others.
                log.exception("delivery-loop-failed")
                pause = FIRST_RETRY_SECONDS
            try:
                async with asyncio.timeout(pause):
                    await self._wanted.wait()
            except TimeoutError:
                continue

    def _pause(self) -> float:
        """Return the seconds until the next work, unless something becomes due before."""
        now, due = asyncio.get_running_loop().time(), self._next_due_at.next_due
        until = [self._look_at, *(until for until, _ in self._elsewhere.values() if until > now)]
        if due is not None:
            until.append(now + (due - self._context.clock()).total_seconds())
        return max(0.0, min(until) - now)

    async def _scan_database(self) -> None:
        """Scan the database for due posts."""
        now, store = self._context.clock(), self._context.store
        # Leave out platforms that only peers serve, or nobody now: their queue could fill the whole batch.
        mine = tuple(self._adapters) if store.is_shared else None
        everything, self._looks_for_all = self._looks_for_all, False
        pause, loop = ORPHAN_SCAN_INTERVAL_SECONDS if store.is_shared else MAX_SLEEP_SECONDS, asyncio.get_running_loop()
        self._look_at = loop.time() + pause
        try:
            found = await store.posts.list_due(now + timedelta(seconds=pause), SCAN_BATCH, mine)
        except BaseException:
            self._looks_for_all, self._look_at = everything, 0.0
            raise
        fresh = now - timedelta(seconds=CLAIM_RETRY_SECONDS)
        for due in found:
            if store.is_shared and not everything and fresh < due.due_at <= now:
                # The peer that made it due delivers it. If that peer has died, our next scan finds it.
                self._look_at = min(self._look_at, loop.time() + CLAIM_RETRY_SECONDS)
            else:
                # What another process made due, that process may have sent.
                first = due.post in self._next_due_at or (not store.is_shared and due.due_at >= self._started_at)
                if not self._next_due_at.put(replace(due, first=first)):
                    self._looks_for_all = True
        if len(found) == SCAN_BATCH:
            self._looks_for_all = True

    async def _dispatch(self) -> bool:
        """Start a queue for every chat that has due posts and none running; return True if any was started."""
        loop = asyncio.get_running_loop()
        self._retry_claims(loop.time())
        if loop.time() >= self._look_at or (self._looks_for_all and not self._next_due_at):
            await self._scan_database()
        busy = self._chats.keys() | {chat for chat, (until, _) in self._elsewhere.items() if until > loop.time()}
        queues = self._next_due_at.take(self._context.clock(), busy)
        queues |= {chat: [] for chat in self._doubts.chats if chat not in busy and chat not in queues}
        for chat, queue in queues.items():
            task = asyncio.create_task(self._serve_chat(chat, queue), name=f"delivery {chat[0]}")
            self._chats[chat] = task
            task.add_done_callback(partial(self._task_done, chat))
        return bool(queues)

    def _task_done(self, chat: Chat, _: asyncio.Task[None]) -> None:
        del self._chats[chat]
        if chat not in self._elsewhere:
            self._next_due_at.release(chat)
        self._wanted.set()

    def _retry_claims(self, now: float) -> None:
        """Retry chats that a peer process was serving long enough ago: it may have died."""
        for chat, (until, _) in list(self._elsewhere.items()):
            if until <= now:
                self._next_due_at.release(chat)
            if until + CLAIM_RETRY_SECONDS <= now:
                del self._elsewhere[chat]

    async def _serve_chat(self, chat: Chat, queue: list[DuePost]) -> None:
        """Serve a chat unless a peer process holds its lock."""
        store = self._context.store
        try:
            async with store.lock(f"chat {chat[0]} {chat[1]}", linger=True) as ours:
                if ours:
                    self._elsewhere.pop(chat, None)
                    await self._doubts.resolve(chat)
                    await self._serve(queue)
                else:
                    self._back_off_chat(chat)
        except StorageError:
            log.warning("delivery-without-chat-lock", platform=chat[0])
            self._back_off_chat(chat)
        finally:
            # What was not tried is still due.
            for due in queue:
                self._schedule(due)

    def _back_off_chat(self, chat: Chat) -> None:
        """Leave a chat to the process that serves it, with exponential back-off."""
        _, times = self._elsewhere.get(chat, (0.0, 0))
        pause = min(CLAIM_RETRY_SECONDS, FIRST_SCAN_SECONDS * 2**times)
        self._elsewhere[chat] = (asyncio.get_running_loop().time() + pause, min(times + 1, 10))

    async def _load_post(self, due: DuePost) -> PostWithNotices | None:
        """Return a post with its notices; the cached one if only its old messages are still to be retired."""
        known = self._in_hand.pop(due.post, None)
        if known is not None and known.is_current and due.revision is None and known.due_at == due.due_at:
            return PostWithNotices(known, (), {}, None, is_only_open=True, players_here=PlayersHere(0, None))
        return await self._context.store.posts.get_with_notices(due.post)

    async def _serve(self, queue: list[DuePost]) -> None:
        """Deliver the due posts of a chat; remove those that were tried from the list."""
        store, epoch = self._context.store, self._context.store.lock_epoch
        while queue and epoch == store.lock_epoch:  # after losing the lock, another process may serve this chat
            due = queue[0]
            try:
                found = await self._load_post(due)
                if found is None:
                    # Its game cannot be read: it is looked at again later.
                    later = self._context.clock() + timedelta(seconds=MAX_RETRY_SECONDS)
                    await store.posts.record_failure(due.post, later)
                due_at = found.post.due_at if found is not None else None
                if found is not None and found.post.place.channel != due.channel:
                    # Its chat has got another id meanwhile: the queue of that shows it.
                    due = replace(due, channel=found.post.place.channel)
                # It was scheduled before the previous queue of its chat had ended: it may be up to date by now.
                elif found is not None and due_at is not None and due_at <= self._context.clock():
                    due_at, in_hand = await self._delivery.deliver(found, tried=not due.first)
                    if in_hand is not None and due_at is not None and in_hand.stale_messages:
                        self._in_hand[due.post] = in_hand
            except StorageError as error:
                log_outage(log, "delivery-not-noted", error, post=due.post)
                due_at, due = self._context.clock(), replace(due, first=False)
                await asyncio.sleep(FIRST_RETRY_SECONDS)
            except Exception:
                log.exception("post-delivery-failed", post=due.post)
                due_at, due = self._context.clock() + timedelta(seconds=MAX_RETRY_SECONDS), replace(due, first=False)
                with suppress(StorageError):
                    await store.posts.record_failure(due.post, due_at)
            del queue[0]
            if due_at is not None:
                self._schedule(replace(due, due_at=due_at, revision=None))
