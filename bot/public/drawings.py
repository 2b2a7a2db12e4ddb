"""Pictures for the world: each is drawn once however many ask for it, and cached while there is room."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from typing import Final

from cachetools import LRUCache

from bot.interface.cards import Picture
from bot.public.limits import TooManyRequests, WorkLimit

CACHE_BYTES: Final = 32 * 1024 * 1024
MAX_AT_ONCE: Final = 2
MAX_WAITING: Final = 40


@dataclass(frozen=True, slots=True)
class CachedPicture:
    """A picture as a file, and a tag that changes with it; of a card's picture its words and its size, too."""

    data: bytes
    tag: str
    alt: str = ""
    size: tuple[int, int] = (0, 0)


Draw = Callable[[], Awaitable[Picture | bytes | None]]


class Drawings:
    """Draws what is asked for; `drawn` counts how often something was."""

    def __init__(self, cache_bytes: int = CACHE_BYTES, at_once: int = MAX_AT_ONCE, waiting: int = MAX_WAITING) -> None:
        self._cached: LRUCache[Hashable, CachedPicture] = LRUCache(
            cache_bytes, getsizeof=lambda drawing: len(drawing.data)
        )
        self._under_way: dict[Hashable, asyncio.Task[CachedPicture]] = {}
        self._limit = WorkLimit(at_once, waiting)
        self.drawn = 0

    async def get(self, key: Hashable, draw: Draw) -> CachedPicture:
        """Return the picture with a key, drawn if it is not cached; TooManyRequests, also where none can be drawn."""
        cached = self._cached.get(key)
        if cached is not None:
            return cached
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._draw(key, draw))
            task.add_done_callback(lambda done: self._done(key, done))
        # Others may wait for the same picture: a reader who gives up must not take it from them.
        return await asyncio.shield(task)

    async def _draw(self, key: Hashable, draw: Draw) -> CachedPicture:
        async with self._limit.turn():
            self.drawn += 1
            drawn = await draw()
        if drawn is None:
            raise TooManyRequests
        data = drawn.png if isinstance(drawn, Picture) else drawn
        drawing = CachedPicture(data, hashlib.sha256(data).hexdigest()[:24])
        if isinstance(drawn, Picture):
            drawing = replace(drawing, alt=drawn.alt, size=drawn.size)
        if len(data) <= self._cached.maxsize:
            self._cached[key] = drawing
        return drawing

    def _done(self, key: Hashable, task: asyncio.Task[CachedPicture]) -> None:
        self._under_way.pop(key, None)
        if not task.cancelled():
            task.exception()  # those who wait for it get it; nobody may wait any more
