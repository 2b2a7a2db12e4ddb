"""The page's server with a front of the tests' own, the whole program, and browsers that talk to them."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from playwright.async_api import Browser as Chromium

from bot.kernel.operations.clock import Clock
from bot.kernel.operations.manager_secret import ManagerSecret
from bot.kernel.texts import Texts
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import WebServer
from storage import Store
from tests.bot.party import Quick
from tests.support.fronts import make_front
from tests.web.browser import Browser, Tab, Two
from tests.web.chromium import PAGE_ERRORS
from tests.web.desk import Desk
from tests.web.front import FakeFront, serve_page
from tests.web.hall import Hall
from tests.web.program import Program


@pytest.fixture(scope="session")
def texts() -> Texts:
    """The catalogues."""
    return Texts()


@pytest.fixture(autouse=True)
def page_errors() -> Iterator[None]:
    """See that the page's code has caught whatever it threw."""
    PAGE_ERRORS.clear()
    yield
    assert PAGE_ERRORS == []


@pytest.fixture
def front() -> FakeFront:
    """What the server calls."""
    return FakeFront()


@pytest.fixture
def room(store: Store) -> ChatRoom:
    """The room, as the program that delivers boards to it has it."""
    return ChatRoom(store, Clock())


@pytest.fixture
def secret(tmp_path: Path) -> ManagerSecret:
    """The secret of the manager's link, in a folder of its own."""
    made = ManagerSecret(tmp_path)
    made.load_or_create()
    return made


@pytest.fixture
async def server(
    front: FakeFront, store: Store, texts: Texts, room: ChatRoom, secret: ManagerSecret
) -> AsyncIterator[WebServer]:
    """The server."""
    async with serve_page(front, store, texts, room, secret=secret) as running:
        yield running


@pytest.fixture
async def browsers(server: WebServer) -> AsyncIterator[Two]:
    """Two browsers of two people."""
    async with Browser(server.address) as one, Browser(server.address) as other:
        yield one, other


@pytest.fixture
def desk(server: WebServer, front: FakeFront, room: ChatRoom, store: Store, browser: Chromium) -> Desk:
    """The page, to be opened in a real browser."""
    return Desk(server, front, room, store, browser)


@pytest.fixture
async def anna(browsers: Two) -> Tab:
    """Anna, in the first browser."""
    return await browsers[0].name("Anna")


@pytest.fixture
async def bruno(browsers: Two) -> Tab:
    """Bruno, in the second one."""
    return await browsers[1].name("Bruno")


@pytest.fixture
async def program(tmp_path: Path, empty_database: Path) -> AsyncIterator[Program]:
    """The program with nothing in its database, which is there: to make one takes a third of the start."""
    (tmp_path / "data").mkdir()
    shutil.copy(empty_database, tmp_path / "data")
    async with Program(tmp_path) as running:
        yield running


@pytest.fixture
async def visitor(program: Program) -> AsyncIterator[Browser]:
    """A browser without a screen at the program, for people of whom only what they do is looked at."""
    async with Browser(program.address) as opened:
        yield opened


@pytest.fixture
async def hall(store: Store, texts: Texts, room: ChatRoom, secret: ManagerSecret) -> AsyncIterator[Hall]:
    """The hall, with the game begun."""
    front = make_front(store, texts=texts, thinkers=Quick(), adapters=[room])
    async with AsyncExitStack() as stack:
        stack.push_async_callback(front.close)
        server = await stack.enter_async_context(serve_page(front, store, texts, room, secret=secret))
        one, two, three = [await stack.enter_async_context(Browser(server.address)) for _ in range(3)]
        tabs = (await one.name("Anna"), await two.name("Bruno"), await two.name("Bruno again"), await three.name("Eve"))
        gathered = Hall(front, store, room, secret, *tabs)
        await gathered.begin()
        yield gathered
