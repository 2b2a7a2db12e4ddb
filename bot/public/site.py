"""The public part of the web server: routes, rate limits, and responses."""

import json
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog
from aiohttp import web

from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.language.texts import Speaker
from bot.pictures.artist import THEMES
from bot.public.answers import WITHDRAWN, NothingToShow, answer, choose_language
from bot.public.api import ReadingApi
from bot.public.competition_pages import CompetitionPages
from bot.public.consent import Allowed, Consent, Missing
from bot.public.drawings import CachedPicture, Drawings
from bot.public.limits import RateLimiter, TooManyRequests
from bot.public.listing import Listing
from bot.public.other_pages import ROBOTS, OtherPages
from bot.public.pages import GamePages
from bot.public.previews import LinkWords, Previews, page_named
from bot.public.shown_competitions import ShownCompetitions
from bot.public.shown_games import ShownGames
from bot.public.streams import Streams
from bot.public.templating import render, static_files
from bot.tables.table import BrokenGame
from storage import CompetitionKind, Unavailable
from storage.competition_schema import COMPETITION_KINDS

PAGES_PER_MINUTE: Final = 300
"""Requests for pages, pictures and files per minute and address."""
PREFIXES: Final = (
    "/g/", "/p/", "/cup/", "/league/", "/ladder/", "/puzzle/", "/rules/", "/shown/", "/api/v1", "/oembed",
    "/robots.txt",
)  # fmt: skip
"""Prefixes of the paths that any site may request."""
_NUMBER: Final = re.compile(r"[0-9]{1,4}")

Answer = Callable[[web.Request], Awaitable[web.StreamResponse | bytes | CachedPicture]]
"""A handler's answer: a response, a page, or a picture as PNG."""
log = structlog.get_logger(__name__)


class PublicSite:
    """The public pages; `address_of` returns the address of a request's sender."""

    def __init__(self, context: Context, address_of: Callable[[web.Request], str]) -> None:
        self.context = context
        self.address_of = address_of
        self.consent = Consent(context)
        self.games = ShownGames(context, self.consent)
        self.drawings = Drawings()
        self.streams = Streams(context, self.consent)
        self.pages = GamePages(context, self.consent, self.games, self.drawings)
        self.competitions = ShownCompetitions(context, self.consent)
        self.competition_pages = CompetitionPages(context, self.consent, self.competitions, self.drawings)
        self.previews = Previews(context, self.consent, self.games, self.competitions)
        self.listing = Listing(context, self.consent)
        self.others = OtherPages(context, self.consent, self.listing, self.drawings)
        self.api = ReadingApi(
            context, self.consent, self.games, self.competitions, self.listing, self.streams, address_of
        )
        self._limiter = RateLimiter(PAGES_PER_MINUTE)

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        found: dict[str, Answer] = {
            "/robots.txt": self._robots,
            "/g/": self._games,
            "/g/{id}": self._game,
            "/g/{id}/board.png": self._board,
            "/g/{id}/small.png": self._small_board,
            "/g/{id}/turns/{turn}.png": self._board,
            "/g/{id}/preview.png": self._preview,
            "/g/{id}/film.gif": self._film,
            "/g/{id}/record.txt": self._record,
            "/g/{id}/live": self._live,
            "/puzzle/": self._today,
            "/puzzle/{date}": self._puzzle,
            "/puzzle/{date}/{name:board|solution}.png": self._puzzle_picture,
            "/puzzle/{date}/preview.png": self._puzzle_preview,
            "/rules/{game}": self._rules,
            "/rules/{game}/preview.png": self._rules_preview,
            "/rules/{game}/{number}.png": self._rules_picture,
            "/p/{id}": self._player,
            "/p/{id}/preview.png": self._player_preview,
            "/shown/{name}": _static,
            "/oembed": self._embed,
        }
        for kind in COMPETITION_KINDS:
            found |= {
                f"/{kind}/{{id}}": partial(self._competition, kind),
                f"/{kind}/{{id}}/table.png": partial(self._competition_table, kind),
                f"/{kind}/{{id}}/preview.png": partial(self._competition_preview, kind),
            }
        return [*[web.get(path, self.page(handler)) for path, handler in found.items()], *self.api.routes()]

    async def close(self) -> None:
        """End all streams."""
        await self.streams.close()

    def page(self, handler: Answer) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return a handler that counts requests and shows errors as pages."""

        async def answered(request: web.Request) -> web.StreamResponse:
            quota = self._limiter.take(self.address_of(request))
            try:
                if quota.is_exceeded:
                    raise NothingToShow("limited", quota.headers())
                found = await handler(request)
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
        """Return the speaker of a response's language."""
        return self.context.texts.speaker(choose_language(request, self.context.texts, self.context.language))

    async def allowed(self, request: web.Request, kind: str) -> Allowed:
        """Return the page in a request's path; NothingToShow."""
        return await self.consent.require(request.match_info["id"], kind)

    def _answer_not_found(self, request: web.Request, nothing: NothingToShow) -> web.Response:
        speaker = self.speaker(request)
        title, text = (speaker.line(f"world.{nothing.code}"), speaker.line(f"world.{nothing.code}.text"))
        html = render(
            "message.html",
            speaker,
            title=title,
            text=text,
            description=text,
            robots="noindex",
            address=self.context.web_address,
            path=request.path,
            query="",
            preview=None,
        )
        headers = {"Cache-Control": WITHDRAWN, **nothing.headers}
        return web.Response(
            body=html, content_type="text/html", charset="utf-8", status=nothing.status, headers=headers
        )

    async def _robots(self, request: web.Request) -> web.StreamResponse:
        return answer(request, ROBOTS.encode(), "text/plain")

    async def _games(self, request: web.Request) -> bytes:
        speaker = self.speaker(request)
        lang = f"&lang={speaker.language}" if "lang" in request.query else ""
        return await self.others.games(speaker, request.query.get("cursor"), lang, request.query.get("game"))

    async def _today(self, request: web.Request) -> bytes:
        return await self.others.today(self.speaker(request))

    async def _puzzle(self, request: web.Request) -> bytes:
        return await self.others.puzzle(request.match_info["date"], self.speaker(request))

    async def _puzzle_picture(self, request: web.Request) -> CachedPicture:
        day, theme, solved = request.match_info["date"], read_theme(request), request.match_info["name"] == "solution"
        return await self.others.puzzle_picture(day, self.speaker(request), theme, solved=solved)

    async def _rules(self, request: web.Request) -> bytes:
        return await self.others.rules(request.match_info["game"], self.speaker(request))

    async def _rules_picture(self, request: web.Request) -> CachedPicture:
        game, number = request.match_info["game"], read_turn(request.match_info["number"]) or 0
        return await self.others.rules_picture(game, number, self.speaker(request), read_theme(request))

    async def _puzzle_preview(self, request: web.Request) -> CachedPicture:
        return await self.previews.puzzle(request.match_info["date"], self.speaker(request))

    async def _competition(self, kind: CompetitionKind, request: web.Request) -> bytes:
        allowed = await self.allowed(request, "competition")
        return await self.competition_pages.page(kind, allowed, self.speaker(request))

    async def _competition_table(self, kind: CompetitionKind, request: web.Request) -> CachedPicture:
        allowed = await self.allowed(request, "competition")
        theme = read_theme(request)
        return await self.competition_pages.table(kind, allowed, self.speaker(request), theme)

    async def _competition_preview(self, kind: CompetitionKind, request: web.Request) -> CachedPicture:
        allowed = await self.allowed(request, "competition")
        return await self.previews.competition(kind, allowed, self.speaker(request))

    async def _player(self, request: web.Request) -> bytes:
        allowed = await self.allowed(request, "person")
        return await self.others.player(allowed, self.speaker(request))

    async def _player_preview(self, request: web.Request) -> CachedPicture:
        allowed = await self.allowed(request, "person")
        return await self.previews.player(allowed, self.speaker(request))

    async def _rules_preview(self, request: web.Request) -> CachedPicture:
        return await self.previews.rules(request.match_info["game"], self.speaker(request))

    async def _game(self, request: web.Request) -> bytes:
        allowed = await self.allowed(request, "game")
        lang = request.query.get("lang", "")
        speaker = self.speaker(request)
        return await self.pages.html(allowed, speaker, read_turn(request.query.get("turn")), lang and speaker.language)

    async def _board(self, request: web.Request) -> CachedPicture:
        allowed = await self.allowed(request, "game")
        turn = read_turn(request.match_info.get("turn"))
        return await self.pages.board(allowed, self.speaker(request), turn, read_theme(request))

    async def _small_board(self, request: web.Request) -> CachedPicture:
        allowed = await self.allowed(request, "game")
        return await self.pages.small_board(allowed, self.speaker(request), read_theme(request))

    async def _preview(self, request: web.Request) -> CachedPicture:
        allowed = await self.allowed(request, "game")
        return await self.previews.picture(allowed, self.speaker(request))

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("format", "json") != "json":
            return web.Response(status=501, text="Only JSON.")
        named = page_named(self.context.web_address, request.query.get("url", ""))
        room = read_size(request.query.get("maxwidth")), read_size(request.query.get("maxheight"))
        embed = self.previews.embed(await self._link_words(named, self.speaker(request)), room)
        data = json.dumps(embed, ensure_ascii=False).encode()
        return answer(request, data, "application/json", headers={"Access-Control-Allow-Origin": "*"})

    async def _link_words(self, named: tuple[str, str] | None, speaker: Speaker) -> LinkWords:
        """Return the words of a link to a page; NothingToShow if it has no preview."""
        kind, page = named or ("", "")
        if kind == "puzzle":
            return self.others.words_of_puzzle(page, speaker)
        if kind == "rules":
            return self.others.words_of_rules(page, speaker)
        found = await self.consent.look_up(page)
        if isinstance(found, Missing):
            raise NothingToShow(found.value)
        if kind == "g" and found.page.kind == "game":
            return await self.previews.words_of_game(found, speaker)
        if kind == "p" and found.page.kind == "person":
            return await self.previews.words_of_player(found, speaker)
        for each in COMPETITION_KINDS:
            if kind == each and found.page.kind == "competition":
                return await self.previews.words_of_competition(each, found, speaker)
        raise NothingToShow("unknown")

    async def _film(self, request: web.Request) -> web.StreamResponse:
        allowed = await self.allowed(request, "game")
        film = await self.pages.film(allowed, self.speaker(request), read_theme(request))
        return answer(request, film.data, "image/gif", tag=film.tag)

    async def _record(self, request: web.Request) -> web.StreamResponse:
        allowed = await self.allowed(request, "game")
        game = await self.games.read(allowed)
        text = await self.games.record_text(game)
        name = f'attachment; filename="{game.table.row.game}-{allowed.page.id}.txt"'
        return answer(request, text.encode(), "text/plain", headers={"Content-Disposition": name})

    async def _live(self, request: web.Request) -> web.StreamResponse:
        allowed = await self.allowed(request, "game")

        async def to_json(now: Allowed) -> dict[str, int | str]:
            return {"revision": now.revision, "status": now.status}

        return await self.streams.run(request, allowed, self.address_of(request), to_json)


def _file(request: web.Request, found: bytes | CachedPicture) -> web.Response:
    if isinstance(found, bytes):
        return answer(request, found, "text/html")
    return answer(request, found.data, "image/png", tag=found.tag)


async def _static(request: web.Request) -> web.StreamResponse:
    found = static_files().get(request.match_info["name"])
    if found is None:
        raise NothingToShow("unknown")
    data, kind, tag = found
    return answer(request, data, kind, tag=tag)


def read_turn(text: str | None) -> int | None:
    """Return the number of a turn, None without one; NothingToShow if it is no number."""
    if text is None:
        return None
    if not _NUMBER.fullmatch(text):
        raise NothingToShow("wrong")
    return int(text)


def read_size(text: str | None) -> int:
    """Return a maximum width or height in pixels, a large default without one; NothingToShow if it is no number."""
    if text is None:
        return 100_000
    if not re.fullmatch(r"[0-9]{1,5}", text):
        raise NothingToShow("wrong")
    return int(text)


def read_theme(request: web.Request) -> str:
    """Return the requested theme of a picture; NothingToShow if it does not exist."""
    theme = request.query.get("theme", THEMES[0])
    if theme not in THEMES:
        raise NothingToShow("wrong")
    return theme
