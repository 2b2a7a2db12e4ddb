"""Fixtures for the tests of Discord."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from storage import Store
from tests.discord.harness import DRAW, Bot, Scene, direct_to
from tests.discord.raw import Client
from tests.fakes.discord.server import FakeDiscord
from tests.support.program import experience, newcomers  # noqa: F401


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeDiscord]:
    """A fake Discord; at the end nothing may have been asked that it refuses, or that loses pictures."""
    async with FakeDiscord() as running:
        direct_to(running, monkeypatch)
        yield running
        assert running.refused == []
        assert running.lapses == []


@pytest.fixture
async def scene(discord: FakeDiscord, store: Store) -> AsyncIterator[Scene]:
    """A server with the bot in it."""
    bot = Bot(discord, store, draw=DRAW)
    made = Scene(discord, bot)
    await bot.start()
    yield made
    await bot.stop()


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """A client without manners of its own, and the fake Discord that it talks to."""
    async with FakeDiscord() as running, aiohttp.ClientSession() as session:
        yield Client(running, session)
