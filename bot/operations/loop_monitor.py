"""Measures stalls of the event loop: the longest time that a press had to wait for its turn."""

import asyncio
import time
from typing import Final

from bot.operations.tasks import cancel_tasks

HEARTBEAT_SECONDS: Final = 0.05
"""Seconds between two wake-ups of the loop."""


class LoopMonitor:
    """Measures how late the loop was at most, and how much of that it was busy itself.

    The rest of a delay is due to the machine, or another thread, not to the loop.
    """

    def __init__(self) -> None:
        self._longest = 0.0
        self._busiest = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start."""
        self._task = asyncio.create_task(self._measure(), name="pulse")

    async def stop(self) -> None:
        """Stop."""
        await cancel_tasks(self._task)
        self._task = None

    def longest_stall_seconds(self) -> float:
        """Return the longest stall in seconds since the last call, and reset it."""
        longest, self._longest = self._longest, 0.0
        return longest

    def busy_seconds(self) -> float:
        """Return the most seconds that the loop itself was busy in a stall since the last call, and reset it."""
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
