"""The job that sends events to webhooks: it retries with growing pauses, and gives up after a day.

The database stores what each webhook was sent; what is still to be sent follows from the games. So a restart loses
nothing, and a place without webhooks costs nothing.
"""

import asyncio
import json
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.core.memberships import MembershipUnknown
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Place, TryLater, Undeliverable
from bot.tables.table import BrokenGame
from bot.webhooks.payloads import Message, next_message
from bot.webhooks.sender import NotDelivered, Sender
from storage import News, StorageError, StoredWebhook, Unavailable

MAX_FAILING: Final = timedelta(days=1)
FIRST_PAUSE_SECONDS: Final = 10
MAX_PAUSE_SECONDS: Final = 2 * 3600
LOOK_BACK: Final = timedelta(minutes=5)
"""Overlap with the last look at games, because the clocks of processes may differ."""
FULL_LOOK_INTERVAL: Final = timedelta(minutes=5)
"""Time between looks at all games of a place; in between only changed games are looked at."""
MAX_CHANGED: Final = 500
"""With more changed games than this, all games of the place are looked at."""
MAX_DELIVERIES_PER_ROUND: Final = 20
RECHECK_PAUSE: Final = timedelta(minutes=1)
"""Time until a platform is asked again who manages a place, after it could not be asked."""
NOT_MANAGED: Final = "not-managed"
"""Why a webhook was stopped whose maker manages the place no longer."""

log = structlog.get_logger(__name__)


def pause_seconds(attempts: int) -> int:
    """Return the pause after a number of failures in a row."""
    return int(min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(attempts, 20)))


class WebhookDeliveries(DueWorker):
    """Sends webhooks the events that they were not sent yet."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("webhooks"), "webhooks")
        self.sender = Sender()
        self._hooks: list[StoredWebhook] | None = None
        self._complete_until: dict[int, datetime] = {}
        self._changed: dict[int, set[str]] = {}
        """Changed games by webhook since its last full look; a webhook is missing if they are not known."""
        context.store.add_listener(
            self._on_store_change, {"webhooks", "shown", "game", "competition", "moved", "elsewhere"}
        )

    def _on_store_change(self, news: News) -> None:
        kind, what = news
        if kind == "elsewhere":
            kind, what = ("webhooks", None) if what is None else what
        if kind in ("webhooks", "moved"):
            self._hooks = None
            self._changed.clear()
            if kind == "moved":
                # Games may have changed at times that were looked at before.
                self._complete_until.clear()
            self._wanted.set()
        elif kind == "shown":
            self._note_changed(str(what[-1]))
        elif kind in ("game", "competition") and self._hooks != []:
            if kind != "competition":
                self._note_changed(str(getattr(what, "id", what)))
            self._wanted.set()

    def _note_changed(self, game: str) -> None:
        for hook, changed in list(self._changed.items()):
            changed.add(game)
            if len(changed) > MAX_CHANGED:
                del self._changed[hook]

    async def _list(self) -> list[StoredWebhook]:
        if self._hooks is None:
            found = await self._context.store.webhooks.list_all()
            self._hooks = found
        return self._hooks

    async def _next_due_at(self) -> datetime | None:
        return min((each.due_at for each in await self._list() if each.due_at is not None), default=None)

    async def _run_due(self) -> bool:
        now = self._context.clock()
        ready = [each for each in await self._list() if each.due_at is None or each.due_at <= now]
        return any(await asyncio.gather(*(self._serve(each) for each in ready)))

    async def _serve(self, listed: StoredWebhook) -> bool:
        """Serve one webhook, unless another process does; return whether anything was done."""
        store = self._context.store
        async with store.lock(f"webhook {listed.id}") as ours:
            hook = await store.webhooks.get(listed.id) if ours else None
            now = self._context.clock()
            if hook is None or hook.stopped or (hook.due_at is not None and hook.due_at > now):
                self._changed.pop(listed.id, None)  # another process may send meanwhile
                return False
            behind = await self._list_behind(hook, now)
            if behind and not await self._is_still_managed(hook, now):
                return True
            for subject in behind[:MAX_DELIVERIES_PER_ROUND]:
                if not await self._send_next(hook, subject):
                    break
            return bool(behind)

    async def _list_behind(self, hook: StoredWebhook, now: datetime) -> list[str]:
        """Return the subjects with events to send, now and then among all games, else among changed ones."""
        complete_until, changed = self._complete_until.get(hook.id, hook.made_at), self._changed.get(hook.id)
        if changed is not None and now - complete_until >= LOOK_BACK + FULL_LOOK_INTERVAL:
            changed = None
        self._changed[hook.id] = set()  # note changes from now on, also those during this look
        try:
            behind = await self._context.store.webhooks.list_behind(hook, complete_until, among=changed)
        except StorageError:
            self._changed.pop(hook.id, None)
            raise
        if not behind and changed is None:
            self._complete_until[hook.id] = now - LOOK_BACK
        elif behind and changed is None:
            self._changed.pop(hook.id, None)
        elif behind and hook.id in self._changed:
            self._changed[hook.id] |= changed or set()
        return behind

    async def _is_still_managed(self, hook: StoredWebhook, now: datetime) -> bool:
        """Return True if who has added a webhook manages its place, as of the last minute; otherwise end it.

        While nobody says so, what is to be sent waits.
        """
        try:
            managed = hook.person is not None and await self._context.memberships.managed_lately(
                hook.place, hook.person
            )
        except MembershipUnknown:
            await self._context.store.webhooks.postpone(hook.id, now + RECHECK_PAUSE)
            return False
        if not managed:
            log.info("webhook-not-managed", webhook=hook.id)
            if await self._announce_end(hook, "webhook.ended"):
                await self._context.store.webhooks.stop(hook.id, NOT_MANAGED)
            else:
                await self._context.store.webhooks.postpone(hook.id, now + RECHECK_PAUSE)
        return managed

    async def _send_next(self, hook: StoredWebhook, subject: str) -> bool:
        """Send the next event of a game or a competition; return whether more can be sent."""
        store = self._context.store
        try:
            message = await next_message(self._context, hook, subject, await store.webhooks.cursor(hook.id, subject))
        except (BrokenGame, Refused) as error:
            log.warning("webhook-subject-broken", subject=subject, reason=str(error))
            await store.webhooks.note_unreadable(hook.id, subject)
            return True
        if not isinstance(message, Message):
            await store.webhooks.note_sent(message)
            return True
        timestamp = int(self._context.clock().timestamp())
        said = {"type": message.kind, "timestamp": self._context.clock().isoformat(), "data": message.data}
        body = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            await self.sender.send(hook.address, hook.secret, message.id, timestamp, body)
        except NotDelivered as error:
            await self._failed(hook, error)
            return False
        await store.webhooks.note_sent(message.cursor)
        return True

    async def _failed(self, hook: StoredWebhook, error: NotDelivered) -> None:
        now = self._context.clock()
        log.info("webhook-not-delivered", webhook=hook.id, reason=error.reason, attempts=hook.attempts + 1)
        since = hook.failing_since or now
        later = now + timedelta(seconds=pause_seconds(hook.attempts))
        if (error.for_good or now - since >= MAX_FAILING) and await self._announce_end(
            hook, "webhook.given-up", error.reason
        ):
            await self._context.store.webhooks.stop(hook.id, error.reason)
            return
        await self._context.store.webhooks.note_failure(hook, now, later)

    async def _announce_end(self, hook: StoredWebhook, key: str, reason: str = "") -> bool:
        """Announce in the place that a webhook has ended; return False to retry later."""
        row = await self._context.store.places.get(hook.place)
        adapter = self._context.adapters.get(row.platform) if row is not None else None
        if row is None:
            return True
        if adapter is None:
            return False
        language = self._context.place_language(row)
        speaker = self._context.speaker(language)
        place = Place(row.platform, row.channel, row.thread, row.group, row.kind, row.title, language)
        card = Card(speaker.say(key, host=shown_host(hook.address), reason=reason))
        try:
            await adapter.send(place, card, f"webhook-{hook.id}-given-up")
        except Undeliverable:
            return True
        except (TryLater, Unavailable):
            return False
        return True


def shown_host(address: str) -> str:
    """Return the host of an address, for people; the path may be a secret. "?" for a damaged address."""
    return (*address.split("/", 3), "", "")[2] or "?"
