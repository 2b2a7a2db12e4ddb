"""Fixtures for the tests of the bot."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine import State
from render.scene import Hint
from storage import Store
from tests.bot.chance_table import ChanceTable
from tests.bot.computers import Thoughts
from tests.bot.party import SQUARE, Party
from tests.support.tiny import DRAW


@pytest.fixture
async def party(store: Store) -> AsyncIterator[Party]:
    """People in a room, with a program that serves them."""
    async with Party(store) as gathered:
        yield gathered


@pytest.fixture
def programs(two_stores: tuple[Store, Store]) -> list[Party]:
    """Two programs on one database, with one clock and in one room."""
    here, there = (Party(store) for store in two_stores)
    there.clock, there.adapter, there.numbers = here.clock, here.adapter, 500_000
    there.restarted()
    return [here, there]


@pytest.fixture
async def thoughts() -> Thoughts:
    """Thinkers who think little, and not before they may."""
    return Thoughts()


@pytest.fixture
async def advised(store: Store, thoughts: Thoughts) -> AsyncIterator[Party]:
    """A party whose program draws tiny pictures, and thinks little of hints and analyses."""
    async with Party(store, draw=DRAW, thinkers=thoughts) as gathered:
        gathered.front.context.advice.effort = 0.1
        yield gathered


@pytest.fixture
def marked(advised: Party, monkeypatch: pytest.MonkeyPatch) -> list[Hint | None]:
    """What is marked as good in each picture of a board that is drawn from here on."""
    hints: list[Hint | None] = []

    async def draw(state: State, **view: Any) -> Any:
        hints.append(view["hint"])
        return await DRAW(state, **view)

    monkeypatch.setattr(advised.front.context.artist, "_draw", draw)
    return hints


@pytest.fixture
async def code(party: Party) -> str:
    """The code of a game that Anna and Bruno have begun on a small board."""
    return await party.started(SQUARE)


@pytest.fixture
def duel(party: Party, code: str) -> Party:
    """A party in which Anna and Bruno have begun a game on a small board."""
    assert party.code == code
    return party


@pytest.fixture
def table(party: Party) -> ChanceTable:
    party.thinking = False
    return ChanceTable(party)
