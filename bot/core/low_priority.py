"""What everybody has a board of their own for is done a few at a time, so that boards of games go first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

MAX_CONCURRENT: Final = 2
"""How many are done at a time; so few keep the processor as busy as all at once would.

Measured with 200 solvers of one puzzle beside 20 tables on 2 cores: from a press to its board 1 to 2 s (the median of
some runs; at most 2.2 to 3.7), and 15 to 21 s until all have solved it. All at once: 2.4 to 3.1 s, at most 9. One at
a time: 1.1 to 1.8 s, at most 1.9 to 3.2, and 28 to 34 s.
"""


class LowPriorityQueue:
    """Lets in as many at a time as a board does not notice, in the order of their coming."""

    def __init__(self, at_once: int = MAX_CONCURRENT) -> None:
        self._places = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        """Wait for one's turn and keep it; say whether there was anything to wait for."""
        waited = self._places.locked()
        async with self._places:
            yield waited
