"""What the room sends to one tab: everything its person may see, resuming after the last change received.

A tab has a WebSocket stream; while it cannot get one, it asks again and again for what the stream would send.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.language.texts import Texts
from bot.operations.connection_limits import MAX_CONNECTIONS_PER_ADDRESS
from bot.operations.live_streams import wait_for_news
from bot.thinking.advice import SearchWatch
from bot.web.broadcast import BroadcastHub, RoomSnapshot
from bot.web.present import message_to_json
from bot.web.request_guard import Rejected
from bot.web.room import ChatRoom
from bot.web.sessions import session_of
from storage import Identity

FORBIDDEN_CLOSE_CODE: Final = 4001
"""Close code of a stream whose name this browser does not have."""
TOO_MANY_CLOSE_CODE: Final = 4002
"""Close code of a stream beyond the browser's limit."""
HEARTBEAT: Final = "{}"
"""The message of a stream that has nothing to say."""
MAX_STREAMS_PER_BROWSER: Final = 32
"""Maximum number of streams per browser, one per tab."""

_PING_SECONDS: Final = 25.0
_SEARCH_PROGRESS_SECONDS: Final = 0.5
"""Minimum seconds between two progress messages of searches."""


class StreamLimiter:
    """Counter of the open streams per browser and per address."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def open_stream(self, request: web.Request, address: str | None) -> Iterator[bool]:
        """Count a stream as open meanwhile; yield False, without counting, if a limit is reached."""
        session = session_of(request)
        bounds = {f"address {address}": MAX_CONNECTIONS_PER_ADDRESS} if address is not None else {}
        bounds |= {f"browser {session.fingerprint}": MAX_STREAMS_PER_BROWSER} if session is not None else {}
        if any(self._open[name] >= most for name, most in bounds.items()):
            yield False
            return
        self._open.update(bounds.keys())
        try:
            yield True
        finally:
            self._open.subtract(bounds.keys())
            self._open += Counter()  # drops the zero counts


async def send_searches(
    socket: web.WebSocketResponse, watched: AbstractContextManager[SearchWatch], *, returning: bool
) -> None:
    """Send the progress of each search that a person waits for on every change; it is held in memory only.

    A page that reconnects is also told if there are none left.
    """
    with watched as watch, suppress(ConnectionResetError):
        sent: Mapping[str, tuple[int, int]] | None = None if returning else {}
        while True:
            watch.news.clear()
            progress = watch.progress()
            if progress != sent:
                sent = progress
                await socket.send_str(_searches_to_json(progress))
                await asyncio.sleep(_SEARCH_PROGRESS_SECONDS)
            await watch.news.wait()


def _searches_to_json(progress: Mapping[str, tuple[int, int]]) -> str:
    return json.dumps({"searches": progress}, separators=(",", ":"))


class LiveFeed:
    """What one tab is sent: a stream, or the answer to one poll."""

    def __init__(
        self,
        room: ChatRoom,
        editions: BroadcastHub,
        texts: Texts,
        viewer: Identity,
        version: str,
        language: str,
        manages: Callable[[], bool],
        kept_out: Callable[[], Awaitable[Rejected | None]],
        watch_searches: Callable[[int], AbstractContextManager[SearchWatch]],
    ) -> None:
        self._room = room
        self._editions = editions
        self._viewer = viewer
        self._version = json.dumps(version)
        self._language = language
        self._is_manager = manages
        self._find_refusal = kept_out
        self._watch_searches = watch_searches
        self._speaker = texts.speaker(language)
        self._sent = {"spoken": "null"}
        self._searching: asyncio.Task[None] | None = None
        self._send_text: Callable[[str], Awaitable[None]]

    async def stream(self, socket: web.WebSocketResponse, since: int | None) -> None:
        """Send changes until the tab goes; `since` is the last change it has."""
        self._send_text = socket.send_str
        with self._editions.subscribe(self._viewer) as news:
            leaving = asyncio.ensure_future(_wait_for_close(socket, news))
            try:
                await self._send(socket, since, news, leaving)
            except ConnectionResetError:
                # The tab went while a message was being sent.
                return
            finally:
                leaving.cancel()
                if self._searching is not None:
                    self._searching.cancel()

    async def poll(self, since: int | None) -> str:
        """Return a JSON list of what the stream would send at once; Unavailable without the database."""
        parcels: list[str] = []

        async def collect(text: str) -> None:
            parcels.append(text)

        self._send_text = collect
        self._editions.keep_present(self._viewer)
        begun = await self._send_first(since, waits_for_database=False)
        await self._send_changes(begun, await self._editions.latest())
        with self._watch_searches(self._viewer.person) as watch:
            parcels.append(_searches_to_json(watch.progress()))
        return f"[{','.join(parcels)}]"

    async def _send(
        self, socket: web.WebSocketResponse, since: int | None, news: asyncio.Event, leaving: asyncio.Future[None]
    ) -> None:
        returning = since is not None
        since = await self._send_first(since)
        watched = self._watch_searches(self._viewer.person)
        self._searching = asyncio.create_task(send_searches(socket, watched, returning=returning), name="searches")
        while not leaving.done() and not socket.closed:
            news.clear()
            edition = await self._editions.latest()
            if edition.has_changed_owner(self._viewer) or await self._find_refusal() is not None:
                await socket.close(code=FORBIDDEN_CLOSE_CODE)
                return
            since = await self._send_changes(since, edition)
            await wait_for_news(news, partial(socket.send_str, HEARTBEAT))

    async def _send_first(self, since: int | None, *, waits_for_database: bool = True) -> int:
        """Send what a tab begins or goes on with; return the last change that it has then."""
        newest = await self._room.last_change()
        edition = await self._editions.read_next(waits_for_database=waits_for_database)
        if since is None or since > newest:
            messages, more = await self._room.page(self._viewer)
            page = json.dumps([message_to_json(each, self._viewer.person, self._speaker) for each in messages])
            since = newest
            whole = {"whole": "true", "messages": page, "more": json.dumps(more), "change": str(since)}
            await self._send_parcel(edition, whole)
        else:
            await self._send_parcel(edition, {"change": str(since)})
        return since

    async def _send_changes(self, since: int, edition: RoomSnapshot) -> int:
        """Send what has changed after `since`; return the last change that the tab has then."""
        while since < edition.before and (found := await self._room.changes(self._viewer, since)):
            # The tab was away for longer than the retained changes reach back.
            since = found[-1].change
            changed = [message_to_json(message, self._viewer.person, self._speaker) for message in found]
            await self._send_parcel(edition, {"messages": json.dumps(changed), "change": str(since)})
        unseen = edition.messages(self._viewer, since, self._language)
        since = max(since, edition.change)
        await self._send_parcel(edition, {} if unseen is None else {"messages": unseen, "change": str(since)})
        return since

    async def _send_parcel(self, edition: RoomSnapshot, parcel: dict[str, str]) -> None:
        """Send a parcel with the changed parts of the rest; an empty one is not sent."""
        rest = {
            "version": self._version,
            "people": edition.people,
            "tables": edition.tables(self._viewer.person, self._language),
            "manager": json.dumps(self._is_manager()),
            "spoken": edition.spoken,
        }
        parcel |= {name: text for name, text in rest.items() if self._sent.get(name) != text}
        self._sent |= rest
        if parcel:
            await self._send_text("{" + ",".join(f'"{name}":{text}' for name, text in parcel.items()) + "}")


async def _wait_for_close(socket: web.WebSocketResponse, news: asyncio.Event) -> None:
    """Wait until the tab goes; its messages are ignored."""
    try:
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                break
    finally:
        news.set()


def is_websocket(request: web.Request) -> bool:
    """True if a request opens a stream, rather than polls for what a stream would send."""
    return request.headers.get("Upgrade", "").lower() == "websocket"


def new_socket() -> web.WebSocketResponse:
    """Return a WebSocket with pings and a small message limit.

    Compression is off: it would take a quarter of a MiB per tab, and time per message.
    """
    return web.WebSocketResponse(heartbeat=_PING_SECONDS, max_msg_size=1024, compress=False)


async def refuse(request: web.Request, code: int = FORBIDDEN_CLOSE_CODE) -> web.WebSocketResponse:
    """Close a tab's stream with a code that says why; a refused handshake could not tell it."""
    socket = new_socket()
    await socket.prepare(request)
    await socket.close(code=code)
    return socket


async def close_all(sockets: set[web.WebSocketResponse]) -> None:
    """Close all streams because the server is stopping."""
    await asyncio.gather(
        *(socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(sockets)), return_exceptions=True
    )
