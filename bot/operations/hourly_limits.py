"""In-memory rate limits per person: enough for people, too little for scripts."""

import math
from collections import deque
from collections.abc import Callable, Hashable
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
