"""Background tasks: cancel them together, or wait for them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


async def cancel_tasks(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel the given tasks, and return once all have ended in any way."""
    there = [task for task in tasks if task is not None]
    for task in there:
        task.cancel()
    await asyncio.gather(*there, return_exceptions=True)


async def is_set_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event for at most some seconds; return True if it is set."""
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


class WorkCounter:
    """Counts pieces of work in progress, and lets callers wait until there are none."""

    def __init__(self) -> None:
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count one piece of work inside the block."""
        self._count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._idle.set()

    async def wait_until_idle(self) -> None:
        """Wait until no work is in progress."""
        await self._idle.wait()
