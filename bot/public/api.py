"""The read-only API for other programs: `/api/v1/`."""

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import date, timedelta
from functools import partial
from typing import Any, Final

import structlog
from aiohttp import web

from bot.core.context import Context
from bot.history.competitions import read_competition
from bot.interface.refusals import Refused
from bot.play.ratings import MIN_RANKED_GAMES
from bot.public.answers import NothingToShow, answer
from bot.public.consent import Allowed, Consent, has_profile
from bot.public.json_competitions import CompetitionViews
from bot.public.json_views import JsonViews
from bot.public.limits import RateLimiter, TooManyRequests
from bot.public.listing import GameFilter, Listing
from bot.public.openapi import DEFAULT_ITEMS, OPERATIONS, Operation, describe
from bot.public.puzzle_days import is_over, newest_past_day
from bot.public.shared_answers import SharedAnswers
from bot.public.shown_competitions import ShownCompetitions
from bot.public.shown_games import ShownGames, turn_json
from bot.public.shown_players import read_player
from bot.public.streams import Streams
from bot.puzzles.calendar import FIRST_DATE, puzzle_on
from bot.tables.table import BrokenGame
from engine import games
from storage import CompetitionKind, Unavailable
from storage.competition_schema import COMPETITION_KINDS

REQUESTS_PER_MINUTE: Final = 120
PATH: Final = "/api/v1"
ANSWER_LIFETIME_SECONDS: Final = 5.0
"""Time for which a response is shared by equal requests, unless what may be shown has changed."""
MAX_RATED: Final = 1000
"""Number of best ratings among which people with a public page are listed."""
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Robots-Tag": "noindex",
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "If-None-Match, Last-Event-ID, Accept",
    "Access-Control-Max-Age": "86400",
}
_HEADERS: Final = "headers"
"""Key of the response headers among the values; streams send them themselves."""
_TITLES: Final = {
    400: "A parameter is not what it should be",
    404: "There is no such thing",
    405: "Nothing can be written",
    410: "It is shown no more",
    429: "Too many requests",
    503: "Too much at once",
}

Values = Mapping[str, Any]
Work = Callable[[web.Request, Values], Awaitable[web.StreamResponse | bytes]]
log = structlog.get_logger(__name__)


class ReadingApi:
    """Handles the API's requests."""

    def __init__(
        self,
        context: Context,
        consent: Consent,
        shown: ShownGames,
        competitions: ShownCompetitions,
        listing: Listing,
        streams: Streams,
        address_of: Callable[[web.Request], str],
    ) -> None:
        self._context = context
        self._consent = consent
        self._games = shown
        self._competitions = competitions
        self._listing = listing
        self._streams = streams
        self._address_of = address_of
        self.views = JsonViews(context, consent)
        self._competition_views = CompetitionViews(self.views.url)
        self._limiter = RateLimiter(REQUESTS_PER_MINUTE)
        self._shared = SharedAnswers(ANSWER_LIFETIME_SECONDS)
        self._description = describe(context.web_address)

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        work: Mapping[str, Work] = {
            "getIndex": self._index,
            "listGames": self._list_games,
            "getGame": self._game,
            "listTurns": self._turns,
            "getRecord": self._record,
            "followGame": self._stream,
            "listCups": partial(self._list_competitions, "cup"),
            "getCup": partial(self._competition, "cup"),
            "listLeagues": partial(self._list_competitions, "league"),
            "getLeague": partial(self._competition, "league"),
            "listLadders": partial(self._list_competitions, "ladder"),
            "getLadder": partial(self._competition, "ladder"),
            "listPuzzles": self._list_puzzles,
            "getPuzzle": self._puzzle,
            "listRatings": self._ratings,
            "getPlayer": self._player,
        }
        found = [web.get(f"{PATH}/openapi.json", self._answered(None, self._openapi))]
        for operation in OPERATIONS:
            found.append(web.get(f"{PATH}{operation.path}", self._answered(operation, work[operation.name])))
            found.append(web.route("*", f"{PATH}{operation.path}", self._answered(None, _answer_not_allowed)))
        found.append(web.get(PATH, self._answered(OPERATIONS[0], self._index)))
        return [*found, web.route("*", f"{PATH}/{{rest:.*}}", self._answered(None, _answer_not_found))]

    def _answered(
        self, operation: Operation | None, work: Work
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return a handler that counts requests, reads parameters, and reports errors as problem+json."""

        async def handler(request: web.Request) -> web.StreamResponse:
            if request.method == "OPTIONS":
                return web.Response(status=204, headers=_CORS | _PREFLIGHT)
            quota = self._limiter.take(self._address_of(request))
            headers = _CORS | quota.headers()
            try:
                if quota.is_exceeded:
                    raise NothingToShow("limited")
                values = _read(operation, request) if operation is not None else {}
                response = await self._work(operation, work, request, {**values, _HEADERS: headers})
            except NothingToShow as nothing:
                response = problem(nothing.status, str(nothing.headers.pop("detail", "")), nothing.headers)
            except web.HTTPMethodNotAllowed:
                response = problem(405, "", {"Allow": "GET, HEAD, OPTIONS"})
            except (TooManyRequests, Refused, BrokenGame, Unavailable) as error:
                log.warning("interface-not-answered", path=request.path, reason=str(error))
                response = problem(503, "", {"Retry-After": "30"})
            if not response.prepared:
                response.headers.update(headers)
            return response

        return handler

    async def _work(
        self, operation: Operation | None, work: Work, request: web.Request, values: Values
    ) -> web.StreamResponse:
        """Return the response to a request; data is shared by equal requests."""

        async def make() -> bytes:
            made = await work(request, values)
            assert isinstance(made, bytes)  # noqa: S101 - what has a schema is data
            return made

        if operation is None or not operation.schema or not self._consent.is_current:
            found = await work(request, values)
        else:
            asked = tuple((each.name, str(values[each.name])) for each in operation.parameters if each.name in values)
            found = await self._shared.get((operation.name, asked, self._consent.changes), make)
        return answer(request, found, "application/json") if isinstance(found, bytes) else found

    async def _openapi(self, request: web.Request, _: Values) -> bytes:
        return to_json(self._description)

    async def _index(self, request: web.Request, _: Values) -> bytes:
        links = {
            operation.name: self.views.url(f"{PATH}{operation.path}")
            for operation in OPERATIONS
            if operation.name != "getIndex"
        }
        return to_json(
            {
                "description": self._description["info"]["description"],
                "documentation": self.views.url(f"{PATH}/openapi.json"),
                "links": links,
            }
        )

    async def _list_games(self, request: web.Request, values: Values) -> bytes:
        return to_json(await self._find_games(values))

    async def _find_games(self, values: Values) -> Any:
        person = competition = None
        if "player" in values:
            page = (await self._consent.require(values["player"], "person")).page
            person = await self._context.store.public.current_person(page.person or 0)
        for kind in COMPETITION_KINDS:
            if kind in values:
                of_page = await self._consent.require(values[kind], "competition")
                competition = (await self._competitions.row(of_page, kind)).id
        asked = GameFilter(values.get("game"), values.get("status"), person, competition)
        found = await self._listing.games(asked, values.get("limit", DEFAULT_ITEMS), values.get("cursor"))
        return await self.views.game_list(found)

    async def _game(self, request: web.Request, values: Values) -> bytes:
        game = await self._games.read(await self._consent.require(values["id"], "game"))
        return to_json(await self.views.game(game))

    async def _turns(self, request: web.Request, values: Values) -> bytes:
        game = await self._games.read(await self._consent.require(values["id"], "game"))
        first, limit, done = values.get("cursor", 0), values.get("limit", 100), game.table.row.turn
        numbered = enumerate(game.turns[first : first + limit], start=first + 1)
        shown = [turn_json(turn, number, done) for number, turn in numbered]
        more = first + limit < len(game.turns)
        return to_json({"items": shown, "next": first + limit if more else None})

    async def _record(self, request: web.Request, values: Values) -> web.Response:
        game = await self._games.read(await self._consent.require(values["id"], "game"))
        return answer(request, (await self._games.record_text(game)).encode(), "text/plain")

    async def _stream(self, request: web.Request, values: Values) -> web.StreamResponse:
        allowed = await self._consent.require(values["id"], "game")

        async def to_json(now: Allowed) -> Any:
            return await self.views.game(await self._games.read(now))

        return await self._streams.run(request, allowed, self._address_of(request), to_json, values[_HEADERS])

    async def _list_competitions(self, kind: CompetitionKind, request: web.Request, values: Values) -> bytes:
        found = await self._listing.competitions(kind, values.get("limit", DEFAULT_ITEMS), values.get("cursor"))
        items = []
        for row, page in found.found:
            if row.game_key not in games:
                continue
            try:
                items.append(self._competition_views.summary(await read_competition(self._context, row), page))
            except Refused as error:
                log.warning("competition-not-listed", competition=row.id, reason=str(error))
        return to_json({"items": items, "next": found.cursor})

    async def _competition(self, kind: CompetitionKind, request: web.Request, values: Values) -> bytes:
        allowed = await self._consent.require(values["id"], "competition")
        found = await self._competitions.read(allowed, kind)
        pages = await self._competitions.pages(found)
        return to_json(self._competition_views.whole(found, allowed.page.id, pages))

    async def _list_puzzles(self, request: web.Request, values: Values) -> bytes:
        limit = values.get("limit", DEFAULT_ITEMS)
        newest = newest_past_day(self._context.clock())
        before = max(FIRST_DATE, values["cursor"]) if "cursor" in values else date.max
        first = min(newest, before - timedelta(days=1))
        days = [day for number in range(limit + 1) if (day := first - timedelta(days=number)) >= FIRST_DATE]
        shown = [self.views.puzzle(puzzle_on(day), day) for day in days[:limit]]
        return to_json({"items": shown, "next": days[limit - 1].isoformat() if len(days) > limit else None})

    async def _puzzle(self, request: web.Request, values: Values) -> bytes:
        day: date = values["date"]
        if day < FIRST_DATE or not is_over(day, self._context.clock()):
            raise NothingToShow("unknown")
        return to_json(self.views.puzzle(puzzle_on(day), day))

    async def _ratings(self, request: web.Request, values: Values) -> bytes:
        key, limit = values.get("game", next(iter(games))), values.get("limit", DEFAULT_ITEMS)
        store = self._context.store
        best = await store.ratings.best(key, least=MIN_RANKED_GAMES, limit=MAX_RATED)
        if "cursor" in values:
            page = await store.public.get(values["cursor"])
            last = await store.public.current_person(page.person) if page is not None and page.person else None
            places = [rating.person for rating in best]
            if last not in places:
                raise NothingToShow("unknown")
            best = best[places.index(last) + 1 :]
        people = await store.people.get_many([rating.person for rating in best])
        shown = [(rating, people[rating.person]) for rating in best if has_profile(people[rating.person])]
        return to_json(await self.views.ratings(shown[:limit], more=len(shown) > limit))

    async def _player(self, request: web.Request, values: Values) -> bytes:
        allowed = await self._consent.require(values["id"], "person")
        player = await read_player(self._context, allowed)
        return to_json(self.views.player(player.person, allowed.page.id, player.ratings, player.titles))


def to_json(data: Any) -> bytes:
    """Return data as the body of a response."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def problem(status: int, detail: str, headers: Mapping[str, str]) -> web.Response:
    """Return an error response (RFC 9457)."""
    said: dict[str, Any] = {"type": "about:blank", "title": _TITLES[status], "status": status}
    if detail:
        said["detail"] = detail
    return web.Response(
        text=json.dumps(said),
        status=status,
        content_type="application/problem+json",
        headers={"Cache-Control": "no-store", **headers},
    )


def _read(operation: Operation, request: web.Request) -> dict[str, Any]:
    """Return the values of an operation's parameters; NothingToShow names the first invalid one."""
    values: dict[str, Any] = {}
    for parameter in operation.parameters:
        given = (
            [request.match_info[parameter.name]]
            if parameter.where == "path"
            else request.query.getall(parameter.name, [])
        )
        if not given:
            continue
        try:
            if len(given) > 1:
                raise ValueError(parameter.name)
            values[parameter.name] = parameter.read(given[0])
        except ValueError:
            raise NothingToShow("wrong", {"detail": f"{parameter.name}: {parameter.about}"}) from None
    return values


async def _answer_not_allowed(request: web.Request, _: Values) -> web.Response:
    raise web.HTTPMethodNotAllowed(request.method, ["GET", "HEAD", "OPTIONS"])


async def _answer_not_found(_request: web.Request, _: Values) -> web.Response:
    raise NothingToShow("unknown")
