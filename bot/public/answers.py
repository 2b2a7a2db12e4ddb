"""Responses: ETags, caching headers, static files, and errors of public requests."""

import gzip
import hashlib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Final

from aiohttp import web

from bot.language.texts import Texts

REVALIDATE: Final = "no-cache"
"""Caches may store the response but must revalidate it each time, because pages can be withdrawn."""
WITHDRAWN: Final = "no-store"
CONTENT_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "ttf": "font/ttf",
}
"""Content types of static files, by the ends of their names."""


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
    """Return the language of a response: the requested one, or the browser's first supported one."""
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
    """A file that is read once, with its ETag: `kind` is the end of its name."""

    def __init__(self, data: bytes, kind: str) -> None:
        self.data = data
        self.content_type = CONTENT_TYPES[kind]
        self.tag = hashlib.sha256(data).hexdigest()[:16]

    @cached_property
    def _packed(self) -> bytes:
        return gzip.compress(self.data, mtime=0)

    def answer(self, request: web.Request) -> web.Response:
        """Return the file, compressed if the client takes that, or 304 if its copy is current."""
        response = answer(request, self.data, self.content_type, tag=self.tag, headers={"Vary": "Accept-Encoding"})
        if response.status == 200 and "gzip" in request.headers.get("Accept-Encoding", ""):
            response.body = self._packed
            response.headers["Content-Encoding"] = "gzip"
        return response


def read_static_files(folder: Traversable, *names: str) -> dict[str, StaticFile]:
    """Return the files of a folder that can be served, by name: all of them, or some."""
    found = {each.name: each.name.rpartition(".")[2] for each in folder.iterdir() if not names or each.name in names}
    return {
        name: StaticFile(folder.joinpath(name).read_bytes(), kind)
        for name, kind in sorted(found.items())
        if kind in CONTENT_TYPES
    }
