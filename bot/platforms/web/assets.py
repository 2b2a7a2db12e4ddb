"""Static files of the page and of the apps, read once at start; no other file can be requested."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from importlib.resources import files
from typing import Final, Protocol

from aiohttp import web

from bot.kernel.advice import SearchWatch
from bot.kernel.cards import Card, Picture
from bot.kernel.operations.listening import Presence
from bot.kernel.requests import Front, GameView, ListedTurn, Reply, Request
from bot.kernel.texts import Text, Texts
from bot.people.standings.service import Rank
from bot.platforms.public.answers import StaticFile, read_static_files
from bot.platforms.public.pages import static_files
from storage import PlaceRow

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

    def choose(self, wanted: str | None) -> str:
        """Return the supported language for the language that a browser requests."""
        return self._texts.supported(wanted) or "en"

    def for_language(self, language: str) -> dict[str, str | list[str]]:
        """Return all texts of a language."""
        return self._words[language]


class PageFront(Front, Protocol):
    """Front for the page, which draws games for each reader; implemented by `bot.platforms.app.Tavoliere`.

    `presence` knows who has the page or an app open, and who has left it.
    """

    presence: Presence

    async def view_game(
        self,
        request: Request,
        game: str,
        *,
        path: tuple[str, ...] = (),
        turn: int | None = None,
        theme: str | None = None,
    ) -> GameView | Reply:
        """Return a game as the requester sees it, after some answers or after a turn; or a reply that says why not.

        `theme` is that of their screen, for people who have chosen none.
        """
        ...

    async def view_thumbnail(self, game: str, theme: str, language: str | None) -> Picture | None:
        """Return a sample picture of a game, for people who do not know it; None where boards are not drawn."""
        ...

    async def view_puzzle(self, day: date, theme: str) -> Picture | None:
        """Return a picture of the puzzle of a date; None where boards are not drawn."""
        ...

    async def rank_in_place(self, place: PlaceRow) -> Sequence[Rank]:
        """Return the leaderboard of a place: of all games, for all time."""
        ...

    async def translate_post(self, request: Request, message: str) -> Card | None:
        """Return the card of a message in the requester's language; None if it is the same in all languages."""
        ...

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return why a cell of the open board cannot be pressed after some answers; empty if no rule says so."""
        ...

    async def list_turns(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns of a game; empty if they cannot be shown."""
        ...

    def watch_searches(self, person: int) -> AbstractContextManager[SearchWatch]:
        """Return a context manager that reports the background searches that a person waits for."""
        ...
