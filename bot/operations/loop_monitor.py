"""How long the event loop stands still: the longest time that a press had to wait for its turn."""

from __future__ import annotations

import asyncio
import time
from typing import Final

HEARTBEAT_SECONDS: Final = 0.05
"""Every how many seconds the loop should come round."""


class LoopMonitor:
    """Feels the loop's pulse: by how much it was late at worst, and how much of that it was busy itself.

    The rest of a delay is the machine's, or another thread's: nothing that the loop does.
    """

    def __init__(self) -> None:
        self._longest = 0.0
        self._busiest = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._measure(), name="pulse")

    async def stop(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def longest_stall_seconds(self) -> float:
        """Return the longest stall in seconds since the last call, and begin anew."""
        longest, self._longest = self._longest, 0.0
        return longest

    def busy_seconds(self) -> float:
        """Return the most seconds that the loop was itself busy in a stall since the last call, and begin anew."""
        busiest, self._busiest = self._busiest, 0.0
        return busiest

    async def _measure(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due, used = loop.time() + HEARTBEAT_SECONDS, time.thread_time()
            await asyncio.sleep(HEARTBEAT_SECONDS)
            late = loop.time() - due
            self._longest = max(self._longest, late)
            self._busiest = max(self._busiest, min(late, time.thread_time() - used))
