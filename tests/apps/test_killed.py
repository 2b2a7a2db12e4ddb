"""The program dies under an open app, in the middle of a turn: nothing acknowledged is lost, and nothing done twice."""

import random
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
from aiohttp import ClientConnectionError
from playwright.async_api import Browser, expect

from storage import utc_now
from tests.apps.hosts import PUBLIC
from tests.apps.player import Player
from tests.apps.world import PHONE
from tests.durability.people import OnTelegram
from tests.durability.world import World
from tests.fakes.telegram.mini_app import TelegramClient, account, init_data
from tests.fakes.telegram.world import Message
from tests.support.public_address import PublicAddress
from tests.web.chromium import TIMEOUT_MILLISECONDS

pytestmark = pytest.mark.full

_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:(\d+)/")
_LINK: Final = re.compile(r"startapp=([A-Za-z0-9_-]+)")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """The program as a process of its own, with a public address and the Mini App."""
    async with World(tmp_path, TAVOLIERE_WEB_ADDRESS=f"https://{PUBLIC}", TELEGRAM_APP="play") as made:
        yield made


async def _start(world: World, player: OnTelegram, network: PublicAddress) -> None:
    """Begin a life of the program and lead the public address to it."""
    output = world.folder / "output.txt"
    known = output.stat().st_size if output.exists() else 0

    def port() -> int:
        found = _ADDRESS.search(output.read_bytes()[known:].decode() if output.exists() else "")
        return int(found[1]) if found else 0

    world.start()
    network.port = await world.until(player.spot, port, "the page")


def _link(world: World, player: OnTelegram, code: str) -> str:
    """Return the link below the board, empty while there is none."""
    found = world.board(player.spot, code)
    if found is None or not isinstance(found[1], Message):
        return ""
    links = (_LINK.search(button.get("url", "")) for button in found[1].buttons)
    return next((link[1] for link in links if link is not None), "")


async def test_a_program_that_dies_under_an_app_in_the_middle_of_a_turn(world: World, browser: Browser) -> None:
    chat, rng = world.telegram.group("Friends"), random.Random(1)
    anna, bruno = (OnTelegram(world, name, chat, rng) for name in ("Anna", "Bruno"))
    async with AsyncExitStack() as stack:
        network = PublicAddress(f"https://{PUBLIC}", 0, PUBLIC)
        stack.push_async_callback(network.close)
        await _start(world, anna, network)
        code = await anna.open("annuvin", seats=2)
        await bruno.join(code)
        link = await world.until(anna.spot, lambda: _link(world, anna, code), "a way into the app")
        revision, state = world.ledger.state(code)
        assert state is not None
        assert isinstance(state.to_move, int)
        mover = next(each for each in (anna, bruno) if each.name == world.ledger.seats(code)[state.to_move])
        context = await browser.new_context(**PHONE)
        stack.push_async_callback(context.close)
        await network.attach(context)
        page = await context.new_page()
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        sent = init_data(world.telegram.token, account(mover.person.id, mover.name), utc_now(), start_param=link)
        client = TelegramClient(page, native=True)
        player = Player(mover.name, page, await client.open(f"https://{PUBLIC}/app/telegram/", sent))
        await player.is_ready()
        await player.shows(revision)

        # It dies once a piece is chosen, and lives again before the piece goes anywhere.
        action = next(each for each in state.legal_actions() if each.source and each.target)
        assert action.source is not None
        assert action.target is not None
        await player.cell(action.source).tap()
        await expect(player.stage).to_have_attribute("data-at", action.source)
        world.kill()
        await world.ended()
        await expect(player.root).to_have_attribute("data-live", "false")

        # The next life does what it is asked, and dies before the page has heard so.
        async def die(path: str) -> None:
            if path.endswith("/api/press") and network.on_answer is not None:
                network.on_answer = None
                world.kill()
                await world.ended()
                raise ClientConnectionError

        network.on_answer = die
        await _start(world, anna, network)
        await player.cell(action.target).tap()
        await world.until(anna.spot, lambda: world.killed, "the second death")
        done = world.ledger.revision(code)
        assert done > revision
        await _start(world, anna, network)
        await expect(player.root).to_have_attribute("data-live", "true")
        await player.shows(done)
        world.ledger.check()
        _, after = world.ledger.state(code)
        assert after == state.play(action), "once, though it was asked twice"
