"""The streams of public games: their places, and their signs of life."""

import asyncio

import pytest

from bot.kernel.operations import listening
from bot.kernel.operations.settings import read_networks
from bot.platforms.public.streams import MAX_STREAMS_PER_ADDRESS
from bot.platforms.web.request_guard import ClientAddresses
from tests.public.test_api import API
from tests.public.test_game_pages import next_event
from tests.public.world import World


@pytest.fixture
def callers() -> ClientAddresses:
    """A proxy that says whose requests it passes on."""
    return ClientAddresses(read_networks("127.0.0.1"))


async def test_closed_streams_give_their_places_back(world: World, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 3600)
    from_one = {"X-Forwarded-For": "198.51.100.7"}
    for path in (f"/g/{page}/live", f"{API}/games/{page}/stream"):
        opened = []
        for _ in range(MAX_STREAMS_PER_ADDRESS):
            opened.append(await world.session.get(world.address + path, headers=from_one))
            assert (await next_event(opened[-1].content))["event"] == "game"
        assert (await world.get(path, **from_one)).status == 503
        for stream in opened:
            stream.close()
        async with asyncio.timeout(60):
            for _ in range(MAX_STREAMS_PER_ADDRESS):
                # Until the server has noticed; who asks without end is told to slow down.
                while (again := await world.session.get(world.address + path, headers=from_one)).status != 200:
                    assert again.status == 503
                assert (await next_event(again.content))["event"] == "game"
                opened.append(again)
        for stream in opened:
            stream.close()
            await stream.wait_for_close()


async def test_quiet_stream_gives_signs_of_life(world: World, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 0.01)
    for path in (f"/g/{page}/live", f"{API}/games/{page}/stream"):
        async with asyncio.timeout(60), world.session.get(world.address + path) as stream:
            assert [(await next_event(stream.content))["event"] for _ in range(3)] == ["game", *["heartbeat"] * 2]
