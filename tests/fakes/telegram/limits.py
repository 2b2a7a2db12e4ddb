"""How often a bot may write: to a chat once a second, to a group twenty times a minute, in all 30 times a second.

On the fake's own clock.
"""

import math
from collections import defaultdict, deque
from collections.abc import Callable
from datetime import datetime
from typing import Final

from tests.fakes.platform import refuse_if
from tests.fakes.telegram.schema import ApiError

BURST: Final = 5
"""So many calls may come at once in a chat; over any span of as many seconds, no more."""
A_MINUTE: Final = 20
OVERALL: Final = 30
SECOND: Final = 1.0
MINUTE: Final = 60.0


class Limits:
    """Counts what is written in each chat, edits included; nothing is too much while they are `off`."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self.off = False
        self._written: dict[int, deque[float]] = defaultdict(deque)
        self._waits: dict[int, float] = {}
        self._all: deque[float] = deque(maxlen=OVERALL)

    def take(self, chat: int, *, group: bool) -> None:
        """Count one call; ApiError 429 if it is one too many."""
        if self.off:
            return
        now = self._clock().timestamp()
        until = self._waits.get(chat, 0.0)
        refuse_if(until > now, too_many(until - now))
        written = self._written[chat]
        while written and written[0] <= now - MINUTE:
            written.popleft()
        waits = [0.0]
        if len(written) >= BURST:
            waits.append(written[-BURST] + BURST - now)
        if group and len(written) >= A_MINUTE:
            waits.append(written[-A_MINUTE] + MINUTE - now)
        if len(self._all) == OVERALL:
            waits.append(self._all[0] + SECOND - now)
        refuse_if(max(waits) > 0, too_many(max(waits)))
        self.note(chat)

    def note(self, chat: int) -> None:
        """Count one call that is never too much itself."""
        if self.off:
            return
        now = self._clock().timestamp()
        self._written[chat].append(now)
        self._all.append(now)

    def count(self, chat: int) -> int:
        """Return how many calls of the last minute count in a chat."""
        now = self._clock().timestamp()
        return sum(at > now - MINUTE for at in self._written[chat])

    def flood(self, chat: int, seconds: float) -> None:
        """Refuse everything in a chat for some seconds."""
        self._waits[chat] = self._clock().timestamp() + seconds


def too_many(seconds: float) -> ApiError:
    """Return the answer that asks for patience."""
    wait = max(1, math.ceil(seconds))
    return ApiError(429, f"Too Many Requests: retry after {wait}", retry_after=wait)
