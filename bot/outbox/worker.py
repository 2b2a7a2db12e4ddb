"""The outbox's worker: one queue per chat, so that chats do not wait for each other; due posts survive a restart.

The database is authoritative; memory holds a copy of what is due. A superfluous entry costs one read of a post; a
missing one is found by the next scan of the database.
"""

import asyncio
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any, Final

import structlog
from cachetools import FIFOCache

from bot.kernel.cards import row_buttons
from bot.kernel.context import Context
from bot.kernel.features import load_post_kinds
from bot.kernel.operations.listening import describe_outage, log_outage
from bot.kernel.operations.metrics import DELIVERIES, DELIVERY_SECONDS
from bot.kernel.operations.tasks import cancel_tasks
from bot.kernel.post_kinds import (
    MAX_ROUNDS,
    MAX_SLEEP_SECONDS,
    DueWorker,
    PostKind,
    PutOff,
    Rendering,
    Showing,
    back_off_seconds,
)
from bot.kernel.preferences import place_of
from bot.kernel.refusals import Refused
from bot.kernel.requests import Adapter, Place, RateLimited, TryLater, Undeliverable, UndeliverableReason
from bot.kernel.table import DECODE_ERRORS, report_broken_game
from engine import EngineError
from storage import MISSED_NEWS, DuePost, News, Notice, Post, PostWithNotices, ShownPost, StorageError

FIRST_RETRY_SECONDS: Final = 2.0
MAX_RETRY_SECONDS: Final = 600.0
PLATFORM_CALL_TIMEOUT_SECONDS: Final = 60.0
"""Maximum seconds for one call to a platform."""
RENDER_TIMEOUT_SECONDS: Final = 20.0
"""Maximum seconds of a platform call for redrawing a lost picture."""
CLOCK_TOLERANCE: Final = timedelta(minutes=1)
"""How far a platform's clock may be behind ours."""
ORPHAN_SCAN_INTERVAL_SECONDS: Final = 20.0
"""Seconds between scans if there are peer processes: one that died may have left due posts unannounced."""
SCAN_BATCH: Final = 1000
"""Number of posts read in one scan."""
CLAIM_RETRY_SECONDS: Final = 3.0
"""Maximum seconds before retrying a chat that a peer process serves."""
FIRST_SCAN_SECONDS: Final = 0.2
"""Delay before the first of those retries; it doubles each time."""
MAX_KEPT: Final = 10_000
"""Maximum number of due posts in memory; if there are more, the database is scanned again once these are delivered."""
MAX_UNCONFIRMED_SENDS: Final = 1000
"""Maximum number of unconfirmed sends; more are forgotten."""

Chat = tuple[str, str]
"""A platform, and the id of a channel on it."""

log = structlog.get_logger(__name__)


def pause_after(attempts: int, asked: float | None = None) -> timedelta:
    """Return the pause that the platform asked for; otherwise the back-off after some failures in a row."""
    pause = back_off_seconds(attempts, FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS)
    return timedelta(seconds=max(pause if asked is None else asked, 0.0))


class DuePosts(dict[int, DuePost]):
    """The posts known to be due, now or later, by id; `is_incomplete`: True if the database may have more of them."""

    is_incomplete = True

    def put(self, due: DuePost) -> None:
        """Add a due post if there is room."""
        known = self.get(due.post)
        if known is None and len(self) >= MAX_KEPT:
            self.is_incomplete = True
        else:
            self[due.post] = due if known is None else replace(due, first=due.first and known.first)

    def take(self, now: datetime, busy: Container[Chat]) -> dict[Chat, list[DuePost]]:
        """Remove and return the posts due now, longest due first; posts in busy chats stay."""
        found: defaultdict[Chat, list[DuePost]] = defaultdict(list)
        ready = [due for due in self.values() if due.due_at <= now and due.chat not in busy]
        for due in sorted(ready, key=lambda due: (due.due_at, due.post)):
            found[due.chat].append(self.pop(due.post))
        return found

    def next_due(self, busy: Container[Chat]) -> datetime | None:
        """Return when the first post outside of busy chats is due, None if none is known."""
        return min((due.due_at for due in self.values() if due.chat not in busy), default=None)


class _ClaimLost(Exception):
    """The connection that held the chat's lock is lost: another process may serve the chat by now."""


def _names(post: Post) -> dict[str, str | int]:
    """Return the fields that identify a post in the log."""
    own = {"game": post.game} if post.game is not None else {"kind": post.kind, "subject": post.subject}
    return {**own, "post": post.id}


class Delivery(DueWorker):
    """A worker with one queue per chat; each post is read once per delivery."""

    failure_pause_seconds = FIRST_RETRY_SECONDS
    min_pause_seconds = 0.0

    def __init__(self, context: Context) -> None:
        super().__init__(context, asyncio.Event(), "delivery")
        self._adapters: Mapping[str, Adapter] = context.adapters
        self._due_posts = DuePosts()
        self._chats: dict[Chat, asyncio.Task[None]] = {}
        self._next_scan_at = 0.0
        self._started_at = context.clock()
        self._backoff_until: dict[Chat, tuple[float, int]] = {}
        self._unconfirmed: dict[Chat, list[tuple[Post, ShownPost, Sequence[Notice], bool]]] = defaultdict(list)
        """Sends that could not be recorded because the chat's lock or the database was lost: what `_settle` takes."""
        self._opened: FIFOCache[tuple[str, str | None], float] = FIFOCache(MAX_KEPT)
        """When groups and whole platforms (None) were reopened: an earlier refusal does not close them."""
        self.kinds = load_post_kinds(context)
        context.store.add_listener(self._on_change, {"due"})

    def start(self) -> None:
        """Start; posts that an earlier process left due are delivered first."""
        super().start()
        self.wake()

    async def close(self, timeout_seconds: float = 5.0) -> None:
        """Stop; work in progress has `timeout_seconds` seconds to finish."""
        await super().close()
        running = list(self._chats.values())
        if running:
            _, late = await asyncio.wait(running, timeout=timeout_seconds)
            await cancel_tasks(*late)

    def wake(self) -> None:
        """Scan the database for due posts soon."""
        self._due_posts.is_incomplete, self._next_scan_at = True, 0.0
        self._wanted.set()

    async def run_until_idle(self) -> None:
        """Deliver everything that is due now; return after each post was tried, after at most MAX_ROUNDS rounds."""
        for _ in range(MAX_ROUNDS):
            self.wake()
            begun = await self._run_due()
            if not begun and not self._chats:
                return
            if self._chats:
                # Cancelling the caller must not cancel the deliveries: they would start again.
                await asyncio.wait(self._chats.values())
        log.error("job-does-not-rest", job="delivery")

    def note_reopened(self, platform: str, group: str | None) -> None:
        """Record that a group is open again, or a whole platform (None)."""
        self._opened[platform, group] = monotonic()

    async def close_places(self, reason: UndeliverableReason, platform: str, **there: str) -> int:
        """End or suspend the posts of places where nothing can be shown any more; return their number."""
        begun, number = monotonic(), 0
        for each in await self._store.posts.list_changing(platform, **there):
            post = await self._store.posts.get(each)
            kind = None if post is None else self.kinds.get(post.kind)
            # Posts that do not wait stay due: when they are refused, their notices are routed to another place.
            if post is None or kind is None or (reason == "forbidden" and (post.waiting or not kind.waits)):
                continue
            await self._record_undeliverable(kind, post, Undeliverable(reason), begun)
            number += 1
        self.wake()
        return number

    async def delete_ended(self, retention: timedelta) -> None:
        """Delete ended posts older than `retention`, except those of kinds that are kept."""
        kinds = [name for name, kind in self.kinds.items() if not kind.is_kept]
        await self._store.posts.delete_ended(kinds, self._clock() - retention)

    # Due posts.

    def _on_change(self, news: News) -> None:
        """Schedule the posts that became due; if the news does not name them, scan the database."""
        if news is MISSED_NEWS or (news.details is None and not news.is_remote):
            self.wake()
        elif news.is_remote:
            self._on_peer_change(news.details)
        else:
            for due in news.details:
                if due.platform in self._adapters or not self._store.is_shared:
                    self._due_posts.put(due)
            self._wanted.set()

    def _on_peer_change(self, queue: Sequence[Sequence[Any]] | None) -> None:
        """Schedule the posts that a peer process announces in chats that this process is serving.

        The peer delivers the others; if it has died, a later scan finds them.
        """
        scan_at = asyncio.get_running_loop().time() + CLAIM_RETRY_SECONDS
        for each in queue or ():
            due, is_delivered_there = DuePost.from_json(each), each[-1]
            if due.chat in self._chats or (not is_delivered_there and due.platform in self._adapters):
                self._due_posts.put(due)
                self._wanted.set()
        if scan_at < self._next_scan_at:
            self._next_scan_at = scan_at
            self._wanted.set()

    def _busy_chats(self, now: float) -> set[Chat]:
        """Return the chats with a running queue, and those left to a peer process for now."""
        return {*self._chats, *(chat for chat, (until, _) in self._backoff_until.items() if until > now)}

    async def _next_due_at(self) -> datetime:
        now = asyncio.get_running_loop().time()
        until = [self._next_scan_at, *(until for until, _ in self._backoff_until.values() if until > now)]
        look_at = self._clock() + timedelta(seconds=min(until) - now)
        due = self._due_posts.next_due(self._busy_chats(now))
        return look_at if due is None else min(look_at, due)

    async def _scan_database(self) -> None:
        """Scan the database for due posts."""
        now, store = self._clock(), self._store
        # Leave out platforms that this process does not serve now: their posts could fill the whole batch.
        platforms = tuple(self._adapters) if store.is_shared else None
        everything, self._due_posts.is_incomplete = self._due_posts.is_incomplete, False
        pause, loop = ORPHAN_SCAN_INTERVAL_SECONDS if store.is_shared else MAX_SLEEP_SECONDS, asyncio.get_running_loop()
        self._next_scan_at = loop.time() + pause
        try:
            found = await store.posts.list_due(now + timedelta(seconds=pause), SCAN_BATCH, platforms)
        except BaseException:
            self._due_posts.is_incomplete, self._next_scan_at = everything, 0.0
            raise
        fresh = now - timedelta(seconds=CLAIM_RETRY_SECONDS)
        for due in found:
            if store.is_shared and not everything and fresh < due.due_at <= now:
                # The peer that made the post due delivers it. If that peer has died, our next scan finds it.
                self._next_scan_at = min(self._next_scan_at, loop.time() + CLAIM_RETRY_SECONDS)
            else:
                # The process that made the post due may have sent it already.
                first = due.post in self._due_posts or (not store.is_shared and due.due_at >= self._started_at)
                self._due_posts.put(replace(due, first=first))
        if len(found) == SCAN_BATCH:
            self._due_posts.is_incomplete = True

    # Chats.

    async def _run_due(self) -> bool:
        """Start a queue for every chat with due posts and no running queue; return True if any was started."""
        now = asyncio.get_running_loop().time()
        # Once the back-off is over, the peer that served the chat may have died.
        self._backoff_until = {
            chat: each for chat, each in self._backoff_until.items() if each[0] + CLAIM_RETRY_SECONDS > now
        }
        if now >= self._next_scan_at or (self._due_posts.is_incomplete and not self._due_posts):
            await self._scan_database()
        busy = self._busy_chats(now)
        queues = self._due_posts.take(self._clock(), busy)
        queues |= {chat: [] for chat in self._unconfirmed if chat not in busy and chat not in queues}
        for chat, queue in queues.items():
            task = asyncio.create_task(self._serve_chat(chat, queue), name=f"delivery {chat[0]}")
            self._chats[chat] = task
            # Not in its `finally`: a task that is cancelled before it begins never comes there.
            task.add_done_callback(partial(self._task_done, chat))
        return bool(queues)

    def _task_done(self, chat: Chat, _: asyncio.Task[None]) -> None:
        del self._chats[chat]
        self._wanted.set()

    async def _serve_chat(self, chat: Chat, queue: list[DuePost]) -> None:
        """Serve a chat unless a peer process holds its lock."""
        try:
            async with self._store.lock(f"chat {chat[0]} {chat[1]}", linger=True) as is_locked:
                if is_locked:
                    self._backoff_until.pop(chat, None)
                    while left := self._unconfirmed.get(chat):
                        await self._settle(*left[0])
                        left.pop(0)
                    self._unconfirmed.pop(chat, None)
                    await self._serve(queue)
                else:
                    self._back_off_chat(chat)
        except StorageError:
            log.warning("delivery-without-chat-lock", platform=chat[0])
            self._back_off_chat(chat)
        finally:
            # Untried posts are still due.
            for due in queue:
                self._due_posts.put(due)

    def _back_off_chat(self, chat: Chat) -> None:
        """Leave a chat to the process that serves it, with exponential back-off."""
        _, times = self._backoff_until.get(chat, (0.0, 0))
        pause = back_off_seconds(times, FIRST_SCAN_SECONDS, CLAIM_RETRY_SECONDS)
        self._backoff_until[chat] = (asyncio.get_running_loop().time() + pause, times + 1)

    async def _serve(self, queue: list[DuePost]) -> None:
        """Deliver the due posts of a chat; remove tried ones from the list."""
        posts, epoch = self._store.posts, self._store.lock_epoch
        while queue and epoch == self._store.lock_epoch:  # after losing the lock, another process may serve this chat
            due = queue[0]
            try:
                found = await posts.get_with_notices(due.post)
                due_at = found.post.due_at if found is not None else None
                if found is not None and found.post.place.channel != due.channel:
                    # Its chat has another id now: the queue of that id delivers the post.
                    due = replace(due, channel=found.post.place.channel)
                # Scheduled before the previous queue of its chat ended: the post may be up to date by now.
                elif found is not None and due_at is not None and due_at <= self._clock():
                    due_at = await self._deliver(found, epoch, tried=not due.first)
            except StorageError as error:
                log_outage(log, "delivery-not-noted", error, post=due.post)
                due_at, due = self._clock(), replace(due, first=False)
                await asyncio.sleep(FIRST_RETRY_SECONDS)
            except Exception:
                log.exception("post-delivery-failed", post=due.post)
                due_at, due = self._clock() + timedelta(seconds=MAX_RETRY_SECONDS), replace(due, first=False)
                with suppress(StorageError):
                    await posts.record_failure(due.post, due_at)
            del queue[0]
            if due_at is not None:
                self._due_posts.put(replace(due, due_at=due_at))

    # One post.

    async def _deliver(self, found: PostWithNotices, epoch: int, *, tried: bool) -> datetime | None:
        """Bring one post up to date, or store when to retry; return when it is due next.

        `epoch` is the epoch of the locks when the post was read. `tried`: True if a message may have been sent before,
        by a process that died or by a call whose answer was lost.
        """
        posts, now, post, begun = self._store.posts, self._clock(), found.post, monotonic()
        platform, kind = post.place.platform, self.kinds.get(post.kind)
        adapter = self._adapters.get(platform)
        ended, due_at, pause, is_limited = "shown", None, None, False
        try:
            if adapter is None or kind is None:
                raise TryLater(MAX_RETRY_SECONDS)
            async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                shown = await self._show(adapter, kind, found, epoch, tried=tried or post.attempts > 0)
                if shown.stale_messages and (shown.due_at is None or shown.due_at <= self._clock()):
                    # The new message is shown: retiring the old ones is not urgent.
                    shown, waits = await self._retire(adapter, shown)
                    if waits is not None:
                        if waits.seconds is None:
                            raise waits
                        at = self._clock()
                        later = at + timedelta(seconds=waits.seconds)
                        shown = await posts.record_retired(shown, (), at, later=later) or replace(shown, due_at=None)
            due_at = shown.due_at
            if post.due_at is not None:
                late = (self._clock() - post.due_at).total_seconds()
                DELIVERY_SECONDS.labels(platform).observe(max(0.0, late))
        except Undeliverable as error:
            ended, due_at = await self._record_undeliverable(kind, post, error, begun)
        except (TryLater, TimeoutError) as error:
            ended, is_limited = "later", isinstance(error, RateLimited)
            pause = pause_after(post.attempts, error.seconds if isinstance(error, TryLater) else None)
            log.info("delivery-later", **_names(post), seconds=pause.total_seconds())
        except PutOff as later:
            ended, due_at = "put-off", later.until
            await posts.put_off(post.id, later.until)
        except (Refused, EngineError) as error:
            ended, pause = "broken", pause_after(post.attempts, MAX_RETRY_SECONDS)
            report_broken_game(log, error, **_names(post))
        except StorageError:
            ended = "not-noted"
            raise
        except _ClaimLost:
            ended, due_at = "elsewhere", now
        except Exception:
            ended, pause = "failed", pause_after(post.attempts)
            log.exception("delivery-failed", **_names(post))
        finally:
            (DELIVERIES if kind is None else kind.deliveries).labels(platform, ended).inc()
        if pause is not None:
            due_at = now + pause
            await posts.record_failure(post.id, due_at)
            if is_limited and kind is not None:
                await kind.on_rate_limit(post, due_at)
        return due_at

    async def _record_undeliverable(
        self, kind: PostKind | None, post: Post, error: Undeliverable, begun: float
    ) -> tuple[str, datetime | None]:
        """Store that a post cannot be shown in its place, for now or ever; return the post, and when it is due."""
        posts, place = self._store.posts, post.place
        log.warning("post-undeliverable", **_names(post), reason=error.reason)
        waits = error.reason == "forbidden" and (kind is None or kind.waits)
        keys = [(place.platform, each) for each in (None, place.group, place.channel)]
        if waits and any(self._opened.get(key, -1.0) >= begun for key in keys):
            # The place was reopened while the refusal was on its way.
            due_at = self._clock() + pause_after(post.attempts)
            await posts.record_failure(post.id, due_at)
            return "later", due_at
        async with self._store.transaction():
            await (posts.block if waits else posts.close)(post.id)
            if kind is not None:
                await kind.on_undeliverable(post, error)
        return ("waiting" if waits else "undeliverable"), None

    async def _show(self, adapter: Adapter, kind: PostKind, found: PostWithNotices, epoch: int, *, tried: bool) -> Post:
        """Show a post's new content: in a new message if there is something to announce, otherwise by an edit."""
        post, posts = found.post, self._store.posts
        if post.is_current:
            if post.stale_messages or post.message is None or post.announced is None:
                return post
            shown = ShownPost(post.message, post.revision, post.announced, post.content)
            return await posts.record_shown(post, shown, self._clock()) or replace(post, due_at=None)
        showing = Showing(self._context, adapter, found, self._retire)
        rendering = await kind.render(showing)
        post, place = showing.post, showing.place
        if post.gone or post.waiting:
            return replace(post, due_at=None)
        if rendering is None:
            return await self._end(adapter, post)
        if epoch != self._store.lock_epoch:
            raise _ClaimLost
        message, is_announced = post.message, post.announced == rendering.announced and not rendering.notices
        if post.announced is None or not (rendering.lasting or is_announced):
            message = None
        is_outdated = rendering.content is None or rendering.content != post.content
        if message is not None and is_outdated and not await self._edit(adapter, place, post, message, rendering):
            if rendering.once or rendering.last:
                return await self._close(post)
            message = None
        is_new = message is None
        if message is None:
            message = await self._find_sent(adapter, place, post, rendering) if tried else None
            if message is None or not await self._edit(adapter, place, post, message, rendering):
                # A different key: a retry must not be mistaken for an earlier message that mentioned other people.
                mentions = "".join(f"-{each.id}" for each in rendering.notices)
                key = f"{post.id}-{rendering.announced}-{post.message or ''}{mentions}-{post.kind}:{post.subject}"
                message = await adapter.send(place, rendering.card, key)
        if epoch != self._store.lock_epoch:
            self._keep_unconfirmed(post, rendering, message)
            return post
        wait = adapter.seconds_to_retire(place, remove=post.removes_old_messages)
        now = self._clock()
        shown = ShownPost(message, rendering.revision, rendering.announced, rendering.content)
        try:
            recorded = await posts.record_shown(
                post, shown, now, later=now + timedelta(seconds=wait), notices=rendering.notices
            )
        except StorageError:
            # The message is sent: record it once the database is back, before anything else is sent.
            self._keep_unconfirmed(post, rendering, message)
            raise
        if rendering.last:
            await posts.finish(post.id)
        if is_new:
            await kind.on_shown(post)
        if rendering.after is not None:
            await rendering.after()
        return replace(post, due_at=None) if recorded is None or rendering.last else recorded

    async def _end(self, adapter: Adapter, post: Post) -> Post:
        """End a post without content; its messages lose their buttons."""
        if post.message is not None:
            stale_messages = {**post.stale_messages, post.message: post.shown_revision}
            _, waits = await self._retire(adapter, replace(post, stale_messages=stale_messages))
            if waits is not None:
                raise waits
        return await self._close(post)

    async def _close(self, post: Post) -> Post:
        await self._store.posts.close(post.id)
        return replace(post, stale_messages={}, due_at=None)

    async def _edit(self, adapter: Adapter, place: Place, post: Post, message: str, rendering: Rendering) -> bool:
        """Edit the message of a post; return False if it is gone."""
        epoch = self._store.lock_epoch
        try:
            await adapter.edit(place, message, rendering.edited or rendering.card, urgent=rendering.urgent)
        except Undeliverable as error:
            if error.reason != "message-gone":
                raise
            return False
        except BaseException:
            if epoch != self._store.lock_epoch:
                # The edit may still take effect, and overwrite what another process shows there by then.
                self._keep_unconfirmed(post, rendering, message, is_sure=False)
            raise
        return True

    async def _find_sent(self, adapter: Adapter, place: Place, post: Post, rendering: Rendering) -> str | None:
        """Return an unrecorded message with this card's presses from the chat's history; None if none is found."""
        # All presses: a single one may be the same below every board, such as that of the rules.
        presses = {each.press for row in rendering.card.rows for each in row_buttons(row)}
        since = (post.shown_at or post.made_at) - CLOCK_TOLERANCE
        found = await adapter.find_sent(place, presses, since) if presses else None
        if found is None or found in post.stale_messages:
            return None
        owner = await self._store.posts.find_by_message(place.platform, place.channel, found, kind=None)
        return found if owner is None else None

    # Unconfirmed sends, settled under a new lock.

    def _keep_unconfirmed(self, post: Post, rendering: Rendering, message: str, *, is_sure: bool = True) -> None:
        """Store an unconfirmed send until its chat is locked again and the database is back."""
        log.warning("claim-lost", platform=post.place.platform, subject=post.subject, post=post.id)
        if sum(map(len, self._unconfirmed.values())) < MAX_UNCONFIRMED_SENDS:
            shown = ShownPost(message, rendering.revision, rendering.announced, rendering.content)
            delivered = (post, shown, rendering.notices, is_sure)
            self._unconfirmed[post.place.platform, post.place.channel].append(delivered)

    async def _settle(self, post: Post, shown: ShownPost, notices: Sequence[Notice], is_sure: bool) -> None:
        """Settle an unconfirmed send of a post, as it was read then; the caller holds the chat's lock.

        `notices` are those whose people the message mentions. `is_sure`: False if it is unknown whether it is shown.
        """
        store, at = self._store, self._clock()
        now = await store.posts.get(post.id)
        if now is None or now.gone:
            return
        if (now.message, now.shown_revision, now.announced) == (post.message, post.shown_revision, post.announced):
            # Nothing was shown since.
            if is_sure:
                await store.posts.record_shown(post, shown, at, notices=notices)
            return
        if (now.message, now.shown_revision) != (shown.message, shown.revision):
            await store.posts.record_late(post, shown.message, shown.revision, at)
        if notices and is_sure:
            await store.notices.record_delivered(notices, at, place=post.place.id)

    # Old messages.

    async def _retire(self, adapter: Adapter, post: Post) -> tuple[Post, TryLater | None]:
        """Retire old messages; return the updated post, and the error that makes the remaining ones wait, if any.

        Raises Undeliverable if nothing may be written in the place now.
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
            noted = await self._store.posts.record_retired(post, retired, self._clock())
            post = noted or replace(post, due_at=None)
        return post, waits

    async def _retire_message(self, adapter: Adapter, place: Place, post: Post, message: str) -> None:
        """Remove the buttons of an old message, or delete it; messages of some kinds are replaced by a last card."""
        removes, kind, card = post.removes_old_messages, self.kinds.get(post.kind), None
        if kind is not None and not removes:
            try:
                card = await kind.retired_card(post, post.stale_messages[message])
            except (Refused, EngineError) as error:
                log.info("retired-card-left-out", **_names(post), reason=describe_outage(error))
        if card is None:
            await adapter.retire(place, message, remove=removes)
        else:
            await adapter.edit(place, message, card, urgent=False)

    async def _redraw(self, adapter: Adapter, place: Place, post: Post, message: str) -> None:
        """Redraw an old message's lost picture; log a picture that cannot be drawn."""
        revision, picture, reason = post.stale_messages.get(message), None, "cannot-be-drawn"
        kind = self.kinds.get(post.kind)
        try:
            if revision is not None and kind is not None:
                async with asyncio.timeout(RENDER_TIMEOUT_SECONDS):
                    picture = await kind.redraw(post, revision)
                if picture is not None:
                    await adapter.redraw(place, message, picture)
                    log.info("picture-drawn-again", **_names(post), revision=revision)
                    return
        except (Refused, Undeliverable, TimeoutError, *DECODE_ERRORS) as error:
            # A failed old picture must not delay later posts.
            reason = describe_outage(error)
        log.warning("picture-lost", **_names(post), revision=revision, reason=reason)
