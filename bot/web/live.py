"""The stream from the room to one tab: everything that this person may see, as it happens, from where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.language.texts import Texts
from bot.web.guard import Rejected
from bot.web.present import Json, message_to_json, names_in, table_to_json, title_of_kept
from bot.web.room import ChatRoom
from bot.web.sessions import PLATFORM
from engine import games
from storage import Identity, Store

NOT_YOURS: Final = 4001
"""The code of a stream that is closed because the browser does not have this name."""

MOST_OF_OTHERS: Final = 40
"""How many games of others a tab is told of, those that changed last."""
MOST_OVER: Final = 8
"""How many of one's own games that are over, the newest: until they are looked at."""

_HEARTBEAT: Final = 25.0


class Live:
    """One tab's stream."""

    def __init__(
        self,
        room: ChatRoom,
        store: Store,
        texts: Texts,
        viewer: Identity,
        version: str,
        language: str,
        manages: Callable[[], bool],
        kept_out: Callable[[], Awaitable[Rejected | None]],
    ) -> None:
        self._room = room
        self._store = store
        self._viewer = viewer
        self._version = version
        self._manages = manages
        self._kept_out = kept_out
        self._speaker = texts.speaker(language)
        self._sent: dict[str, Any] = {}

    async def run(self, socket: web.WebSocketResponse, since: int | None) -> None:
        """Send what is new until the tab goes; `since` is the last change that it has."""
        async with self._room.listening(self._viewer.person) as news:
            leaving = asyncio.ensure_future(_hear(socket, news))
            try:
                await self._send(socket, since, news, leaving)
            except ConnectionResetError:
                # The tab went while something was on its way to it.
                return
            finally:
                leaving.cancel()

    async def _send(
        self, socket: web.WebSocketResponse, since: int | None, news: asyncio.Event, leaving: asyncio.Future[None]
    ) -> None:
        newest = await self._room.last_change()
        if since is None or since > newest:
            messages, more = await self._room.page(self._viewer)
            page = [message_to_json(message, self._viewer.person, self._speaker) for message in messages]
            since = newest
            await self._put(socket, {"whole": True, "messages": page, "more": more, "change": since})
        else:
            await self._put(socket, {"change": since})
        while not leaving.done() and not socket.closed:
            news.clear()
            while found := await self._room.changes(self._viewer, since):
                since = found[-1].change
                changed = [message_to_json(message, self._viewer.person, self._speaker) for message in found]
                await self._put(socket, {"messages": changed, "change": since})
            await self._put(socket, {})
            await news.wait()
            if await self._is_another() or await self._kept_out() is not None:
                await socket.close(code=NOT_YOURS)

    async def _is_another(self) -> bool:
        """Say whether the name is somebody else's by now, or nobody's: it was linked, or forgotten."""
        named = await self._store.identities_like(PLATFORM, self._viewer.user)
        return (self._viewer.user, self._viewer.person) not in {(each.user, each.person) for each in named}

    async def _put(self, socket: web.WebSocketResponse, parcel: Json) -> None:
        """Send a parcel with what has changed of the rest; an empty one is not sent."""
        place = await self._room.place()
        rest = {
            "version": self._version,
            "people": await self._people(place.id),
            "tables": self._tables(),
            "manager": self._manages(),
            "spoken": place.effective.get("language"),
        }
        parcel |= {name: value for name, value in rest.items() if self._sent.get(name) != value}
        self._sent |= rest
        if parcel:
            await socket.send_json(parcel)

    async def _people(self, place: int) -> list[Json]:
        here, called = self._room.here(), self._room.called()
        known = await self._store.members(place)
        people = [
            {"person": each.id, "name": each.name, "here": each.id in here, "waiting": each.id in called}
            for each in known
        ]
        return sorted(people, key=lambda each: (not each["here"], str(each["name"]).casefold()))

    def _tables(self) -> list[Json]:
        """Return the games of the room, those of the viewer first, and whatever else waits for them."""
        viewer, found, others, over = self._viewer.person, [], [], []
        calls = dict(self._room.calls(viewer))
        asked = {card.get("about") for card in calls.values()}
        for message, kept in self._room.tables():
            table = table_to_json(kept, viewer, self._speaker)
            # Called: by the board itself, or by an offer beside it.
            called = calls.pop(message, None) is not None or str(message) in asked
            entry = {"message": message, **table, "offer": str(message) in asked, "waits": called or table["turn"]}
            if kept["status"] == "over":
                over.append(entry)
            elif table["mine"] or called:
                found.append(entry)
            else:
                others.append(entry)
        rest = [
            {"message": message, "waits": True, **self._title(card)}
            for message, card in calls.items()
            if card.get("about") is None
        ]
        ended = [entry for entry in over if entry["mine"]][-MOST_OVER:]
        return [*found, *rest, *ended, *others[-MOST_OF_OTHERS:]]

    def _title(self, card: Json) -> Json:
        """Return the name of the game that a card shows and the others in it, or how its text begins."""
        game = card["picture"]["name"].partition(".")[0] if card["picture"] else ""
        if game not in games:
            return {"title": title_of_kept(card), "others": []}
        return {"title": self._speaker.of(game).line("name"), "others": names_in(card, card["calls"])}


async def _hear(socket: web.WebSocketResponse, news: asyncio.Event) -> None:
    """Wait until the tab goes; nothing that it says matters."""
    try:
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                break
    finally:
        news.set()


def new_socket() -> web.WebSocketResponse:
    """Return a socket that notices when the other end is gone, and takes no long words from it."""
    return web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=1024)


async def refuse(request: web.Request) -> web.WebSocketResponse:
    """Tell a tab that it cannot listen as this person; a refused handshake would not tell it why."""
    socket = new_socket()
    await socket.prepare(request)
    await socket.close(code=NOT_YOURS)
    return socket


async def close_all(sockets: set[web.WebSocketResponse]) -> None:
    """Close the streams, for the server goes."""
    await asyncio.gather(
        *(socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(sockets)), return_exceptions=True
    )
