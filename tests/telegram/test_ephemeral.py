"""Answers that go away by themselves, where several processes know of them."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from telegram import Chat, Message

from bot.kernel.requests import Place
from bot.platforms.telegram.answers import CARD_LIFETIME, ORPHAN_AGE, SENTENCE_LIFETIME, EphemeralMessages
from storage import Store, utc_now
from storage.key_values import KeyValues
from tests.bot.party import Clock


class Removing:
    """Takes messages away, as slowly as the test wants."""

    def __init__(self) -> None:
        self.removed: list[int] = []
        self.faults: dict[int, Exception] = {}
        self.asked = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    async def remove(self, _: Place, message: int) -> None:
        self.asked.set()
        await self.open.wait()
        if message in self.faults:
            raise self.faults.pop(message)
        self.removed.append(message)


def ephemeral_messages(store: Store, clock: Clock, platform: Removing) -> EphemeralMessages:
    """Return the ephemeral messages of a process."""
    adapter: Any = SimpleNamespace(context=SimpleNamespace(store=store, clock=clock), remove=platform.remove)
    return EphemeralMessages(adapter)


@dataclass
class Late:
    """A message that is late to go, which two processes know of."""

    here: EphemeralMessages
    there: EphemeralMessages
    platform: Removing


@pytest.fixture
async def late(two_stores: tuple[Store, Store]) -> Late:
    clock, platform = Clock(), Removing()
    here, there = (ephemeral_messages(store, clock, platform) for store in two_stores)
    await here.add(-1, 7, 5, SENTENCE_LIFETIME)
    clock.now += SENTENCE_LIFETIME + ORPHAN_AGE + timedelta(seconds=1)
    await there.restore()
    return Late(here, there, platform)


async def test_one_that_is_late_is_taken_away_by_one_process(late: Late) -> None:
    late.platform.open.clear()
    first = asyncio.create_task(late.here.run_until_idle())
    await late.platform.asked.wait()
    await late.there.run_until_idle()
    late.platform.open.set()
    await first
    assert late.platform.removed == [7]
    await late.there.restore()
    await late.there.run_until_idle()
    assert late.platform.removed == [7]


def below(number: int, *presses: str) -> Message:
    """Return a message of a group with some buttons, as a tap brings it."""
    buttons = [[{"text": "…", "callback_data": each}] for each in presses]
    carried = {"keyboard_as_told": {"inline_keyboard": buttons}}
    return Message(number, utc_now(), Chat(-1, Chat.SUPERGROUP), api_kwargs=carried)


async def test_of_another_process_one_that_is_gone_is_forgotten_another_is_its_readers_and_a_board_is_for_everybody(
    late: Late, monkeypatch: pytest.MonkeyPatch
) -> None:
    await late.there.run_until_idle()
    await late.here.run_until_idle()
    assert late.platform.removed == [7]
    assert late.here.owner(-1, 7) is None
    await late.here.add(-1, 8, 5, CARD_LIFETIME)
    assert await late.there.find_owner(below(8, "p:ABC123:4=a2", "rules=annuvin")) == 5
    assert await late.there.find_owner(below(9, "p:ABC123:4=a2", "rules=annuvin")) is None
    # Every tap asks whose message it is: below a board, the database must not be asked.
    monkeypatch.delattr(KeyValues, "get")
    for more in ("more:ABC123:4", "teamm:ABC123:4"):
        assert await late.there.find_owner(below(9, "c:ABC123:4=a2", more)) is None


async def test_failing_ephemeral_message_is_retried_without_blocking_others(store: Store) -> None:
    clock, platform = Clock(), Removing()
    here = ephemeral_messages(store, clock, platform)
    platform.faults[7] = KeyError("something unforeseen")
    for message in (7, 8):
        await here.add(-1, message, 5, SENTENCE_LIFETIME)
    clock.now += SENTENCE_LIFETIME
    await here.run_until_idle()
    assert platform.removed == [8]
    clock.now += ORPHAN_AGE
    await here.run_until_idle()
    assert platform.removed == [8, 7]


async def test_the_loop_goes_on_after_an_error_that_it_does_not_know(store: Store) -> None:
    platform = Removing()
    here = ephemeral_messages(store, Clock(), platform)
    looked, sweep = asyncio.Event(), here._run_due

    async def stumbling() -> bool:
        if not looked.is_set():
            looked.set()
            raise KeyError("something unforeseen")
        return await sweep()

    here._run_due = stumbling  # type: ignore[method-assign]
    here.start()
    async with asyncio.timeout(60):
        await looked.wait()
        await here.add(-1, 7, 5, timedelta())
        await platform.asked.wait()
    await here.close()
