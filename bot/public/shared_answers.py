"""Answers that are the same for all who ask: each is made once, however many ask for it at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

from cachetools import TTLCache

CACHE_BYTES: Final = 16 * 1024 * 1024


class SharedAnswers:
    """Makes answers, and caches them for a few seconds while there is room."""

    def __init__(self, lifetime_seconds: float, cache_bytes: int = CACHE_BYTES) -> None:
        self._cached: TTLCache[Hashable, bytes] = TTLCache(cache_bytes, lifetime_seconds, getsizeof=len)
        self._under_way: dict[Hashable, asyncio.Task[bytes]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return the answer with a key, made if it is not cached; what making it raises, for all who wait for it."""
        cached = self._cached.get(key)
        if cached is not None:
            return cached
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._make(key, make))
            task.add_done_callback(lambda done: self._done(key, done))
        # Others may wait for the same answer: a reader who gives up must not take it from them.
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        made = await make()
        if len(made) <= self._cached.maxsize:
            self._cached[key] = made
        return made

    def _done(self, key: Hashable, task: asyncio.Task[bytes]) -> None:
        self._under_way.pop(key, None)
        if not task.cancelled():
            task.exception()  # those who wait for it get it; nobody may wait any more
