"""Pictures drawn for readers: one bounded store by content, the oldest out; none is kept for ever."""

from __future__ import annotations

import hashlib
from typing import Final

from cachetools import LRUCache

CACHE_BYTES: Final = 24 * 1024 * 1024
"""Some five hundred boards."""


class DrawingCache:
    """The pictures that readers were told of lately, by the digest of their content.

    Another process may have made the picture that is asked for here, or it may be gone: it is drawn again then.
    """

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self._cache: LRUCache[str, bytes] = LRUCache(most, getsizeof=len)

    def put(self, png: bytes) -> str:
        """Keep a picture and return its digest; one larger than all that may be kept is not."""
        digest = hashlib.sha256(png).hexdigest()[:32]
        if len(png) <= self._cache.maxsize:
            self._cache[digest] = png
        return digest

    def get(self, digest: str) -> bytes | None:
        """Return the picture with a digest, None if it is not here."""
        return self._cache.get(digest)
