"""Static files of the page and of the apps, read once at start; no other file can be requested."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from aiohttp import web

from bot.kernel.texts import Speaker, Texts
from bot.platforms.public.answers import StaticFile, read_static_files
from bot.platforms.public.pages import static_files

SHARED_SCRIPT: Final = "live.js"
"""The script of live streams, which the public pages have as well."""
FONTS: Final = ("Jost-Bold.woff2",)


def read_assets(*packages: str) -> dict[str, StaticFile]:
    """Return the static files of some packages, the shared script and the fonts, by their paths."""
    static = {SHARED_SCRIPT: static_files()[SHARED_SCRIPT]}
    for package in packages:
        static |= read_static_files(files(package).joinpath("static"))
    fonts = read_static_files(files("render").joinpath("fonts"), *FONTS)
    return {f"/static/{name}": each for name, each in sorted(static.items())} | {
        f"/fonts/{name}": each for name, each in fonts.items()
    }


def join_styles(assets: Mapping[str, StaticFile], names: Sequence[str]) -> StaticFile:
    """Return style sheets as one, in the order in which they apply: one request before anything is drawn."""
    return StaticFile(b"\n".join(assets[f"/static/{name}.css"].data for name in names), "css")


STYLES: Final = ("page", "messages", "stage", "clocks", "lobby")
"""The first style sheets of the page, in the order in which they apply; its scripts load the others."""


class Assets:
    """All static files of the page by path; `version` changes when any of them does."""

    def __init__(self) -> None:
        self._assets = read_assets("bot.platforms.web")
        self._assets["/static/all.css"] = join_styles(self._assets, STYLES)
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


CATALOGUE_DOMAIN: Final = "web"
LANGUAGE_NAMES: Final = {"en": "English", "it": "Italiano"}


class PageWords:
    """Texts of the page by language; a text that depends on a number has two forms, singular and plural."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._words = {language: self._read(language) for language in texts.languages}

    def _read(self, language: str) -> dict[str, str | list[str]]:
        catalogue = self._texts.catalogue(language, CATALOGUE_DOMAIN)
        if catalogue is None:
            return {}
        words: dict[str, str | list[str]] = {}
        for key in catalogue.keys:
            one, many = catalogue.find(key, 1), catalogue.find(key, 2)
            words[key] = one if one == many else [one, many]
        return words

    @property
    def languages(self) -> list[dict[str, str]]:
        """The available languages, each with its own name for itself."""
        return [{"code": code, "name": LANGUAGE_NAMES.get(code, code)} for code in self._words]

    def supported(self, wanted: object) -> str | None:
        """Return the supported language for what a browser asks for; None if there is none."""
        return self._texts.supported(wanted) if isinstance(wanted, str) else None

    def speaker(self, wanted: object) -> Speaker:
        """Return the Speaker of the language that a browser asks for, if it is supported; otherwise of English."""
        return self._texts.speaker(self.supported(wanted) or "en")

    def for_language(self, language: str) -> dict[str, str | list[str]]:
        """Return all texts of a language."""
        return self._words[language]
