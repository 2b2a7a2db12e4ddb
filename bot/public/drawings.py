"""Pictures for public pages: each is drawn once for all requests, and cached."""

import hashlib
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from cachetools import LRUCache

from bot.interface.cards import Picture
from bot.operations.limits import TooManyRequests, WorkQueues
from bot.public.shared_answers import SharedResults

CACHE_BYTES: Final = 32 * 1024 * 1024
MAX_AT_ONCE: Final = 2
MAX_WAITING: Final = 40


@dataclass(frozen=True, slots=True)
class CachedPicture:
    """A picture file with its ETag; for a card's picture also its alt text and size."""

    data: bytes
    tag: str
    alt: str = ""
    size: tuple[int, int] = (0, 0)


Draw = Callable[[], Awaitable[Picture | bytes | None]]


class Drawings:
    """Draws pictures on request; `drawn` counts them."""

    def __init__(self, cache_bytes: int = CACHE_BYTES, at_once: int = MAX_AT_ONCE, waiting: int = MAX_WAITING) -> None:
        self._shared = SharedResults[CachedPicture](LRUCache(cache_bytes, getsizeof=lambda drawing: len(drawing.data)))
        self._limit = WorkQueues(at_once, waiting)
        self.drawn = 0

    async def get(self, key: Hashable, draw: Draw) -> CachedPicture:
        """Return the picture with a key, drawn if it is not cached; TooManyRequests, also if it cannot be drawn."""
        return await self._shared.get(key, partial(self._draw, draw))

    async def _draw(self, draw: Draw) -> CachedPicture:
        async with self._limit.turn():
            self.drawn += 1
            drawn = await draw()
        if drawn is None:
            raise TooManyRequests
        data = drawn.png if isinstance(drawn, Picture) else drawn
        drawing = CachedPicture(data, hashlib.sha256(data).hexdigest()[:24])
        if isinstance(drawn, Picture):
            drawing = replace(drawing, alt=drawn.alt, size=drawn.size)
        return drawing
