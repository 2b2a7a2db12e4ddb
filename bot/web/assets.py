"""Static files of the page and of the apps, read once at start; no other file can be requested."""

import hashlib
from importlib.resources import files
from typing import Final

from aiohttp import web

from bot.public.answers import StaticFile, read_static_files
from bot.public.templating import static_files

SHARED_SCRIPT: Final = "live.js"
"""The script of live streams, which the public pages have as well."""
FONTS: Final = ("Jost-SemiBold.ttf", "Jost-Bold.ttf")


def read_assets(*packages: str) -> dict[str, StaticFile]:
    """Return the static files of some packages, the shared script and the fonts, by their paths."""
    static = {SHARED_SCRIPT: static_files()[SHARED_SCRIPT]}
    for package in packages:
        static |= read_static_files(files(package).joinpath("static"))
    fonts = read_static_files(files("render").joinpath("fonts"), *FONTS)
    return {f"/static/{name}": each for name, each in sorted(static.items())} | {
        f"/fonts/{name}": each for name, each in fonts.items()
    }


class Assets:
    """All static files of the page by path; `version` changes when any of them does."""

    def __init__(self) -> None:
        self._assets = read_assets("bot.web")
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
