"""Answers that go away by themselves, where several processes know of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import pytest

from bot.interface.requests import Place
from bot.telegram.adapter import TelegramAdapter
from bot.telegram.ephemeral import LATE, SHORT, EphemeralMessages
from storage import Store
from tests.bot.party import Clock


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


@dataclass
class Late:
    """A message that is late to go, which two processes know of."""

    here: EphemeralMessages
    there: EphemeralMessages
    platform: Removing


@pytest.fixture
async def late(two_stores: tuple[Store, Store]) -> Late:
    clock, platform = Clock(), Removing()
    here, there = (EphemeralMessages(store, cast("TelegramAdapter", platform), clock) for store in two_stores)
    await here.add(-1, 7, 5, SHORT)
    clock.now += SHORT + LATE + timedelta(seconds=1)
    await there.restore()
    return Late(here, there, platform)


async def test_one_that_is_late_is_taken_away_by_one_process(late: Late) -> None:
    late.platform.open.clear()
    first = asyncio.create_task(late.here.sweep())
    await late.platform.asked.wait()
    await late.there.sweep()
    late.platform.open.set()
    await first
    assert late.platform.removed == [7]
    await late.there.restore()
    await late.there.sweep()
    assert late.platform.removed == [7]


async def test_one_that_another_process_has_taken_away_is_forgotten(late: Late) -> None:
    await late.there.sweep()
    await late.here.sweep()
    assert late.platform.removed == [7]
    assert late.here.owner(-1, 7) is None
