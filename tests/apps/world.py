"""The program with its real pictures, behind a public address, and real browsers that open its apps."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, Page

from bot.kernel.operations.clock import Clock
from bot.platforms.app import Tavoliere
from bot.platforms.apps.launches import Launcher
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import WebServer
from engine import Action, State
from render.pool import Painter
from storage import GameRow, Store, utc_now
from tests.apps.hosts import PUBLIC, Apps, serve_apps
from tests.apps.player import Player
from tests.bot.party import Quick, Recorder
from tests.fakes.telegram.mini_app import LIGHT, TelegramClient
from tests.support.choosing import choose_cleverly
from tests.support.fronts import make_front
from tests.support.present import present
from tests.support.program import TEXTS
from tests.support.public_address import PublicAddress
from tests.web.chromium import TIMEOUT_MILLISECONDS
from tests.web.double_taps import UNHURRIED_TAPS
from tests.web.front import serve_page
from tests.web.passing import RECORD_PASSING_WORDS

MAX_BYTES_BEFORE_THE_FIRST_BOARD = 250_000
SHORT = {"annuvin": "board:square"}
"""Options by which a game is over soon."""
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 780},
    "has_touch": True,
    "locale": "en-GB",
    "reduced_motion": "reduce",
}
"""A phone whose owner wants no motion, unless a test is about that."""


@dataclass
class World:
    """The program, and browsers that are closed at the end."""

    browser: Browser
    store: Store
    apps: Apps
    room: ChatRoom
    stack: AsyncExitStack
    networks: list[PublicAddress] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by every change of what is stored."""
    errors: list[str] = field(default_factory=list)
    """What pages have complained about."""
    clients: dict[int, TelegramClient] = field(default_factory=dict)

    @property
    def front(self) -> Tavoliere:
        """The program."""
        return self.apps.front

    @property
    def server(self) -> WebServer:
        """The page's server."""
        return self.apps.server

    async def blank_page(self, *, clock: bool = False, unhurried: bool = True, **options: Any) -> Page:
        """Return an empty page on a phone, whose taps are `unhurried`; with a `clock` the test turns its time."""
        context = await self.browser.new_context(**{**PHONE, **options})
        self.stack.push_async_callback(context.close)
        if unhurried:
            await context.add_init_script(UNHURRIED_TAPS)
        await context.add_init_script(RECORD_PASSING_WORDS)
        page = await context.new_page()
        if clock:
            await page.clock.install()
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    async def new_page(
        self,
        origin: str,
        path: str = "",
        on_answer: Callable[[str], Awaitable[None]] | None = None,
        streams: bool = True,
        **options: Any,
    ) -> Page:
        """Return an empty page from which the program, or a folder of it, is reached at an address.

        Without `streams` no live stream comes through.
        """
        page = await self.blank_page(**options)
        network = PublicAddress(origin, self.server.port, PUBLIC, path, streams=streams, on_answer=on_answer)
        self.networks.append(network)
        self.stack.push_async_callback(network.close)
        await network.attach(page.context)
        return page

    async def show(
        self, page: Page, address: str, name: str, game: str, *, native: bool = True, theme: Any = LIGHT, data: str = ""
    ) -> Player:
        """Have somebody open the Mini App from the group on a page, at a game."""
        client = TelegramClient(page, native=native)
        sent = data or self.apps.data(name, start_param=await self.apps.link(game))
        player = Player(name, page, await client.open(f"{address}app/telegram/", sent, theme=theme))
        self.clients[id(player)] = client
        return player

    async def opens(
        self, name: str, game: str = "", *, native: bool = True, theme: Any = LIGHT, data: str = "", **options: Any
    ) -> Player:
        """Have somebody open the Mini App from the group at the public address."""
        page = await self.new_page(f"https://{PUBLIC}", **options)
        return await self.show(page, f"https://{PUBLIC}/", name, game, native=native, theme=theme, data=data)

    def client(self, player: Player) -> TelegramClient:
        """Return the client that shows somebody's app."""
        return self.clients[id(player)]

    async def restart(self) -> None:
        """End the program's server and start it anew at the same port."""
        port = self.server.port
        await self.server.stop()
        serving = serve_page(self.front, self.store, TEXTS, self.room, port, hosts=[PUBLIC], mounts=[self.apps.mount])
        self.apps.server = await self.stack.enter_async_context(serving)

    async def row(self, game: str) -> GameRow:
        """Return a game as it is stored."""
        return present(await self.store.games.get(game))

    async def names(self, game: str) -> dict[int, str]:
        """Return the names of the people at a game, by their numbers."""
        row = await self.row(game)
        people = await self.store.people.get_many([seat.person or 0 for seat in row.seats])
        return {person: known.name for person, known in people.items()}

    async def state(self, game: str) -> State:
        """Return the position of a game."""
        return (await self.front.context.table(game)).playing.state

    async def until_revision(self, game: str, after: int) -> GameRow:
        """Wait until a game has moved on from a revision."""
        async with asyncio.timeout(60):
            while (row := await self.row(game)).revision == after:
                await self.changed.wait()
                self.changed.clear()
        return row

    async def play_to_the_end(
        self,
        game: str,
        players: dict[int, Player],
        in_chat: Callable[[Action], Awaitable[None]] | None = None,
        most: int = 10_000,
    ) -> int:
        """Have the people at a game play it by touch, by what a hasty computer would; return their actions' number.

        `in_chat` plays for those who have no app open.
        """
        rng = random.Random(1)
        for played in range(most):
            row = await self.row(game)
            if row.status == "over":
                return played
            state = await self.state(game)
            action = choose_cleverly(state, rng)
            mover = players.get(row.to_move or 0)
            if mover is not None:
                await mover.shows(row.revision)
                await mover.play(state, action)
            else:
                await present(in_chat)(action)
            await self.until_revision(game, row.revision)
        return most


@asynccontextmanager
async def open_world(browser: Browser, store: Store, *launchers: Launcher) -> AsyncIterator[World]:
    """Run the program with its apps."""
    async with AsyncExitStack() as stack:
        painter = await stack.enter_async_context(Painter())
        room, adapter = ChatRoom(store, Clock()), Recorder("telegram")
        front = make_front(store, texts=TEXTS, thinkers=Quick(), draw=painter.draw, adapters=[room, adapter])
        stack.push_async_callback(front.close)
        apps = await stack.enter_async_context(serve_apps(front, room, utc_now, *launchers, adapter=adapter))
        world = World(browser, store, apps, room, stack)
        store.add_listener(lambda _: world.changed.set())
        yield world
