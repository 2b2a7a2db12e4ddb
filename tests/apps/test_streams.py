"""The streams of apps: their places, their signs of life, and what is polled without one."""

import asyncio

import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType

from bot.kernel.operations import listening
from bot.kernel.operations.listening import TOO_MANY_CLOSE_CODE
from bot.platforms.apps.streams import MAX_STREAMS_PER_PERSON
from tests.apps.hosts import App, Apps
from tests.support.disconnecting import drop
from tests.support.present import present


async def opens_one_more(app: App) -> ClientWebSocketResponse | None:
    """Open one more stream, and return it if it may stay."""
    socket = await app.connect()
    async with asyncio.timeout(60):
        first = await socket.receive()
    assert first.type is WSMsgType.TEXT or first.data == TOO_MANY_CLOSE_CODE
    return socket if first.type is WSMsgType.TEXT else None


async def test_closed_stream_gives_its_place_back(apps: Apps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 3600)
    app = await apps.opens("Anna")
    streams = [await app.listens() for _ in range(MAX_STREAMS_PER_PERSON)]
    assert await opens_one_more(app) is None
    drop(streams[0])
    async with asyncio.timeout(60):
        while (again := await opens_one_more(app)) is None:
            pass  # until the server has noticed
    assert not again.closed
    assert await opens_one_more(app) is None


async def test_quiet_stream_gives_signs_of_life(apps: Apps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 0.01)
    stream = await (await apps.opens("Anna")).listens()
    async with asyncio.timeout(60):
        assert [await stream.receive_json() for _ in range(2)] == [{}, {}]


async def test_app_without_a_stream_polls_what_it_may_see(apps: Apps) -> None:
    code = await apps.game("Anna", "Bruno")
    row = present(await apps.store.games.get(code))
    known = {"code": code, "revision": row.revision, "status": "playing"}
    anna, eve = await apps.opens("Anna"), await apps.opens("Eve")
    assert (await anna.get(f"live?game={code}")).data == [{"games": [known], "list": True, "searches": {}}]
    for app, query in ((anna, ""), (anna, "?game=nothing"), (eve, f"?game={code}")):
        assert (await app.get(f"live{query}")).data == [{"games": [], "list": True, "searches": {}}]
    anna.token = "none"
    assert (await anna.get(f"live?game={code}")).refusal == "session-over"
