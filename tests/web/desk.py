"""The page's server with a front of the tests' own, and a real browser before it."""

from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, Page

from bot.kernel.cards import Card
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from bot.platforms.web.server import WebServer
from storage import Store
from tests.web.chromium import come_in
from tests.web.front import FakeFront


@dataclass
class Desk:
    """The server of a page and what is behind it, for people who come in by a browser."""

    server: WebServer
    front: FakeFront
    room: ChatRoom
    store: Store
    browser: Browser

    async def come_in(self, name: str = "Anna", **options: Any) -> Page:
        """Return a page in a browser of its own into which somebody has come with a name."""
        return await come_in(self.browser, self.server.address, name, **options)

    async def person_of(self, page: Page) -> int:
        """Return the person who speaks in a page."""
        user = await page.evaluate("sessionStorage.getItem('speaker')")
        (identity,) = await self.store.people.identities_with_prefix("web", user)
        return identity.person

    async def show(self, card: Card, key: str = "board1") -> str:
        """Have the room show a card, once for each key; return its message."""
        return await self.room.send(ROOM_PLACE, card, key)
