"""Static files of the page and of the apps, read once at start; no other file can be requested."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from aiohttp import web

from bot.kernel.texts import Speaker, Texts
from bot.platforms.public.answers import FOREVER, StaticFile, read_static_files, version_of
from bot.platforms.public.pages import LANGUAGE_NAMES, static_files

SHARED_SCRIPT: Final = "live.js"
"""The script of live streams, which the public pages have as well."""
FONTS: Final = ("Jost-Bold.woff2",)
_IMPORT_PATTERN: Final = re.compile(r'^import [^;]*? from "\./([a-z0-9-]+\.js)";$', re.MULTILINE)

STYLES: Final = ("page", "messages", "stage", "clocks", "lobby")
"""The first style sheets of the page, in the order in which they apply; its scripts load the others."""


class Assets:
    """The static files of some packages by path, with the shared script and the fonts.

    `styles` are joined to one style sheet, in the order in which they apply: one request before anything is drawn.
    """

    def __init__(self, packages: Sequence[str], styles: Sequence[str]) -> None:
        static = {SHARED_SCRIPT: static_files()[SHARED_SCRIPT]}
        for package in packages:
            static |= read_static_files(files(package).joinpath("static"))
        static["all.css"] = StaticFile(b"\n".join(static[f"{name}.css"].data for name in styles), "css")
        fonts = read_static_files(files("render").joinpath("fonts"), *FONTS)
        self.files = {f"static/{name}": each for name, each in sorted(static.items())}
        self.files |= {f"fonts/{name}": each for name, each in fonts.items()}
        self.version: Final = version_of(self.files.values())
        """A version that changes when any of the files does."""

    def make_page(self, html: str, prefix: str, modules: Mapping[str, str]) -> StaticFile:
        """Return a page that loads modules, each with a fetch priority, and all that they import at once.

        Otherwise a browser asks for a module only when it has read the one that imports it. Their folder has the
        version in its name: a browser that has been here asks for none of them again.
        """
        folder = f"{prefix}static-{self.version}/"
        found: dict[str, str] = {}
        for first, priority in modules.items():
            waiting = [first]
            for name in waiting:
                if name not in found:
                    found[name] = f'<link rel="modulepreload" fetchpriority="{priority}" href="{folder}{name}">'
                    waiting += _IMPORT_PATTERN.findall(self.files[f"static/{name}"].data.decode())
        whole = html.replace("{preloads}", "\n".join(found.values())).replace("{folder}", folder)
        return StaticFile(whole.encode(), "html")

    def routes(self, prefix: str) -> list[web.RouteDef]:
        """Return the routes of the files below a prefix."""
        return [web.get(f"{prefix}{{folder:static|fonts}}{{version:(-[0-9a-f]+)?}}/{{name}}", self._answer)]

    async def _answer(self, request: web.Request) -> web.Response:
        asset = self.files.get(f"{request.match_info['folder']}/{request.match_info['name']}")
        if asset is None:
            raise web.HTTPNotFound
        response = asset.answer(request)
        # A page that was opened before an update gets what is there now, for the moment.
        if request.match_info["version"] == f"-{self.version}":
            response.headers["Cache-Control"] = FOREVER
        return response


CATALOGUE_DOMAIN: Final = "web"


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
