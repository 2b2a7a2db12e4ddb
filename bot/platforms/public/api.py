"""The read-only API for other programs: `/api/v1/`."""

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import date, timedelta
from functools import cached_property, partial
from typing import Any, Final, TypeVar, get_type_hints

import structlog
from aiohttp import web
from pydantic import BaseModel, ValidationError

from bot.boards.puzzles.puzzle import FIRST_DATE, puzzle_on
from bot.competitions.kinds import read_competition
from bot.kernel.operations.limits import TooManyRequests
from bot.kernel.permissions import has_profile
from bot.kernel.refusals import Refused
from bot.kernel.table import BrokenGame
from bot.platforms.public import models
from bot.platforms.public.answers import NothingToShow, RateLimiter, SharedAnswers, answer
from bot.platforms.public.consent import Allowed
from bot.platforms.public.openapi import Operation, describe
from bot.platforms.public.shown_games import PublicContent, ShownGame
from bot.platforms.public.solving import newest_past_day
from bot.platforms.public.streams import Streams
from bot.platforms.public.views import Views, turn_view
from bot.table.ratings import MIN_RANKED_GAMES
from engine import games
from storage import CompetitionKind, Json, Unavailable
from storage.competition_schema import COMPETITION_KINDS

REQUESTS_PER_MINUTE: Final = 120
PATH: Final = "/api/v1"
ANSWER_LIFETIME_SECONDS: Final = 5.0
"""Time for which equal requests share a response, unless the public data changes."""
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
_HEADERS: Final = web.RequestKey("headers", Mapping[str, str])
"""The extra headers of the response to a request; streams send them directly."""
_TITLES: Final = {
    400: "A parameter is not what it should be",
    404: "There is no such thing",
    405: "Nothing can be written",
    410: "It is shown no more",
    429: "Too many requests",
    503: "Too much at once",
}

Work = Callable[[web.Request], Awaitable[web.StreamResponse]]
Method = TypeVar("Method", bound=Callable[..., Awaitable[Any]])
OPERATIONS: Final[list[Operation]] = []
log = structlog.get_logger(__name__)


def _operation(path: str, content_type: str = "") -> Callable[[Method], Method]:
    """Publish a method as an operation, described by its name, docstring and annotations.

    With a `content_type`, the method also takes the request and returns the response itself.
    """

    def publish(method: Method) -> Method:
        hints = get_type_hints(method)
        verb, *nouns = method.__name__.split("_")
        name, about = "".join([verb, *map(str.capitalize, nouns)]), " ".join((method.__doc__ or "").split())
        answer = content_type or hints["return"]
        OPERATIONS.append(Operation(name, path, about, hints["asked"], answer, method))
        return method

    return publish


class ReadingApi:
    """Handles the requests of the API."""

    def __init__(self, content: PublicContent, streams: Streams, address_of: Callable[[web.Request], str]) -> None:
        self._content = content
        self._context = content.context
        self._consent = content.consent
        self._streams = streams
        self._address_of = address_of
        self._views = Views(content)
        self._limiter = RateLimiter(REQUESTS_PER_MINUTE)
        self._shared = SharedAnswers(ANSWER_LIFETIME_SECONDS)

    @cached_property
    def _description(self) -> Json:
        # Made when it is asked for: a start of the program would wait for it longer than for all other routes.
        return describe(self._context.web_address, OPERATIONS)

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        found = [web.get(f"{PATH}/openapi.json", self._answered(self._openapi))]
        for operation in OPERATIONS:
            path = f"{PATH}{operation.path}"
            found.append(web.get(path, self._answered(partial(self._carry_out, operation))))
            found.append(web.route("*", path, self._answered(_answer_not_allowed)))
        found.append(web.get(PATH, self._answered(partial(self._carry_out, OPERATIONS[0]))))
        return [*found, web.route("*", f"{PATH}/{{rest:.*}}", self._answered(_answer_not_found))]

    def _answered(self, work: Work) -> Work:
        """Return a handler that counts requests and returns errors as problem+json."""

        async def handler(request: web.Request) -> web.StreamResponse:
            if request.method == "OPTIONS":
                return web.Response(status=204, headers=_CORS | _PREFLIGHT)
            request[_HEADERS] = _CORS
            try:
                request[_HEADERS] = _CORS | self._limiter.take(self._address_of(request))
                response = await work(request)
            except NothingToShow as nothing:
                response = problem(nothing.status, nothing.headers.pop("detail", None), nothing.headers)
            except web.HTTPMethodNotAllowed:
                response = problem(405, None, {"Allow": "GET, HEAD, OPTIONS"})
            except (TooManyRequests, Refused, BrokenGame, Unavailable) as error:
                log.warning("interface-not-answered", path=request.path, reason=str(error))
                response = problem(503, None, {"Retry-After": "30"})
            if not response.prepared:
                response.headers.update(request[_HEADERS])
            return response

        return handler

    async def _carry_out(self, operation: Operation, request: web.Request) -> web.StreamResponse:
        """Return the response to a request; equal requests share the data."""
        asked = _read(operation, request)

        async def make() -> bytes:
            made: BaseModel = await operation.work(self, asked)
            return made.model_dump_json().encode()

        if not isinstance(operation.answer, str):
            data = await self._consent.share(self._shared, (operation.name, asked), make)
            return answer(request, data, "application/json")
        found: web.StreamResponse = await operation.work(self, request, asked)
        return found

    async def _read_game(self, asked: models.AskedPage) -> ShownGame:
        return await self._content.game(await self._consent.require(asked.id, "game"))

    async def _openapi(self, request: web.Request) -> web.Response:
        data = json.dumps(self._description, ensure_ascii=False, separators=(",", ":"))
        return answer(request, data.encode(), "application/json")

    @_operation("/")
    async def get_index(self, asked: models.Asked) -> models.Index:
        """Where everything is."""
        return models.Index(
            description=self._description["info"]["description"],
            documentation=self._views.url(f"{PATH}/openapi.json"),
            links={each.name: self._views.url(f"{PATH}{each.path}") for each in OPERATIONS[1:]},
        )

    @_operation("/games")
    async def list_games(self, asked: models.AskedGames) -> models.GameList:
        """Public games, those made last first."""
        person = competition = None
        if asked.player is not None:
            page = (await self._consent.require(asked.player, "person")).page
            person = await self._context.store.public.current_person(page.person or 0)
        for kind in COMPETITION_KINDS:
            if (id_ := getattr(asked, kind)) is not None:
                competition = (
                    await self._content.competition_row(await self._consent.require(id_, "competition"), kind)
                ).id
        found = await self._content.list_games(
            asked.limit, asked.cursor, game_key=asked.game, status=asked.status, person=person, competition=competition
        )
        return await self._views.game_list(found)

    @_operation("/games/{id}")
    async def get_game(self, asked: models.AskedPage) -> models.Game:
        """A game with its position."""
        return await self._views.game(await self._read_game(asked))

    @_operation("/games/{id}/turns")
    async def list_turns(self, asked: models.AskedTurns) -> models.TurnList:
        """The turns of a game, in their order; the last one may not be finished."""
        game = await self._read_game(asked)
        first, done = asked.cursor or 0, game.table.row.turn
        end = first + asked.limit
        shown = [turn_view(turn, number, done) for number, turn in enumerate(game.turns[first:end], start=first + 1)]
        return models.TurnList(items=shown, next=end if end < len(game.turns) else None)

    @_operation("/games/{id}/record", "text/plain")
    async def get_record(self, request: web.Request, asked: models.AskedPage) -> web.Response:
        """The record of a game, as `tavoliere` programs exchange it; without the seed while it goes on."""
        game = await self._read_game(asked)
        return answer(request, (await self._content.record_text(game)).encode(), "text/plain")

    @_operation("/games/{id}/stream", "text/event-stream")
    async def follow_game(self, request: web.Request, asked: models.AskedPage) -> web.StreamResponse:
        """Server-sent events: `game` with the game whenever it has changed, `gone` when it is shown no more, and
        `heartbeat` at least every 15 seconds.
        """
        allowed = await self._consent.require(asked.id, "game")

        async def view(now: Allowed) -> models.Game:
            return await self._views.game(await self._content.game(now))

        return await self._streams.run(request, allowed, view, request[_HEADERS])

    async def list_competitions(
        self, asked: models.AskedList, *, kind: CompetitionKind, made: type[BaseModel]
    ) -> BaseModel:
        """Return one page of the list of competitions of a kind."""
        found = await self._content.list_competitions(kind, asked.limit, asked.cursor)
        items = []
        for row, page in found.items:
            if row.game_key not in games:
                continue
            try:
                items.append(self._views.competition_summary(await read_competition(self._context, row), page))
            except Refused as error:
                log.warning("competition-not-listed", competition=row.id, reason=str(error))
        return made(items=items, next=found.cursor)

    async def get_competition(self, asked: models.AskedPage, *, kind: CompetitionKind) -> BaseModel:
        """Return a competition."""
        allowed = await self._consent.require(asked.id, "competition")
        found = await self._content.competition(allowed, kind)
        return self._views.competition(found, allowed.page.id, await self._content.entrant_pages(found))

    @_operation("/puzzles")
    async def list_puzzles(self, asked: models.AskedPuzzles) -> models.PuzzleList:
        """The puzzles of dates that are over everywhere on Earth, the newest first, with their solutions."""
        newest = newest_past_day(self._context.clock())
        before = date.max if asked.cursor is None else max(FIRST_DATE, asked.cursor)
        first = min(newest, before - timedelta(days=1))
        days = [day for number in range(asked.limit + 1) if (day := first - timedelta(days=number)) >= FIRST_DATE]
        shown = [self._views.puzzle(puzzle_on(day), day) for day in days[: asked.limit]]
        return models.PuzzleList(items=shown, next=days[asked.limit - 1] if len(days) > asked.limit else None)

    @_operation("/puzzles/{date}")
    async def get_puzzle(self, asked: models.AskedPuzzle) -> models.Puzzle:
        """The puzzle of a date that is over everywhere on Earth."""
        if not FIRST_DATE <= asked.date <= newest_past_day(self._context.clock()):
            raise NothingToShow("unknown")
        return self._views.puzzle(puzzle_on(asked.date), asked.date)

    @_operation("/ratings")
    async def list_ratings(self, asked: models.AskedRatings) -> models.RatingList:
        """The best ratings of those who want a page, in one game at a pace."""
        store = self._context.store
        best = await store.ratings.best(asked.game, least=MIN_RANKED_GAMES, limit=MAX_RATED, pace=asked.pace)
        if asked.cursor is not None:
            page = await store.public.get(asked.cursor)
            last = await store.public.current_person(page.person) if page is not None and page.person else None
            places = [rating.person for rating in best]
            if last not in places:
                raise NothingToShow("unknown")
            best = best[places.index(last) + 1 :]
        people = await store.people.get_many([rating.person for rating in best])
        shown = [(rating, people[rating.person]) for rating in best if has_profile(people[rating.person])]
        return await self._views.ratings(shown[: asked.limit], more=len(shown) > asked.limit)

    @_operation("/players/{id}")
    async def get_player(self, asked: models.AskedPage) -> models.Player:
        """A person who wants a page."""
        allowed = await self._consent.require(asked.id, "person")
        return self._views.player(await self._content.player(allowed), allowed.page.id)


def _add_competition_operations(kind: CompetitionKind, one: type[BaseModel], many: type[BaseModel], about: str) -> None:
    lists = partial(ReadingApi.list_competitions, kind=kind, made=many)
    gives = partial(ReadingApi.get_competition, kind=kind)
    path, title = f"/{kind}s", kind.capitalize()
    OPERATIONS.append(
        Operation(f"list{title}s", path, f"Public {kind}s, those made last first.", models.AskedList, many, lists)
    )
    OPERATIONS.append(Operation(f"get{title}", f"{path}/{{id}}", about, models.AskedPage, one, gives))


_add_competition_operations("cup", models.Cup, models.CupList, "A cup with its table and its rounds.")
_add_competition_operations(
    "league",
    models.League,
    models.LeagueList,
    "A league with the divisions of its newest season and of the one before.",
)
_add_competition_operations(
    "ladder",
    models.Ladder,
    models.LadderList,
    "A ladder from the top down, with the challenges that are open.",
)


def problem(status: int, detail: str | None, headers: Mapping[str, str]) -> web.Response:
    """Return an error response (RFC 9457)."""
    said = models.Problem(type="about:blank", title=_TITLES[status], status=status, detail=detail)
    return web.Response(
        text=said.model_dump_json(exclude_none=True),
        status=status,
        content_type="application/problem+json",
        headers={"Cache-Control": "no-store", **headers},
    )


def _read(operation: Operation, request: web.Request) -> Any:
    """Return the parameters of an operation; NothingToShow names the first invalid one."""
    given = {name: found if len(found := request.query.getall(name)) > 1 else found[0] for name in request.query}
    try:
        return operation.asked.model_validate(given | request.match_info)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        about = operation.asked.model_fields[name].description
        raise NothingToShow("wrong", {"detail": f"{name}: {about}"}) from None


async def _answer_not_allowed(request: web.Request) -> web.Response:
    raise web.HTTPMethodNotAllowed(request.method, ["GET", "HEAD", "OPTIONS"])


async def _answer_not_found(_request: web.Request) -> web.Response:
    raise NothingToShow("unknown")
