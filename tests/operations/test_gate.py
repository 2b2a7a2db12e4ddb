"""Requests that never end, and more connections than there is room for: newcomers get in, and nobody stays for ever."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession, ClientTimeout, web
from structlog.testing import capture_logs

from bot.kernel.operations import limits as gates
from bot.kernel.operations.limits import ConnectionLimiter, connection_capacity, limits_for, serve_app

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

    app = web.Application()
    app.add_routes([web.get("/", well), web.get("/hold", held), web.get("/stream", stream), web.post("/body", body)])
    runner, port = await serve_app(app, gate, "127.0.0.1", 0, shutdown_timeout=0.1)
    try:
        yield port
    finally:
        await runner.cleanup()


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
    ("limit", "words"),
    [
        ("KEEPALIVE_TIMEOUT_SECONDS", b""),
        ("KEEPALIVE_TIMEOUT_SECONDS", b"GET / HTTP/1.1\r\nHost: a\r\n"),
        ("KEEPALIVE_TIMEOUT_SECONDS", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("KEEPALIVE_TIMEOUT_SECONDS", b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP"),
        ("REQUEST_TIMEOUT_SECONDS", b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("REQUEST_TIMEOUT_SECONDS", b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf"),
    ],
    ids=["silent", "half-headers", "resting", "half-of-the-next", "held", "half-body"],
)
async def test_silent_connections_are_closed(monkeypatch: pytest.MonkeyPatch, limit: str, words: bytes) -> None:
    monkeypatch.setattr(gates, limit, 0.05)
    gate = ConnectionLimiter(10)
    async with listening(gate, Hold()) as port:
        reader, writer = await knock(port, words)
        assert await gone(reader)
        await until(lambda: gate.connections == 0)
        writer.close()


async def test_streams_and_running_requests_are_kept_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "KEEPALIVE_TIMEOUT_SECONDS", 0.01)
    gate, hold = ConnectionLimiter(10), Hold()
    async with listening(gate, hold) as port, ClientSession() as session:
        monkeypatch.setattr(gates, "REQUEST_TIMEOUT_SECONDS", 0.01)
        socket = await session.ws_connect(f"http://127.0.0.1:{port}/stream")
        monkeypatch.setattr(gates, "REQUEST_TIMEOUT_SECONDS", 300)
        reader, writer = await knock(port, b"GET /hold HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        await until(lambda: gate.connections == 2)
        resting, later = await knock(port)
        assert await gone(resting)  # by now the others would be closed, too
        later.close()
        assert gate.connections == 2
        hold.set()
        assert b"held" in await reader.read()
        writer.close()
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
        await until(lambda: not gate._waiting)
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
