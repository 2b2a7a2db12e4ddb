"""Limits for connections: how long each may stay, and how many there may be.

A connection has a number of seconds for its next whole request, an idle one a little more. The handling of requests is
limited as well, except for streams, which check that the other end is there. If all places are taken, the connection
that has waited longest without a whole request makes room for a new one. Some of the files that the process may open
are reserved for the database, for the worker processes and for the platforms.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, cast

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

if sys.platform != "win32":  # elsewhere the system bounds nothing that concerns us
    import resource

HEADER_TIMEOUT_SECONDS: Final = 10.0
"""How many seconds the headers of a request may take, from the connection or their first byte on."""
KEEPALIVE_TIMEOUT_SECONDS: Final = 180.0
"""How long a connection may rest between two requests, longer than usual proxies let theirs; in as many seconds a part
of an answer has to be taken."""
REQUEST_TIMEOUT_SECONDS: Final = 300.0
"""How long a request may be carried out, with the time its body takes."""
MAX_CONNECTIONS: Final = 4096
"""How many connections are held at most."""
MAX_CONNECTIONS_PER_ADDRESS: Final = 512
"""How many of one address, and never more than a quarter of all; those that come through a proxy that is believed, or
from this machine itself, cannot be told apart by it. There may be a proxy that nobody has named: so it is not few."""
RESERVED_OPEN_FILES: Final = 128
"""How many open files are left to everything else."""
_SWEEP_INTERVAL_SECONDS: Final = 1.0
_STALL_SECONDS: Final = 1.0
"""A look around that comes so many seconds late says that the program, not those outside, took the time."""
_LOG_INTERVAL_SECONDS: Final = 60.0
"""Every how many seconds it is logged that connections were refused."""

log = structlog.get_logger(__name__)


def raise_open_files() -> None:
    """Let the program have as many files open as the system allows it, as far as that is of use."""
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
    """Return how many files the program may have open, as far as that is of use."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS + RESERVED_OPEN_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS + RESERVED_OPEN_FILES if soft == resource.RLIM_INFINITY else soft


def connection_capacity(files: int) -> int:
    """Return how many connections there may be where so many files may be open."""
    return min(MAX_CONNECTIONS, max(files - RESERVED_OPEN_FILES, files // 2))


def limits_for(address: str) -> str | None:
    """Return under what the connections of an address are counted, None for this machine's own.

    An owner of one IPv6 address has as many as they like, so those are counted by network.
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


def _nobody(_: str) -> bool:
    return False


class ConnectionLimiter:
    """Knows the connections of one port; `trusts` says which addresses are proxies, whose connections are others'."""

    def __init__(
        self,
        most: int | None = None,
        most_each: int = MAX_CONNECTIONS_PER_ADDRESS,
        trusts: Callable[[str], bool] = _nobody,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._most = most or connection_capacity(open_files())
        self._most_each = min(most_each, max(1, self._most // 4))
        self._trusts = trusts
        self._clock = clock or asyncio.get_running_loop().time
        self._inside: dict[Any, _Connection] = {}
        self._each: Counter[str] = Counter()
        self._sweeping: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._refused = 0
        self._logged_at = float("-inf")

    @property
    def connections(self) -> int:
        """How many connections there are."""
        return len(self._inside)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Note that a whole request has come, and when it is carried out."""
        connection = self._inside.get(request.transport)
        if connection is None:
            return await handler(request)
        stream = request.headers.get("Upgrade", "").lower() == "websocket"
        connection.due(None if stream else self._clock() + REQUEST_TIMEOUT_SECONDS, busy=True)
        try:
            return await handler(request)
        finally:
            connection.due(self._clock() + KEEPALIVE_TIMEOUT_SECONDS)

    def opened(self, connection: _Connection, transport: asyncio.Transport) -> bool:
        """Let a connection in, in place of another one if need be; False where it cannot be."""
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        connection.bound = None if self._trusts(address) else limits_for(address)
        bound = connection.bound
        full = len(self._inside) >= self._most
        if full or (bound is not None and self._each[bound] >= self._most_each):
            self._refuse()
            if not self._make_room(None if full else bound):
                return False
        self._inside[transport] = connection
        if bound is not None:
            self._each[bound] += 1
        connection.due(self._clock() + HEADER_TIMEOUT_SECONDS)
        if self._sweeping is None:
            self._sweep_later()
        return True

    def request_started(self, connection: _Connection) -> None:
        """Note that something has come: the rest of its headers must not be long in coming."""
        if not connection.busy and not connection.speaking:
            connection.due(self._clock() + HEADER_TIMEOUT_SECONDS, speaking=True)

    def closed(self, connection: _Connection, transport: asyncio.BaseTransport) -> None:
        """Forget a connection."""
        if self._inside.pop(transport, None) is not None and connection.bound is not None:
            self._each[connection.bound] -= 1
            if not self._each[connection.bound]:
                del self._each[connection.bound]

    def close(self) -> None:
        """Look at connections no more."""
        if self._sweeping is not None:
            self._sweeping.cancel()

    def _make_room(self, bound: str | None) -> bool:
        """Close the connection that has waited longest without a whole request: of all, or of those counted alike."""
        idle = (
            (each.deadline, at, transport)
            for at, (transport, each) in enumerate(self._inside.items())
            if not each.busy and each.deadline is not None and bound in (None, each.bound)
        )
        found = min(idle, default=None)
        if found is None:
            return False
        self._drop(found[2])
        return True

    def _drop(self, transport: Any) -> None:
        self.closed(self._inside[transport], transport)
        transport.abort()

    def _sweep(self) -> None:
        now = self._clock()
        # Where the program itself stood still, what came meanwhile has not been read yet: nobody is late for that.
        lost = asyncio.get_running_loop().time() - self._due
        if lost > _STALL_SECONDS:
            for each in self._inside.values():
                each.deadline = None if each.deadline is None else each.deadline + lost
        for transport, each in list(self._inside.items()):
            if each.deadline is None or each.deadline > now:
                continue
            left = transport.get_write_buffer_size()
            if 0 < left != each.left and not each.busy:
                # An answer that is still being taken, however slowly.
                each.due(now + KEEPALIVE_TIMEOUT_SECONDS)
                each.left = left
            else:
                self._drop(transport)
        if self._refused and now - self._logged_at >= _LOG_INTERVAL_SECONDS:
            self._log_refusals()
        waits = self._inside or self._refused
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
        """Log how many connections found no place since it was logged last, once a minute at most."""
        self._logged_at = self._clock()
        log.warning("connections-refused", number=self._refused, open=len(self._inside), most=self._most)
        self._refused = 0


class _Connection(asyncio.Protocol):
    """Between the system and what speaks HTTP."""

    def __init__(self, gate: ConnectionLimiter, inner: asyncio.Protocol) -> None:
        self._gate = gate
        self._inner: asyncio.Protocol | None = inner
        self._transport: asyncio.BaseTransport | None = None
        self.bound: str | None = None
        self.deadline: float | None = None
        self.busy = self.speaking = False
        self.left = 0

    def due(self, deadline: float | None, *, busy: bool = False, speaking: bool = False) -> None:
        """Note until when something has to happen, None for a stream, and what is going on."""
        self.deadline, self.busy, self.speaking, self.left = deadline, busy, speaking, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # One of uvloop's is a transport by what it can do, not by its class.
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

    def pause_writing(self) -> None:
        if self._inner is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._inner is not None:
            self._inner.resume_writing()


class GateSite(web.BaseSite):
    """An address at which a server listens behind a gate."""

    def __init__(self, runner: web.BaseRunner, gate: ConnectionLimiter, host: str, port: int) -> None:
        super().__init__(runner)
        self._gate = gate
        self._host = host
        self.port = port

    @property
    def name(self) -> str:
        """Where it listens."""
        return f"http://{self._host}:{self.port}"

    async def start(self) -> None:
        """Listen; with port 0 the system chooses one. OSError."""
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
