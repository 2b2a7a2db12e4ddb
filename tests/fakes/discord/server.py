"""The fake Discord as tests hold it: start it, people it, look at what was said."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeVar

from aiohttp import web

from tests.fakes.discord.answering import Answering
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.limits import Limits
from tests.fakes.discord.messages import LARGEST_FILE, ApiError
from tests.fakes.discord.rest import Call, Rest
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import (
    DM,
    GROUP_DM,
    TEXT,
    USUAL,
    Account,
    Channel,
    Clock,
    Guild,
    Interaction,
    Message,
    Snowflakes,
)

TIMEOUT_SECONDS: Final = 60.0
"""How many real seconds a test waits for something that should happen at once."""

Found = TypeVar("Found")


@dataclass
class Gate:
    """Holds requests back until it is opened; `waiting` counts them."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0


class FakeDiscord:
    """A Discord with one application; use as `async with FakeDiscord() as discord`."""

    def __init__(self) -> None:
        self.token = "fake." + "x" * 30
        self.clock = Clock()
        self.ids = Snowflakes(self.clock)
        self.limits = Limits(self.clock)
        self.application_id = self.ids.new()
        self.bot = Account(self.application_id, "tavoliere", "Tavoliere", bot=True)
        self.owner = Account(self.ids.new(), "owner", "Owner")
        self.people: dict[str, Account] = {self.bot.id: self.bot, self.owner.id: self.owner}
        self.closed: set[Account] = set()
        self.guilds: list[Guild] = []
        self.channels: dict[str, Channel] = {}
        self.messages: dict[str, Message] = {}
        self._shown: defaultdict[str, list[Message]] = defaultdict(list)
        self._private: defaultdict[str, list[Message]] = defaultdict(list)
        """What everybody sees by channel, and what one person alone sees by person: they are asked for all the time."""
        self.interactions: dict[str, Interaction] = {}
        self.commands: dict[str, Json] = {}
        self.nonces: dict[tuple[str, str], str] = {}
        self.calls: list[Call] = []
        self.listeners: list[Callable[[Call, Any, bool], None]] = []
        """Told of each request before it is carried out, and again (True) with its result before that is sent."""
        self.refused: list[tuple[str, ApiError]] = []
        self.lapses: list[str] = []
        """What was sent that Discord takes and this program must not send."""
        self.has_activity = False
        """Whether Activities are enabled for the application."""
        self.launched: list[tuple[str, str]] = []
        """The instances of the Activity that answers have opened, with who pressed for it."""
        self.hides_attachment_ids = False
        """Whether answers leave out which attachment a media item is."""
        self.sockets: set[web.WebSocketResponse] = set()
        self.gateway = Gateway(self)
        self.answering = Answering(self)
        self.port = 0
        self._rest = Rest(self)
        self._gates: dict[str, Gate] = {}
        self._faults: dict[str, list[ApiError]] = defaultdict(list)
        self._losses: dict[str, int] = defaultdict(int)
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None

    @property
    def api_url(self) -> str:
        """What to put in the place of `discord.http.Route.BASE`."""
        return f"http://127.0.0.1:{self.port}/api/v10"

    @property
    def gateway_url(self) -> str:
        """What to put in the place of the gateway's address."""
        return f"ws://127.0.0.1:{self.port}/gateway/"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=4 * LARGEST_FILE)
        app.add_routes([*self._rest.routes(), web.get("/gateway/{who:.*}", self.gateway.handle)])
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for gate in self._gates.values():
            gate.open.set()
        await self.gateway.close()
        assert self._runner is not None
        await self._runner.cleanup()

    # The place and its people.

    def account(self, name: str, locale: str = "en-US", *, bot: bool = False) -> Account:
        """Return somebody new."""
        person = Account(self.ids.new(), name.lower(), name, locale, bot)
        self.people[person.id] = person
        return person

    def guild(
        self, name: str, *channels: str, locale: str = "en-US", has_bot: bool = True, shard: int | None = None
    ) -> Guild:
        """Return a new server with text channels, the first of which is the one for the system's messages.

        It belongs to a part of the servers if that is asked for.
        """
        ids = (self.ids.new(later) for later in range(self.gateway.shards))
        number = next(each for each in ids if shard in (None, self.gateway.shard_of(each)))
        guild = Guild(number, name, self.bot, self.owner, locale, has_bot=has_bot)
        for channel in channels or ("general",):
            self.text_channel(guild, channel)
        guild.system_channel = guild.channels[0]
        self.guilds.append(guild)
        return guild

    def text_channel(self, guild: Guild, name: str, permissions: int = USUAL) -> Channel:
        """Return a new text channel."""
        return self.add_channel(Channel(self.ids.new(), TEXT, name, guild, permissions=permissions))

    def add_channel(self, channel: Channel) -> Channel:
        """Make a channel known."""
        self.channels[channel.id] = channel
        if channel.guild is not None:
            channel.guild.channels.append(channel)
        return channel

    def chat(self, *friends: Account) -> Channel:
        """Return a new conversation of people, two or more, that the bot is not part of."""
        return self.add_channel(Channel(self.ids.new(), DM if len(friends) == 2 else GROUP_DM, friends=friends))

    def dm(self, person: Account) -> Channel:
        """Return the direct conversation of the bot and somebody."""
        for channel in self.channels.values():
            if channel.recipient is person:
                return channel
        return self.add_channel(Channel(self.ids.new(), DM, recipient=person))

    # What was said.

    def shown(self, channel: Channel) -> list[Message]:
        """Return what everybody sees in a channel, the oldest first."""
        return [message for message in self._shown[channel.id] if not message.deleted]

    def private(self, person: Account, channel: Channel | None = None) -> list[Message]:
        """Return what one person alone sees, the oldest first."""
        return [
            message
            for message in self._private[person.id]
            if not message.deleted and channel in (None, message.channel)
        ]

    def put(self, message: Message) -> None:
        """Put a message where it is seen."""
        self.messages[message.id] = message
        place = self._shown[message.channel.id] if message.reader is None else self._private[message.reader.id]
        place.append(message)

    def count(self, operation: str) -> int:
        """Return how often an operation was asked for."""
        return sum(call.operation == operation for call in self.calls)

    def notify_listeners(self, call: Call, result: Any = None, *, done: bool) -> None:
        """Tell the listeners of a request."""
        for listener in self.listeners:
            listener(call, result, done)

    # Waiting, holding back, failing.

    async def tell(self) -> None:
        """Wake those who wait for something."""
        async with self._changed:
            self._changed.notify_all()

    async def until(self, found: Callable[[], Found], what: str = "it") -> Found:
        """Return the first true value of a function, called again whenever anything has happened."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS), self._changed:
                while True:
                    result = found()
                    if result:
                        return result
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"waited in vain for {what}; refused: {self.refused}") from None

    @asynccontextmanager
    async def holding(self, operation: str) -> AsyncIterator[Gate]:
        """Hold requests of an operation back until the block ends."""
        gate = self._gates[operation] = Gate()
        try:
            yield gate
        finally:
            del self._gates[operation]
            gate.open.set()

    async def gate(self, operation: str) -> None:
        """Wait where requests of an operation are held back."""
        gate = self._gates.get(operation)
        if gate is not None:
            gate.waiting += 1
            await self.tell()
            await gate.open.wait()

    def fail(self, operation: str, *errors: ApiError) -> None:
        """Answer the next requests of an operation with errors."""
        self._faults[operation] += errors

    def fault(self, operation: str) -> ApiError | None:
        """Return the error that the next request of an operation is to be answered with."""
        waiting = self._faults[operation]
        return waiting.pop(0) if waiting else None

    def lose_files(self, operation: str, times: int = 1) -> None:
        """Have the next edits by an operation lose the files of their messages, without a word but in the answer."""
        self._losses[operation] += times

    def loses_files(self, operation: str) -> bool:
        """Say whether the edit at hand loses the files."""
        lost = self._losses[operation] > 0
        self._losses[operation] -= lost
        return lost

    @contextmanager
    def refusing(self, *codes: int) -> Iterator[None]:
        """Expect that requests are refused with exactly these codes, one after the other."""
        before = len(self.refused)
        yield
        found = [error.code for _, error in self.refused[before:]]
        assert found == list(codes), self.refused[before:]
        del self.refused[before:]
