"""The job that sends events to webhooks: it retries with growing pauses, and gives up after a day.

The database stores the cursor of each webhook; the events still to be sent follow from the games. So a restart loses
nothing, and a place without webhooks costs nothing.
"""

import asyncio
import json
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

import structlog

from bot.kernel.cards import Card
from bot.kernel.context import Context, MembershipUnknown
from bot.kernel.post_kinds import DueWorker, PostKind, Rendering, Showing, back_off_seconds
from bot.kernel.refusals import Refused
from bot.kernel.table import BrokenGame
from bot.platforms.webhooks.sender import Message, NotDelivered, Sender, next_message
from storage import MISSED_NEWS, NewPost, News, StorageError, StoredWebhook, WebhookCursor

WEBHOOK: Final = "webhook"
"""The kind of post that announces a webhook's end; its subject is the webhook's id."""
NOT_MANAGED: Final = "not-managed"
"""The reason for stopping a webhook if the person who added it no longer manages the place."""


class WebhookEnd(PostKind):
    """The notice of a webhook's end, posted once."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the reason why a webhook has ended; None if the webhook was removed meanwhile."""
        hook = await self._store.webhooks.get(int(showing.post.subject))
        if hook is None or not hook.stopped:
            return None
        key = "webhook.ended" if hook.stopped == NOT_MANAGED else "webhook.given-up"
        speaker = self._context.place_speaker(showing.post.place)
        return Rendering(Card(speaker.say(key, host=shown_host(hook.address), reason=hook.stopped)), last=True)


def shown_host(address: str) -> str:
    """Return the host of an address, "?" if it is damaged; the path may be secret and is not shown."""
    return (*address.split("/", 3), "", "")[2] or "?"


MAX_FAILING: Final = timedelta(days=1)
FIRST_PAUSE_SECONDS: Final = 10
MAX_PAUSE_SECONDS: Final = 2 * 3600
LOOK_BACK: Final = timedelta(minutes=5)
"""Overlap with the last scan of the games, since the clocks of processes may differ."""
FULL_LOOK_INTERVAL: Final = timedelta(minutes=5)
"""Time between full scans of a place's games; in between only changed games are scanned."""
MAX_CHANGED: Final = 500
"""Maximum number of changed games; with more, all games of the place are scanned."""
MAX_DELIVERIES_PER_ROUND: Final = 20
RECHECK_PAUSE: Final = timedelta(minutes=1)
"""Time after which a failed lookup of a place's managers is retried."""


log = structlog.get_logger(__name__)


class WebhookDeliveries(DueWorker):
    """Runs a worker for each webhook, so that none waits for another's address."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("webhooks"), "webhooks")
        self.sender = Sender()
        self._workers: dict[int, _WebhookWorker] = {}
        self._changes, self._changes_listed = 1, 0
        """The number of changes of webhooks, and that number at the last listing of webhooks."""
        context.store.add_listener(self._on_store_change, {"webhooks", "shown", "game", "competition", "moved"})

    def _on_store_change(self, news: News) -> None:
        kind = "webhooks" if news is MISSED_NEWS else news.kind
        changes_webhooks = kind in ("webhooks", "moved")
        self._changes += changes_webhooks
        for worker in self._workers.values():
            worker.note_change(kind, news.details)
        if changes_webhooks or (kind in ("game", "competition") and (self._workers or not self._changes_listed)):
            self._wanted.set()

    async def close(self) -> None:
        """Stop; unsent events are sent after the next start."""
        await super().close()
        await asyncio.gather(*(worker.close() for worker in self._workers.values()))

    async def run_until_idle(self) -> None:
        """Send all events that are due now, as far as possible."""
        await super().run_until_idle()
        await asyncio.gather(*(worker.run_until_idle() for worker in self._workers.values()))

    async def _run_due(self) -> bool:
        """Start and wake a worker for each active webhook."""
        if self._changes_listed != self._changes:
            changes, hooks = self._changes, {each.id: each for each in await self._store.webhooks.list_all()}
            self._changes_listed = changes
            for gone in self._workers.keys() - hooks.keys():
                await self._workers.pop(gone).close()
            for new in hooks.keys() - self._workers.keys():
                self._workers[new] = _WebhookWorker(self._context, self, hooks[new])
        if self._loop is not None:
            for worker in self._workers.values():
                worker.start()
        return False


class _WebhookWorker(DueWorker):
    """Sends the unsent events of one webhook."""

    def __init__(self, context: Context, job: WebhookDeliveries, hook: StoredWebhook) -> None:
        super().__init__(context, asyncio.Event(), "webhooks")
        self._job = job
        self._hook = hook
        self._complete_until = hook.made_at
        self._changed: set[str] | None = None
        """Changed games since the last full scan, None if unknown."""

    def note_change(self, kind: str, what: Any) -> None:
        """Record a change in the store."""
        if kind in ("webhooks", "moved"):
            self._changed = None
            if kind == "moved":
                # Games may have changed at times that were already scanned.
                self._complete_until = self._hook.made_at
        elif self._changed is not None and kind in ("shown", "game"):
            self._changed.add(str(what[-1] if kind == "shown" else getattr(what, "id", what)))
            if len(self._changed) > MAX_CHANGED:
                self._changed = None

    async def _next_due_at(self) -> datetime | None:
        return self._hook.due_at

    async def _run_due(self) -> bool:
        """Send some events, unless another process does so; return True if anything was done."""
        store = self._store
        async with store.lock(f"webhook {self._hook.id}") as is_locked:
            hook = await store.webhooks.get(self._hook.id) if is_locked else None
            now = self._clock()
            self._hook = hook or self._hook
            if hook is None or hook.stopped or (hook.due_at is not None and hook.due_at > now):
                self._changed = None  # another process may send meanwhile
                return False
            behind = await self._list_behind(hook, now)
            if behind and not await self._is_still_managed(hook, now):
                return True
            for subject, revision in islice(behind.items(), MAX_DELIVERIES_PER_ROUND):
                if not await self._send_next(hook, subject, revision):
                    break
            return bool(behind)

    async def _list_behind(self, hook: StoredWebhook, now: datetime) -> dict[str, int]:
        """Return the revisions of subjects with events to send, among changed games or, for a full scan, all games."""
        changed = self._changed
        if changed is not None and now - self._complete_until >= LOOK_BACK + FULL_LOOK_INTERVAL:
            changed = None
        self._changed = set()  # record changes from now on, even during this scan
        try:
            behind = await self._store.webhooks.list_behind(hook, self._complete_until, among=changed)
        except StorageError:
            self._changed = None
            raise
        if changed is None and behind:
            self._changed = None
        elif changed is None:
            self._complete_until = now - LOOK_BACK
        elif behind and self._changed is not None:
            self._changed |= changed
        return behind

    async def _is_still_managed(self, hook: StoredWebhook, now: datetime) -> bool:
        """Return True if the person who added a webhook has managed its place within the last minute; otherwise end it.

        If that cannot be found out now, postpone the webhook's events and return False.
        """
        try:
            managed = hook.person is not None and await self._context.memberships.managed_lately(
                hook.place, hook.person
            )
        except MembershipUnknown:
            await self._store.webhooks.postpone(hook.id, now + RECHECK_PAUSE)
            return False
        if not managed:
            log.info("webhook-not-managed", webhook=hook.id)
            await self._end(hook, NOT_MANAGED)
        return managed

    async def _send_next(self, hook: StoredWebhook, subject: str, revision: int) -> bool:
        """Send the next event of a game or a competition; return True if more can be sent."""
        store = self._store
        cursor = await store.webhooks.cursor(hook.id, subject)
        try:
            message = await next_message(self._context, hook, subject, cursor)
        except (BrokenGame, Refused) as error:
            log.warning("webhook-subject-broken", subject=subject, reason=str(error))
            # It is left until it changes; then everything new is sent.
            unsent = WebhookCursor(hook.id, subject, 0, -1 if subject.startswith("game:") else 0, over=False)
            message = replace(cursor or unsent, revision=revision)
        if not isinstance(message, Message):
            await store.webhooks.note_sent(message)
            return True
        now = self._clock()
        said = {"type": message.kind, "timestamp": now.isoformat(), "data": message.data}
        body = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            await self._job.sender.send(hook.address, hook.secret, message.id, int(now.timestamp()), body)
        except NotDelivered as error:
            await self._failed(hook, error)
            return False
        await store.webhooks.note_sent(message.cursor)
        return True

    async def _failed(self, hook: StoredWebhook, error: NotDelivered) -> None:
        now = self._clock()
        log.info("webhook-not-delivered", webhook=hook.id, reason=error.reason, attempts=hook.attempts + 1)
        since = hook.failing_since or now
        later = now + timedelta(seconds=back_off_seconds(hook.attempts, FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS))
        if error.for_good or now - since >= MAX_FAILING:
            await self._end(hook, error.reason)
        else:
            await self._store.webhooks.note_failure(hook, now, later)

    async def _end(self, hook: StoredWebhook, reason: str) -> None:
        """Stop a webhook and post the reason in its place."""
        store = self._store
        async with store.transaction():
            await store.webhooks.stop(hook.id, reason)
            await store.posts.promise(NewPost(WEBHOOK, str(hook.id), hook.place, self._clock()))
