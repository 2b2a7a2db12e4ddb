"""The limits of a search: iterations and seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

_CLOCK_CHECK_INTERVAL: Final = 32
"""Iterations between two looks at the clock."""


class Budget:
    """Counts iterations (new positions searched) and says when a search has to end.

    Without `seconds` only the iterations count, so a search can be repeated exactly.
    """

    __slots__ = ("_clock", "_deadline", "is_over", "most", "spent")

    def __init__(
        self,
        most: int,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most = most
        self.spent = 0
        self.is_over = most <= 0
        self._clock = clock
        self._deadline = None if seconds is None else clock() + seconds

    def part(self, most: int, share: float = 1.0) -> Budget:
        """Return a budget for a part of the work: its own iterations and a share of the remaining time."""
        seconds = None if self._deadline is None else max(0.0, self._deadline - self._clock()) * share
        return Budget(most, seconds, self._clock)

    def spend(self) -> bool:
        """Count one iteration and return whether the budget is used up."""
        self.spent += 1
        if self.spent >= self.most:
            self.is_over = True
        elif self._deadline is not None and not self.spent % _CLOCK_CHECK_INTERVAL:
            self.is_over = self._clock() >= self._deadline
        return self.is_over
