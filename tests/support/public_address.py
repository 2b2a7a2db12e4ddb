"""A public https address in front of a server of this machine, for a browser under test, and the network in between."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WSMsgType
from playwright.async_api import BrowserContext, Request, Route, WebSocketRoute

_OUR_OWN: Final = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})


@dataclass
class PublicAddress:
    """Hands what a browser asks at an `origin` on to a port; `host` is what the server is called there.

    `path` is put before every path, as a proxy does that maps its root to a folder.
    """

    origin: str
    port: int
    host: str
    path: str = ""
    down: bool = False
    streams: bool = True
    """Whether live streams come through."""
    received: int = 0
    """How many bytes of bodies have come through, as they were packed."""
    seen: list[str] = field(default_factory=list)
    received_messages: list[str] = field(default_factory=list)
    """The messages that streams have brought."""
    message_came: asyncio.Event = field(default_factory=asyncio.Event)
    on_answer: Callable[[str], Awaitable[None]] | None = None
    """Called with a path whose answer is about to be handed on, which waits for it."""
    _sockets: set[ClientWebSocketResponse] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def attach(self, context: BrowserContext) -> None:
        """Stand between a browser and the server."""
        await context.route(f"{self.origin}/**", self._forward)
        await context.route_web_socket(f"{self.origin.replace('https', 'wss')}/**", self._connect)

    def _local(self, url: str) -> str:
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        return f"http://127.0.0.1:{self.port}{self.path}{parts.path}{query}"

    async def _forward(self, route: Route) -> None:
        if self.down:
            await route.abort("internetdisconnected")
            return
        request = route.request
        sent = {name: value for name, value in (await request.all_headers()).items() if not name.startswith(":")}
        sent |= {"host": self.host, "accept-encoding": "gzip"}
        self.seen.append(urlsplit(request.url).path)
        try:
            await self._pass_on(route, request, sent)
        except ClientError:
            await route.abort("connectionrefused")

    async def _pass_on(self, route: Route, request: Request, sent: dict[str, str]) -> None:
        async with (
            ClientSession(auto_decompress=False) as session,
            session.request(
                request.method,
                self._local(request.url),
                headers=sent,
                data=request.post_data_buffer,
                allow_redirects=False,
            ) as answer,
        ):
            body = await answer.read()
            if self.on_answer is not None:
                await self.on_answer(urlsplit(request.url).path)
            self.received += len(body)
            if answer.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            elif answer.headers.get("Content-Encoding") == "deflate":
                raise AssertionError("packed otherwise than asked for")
            headers = {name: value for name, value in answer.headers.items() if name.lower() not in _OUR_OWN}
            await route.fulfill(status=answer.status, headers=headers, body=body)

    async def _connect(self, socket: WebSocketRoute) -> None:
        if self.down or not self.streams:
            await socket.close(code=1012, reason="no network")
            return
        session = ClientSession()
        headers = {"Host": self.host, "Origin": self.origin}
        try:
            there = await session.ws_connect(self._local(socket.url.replace("wss", "https", 1)), headers=headers)
        except ClientError:
            await session.close()
            await socket.close(code=1012, reason="no server")
            return
        self._sockets.add(there)

        def on_message(message: str | bytes) -> None:
            if not there.closed:
                self._start(there.send_str(message if isinstance(message, str) else message.decode()))

        def on_close(*_: object) -> None:
            self._start(there.close())

        socket.on_message(on_message)
        socket.on_close(on_close)
        self._start(self._read(session, there, socket))

    async def _read(self, session: ClientSession, there: ClientWebSocketResponse, socket: WebSocketRoute) -> None:
        try:
            async for message in there:
                if message.type is WSMsgType.TEXT:
                    socket.send(message.data)
                    self.received_messages.append(message.data)
                    self.message_came.set()
        finally:
            self._sockets.discard(there)
            await session.close()
            # The page, or its browser, may be gone already.
            await asyncio.gather(socket.close(code=there.close_code or 1006 + 2000), return_exceptions=True)

    def _start(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def cut(self) -> None:
        """Lose the network: what is open breaks, nothing new gets through."""
        self.down = True
        await asyncio.gather(*(each.close() for each in set(self._sockets)))

    async def close(self) -> None:
        """End what is still open."""
        await asyncio.gather(*(each.close() for each in set(self._sockets)), return_exceptions=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)
