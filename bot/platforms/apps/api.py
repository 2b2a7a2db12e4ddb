"""The HTTP interface of the apps: the session names the person, and requests are handled as in the chat."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from aiohttp import web

from bot.kernel.app_sessions import AppSession, AppSigner, new_session_times
from bot.kernel.operations.listening import StreamHub, is_websocket
from bot.kernel.preferences import place_of
from bot.kernel.presses import game_of_press, private_board
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import OpenBoard, Place, Reply, TryLater, Undeliverable
from bot.kernel.table import GamePeople
from bot.kernel.texts import Texts
from bot.people.help.commands import menu_buttons
from bot.platforms.app import Tavoliere
from bot.platforms.apps.access import AppAccess, reply_to_json
from bot.platforms.apps.launches import Launcher, LaunchRefused
from bot.platforms.apps.streams import AppFeed, client_name
from bot.platforms.web.assets import PageWords
from bot.platforms.web.boards import BoardQuery, Boards, is_code, read_view_request
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
from storage import PlaceRow

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
        self._launchers = launchers
        self._words = PageWords(texts)
        self._boards = Boards(front, inline=True)
        self.access = AppAccess(front.context, signer)
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
            web.get(f"{prefix}glimpses/{{game}}-{{theme:[a-z]+}}.webp", self._boards.glimpse),
        ]

    # Identity.

    def client_of(self, request: web.Request) -> str | None:
        """Return the rate limit key of a request's person; None without a session."""
        session = self._session(request)
        return None if session is None else client_name(session)

    def _session(self, request: web.Request) -> AppSession | None:
        return self.access.read_session(_read_token(request), platform_of(request))

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
        language = self._words.speaker(request.query.get("language")).language
        data = dict(await self._launcher(request).describe())
        return web.json_response(data | {"language": language, "words": self._words.for_language(language)})

    async def begin(self, request: web.Request) -> web.Response:
        """Exchange a launch for a session."""
        launcher, body = self._launcher(request), await read_body(request)
        try:
            async with asyncio.timeout(LAUNCH_TIMEOUT_SECONDS):
                launch = await launcher.read(body)
        except LaunchRefused as refused:
            log.info("app-launch-refused", platform=launcher.platform, code=refused.code)
            raise
        except TimeoutError as error:
            raise Rejected(503, "launch-unanswered") from error
        session = launch.session
        requester = await self.access.requester(session)
        first: Json = {"game": None}
        if session.game:
            try:
                first["game"] = (await self.access.table(session, session.game))[0].row.id
                if "theme" in body:
                    # The first board is included: it saves a request on slow networks.
                    first["board"] = await self._view(session, {"game": first["game"], "theme": body["theme"]})
            except Rejected as refused:
                first = {"game": None, "refused": refused.code}
        language = requester.speaker.language
        data: Json = {
            **self.access.session_to_json(session),
            "me": {"person": requester.id, "name": requester.person.name, "user": session.user},
            "language": language,
            "words": self._words.for_language(language),
            "chat": await self.access.may_start_games(session, requester.id),
        }
        return _compress({**data, **first, **launch.extra})

    async def renew(self, request: web.Request) -> web.Response:
        """Extend a session that has not expired, up to the maximum age of its launch."""
        session = self._require(request)
        _, expires = new_session_times(self._context.clock(), datetime.fromtimestamp(session.launched, UTC))
        return web.json_response(self.access.session_to_json(replace(session, expires=expires)))

    # Reading.

    async def home(self, request: web.Request) -> web.Response:
        """Return a person's games (those waiting for them first), the menu, and the games that can be started."""
        session = self._require(request)
        requester = await self.access.requester(session)
        briefs = (await self._context.store.games.list_for_person(requester.id))[:MAX_GAMES_LISTED]
        games = await self._context.people_of_games(briefs)
        chat: PlaceRow | None = None
        why = ""
        try:
            chat = await self.access.place_for_new_games(session, requester.id)
        except Rejected as refused:
            why = refused.code if session.kind == "group" and session.place is not None else ""
        waiting = [{**_list_game(requester, each), "waits": each.brief.waiting} for each in games]
        data: Json = {
            "games": waiting,
            "here": [] if chat is None else await self._games_here(chat, requester),
            "menu": [[each.label, each.press] for each in menu_buttons(requester.speaker)],
            "rules": games_to_json(requester.speaker),
            "choices": choices_to_json(requester.speaker),
            "chat": chat is not None,
            "why": why,
        }
        return _compress(data)

    async def _games_here(self, chat: PlaceRow, requester: RequestContext) -> list[Json]:
        """Return other people's games in the chat in which the app was opened."""
        briefs = await self._context.store.games.list_in_place(chat.id, MAX_GAMES_LISTED)
        others = [each for each in briefs if all(seat.person != requester.id for seat in each.seats)]
        return [_list_game(requester, each) for each in await self._context.people_of_games(others)]

    async def board(self, request: web.Request) -> web.Response:
        """Answer with the reader's view of a game, now or after a turn."""
        return _compress(await self._view(self._require(request), dict(request.query)))

    async def _view(self, session: AppSession, asked: Json) -> Json:
        """Return the reader's view of a game, now or after a turn."""
        code, _, _ = read_view_request(asked)
        return await self._boards.view(await self._query(session, "looking", asked, code, plays=True))

    async def turns(self, request: web.Request) -> web.Response:
        """Answer with the turns of a game."""
        session, asked = self._require(request), dict(request.query)
        table, requester = await self.access.table(session, read_view_request(asked)[0])
        query = BoardQuery(self.access.request(session), requester.speaker, requester.id, asked)
        turns = await self._boards.turns(query)
        return _compress({"turns": turns, "seat": table.seat_of(requester.id)})

    async def cell(self, request: web.Request) -> web.Response:
        """Answer with the reason why a cell cannot be pressed, on a game's board or a private one."""
        session, body = self._require(request), await read_body(request)
        opened, card = await self._open_board_of(session, body)
        query = await self._query(session, "looking", body, board=opened)
        return web.json_response({"why": await self._boards.explained(query, card)})

    # Actions.

    async def press(self, request: web.Request) -> web.Response:
        """Handle the press of a button or a cell."""
        session, body = self._require(request), await read_body(request)
        event, press = read_event(body), read_text(body, "press", MAX_PRESS_LENGTH)
        chooses = press.partition(":")[0] in (PUBLIC_CHOICE, PRIVATE_CHOICE)
        query = await self._query(session, event, body, game_of_press(press), plays=chooses)
        reply = await self._boards.press(query, press)
        if not isinstance(reply, Reply):
            return _compress({"board": reply})
        if press.startswith(f"{PRIVATE_CHOICE}:") and reply.update and not private_board([press]):
            return web.json_response({})  # the board itself shows the move
        return await self._answered(query, reply)

    async def fill(self, request: web.Request) -> web.Response:
        """Handle a submitted form."""
        session, body = self._require(request), await read_body(request)
        event, press, values = read_event(body), read_text(body, "press", MAX_PRESS_LENGTH), read_values(body)
        query = await self._query(session, event, body)
        return await self._answered(query, await self._front.fill(query.request, press, values))

    async def say(self, request: web.Request) -> web.Response:
        """Handle a typed line: a command, or a move on the open board."""
        session, body = self._require(request), await read_body(request)
        event, text = read_event(body), read_text(body, "text", MAX_TEXT_LENGTH).strip()
        if not text:
            raise Rejected(400, "nothing-said")
        opened, _ = await self._open_board_of(session, body)
        game = opened.code if opened is not None and opened.kind == "game" else None
        query = await self._query(session, event, body, game, plays=not text.startswith("/"), board=opened)
        reply = await self._front.typed_text(query.request, text)
        if reply.talk:
            # Only the bot reads this field, so the text was meant for it.
            raise Rejected(400, "no-line")
        return await self._answered(query, reply)

    async def _query(
        self,
        session: AppSession,
        event: str,
        sent: Json,
        game: str | None = None,
        *,
        plays: bool = False,
        board: OpenBoard | None = None,
    ) -> BoardQuery:
        """Return a request with its sender and the place that they act from.

        It is the game's group, or the app's chat if wanted; otherwise the private chat. `plays`: they only look at the
        game or move in it. `board` is the one that the app shows.
        """
        place: Place | None = None
        if game is not None:
            table, requester = await self.access.table(session, game)
            place = await self.access.place_for_game(session, table, requester.id, plays=plays)
        else:
            requester = await self.access.requester(session)
            if sent.get("where") == "chat":
                place = place_of(await self.access.place_for_new_games(session, requester.id))
        request = replace(self.access.request(session, event, place, sent), board=board)
        return BoardQuery(request, requester.speaker, requester.id, sent)

    async def _answered(self, query: BoardQuery, reply: Reply) -> web.Response:
        """Return a reply as the response; also send a public one to the chat. Rejected if the action failed."""
        card, asking = check_carried_out(reply).card, query.request
        if card is not None and not reply.private and not asking.nonmember:
            adapter = self._context.adapters.get(asking.place.platform)
            try:
                if adapter is not None:
                    await adapter.answer(asking.place, card, f"reply-{asking.event}")
            except (Undeliverable, TryLater) as error:
                log.info("app-answer-not-public", reason=str(error))
        picture = card.picture if card is not None else None
        shown = "" if picture is None else await self._boards.inline(picture.png)
        return _compress(reply_to_json(reply, query, shown))

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
        if not is_code(code):
            return None, None
        await self.access.table(session, code)
        return OpenBoard("game", code), None

    # The stream.

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Open the stream of changes, or answer a poll with the same data."""
        feed = AppFeed(self._front, self.access, self._launcher(request))
        if is_websocket(request):
            return await feed.serve(self.streams, request)
        session = self._require(request)
        return web.json_response([await feed.poll(session, _read_token(request), request.query.get("game"))])


def _list_game(requester: RequestContext, game: GamePeople) -> Json:
    return {"code": game.brief.id, "label": game_label(requester, game), "status": game.brief.status}


def platform_of(request: web.Request) -> str:
    """Return the platform in a request's path; empty for none."""
    return request.match_info.get("platform", "")


def _read_token(request: web.Request) -> str | None:
    given = request.headers.get("Authorization", "")
    return given.removeprefix(_BEARER) if given.startswith(_BEARER) else None


def _compress(data: Any) -> web.Response:
    """Return a JSON response, compressed if the app accepts that: Base64 makes pictures a third longer."""
    response = web.json_response(data)
    response.enable_compression()
    return response
