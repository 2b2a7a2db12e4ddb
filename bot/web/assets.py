"""Static files of the page, read once at start; no other file can be requested."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from aiohttp import web

_CONTENT_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "ttf": "font/ttf",
}
SHARED_SCRIPT: Final = "live.js"
"""The script of live streams, which the public pages have as well."""
_FONTS: Final = ("Jost-SemiBold.ttf", "Jost-Bold.ttf")


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file with its content type and its ETag."""

    data: bytes
    kind: str
    tag: str

    def answer(self, request: web.Request) -> web.Response:
        """Return the file, or 304 if the browser's copy is current."""
        headers = {"ETag": f'"{self.tag}"', "Cache-Control": "no-cache"}
        if f'"{self.tag}"' in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        charset = "utf-8" if self.kind.startswith("text/") else None
        return web.Response(body=self.data, content_type=self.kind, charset=charset, headers=headers)


class Assets:
    """All static files of the page by path; `version` changes when any of them does."""

    def __init__(self) -> None:
        own = [*files("bot.web").joinpath("static").iterdir(), files("bot.public").joinpath("static", SHARED_SCRIPT)]
        static = [(f"/static/{file.name}", file) for file in own]
        fonts = [(f"/fonts/{name}", files("render").joinpath("fonts", name)) for name in _FONTS]
        self._assets = {path: _read(file) for path, file in sorted(static + fonts) if _kind(file)}
        tags = "".join(asset.tag for asset in self._assets.values())
        self.version = hashlib.sha256(tags.encode()).hexdigest()[:12]

    async def page(self, request: web.Request) -> web.Response:
        """Answer with the page's HTML."""
        return self._assets["/static/index.html"].answer(request)

    async def file(self, request: web.Request) -> web.Response:
        """Answer with a static file."""
        asset = self._assets.get(request.path)
        if asset is None:
            raise web.HTTPNotFound
        return asset.answer(request)


def _kind(file: Traversable) -> str | None:
    return _CONTENT_TYPES.get(file.name.rpartition(".")[2])


def _read(file: Traversable) -> Asset:
    data = file.read_bytes()
    return Asset(data, _kind(file) or "", hashlib.sha256(data).hexdigest()[:16])
