"""Pauses that end when a test says so."""

import asyncio
from typing import Final

TIMEOUT_SECONDS: Final = 60.0


class Pauses:
    """Stands in for `asyncio.sleep`; `asked` is how long each pause was to be."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._begun = asyncio.Event()
        self._over = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        """Wait until the test goes on."""
        self.asked.append(seconds)
        self._begun.set()
        await self._over.wait()
        self._over.clear()

    async def begun(self) -> float:
        """Return how long the next pause is to be, as soon as it has begun."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await self._begun.wait()
        self._begun.clear()
        return self.asked[-1]

    def end(self) -> None:
        """End the pause that has begun."""
        self._over.set()
