"""The job of the daily puzzle: it promises a post to the places that want one, once a date, and has them updated."""

import asyncio
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.daily import MAX_MESSAGE_AGE, today_at
from storage import Daily, News, StorageError

FAILURE_PAUSE: Final = timedelta(minutes=10)
"""Time before a place is looked at again whose message could not be promised."""
STORING_TOLERANCE: Final = timedelta(minutes=1)
"""How long before the moment in which news of an attempt arrive it may have been stored."""
EDIT_DEBOUNCE_SECONDS: Final = 2.0
"""Seconds for which attempts are collected before messages are updated."""

log = structlog.get_logger(__name__)


class DailyPuzzles(DueWorker):
    """Promises the posts of the daily puzzle, and has them updated after somebody has tried it."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("daily"), "daily")
        self._stirred: dict[str, datetime] = {}
        self._updated = False
        self._timer: asyncio.TimerHandle | None = None
        context.store.add_listener(self._on_store_change, {"puzzle"})

    async def close(self) -> None:
        """Stop; everything unfinished is done after the next start."""
        if self._timer is not None:
            self._timer.cancel()
        await super().close()

    async def _next_due_at(self) -> datetime | None:
        return await self._context.store.daily.next_due_at(tuple(self._context.adapters))

    def _on_store_change(self, news: News) -> None:
        # From a little before: what was stored in the same moment is meant, too.
        self._stirred.setdefault(str(news[1]), self._context.clock() - STORING_TOLERANCE)
        if self._loop is not None and self._timer is None:
            # However many there are in the next moments, they are told in one go, and nobody waits for that.
            self._timer = self._loop.get_loop().call_later(EDIT_DEBOUNCE_SECONDS, self._flush_edits)

    def _flush_edits(self) -> None:
        self._timer = None
        self._wanted.set()

    async def _run_due(self) -> bool:
        store, now = self._context.store, self._context.clock()
        if not self._updated:
            # What was solved just before the program died may not be told yet.
            await store.daily.mark_due(None, now - MAX_MESSAGE_AGE, now)
            self._updated = True
        while self._stirred:
            puzzle, since = self._stirred.popitem()
            await store.daily.mark_due(puzzle, since, now)
        due = await store.daily.list_due(now, tuple(self._context.adapters))
        return any([await self._promise_message(daily) for daily in due])

    async def _promise_message(self, daily: Daily) -> bool:
        """Promise today's message to a place where it is time for it; processes that do so at once promise the same."""
        store, place, now = self._context.store, daily.place.id, self._context.clock()
        try:
            today = today_at(daily.place, daily.hour, now)
            if now < today.due_at:
                await store.daily.postpone(place, daily.due_at, today.due_at)
                return True
            puzzle, date = puzzle_on(today.date), today.date.isoformat()
            if await store.daily.promise(place, date, puzzle.id, now, today.next_at):
                log.info("daily-scheduled", platform=daily.place.platform, place=place, date=date)
        except StorageError:
            raise
        except Exception:
            # Whatever it is: one row that cannot be read must not keep all others waiting for good.
            log.exception("daily-failed", place=place)
            await store.daily.postpone(place, daily.due_at, now + FAILURE_PAUSE)
        return True
