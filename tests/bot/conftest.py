"""Fixtures for the tests of the bot."""

from collections.abc import AsyncIterator

import pytest

from storage import Store
from tests.bot.party import Party


@pytest.fixture
async def party(store: Store) -> AsyncIterator[Party]:
    """People in a room, with a program that serves them."""
    gathered = Party(store)
    yield gathered
    await gathered.front.close()
