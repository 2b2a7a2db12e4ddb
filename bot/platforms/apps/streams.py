"""Streams to apps: changes of the open board and of a person's games, and requests to open another game."""

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.kernel.app_sessions import AppSession
from bot.kernel.context import ANSWER_LIFETIME_SECONDS
from bot.kernel.operations.listening import (
    FORBIDDEN_CLOSE_CODE,
    PRESENCE_NEWS,
    TOO_MANY_CLOSE_CODE,
    Stream,
    StreamHub,
    TooManyStreams,
    Topic,
)
from bot.kernel.table import people_by_seat
from bot.platforms.app import Tavoliere
from bot.platforms.apps.access import AppAccess
from bot.platforms.discord.activity import launch_key, read_launch
from bot.platforms.web.boards import is_code
from bot.platforms.web.live import HEARTBEAT, sending_searches
from bot.platforms.web.request_guard import Rejected
from storage import GameRow, Json

HELLO_TIMEOUT_SECONDS: Final = 15.0
"""Seconds within which a new stream must send its session."""
MAX_STREAMS_PER_PERSON: Final = 8
MAX_STREAMS: Final = 5000


class AppFeed:
    """The data for one app: a stream, or the answer to one poll."""

    def __init__(self, front: Tavoliere, access: AppAccess, platform: str) -> None:
        self._access = access
        self._platform = platform
        self._clock = front.context.clock
        self._store = front.context.store
        self._watch_searches = front.watch_searches
        self._presence = front.presence
        self._token: object = None
        self._mine: Topic = ("person", None)
        self._wish: Topic = ("value", None)
        self._game: str | None = None
        self._checked_at = 0.0
        """Monotonic time of the last successful check that the person may see the game."""

    def _session(self) -> AppSession | None:
        """Return the session of the app's newest token; None if it is over."""
        return self._access.read_session(self._token, self._platform)

    async def poll(self, session: AppSession, token: object, game: object) -> Json:
        """Return the data that a stream would send at once."""
        self._token = token
        requester = await self._access.requester(session)
        self._presence.note_leaving(requester.id)
        row = await self._find_watchable(game)
        with self._watch_searches(requester.id) as watch:
            searches = watch.progress()
        games = [] if row is None else [{**_game_to_json(row), **self._absences_to_json(row)}]
        # Every poll includes the last requested game: the app knows which request it has fulfilled.
        return {"games": games, "list": True, "searches": searches, **await self._open_wanted()}

    async def serve(self, hub: StreamHub, request: web.Request) -> web.WebSocketResponse:
        """Serve a stream until the app disconnects or its session, named in its first message, expires."""
        async with hub.open_socket(request) as socket:
            try:
                async with asyncio.timeout(HELLO_TIMEOUT_SECONDS):
                    said = _read(await socket.receive())
            except (TimeoutError, ValueError):
                said = {}
            self._token = said.get("token")
            session = self._session()
            if session is None:
                await socket.close(code=FORBIDDEN_CLOSE_CODE)
                return socket
            person = (await self._access.requester(session)).person.id
            bounds = [("all", MAX_STREAMS), (client_name(session), MAX_STREAMS_PER_PERSON)]
            self._mine = "person", person
            self._wish = "value", (session.platform, launch_key(session.instance, session.user))
            ends = asyncio.get_running_loop().time() + session.expires - self._clock().timestamp()
            searches = sending_searches(socket, self._watch_searches(person), returning=said.get("returning") is True)
            try:
                with hub.open(bounds, self._mine, self._wish) as stream, self._presence.open(person):
                    await self._watch(stream, said)
                    async with searches:
                        hearing = asyncio.create_task(self._receive_boards(socket, stream), name="app stream")
                        try:
                            await self._send(socket, stream, ends)
                        finally:
                            hearing.cancel()
                    await socket.close(code=FORBIDDEN_CLOSE_CODE)
            except TooManyStreams:
                await socket.close(code=TOO_MANY_CLOSE_CODE)
        return socket

    async def _send(self, socket: web.WebSocketResponse, stream: Stream, ends: float) -> None:
        """Send changes until the app disconnects or the session expires."""
        await socket.send_str('{"ready":true}')
        while await stream.wait_for_news(partial(socket.send_str, HEARTBEAT), ends):
            games = await self._check_game()
            others = [topic for topic in stream.topics if topic[0] == PRESENCE_NEWS]
            taken = stream.take(("game", self._game), self._mine, self._wish, *others)
            games += [
                {"code": game} if row is None else _game_to_json(row)
                for (kind, game), row in taken.items()
                if kind == "game"
            ]
            if not games and not taken.keys().isdisjoint(others):
                games.append({"code": self._game})
            wanted = await self._open_wanted() if self._wish in taken else {}
            if games or self._mine in taken or wanted:
                news = {"games": games, "list": self._mine in taken, **wanted}
                await socket.send_str(json.dumps(news, separators=(",", ":")))

    async def _watch(self, stream: Stream, said: Json) -> None:
        """Follow the game on the app's board, and announce it if the person may see it."""
        self._token = said.get("token", self._token)
        asked, shown = said.get("game"), [game for game in (self._game, said.get("game")) if isinstance(game, str)]
        # Follow it first: changes during the check must not be lost.
        stream.follow(self._mine, self._wish, *(("game", game) for game in shown))
        row = await self._find_watchable(asked)
        self._game, self._checked_at = None if row is None else row.id, self._clock.monotonic()
        if row is None:
            stream.follow(self._mine, self._wish)
            return
        topic = "game", row.id
        players = [seat.person for seat in row.seats if seat.person is not None] if row.terms.is_live else []
        stream.follow(self._mine, self._wish, topic, *((PRESENCE_NEWS, person) for person in players))
        # Announce its current state, too: it may have changed since the app fetched it.
        stream.note(topic, stream.take(topic).get(topic, row))

    async def _check_game(self) -> list[Json]:
        """Make the app request its game again if its person may not see it any more."""
        game, now = self._game, self._clock.monotonic()
        if game is None or now < self._checked_at + ANSWER_LIFETIME_SECONDS:
            return []
        if await self._find_watchable(game) is not None:
            self._checked_at = now
        elif self._game == game:
            self._game = None
            return [{"code": game}]
        return []

    async def _find_watchable(self, game: object) -> GameRow | None:
        """Return a game, None if the person may not see it."""
        session = self._session()
        if session is None or not is_code(game):
            return None
        try:
            return (await self._access.table(session, game))[0].row
        except Rejected:
            return None

    async def _open_wanted(self) -> Json:
        """Return the message that opens the game requested by the person; empty if there is none.

        Only Discord opens another game in an open page; elsewhere every launch has a page of its own.
        """
        session = self._session()
        if session is None or not session.instance:
            return {}
        game, at = await read_launch(self._store, session.instance, session.user, self._clock())
        # A person who could press the button below a board may see the game, as when a press opens the page.
        return {"open": game, "wished": at, **self._access.session_to_json(replace(session, game=game))} if game else {}

    def _absences_to_json(self, row: GameRow) -> Json:
        """Return the absences in a live game, as its board shows them; empty for any other game."""
        if not row.terms.is_live or not row.is_playing:
            return {}
        people = people_by_seat(row)
        return {"away": self._presence.list_absences(people.get(seat) for seat in range(row.seat_count))}

    async def _receive_boards(self, socket: web.WebSocketResponse, stream: Stream) -> None:
        """Read which game is on the app's board until the app disconnects."""
        try:
            while True:
                said = _read(await socket.receive())
                if "game" in said:
                    await self._watch(stream, said)
        except (ValueError, RecursionError):
            if not socket.closed:
                await socket.close(code=WSCloseCode.UNSUPPORTED_DATA)
        finally:
            stream.end()


def client_name(session: AppSession) -> str:
    """Return the name under which a person's concurrent streams and requests are counted."""
    return f"{session.platform} {session.user}"


def _game_to_json(row: GameRow) -> Json:
    """Return the fields of a game by which an app recognises an outdated board."""
    return {"code": row.id, "revision": row.revision, "status": row.status}


def _read(message: Any) -> Json:
    """Return an app's message, empty if it is not an object; ValueError if the app has disconnected."""
    if message.type is not WSMsgType.TEXT:
        raise ValueError(message.type)
    data = json.loads(message.data)
    return data if isinstance(data, dict) else {}
