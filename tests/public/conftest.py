"""A party whose program shows the world what it may, and somebody in the world who looks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from bot.web.client_addresses import DIRECT, ClientAddresses
from bot.web.public_mount import public_mounts
from bot.web.room import ChatRoom
from bot.web.server import start_web
from render.pool import Painter
from storage import Store, utc_now
from tests.bot.party import Party
from tests.public.world import ADDRESS, World
from tests.web.front import FakeFront


@pytest.fixture
def callers() -> ClientAddresses:
    """Who is believed to say whose requests they pass on: nobody."""
    return DIRECT


@pytest.fixture
async def world(store: Store, callers: ClientAddresses) -> AsyncIterator[World]:
    """The world, which looks at what the party shows it."""
    async with AsyncExitStack() as stack:
        painter = await stack.enter_async_context(Painter())
        party = Party(store, web_address=ADDRESS, draw=painter.draw)
        stack.push_async_callback(party.front.close)
        room = ChatRoom(store, utc_now)
        server = await start_web(
            FakeFront(),
            store,
            party.front.context.texts,
            room,
            host="127.0.0.1",
            port=0,
            hosts=["games.example"],
            callers=callers,
            mounts=public_mounts(party.front.context, callers),
        )
        stack.push_async_callback(server.stop)
        yield await stack.enter_async_context(World(party, server.address.rstrip("/")))
