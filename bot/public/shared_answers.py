"""Results shared by equal requests: each is made once, however many wait for it."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Generic, TypeVar

from cachetools import Cache, TTLCache

CACHE_BYTES: Final = 16 * 1024 * 1024

T = TypeVar("T")


class SharedResults(Generic[T]):
    """Makes results and caches them."""

    def __init__(self, cache: Cache[Hashable, T]) -> None:
        self._cache = cache
        self._under_way: dict[Hashable, asyncio.Task[T]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Return the result with a key, made if it is not cached; raises the errors of `make` for all who wait."""
        cached = self._cache.get(key)
        if cached is not None:
            return cached
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._make(key, make))
            task.add_done_callback(lambda done: self._finish(key, done))
        # Others may wait for the same result, so a cancelled request must not cancel the task.
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        made = await make()
        if self._cache.getsizeof(made) <= self._cache.maxsize:
            self._cache[key] = made
        return made

    def _finish(self, key: Hashable, task: asyncio.Task[T]) -> None:
        self._under_way.pop(key, None)
        if not task.cancelled():
            task.exception()  # mark the error as retrieved: nobody may be waiting any more


class SharedAnswers(SharedResults[bytes]):
    """Answers in bytes, cached for a few seconds."""

    def __init__(self, lifetime_seconds: float, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(TTLCache(cache_bytes, lifetime_seconds, getsizeof=len))
