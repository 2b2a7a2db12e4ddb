"""The stream from the room to one tab: everything that this person may see, as it happens, from where it stopped."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.language.texts import Texts
from bot.operations.connection_limits import MAX_CONNECTIONS_PER_ADDRESS
from bot.thinking.advice import SearchWatch
from bot.web.broadcast import BroadcastHub, RoomSnapshot
from bot.web.present import message_to_json
from bot.web.request_guard import Rejected
from bot.web.room import ChatRoom
from bot.web.sessions import session_of
from storage import Identity

FORBIDDEN_CLOSE_CODE: Final = 4001
"""The code of a stream that is closed because the browser does not have this name."""
TOO_MANY_CLOSE_CODE: Final = 4002
"""The code of one that is closed because the browser has as many as it may."""
MAX_STREAMS_PER_BROWSER: Final = 32
"""How many streams one browser may have, each a tab."""

_HEARTBEAT_SECONDS: Final = 25.0
_SEARCH_PROGRESS_SECONDS: Final = 0.5
"""At most so often a tab is told how far a search is."""


class StreamLimiter:
    """Counts the streams of each browser and of each address."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def open_stream(self, request: web.Request, address: str | None) -> Iterator[bool]:
        """Count one as open while inside; False, and not counted, where there are as many as may be."""
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
            self._open += Counter()  # without those that are at nothing


class LiveStream:
    """One tab's stream."""

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
        self._manages = manages
        self._kept_out = kept_out
        self._watch_searches = watch_searches
        self._speaker = texts.speaker(language)
        self._sent = {"spoken": "null"}
        self._searching: asyncio.Task[None] | None = None

    async def run(self, socket: web.WebSocketResponse, since: int | None) -> None:
        """Send what is new until the tab goes; `since` is the last change that it has."""
        async with self._editions.subscribe(self._viewer) as news:
            leaving = asyncio.ensure_future(_wait_for_close(socket, news))
            try:
                await self._send(socket, since, news, leaving)
            except ConnectionResetError:
                # The tab went while something was on its way to it.
                return
            finally:
                leaving.cancel()
                if self._searching is not None:
                    self._searching.cancel()

    async def _send_searches(self, socket: web.WebSocketResponse, *, returning: bool) -> None:
        """Send how far each search is that this person waits for, whenever that has changed; memory alone knows it.

        A tab that was away is told also that there are none any more.
        """
        with self._watch_searches(self._viewer.person) as watch, suppress(ConnectionResetError):
            sent: Mapping[str, tuple[int, int]] | None = None if returning else {}
            while True:
                watch.news.clear()
                progress = watch.progress()
                if progress != sent:
                    sent = progress
                    await socket.send_str(json.dumps({"searches": progress}, separators=(",", ":")))
                    await asyncio.sleep(_SEARCH_PROGRESS_SECONDS)
                await watch.news.wait()

    async def _send(
        self, socket: web.WebSocketResponse, since: int | None, news: asyncio.Event, leaving: asyncio.Future[None]
    ) -> None:
        returning = since is not None
        newest, edition = await self._room.last_change(), await self._editions.read_next()
        if since is None or since > newest:
            messages, more = await self._room.page(self._viewer)
            page = json.dumps([message_to_json(each, self._viewer.person, self._speaker) for each in messages])
            since = newest
            whole = {"whole": "true", "messages": page, "more": json.dumps(more), "change": str(since)}
            await self._put(socket, edition, whole)
        else:
            await self._put(socket, edition, {"change": str(since)})
        self._searching = asyncio.create_task(self._send_searches(socket, returning=returning), name="searches")
        while not leaving.done() and not socket.closed:
            news.clear()
            edition = await self._editions.latest()
            if edition.has_changed_owner(self._viewer) or await self._kept_out() is not None:
                await socket.close(code=FORBIDDEN_CLOSE_CODE)
                return
            while since < edition.before and (found := await self._room.changes(self._viewer, since)):
                # It was away for longer than what is at hand goes back.
                since = found[-1].change
                changed = [message_to_json(message, self._viewer.person, self._speaker) for message in found]
                await self._put(socket, edition, {"messages": json.dumps(changed), "change": str(since)})
            unseen = edition.messages(self._viewer, since, self._language)
            since = max(since, edition.change)
            await self._put(socket, edition, {} if unseen is None else {"messages": unseen, "change": str(since)})
            await news.wait()

    async def _put(self, socket: web.WebSocketResponse, edition: RoomSnapshot, parcel: dict[str, str]) -> None:
        """Send a parcel with what has changed of the rest; an empty one is not sent."""
        rest = {
            "version": self._version,
            "people": edition.people,
            "tables": edition.tables(self._viewer.person, self._language),
            "manager": json.dumps(self._manages()),
            "spoken": edition.spoken,
        }
        parcel |= {name: text for name, text in rest.items() if self._sent.get(name) != text}
        self._sent |= rest
        if parcel:
            await socket.send_str("{" + ",".join(f'"{name}":{text}' for name, text in parcel.items()) + "}")


async def _wait_for_close(socket: web.WebSocketResponse, news: asyncio.Event) -> None:
    """Wait until the tab goes; nothing that it says matters."""
    try:
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                break
    finally:
        news.set()


def new_socket() -> web.WebSocketResponse:
    """Return a socket that notices when the other end is gone, and takes no long words from it.

    Nothing is packed: that would take a quarter of a MiB for each tab, and time for each word.
    """
    return web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS, max_msg_size=1024, compress=False)


async def refuse(request: web.Request, code: int = FORBIDDEN_CLOSE_CODE) -> web.WebSocketResponse:
    """Tell a tab that it cannot listen; a refused handshake would not tell it why."""
    socket = new_socket()
    await socket.prepare(request)
    await socket.close(code=code)
    return socket


async def close_all(sockets: set[web.WebSocketResponse]) -> None:
    """Close the streams, for the server goes."""
    await asyncio.gather(
        *(socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(sockets)), return_exceptions=True
    )
