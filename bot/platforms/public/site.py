"""The public part of the web server: routes, rate limits, and responses."""

import json
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from aiohttp import web

from bot.kernel.context import Context
from bot.kernel.operations.limits import TooManyRequests
from bot.kernel.presses import read_number
from bot.kernel.refusals import Refused
from bot.kernel.table import BrokenGame
from bot.kernel.texts import Speaker
from bot.platforms.public.answers import WITHDRAWN, NothingToShow, RateLimiter, answer, choose_language
from bot.platforms.public.api import ReadingApi
from bot.platforms.public.competition_pages import CompetitionPages, competition_words
from bot.platforms.public.consent import Allowed
from bot.platforms.public.models import GameProgress
from bot.platforms.public.other_pages import ROBOTS, OtherPages, player_words, puzzle_words, rules_words
from bot.platforms.public.pages import (
    CachedPicture,
    Drawings,
    GamePages,
    LinkWords,
    Visit,
    game_words,
    static_files,
)
from bot.platforms.public.previews import Previews, page_named
from bot.platforms.public.shown_games import PublicContent
from bot.platforms.public.solving import SolvingQuery, read_asked, read_puzzle
from bot.platforms.public.streams import Streams
from storage import Unavailable
from storage.competition_schema import COMPETITION_KINDS

PAGES_PER_MINUTE: Final = 300
"""Requests for pages, pictures and files per minute and address."""
ANSWERS_PER_MINUTE: Final = 120
"""Requests for puzzle positions per minute and address; each press requests a page and a picture."""
PREFIXES: Final = (
    "/g/", "/p/", "/cup/", "/league/", "/ladder/", "/puzzle/", "/rules/", "/shown/", "/api/v1", "/oembed",
    "/robots.txt",
)  # fmt: skip
"""Prefixes of the paths that any site may request."""

Shown = web.StreamResponse | bytes | CachedPicture
"""A handler's answer: a response, a page, or a picture as PNG."""
Show = Callable[[Visit], Awaitable[Shown]]
_PAGE_KINDS: Final = {"g": "game", "p": "person"} | dict.fromkeys(map(str, COMPETITION_KINDS), "competition")
"""The kinds of pages that are found by their ids, by the first part of their paths."""
log = structlog.get_logger(__name__)


class PublicSite:
    """Handles requests for public pages; `address_of` returns the address of a request's sender."""

    def __init__(self, context: Context, address_of: Callable[[web.Request], str]) -> None:
        self.context = context
        self.address_of = address_of
        self.content = PublicContent(context)
        self.consent = self.content.consent
        self.drawings = Drawings()
        self.streams = Streams(self.content, address_of)
        self.pages = GamePages(self.content, self.drawings)
        self.competition_pages = CompetitionPages(self.content, self.drawings)
        self.previews = Previews(self.content)
        self.others = OtherPages(self.content, self.drawings)
        self.api = ReadingApi(self.content, self.streams, address_of)
        self._limiter = RateLimiter(PAGES_PER_MINUTE)
        self._solving_limiter = RateLimiter(ANSWERS_PER_MINUTE)

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        others, pages, previews, competitions = self.others, self.pages, self.previews, self.competition_pages
        competition = f"/{{kind:{'|'.join(COMPETITION_KINDS)}}}/{{id}}"
        shown: dict[str, Show] = {
            "/robots.txt": _robots,
            "/g/": others.games,
            "/g/{id}": pages.html,
            "/g/{id}/board.png": pages.board,
            "/g/{id}/small.png": pages.small_board,
            "/g/{id}/turns/{turn}.png": pages.board,
            "/g/{id}/preview.png": previews.picture,
            "/g/{id}/film.gif": self._film,
            "/g/{id}/record.txt": self._record,
            "/g/{id}/live": self._live,
            "/p/{id}": others.player,
            "/p/{id}/preview.png": previews.player,
            competition: competitions.page,
            f"{competition}/table.png": competitions.table,
            f"{competition}/preview.png": previews.competition,
            "/puzzle/": others.today,
            "/puzzle/{date}": self._puzzle,
            "/puzzle/{date}/{name:board|solution}.png": self._puzzle_picture,
            "/puzzle/{date}/preview.png": previews.puzzle,
            "/rules/{game}": others.rules,
            "/rules/{game}/preview.png": previews.rules,
            "/rules/{game}/{number}.png": others.rules_picture,
            "/shown/{name}": _static,
            "/oembed": self._embed,
        }
        return [*[web.get(path, self.page(show)) for path, show in shown.items()], *self.api.routes()]

    def page(self, show: Show) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return a handler that counts requests and shows errors as pages."""

        async def answered(request: web.Request) -> web.StreamResponse:
            try:
                self._limiter.take(self.address_of(request))
                page = request.match_info.get("id")
                kind = _PAGE_KINDS.get(request.path.split("/")[1], "")
                allowed = None if page is None else await self.consent.require(page, kind)
                found = await show(Visit(request, self.speaker(request), allowed))
                response = found if isinstance(found, web.StreamResponse) else _file(request, found)
            except NothingToShow as nothing:
                response = self._answer_not_found(request, nothing)
            except TooManyRequests:
                response = self._answer_not_found(request, NothingToShow("busy", {"Retry-After": "5"}))
            except (BrokenGame, Refused, Unavailable) as error:
                log.warning("page-not-shown", path=request.path, reason=str(error))
                response = self._answer_not_found(request, NothingToShow("busy", {"Retry-After": "60"}))
            if not response.prepared:
                response.headers.setdefault("Vary", "Accept-Language")
                response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            return response

        return answered

    def speaker(self, request: web.Request) -> Speaker:
        """Return the speaker for a response's language."""
        return self.context.texts.speaker(choose_language(request, self.context.texts, self.context.language))

    def _answer_not_found(self, request: web.Request, nothing: NothingToShow) -> web.Response:
        speaker = self.speaker(request)
        link = LinkWords(speaker.line(f"world.{nothing.code}"), speaker.line(f"world.{nothing.code}.text"))
        visit = Visit(request, speaker)
        html = self.others.render("message.html", visit, link, title=link.title, robots="noindex", play_links=())
        headers = {"Cache-Control": WITHDRAWN, **nothing.headers}
        return web.Response(
            body=html, content_type="text/html", charset="utf-8", status=nothing.status, headers=headers
        )

    async def _puzzle(self, visit: Visit) -> bytes:
        return await self.others.puzzle(visit, self._read_solving(visit.request))

    def _read_solving(self, request: web.Request) -> SolvingQuery:
        """Return the attempt in a puzzle's address; NothingToShow if its sender has exceeded the limit for attempts."""
        asked = read_asked(request.query)
        if asked != SolvingQuery():
            self._solving_limiter.take(self.address_of(request))
        return asked

    async def _puzzle_picture(self, visit: Visit) -> CachedPicture:
        if "solve" in visit.request.query and visit.named("name") == "board":
            return await self.others.solving_picture(visit, self._read_solving(visit.request))
        return await self.others.puzzle_picture(visit)

    async def _embed(self, visit: Visit) -> web.StreamResponse:
        query = visit.request.query
        if query.get("format", "json") != "json":
            return web.Response(status=501, text="Only JSON.")
        kind, page = page_named(self.context.web_address, query.get("url", "")) or ("", "")
        room = read_size(query.get("maxwidth")), read_size(query.get("maxheight"))
        embed = self.previews.embed(await self._link_words(kind, page, visit.speaker), room)
        data = json.dumps(embed, ensure_ascii=False).encode()
        return answer(visit.request, data, "application/json", headers={"Access-Control-Allow-Origin": "*"})

    async def _link_words(self, kind: str, page: str, speaker: Speaker) -> LinkWords:
        """Return the description of a link to a page; NothingToShow if the page has no preview."""
        if kind == "puzzle":
            return puzzle_words(*read_puzzle(page, self.context.clock()), speaker)
        if kind == "rules":
            return rules_words(page, speaker)
        allowed = await self.consent.require(page, _PAGE_KINDS.get(kind, ""))
        if kind == "g":
            return game_words(await self.content.game(allowed, speaker))
        if kind == "p":
            return player_words(await self.content.player(allowed), page, speaker)
        return competition_words(await self.content.competition(allowed, kind), page, speaker)

    async def _film(self, visit: Visit) -> web.StreamResponse:
        film = await self.pages.film(visit)
        return answer(visit.request, film.data, "image/gif", tag=film.tag)

    async def _record(self, visit: Visit) -> web.StreamResponse:
        game = await self.content.game(visit.allowed)
        text = await self.content.record_text(game)
        name = f'attachment; filename="{game.table.row.game}-{game.page}.txt"'
        return answer(visit.request, text.encode(), "text/plain", headers={"Content-Disposition": name})

    async def _live(self, visit: Visit) -> web.StreamResponse:
        async def view(now: Allowed) -> GameProgress:
            return GameProgress(revision=now.revision, status=now.status)

        return await self.streams.run(visit.request, visit.allowed, view)


async def _robots(visit: Visit) -> web.StreamResponse:
    return answer(visit.request, ROBOTS.encode(), "text/plain")


def _file(request: web.Request, found: bytes | CachedPicture) -> web.Response:
    if isinstance(found, bytes):
        return answer(request, found, "text/html")
    return answer(request, found.data, "image/png", tag=found.tag)


async def _static(visit: Visit) -> web.StreamResponse:
    found = static_files().get(visit.named("name"))
    if found is None:
        raise NothingToShow("unknown")
    return found.answer(visit.request)


def read_size(text: str | None) -> int:
    """Return a maximum width or height in pixels, a large default if not given; NothingToShow if it is no number."""
    if text is None:
        return 100_000
    if (number := read_number(text, 5)) is None:
        raise NothingToShow("wrong")
    return number
