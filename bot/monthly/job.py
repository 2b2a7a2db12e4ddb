"""The message of a month, in every channel in which a game ended in it: promised, then sent once.

One row a place and month stands in the database before anything is sent; of several processes the one with the chat's
lock sends. That a message is about to be sent is noted first, so that after the program died it is looked for where a
chat's history can be read, and sent again under the same key where it cannot.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.core.places import place_of
from bot.core.preferences import MONTHLY
from bot.delivery.boards import MAX_RETRY_SECONDS, PLATFORM_CALL_TIMEOUT_SECONDS, pause_after
from bot.interface.requests import Adapter, TryLater, Undeliverable
from bot.monthly.cards import capture_picture, leaders_press, month_card
from bot.monthly.month import read_played_month, titles_of
from bot.pictures.artist import choose_theme
from bot.standings.periods import Month, read_month
from storage import MonthlyMessage, PlaceRow, StorageError

SEARCH_INTERVAL_SECONDS: Final = 3600.0
"""How often it is looked for places whose month has ended."""
MAX_LATENESS: Final = timedelta(days=7)
"""After so long a month is not told of any more: the program was down, or it could not be sent."""
_LARGEST_OFFSET: Final = timedelta(hours=14)
"""No clock is further from UTC."""
_CLOCK_TOLERANCE: Final = timedelta(minutes=1)

log = structlog.get_logger(__name__)


class MonthlyWorker(DueWorker):
    """A worker that tells places of the month that is over."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("monthly"), "monthly")
        self._search_at: float | None = None
        self._elsewhere: dict[int, float] = {}

    async def _next_due_at(self) -> datetime | None:
        due = await self._context.store.monthly.next_due_at(tuple(self._context.adapters))
        clock = self._context.clock
        pause = 0.0 if self._search_at is None else self._search_at - clock.monotonic()
        search = clock() + timedelta(seconds=pause)
        return search if due is None else min(due, search)

    async def _run_due(self) -> bool:
        now, seconds = self._context.clock(), self._context.clock.monotonic()
        if self._search_at is None or seconds >= self._search_at:
            await self._promise_messages(now)
            self._search_at = seconds + SEARCH_INTERVAL_SECONDS
        self._elsewhere = {place: until for place, until in self._elsewhere.items() if until > seconds}
        done = False
        for message in await self._context.store.monthly.list_due(now, tuple(self._context.adapters)):
            if message.place.id not in self._elsewhere:
                done = await self._serve(message) or done
        return done

    async def _promise_messages(self, now: datetime) -> None:
        """Promise a message to every place whose month has ended and in which a game ended in it."""
        store = self._context.store
        # In the places furthest east the next month has begun, in those furthest west the last may not be over.
        days = {(at.replace(day=1) - timedelta(days=1)) for at in (now - _LARGEST_OFFSET, now + _LARGEST_OFFSET)}
        for label in sorted({f"{day:%Y-%m}" for day in days}):
            year, month = map(int, label.split("-"))
            first = now.replace(year=year, month=month, day=1, hour=0, minute=0, second=0, microsecond=0)
            since, until = first - _LARGEST_OFFSET, (first + timedelta(days=32)).replace(day=1) + _LARGEST_OFFSET
            if now > until + MAX_LATENESS:
                continue
            for place in await store.monthly.list_unpromised(label, since, until):
                own = read_month(label, place, now)
                if own is None or now < own.until or not self._is_wanted(place):
                    continue
                if await store.games.ended_in(place.id, own.since, own.until, 1):
                    await store.monthly.promise(place.id, label, own.message_at, now)

    def _is_wanted(self, place: PlaceRow) -> bool:
        adapter = self._context.adapters.get(place.platform)
        if adapter is None or place.effective.get(MONTHLY) is False:
            return False
        # A thread that was opened for one game is told nothing: its channel is.
        return place.thread is None or not adapter.has_threads

    async def _serve(self, listed: MonthlyMessage) -> bool:
        """Send a message, unless another process serves its chat; say whether anything was done."""
        store, place, now = self._context.store, listed.place, self._context.clock()
        async with store.lock(f"chat {place.platform} {place.channel}") as ours:
            if not ours:
                self._elsewhere[place.id] = self._context.clock.monotonic() + MAX_RETRY_SECONDS
                return False
            message = await store.monthly.get(place.id, listed.month)
            if message is None or message.due_at is None or message.due_at > now:
                return False
            await self._bring_about(message)
        return True

    async def _bring_about(self, message: MonthlyMessage) -> None:
        store, place, now = self._context.store, message.place, self._context.clock()
        adapter, month = self._context.adapters.get(place.platform), read_month(message.month, place, now)
        try:
            if adapter is None or month is None or not self._is_wanted(place) or now > month.message_at + MAX_LATENESS:
                await store.monthly.record_sent(place.id, message.month, None)
            else:
                await self._tell(adapter, message, month)
        except Undeliverable as error:
            log.info("month-not-told", place=place.id, month=message.month, reason=error.reason)
            if error.reason != "forbidden":
                await store.monthly.record_sent(place.id, message.month, None)
                return
            await self._retry(message, float(MAX_RETRY_SECONDS))
        except (TryLater, TimeoutError) as error:
            await self._retry(message, error.seconds if isinstance(error, TryLater) else None)
        except StorageError:
            raise
        except Exception:
            log.exception("month-not-told", place=place.id, month=message.month)
            await self._retry(message, None)

    async def _tell(self, adapter: Adapter, message: MonthlyMessage, month: Month) -> None:
        """Give the titles of a month and tell of it; look first whether it was told before the program died."""
        context, row = self._context, message.place
        place = place_of(row, context.place_language(row))
        if message.attempts:
            async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                sent = await adapter.find_sent(
                    place, leaders_press(message.month), message.promised_at - _CLOCK_TOLERANCE
                )
            if sent is not None:
                await context.store.monthly.record_sent(row.id, message.month, sent)
                return
        played = await read_played_month(context, row, month)
        if played is None:
            await context.store.monthly.record_sent(row.id, message.month, None)
            return
        await context.store.titles.award(titles_of(row, played), context.clock())
        speaker, picture = context.speaker(place.language, place.platform), None
        if played.capture is not None:
            theme = choose_theme(row.effective, row.settings)
            wide = context.shows_small_pictures(row.platform)
            picture = await capture_picture(context, played.capture, speaker, theme, wide=wide)
        card = month_card(played, speaker, picture)
        await self._retry(message, None)
        async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
            sent = await adapter.send(place, card, f"month-{row.id}-{message.month}")
        await context.store.monthly.record_sent(row.id, message.month, sent)
        log.info("month-told", platform=row.platform, place=row.id, month=message.month)

    async def _retry(self, message: MonthlyMessage, asked: float | None) -> None:
        next_try = self._context.clock() + pause_after(message.attempts, asked)
        await self._context.store.monthly.record_failure(
            message.place.id, message.month, message.attempts + 1, next_try
        )
