"""The HTTP interface of the apps: the session names the person, and requests are handled as in the chat."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from aiohttp import web

from bot.kernel.app_sessions import AppSession, AppSigner, new_session_times
from bot.kernel.operations.listening import StreamHub, is_websocket
from bot.kernel.presses import game_of_press, private_board
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import OpenBoard, Place, Reply, Request, TryLater, Undeliverable
from bot.kernel.texts import Speaker, Texts
from bot.people.help.commands import menu_buttons
from bot.platforms.app import Tavoliere
from bot.platforms.apps.access import AppAccess, reply_to_json
from bot.platforms.apps.launches import Launcher, LaunchRefused
from bot.platforms.apps.streams import CODE_PATTERN, AppFeed, client_name
from bot.platforms.web.assets import PageWords
from bot.platforms.web.boards import Boards, read_theme, read_view_request, thumbnail_answer
from bot.platforms.web.new_games import (
    MAX_TEXT_LENGTH,
    choices_to_json,
    games_to_json,
    read_event,
    read_text,
    read_values,
)
from bot.platforms.web.present import Json
from bot.platforms.web.request_guard import Rejected, check_carried_out, read_body
from bot.table.game_lookup import game_label

MAX_PRESS_LENGTH: Final = 64
MAX_GAMES_LISTED: Final = 25
MAX_BOARD_PRESSES: Final = 400
LAUNCH_TIMEOUT_SECONDS: Final = 30.0

_BEARER: Final = "Bearer "

log = structlog.get_logger(__name__)


class AppApi:
    """The request handlers; `launchers` check launches, by platform."""

    def __init__(self, front: Tavoliere, texts: Texts, signer: AppSigner, launchers: Mapping[str, Launcher]) -> None:
        self._front = front
        self._context = front.context
        self._texts = texts
        self._signer = signer
        self._launchers = launchers
        self._words = PageWords(texts)
        self._boards = Boards(front, inline=True)
        self.access = AppAccess(front.context)
        self.streams = StreamHub(front.context.store, front.presence)

    def routes(self, prefix: str) -> list[web.RouteDef]:
        """Return the routes below `prefix`, which contains the platform."""
        return [
            web.get(f"{prefix}api/about", self.about),
            web.post(f"{prefix}api/session", self.begin),
            web.post(f"{prefix}api/renew", self.renew),
            web.get(f"{prefix}api/home", self.home),
            web.get(f"{prefix}api/board", self.board),
            web.get(f"{prefix}api/turns", self.turns),
            web.post(f"{prefix}api/cell", self.cell),
            web.post(f"{prefix}api/press", self.press),
            web.post(f"{prefix}api/form", self.fill),
            web.post(f"{prefix}api/say", self.say),
            web.get(f"{prefix}api/live", self.live),
            web.get(f"{prefix}glimpses/{{game}}-{{theme:[a-z]+}}.webp", self.glimpse),
        ]

    # Identity.

    def client_of(self, request: web.Request) -> str | None:
        """Return the rate limit key of a request's person; None without a session."""
        session = self._session(request)
        return None if session is None else client_name(session)

    def _session(self, request: web.Request) -> AppSession | None:
        given = request.headers.get("Authorization", "")
        token = given.removeprefix(_BEARER) if given.startswith(_BEARER) else None
        session = self._signer.read_session(token, self._context.clock())
        return session if session is not None and session.platform == platform_of(request) else None

    def _require(self, request: web.Request) -> AppSession:
        session = self._session(request)
        if session is None:
            raise Rejected(401, "session-over")
        return session

    def _launcher(self, request: web.Request) -> Launcher:
        launcher = self._launchers.get(platform_of(request))
        if launcher is None:
            raise Rejected(404, "no-app")
        return launcher

    async def about(self, request: web.Request) -> web.Response:
        """Return the data that a page needs before it has a session, with the texts for errors."""
        language = self._words.choose(request.query.get("language"))
        try:
            data = dict(await self._launcher(request).describe())
        except LaunchRefused as refused:
            raise Rejected(refused.status, refused.code) from refused
        return web.json_response(data | {"language": language, "words": self._words.for_language(language)})

    async def begin(self, request: web.Request) -> web.Response:
        """Exchange a launch for a session."""
        launcher, body = self._launcher(request), await read_body(request)
        try:
            async with asyncio.timeout(LAUNCH_TIMEOUT_SECONDS):
                launch = await launcher.read(body)
        except LaunchRefused as refused:
            log.info("app-launch-refused", platform=launcher.platform, code=refused.code)
            raise Rejected(refused.status, refused.code) from refused
        except TimeoutError as error:
            raise Rejected(503, "launch-unanswered") from error
        session = launch.session
        requester = await self.access.requester(session)
        game = None
        first: Json = {}
        if session.game:
            try:
                game = (await self.access.table(session, session.game))[0].row.id
                if "theme" in body:
                    # The first board is included: it saves a request on slow networks.
                    first["board"] = await self._view(session, {"game": game, "theme": body["theme"]})
            except Rejected as refused:
                game = None
                first["refused"] = refused.code
        language = requester.speaker.language
        data: Json = {
            **self._token(session),
            "me": {"person": requester.person.id, "name": requester.person.name, "user": session.user},
            "language": language,
            "words": self._words.for_language(language),
            "game": game,
            "chat": await self.access.may_start_games(session, requester.person.id),
        }
        return _compress({**data, **first, **launch.extra})

    async def renew(self, request: web.Request) -> web.Response:
        """Extend a session that has not expired, up to the maximum age of its launch."""
        session = self._require(request)
        _, expires = new_session_times(self._context.clock(), datetime.fromtimestamp(session.launched, UTC))
        return web.json_response(self._token(replace(session, expires=expires)))

    def _token(self, session: AppSession) -> Json:
        seconds = session.expires - self._context.clock().timestamp()
        return {"token": self._signer.sign_session(session), "seconds": max(0, math.floor(seconds))}

    # Reading.

    async def home(self, request: web.Request) -> web.Response:
        """Return a person's games (those waiting for them first), the menu, and the games that can be started."""
        session = self._require(request)
        requester = await self.access.requester(session)
        briefs = (await self._context.store.games.list_for_person(requester.person.id))[:MAX_GAMES_LISTED]
        games = await self._context.people_of_games(briefs)
        chat: Place | None = None
        why = ""
        try:
            chat = await self.access.place_for_new_games(session, requester.person.id)
        except Rejected as refused:
            why = refused.code if session.kind == "group" and session.place is not None else ""
        language = requester.speaker.language
        listed = [
            {
                "code": each.brief.id,
                "label": game_label(requester, each),
                "status": each.brief.status,
                "waits": each.brief.waiting,
            }
            for each in games
        ]
        data: Json = {
            "games": listed,
            "here": [] if chat is None else await self._games_here(chat, requester),
            "menu": [[each.label, each.press] for each in menu_buttons(requester.speaker)],
            "rules": games_to_json(self._texts, language),
            "choices": choices_to_json(self._texts, language),
            "chat": chat is not None,
            "why": why,
        }
        return _compress(data)

    async def _games_here(self, place: Place, requester: RequestContext) -> list[Json]:
        """Return other people's games in the chat in which the app was opened."""
        row = await self._context.store.places.get_or_create(
            place.platform, place.channel, place.thread, place.group, place.kind, at=self._context.clock()
        )
        briefs = await self._context.store.games.list_in_place(row.id, MAX_GAMES_LISTED)
        others = [each for each in briefs if all(seat.person != requester.person.id for seat in each.seats)]
        return [
            {"code": each.brief.id, "label": game_label(requester, each), "status": each.brief.status}
            for each in await self._context.people_of_games(others)
        ]

    async def board(self, request: web.Request) -> web.Response:
        """Answer with the reader's view of a game, now or after a turn."""
        return _compress(await self._view(self._require(request), dict(request.query)))

    async def _view(self, session: AppSession, asked: Json) -> Json:
        """Return the reader's view of a game, now or after a turn."""
        code, _, _ = read_view_request(asked)
        table, requester = await self.access.table(session, code)
        place = await self.access.place_for_game(session, table, requester.person.id, plays=True)
        asking = self.access.request(session, "looking", place, read_theme(asked))
        return await self._boards.view(asking, requester.speaker, requester.person.id, asked)

    async def turns(self, request: web.Request) -> web.Response:
        """Answer with the turns of a game."""
        session, asked = self._require(request), dict(request.query)
        table, requester = await self.access.table(session, read_view_request(asked)[0])
        turns = await self._boards.turns(self.access.request(session, "looking", None), asked)
        return _compress({"turns": turns, "seat": table.seat_of(requester.person.id)})

    async def cell(self, request: web.Request) -> web.Response:
        """Answer with the reason why a cell cannot be pressed, on a game's board or a private one."""
        session, body = self._require(request), await read_body(request)
        opened, card = await self._open_board_of(session, body)
        asking = replace(self.access.request(session, "looking", None), board=opened)
        private = card if opened is not None and opened.kind != "game" else None
        return web.json_response({"why": await self._boards.explained(asking, private, body)})

    async def glimpse(self, request: web.Request) -> web.Response:
        """Answer with the thumbnail of a game."""
        return thumbnail_answer(await self._boards.thumbnail(request.match_info["game"], request.match_info["theme"]))

    # Actions.

    async def press(self, request: web.Request) -> web.Response:
        """Handle the press of a button or a cell."""
        session, body = self._require(request), await read_body(request)
        event, press = read_event(body), read_text(body, "press", MAX_PRESS_LENGTH)
        chooses = press.partition(":")[0] in (PUBLIC_CHOICE, PRIVATE_CHOICE)
        requester, place = await self._requester_and_place(session, body, game_of_press(press), plays=chooses)
        asking = self.access.request(session, event, place, read_theme(body))
        viewer, reader = requester.person.id, requester.speaker
        chosen = await self._boards.next_question(asking, reader, viewer, press, body)
        if chosen is not None:
            return _compress({"board": chosen})
        reply = check_carried_out(await self._front.press(asking, press))
        first = await self._boards.confirmation(asking, reader, viewer, press, reply, body)
        if first is not None:
            return _compress({"board": first})
        if press.startswith(f"{PRIVATE_CHOICE}:") and reply.update and not private_board([press]):
            return web.json_response({})  # the board itself shows the move
        return await self._answered(asking, reply, reader, viewer)

    async def fill(self, request: web.Request) -> web.Response:
        """Handle a submitted form."""
        session, body = self._require(request), await read_body(request)
        event, press, values = read_event(body), read_text(body, "press", MAX_PRESS_LENGTH), read_values(body)
        requester, place = await self._requester_and_place(session, body, None, plays=False)
        asking = self.access.request(session, event, place, read_theme(body))
        reply = check_carried_out(await self._front.fill(asking, press, values))
        return await self._answered(asking, reply, requester.speaker, requester.person.id)

    async def say(self, request: web.Request) -> web.Response:
        """Handle a typed line: a command, or a move on the open board."""
        session, body = self._require(request), await read_body(request)
        event, text = read_event(body), read_text(body, "text", MAX_TEXT_LENGTH).strip()
        if not text:
            raise Rejected(400, "nothing-said")
        opened, _ = await self._open_board_of(session, body)
        game = opened.code if opened is not None and opened.kind == "game" else None
        requester, place = await self._requester_and_place(session, body, game, plays=not text.startswith("/"))
        asking = replace(self.access.request(session, event, place, read_theme(body)), board=opened)
        reply = check_carried_out(await self._front.typed_text(asking, text))
        if reply.talk:
            # Only the bot reads this field, so the text was meant for it.
            raise Rejected(400, "no-line")
        return await self._answered(asking, reply, requester.speaker, requester.person.id)

    async def _requester_and_place(
        self, session: AppSession, body: Json, game: str | None, *, plays: bool
    ) -> tuple[RequestContext, Place | None]:
        """Return who acts and from where: the game's group, or the app's chat if wanted; None for the private chat.

        `plays`: they only look at the game or move in it.
        """
        if game is not None:
            table, requester = await self.access.table(session, game)
            return requester, await self.access.place_for_game(session, table, requester.person.id, plays=plays)
        requester = await self.access.requester(session)
        if body.get("where") != "chat":
            return requester, None
        return requester, await self.access.place_for_new_games(session, requester.person.id)

    async def _answered(self, asking: Request, reply: Reply, reader: Speaker, viewer: int) -> web.Response:
        """Return a reply as the response; also send a public one to the chat."""
        if reply.card is not None and not reply.private and not asking.nonmember:
            adapter = self._context.adapters.get(asking.place.platform)
            try:
                if adapter is not None:
                    await adapter.answer(asking.place, reply.card, f"reply-{asking.event}")
            except (Undeliverable, TryLater) as error:
                log.info("app-answer-not-public", reason=str(error))
        picture = reply.card.picture if reply.card is not None else None
        shown = "" if picture is None else await self._boards.inline(picture.png)
        return _compress(reply_to_json(reply, reader, viewer, shown))

    async def _open_board_of(self, session: AppSession, body: Json) -> tuple[OpenBoard | None, Json | None]:
        """Return the board that the page shows: a private one by its presses, a game by its code."""
        opened = body.get("open")
        if not isinstance(opened, dict):
            return None, None
        presses = opened.get("presses")
        if isinstance(presses, dict) and len(presses) <= MAX_BOARD_PRESSES:
            carried = {
                str(cell): press
                for cell, press in presses.items()
                if isinstance(press, str) and len(press) <= MAX_PRESS_LENGTH
            }
            board = private_board(carried.values())
            if board is not None:
                return board, {"presses": carried}
        code = opened.get("game")
        if not isinstance(code, str) or not CODE_PATTERN.fullmatch(code):
            return None, None
        await self.access.table(session, code)
        return OpenBoard("game", code), None

    # The stream.

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Open the stream of changes, or answer a poll with the same data."""
        platform = platform_of(request)

        def read(token: object) -> AppSession:
            session = self._signer.read_session(token, self._context.clock())
            if session is None or session.platform != platform:
                raise ValueError("no session")
            return session

        clock, watch = self._context.clock, self._front.watch_searches
        feed = AppFeed(self.access, self._launcher(request), read, self._token, clock, watch, self._front.presence)
        if is_websocket(request):
            return await feed.serve(self.streams, request)
        session, token = self._require(request), request.headers["Authorization"].removeprefix(_BEARER)
        return web.json_response([await feed.poll(session, token, request.query.get("game"))])


def platform_of(request: web.Request) -> str:
    """Return the platform in a request's path; empty for none."""
    return request.match_info.get("platform", "")


def _compress(data: Any) -> web.Response:
    """Return a JSON response, compressed if the app accepts that: Base64 makes pictures a third longer."""
    response = web.json_response(data)
    response.enable_compression()
    return response
