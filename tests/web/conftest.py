"""The page's server with a front of the tests' own, the whole program, and browsers that talk to them."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.app import Tavoliere
from bot.language.texts import Texts
from bot.operations.manager_secret import ManagerSecret
from bot.web.room import ChatRoom
from bot.web.server import WebServer, start_web
from storage import Store, utc_now
from tests.bot.party import Quick
from tests.web.browser import Browser, Tab
from tests.web.chromium import PAGE_ERRORS
from tests.web.front import FakeFront
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
    return ChatRoom(store, utc_now)


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
    running = await start_web(front, store, texts, room, host="127.0.0.1", port=0, secret=secret)
    yield running
    await running.stop()


@pytest.fixture
async def browsers(server: WebServer) -> AsyncIterator[tuple[Browser, Browser]]:
    """Two browsers of two people."""
    async with AsyncExitStack() as stack:
        yield (
            await stack.enter_async_context(Browser(server.address)),
            await stack.enter_async_context(Browser(server.address)),
        )


@pytest.fixture
async def anna(browsers: tuple[Browser, Browser]) -> Tab:
    """Anna, in the first browser."""
    return await browsers[0].name("Anna")


@pytest.fixture
async def bruno(browsers: tuple[Browser, Browser]) -> Tab:
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
async def hall(store: Store, texts: Texts, room: ChatRoom, secret: ManagerSecret) -> AsyncIterator[Hall]:
    """The hall, with the game begun."""
    front = Tavoliere(store, texts=texts, clock=utc_now, thinkers=Quick(), adapters=[room])
    async with AsyncExitStack() as stack:
        stack.push_async_callback(front.close)
        server = await start_web(front, store, texts, room, host="127.0.0.1", port=0, secret=secret)
        stack.push_async_callback(server.stop)
        one, two, three = [await stack.enter_async_context(Browser(server.address)) for _ in range(3)]
        tabs = (await one.name("Anna"), await two.name("Bruno"), await two.name("Bruno again"), await three.name("Eve"))
        gathered = Hall(front, store, room, secret, *tabs)
        await gathered.begin()
        yield gathered
