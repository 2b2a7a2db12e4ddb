"""Limits for connections: how long each may stay, and how many there may be.

A connection has a number of seconds for its next whole request, an idle one a little more. The handling of requests is
limited as well, except for streams, which check that the other end is there. If all places are taken, the connection
that has waited longest without a whole request is closed to admit a new one. Some of the files that the process may
open are reserved for the database, for the worker processes and for the platforms.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Final, cast

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

if sys.platform != "win32":  # elsewhere the system has no limit that matters here
    import resource

HEADER_TIMEOUT_SECONDS: Final = 10.0
"""Maximum seconds for the headers of a request, from the connection or their first byte on."""
KEEPALIVE_TIMEOUT_SECONDS: Final = 180.0
"""Maximum idle seconds between two requests, longer than usual proxies allow, and for reading a part of a response."""
REQUEST_TIMEOUT_SECONDS: Final = 300.0
"""Maximum seconds for handling a request, including its body."""
MAX_CONNECTIONS: Final = 4096
"""Maximum number of open connections."""
MAX_CONNECTIONS_PER_ADDRESS: Final = 512
"""Maximum number per address, and never more than a quarter of all.

Connections through a trusted proxy, or from this machine, cannot be told apart by address. An unnamed proxy may exist,
too: so the limit is not small.
"""
RESERVED_OPEN_FILES: Final = 128
"""Number of open files reserved for everything else."""
_SWEEP_INTERVAL_SECONDS: Final = 1.0
_STALL_SECONDS: Final = 1.0
"""A sweep that is this late means that the program was busy, not that clients were slow."""
_LOG_INTERVAL_SECONDS: Final = 60.0
"""Minimum interval between log lines about refused connections."""
_connection: ContextVar[_Connection] = ContextVar("connection")
"""The connection of the request that is being handled."""

log = structlog.get_logger(__name__)


def raise_open_files() -> None:
    """Raise the limit of open files as far as the system allows and we can use."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = (
        MAX_CONNECTIONS + RESERVED_OPEN_FILES
        if hard == resource.RLIM_INFINITY
        else min(hard, MAX_CONNECTIONS + RESERVED_OPEN_FILES)
    )
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def open_files() -> int:
    """Return the limit of open files, as far as we can use it."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS + RESERVED_OPEN_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS + RESERVED_OPEN_FILES if soft == resource.RLIM_INFINITY else soft


def connection_capacity(files: int) -> int:
    """Return the maximum number of connections for a limit of open files."""
    return min(MAX_CONNECTIONS, max(files - RESERVED_OPEN_FILES, files // 2))


def limits_for(address: str) -> str | None:
    """Return the key under which connections of an address are counted, None for this machine's own.

    The owner of one IPv6 address has as many as they like, so those are counted by network.
    """
    try:
        known = ipaddress.ip_interface(address.partition("%")[0]).ip
    except ValueError:
        return None
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped is None:
            return None if known.is_loopback else str(ipaddress.ip_network((known, 64), strict=False))
        known = known.ipv4_mapped
    return None if known.is_loopback else str(known)


def _trusts_nobody(_: str) -> bool:
    return False


@contextmanager
def call_on_disconnect(callback: Callable[[], None]) -> Iterator[None]:
    """Call `callback` if the client of the request that is being handled disconnects meanwhile.

    A handler that waits to write would learn it only when it writes.
    """
    connection = _connection.get(None)
    if connection is None:
        yield
        return
    connection.on_disconnect = callback
    try:
        yield
    finally:
        connection.on_disconnect = None


class ConnectionLimiter:
    """The connections of one port; `trusts` returns True for the addresses of proxies."""

    def __init__(
        self,
        most: int | None = None,
        most_each: int = MAX_CONNECTIONS_PER_ADDRESS,
        trusts: Callable[[str], bool] = _trusts_nobody,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._most = most or connection_capacity(open_files())
        self._most_each = min(most_each, max(1, self._most // 4))
        self._trusts = trusts
        self._clock = clock or asyncio.get_running_loop().time
        self._connections: dict[Any, _Connection] = {}
        self._count_by_key: Counter[str] = Counter()
        self._sweeping: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._refused = 0
        self._logged_at = float("-inf")

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return len(self._connections)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Record that a whole request has arrived, and when it is handled."""
        connection = self._connections.get(request.transport)
        if connection is None:
            return await handler(request)
        stream = request.headers.get("Upgrade", "").lower() == "websocket"
        connection.due(None if stream else self._clock() + REQUEST_TIMEOUT_SECONDS, busy=True)
        _connection.set(connection)
        try:
            return await handler(request)
        finally:
            connection.due(self._clock() + KEEPALIVE_TIMEOUT_SECONDS)

    def opened(self, connection: _Connection, transport: asyncio.Transport) -> bool:
        """Admit a connection, closing another one if necessary; return False if that is not possible."""
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        connection.bound = None if self._trusts(address) else limits_for(address)
        bound = connection.bound
        full = len(self._connections) >= self._most
        if full or (bound is not None and self._count_by_key[bound] >= self._most_each):
            self._refuse()
            if not self._make_room(None if full else bound):
                return False
        self._connections[transport] = connection
        if bound is not None:
            self._count_by_key[bound] += 1
        connection.due(self._clock() + HEADER_TIMEOUT_SECONDS)
        if self._sweeping is None:
            self._sweep_later()
        return True

    def request_started(self, connection: _Connection) -> None:
        """Record that bytes have arrived: the rest of the headers must follow soon."""
        if not connection.busy and not connection.speaking:
            connection.due(self._clock() + HEADER_TIMEOUT_SECONDS, speaking=True)

    def closed(self, connection: _Connection, transport: asyncio.BaseTransport) -> None:
        """Forget a closed connection."""
        if self._connections.pop(transport, None) is not None and connection.bound is not None:
            self._count_by_key[connection.bound] -= 1
            if not self._count_by_key[connection.bound]:
                del self._count_by_key[connection.bound]

    def close(self) -> None:
        """Stop sweeping."""
        if self._sweeping is not None:
            self._sweeping.cancel()

    def _make_room(self, bound: str | None) -> bool:
        """Close the connection that has waited longest without a whole request: of all, or of those with this key."""
        idle = (
            (each.deadline, at, transport)
            for at, (transport, each) in enumerate(self._connections.items())
            if not each.busy and each.deadline is not None and bound in (None, each.bound)
        )
        found = min(idle, default=None)
        if found is None:
            return False
        self._drop(found[2])
        return True

    def _drop(self, transport: Any) -> None:
        self.closed(self._connections[transport], transport)
        transport.abort()

    def _sweep(self) -> None:
        now = self._clock()
        # If the program itself stood still, incoming data has not been read yet: nobody is late because of that.
        lost = asyncio.get_running_loop().time() - self._due
        if lost > _STALL_SECONDS:
            for each in self._connections.values():
                each.deadline = None if each.deadline is None else each.deadline + lost
        for transport, each in list(self._connections.items()):
            if each.deadline is None or each.deadline > now:
                continue
            left = transport.get_write_buffer_size()
            if 0 < left != each.left and not each.busy:
                # A response that is still being read, however slowly.
                each.due(now + KEEPALIVE_TIMEOUT_SECONDS)
                each.left = left
            else:
                self._drop(transport)
        if self._refused and now - self._logged_at >= _LOG_INTERVAL_SECONDS:
            self._log_refusals()
        waits = self._connections or self._refused
        self._sweeping = None
        if waits:
            self._sweep_later()

    def _sweep_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + _SWEEP_INTERVAL_SECONDS
        self._sweeping = loop.call_at(self._due, self._sweep)

    def _refuse(self) -> None:
        self._refused += 1
        if self._clock() - self._logged_at >= _LOG_INTERVAL_SECONDS:
            self._log_refusals()

    def _log_refusals(self) -> None:
        """Log how many connections were refused since the last log line, at most once a minute."""
        self._logged_at = self._clock()
        log.warning("connections-refused", number=self._refused, open=len(self._connections), most=self._most)
        self._refused = 0


class _Connection(asyncio.Protocol):
    """A protocol between the transport and the HTTP server's protocol."""

    def __init__(self, gate: ConnectionLimiter, inner: asyncio.Protocol) -> None:
        self._gate = gate
        self._inner: asyncio.Protocol | None = inner
        self._transport: asyncio.BaseTransport | None = None
        self.bound: str | None = None
        self.deadline: float | None = None
        self.busy = self.speaking = False
        self.left = 0
        self.on_disconnect: Callable[[], None] | None = None

    def due(self, deadline: float | None, *, busy: bool = False, speaking: bool = False) -> None:
        """Set the deadline of the next step, None for a stream, and the current state."""
        self.deadline, self.busy, self.speaking, self.left = deadline, busy, speaking, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A transport of uvloop's has the interface but not the class.
        self._transport = made = cast("asyncio.Transport", transport)
        if self._inner is not None and self._gate.opened(self, made):
            self._inner.connection_made(made)
        else:
            self._inner = None
            made.abort()

    def data_received(self, data: bytes) -> None:
        if self._inner is not None:
            self._gate.request_started(self)
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return None if self._inner is None else self._inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        if self._transport is not None:
            self._gate.closed(self, self._transport)
        if self._inner is not None:
            self._inner.connection_lost(error)
        if self.on_disconnect is not None:
            self.on_disconnect()

    def pause_writing(self) -> None:
        if self._inner is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._inner is not None:
            self._inner.resume_writing()


class GateSite(web.BaseSite):
    """A listening address with connection limits."""

    def __init__(self, runner: web.BaseRunner, gate: ConnectionLimiter, host: str, port: int) -> None:
        super().__init__(runner)
        self._gate = gate
        self._host = host
        self.port = port

    @property
    def name(self) -> str:
        """The address."""
        return f"http://{self._host}:{self.port}"

    async def start(self) -> None:
        """Listen; with port 0 the system chooses one. Raises OSError."""
        await super().start()
        server = self._runner.server
        assert server is not None  # noqa: S101 - it was set up
        make: Callable[[], asyncio.Protocol] = server
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self._gate, make()), self._host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening."""
        await super().stop()
        self._gate.close()
