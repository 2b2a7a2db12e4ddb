"""The place that every test here is run in, on one platform after the other."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from bot.platforms.telegram.client import NO_TEXT
from storage import Store
from tests.bot.party import Clock
from tests.bot.test_together import together  # noqa: F401
from tests.discord.harness import Bot as DiscordBot, direct_to
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.telegram.server import FakeTelegram
from tests.platforms.room import OnDiscord, OnTelegram, Room
from tests.support.program import experience, newcomers  # noqa: F401
from tests.telegram.harness import Bot as TelegramBot


@asynccontextmanager
async def open_discord(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    async with FakeDiscord() as discord:
        direct_to(discord, monkeypatch)
        room = OnDiscord(discord, DiscordBot(discord, store))
        async with room.bot:
            yield room
        assert (discord.refused, discord.lapses) == ([], [])


@asynccontextmanager
async def open_telegram(store: Store) -> AsyncIterator[Room]:
    clock = Clock()
    async with FakeTelegram(clock) as telegram:
        room = OnTelegram(telegram, TelegramBot(telegram, store, clock))
        async with room.bot:
            yield room
        # Only by trying is it found out that a message has a caption instead of a text.
        assert [error for _, error in telegram.refused if NO_TEXT not in error.description] == []
        assert telegram.lapses == []


def open_room(platform: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> AbstractAsyncContextManager[Room]:
    """Give a place on a platform with the program in it; at the end the platform may not have refused anything."""
    return open_discord(store, monkeypatch) if platform == "discord" else open_telegram(store)


@pytest.fixture(params=["discord", "telegram"])
async def room(request: pytest.FixtureRequest, store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """A place on one platform after the other."""
    async with open_room(request.param, store, monkeypatch) as made:
        yield made
