"""Requests that never end, and more connections than there is room for: newcomers get in, and nobody stays for ever."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession, ClientTimeout, web
from structlog.testing import capture_logs

from bot.operations import connection_limits as gates
from bot.operations.connection_limits import ConnectionLimiter, GateSite, connection_capacity, limits_for
from tests.operations.conftest import Seconds

Hold = asyncio.Event


@asynccontextmanager
async def listening(gate: ConnectionLimiter, hold: Hold) -> AsyncIterator[int]:
    """Yield the port of a server behind a gate: `/hold` waits, `/stream` is one, `/body` reads."""

    async def well(_: web.Request) -> web.Response:
        return web.Response(text="well")

    async def held(_: web.Request) -> web.Response:
        await hold.wait()
        return web.Response(text="held")

    async def stream(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        return socket

    async def body(request: web.Request) -> web.Response:
        return web.Response(text=await request.text())

    app = web.Application(middlewares=[gate.middleware])
    app.add_routes([web.get("/", well), web.get("/hold", held), web.get("/stream", stream), web.post("/body", body)])
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = GateSite(runner, gate, "127.0.0.1", 0)
    await site.start()
    try:
        yield site.port
    finally:
        await runner.cleanup()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have gates look around without a pause: the time is the test's."""
    monkeypatch.setattr(gates, "_SWEEP_INTERVAL_SECONDS", 0.005)


async def knock(port: int, words: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection and say something."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(words)
    await writer.drain()
    return reader, writer


async def gone(reader: asyncio.StreamReader) -> bool:
    """Wait until the other end has closed a connection."""
    async with asyncio.timeout(30):
        try:
            while await reader.read(1 << 16):
                pass
        except ConnectionError:
            pass
    return True


async def answer(port: int) -> int:
    """Return how a newcomer is answered."""
    async with ClientSession(timeout=ClientTimeout(30)) as session, session.get(f"http://127.0.0.1:{port}/") as given:
        return given.status


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.005)


@pytest.mark.parametrize(
    ("words", "timeout_seconds"),
    [
        (b"", gates.HEADER_TIMEOUT_SECONDS),
        (b"GET / HTTP/1.1\r\nHost: a\r\n", gates.HEADER_TIMEOUT_SECONDS),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", gates.KEEPALIVE_TIMEOUT_SECONDS),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP", gates.KEEPALIVE_TIMEOUT_SECONDS),
        (b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", gates.REQUEST_TIMEOUT_SECONDS),
    ],
    ids=["silent", "half-headers", "resting", "half-of-the-next", "half-body"],
)
async def test_silent_connections_are_closed(
    quick: None, seconds: Seconds, words: bytes, timeout_seconds: float
) -> None:
    gate = ConnectionLimiter(10, clock=seconds)
    async with listening(gate, Hold()) as port:
        reader, writer = await knock(port, words)
        await until(lambda: gate.connections == 1)
        if timeout_seconds == gates.KEEPALIVE_TIMEOUT_SECONDS:
            assert await reader.readuntil(b"well")
        elif words:
            await until(lambda: all(each.speaking or each.busy for each in gate._connections.values()))
        if timeout_seconds != gates.HEADER_TIMEOUT_SECONDS:
            assert await answer(port) == 200  # by now its words have come as well
            await until(lambda: gate.connections == 1)
            seconds.now = gates.HEADER_TIMEOUT_SECONDS + 1
            await asyncio.gather(*(asyncio.sleep(0.005) for _ in range(3)))
            assert gate.connections == 1
        seconds.now = timeout_seconds + gates.HEADER_TIMEOUT_SECONDS + 1
        assert await gone(reader)
        writer.close()


async def test_streams_and_running_requests_are_kept_open(quick: None, seconds: Seconds) -> None:
    gate, hold = ConnectionLimiter(10, clock=seconds), Hold()
    async with listening(gate, hold) as port, ClientSession() as session:
        socket = await session.ws_connect(f"http://127.0.0.1:{port}/stream")
        reader, writer = await knock(port, b"GET /hold HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        await until(lambda: gate.connections == 2)
        assert await answer(port) == 200
        seconds.now = gates.REQUEST_TIMEOUT_SECONDS - 1
        await until(lambda: gate.connections == 2)
        hold.set()
        assert b"held" in await reader.read()
        writer.close()
        seconds.now = 100 * gates.REQUEST_TIMEOUT_SECONDS
        await until(lambda: gate.connections == 1)
        await socket.send_str("still here")


async def test_full_limiter_closes_the_longest_waiting_connection() -> None:
    gate = ConnectionLimiter(5)
    async with listening(gate, Hold()) as port:
        with capture_logs() as logs:
            held = [await knock(port, b"GET / HTTP/1.1\r\n") for _ in range(5)]
            await until(lambda: gate.connections == 5)
            assert [await answer(port) for _ in range(3)] == [200, 200, 200]
            assert await gone(held[0][0])
            assert gate.connections <= 5
        # Once, however many they were.
        assert [entry["event"] for entry in logs] == ["connections-refused"]
        for _, writer in held:
            writer.close()


async def test_connections_are_limited_per_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "limits_for", str)
    hold = Hold()
    gate = ConnectionLimiter(8, most_each=100)
    async with listening(gate, hold) as port:
        held = [await knock(port, b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n") for _ in range(2)]
        await until(lambda: gate.connections == 2)
        await until(lambda: all(each.busy for each in gate._connections.values()))
        third, late = await knock(port)
        assert await gone(third)
        late.close()
        assert gate.connections == 2
        hold.set()
        for _, writer in held:
            writer.close()
    trusting = ConnectionLimiter(20, most_each=1, trusts=lambda address: address == "127.0.0.1")
    async with listening(trusting, hold) as port:
        behind = [await knock(port) for _ in range(5)]
        await until(lambda: trusting.connections == 5)
        for _, writer in behind:
            writer.close()


@pytest.mark.parametrize(
    ("address", "bound"),
    [("203.0.113.7", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7"), ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
     ("2001:db8:1:2::/64", "2001:db8:1:2::/64"), ("127.0.0.9", None), ("::1", None), ("", None)],
)  # fmt: skip
def test_addresses_are_counted_by_network(address: str, bound: str | None) -> None:
    assert limits_for(address) == bound


def test_some_files_are_left_to_the_database() -> None:
    assert [connection_capacity(files) for files in (64, 256, 1024, 1_000_000)] == [32, 128, 896, gates.MAX_CONNECTIONS]


async def test_stalled_program_does_not_time_out_connections(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "HEADER_TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr(gates, "_STALL_SECONDS", 0.1)
    gate = ConnectionLimiter(10)
    async with listening(gate, Hold()) as port:
        reader, writer = await knock(port)
        await until(lambda: gate.connections == 1)
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        time.sleep(0.5)  # noqa: ASYNC251 - as a program does that cannot keep up
        # Some event loops look at the clock before they look at what has come.
        gate._sweep()
        assert b"well" in await reader.read()
        writer.close()
