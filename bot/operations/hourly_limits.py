"""How often somebody may do a thing within a while, counted in memory: enough for people, too little for scripts."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable
from datetime import datetime, timedelta
from typing import Final

from cachetools import TTLCache

WINDOW: Final = timedelta(hours=1)
_MAX_KEYS: Final = 10_000
"""So many who did something in the last hour are known; beyond that those who did it longest ago are forgotten."""


class HourlyRateLimiter:
    """Counts what is done, by who does it; each may do it `most` times within any `window`, usually an hour."""

    def __init__(self, most: int, clock: Callable[[], datetime], window: timedelta = WINDOW) -> None:
        self.most = most
        self._window = window
        self._clock = clock
        self._done: TTLCache[Hashable, deque[datetime]] = TTLCache(
            _MAX_KEYS, window.total_seconds(), timer=lambda: clock().timestamp()
        )

    def seconds_to_wait(self, who: Hashable) -> int:
        """Return for how many minutes somebody has to wait before they may do it again, 0 if they may now."""
        return math.ceil(self.wait_seconds(who) / 60)

    def wait_seconds(self, who: Hashable) -> int:
        """Return for how many seconds somebody has to wait before they may do it again, 0 if they may now."""
        done = [time for time in self._done.get(who, ()) if self._clock() - time < self._window]
        if len(done) < self.most:
            return 0
        return max(1, math.ceil((done[-self.most] + self._window - self._clock()).total_seconds()))

    def record(self, who: Hashable) -> None:
        """Note that somebody has done it now."""
        done = self._done.get(who) or deque(maxlen=self.most)
        done.append(self._clock())
        self._done[who] = done
