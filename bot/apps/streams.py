"""The stream to one app: that the game on its board, or one of its person's games, has moved on, as soon as it has."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.web.live import close_all, new_socket
from storage import GameRow, News, Store

HELLO_TIMEOUT_SECONDS: Final = 15.0
"""How long a stream may take to say whose it is."""
MAX_STREAMS_PER_PERSON: Final = 8
MAX_STREAMS: Final = 5000
FORBIDDEN_CLOSE_CODE: Final = 4001
"""The code of a stream that is closed because its session has ended, or never was."""
TOO_MANY_CLOSE_CODE: Final = 4002

Json = dict[str, Any]


class _Stream:
    def __init__(self, person: int) -> None:
        self.person = person
        self.game: str | None = None
        self.news = asyncio.Event()
        self.games: dict[str, Json] = {}
        self.listing = False
        """Whether something has changed in the list of their games."""

    def watch(self, row: GameRow | None) -> None:
        """Have a game be the one on the app's board, as it is now: it may have moved on since it was looked at."""
        self.game = None if row is None else row.id
        if row is not None:
            self.take(row)

    def take(self, row: GameRow) -> None:
        """Note what a game has come to, if it concerns this stream."""
        mine = any(seat.person == self.person for seat in row.seats)
        if row.id == self.game:
            self.games[row.id] = {"code": row.id, "revision": row.revision, "status": row.status}
        self.listing = self.listing or mine
        if mine or row.id == self.game:
            self.news.set()

    def take_id(self, game: str | None) -> None:
        """Note that a game, or any game, has changed in another process: its app has to look."""
        if game is None or game == self.game:
            if self.game is not None:
                self.games[self.game] = {"code": self.game}
            self.listing = self.listing or game is None
            self.news.set()


class AppStreams:
    """All streams of this process."""

    def __init__(self, store: Store) -> None:
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
        elif kind == "elsewhere" and (what is None or what[0] == "game"):
            game = None if what is None or what[1] is None else str(what[1])
            for stream in self._open:
                stream.take_id(game)

    async def serve(
        self,
        request: web.Request,
        admit: Callable[[object], Awaitable[tuple[str, int, float]]],
        may_watch: Callable[[object, object], Awaitable[GameRow | None]],
    ) -> web.WebSocketResponse:
        """Serve a stream until its app goes or its session ends.

        Its first message has the session's token, for which `admit` returns the name under which streams are counted,
        the person, and for how many seconds; ValueError for none. `may_watch` returns a game that a token may look at,
        None if it may not.
        """
        socket = new_socket()
        await socket.prepare(request)
        self._sockets.add(socket)
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_SECONDS):
                said = _read(await socket.receive())
            token = said.get("token")
            client, person, seconds = await admit(token)
        except (TimeoutError, ValueError):
            await socket.close(code=FORBIDDEN_CLOSE_CODE)
            self._sockets.discard(socket)
            return socket
        try:
            with self._count_stream(client) as may:
                if not may:
                    await socket.close(code=TOO_MANY_CLOSE_CODE)
                    return socket
                stream = _Stream(person)
                stream.watch(await may_watch(token, said.get("game")))
                self._open.add(stream)
                try:
                    await self._run(socket, stream, seconds, lambda game: may_watch(token, game))
                finally:
                    self._open.discard(stream)
        except ConnectionResetError:
            pass  # it went while something was on its way
        finally:
            self._sockets.discard(socket)
        return socket

    async def _run(
        self,
        socket: web.WebSocketResponse,
        stream: _Stream,
        seconds: float,
        may_watch: Callable[[object], Awaitable[GameRow | None]],
    ) -> None:
        hearing = asyncio.create_task(_receive_boards(socket, stream, may_watch), name="app stream")
        ends = asyncio.get_running_loop().time() + seconds
        try:
            await socket.send_str('{"ready":true}')
            while not hearing.done() and not socket.closed:
                try:
                    async with asyncio.timeout_at(ends):
                        await stream.news.wait()
                except TimeoutError:
                    await socket.close(code=FORBIDDEN_CLOSE_CODE)
                    return
                stream.news.clear()
                games, stream.games = list(stream.games.values()), {}
                listing, stream.listing = stream.listing, False
                if games or listing:
                    await socket.send_str(json.dumps({"games": games, "list": listing}, separators=(",", ":")))
        finally:
            hearing.cancel()

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
        """End all streams, for the server goes."""
        await close_all(self._sockets)


def _read(message: Any) -> Json:
    """Return what an app says, nothing where that is no object; ValueError when it is gone."""
    if message.type is not WSMsgType.TEXT:
        raise ValueError(message.type)
    data = json.loads(message.data)
    return data if isinstance(data, dict) else {}


async def _receive_boards(
    socket: web.WebSocketResponse, stream: _Stream, may_watch: Callable[[object], Awaitable[GameRow | None]]
) -> None:
    """Take which game is on the app's board, until it goes."""
    try:
        while True:
            said = _read(await socket.receive())
            if "game" in said:
                stream.watch(await may_watch(said["game"]))
    except (ValueError, RecursionError):
        if not socket.closed:
            await socket.close(code=WSCloseCode.UNSUPPORTED_DATA)
    finally:
        stream.news.set()
