"""A browser without a screen: cookies, the headers that every browser sends, and the live stream."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode

from aiohttp import ClientResponse, ClientSession, ClientWebSocketResponse, CookieJar, WSMsgType

from tests.support.present import present

Json = dict[str, Any]

_events = itertools.count(1)


@dataclass
class Answer:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    data: Any

    @property
    def refusal(self) -> str:
        """The code of a refusal."""
        return str(self.data["error"]["code"])


async def read_answer(response: ClientResponse) -> Answer:
    """Return an answer, whose data are read if they are JSON."""
    data = await response.json() if response.content_type == "application/json" else await response.read()
    return Answer(response.status, response.headers, data)


@dataclass
class Browser:
    """One browser, with its own cookies."""

    address: str
    session: ClientSession = field(init=False)

    async def __aenter__(self) -> Self:
        self.session = ClientSession(cookie_jar=CookieJar(unsafe=True))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    @property
    def origin(self) -> str:
        """What the browser says its pages come from."""
        return self.address.rstrip("/")

    async def get(self, path: str, **headers: str) -> Answer:
        """Fetch something."""
        async with self.session.get(self.origin + path, headers=_names(headers)) as response:
            return await read_answer(response)

    async def post(self, path: str, body: Any, **headers: str) -> Answer:
        """Send something as the page does."""
        sent = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"} | _names(headers)
        kwargs: Json = {"data": body} if isinstance(body, bytes | str) else {"json": body}
        async with self.session.post(self.origin + path, headers=sent, **kwargs) as response:
            return await read_answer(response)

    async def manage(self, secret: object) -> Answer:
        """Open the page through a manager's link."""
        return await self.post("/api/manage", {"secret": secret})

    async def name(self, name: str) -> Tab:
        """Come into the room with a name."""
        answer = await self.post("/api/names", {"name": name})
        assert answer.status == 200, answer.data
        return Tab(self, answer.data["name"])


@dataclass
class Tab:
    """A tab in which one of the browser's names speaks."""

    browser: Browser
    me: Json
    socket: ClientWebSocketResponse | None = None

    @property
    def person(self) -> int:
        """The person behind the name."""
        return int(self.me["person"])

    async def send(self, path: str, event: str | None = None, **body: Any) -> Answer:
        """Do something as this name."""
        body = {"as": self.me["user"], "event": event or f"event{next(_events):06}", "language": "en", **body}
        return await self.browser.post(path, body)

    async def say(self, text: str, event: str | None = None, **body: Any) -> Answer:
        """Say something."""
        return await self.send("/api/say", event, text=text, **body)

    async def press(self, message: int, press: str, event: str | None = None) -> Answer:
        """Press a button."""
        return await self.send("/api/press", event, message=message, press=press)

    async def begin(self, game: str) -> None:
        """Give to the lot of a game what it waits for, as an open page does by itself."""
        assert (await self.send("/api/begin", game=game)).status == 200

    async def looks(self, game: str, **asked: Any) -> Json:
        """Return a game as this name sees it."""
        query = urlencode({"as": self.me["user"], "language": "en", "game": game, **asked})
        answer = await self.browser.get(f"/api/board?{query}")
        assert answer.status == 200, answer.data
        board: Json = answer.data
        return board

    async def listen(self, since: int | None = None) -> Json:
        """Open the stream and return its first parcel."""
        asked = f"/api/live?as={self.me['user']}" + ("" if since is None else f"&since={since}")
        self.socket = await self.browser.session.ws_connect(
            self.browser.origin + asked, headers={"Origin": self.browser.origin}
        )
        return await self.hear()

    async def poll(self, since: int | None = None) -> list[Json]:
        """Return the parcels that a stream would begin with."""
        asked = f"/api/live?as={self.me['user']}" + ("" if since is None else f"&since={since}")
        answer = await self.browser.get(asked)
        assert answer.status == 200, answer.data
        parcels: list[Json] = answer.data
        return parcels

    async def hear(self) -> Json:
        """Return the next parcel of the stream."""
        assert self.socket is not None
        async with asyncio.timeout(60):
            message = await self.socket.receive()
        assert message.type is WSMsgType.TEXT, message
        parcel: Json = message.json()
        return parcel

    async def hear_messages(self, many: int = 1) -> list[Json]:
        """Return the next messages of the stream, as many as are wanted."""
        found: list[Json] = []
        while len(found) < many:
            found += (await self.hear()).get("messages", [])
        return found

    async def closed(self) -> int | None:
        """Wait until the server closes the stream and return the code it gives for that."""
        assert self.socket is not None
        async with asyncio.timeout(60):
            while not self.socket.closed:
                message = await self.socket.receive()
                if message.type is WSMsgType.CLOSE:
                    # Whether the server waited for the answer does not matter.
                    return int(message.data)
        return self.socket.close_code

    async def sees(self) -> list[Json]:
        """Return all messages that a reload would show."""
        tab = Tab(self.browser, self.me)
        parcel = await tab.listen()
        await present(tab.socket).close()
        messages: list[Json] = parcel["messages"]
        return messages


Two = tuple[Browser, Browser]
"""Two browsers of two people."""


def list_buttons(message: Json) -> list[Json]:
    """Return the buttons of a message's card, those of its menus among them."""
    rows = (message.get("card") or {}).get("rows", [])
    return [each for row in rows for each in (row if isinstance(row, list) else row["options"])]


def _names(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
