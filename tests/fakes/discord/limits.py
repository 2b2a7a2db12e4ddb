"""Rate limits, on the clock that tests turn."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field

from tests.fakes.discord.clock import Clock
from tests.fakes.discord.schema import Json

WIRE: float = 0.01
"""How many real seconds the client is told to wait: the clock of the tests is turned by the true time instead."""
EXEMPT = ("/interactions", "/webhooks")


@dataclass
class Bucket:
    """A window in which so many requests may be made."""

    limit: int
    per: float
    used: int = 0
    ends: float = 0.0


@dataclass
class Limits:
    """The limits of operations, each per channel or token; none unless a test sets one.

    `turns` says whether the clock is turned to the end of the window when a request is refused, as if the client had
    waited as long as it was told. `runs` says whether it comes there by itself while the client waits as told because
    there is no room left.
    """

    clock: Clock
    turns: bool = True
    runs: bool = False
    rules: dict[str, tuple[int, float]] = field(default_factory=dict)
    refused: int = 0
    overall: tuple[int, float] | None = None
    """How many requests may be made in so many seconds, by the machine's clock; answers to interactions apart."""
    _arrived: deque[float] = field(default_factory=deque)
    _buckets: dict[tuple[str, str], Bucket] = field(default_factory=dict)

    def set(self, operation: str, limit: int, per: float) -> None:
        """Allow so many requests of an operation in so many seconds."""
        self.rules[operation] = (limit, per)

    def take(self, operation: str, major: str) -> tuple[dict[str, str], Json | None]:
        """Count a request; return the headers of its answer, and the body of a refusal if there is no room."""
        if self.overall is not None and not operation.split(" ")[1].startswith(EXEMPT):
            most, per = self.overall
            now = time.monotonic()
            while self._arrived and self._arrived[0] <= now - per:
                self._arrived.popleft()
            if len(self._arrived) >= most:
                self.refused += 1
                headers = {"Retry-After": "1", "Via": "1.1 fake", "X-RateLimit-Global": "true"}
                return headers, {"message": "You are being rate limited.", "retry_after": WIRE, "global": True}
            self._arrived.append(now)
        if operation not in self.rules:
            return {}, None
        limit, per = self.rules[operation]
        bucket = self._buckets.setdefault((operation, major), Bucket(limit, per))
        if self.clock.now >= bucket.ends:
            bucket.used, bucket.ends = 0, self.clock.now + per
        headers = {
            "X-RateLimit-Bucket": f"{abs(hash(operation)):x}"[:16],
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Reset": str(bucket.ends),
            "X-RateLimit-Reset-After": str(WIRE),
        }
        if bucket.used >= limit:
            self.refused += 1
            if self.turns:
                self.clock.turn(bucket.ends - self.clock.now)
            headers |= {
                "X-RateLimit-Remaining": "0",
                "Retry-After": "1",
                "Via": "1.1 fake",
                "X-RateLimit-Scope": "user",
            }
            return headers, {"message": "You are being rate limited.", "retry_after": WIRE, "global": False}
        bucket.used += 1
        headers["X-RateLimit-Remaining"] = str(limit - bucket.used)
        if self.runs and bucket.used == limit:
            asyncio.get_running_loop().call_later(WIRE / 2, self._come_to, bucket.ends)
        return headers, None

    def _come_to(self, end: float) -> None:
        self.clock.turn(max(0.0, end - self.clock.now))
