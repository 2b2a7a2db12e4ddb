"""How much somebody may say on the page within a minute and an hour, whatever name their browser speaks by."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime, timedelta
from typing import Final

from bot.operations.hourly_limits import HourlyRateLimiter
from bot.web.request_guard import Rejected

LINES_PER_MINUTE: Final = 20
LINES_PER_HOUR: Final = 300


class TalkPace:
    """Counts what is said, by browser and by person."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._limits = (
            HourlyRateLimiter(LINES_PER_MINUTE, clock, timedelta(minutes=1)),
            HourlyRateLimiter(LINES_PER_HOUR, clock),
        )

    def take(self, *speakers: Hashable) -> None:
        """Count a line; Rejected, and not counted, where one of those who say it has said as much as may be."""
        seconds = max(limit.wait_seconds(speaker) for limit in self._limits for speaker in speakers)
        if seconds:
            raise Rejected(429, "too-much-talk", seconds=seconds)
        for limit in self._limits:
            for speaker in speakers:
                limit.record(speaker)
