"""The public part of the web server: routes, rate limits, and responses."""

import json
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog
from aiohttp import web

from bot.kernel.context import Context
from bot.kernel.operations.limits import TooManyRequests
from bot.kernel.pictures import THEMES
from bot.kernel.refusals import Refused
from bot.kernel.table import BrokenGame
from bot.kernel.texts import Speaker
from bot.platforms.public.answers import WITHDRAWN, NothingToShow, RateLimiter, answer, choose_language
from bot.platforms.public.api import ReadingApi
from bot.platforms.public.competition_pages import CompetitionPages, ShownCompetitions
from bot.platforms.public.consent import Allowed, Consent, Listing, Missing
from bot.platforms.public.models import GameProgress
from bot.platforms.public.other_pages import ROBOTS, OtherPages
from bot.platforms.public.pages import CachedPicture, Drawings, GamePages, render, static_files
from bot.platforms.public.play_links import home_path
from bot.platforms.public.previews import LinkWords, Previews, page_named
from bot.platforms.public.shown_games import ShownGames
from bot.platforms.public.solving import SolvingQuery, read_asked
from bot.platforms.public.streams import Streams
from storage import CompetitionKind, Unavailable
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
_NUMBER: Final = re.compile(r"[0-9]{1,4}")

Shown = web.StreamResponse | bytes | CachedPicture
"""A handler's answer: a response, a page, or a picture as PNG."""
Answer = Callable[[web.Request], Awaitable[Shown]]
Show = Callable[[Allowed, Speaker, web.Request], Awaitable[Shown]]
"""Handler of a path that belongs to a page that may be shown."""
log = structlog.get_logger(__name__)


class PublicSite:
    """Handles requests for public pages; `address_of` returns the address of a request's sender."""

    def __init__(self, context: Context, address_of: Callable[[web.Request], str]) -> None:
        self.context = context
        self.address_of = address_of
        self.consent = Consent(context)
        self.games = ShownGames(context, self.consent)
        self.drawings = Drawings()
        self.streams = Streams(context, self.consent)
        self.pages = GamePages(context, self.consent, self.drawings, self.games)
        self.competitions = ShownCompetitions(context, self.consent)
        self.competition_pages = CompetitionPages(context, self.consent, self.drawings, self.competitions)
        self.previews = Previews(context, self.consent, self.games, self.competitions)
        self.listing = Listing(context, self.consent)
        self.others = OtherPages(context, self.consent, self.drawings, self.listing)
        self.api = ReadingApi(
            context, self.consent, self.games, self.competitions, self.listing, self.streams, address_of
        )
        self._limiter = RateLimiter(PAGES_PER_MINUTE)
        self._solving_limiter = RateLimiter(ANSWERS_PER_MINUTE)

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        others, previews = self.others, self.previews
        found: dict[str, Answer] = {
            "/robots.txt": _robots,
            "/g/": self._games,
            "/puzzle/": lambda request: others.today(self.speaker(request)),
            "/puzzle/{date}": self._puzzle,
            "/puzzle/{date}/{name:board|solution}.png": self._puzzle_picture,
            "/puzzle/{date}/preview.png": lambda request: previews.puzzle(
                request.match_info["date"], self.speaker(request)
            ),
            "/rules/{game}": lambda request: others.rules(request.match_info["game"], self.speaker(request)),
            "/rules/{game}/preview.png": lambda request: previews.rules(
                request.match_info["game"], self.speaker(request)
            ),
            "/rules/{game}/{number}.png": lambda request: others.rules_picture(
                request.match_info["game"],
                read_turn(request.match_info["number"]) or 0,
                self.speaker(request),
                read_theme(request),
            ),
            "/shown/{name}": _static,
            "/oembed": self._embed,
        }
        shown: dict[str, tuple[str, Show]] = {
            "/g/{id}": ("game", self._game),
            "/g/{id}/board.png": ("game", self._board),
            "/g/{id}/small.png": (
                "game",
                lambda allowed, speaker, request: self.pages.small_board(allowed, speaker, read_theme(request)),
            ),
            "/g/{id}/turns/{turn}.png": ("game", self._board),
            "/g/{id}/preview.png": ("game", lambda allowed, speaker, _: previews.picture(allowed, speaker)),
            "/g/{id}/film.gif": ("game", self._film),
            "/g/{id}/record.txt": ("game", self._record),
            "/g/{id}/live": ("game", self._live),
            "/p/{id}": ("person", lambda allowed, speaker, _: others.player(allowed, speaker)),
            "/p/{id}/preview.png": ("person", lambda allowed, speaker, _: previews.player(allowed, speaker)),
        }
        for kind in COMPETITION_KINDS:
            for path, show in self._competition_pages(kind).items():
                shown[f"/{kind}/{{id}}{path}"] = "competition", show
        found |= {path: partial(self._show, *each) for path, each in shown.items()}
        return [*[web.get(path, self.page(handler)) for path, handler in found.items()], *self.api.routes()]

    def _competition_pages(self, kind: CompetitionKind) -> dict[str, Show]:
        """Return the handlers for a competition, by path suffix."""
        pages, previews = self.competition_pages, self.previews
        return {
            "": lambda allowed, speaker, _: pages.page(kind, allowed, speaker),
            "/table.png": lambda allowed, speaker, request: pages.table(kind, allowed, speaker, read_theme(request)),
            "/preview.png": lambda allowed, speaker, _: previews.competition(kind, allowed, speaker),
        }

    async def _show(self, kind: str, show: Show, request: web.Request) -> Shown:
        """Call a handler with the page in a request's path; NothingToShow."""
        return await show(await self.consent.require(request.match_info["id"], kind), self.speaker(request), request)

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
        """Return the speaker for a response's language."""
        return self.context.texts.speaker(choose_language(request, self.context.texts, self.context.language))

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
            home=home_path(self.context),
            path=request.path,
            query="",
            preview=None,
        )
        headers = {"Cache-Control": WITHDRAWN, **nothing.headers}
        return web.Response(
            body=html, content_type="text/html", charset="utf-8", status=nothing.status, headers=headers
        )

    async def _games(self, request: web.Request) -> bytes:
        speaker = self.speaker(request)
        lang = f"&lang={speaker.language}" if "lang" in request.query else ""
        return await self.others.games(speaker, request.query.get("cursor"), lang, request.query.get("game"))

    async def _puzzle(self, request: web.Request) -> bytes:
        asked, speaker = self._read_solving(request), self.speaker(request)
        more = {"lang": speaker.language} if "lang" in request.query else {}
        reveals = "solution" in request.query
        return await self.others.puzzle(request.match_info["date"], speaker, asked, more, reveals=reveals)

    def _read_solving(self, request: web.Request) -> SolvingQuery:
        """Return the attempt in a puzzle's address; NothingToShow if its sender has exceeded the limit for attempts."""
        asked = read_asked(request.query)
        if asked != SolvingQuery() and (quota := self._solving_limiter.take(self.address_of(request))).is_exceeded:
            raise NothingToShow("limited", quota.headers())
        return asked

    async def _puzzle_picture(self, request: web.Request) -> CachedPicture:
        day, theme, solved = request.match_info["date"], read_theme(request), request.match_info["name"] == "solution"
        if "solve" in request.query and not solved:
            asked = self._read_solving(request)
            return await self.others.solving_picture(day, self.speaker(request), theme, asked)
        return await self.others.puzzle_picture(day, self.speaker(request), theme, solved=solved)

    async def _game(self, allowed: Allowed, speaker: Speaker, request: web.Request) -> bytes:
        lang = request.query.get("lang", "")
        return await self.pages.html(allowed, speaker, read_turn(request.query.get("turn")), lang and speaker.language)

    async def _board(self, allowed: Allowed, speaker: Speaker, request: web.Request) -> CachedPicture:
        turn = read_turn(request.match_info.get("turn"))
        return await self.pages.board(allowed, speaker, turn, read_theme(request))

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("format", "json") != "json":
            return web.Response(status=501, text="Only JSON.")
        named = page_named(self.context.web_address, request.query.get("url", ""))
        room = read_size(request.query.get("maxwidth")), read_size(request.query.get("maxheight"))
        embed = self.previews.embed(await self._link_words(named, self.speaker(request)), room)
        data = json.dumps(embed, ensure_ascii=False).encode()
        return answer(request, data, "application/json", headers={"Access-Control-Allow-Origin": "*"})

    async def _link_words(self, named: tuple[str, str] | None, speaker: Speaker) -> LinkWords:
        """Return the description of a link to a page; NothingToShow if the page has no preview."""
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

    async def _film(self, allowed: Allowed, speaker: Speaker, request: web.Request) -> web.StreamResponse:
        film = await self.pages.film(allowed, speaker, read_theme(request))
        return answer(request, film.data, "image/gif", tag=film.tag)

    async def _record(self, allowed: Allowed, _: Speaker, request: web.Request) -> web.StreamResponse:
        game = await self.games.read(allowed)
        text = await self.games.record_text(game)
        name = f'attachment; filename="{game.table.row.game}-{allowed.page.id}.txt"'
        return answer(request, text.encode(), "text/plain", headers={"Content-Disposition": name})

    async def _live(self, allowed: Allowed, _: Speaker, request: web.Request) -> web.StreamResponse:
        async def view(now: Allowed) -> GameProgress:
            return GameProgress(revision=now.revision, status=now.status)

        return await self.streams.run(request, allowed, self.address_of(request), view)


async def _robots(request: web.Request) -> web.StreamResponse:
    return answer(request, ROBOTS.encode(), "text/plain")


def _file(request: web.Request, found: bytes | CachedPicture) -> web.Response:
    if isinstance(found, bytes):
        return answer(request, found, "text/html")
    return answer(request, found.data, "image/png", tag=found.tag)


async def _static(request: web.Request) -> web.StreamResponse:
    found = static_files().get(request.match_info["name"])
    if found is None:
        raise NothingToShow("unknown")
    return found.answer(request)


def read_turn(text: str | None) -> int | None:
    """Return the number of a turn, None if it is not given; NothingToShow if it is no number."""
    if text is None:
        return None
    if not _NUMBER.fullmatch(text):
        raise NothingToShow("wrong")
    return int(text)


def read_size(text: str | None) -> int:
    """Return a maximum width or height in pixels, a large default if not given; NothingToShow if it is no number."""
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
