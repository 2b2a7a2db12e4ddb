"""A proxy that speaks CONNECT, and servers that speak TLS in front of others that do not."""

import asyncio
import base64
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, Self

MAX_HEAD_BYTES: Final = 65_536
Address = tuple[str, int]


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Hand everything on until the end, then end the other side as well."""
    with suppress(OSError):
        while data := await source.read(MAX_HEAD_BYTES):
            target.write(data)
            await target.drain()
    target.close()


class Server:
    """A server whose connections each have a task."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._context = context
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", 0, ssl=self._context)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._serve(reader, writer)
        finally:
            await _close(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError

    async def _join(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, to: Address, *, head: bytes
    ) -> None:
        there, back = await asyncio.open_connection(*to)
        try:
            back.write(head)
            await asyncio.gather(copy(reader, back), copy(there, writer))
        finally:
            await _close(back)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


class ConnectProxy(Server):
    """The proxy. `routes` says where a host and a port lead, all others nowhere; `asked` is what was asked for.

    With `user`, a name and a password with a colon between, it serves nobody else.
    """

    def __init__(self, routes: Mapping[str, Address], user: str = "") -> None:
        super().__init__()
        self.routes = dict(routes)
        self.user = user
        self.asked: list[str] = []
        self.strangers = 0

    @property
    def address(self) -> str:
        return f"http://{self.user}@127.0.0.1:{self.port}" if self.user else f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, _ = head.split("\r\n", 1)[0].split()
        wanted = f"Proxy-Authorization: Basic {base64.b64encode(self.user.encode()).decode()}"
        if self.user and wanted not in head:
            self.strangers += 1
            answer = "407 Proxy Authentication Required"
        elif method != "CONNECT":
            answer = "405 Method Not Allowed"
        else:
            self.asked.append(target)
            answer = "200 Connection established" if target in self.routes else "502 Bad Gateway"
        writer.write(f"HTTP/1.1 {answer}\r\n\r\n".encode())
        if answer.startswith("200"):
            await self._join(reader, writer, self.routes[target], head=b"")


class TlsFront(Server):
    """Speaks TLS with a certificate and hands on to a port; `change` changes the head of the first request."""

    def __init__(self, context: ssl.SSLContext, port: int, change: Callable[[bytes], bytes] = bytes) -> None:
        super().__init__(context)
        self._behind = ("127.0.0.1", port)
        self._change = change

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await self._join(reader, writer, self._behind, head=self._change(head))
