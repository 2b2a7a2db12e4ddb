"""A party whose program shows the world what it may, and somebody in the world who looks."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.web.client_addresses import DIRECT, ClientAddresses
from storage import Store
from tests.public.world import World, a_world


@pytest.fixture
def callers() -> ClientAddresses:
    """Who is believed to say whose requests they pass on: nobody."""
    return DIRECT


@pytest.fixture
async def world(store: Store, callers: ClientAddresses) -> AsyncIterator[World]:
    """The world, which looks at what the party shows it."""
    async with a_world(store, callers) as found:
        yield found
