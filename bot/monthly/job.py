"""The job of the message of a month: it promises one to every channel in which a game ended in that month."""

from datetime import datetime, timedelta
from typing import Final

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.monthly.posts import MAX_LATENESS, is_wanted
from bot.standings.periods import read_month
from storage import NewPost
from storage.message_schema import MONTH

SEARCH_INTERVAL_SECONDS: Final = 3600.0
"""How often it is looked for places whose month has ended."""
_LARGEST_OFFSET: Final = timedelta(hours=14)
"""No clock is further from UTC."""


class MonthlyWorker(DueWorker):
    """A worker that promises places the message of the month that is over."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("monthly"), "monthly")
        self._search_at: float | None = None

    async def _next_due_at(self) -> datetime | None:
        clock = self._context.clock
        return clock() + timedelta(seconds=0.0 if self._search_at is None else self._search_at - clock.monotonic())

    async def _run_due(self) -> bool:
        seconds = self._context.clock.monotonic()
        if self._search_at is None or seconds >= self._search_at:
            await self._promise_messages(self._context.clock())
            self._search_at = seconds + SEARCH_INTERVAL_SECONDS
        return False

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
            for place in await store.daily.list_without_month(label, since, until):
                own = read_month(label, place, now)
                if own is None or now < own.until or not is_wanted(self._context, place):
                    continue
                if await store.games.ended_in(place.id, own.since, own.until, 1):
                    await store.posts.promise(NewPost(MONTH, label, place.id, now, own.message_at))
