"""Live streams of public games, as server-sent events."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

from aiohttp import web

from bot.core.context import Context
from bot.operations.connection_limits import call_on_disconnect, limits_for
from bot.operations.live_streams import wait_for_news
from bot.public.answers import NothingToShow
from bot.public.consent import Allowed, Consent, Missing
from storage import News

MAX_STREAMS: Final = 1000
MAX_STREAMS_PER_ADDRESS: Final = 10
STREAM_LIFETIME_SECONDS: Final = 240.0
"""Time after which a stream ends and the client reconnects; requests may take at most five minutes."""
RETRY_MILLISECONDS: Final = 3000
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Type": "text/event-stream"}

ToJson = Callable[[Allowed], Awaitable[Any]]


class Streams:
    """All open streams; those of a game wake up when it may have changed."""

    def __init__(self, context: Context, consent: Consent) -> None:
        self._consent = consent
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._each: Counter[str] = Counter()
        self._open = 0
        self._closed = False
        context.store.add_listener(self._on_store_change)

    def _on_store_change(self, news: News) -> None:
        kind, what = news
        if kind == "elsewhere":
            kind, what = ("people", None) if what is None else what
        if kind in ("game", "table", "shown"):
            game = str(what[-1] if kind == "shown" else getattr(what, "id", what))
            for event in self._waiting.get(game, ()):
                event.set()
        elif kind in ("person", "place", "people"):
            self._wake_all()

    def _wake_all(self) -> None:
        for events in self._waiting.values():
            for event in events:
                event.set()

    async def close(self) -> None:
        """End all streams."""
        self._closed = True
        self._wake_all()

    async def run(
        self,
        request: web.Request,
        allowed: Allowed,
        address: str,
        to_json: ToJson,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> web.StreamResponse:
        """Send a game and its changes until it is over, withdrawn, or the client is gone."""
        known = request.headers.get("Last-Event-ID", "")
        if allowed.status == "over" and known == str(allowed.revision):
            return web.Response(status=204)  # after a 204 a browser does not reconnect
        if request.method == "HEAD":
            return web.Response(headers={**_HEADERS, **headers})
        bound = limits_for(address)
        if self._open >= MAX_STREAMS or (bound is not None and self._each[bound] >= MAX_STREAMS_PER_ADDRESS):
            raise NothingToShow("busy", {"Retry-After": "30"})
        event, game = asyncio.Event(), allowed.page.game or ""
        self._open += 1
        self._each[bound or ""] += 1
        self._waiting[game].add(event)
        try:
            response = web.StreamResponse(headers={**_HEADERS, **headers})
            await response.prepare(request)
            with suppress(ConnectionResetError), call_on_disconnect(event.set):
                await response.write(f"retry: {RETRY_MILLISECONDS}\n\n".encode())
                await self._send(request, response, allowed.page.id, known, event, to_json)
                await response.write_eof()
            return response
        finally:
            self._open -= 1
            self._each[bound or ""] -= 1
            self._each += Counter()
            self._waiting[game].discard(event)
            if not self._waiting[game]:
                del self._waiting[game]

    async def _send(
        self,
        request: web.Request,
        response: web.StreamResponse,
        page: str,
        known: str,
        event: asyncio.Event,
        to_json: ToJson,
    ) -> None:
        async def send_heartbeat() -> None:
            await response.write(b"event: heartbeat\ndata: {}\n\n")

        loop = asyncio.get_running_loop()
        end = loop.time() + STREAM_LIFETIME_SECONDS
        while not self._closed and request.transport is not None and loop.time() < end:
            event.clear()
            allowed = await self._consent.look_up(page)
            if isinstance(allowed, Missing):
                await response.write(b"event: gone\ndata: {}\n\n")
                return
            if str(allowed.revision) != known:
                known = str(allowed.revision)
                data = json.dumps(await to_json(allowed), ensure_ascii=False, separators=(",", ":"))
                await response.write(f"event: game\nid: {known}\ndata: {data}\n\n".encode())
            if allowed.status == "over":
                return
            try:
                async with asyncio.timeout_at(end):
                    await wait_for_news(event, send_heartbeat)
            except TimeoutError:
                return
