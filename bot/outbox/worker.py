"""The outbox's worker: a queue for each chat, so that none waits for another; it survives a restart."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

import structlog
from cachetools import FIFOCache

from bot.kernel.cards import Card, Menu
from bot.kernel.context import Context
from bot.kernel.features import load_post_kinds
from bot.kernel.operations.listening import describe_outage, log_outage
from bot.kernel.operations.metrics import DELIVERIES, DELIVERY_SECONDS
from bot.kernel.post_kinds import (
    MAX_ROUNDS,
    DueWorker,
    PostKind,
    PutOff,
    Rendering,
    Showing,
    back_off_seconds,
    removes_old_messages,
)
from bot.kernel.preferences import place_of
from bot.kernel.refusals import Refused
from bot.kernel.requests import Adapter, Place, RateLimited, TryLater, Undeliverable, UndeliverableReason
from bot.kernel.table import DECODE_ERRORS, report_broken_game
from bot.outbox.memory import Chat, DeliveredPost, DuePosts, Openings, UnconfirmedSends
from engine import EngineError
from storage import DuePost, News, PlayersHere, Post, PostWithNotices, ShownPost, StorageError

FIRST_RETRY_SECONDS: Final = 2.0
MAX_RETRY_SECONDS: Final = 600.0
PLATFORM_CALL_TIMEOUT_SECONDS: Final = 60.0
"""Maximum seconds for one call to a platform."""
RENDER_TIMEOUT_SECONDS: Final = 20.0
"""Seconds, out of those, to redraw a picture that was lost."""
CLOCK_TOLERANCE: Final = timedelta(minutes=1)
"""How far a platform's clock may be behind ours."""

log = structlog.get_logger(__name__)


def pause_after(attempts: int, asked: float | None = None) -> timedelta:
    """Return the back-off after some failures in a row, at least as long as the platform asked for."""
    pause = back_off_seconds(attempts, FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS)
    return timedelta(seconds=max(pause if asked is None else asked, 0.0))


def send_key(post: Post, rendering: Rendering) -> str:
    """Return a new message's idempotency key: sent again, it may not stand for one that mentioned others."""
    mentions = "".join(f"-{each.id}" for each in rendering.notices)
    return f"{post.id}-{rendering.announced}-{post.message or ''}{mentions}-{post.kind}:{post.subject}"


class _ClaimLost(Exception):
    """The connection that held the chat's lock is gone: another process may serve the chat by now."""


class Next(NamedTuple):
    """Time at which a post is due next, None if it is not; with the post as it is now, if known."""

    due_at: datetime | None
    in_hand: Post | None = None


class PostDelivery:
    """Brings posts up to date, each read once; `doubts` collects sends that may have ended after a lock was lost."""

    def __init__(
        self,
        context: Context,
        kinds: Mapping[str, PostKind],
        due: DuePosts,
        doubts: UnconfirmedSends,
        openings: Openings,
    ) -> None:
        self._context = context
        self._kinds = kinds
        self._due = due
        self._unconfirmed = doubts
        self._openings = openings

    async def deliver(self, found: PostWithNotices, *, tried: bool) -> Next:
        """Bring one post up to date, or store when to retry; return what is due there next.

        `tried`: a message may have been sent before, by a process that died or by a call whose answer was lost.
        """
        store, now, post = self._context.store, self._context.clock(), found.post
        platform, ended = post.place.platform, "shown"
        due_at: datetime | None = None
        in_hand: Post | None = None
        adapter, kind, begun = self._context.adapters.get(platform), self._kinds.get(post.kind), self._openings.now()
        try:
            if adapter is None or kind is None:
                raise TryLater(MAX_RETRY_SECONDS)
            async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                shown = await self._show(adapter, kind, found, tried=tried or post.attempts > 0)
                due_at = shown.due_at
                if due_at is None or due_at <= self._context.clock():
                    shown = await self._retire_in_time(adapter, shown)
                    due_at = shown.due_at
                # If it is due at once, others have changed it: it is read again.
                in_hand = shown if due_at is not None and due_at > self._context.clock() else None
            if post.due_at is not None:
                DELIVERY_SECONDS.labels(platform).observe(
                    max(0.0, (self._context.clock() - post.due_at).total_seconds())
                )
        except Undeliverable as error:
            ended, due_at = await self.record_undeliverable(kind, post, error, begun)
        except (TryLater, TimeoutError) as error:
            ended = "later"
            pause = pause_after(post.attempts, error.seconds if isinstance(error, TryLater) else None)
            log.info("delivery-later", **_names(post), seconds=pause.total_seconds())
            due_at = await self._record_failure(post, now + pause)
            if kind is not None and isinstance(error, RateLimited):
                await kind.on_rate_limit(post, due_at)
        except PutOff as later:
            ended, due_at = "put-off", later.until
            await store.posts.put_off(post.id, later.until)
        except (Refused, EngineError) as error:
            ended = "broken"
            report_broken_game(log, error, **_names(post))
            due_at = await self._record_failure(post, now + pause_after(post.attempts, MAX_RETRY_SECONDS))
        except StorageError:
            ended = "not-noted"
            raise
        except _ClaimLost:
            ended, due_at = "elsewhere", now
        except Exception:
            ended = "failed"
            log.exception("delivery-failed", **_names(post))
            due_at = await self._record_failure(post, now + pause_after(post.attempts))
        finally:
            (DELIVERIES if kind is None else kind.deliveries).labels(platform, ended).inc()
        return Next(due_at, in_hand)

    async def record_undeliverable(
        self, kind: PostKind | None, post: Post, error: Undeliverable, begun: float
    ) -> tuple[str, datetime | None]:
        """Store that a post cannot be shown in its place, at present or any more; return that, and when it is due."""
        store = self._context.store
        log.warning("post-undeliverable", **_names(post), reason=error.reason)
        waits = error.reason == "forbidden" and (kind is None or kind.waits)
        if waits and self._openings.since(begun, post.place):
            # It was allowed again while the refusal was on its way.
            return "later", await self._record_failure(post, self._context.clock() + pause_after(post.attempts))
        async with store.transaction():
            await (store.posts.block if waits else store.posts.close)(post.id)
            if kind is not None:
                await kind.on_undeliverable(post, error)
        return ("waiting" if waits else "undeliverable"), None

    async def _record_failure(self, post: Post, next_try: datetime) -> datetime:
        """Store when to retry, and return that time."""
        await self._context.store.posts.record_failure(post.id, next_try)
        return next_try

    async def _show(self, adapter: Adapter, kind: PostKind, found: PostWithNotices, *, tried: bool) -> Post:
        """Show what is new: in a new message if there is something to announce, otherwise by an edit."""
        if found.post.is_current:
            return await self._finish_post(found.post)
        epoch = self._context.store.lock_epoch
        showing = Showing(self._context, adapter, found, self._retire)
        rendering = await kind.render(showing)
        post, place = showing.post, showing.place
        if post.gone or post.waiting:
            return replace(post, due_at=None)
        if rendering is None:
            return await self._end(adapter, post)
        if epoch != self._context.store.lock_epoch:
            raise _ClaimLost
        message = post.message
        state = message is not None and post.announced is not None
        if not (state and (rendering.lasting or (post.announced == rendering.announced and not rendering.notices))):
            message = None
        elif rendering.content is None or rendering.content != post.content:
            message = await self._edit(adapter, place, post, rendering, epoch)
            if message is None and (rendering.once or rendering.last):
                return await self._close(post)
        is_new = message is None
        if message is None:
            card = rendering.card
            message = await self._find_sent(adapter, place, post, card) if tried else None
            message = message or await adapter.send(place, card, send_key(post, rendering))
        delivered = _delivered(post, message, rendering)
        if self._confirm_later(epoch, delivered):
            return post
        later = self._context.clock() + timedelta(
            seconds=adapter.seconds_to_retire(place, remove=removes_old_messages(post))
        )
        try:
            noted = await self._unconfirmed.record(delivered, later)
        except StorageError:
            # It is there: as soon as the database is back that is written down, before anything is sent again.
            self._unconfirmed.add(delivered)
            raise
        if rendering.last:
            await self._context.store.posts.finish(post.id)
        self._due.forget_shown(post.id, rendering.revision)
        if is_new:
            await kind.on_shown(post)
        if rendering.after is not None:
            await rendering.after()
        return noted if noted is not None and not rendering.last else replace(post, due_at=None)

    async def _end(self, adapter: Adapter, post: Post) -> Post:
        """End a post that shows nothing any more; its messages lose their buttons."""
        if post.message is not None:
            stale_messages = {**post.stale_messages, post.message: post.shown_revision}
            _, waits = await self._retire(adapter, replace(post, stale_messages=stale_messages))
            if waits is not None:
                raise waits
        return await self._close(post)

    async def _close(self, post: Post) -> Post:
        await self._context.store.posts.close(post.id)
        return replace(post, stale_messages={}, due_at=None)

    async def _edit(self, adapter: Adapter, place: Place, post: Post, rendering: Rendering, epoch: int) -> str | None:
        """Edit the message of a post and return its id, None if it is gone."""
        message, card = post.message or "", rendering.edited or rendering.card
        try:
            await (adapter.edit if rendering.urgent else adapter.edit_low_priority)(place, message, card)
        except BaseException as error:
            if not isinstance(error, Undeliverable):
                # It may still take effect, perhaps over what another process shows there by then.
                self._confirm_later(epoch, replace(_delivered(post, message, rendering), sure=False))
                raise
            if error.reason != "message-gone":
                raise
            return None
        return message

    async def _find_sent(self, adapter: Adapter, place: Place, post: Post, card: Card) -> str | None:
        """Return a message that was sent with this card and not recorded, where the chat's history tells."""
        press = next((each.press for row in card.rows if not isinstance(row, Menu) for each in row), None)
        if press is None:
            return None
        since = (post.shown_at or post.made_at) - CLOCK_TOLERANCE
        found = await adapter.find_sent(place, press, since)
        return None if found == post.message or found in post.stale_messages else found

    async def _finish_post(self, post: Post) -> Post:
        """Return a post that is up to date; with no old messages to retire, nothing is due there."""
        if post.stale_messages or post.message is None or post.announced is None:
            return post
        shown = ShownPost(post.message, post.revision, post.announced, post.content)
        return await self._context.store.posts.record_shown(post, shown, self._context.clock()) or replace(
            post, due_at=None
        )

    def _confirm_later(self, epoch: int, delivered: DeliveredPost) -> bool:
        """If the chat's lock was lost during a send, keep the send to be settled under a new lock; return True then."""
        if epoch == self._context.store.lock_epoch:
            return False
        self._unconfirmed.add(delivered)
        return True

    # Old messages.

    async def _retire_in_time(self, adapter: Adapter, post: Post) -> Post:
        """Retire old messages, now or when the platform allows it: the new one is there, so no one waits for this.

        Returns the post as it is then; `due_at` is when it is due next.
        """
        post, waits = await self._retire(adapter, post)
        if waits is None:
            return post
        if waits.seconds is None:
            raise waits
        now = self._context.clock()
        at = now + timedelta(seconds=waits.seconds)
        return replace(post, due_at=at if await self._context.store.posts.schedule_retirement(post, at) else now)

    async def _retire(self, adapter: Adapter, post: Post) -> tuple[Post, TryLater | None]:
        """Retire old messages; return the updated post, and the error that makes the remaining ones wait, if any.

        Undeliverable where nothing may be written at present.
        """
        place = place_of(post.place, self._context.place_language(post.place))
        retired, waits = list[str](), None
        for message in post.stale_messages:
            try:
                await self._retire_message(adapter, place, post, message)
            except Undeliverable as error:
                if error.reason == "forbidden" and not post.place.guest:
                    raise
                if error.reason == "picture-lost":
                    await self._redraw(adapter, place, post, message)
                elif error.reason != "message-gone":
                    log.info("post-not-retired", **_names(post), reason=error.reason)
            except TryLater as error:
                waits = error
                break
            retired.append(message)
        if retired:
            noted = await self._context.store.posts.record_retired(post, retired, self._context.clock())
            post = noted or replace(post, due_at=None)
        return post, waits

    async def _retire_message(self, adapter: Adapter, place: Place, post: Post, message: str) -> None:
        """Take the buttons off an old message, or delete it; some say from now on how it has ended."""
        removes, kind, card = removes_old_messages(post), self._kinds.get(post.kind), None
        if kind is not None and not removes:
            try:
                card = await kind.retired_card(post, post.stale_messages[message])
            except (Refused, EngineError) as error:
                log.info("retired-card-left-out", **_names(post), reason=describe_outage(error))
        if card is None:
            await adapter.retire(place, message, remove=removes)
        else:
            await adapter.edit_low_priority(place, message, card)

    async def _redraw(self, adapter: Adapter, place: Place, post: Post, message: str) -> None:
        """Redraw an old message's lost picture; log one that cannot be drawn."""
        revision, picture, reason = post.stale_messages.get(message), None, "cannot-be-drawn"
        kind = self._kinds.get(post.kind)
        try:
            if revision is not None and kind is not None:
                async with asyncio.timeout(RENDER_TIMEOUT_SECONDS):
                    picture = await kind.redraw(post, revision)
                if picture is not None:
                    await adapter.redraw(place, message, picture)
                    log.info("picture-drawn-again", **_names(post), revision=revision)
                    return
        except (Refused, Undeliverable, TimeoutError, *DECODE_ERRORS) as error:
            # No old picture is worth delaying the posts behind it.
            reason = describe_outage(error)
        log.warning("picture-lost", **_names(post), revision=revision, reason=reason)


def _delivered(post: Post, message: str, rendering: Rendering) -> DeliveredPost:
    shown = ShownPost(message, rendering.revision, rendering.announced, rendering.content)
    return DeliveredPost(post, shown, rendering.notices)


def _names(post: Post) -> dict[str, str | int]:
    """Return what tells a post in the log."""
    own = {"game": post.game} if post.game is not None else {"kind": post.kind, "subject": post.subject}
    return {**own, "post": post.id}


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


class Delivery(DueWorker):
    """A worker with a queue for each chat."""

    failure_pause_seconds = FIRST_RETRY_SECONDS
    min_pause_seconds = 0.0

    def __init__(self, context: Context) -> None:
        super().__init__(context, asyncio.Event(), "delivery")
        self._adapters: Mapping[str, Adapter] = context.adapters
        self._due_posts = DuePosts()
        self._chats: dict[Chat, asyncio.Task[None]] = {}
        self._next_scan_at = 0.0
        self._needs_full_scan = True
        self._started_at = context.clock()
        self._backoff_until: dict[Chat, tuple[float, int]] = {}
        self._unconfirmed = UnconfirmedSends(context.store, context.clock)
        self._to_retire: FIFOCache[int, Post] = FIFOCache(SCAN_BATCH)
        """Posts as last written whose old messages are still to be retired."""
        self.openings = Openings()
        self.kinds = load_post_kinds(context)
        self._delivery = PostDelivery(context, self.kinds, self._due_posts, self._unconfirmed, self.openings)
        context.store.add_listener(self._on_change, {"due", "elsewhere"})

    def start(self) -> None:
        """Start; what an earlier process left undone is done first."""
        super().start()
        self.wake()

    async def close(self, timeout_seconds: float = 5.0) -> None:
        """Stop; work in progress has `timeout_seconds` seconds to finish."""
        await super().close()
        running = list(self._chats.values())
        if running:
            _, late = await asyncio.wait(running, timeout=timeout_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def wake(self) -> None:
        """Scan the database for due posts soon."""
        self._needs_full_scan, self._next_scan_at = True, 0.0
        self._wanted.set()

    async def run_until_idle(self) -> None:
        """Deliver everything that is due now and return once all of it was tried, at most MAX_ROUNDS times."""
        for _ in range(MAX_ROUNDS):
            self.wake()
            begun = await self._run_due()
            if not begun and not self._chats:
                return
            if self._chats:
                # Cancelling the caller must not cancel the deliveries: they would start again.
                await asyncio.wait(self._chats.values())
        log.error("job-does-not-rest", job="delivery")

    async def close_places(self, reason: UndeliverableReason, platform: str, **there: str) -> int:
        """Have posts end, or wait, since nothing can be shown in some places any more; return their number."""
        begun, posts, number = self.openings.now(), self._context.store.posts, 0
        for each in await posts.list_changing(platform, **there):
            post = await posts.get(each)
            kind = None if post is None else self.kinds.get(post.kind)
            # What would not wait goes elsewhere once it is refused.
            if post is None or kind is None or (reason == "forbidden" and (post.waiting or not kind.waits)):
                continue
            await self._delivery.record_undeliverable(kind, post, Undeliverable(reason), begun)
            number += 1
        self.wake()
        return number

    async def delete_ended(self, retention: timedelta) -> None:
        """Delete the posts that ended and are not to be kept, once they are old enough."""
        kinds = [name for name, kind in self.kinds.items() if not kind.is_kept]
        await self._context.store.posts.delete_ended(kinds, self._context.clock() - retention)

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
        if scan_at < self._next_scan_at:
            self._next_scan_at = scan_at
            self._wanted.set()

    def _schedule(self, due: DuePost) -> None:
        if not self._due_posts.put(due):
            # Memory is full: scan the database again once there is room.
            self._needs_full_scan = True
        self._wanted.set()

    async def _next_due_at(self) -> datetime:
        now, due = asyncio.get_running_loop().time(), self._due_posts.next_due
        until = [self._next_scan_at, *(until for until, _ in self._backoff_until.values() if until > now)]
        look_at = self._context.clock() + timedelta(seconds=min(until) - now)
        return look_at if due is None else min(look_at, due)

    async def _scan_database(self) -> None:
        """Scan the database for due posts."""
        now, store = self._context.clock(), self._context.store
        # Leave out platforms that only peers serve, or no one now: their queue could fill the whole batch.
        mine = tuple(self._adapters) if store.is_shared else None
        everything, self._needs_full_scan = self._needs_full_scan, False
        pause, loop = ORPHAN_SCAN_INTERVAL_SECONDS if store.is_shared else MAX_SLEEP_SECONDS, asyncio.get_running_loop()
        self._next_scan_at = loop.time() + pause
        try:
            found = await store.posts.list_due(now + timedelta(seconds=pause), SCAN_BATCH, mine)
        except BaseException:
            self._needs_full_scan, self._next_scan_at = everything, 0.0
            raise
        fresh = now - timedelta(seconds=CLAIM_RETRY_SECONDS)
        for due in found:
            if store.is_shared and not everything and fresh < due.due_at <= now:
                # The peer that made it due delivers it. If that peer has died, our next scan finds it.
                self._next_scan_at = min(self._next_scan_at, loop.time() + CLAIM_RETRY_SECONDS)
            else:
                # What another process made due, that process may have sent.
                first = due.post in self._due_posts or (not store.is_shared and due.due_at >= self._started_at)
                if not self._due_posts.put(replace(due, first=first)):
                    self._needs_full_scan = True
        if len(found) == SCAN_BATCH:
            self._needs_full_scan = True

    async def _run_due(self) -> bool:
        """Start a queue for every chat that has due posts and none running; return True if any was started."""
        loop = asyncio.get_running_loop()
        self._retry_claims(loop.time())
        if loop.time() >= self._next_scan_at or (self._needs_full_scan and not self._due_posts):
            await self._scan_database()
        busy = self._chats.keys() | {chat for chat, (until, _) in self._backoff_until.items() if until > loop.time()}
        queues = self._due_posts.take(self._context.clock(), busy)
        queues |= {chat: [] for chat in self._unconfirmed.chats if chat not in busy and chat not in queues}
        for chat, queue in queues.items():
            task = asyncio.create_task(self._serve_chat(chat, queue), name=f"delivery {chat[0]}")
            self._chats[chat] = task
            task.add_done_callback(partial(self._task_done, chat))
        return bool(queues)

    def _task_done(self, chat: Chat, _: asyncio.Task[None]) -> None:
        del self._chats[chat]
        if chat not in self._backoff_until:
            self._due_posts.release(chat)
        self._wanted.set()

    def _retry_claims(self, now: float) -> None:
        """Retry chats that a peer process was serving long enough ago: it may have died."""
        for chat, (until, _) in list(self._backoff_until.items()):
            if until <= now:
                self._due_posts.release(chat)
            if until + CLAIM_RETRY_SECONDS <= now:
                del self._backoff_until[chat]

    async def _serve_chat(self, chat: Chat, queue: list[DuePost]) -> None:
        """Serve a chat unless a peer process holds its lock."""
        store = self._context.store
        try:
            async with store.lock(f"chat {chat[0]} {chat[1]}", linger=True) as ours:
                if ours:
                    self._backoff_until.pop(chat, None)
                    await self._unconfirmed.resolve(chat)
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
        _, times = self._backoff_until.get(chat, (0.0, 0))
        pause = back_off_seconds(times, FIRST_SCAN_SECONDS, CLAIM_RETRY_SECONDS)
        self._backoff_until[chat] = (asyncio.get_running_loop().time() + pause, times + 1)

    async def _load_post(self, due: DuePost) -> PostWithNotices | None:
        """Return a post with its notices; the cached one if only its old messages are still to be retired."""
        known = self._to_retire.pop(due.post, None)
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
                        self._to_retire[due.post] = in_hand
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
