"""Bringing one post up to date on its platform: a new message, an edit, old messages retired; or a later try."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import structlog

from bot.core.context import Context
from bot.core.places import place_of
from bot.core.post_kinds import PostKind, PutOff, Rendering, Showing, removes_old_messages
from bot.interface.cards import Card, Menu
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Place, TryLater, Undeliverable
from bot.operations.metrics import DELIVERIES, DELIVERY_SECONDS
from bot.operations.outages import describe_outage
from bot.outbox.memory import DeliveredPost, DuePosts, Openings, UnconfirmedSends
from bot.tables.table import DECODE_ERRORS, report_broken_game
from engine import EngineError
from storage import Post, PostWithNotices, ShownPost, StorageError

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
    pause = min(FIRST_RETRY_SECONDS * 2 ** min(attempts, 12), MAX_RETRY_SECONDS)
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
        self._doubts = doubts
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
            ended, due_at = await self._undeliverable(kind, post, error, begun)
        except (TryLater, TimeoutError) as error:
            ended = "later"
            pause = pause_after(post.attempts, error.seconds if isinstance(error, TryLater) else None)
            log.info("delivery-later", **_names(post), seconds=pause.total_seconds())
            due_at = await self._record_failure(post, now + pause)
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

    async def _undeliverable(
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
        if post.gone:
            # As a rule that was recorded meanwhile; in a damaged file it may still be due.
            return await self._close(post)
        if post.waiting:
            return replace(post, due_at=None)
        if rendering is None:
            return await self._end(adapter, post)
        if epoch != self._context.store.lock_epoch:
            raise _ClaimLost
        message = post.message
        stands = message is not None and post.announced is not None
        if not (stands and (rendering.lasting or (post.announced == rendering.announced and not rendering.notices))):
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
            noted = await self._doubts.record(delivered, later)
        except StorageError:
            # It is there: as soon as the database is back that is written down, before anything is sent again.
            self._doubts.add(delivered)
            raise
        if rendering.last:
            await self._context.store.posts.finish(post.id)
        self._due.forget_shown(post.id, rendering.revision)
        if is_new:
            await kind.on_shown(post)
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
        self._doubts.add(delivered)
        return True

    # Old messages.

    async def _retire_in_time(self, adapter: Adapter, post: Post) -> Post:
        """Retire old messages, now or when the platform allows it: the new one is there, so nobody waits for this.

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
                await adapter.retire(place, message, remove=removes_old_messages(post))
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
