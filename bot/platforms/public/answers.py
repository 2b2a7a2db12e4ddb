"""Responses: ETags, caching headers, static files, and errors of public requests."""

import gzip
import hashlib
import math
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Final

from aiohttp import web
from cachetools import TTLCache

from bot.kernel.operations.limits import limits_for
from bot.kernel.texts import Texts
from render.pool import SharedResults

REVALIDATE: Final = "no-cache"
"""Caches may store the response but must revalidate it each time, since pages can be withdrawn."""
FOREVER: Final = "public, max-age=31536000, immutable"
"""For files whose path changes when they do."""
WITHDRAWN: Final = "no-store"
CONTENT_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}
"""Content types of static files, by file name extension."""


class NothingToShow(Exception):
    """Nothing can be shown; `code` says why: unknown, gone, busy, limited, wrong."""

    STATUS: Final[Mapping[str, int]] = {"unknown": 404, "gone": 410, "busy": 503, "limited": 429, "wrong": 400}

    def __init__(self, code: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.STATUS[self.code]


def choose_language(request: web.Request, texts: Texts, usual: str) -> str:
    """Return the language of a response: the requested language, or the first supported one of the browser."""
    wanted = texts.supported(request.query.get("lang"))
    if wanted is not None:
        return wanted
    accepted = [each.partition(";")[0].strip() for each in request.headers.get("Accept-Language", "").split(",")]
    return next((known for each in accepted if (known := texts.supported(each)) is not None), usual)


def answer(
    request: web.Request,
    data: bytes,
    content_type: str,
    *,
    tag: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Return the response, or a 304 if the client has the current version."""
    tag = tag or hashlib.sha256(data).hexdigest()[:24]
    about = {"ETag": f'"{tag}"', "Cache-Control": REVALIDATE, **(headers or {})}
    known = request.headers.get("If-None-Match", "")
    if known.strip() == "*" or f'"{tag}"' in known:
        return web.Response(status=304, headers=about)
    charset = "utf-8" if content_type.startswith("text/") else None
    return web.Response(body=data, content_type=content_type, charset=charset, headers=about)


class StaticFile:
    """A file that is read once, with its ETag; `kind` is the file name extension."""

    def __init__(self, data: bytes, kind: str) -> None:
        self.data = data
        self.content_type = CONTENT_TYPES[kind]
        self.tag = hashlib.sha256(data).hexdigest()[:16]

    @cached_property
    def _packed(self) -> bytes:
        return gzip.compress(self.data, mtime=0)

    def answer(self, request: web.Request) -> web.Response:
        """Return the file, compressed if the client accepts that, or 304 if the client's copy is current."""
        response = answer(request, self.data, self.content_type, tag=self.tag, headers={"Vary": "Accept-Encoding"})
        if response.status == 200 and "gzip" in request.headers.get("Accept-Encoding", ""):
            response.body = self._packed
            response.headers["Content-Encoding"] = "gzip"
        return response


def version_of(files: Iterable[StaticFile]) -> str:
    """Return a version that changes if any of some files does."""
    return hashlib.sha256("".join(each.tag for each in files).encode()).hexdigest()[:12]


def read_static_files(folder: Traversable, *names: str) -> dict[str, StaticFile]:
    """Return the servable files of a folder, by name: the given ones, or all."""
    found = {each.name: each.name.rpartition(".")[2] for each in folder.iterdir() if not names or each.name in names}
    return {
        name: StaticFile(folder.joinpath(name).read_bytes(), kind)
        for name, kind in sorted(found.items())
        if kind in CONTENT_TYPES
    }


CACHE_BYTES: Final = 16 * 1024 * 1024


class SharedAnswers(SharedResults[bytes]):
    """Shared response bodies, cached for `lifetime_seconds`."""

    def __init__(self, lifetime_seconds: float, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(TTLCache(cache_bytes, lifetime_seconds, getsizeof=len))


WINDOW_SECONDS: Final = 60
_MAX_ADDRESSES: Final = 50_000
_LOCAL_FACTOR: Final = 50
"""Factor for this machine's own address, which may be an unconfigured proxy for all clients."""


class RateLimiter:
    """Counts requests by address in windows of a minute."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._counts: TTLCache[str, tuple[float, int]] = TTLCache(_MAX_ADDRESSES, WINDOW_SECONDS, timer=clock)

    def take(self, address: str) -> dict[str, str]:
        """Count a request and return the `RateLimit-*` headers; NothingToShow, with them, if none was left."""
        bound, now = limits_for(address), self._clock()
        limit = self._limit if bound is not None else self._limit * _LOCAL_FACTOR
        since, count = self._counts.get(bound or "", (now, 0))
        if now - since >= WINDOW_SECONDS:
            since, count = now, 0
        self._counts[bound or ""] = (since, count + 1)
        reset_seconds = str(max(1, math.ceil(since + WINDOW_SECONDS - now)))
        headers = {
            "RateLimit-Limit": str(limit),
            "RateLimit-Remaining": str(max(0, limit - count - 1)),
            "RateLimit-Reset": reset_seconds,
        }
        if count >= limit:
            raise NothingToShow("limited", {**headers, "Retry-After": reset_seconds})
        return headers
