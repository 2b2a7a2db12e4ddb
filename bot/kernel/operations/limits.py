"""Limits: the number of connections, of actions per hour, and of waiting work items.

A connection without a complete request is closed by aiohttp after `KEEPALIVE_TIMEOUT_SECONDS`. At the limit, the
connection that has waited longest without a complete request is closed to admit a new one, so incomplete requests block
no one. Some of the process's open files are reserved for the database, the worker processes and the platforms.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from typing import Any, Final, cast

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler
from cachetools import TTLCache

if sys.platform != "win32":  # other systems have no limit that matters here
    import resource

KEEPALIVE_TIMEOUT_SECONDS: Final = 180.0
"""Maximum seconds until the next complete request on a connection; longer than the keep-alive of common proxies."""
REQUEST_TIMEOUT_SECONDS: Final = 300.0
"""Maximum seconds for handling a request, including its body; streams check the connection themselves."""
MAX_CONNECTIONS: Final = 4096
"""Maximum number of open connections."""
MAX_CONNECTIONS_PER_ADDRESS: Final = 512
"""Maximum number of connections per address, and at most a quarter of all.

Connections through a trusted proxy, or from this machine, cannot be told apart by address. The limit is generous
because there may be proxies that the settings do not name.
"""
RESERVED_OPEN_FILES: Final = 128
"""Number of open files reserved for everything else."""
_LOG_INTERVAL_SECONDS: Final = 60.0
"""Minimum interval between log lines about refused connections."""
_CONNECTION: Final[web.RequestKey[Any]] = web.RequestKey("connection", object)
"""The connection of a request."""

log = structlog.get_logger(__name__)


def raise_open_files() -> None:
    """Raise the limit of open files, as far as the system allows and we can use it."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + RESERVED_OPEN_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(hard, wanted)
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

    The owner of an IPv6 address has a whole network of them, so IPv6 connections are counted by network.
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


def is_websocket(request: web.Request) -> bool:
    """Return True if a request opens a stream rather than polls for its content."""
    return request.headers.get("Upgrade", "").lower() == "websocket"


@contextmanager
def call_on_disconnect(request: web.Request, callback: Callable[[], None]) -> Iterator[None]:
    """Call `callback` if the client of a request disconnects meanwhile.

    Without this, a handler notices a disconnection only when it writes.
    """
    connection: _Connection | None = request.get(_CONNECTION)
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
        trusts: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._most = most or connection_capacity(open_files())
        self._most_each = min(most_each, max(1, self._most // 4))
        self._trusts = trusts
        self._connections: dict[Any, _Connection] = {}
        self._waiting: dict[_Connection, None] = {}
        """The connections without a complete request, the one that has waited longest first."""
        self._count_by_key: Counter[str] = Counter()
        self._refused = 0
        self._logged_at = float("-inf")

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return len(self._connections)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Record when a complete request has arrived, and when it is handled."""
        connection = self._connections.get(request.transport)
        if connection is None:
            return await handler(request)
        self._waiting.pop(connection, None)
        request[_CONNECTION] = connection
        timeout = asyncio.get_running_loop().call_later(REQUEST_TIMEOUT_SECONDS, connection.drop)
        if is_websocket(request):
            timeout.cancel()
        try:
            return await handler(request)
        finally:
            timeout.cancel()
            if connection.transport in self._connections:
                self._waiting[connection] = None

    def admit(self, connection: _Connection) -> bool:
        """Admit a connection, closing another one if necessary; return False if that is not possible."""
        peer = connection.transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        bound = connection.bound = None if self._trusts(address) else limits_for(address)
        full = len(self._connections) >= self._most
        if full or (bound is not None and self._count_by_key[bound] >= self._most_each):
            self._note_refusal()
            replaced = next((each for each in self._waiting if full or each.bound == bound), None)
            if replaced is None:
                return False
            replaced.drop()
        self._connections[connection.transport] = connection
        self._waiting[connection] = None
        self._count_by_key.update([] if bound is None else [bound])
        return True

    def forget(self, connection: _Connection) -> None:
        """Forget a closed connection."""
        self._waiting.pop(connection, None)
        if self._connections.pop(connection.transport, None) is not None and connection.bound is not None:
            self._count_by_key -= Counter([connection.bound])

    def _note_refusal(self) -> None:
        """Log how many connections were refused since the last log line, at most once a minute."""
        self._refused += 1
        now = asyncio.get_running_loop().time()
        if now - self._logged_at >= _LOG_INTERVAL_SECONDS:
            log.warning("connections-refused", number=self._refused, open=len(self._connections), most=self._most)
            self._logged_at, self._refused = now, 0


class _Connection(asyncio.Protocol):
    """A protocol between the transport and the HTTP server's protocol."""

    transport: asyncio.Transport

    def __init__(self, gate: ConnectionLimiter, inner: asyncio.Protocol) -> None:
        self._gate = gate
        self._inner = inner
        self.bound: str | None = None
        self.on_disconnect: Callable[[], None] | None = None

    def drop(self) -> None:
        """Close the connection at once."""
        self._gate.forget(self)
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports have the interface but not the class.
        self.transport = cast("asyncio.Transport", transport)
        if self._gate.admit(self):
            self._inner.connection_made(transport)
        else:
            self._inner = asyncio.Protocol()  # the server learns nothing of a refused connection
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._gate.forget(self)
        self._inner.connection_lost(error)
        if self.on_disconnect is not None:
            self.on_disconnect()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()


class _Site(web.TCPSite):
    """A listening address with connection limits."""

    def __init__(self, runner: web.BaseRunner, gate: ConnectionLimiter, host: str, port: int) -> None:
        super().__init__(runner, host, port)
        self._gate = gate

    async def start(self) -> None:
        """Listen; with port 0 the system chooses one. Raises OSError."""
        await web.BaseSite.start(self)  # a TCPSite would listen without limits
        make = cast("Callable[[], asyncio.Protocol]", self._runner.server)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self._gate, make()), self._host, self._port)


async def serve_app(
    app: web.Application, gate: ConnectionLimiter, host: str, port: int, **options: Any
) -> tuple[web.AppRunner, int]:
    """Serve an application with connection limits; return its runner and the port, which the system chooses for 0.

    Raises OSError if the address is not available.
    """
    app.middlewares.insert(0, gate.middleware)
    runner = web.AppRunner(app, access_log=None, keepalive_timeout=KEEPALIVE_TIMEOUT_SECONDS, **options)
    await runner.setup()
    try:
        await _Site(runner, gate, host, port).start()
    except OSError:
        await runner.cleanup()
        raise
    return runner, int(runner.addresses[0][1])


LIMIT_WINDOW: Final = timedelta(hours=1)
_MAX_KEYS: Final = 10_000
"""Maximum number of remembered keys; beyond that, the least recently active are forgotten."""


class HourlyRateLimiter:
    """Counts actions per key; each key may act `most` times within any `window`, by default an hour."""

    def __init__(self, most: int, clock: Callable[[], float], window: timedelta = LIMIT_WINDOW) -> None:
        """Create the limiter; `clock` returns seconds that cannot be set."""
        self.most = most
        self._window_seconds = window.total_seconds()
        self._clock = clock
        self._done: TTLCache[Hashable, deque[float]] = TTLCache(_MAX_KEYS, self._window_seconds, timer=clock)
        """The times of each key's last `most` actions, oldest first."""

    def minutes_to_wait(self, who: Hashable) -> int:
        """Return the minutes until a key may act again, 0 if it may now."""
        return math.ceil(self.wait_seconds(who) / 60)

    def wait_seconds(self, who: Hashable) -> int:
        """Return the seconds until a key may act again, 0 if it may now."""
        done = self._done.get(who)
        if done is None or len(done) < self.most:
            return 0
        left = done[0] + self._window_seconds - self._clock()
        return max(1, math.ceil(left)) if left > 0 else 0

    def record(self, who: Hashable) -> None:
        """Record an action of a key."""
        done = self._done.get(who) or deque(maxlen=self.most)
        done.append(self._clock())
        self._done[who] = done


class TooManyRequests(Exception):
    """A queue is full."""


class WorkQueues:
    """FIFO queues by key: in each, `at_once` pieces of work run concurrently and up to `waiting` wait."""

    def __init__(
        self, at_once: int, waiting: float = math.inf, refusal: Callable[[], Exception] = TooManyRequests
    ) -> None:
        """Create the queues; `refusal` makes the error that is raised if a queue is full."""
        self._at_once = at_once
        self._most = at_once + waiting
        self._refusal = refusal
        self._queues: dict[Hashable, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def turn(self, key: Hashable = None) -> AsyncIterator[bool]:
        """Wait for a place in a queue and hold it inside the block; yield True if none was free at once."""
        places, inside = self._queues.get(key) or (asyncio.Semaphore(self._at_once), 0)
        if inside >= self._most:
            raise self._refusal()
        self._queues[key] = places, inside + 1
        waits = places.locked()
        try:
            async with places:
                yield waits
        finally:
            places, inside = self._queues.pop(key)
            if inside > 1:
                self._queues[key] = places, inside - 1
