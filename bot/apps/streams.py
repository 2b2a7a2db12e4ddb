"""Streams to apps: changes of the open board and of a person's games, and requests to open another game."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.core.memberships import ANSWER_LIFETIME_SECONDS
from bot.operations.live_streams import wait_for_news
from bot.thinking.advice import SearchWatch
from bot.web.live import HEARTBEAT, close_all, new_socket, send_searches
from storage import GameRow, News, Store

HELLO_TIMEOUT_SECONDS: Final = 15.0
"""Seconds within which a new stream must send its session."""
MAX_STREAMS_PER_PERSON: Final = 8
MAX_STREAMS: Final = 5000
FORBIDDEN_CLOSE_CODE: Final = 4001
"""The WebSocket close code for an expired or missing session."""
TOO_MANY_CLOSE_CODE: Final = 4002

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StreamListener:
    """Whose stream it is: the name under which their streams are counted, and for how many seconds it may go on.

    `wanted_game` is the platform and the name of the value that is announced when they want another game to be shown.
    """

    client: str
    person: int
    seconds: float
    wanted_game: tuple[str, str]


class _Stream:
    def __init__(self, listener: StreamListener) -> None:
        self.person = listener.person
        self.wanted_game = listener.wanted_game
        self.game: str | None = None
        self.asked_game: str | None = None
        """The game of which it is being asked whether the person may look at it."""
        self.asked_changes: Json | None = None
        """What has changed in that game meanwhile."""
        self.checked_at: float | None = None
        """When it was last found that the person may look at the game."""
        self.news = asyncio.Event()
        self.games: dict[str, Json] = {}
        self.listing = False
        """True if the list of the person's games has changed."""
        self.wants = False
        """True if another game is requested."""

    def ask(self, game: object) -> None:
        """Record which game is wanted on the app's board: it may change before it is known that it may be watched."""
        self.asked_game = game if isinstance(game, str) else None
        self.asked_changes = None

    def watch(self, row: GameRow | None, at: float) -> None:
        """Set the game on the app's board, and report its current state: it may have changed since it was fetched."""
        self.game = None if row is None else row.id
        self.checked_at = at
        if row is not None:
            self.take(row)
            if row.id == self.asked_game and self.asked_changes is not None:
                self.games[row.id] = self.asked_changes
        self.asked_game = self.asked_changes = None

    def take(self, row: GameRow) -> None:
        """Record a change of a game if it concerns this stream."""
        mine = any(seat.person == self.person for seat in row.seats)
        if row.id == self.game:
            self.games[row.id] = game_to_json(row)
        if row.id == self.asked_game:
            self.asked_changes = game_to_json(row)
        self.listing = self.listing or mine
        if mine or row.id == self.game:
            self.news.set()

    def take_value(self, name: tuple[str, str]) -> None:
        """Record an announced value if it requests a game here."""
        if name == self.wanted_game:
            self.wants = True
            self.news.set()

    def take_id(self, game: str | None) -> None:
        """Record that a game, or any game, has changed in another process: the app must fetch it."""
        if self.asked_game is not None and game in (None, self.asked_game):
            self.asked_changes = {"code": self.asked_game}
        if game is None or game == self.game:
            if self.game is not None:
                self.games[self.game] = {"code": self.game}
            self.listing = self.listing or game is None
            self.news.set()


class AppStreams:
    """All streams of this process."""

    def __init__(
        self,
        store: Store,
        watch_searches: Callable[[int], AbstractContextManager[SearchWatch]],
        clock: Callable[[], float],
    ) -> None:
        self._watch_searches = watch_searches
        self._clock = clock
        self._open: set[_Stream] = set()
        self._counts: Counter[str] = Counter()
        self._sockets: set[web.WebSocketResponse] = set()
        store.add_listener(self._on_store_change)

    def _on_store_change(self, news: News) -> None:
        kind, what = news
        if not self._open:
            return
        if kind == "game" and isinstance(what, GameRow):
            for stream in self._open:
                stream.take(what)
        elif kind == "votes" or (kind == "elsewhere" and what is not None and what[0] == "votes"):
            for stream in self._open:
                stream.take_id(str(what if kind == "votes" else what[1]))
        elif kind == "value" or (kind == "elsewhere" and what is not None and what[0] == "value"):
            platform, name = what if kind == "value" else what[1]
            for stream in self._open:
                stream.take_value((platform, name))
        elif kind == "elsewhere" and (what is None or what[0] == "game"):
            game = None if what is None or what[1] is None else str(what[1])
            for stream in self._open:
                stream.take_id(game)

    async def serve(
        self,
        request: web.Request,
        admit: Callable[[object], Awaitable[StreamListener]],
        may_watch: Callable[[object, object], Awaitable[GameRow | None]],
        open_wanted: Callable[[object], Awaitable[Json]],
    ) -> web.WebSocketResponse:
        """Serve a stream until the app disconnects or the session expires.

        Its first message has the session's token, for which `admit` returns whose it is; ValueError for nobody's.
        `may_watch` returns a game that a token may look at, None if it may not. `open_wanted` returns what a page is
        told when its person wants another game, nothing where they do not.
        """
        socket = new_socket()
        await socket.prepare(request)
        self._sockets.add(socket)
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_SECONDS):
                said = _read(await socket.receive())
            token = said.get("token")
            listener = await admit(token)
        except (TimeoutError, ValueError):
            await socket.close(code=FORBIDDEN_CLOSE_CODE)
            self._sockets.discard(socket)
            return socket
        try:
            with self._count_stream(listener.client) as may:
                if not may:
                    await socket.close(code=TOO_MANY_CLOSE_CODE)
                    return socket
                stream = _Stream(listener)
                self._open.add(stream)

                async def watch(said: Json) -> None:
                    nonlocal token
                    token = said.get("token", token)
                    stream.ask(said.get("game"))
                    stream.watch(await may_watch(token, said.get("game")), self._clock())

                async def check() -> None:
                    """Have the app ask for its game if its person may not look at it any more."""
                    game, now = stream.game, self._clock()
                    if game is None or _is_recent(stream.checked_at, now):
                        return
                    if await may_watch(token, game) is not None:
                        stream.checked_at = now
                    elif stream.game == game:
                        stream.game, stream.games[game] = None, {"code": game}

                try:
                    await watch(said)
                    ends = asyncio.get_running_loop().time() + listener.seconds
                    watched = self._watch_searches(listener.person)
                    returning = said.get("returning") is True
                    searching = asyncio.create_task(
                        send_searches(socket, watched, returning=returning), name="app searches"
                    )
                    hearing = asyncio.create_task(_receive_boards(socket, stream, watch), name="app stream")
                    try:
                        await _tell(socket, stream, ends, hearing, lambda: open_wanted(token), check)
                    finally:
                        hearing.cancel()
                        searching.cancel()
                finally:
                    self._open.discard(stream)
        except ConnectionResetError:
            pass  # it went while something was on its way
        finally:
            self._sockets.discard(socket)
        return socket

    @contextmanager
    def _count_stream(self, client: str) -> Iterator[bool]:
        if self._counts[client] >= MAX_STREAMS_PER_PERSON or len(self._open) >= MAX_STREAMS:
            yield False
            return
        self._counts[client] += 1
        try:
            yield True
        finally:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]

    async def close(self) -> None:
        """Close all streams when the server stops."""
        await close_all(self._sockets)


def game_to_json(row: GameRow) -> Json:
    """Return the part of a game's state by which an app knows whether its board is old."""
    return {"code": row.id, "revision": row.revision, "status": row.status}


def _is_recent(checked_at: float | None, now: float) -> bool:
    return checked_at is not None and now < checked_at + ANSWER_LIFETIME_SECONDS


def _read(message: Any) -> Json:
    """Return an app's message, empty if it is no object; ValueError if the app has disconnected."""
    if message.type is not WSMsgType.TEXT:
        raise ValueError(message.type)
    data = json.loads(message.data)
    return data if isinstance(data, dict) else {}


async def _tell(
    socket: web.WebSocketResponse,
    stream: _Stream,
    ends: float,
    hearing: asyncio.Task[None],
    open_wanted: Callable[[], Awaitable[Json]],
    check: Callable[[], Awaitable[None]],
) -> None:
    """Send changes to an app until it disconnects or the session expires.

    Before each, `check` finds out whether the person may still look at the game that is open.
    """
    await socket.send_str('{"ready":true}')
    while not hearing.done() and not socket.closed:
        try:
            async with asyncio.timeout_at(ends):
                await wait_for_news(stream.news, partial(socket.send_str, HEARTBEAT))
        except TimeoutError:
            await socket.close(code=FORBIDDEN_CLOSE_CODE)
            return
        stream.news.clear()
        await check()
        games, stream.games = list(stream.games.values()), {}
        listing, stream.listing = stream.listing, False
        wants, stream.wants = stream.wants, False
        wanted = await open_wanted() if wants else {}
        if games or listing or wanted:
            await socket.send_str(json.dumps({"games": games, "list": listing, **wanted}, separators=(",", ":")))


async def _receive_boards(
    socket: web.WebSocketResponse, stream: _Stream, watch: Callable[[Json], Awaitable[None]]
) -> None:
    """Read which game is on the app's board until the app disconnects."""
    try:
        while True:
            said = _read(await socket.receive())
            if "game" in said:
                await watch(said)
    except (ValueError, RecursionError):
        if not socket.closed:
            await socket.close(code=WSCloseCode.UNSUPPORTED_DATA)
    finally:
        stream.news.set()
