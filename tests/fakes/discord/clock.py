"""The fake Discord's time: it stands still until a test turns it, or runs like the machine's."""

import time
from datetime import UTC, datetime
from typing import Final

START: Final = datetime(2026, 11, 21, 12, 0, tzinfo=UTC).timestamp()


class Clock:
    """A clock that stands still until a test turns it."""

    def __init__(self) -> None:
        self._turned = 0.0

    @property
    def now(self) -> float:
        return START + self._turned

    def turn(self, seconds: float) -> None:
        """Let time pass."""
        self._turned += seconds


class RunningClock(Clock):
    """A clock that runs like the machine's, for programs in processes of their own."""

    @property
    def now(self) -> float:
        return time.time() + self._turned
