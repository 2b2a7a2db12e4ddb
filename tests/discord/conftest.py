"""Fixtures for the tests of Discord."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.kernel.pictures import Renderer
from storage import Store
from tests.discord.harness import Bot, Scene, direct_to
from tests.discord.raw import Client
from tests.fakes.discord.people import Person
from tests.fakes.discord.server import FakeDiscord
from tests.support.program import anna, bruno, experience, mover, newcomers, other, players  # noqa: F401
from tests.support.tiny import DRAW


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeDiscord]:
    """A fake Discord; at the end nothing may have been asked that it refuses, or that loses pictures."""
    async with FakeDiscord() as running:
        direct_to(running, monkeypatch)
        yield running
        assert running.refused == []
        assert running.lapses == []


@pytest.fixture
def draw() -> Renderer:
    """What draws the pictures of the bot."""
    return DRAW


@pytest.fixture
async def scene(discord: FakeDiscord, store: Store, draw: Renderer) -> AsyncIterator[Scene]:
    """A server with the bot in it."""
    made = Scene(discord, Bot(discord, store, draw=draw))
    async with made.bot:
        yield made


@pytest.fixture
def carla(scene: Scene) -> Person:
    return scene.person("Carla")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """A client without manners of its own, and the fake Discord that it talks to."""
    async with FakeDiscord() as running, aiohttp.ClientSession() as session:
        yield Client(running, session)
