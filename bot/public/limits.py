"""Rate limits per address."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cachetools import TTLCache

from bot.operations.connection_limits import limits_for

WINDOW_SECONDS: Final = 60
_MAX_ADDRESSES: Final = 50_000
_LOCAL_FACTOR: Final = 50
"""Factor for this machine's own address, which may be an unconfigured proxy that stands for everybody."""


@dataclass(frozen=True, slots=True)
class Quota:
    """The remaining requests of an address; `remaining` is below 0 if it has sent too many."""

    limit: int
    remaining: int
    reset_seconds: int

    @property
    def is_exceeded(self) -> bool:
        """Whether the limit is exceeded."""
        return self.remaining < 0

    def headers(self) -> dict[str, str]:
        """Return the usual rate limit headers."""
        sent = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(max(0, self.remaining)),
            "RateLimit-Reset": str(self.reset_seconds),
        }
        return {**sent, "Retry-After": str(self.reset_seconds)} if self.is_exceeded else sent


class RateLimiter:
    """Counts requests by address in windows of a minute."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._counts: TTLCache[str, tuple[float, int]] = TTLCache(_MAX_ADDRESSES, WINDOW_SECONDS, timer=clock)

    def take(self, address: str) -> Quota:
        """Count a request and return the remaining quota."""
        bound, now = limits_for(address), self._clock()
        limit = self._limit if bound is not None else self._limit * _LOCAL_FACTOR
        since, count = self._counts.get(bound or "", (now, 0))
        if now - since >= WINDOW_SECONDS:
            since, count = now, 0
        self._counts[bound or ""] = (since, count + 1)
        return Quota(limit, limit - count - 1, max(1, math.ceil(since + WINDOW_SECONDS - now)))
