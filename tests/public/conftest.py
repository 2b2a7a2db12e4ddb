"""A party whose program shows the world what it may, and somebody in the world who looks."""

import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from bot.kernel.pictures import Renderer
from bot.platforms.web.request_guard import DIRECT_ADDRESSES, ClientAddresses
from storage import Store
from tests.public.receiver import Receiver
from tests.public.world import World, a_world
from tests.support.ports import listening
from tests.support.shared_folders import make_shared_folder
from tests.support.tiny import DRAW


@pytest.fixture
def callers() -> ClientAddresses:
    """Who is believed to say whose requests they pass on: nobody."""
    return DIRECT_ADDRESSES


@pytest.fixture
def draw() -> Renderer | None:
    """What draws the pictures; None for what really does."""
    return DRAW


@pytest.fixture
async def world(store: Store, callers: ClientAddresses, draw: Renderer | None) -> AsyncIterator[World]:
    """The world, which looks at what the party shows it."""
    async with a_world(store, callers, draw) as found:
        yield found


@pytest.fixture
async def page(world: World) -> str:
    """The id of the page of a game that has begun."""
    return await world.shown_game()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine with its key, believed by nobody but those who are told."""

    def fill(folder: Path) -> None:
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "-", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
            check=True, capture_output=True,
        )  # fmt: skip
        (folder / "both.pem").write_bytes(made.stdout)

    return make_shared_folder(tmp_path_factory, "certificate", fill) / "both.pem"


@pytest.fixture
async def receiver(certificate: Path) -> AsyncIterator[Receiver]:
    """A receiver that listens by https."""
    found = Receiver()
    app = web.Application()
    app.add_routes([web.post("/hook", found.take)])
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    async with listening(app, context) as port:
        found.address = f"https://localhost:{port}/hook"
        yield found
