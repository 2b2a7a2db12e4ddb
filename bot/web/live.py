"""What the room sends to one tab: everything its person may see, resuming after the last change received.

A tab has a WebSocket stream; while it cannot get one, it asks again and again for what the stream would send.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Final

from aiohttp import WSMsgType, web

from bot.language.texts import Texts
from bot.operations.live_streams import FORBIDDEN_CLOSE_CODE, Stream
from bot.thinking.advice import SearchWatch
from bot.web.broadcast import BroadcastHub, RoomSnapshot
from bot.web.present import message_to_json
from bot.web.request_guard import Rejected
from bot.web.room import ChatRoom
from storage import Identity

HEARTBEAT: Final = "{}"
"""The message of a stream that has nothing to say."""
_SEARCH_PROGRESS_SECONDS: Final = 0.5
"""Minimum seconds between two progress messages of searches."""


@asynccontextmanager
async def sending_searches(
    socket: web.WebSocketResponse, watched: AbstractContextManager[SearchWatch], *, returning: bool
) -> AsyncIterator[None]:
    """Send the progress of each search that a person waits for on every change meanwhile; it is held in memory only.

    A page that reconnects is also told if there are none left.
    """
    sending = asyncio.create_task(_send_searches(socket, watched, returning=returning), name="searches")
    try:
        yield
    finally:
        sending.cancel()


async def _send_searches(
    socket: web.WebSocketResponse, watched: AbstractContextManager[SearchWatch], *, returning: bool
) -> None:
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
        self._send_text: Callable[[str], Awaitable[None]]

    async def stream(self, socket: web.WebSocketResponse, stream: Stream, since: int | None) -> None:
        """Send changes until the tab goes; `since` is the last change it has."""
        self._send_text = socket.send_str
        with self._editions.subscribe(self._viewer, stream.news):
            leaving = asyncio.create_task(_wait_for_close(socket, stream), name="tab")
            try:
                await self._send(socket, stream, since)
            finally:
                leaving.cancel()

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

    async def _send(self, socket: web.WebSocketResponse, stream: Stream, since: int | None) -> None:
        returning = since is not None
        since = await self._send_first(since)
        watched = self._watch_searches(self._viewer.person)
        async with sending_searches(socket, watched, returning=returning):
            while True:
                edition = await self._editions.latest()
                if edition.has_changed_owner(self._viewer) or await self._find_refusal() is not None:
                    await socket.close(code=FORBIDDEN_CLOSE_CODE)
                    return
                since = await self._send_changes(since, edition)
                if not await stream.wait_for_news(partial(socket.send_str, HEARTBEAT)):
                    return

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


async def _wait_for_close(socket: web.WebSocketResponse, stream: Stream) -> None:
    """Wait until the tab goes; its messages are ignored."""
    try:
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                break
    finally:
        stream.end()
