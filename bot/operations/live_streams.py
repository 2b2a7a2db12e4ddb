"""The hub of all live streams: who follows what, how many streams there may be, their heartbeats and their end.

A stream remembers of each topic only the newest change, so that a slow client holds nothing up and takes no memory. One
that is gone gives its place back at once. A WebSocket is closed by the hub, server-sent events end by themselves.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final

from aiohttp import WSCloseCode, web

from bot.operations.tasks import is_set_within
from storage import GameRow, News, Store

HEARTBEAT_SECONDS: Final = 15.0
"""Maximum seconds between two messages of a stream: `bot/public/static/live.js` takes longer silence for a dead one."""
FORBIDDEN_CLOSE_CODE: Final = 4001
"""Close code of a stream of somebody who may not have it (any more): a refused handshake could not tell it."""
TOO_MANY_CLOSE_CODE: Final = 4002
"""Close code of a stream beyond a limit."""
_PING_SECONDS: Final = 25.0

Topic = tuple[str, Any]
"""A game, a table, a person (whose games have changed), a value, or all people; each with its id."""
PEOPLE: Final[Topic] = ("people", None)
"""The topic of changes of any person or place."""


class TooManyStreams(Exception):
    """A limit of open streams is reached."""


class Stream:
    """An open stream: the topics that it follows, and what has changed in them since it was last asked."""

    def __init__(self, hub: StreamHub) -> None:
        self._hub = hub
        self._changes: dict[Topic, Any] = {}
        self.topics: set[Topic] = set()
        self.news = asyncio.Event()
        self.is_over = False

    def follow(self, *topics: Topic) -> None:
        """Follow these topics, and no others."""
        for topic in self.topics.difference(topics):
            self._hub.following[topic].discard(self)
            self._changes.pop(topic, None)
            if not self._hub.following[topic]:
                del self._hub.following[topic]
        for topic in topics:
            self._hub.following[topic].add(self)
        self.topics = set(topics)

    def note(self, topic: Topic, change: Any) -> None:
        """Record that a topic has changed, in place of what was recorded before, and wake the stream."""
        self._changes[topic] = change
        self.news.set()

    def take(self, *topics: Topic) -> dict[Topic, Any]:
        """Return what has changed in some topics since the last call."""
        return {topic: self._changes.pop(topic) for topic in topics if topic in self._changes}

    def end(self) -> None:
        """End the stream: its client is gone, or the server stops."""
        self.is_over = True
        self.news.set()

    async def wait_for_news(self, send_heartbeat: Callable[[], Awaitable[None]], ends: float | None = None) -> bool:
        """Wait for news; return False once the stream is over, by the loop's time `ends` at the latest.

        Meanwhile a heartbeat is sent every `HEARTBEAT_SECONDS`: a message, since a browser's script sees neither the
        pings of a WebSocket nor the comments of server-sent events.
        """
        clock = asyncio.get_running_loop().time
        while not self.news.is_set():
            left = HEARTBEAT_SECONDS if ends is None else ends - clock()
            if left <= 0:
                return False
            if not await is_set_within(self.news, min(left, HEARTBEAT_SECONDS)):
                await send_heartbeat()
        self.news.clear()
        return not self.is_over


class StreamHub:
    """The open streams of some pages; with a store, its changes wake those that follow them."""

    def __init__(self, store: Store | None = None) -> None:
        self.following: defaultdict[Topic, set[Stream]] = defaultdict(set)
        self.sockets: set[web.WebSocketResponse] = set()
        self._streams: set[Stream] = set()
        self._counts: Counter[str] = Counter()
        if store is not None:
            store.add_listener(self._on_store_change)

    @contextmanager
    def open(self, bounds: Collection[tuple[str, int]], *topics: Topic) -> Iterator[Stream]:
        """Yield a stream that follows some topics; TooManyStreams beyond one of the `bounds`, each of a name."""
        names = [name for name, _ in bounds]
        if any(self._counts[name] >= most for name, most in bounds):
            raise TooManyStreams
        stream = Stream(self)
        self._counts.update(names)
        self._streams.add(stream)
        try:
            stream.follow(*topics)
            yield stream
        finally:
            stream.follow()
            self._streams.discard(stream)
            self._counts.subtract(names)
            self._counts += Counter()  # drops the zero counts

    @asynccontextmanager
    async def open_socket(self, request: web.Request) -> AsyncIterator[web.WebSocketResponse]:
        """Yield a WebSocket with pings and a small message limit, until its client goes.

        Compression is off: it would take a quarter of a MiB per tab, and time per message.
        """
        socket = web.WebSocketResponse(heartbeat=_PING_SECONDS, max_msg_size=1024, compress=False)
        await socket.prepare(request)
        self.sockets.add(socket)
        try:
            # It may go while a message is being sent.
            with suppress(ConnectionResetError):
                yield socket
        finally:
            self.sockets.discard(socket)

    async def refuse(self, request: web.Request, code: int = FORBIDDEN_CLOSE_CODE) -> web.WebSocketResponse:
        """Answer with a WebSocket that is closed at once, by a code that says why."""
        async with self.open_socket(request) as socket:
            await socket.close(code=code)
        return socket

    async def close(self) -> None:
        """Close all streams because the server is stopping."""
        closing = (socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(self.sockets))
        await asyncio.gather(*closing, return_exceptions=True)
        for stream in set(self._streams):
            stream.end()

    def _on_store_change(self, news: News) -> None:
        if not self._streams:
            return
        kind, what = news
        if kind == "elsewhere":
            # None if any change may have been made, in general or of a kind.
            kind, what = what or ("any", None)
        if kind == "any" or (kind == "game" and what is None):
            for stream in self._streams:
                for topic in stream.topics:
                    stream.note(topic, None)
        elif kind == "game" and isinstance(what, GameRow):
            self._publish(("game", what.id), what)
            for seat in what.seats:
                self._publish(("person", seat.person), None)
        elif kind in ("game", "votes"):
            self._publish(("game", str(what)), None)
        elif kind in ("table", "shown"):
            self._publish(("table", str(what[-1] if kind == "shown" else what)), None)
        elif kind == "value":
            self._publish(("value", tuple(what)), None)
        elif kind in ("person", "place", "people"):
            self._publish(PEOPLE, None)

    def _publish(self, topic: Topic, change: Any) -> None:
        for stream in self.following.get(topic, ()):
            stream.note(topic, change)


def is_websocket(request: web.Request) -> bool:
    """True if a request opens a stream, rather than polls for what a stream would send."""
    return request.headers.get("Upgrade", "").lower() == "websocket"
