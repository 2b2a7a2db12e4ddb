"""Limits in memory: how often something may be done, and how much of it at a time."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from cachetools import TTLCache

LIMIT_WINDOW: Final = timedelta(hours=1)
_MAX_KEYS: Final = 10_000
"""Maximum number of remembered keys; beyond that, the least recently active are forgotten."""


class HourlyRateLimiter:
    """Counts actions per key; each key may act `most` times within any `window`, by default an hour."""

    def __init__(self, most: int, clock: Callable[[], float], window: timedelta = LIMIT_WINDOW) -> None:
        """Create the limiter; `clock` returns seconds that cannot be set."""
        self.most = most
        self._window_seconds = window.total_seconds()
        self._clock = clock
        self._done: TTLCache[Hashable, deque[float]] = TTLCache(_MAX_KEYS, self._window_seconds, timer=clock)
        """When each key acted lately, the newest `most` times, oldest first."""

    def minutes_to_wait(self, who: Hashable) -> int:
        """Return the minutes until a key may act again, 0 if it may now."""
        return math.ceil(self.wait_seconds(who) / 60)

    def wait_seconds(self, who: Hashable) -> int:
        """Return the seconds until a key may act again, 0 if it may now."""
        done = self._done.get(who)
        if done is None or len(done) < self.most:
            return 0
        left = done[0] + self._window_seconds - self._clock()
        return max(1, math.ceil(left)) if left > 0 else 0

    def record(self, who: Hashable) -> None:
        """Record an action of a key."""
        done = self._done.get(who) or deque(maxlen=self.most)
        done.append(self._clock())
        self._done[who] = done


class TooManyRequests(Exception):
    """A queue is full."""


class WorkQueues:
    """FIFO queues by key: of each, some work is done at a time, and some more may wait."""

    def __init__(
        self, at_once: int, waiting: float = math.inf, refusal: Callable[[], Exception] = TooManyRequests
    ) -> None:
        """Create the queues; `refusal` makes the error that is raised if one is full."""
        self._at_once = at_once
        self._most = at_once + waiting
        self._refusal = refusal
        self._queues: dict[Hashable, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def turn(self, key: Hashable = None) -> AsyncIterator[bool]:
        """Wait for a place in a queue and hold it; yield True if none was free at once."""
        places, inside = self._queues.get(key) or (asyncio.Semaphore(self._at_once), 0)
        if inside >= self._most:
            raise self._refusal()
        self._queues[key] = places, inside + 1
        waits = places.locked()
        try:
            async with places:
                yield waits
        finally:
            places, inside = self._queues.pop(key)
            if inside > 1:
                self._queues[key] = places, inside - 1
