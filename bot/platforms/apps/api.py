"""The HTTP interface of the apps: the session names the person, and requests are handled as in the chat."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import structlog
from aiohttp import web

from bot.kernel.app_sessions import AppSession, AppSigner, new_session_times
from bot.kernel.cards import MAX_PRESS_BYTES
from bot.kernel.operations.limits import is_websocket
from bot.kernel.operations.listening import StreamHub
from bot.kernel.preferences import place_of
from bot.kernel.presses import game_of_press, private_board
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import OpenBoard, Reply, TryLater, Undeliverable
from bot.kernel.table import GamePeople
from bot.people.help.commands import menu_buttons
from bot.platforms.app import Tavoliere
from bot.platforms.apps.access import AppAccess, reply_to_json
from bot.platforms.apps.launches import Launcher, LaunchRefused
from bot.platforms.apps.streams import AppFeed, client_name
from bot.platforms.web.assets import PageWords
from bot.platforms.web.boards import BoardQuery, Boards, is_code, read_view_request
from bot.platforms.web.new_games import SentRequest, choices_to_json, games_to_json
from bot.platforms.web.request_guard import Rejected, check_carried_out, json_route, read_body
from bot.table.game_lookup import game_label
from storage import Json, PlaceRow

MAX_GAMES_LISTED: Final = 25
MAX_BOARD_PRESSES: Final = 400
LAUNCH_TIMEOUT_SECONDS: Final = 30.0

_BEARER: Final = "Bearer "

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AppRequest(SentRequest):
    """A request of an app, in its session."""

    session: AppSession


class AppApi:
    """The request handlers; `launchers` check launches, by platform."""

    def __init__(self, front: Tavoliere, signer: AppSigner, launchers: Mapping[str, Launcher]) -> None:
        self._front = front
        self._context = front.context
        self._launchers = launchers
        self._words = PageWords(front.context.texts)
        self._boards = Boards(front, inline=True)
        self.access = AppAccess(front.context, signer)
        self.streams = StreamHub(front.context.store, front.presence)

    def routes(self, prefix: str) -> list[web.RouteDef]:
        """Return the routes below `prefix`, which contains the platform."""
        # Compressed, because Base64 makes pictures a third longer.
        reading = partial(json_route, "GET", self._read, compresses=True)
        acting = partial(json_route, "POST", self._read, compresses=True)
        return [
            web.get(f"{prefix}api/about", self.about),
            web.post(f"{prefix}api/session", self.begin),
            acting(f"{prefix}api/renew", self.renew),
            reading(f"{prefix}api/home", self.home),
            reading(f"{prefix}api/board", self.board),
            reading(f"{prefix}api/turns", self.turns),
            acting(f"{prefix}api/cell", self.cell),
            acting(f"{prefix}api/press", self.press),
            acting(f"{prefix}api/form", self.fill),
            acting(f"{prefix}api/say", self.say),
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

    async def _read(self, request: web.Request, sent: Mapping[str, Any]) -> AppRequest:
        return AppRequest(sent, self._require(request))

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
                    shown = {"game": first["game"], "theme": body["theme"]}
                    first["board"] = await self.board(AppRequest(shown, session))
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
        response = web.json_response({**data, **first, **launch.extra})
        response.enable_compression()
        return response

    async def renew(self, asked: AppRequest) -> Json:
        """Extend a session that has not expired, up to the maximum age of its launch."""
        session = asked.session
        _, expires = new_session_times(self._context.clock(), datetime.fromtimestamp(session.launched, UTC))
        return self.access.session_to_json(replace(session, expires=expires))

    # Reading.

    async def home(self, asked: AppRequest) -> Json:
        """Return a person's games (those waiting for them first), the menu, and the games that can be started."""
        session = asked.session
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
        return {
            "games": waiting,
            "here": [] if chat is None else await self._games_here(chat, requester),
            "menu": [[each.label, each.press] for each in menu_buttons(requester.speaker)],
            "rules": games_to_json(requester.speaker),
            "choices": choices_to_json(requester.speaker),
            "chat": chat is not None,
            "why": why,
        }

    async def _games_here(self, chat: PlaceRow, requester: RequestContext) -> list[Json]:
        """Return other people's games in the chat in which the app was opened."""
        briefs = await self._context.store.games.list_in_place(chat.id, MAX_GAMES_LISTED)
        others = [each for each in briefs if all(seat.person != requester.id for seat in each.seats)]
        return [_list_game(requester, each) for each in await self._context.people_of_games(others)]

    async def board(self, asked: AppRequest) -> Json:
        """Return the reader's view of a game, now or after a turn."""
        code, _, _ = read_view_request(asked.body)
        return await self._boards.view(await self._query(asked, game=code, plays=True))

    async def turns(self, asked: AppRequest) -> Json:
        """Return the turns of a game."""
        table, requester = await self.access.table(asked.session, read_view_request(asked.body)[0])
        return {"turns": await self._boards.turns(await self._query(asked)), "seat": table.seat_of(requester.id)}

    async def cell(self, asked: AppRequest) -> Json:
        """Return the reason why a cell cannot be pressed, on a game's board or a private one."""
        opened, card = await self._open_board_of(asked)
        query = await self._query(asked, board=opened)
        return {"why": await self._boards.explained(query, card)}

    # Actions.

    async def press(self, asked: AppRequest) -> Json:
        """Handle the press of a button or a cell."""
        event, press = asked.event, asked.press
        chooses = press.partition(":")[0] in (PUBLIC_CHOICE, PRIVATE_CHOICE)
        query = await self._query(asked, event, game_of_press(press), plays=chooses)
        reply = await self._boards.press(query, press)
        if not isinstance(reply, Reply):
            return {"board": reply}
        if press.startswith(f"{PRIVATE_CHOICE}:") and reply.update and not private_board([press]):
            return {}  # the board itself shows the move
        return await self._answered(query, reply)

    async def fill(self, asked: AppRequest) -> Json:
        """Handle a submitted form."""
        event, press, values = asked.event, asked.press, asked.values
        query = await self._query(asked, event)
        return await self._answered(query, await self._front.fill(query.request, press, values))

    async def say(self, asked: AppRequest) -> Json:
        """Handle a typed line: a command, or a move on the open board."""
        event, text = asked.event, asked.text("text").strip()
        if not text:
            raise Rejected(400, "nothing-said")
        opened, _ = await self._open_board_of(asked)
        game = opened.code if opened is not None and opened.kind == "game" else None
        query = await self._query(asked, event, game, plays=not text.startswith("/"), board=opened)
        reply = await self._front.typed_text(query.request, text)
        if reply.talk:
            # Only the bot reads this field, so the text was meant for it.
            raise Rejected(400, "no-line")
        return await self._answered(query, reply)

    async def _query(
        self,
        asked: AppRequest,
        event: str = "looking",
        game: str | None = None,
        *,
        plays: bool = False,
        board: OpenBoard | None = None,
    ) -> BoardQuery:
        """Return a request with its sender and the place that they act from.

        It is the game's group, or the app's chat if wanted; otherwise the private chat. `plays`: they only look at the
        game or move in it. `board` is the one that the app shows.
        """
        session, place = asked.session, None
        if game is not None:
            table, requester = await self.access.table(session, game)
            place = await self.access.place_for_game(session, table, requester.id, plays=plays)
        else:
            requester = await self.access.requester(session)
            if asked.body.get("where") == "chat":
                place = place_of(await self.access.place_for_new_games(session, requester.id))
        request = replace(self.access.request(session, event, place, asked.body), board=board)
        return BoardQuery(request, requester.speaker, requester.id, asked.body)

    async def _answered(self, query: BoardQuery, reply: Reply) -> Json:
        """Return a reply as JSON; also send a public one to the chat. Rejected if the action failed."""
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
        return reply_to_json(reply, query, shown)

    async def _open_board_of(self, asked: AppRequest) -> tuple[OpenBoard | None, Json | None]:
        """Return the board that the page shows: a private one by its presses, a game by its code."""
        opened = asked.body.get("open")
        if not isinstance(opened, dict):
            return None, None
        presses = opened.get("presses")
        if isinstance(presses, dict) and len(presses) <= MAX_BOARD_PRESSES:
            carried = {
                str(cell): press
                for cell, press in presses.items()
                if isinstance(press, str) and len(press) <= MAX_PRESS_BYTES
            }
            board = private_board(carried.values())
            if board is not None:
                return board, {"presses": carried}
        code = opened.get("game")
        if not is_code(code):
            return None, None
        await self.access.table(asked.session, code)
        return OpenBoard("game", code), None

    # The stream.

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Open the stream of changes, or answer a poll with the same data."""
        feed = AppFeed(self._front, self.access, self._launcher(request).platform)
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
