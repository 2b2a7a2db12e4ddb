"""A game in a chat whose app is opened through a proxy, in browsers whose time a test turns."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Locator, expect

from engine import Action
from tests.apps.hosts import GROUP
from tests.apps.player import Player
from tests.apps.world import World
from tests.support.stream_proxy import StreamProxy


@dataclass
class Table:
    """A game in the chat, and a proxy through which people open it as an app whose time the test turns."""

    world: World
    proxy: StreamProxy
    code: str

    async def opens(self, name: str, *, clock: bool = True) -> Player:
        """Have somebody open the game in the app; with a `clock` that the test turns."""
        page = await self.world.blank_page(clock=clock, unhurried=False)
        player = await self.world.show(page, self.proxy.address, name, self.code)
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
    async with StreamProxy(world.server.port) as proxy:
        yield Table(world, proxy, await world.apps.game("Anna", "Bruno"))


def banner(player: Player) -> Locator:
    """Return what stands above everything in an app."""
    return player.frame.locator("#banner")
