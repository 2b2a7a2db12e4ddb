"""Fixtures for the tests of the apps."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession
from playwright.async_api import Browser

from bot.kernel.app_sessions import load_app_signer
from bot.kernel.texts import Texts
from bot.platforms.apps.launches import Launcher, TelegramLauncher
from bot.platforms.apps.pages import make_apps
from bot.platforms.web.room import ChatRoom
from storage import Store
from tests.apps.hosts import PUBLIC, TOKEN, Apps
from tests.apps.table import Table, open_table
from tests.apps.world import World, open_world
from tests.bot.party import Clock, Quick, Recorder
from tests.support.fronts import make_front
from tests.support.tiny import DRAW
from tests.web.front import serve_page


@asynccontextmanager
async def open_apps(store: Store, *launchers: Launcher) -> AsyncIterator[Apps]:
    """Run the program with its apps: the Mini App, and others by their launchers."""
    clock, adapter, texts = Clock(), Recorder("telegram"), Texts()
    room = ChatRoom(store, clock)
    front = make_front(store, texts=texts, clock=clock, thinkers=Quick(), draw=DRAW, adapters=[room, adapter])
    signer = await load_app_signer(store)
    mount = make_apps(front, signer, [TelegramLauncher(TOKEN, signer, clock), *launchers])
    async with serve_page(front, store, texts, room, hosts=[PUBLIC], mounts=[mount]) as server, ClientSession() as http:
        yield Apps(front, store, server, adapter, clock, http)
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
