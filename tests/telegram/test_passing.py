"""Answers that go away by themselves, where several processes know of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any, cast

import pytest

from bot.requests import Place
from bot.telegram.adapter import TelegramAdapter
from bot.telegram.passing import LATE, SHORT, PassingMessages
from storage import Store
from tests.bot.party import Clock
from tests.support.postgres import Postgres


class Removing:
    """Takes messages away, as slowly as the test wants."""

    def __init__(self) -> None:
        self.removed: list[int] = []
        self.asked = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    async def remove(self, _: Place, message: int) -> None:
        self.asked.set()
        await self.open.wait()
        self.removed.append(message)


@pytest.fixture
async def shared(postgres: Postgres) -> AsyncIterator[tuple[Store, Store]]:
    """Two processes' stores on one database."""
    name = await postgres.new_database()
    async with AsyncExitStack() as stack:
        stores = []
        for _ in range(2):
            store = await stack.enter_async_context(await Store.open(postgres.address(name)))
            connected = asyncio.Event()

            def heard(news: tuple[str, Any], connected: asyncio.Event = connected) -> None:
                if news == ("elsewhere", None):
                    connected.set()

            store.listen(heard)
            store.share()
            async with asyncio.timeout(60):
                await connected.wait()
            stores.append(store)
        yield stores[0], stores[1]
    await postgres.drop_database(name)


async def test_one_that_is_late_is_taken_away_by_one_process(shared: tuple[Store, Store]) -> None:
    clock, platform = Clock(), Removing()
    adapter = cast("TelegramAdapter", platform)
    here, there = (PassingMessages(store, adapter, clock) for store in shared)
    await here.add(-1, 7, 5, SHORT)
    clock.now += SHORT + LATE + timedelta(seconds=1)
    await there.restore()
    platform.open.clear()
    first = asyncio.create_task(here.sweep())
    await platform.asked.wait()
    await there.sweep()
    platform.open.set()
    await first
    assert platform.removed == [7]
    await there.restore()
    await there.sweep()
    assert platform.removed == [7]


async def test_one_that_another_process_has_taken_away_is_forgotten(shared: tuple[Store, Store]) -> None:
    clock, platform = Clock(), Removing()
    adapter = cast("TelegramAdapter", platform)
    here, there = (PassingMessages(store, adapter, clock) for store in shared)
    await here.add(-1, 7, 5, SHORT)
    clock.now += SHORT + LATE + timedelta(seconds=1)
    await there.restore()
    await there.sweep()
    await here.sweep()
    assert platform.removed == [7]
    assert here.owner(-1, 7) is None
