"""Live streams of public games, as server-sent events."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final

from aiohttp import web
from pydantic import BaseModel

from bot.kernel.operations.limits import call_on_disconnect, limits_for
from bot.kernel.operations.listening import PEOPLE, Stream, StreamHub, TooManyStreams
from bot.platforms.public.answers import NothingToShow
from bot.platforms.public.consent import Allowed
from bot.platforms.public.shown_games import PublicContent

MAX_STREAMS: Final = 1000
MAX_STREAMS_PER_ADDRESS: Final = 10
STREAM_LIFETIME_SECONDS: Final = 240.0
"""Time after which a stream ends and the client reconnects; requests may take at most five minutes."""
RETRY_MILLISECONDS: Final = 3000
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Type": "text/event-stream"}

View = Callable[[Allowed], Awaitable[BaseModel]]


class Streams:
    """All open streams; a game's streams wake up when the game may have changed."""

    def __init__(self, content: PublicContent, address_of: Callable[[web.Request], str]) -> None:
        self._address_of = address_of
        self._consent = content.consent
        self._hub = StreamHub(content.context.store)
        self.close = self._hub.close

    async def run(
        self,
        request: web.Request,
        allowed: Allowed,
        view: View,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> web.StreamResponse:
        """Send a game and its changes until it is over or withdrawn, or the client disconnects."""
        known = request.headers.get("Last-Event-ID", "")
        if allowed.status == "over" and known == str(allowed.revision):
            return web.Response(status=204)  # after a 204 a browser does not reconnect
        if request.method == "HEAD":
            return web.Response(headers={**_HEADERS, **headers})
        bound, game = limits_for(self._address_of(request)), allowed.page.game
        bounds = [("all", MAX_STREAMS), *([] if bound is None else [(f"address {bound}", MAX_STREAMS_PER_ADDRESS)])]
        try:
            with self._hub.open(bounds, ("game", game), ("table", game), PEOPLE) as stream:
                response = web.StreamResponse(headers={**_HEADERS, **headers})
                await response.prepare(request)
                with suppress(ConnectionResetError), call_on_disconnect(request, stream.end):
                    await response.write(f"retry: {RETRY_MILLISECONDS}\n\n".encode())
                    await self._send(response, stream, allowed.page.id, known, view)
                    await response.write_eof()
                return response
        except TooManyStreams:
            raise NothingToShow("busy", {"Retry-After": "30"}) from None

    async def _send(self, response: web.StreamResponse, stream: Stream, page: str, known: str, view: View) -> None:
        async def send_heartbeat() -> None:
            await response.write(b"event: heartbeat\ndata: {}\n\n")

        ends = asyncio.get_running_loop().time() + STREAM_LIFETIME_SECONDS
        while True:
            allowed = await self._consent.look_up(page)
            if isinstance(allowed, str):
                await response.write(b"event: gone\ndata: {}\n\n")
                return
            if str(allowed.revision) != known:
                known = str(allowed.revision)
                data = (await view(allowed)).model_dump_json()
                await response.write(f"event: game\nid: {known}\ndata: {data}\n\n".encode())
            if allowed.status == "over" or not await stream.wait_for_news(send_heartbeat, ends):
                return
