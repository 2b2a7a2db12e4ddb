"""Fixtures for the tests of the apps."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser

from bot.platforms.apps.launches import Launcher
from bot.platforms.web.room import ChatRoom
from storage import Store
from tests.apps.hosts import Apps, serve_apps
from tests.apps.table import Table, open_table
from tests.apps.world import World, open_world
from tests.bot.party import Clock, Quick, Recorder
from tests.support.fronts import make_front
from tests.support.program import TEXTS
from tests.support.tiny import DRAW


@asynccontextmanager
async def open_apps(store: Store, *launchers: Launcher) -> AsyncIterator[Apps]:
    """Run the program with its apps: the Mini App, and others by their launchers."""
    clock, adapter = Clock(), Recorder("telegram")
    room = ChatRoom(store, clock)
    front = make_front(store, texts=TEXTS, clock=clock, thinkers=Quick(), draw=DRAW, adapters=[room, adapter])
    async with serve_apps(front, room, clock, *launchers, adapter=adapter) as made:
        yield made
    await front.close()


@pytest.fixture
async def apps(store: Store) -> AsyncIterator[Apps]:
    """The program with its apps."""
    async with open_apps(store) as made:
        yield made


@pytest.fixture
async def world(browser: Browser, store: Store) -> AsyncIterator[World]:
    """The program with its apps."""
    async with open_world(browser, store) as made:
        yield made
        assert made.errors == []


@pytest.fixture
async def table(world: World) -> AsyncIterator[Table]:
    """A game of two people in the chat, whose app is opened through a proxy."""
    async with open_table(world) as made:
        yield made
