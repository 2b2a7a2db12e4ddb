"""The program with its apps behind a public address, and people who open them."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import ClientSession, ClientWebSocketResponse

from bot.kernel.app_sessions import AppSigner, load_app_signer
from bot.kernel.requests import Place, Reply, Request, User
from bot.platforms.app import Tavoliere
from bot.platforms.apps.launches import Launcher, TelegramLauncher
from bot.platforms.apps.pages import make_apps
from bot.platforms.web.request_guard import Mount
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import WebServer
from storage import Store
from tests.bot.party import Clock, Recorder
from tests.fakes.telegram.mini_app import account, init_data
from tests.support.present import present
from tests.support.program import TEXTS
from tests.web.browser import Answer, Json, read_answer
from tests.web.front import serve_page

PUBLIC: Final = "play.example"
TOKEN: Final = "123456:" + "A" * 35
GROUP: Final = Place("telegram", "-1001", group="-1001", title="Friends")

_events = itertools.count(1)


@dataclass
class Apps:
    """The program and its server."""

    front: Tavoliere
    store: Store
    server: WebServer
    adapter: Recorder
    clock: Clock
    http: ClientSession
    signer: AppSigner
    mount: Mount
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of somebody's account."""
        return self.numbers.setdefault(name, 1000 + len(self.numbers))

    def in_chat(self, name: str, place: Place = GROUP) -> Request:
        """Return a request of somebody in the chat."""
        user = User("telegram", str(self.number(name)), name, "en")
        return Request(f"chat{next(_events)}", user, place)

    async def says(self, name: str, text: str, place: Place = GROUP) -> Reply:
        """Have somebody type something in the chat."""
        reply = await self.front.typed_text(self.in_chat(name, place), text)
        await self.front.delivery.run_until_idle()
        return reply

    async def presses(self, name: str, press: str, place: Place = GROUP) -> Reply:
        """Have somebody press something in the chat."""
        reply = await self.front.press(self.in_chat(name, place), press)
        await self.front.delivery.run_until_idle()
        return reply

    async def game(self, *people: str, play: str = "/play annuvin", place: Place = GROUP) -> str:
        """Have people begin a game in the chat; return its code."""
        code = present((await self.says(people[0], play, place)).opens)
        for other in people[1:]:
            await self.presses(other, f"join:{code}:1", place)
        return code

    async def link(self, game: str = "") -> str:
        """Return a link that leads from the chat into the app, to a game if one is named."""
        return self.signer.sign_link("telegram", GROUP, game)

    def data(self, name: str, **more: Any) -> str:
        """Return somebody's launch data."""
        at = more.pop("at", self.clock())
        return init_data(TOKEN, account(self.number(name), name, more.pop("language", "en")), at, **more)

    async def post(self, path: str, body: Any, platform: str = "telegram", **headers: str) -> Answer:
        """Ask something."""
        sent = {"Host": PUBLIC, "Origin": f"https://{PUBLIC}"} | {n.replace("_", "-"): v for n, v in headers.items()}
        url = f"{self.server.address}app/{platform}/api/{path}"
        async with self.http.post(url, json=body, headers=sent) as got:
            return await read_answer(got)

    async def get(self, path: str, **headers: str) -> Answer:
        """Fetch something below the server's address."""
        sent = {"Host": PUBLIC} | {n.replace("_", "-"): v for n, v in headers.items()}
        async with self.http.get(f"{self.server.address}{path}", headers=sent, allow_redirects=False) as got:
            return await read_answer(got)

    async def opens(self, name: str, link: str | None = None, **more: Any) -> App:
        """Have somebody open the Mini App."""
        answer = await self.post("session", {"initData": self.data(name, start_param=link, **more)})
        assert answer.status == 200, answer.data
        return App(self, answer.data["token"], answer.data)


@dataclass
class App:
    """An app that somebody has open."""

    apps: Apps
    token: str
    data: Json
    platform: str = "telegram"

    async def post(self, path: str, event: str | None = None, **body: Any) -> Answer:
        """Do something."""
        body = {"event": event or f"event{next(_events):06}", **body}
        return await self.apps.post(path, body, self.platform, Authorization=f"Bearer {self.token}")

    async def get(self, path: str) -> Answer:
        """Look at something."""
        return await self.apps.get(f"app/{self.platform}/api/{path}", Authorization=f"Bearer {self.token}")

    async def board(self, game: str) -> Json:
        """Return a game as it is seen here."""
        answer = await self.get(f"board?game={game}")
        assert answer.status == 200, answer.data
        board: Json = answer.data
        return board

    async def connect(self, game: str | None = None, forged: str = "") -> ClientWebSocketResponse:
        """Ask for the stream."""
        url = f"{self.apps.server.address}app/{self.platform}/api/live"
        socket = await self.apps.http.ws_connect(url, headers={"Host": PUBLIC, "Origin": f"https://{PUBLIC}"})
        await socket.send_json({"token": forged or self.token, "game": game})
        return socket

    async def listens(self, game: str | None = None, forged: str = "") -> ClientWebSocketResponse:
        """Open the stream, which is ready unless its token is forged."""
        socket = await self.connect(game, forged)
        assert forged or await socket.receive_json() == {"ready": True}
        return socket


@asynccontextmanager
async def serve_apps(
    front: Tavoliere, room: ChatRoom, clock: Any, *launchers: Launcher, adapter: Recorder | None = None
) -> AsyncIterator[Apps]:
    """Have the program's page be served, and its apps: the Mini App, and others by their launchers."""
    store = front.context.store
    signer = await load_app_signer(store)
    mount = make_apps(front, signer, [TelegramLauncher(TOKEN, signer, clock), *launchers])
    serving = serve_page(front, store, TEXTS, room, hosts=[PUBLIC], mounts=[mount])
    async with serving as server, ClientSession() as http:
        yield Apps(front, store, server, adapter or Recorder("telegram"), clock, http, signer, mount)
