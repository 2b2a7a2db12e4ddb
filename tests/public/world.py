"""Somebody in the world, who looks at what a party shows."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Self

import pytest
from aiohttp import ClientSession, DummyCookieJar

from bot.kernel.operations.clock import Clock
from bot.kernel.operations.settings import read_networks
from bot.kernel.pictures import Renderer
from bot.kernel.preferences import PUBLIC
from bot.kernel.presses import press
from bot.platforms.web.request_guard import DIRECT_ADDRESSES, ClientAddresses
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import public_mounts
from render.pool import Painter, Projector
from storage import Store
from tests.bot.party import Party, words
from tests.support.present import present
from tests.support.tiny import DRAW, make_tiny_show
from tests.web.front import FakeFront, serve_page

ADDRESS: Final = "https://games.example"
"""The public address of the program."""
API: Final = "/api/v1"
DRAWN: Final = pytest.mark.parametrize("draw", [None], ids=["drawn"])
"""Marks tests that look at pictures: in all others a picture is one pixel."""
PROXIED: Final = pytest.mark.parametrize("callers", [ClientAddresses(read_networks("127.0.0.1"))], ids=["proxied"])
"""Marks tests in which a proxy on this machine says for whom it asks."""
_PAGE: Final = re.compile(rf"{ADDRESS}/g/([A-Za-z0-9_-]{{22}})")


@dataclass
class Seen:
    """What was answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """It as text."""
        return self.body.decode()

    @property
    def json(self) -> Any:
        """It as data."""
        return json.loads(self.body)


class World:
    """Asks the server at `address` as anybody may."""

    def __init__(self, party: Party, address: str) -> None:
        self.party = party
        self.address = address
        self.session = ClientSession(cookie_jar=DummyCookieJar())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def get(self, path: str, method: str = "GET", **headers: str) -> Seen:
        """Ask for something, as another site's page or a program does."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.request(
            method, self.address + path.removeprefix(ADDRESS), headers=named, allow_redirects=False
        ) as response:
            return Seen(response.status, response.headers, await response.read())

    async def description(self) -> Any:
        """Return the description of the interface, which compares answers with it."""
        # Only here: importing it takes longer than most tests.
        import schemathesis

        return schemathesis.openapi.from_dict((await self.get(f"{API}/openapi.json")).json)

    async def allow(self, value: str = "on") -> None:
        """Have somebody who manages the room allow that its games are shown, or not."""
        self.party.managers.add("meg")
        await self.party.say("meg", f"/settings public:{value} for:channel")

    async def shown_game(self, line: str = "/play annuvin @bruno") -> str:
        """Have a game begin in a room that shows its games, and return the id of its page."""
        self.party.managers.add("meg")
        room = await self.party.store.places.get_or_create("web", self.party.room.channel, title=self.party.room.title)
        await self.party.store.places.change_settings(room.id, {PUBLIC: True})
        await self.party.started(line)
        return await self.page(self.party.code)

    async def profile(self, who: str) -> str:
        """Have somebody want a page of their own, and return its id."""
        await self.party.say(who, "/settings profile:public")
        (person,) = await self.party.store.people.find(who)
        return str((await self.party.store.public.create_ids("person", [person.id], self.party.clock()))[person.id])

    async def items(self, path: str) -> list[Any]:
        """Return what a list of the interface has, page after page to its end."""
        found, cursor = [], ""
        while True:
            seen = (await self.get(path + cursor)).json
            found += seen["items"]
            if seen["next"] is None:
                return found
            cursor = f"&cursor={seen['next']}"

    async def page(self, code: str) -> str:
        """Return the id of the page of a game, as the button Share tells it."""
        return present(_PAGE.search(words(await self.share(code))))[1]

    async def share(self, code: str) -> Any:
        """Press the button Share."""
        return await self.party.press("anna", press("share", code, 0))

    async def move(self) -> None:
        """Have the person to move play the first turn that there is."""
        table = await self.party.table(self.party.code)
        revision, turn = table.row.revision, table.row.turn
        while table.row.turn == turn and table.mover is not None:
            text = table.playing.state.legal_actions()[0].text
            await self.party.say(self.party.mover, f"/move {text} game:{self.party.code}")
            table = await self.party.table(self.party.code)
            assert table.row.revision > revision
            revision = table.row.revision

    async def resign(self) -> None:
        """Have the person to move give the game up."""
        await self.party.resign(self.party.mover)


@asynccontextmanager
async def served(party: Party, callers: ClientAddresses = DIRECT_ADDRESSES) -> AsyncIterator[World]:
    """Have a party's program serve the world, with nothing cached yet."""
    context = party.front.context
    named: dict[str, Any] = {"hosts": ["games.example"], "callers": callers, "mounts": public_mounts(context, callers)}
    async with (
        serve_page(FakeFront(), party.store, context.texts, ChatRoom(party.store, Clock()), **named) as server,
        World(party, server.address.rstrip("/")) as world,
    ):
        yield world


@asynccontextmanager
async def a_world(
    store: Store, callers: ClientAddresses = DIRECT_ADDRESSES, draw: Renderer | None = DRAW
) -> AsyncIterator[World]:
    """Give a party on a store, whose program shows the world what it may; without `draw` real pictures and films."""
    async with AsyncExitStack() as stack:
        projector = await stack.enter_async_context(Projector(None if draw is None else make_tiny_show))
        draw = draw or (await stack.enter_async_context(Painter())).draw
        party = Party(store, web_address=ADDRESS, draw=draw, animate=projector.show)
        stack.push_async_callback(party.front.close)
        yield await stack.enter_async_context(served(party, callers))
