"""A client of the fake Discord without a library, and parts of messages to send by it."""

import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp

from tests.fakes.discord.people import Person
from tests.fakes.discord.schema import Json
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import COMPONENTS_V2, Interaction, Message

AGENT: Final = "DiscordBot (https://example.org, 1)"


class Client:
    """A client without manners of its own."""

    def __init__(self, discord: FakeDiscord, session: aiohttp.ClientSession) -> None:
        self.discord = discord
        self.session = session
        self.guild = discord.guild("Friends")
        self.channel = self.guild.channels[0]
        self.anna = Person(discord, discord.account("Anna"), self.channel)
        self.headers: dict[str, str] = {}

    async def ask(
        self, method: str, path: str, body: Any = None, files: dict[str, bytes] | None = None, token: str | None = None
    ) -> tuple[int, Any]:
        """Make a request; return the status and the body of the answer."""
        headers = {"User-Agent": AGENT, "Authorization": f"Bot {token or self.discord.token}"}
        sent: dict[str, Any] = {}
        if files is not None:
            form = aiohttp.FormData(quote_fields=False)
            form.add_field("payload_json", json.dumps(body))
            for index, (name, content) in enumerate(files.items()):
                form.add_field(f"files[{index}]", io.BytesIO(content), filename=name)
            sent["data"] = form
        elif body is not None:
            sent["data"] = json.dumps(body)
            headers["Content-Type"] = "application/json"
        async with self.session.request(method, self.discord.api_url + path, headers=headers, **sent) as answer:
            self.headers = dict(answer.headers)
            text = await answer.text()
            return answer.status, json.loads(text) if text else None

    async def refused(self, status: int, code: int, method: str, path: str, *body: Any, **more: Any) -> str:
        """Make a request that must be refused; return what the answer says of it."""
        before = len(self.discord.refused)
        answered, data = await self.ask(method, path, *body, **more)
        assert (answered, data["code"]) == (status, code), data
        assert len(self.discord.refused) == before + 1
        return json.dumps(data)

    @property
    def messages(self) -> str:
        return f"/channels/{self.channel.id}/messages"

    @property
    def commands(self) -> str:
        return f"/applications/{self.discord.application_id}/commands"

    async def done(self, *request: Any, **more: Any) -> Any:
        """Make a request that must be carried out; return what is answered."""
        status, data = await self.ask(*request, **more)
        assert status in (200, 204), data
        return data

    async def said(self, body: Json, files: dict[str, bytes] | None = None) -> Message:
        """Send a message that must be taken."""
        return self.discord.messages[(await self.done("POST", self.messages, body, files))["id"]]

    async def registered(self, *commands: Json) -> dict[str, Json]:
        """Overwrite all commands with these; return what Discord tells of each, by name."""
        return {each["name"]: each for each in await self.done("PUT", self.commands, list(commands))}

    @asynccontextmanager
    async def connected(self, op: int = 2, **said: Any) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """Connect to the gateway, and say something once it has said hello: to identify, unless it is another `op`."""
        async with self.session.ws_connect(self.discord.gateway_url) as socket:
            assert (await socket.receive_json())["op"] == 10
            known = {"token": self.discord.token, "intents": 1, "properties": {}}
            await socket.send_json({"op": op, "d": known | said})
            yield socket

    async def interaction(self, kind: int = 2, message: Message | None = None, *, member: bool = True) -> Interaction:
        """Return an interaction of Anna's, without a gateway that would tell of it."""
        number = self.discord.ids.new()
        made = Interaction(
            number, f"t{number}", kind, self.anna.account, self.channel, self.discord.clock.now, message, member
        )
        self.discord.interactions[made.token] = made
        return made


def callback(interaction: Interaction) -> str:
    return f"/interactions/{interaction.id}/{interaction.token}/callback"


def webhook(client: Client, interaction: Interaction) -> str:
    return f"/webhooks/{client.discord.application_id}/{interaction.token}"


def text(content: str = "Hello") -> Json:
    return {"type": 10, "content": content}


def button(custom_id: str = "a", **more: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Press", "custom_id": custom_id, **more}


def row(*parts: Json) -> Json:
    return {"type": 1, "components": list(parts)}


def menu(*options: Json, custom_id: str = "m") -> Json:
    return {"type": 3, "custom_id": custom_id, "options": list(options)}


def option(value: str) -> Json:
    return {"label": value or "x", "value": value}


def gallery(*names: str) -> Json:
    return {"type": 12, "items": [{"media": {"url": f"attachment://{name}"}} for name in names]}


def v2(*parts: Json, **more: Any) -> Json:
    return {"flags": COMPONENTS_V2, "components": list(parts), **more}


def command(**more: Any) -> Json:
    return {"name": "play", "description": "Play", **more}


def an_option(name: str = "game", **more: Any) -> Json:
    return {"type": 3, "name": name, "description": "Which", **more}
