"""What takes long is done one piece at a time for each person; nobody else waits for it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bot.interface.refusals import Refused

MAX_WAITING_PER_PERSON: Final = 6
"""How many pieces of one person's may wait, with the one that is under way."""


class PerPersonQueue:
    """Keeps a queue for each person who asks for several long pieces at once."""

    def __init__(self) -> None:
        self._locks: dict[int, asyncio.Lock] = {}
        self._waiting: Counter[int] = Counter()

    @asynccontextmanager
    async def turn(self, person: int) -> AsyncIterator[None]:
        """Wait until the person's earlier pieces are done; Refused to somebody who has too many waiting already."""
        if self._waiting[person] >= MAX_WAITING_PER_PERSON:
            raise Refused("refusal.one-by-one")
        lock = self._locks.setdefault(person, asyncio.Lock())
        self._waiting[person] += 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[person] -= 1
            if not self._waiting[person]:
                del self._waiting[person], self._locks[person]
