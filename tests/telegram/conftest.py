"""Fixtures for the tests of Telegram."""

from collections.abc import AsyncIterator
from unittest.mock import AsyncMock

import aiohttp
import pytest

from bot.platforms.telegram.updates import WebhookSettings
from storage import Store
from tests.bot.party import Clock
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Chat
from tests.support.present import present
from tests.support.program import anna, bruno, experience, mover, newcomers, other, players  # noqa: F401
from tests.telegram.harness import Bot, Scene
from tests.telegram.raw import Caller


@pytest.fixture
def clock() -> Clock:
    """The clock of everything."""
    return Clock()


@pytest.fixture
def registers() -> bool:
    """Whether each bot registers its commands and describes itself, in ten calls; a module says so by its own."""
    return False


@pytest.fixture(autouse=True)
def registration(registers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have bots take it that Telegram knows their commands, unless they register them."""
    if not registers:
        monkeypatch.setattr("bot.platforms.telegram.connection.register_if_changed", AsyncMock(return_value=True))


@pytest.fixture
async def telegram(clock: Clock) -> AsyncIterator[FakeTelegram]:
    """A fake Telegram; at the end no call may have been refused that the test did not expect."""
    async with FakeTelegram(clock) as running:
        yield running
        assert running.refused == []


@pytest.fixture
async def caller(telegram: FakeTelegram) -> AsyncIterator[Caller]:
    """A client without manners of its own."""
    async with aiohttp.ClientSession() as session:
        yield Caller(telegram, session)


@pytest.fixture
def group(telegram: FakeTelegram) -> Chat:
    """A group with somebody in it."""
    return telegram.group("Friends", telegram.account("Anna"))


@pytest.fixture
async def scene(telegram: FakeTelegram, store: Store, clock: Clock) -> AsyncIterator[Scene]:
    """A group with the bot in it."""
    made = Scene(telegram, Bot(telegram, store, clock))
    async with made.bot:
        yield made
    assert telegram.lapses == []


@pytest.fixture
async def called(telegram: FakeTelegram, store: Store, clock: Clock) -> AsyncIterator[Scene]:
    """A group with a bot that Telegram calls."""
    made = Scene(telegram, Bot(telegram, store, clock))
    made.bot.connecting["webhook"] = WebhookSettings("http://127.0.0.1:1/secret/path", port=0)
    async with made.bot as bot:
        # As a proxy does: bring the calls to where the program listens.
        _, secret = present(telegram.webhook)
        telegram.webhook = (f"http://127.0.0.1:{present(bot.connection._webhook).port}/secret/path", secret)
        yield made
    assert telegram.lapses == []
