"""How often a bot may write: to a chat once a second, to a group twenty times a minute, in all 30 times a second.

On the fake's own clock.
"""

import math
from collections import defaultdict, deque
from collections.abc import Callable
from datetime import datetime
from typing import Final

from tests.fakes.telegram.schema import ApiError, bad_request

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
        if until > now:
            raise too_many(until - now)
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
        if max(waits) > 0:
            raise too_many(max(waits))
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


def check_web_app(app: dict[str, str] | None, *, group: bool) -> None:
    """Refuse a button that opens an app where there is none: “available only in private chats” (InlineKeyboardButton).

    Its address must be one of https (WebAppInfo).
    """
    if app is None:
        return
    if group:
        raise bad_request("BUTTON_TYPE_INVALID")
    if not app["url"].startswith("https://"):
        raise bad_request("inline keyboard button Web App URL '...' is invalid: Only HTTPS links are allowed")
