"""A game in a chat whose app is opened through a proxy, in browsers whose time a test turns."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Locator, expect

from engine import Action
from tests.apps.hosts import GROUP
from tests.apps.player import Player
from tests.apps.world import PHONE, World
from tests.fakes.telegram.mini_app import TelegramClient
from tests.support.stream_proxy import StreamProxy
from tests.web.chromium import TIMEOUT_MILLISECONDS
from tests.web.passing import RECORD_PASSING_WORDS


@dataclass
class Table:
    """A game in the chat, and a proxy through which people open it as an app whose time the test turns."""

    world: World
    proxy: StreamProxy
    stack: AsyncExitStack
    code: str

    async def opens(self, name: str, *, clock: bool = True) -> Player:
        """Have somebody open the game in the app; with a `clock` that the test turns."""
        context = await self.world.browser.new_context(**PHONE)
        self.stack.push_async_callback(context.close)
        await context.add_init_script(RECORD_PASSING_WORDS)
        page = await context.new_page()
        page.set_default_timeout(TIMEOUT_MILLISECONDS)
        page.on("pageerror", lambda error: self.world.errors.append(str(error)))
        if clock:
            await page.clock.install()
        link = self.world.signer.sign_link("telegram", GROUP, self.code)
        data = self.world.apps.data(name, start_param=link)
        client = TelegramClient(page, native=True)
        player = Player(name, page, await client.open(f"{self.proxy.address}app/telegram/", data))
        self.world.clients[id(player)] = client
        await expect(player.root).to_have_attribute("data-ready", "true")
        return player

    async def names(self) -> tuple[str, str]:
        """Return who is to move, and who is not."""
        named, row = await self.world.names(self.code), await self.world.row(self.code)
        mover = named[row.to_move or 0]
        return mover, next(name for name in named.values() if name != mover)

    async def turn_in_the_chat(self) -> int:
        """Have a turn played in the chat, and return the revision that it leads to."""
        row, (mover, _) = await self.world.row(self.code), await self.names()
        move = (await self.world.state(self.code)).legal_actions()[0]
        await self.world.apps.presses(mover, f"text:{self.code}:{row.revision}={move}", GROUP)
        return (await self.world.row(self.code)).revision

    async def action(self) -> Action:
        """Return an action of a piece that can be tapped."""
        return next(each for each in (await self.world.state(self.code)).legal_actions() if each.source and each.target)


@asynccontextmanager
async def open_table(world: World) -> AsyncIterator[Table]:
    """Have a game of two people begin in the chat."""
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(StreamProxy(world.server.port))
        yield Table(world, proxy, stack, await world.apps.game("Anna", "Bruno"))


def banner(player: Player) -> Locator:
    """Return what stands above everything in an app."""
    return player.frame.locator("#banner")
