"""The fake Discord as tests hold it: start it, people it, look at what was said."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from aiohttp import web

from tests.fakes.discord.answering import Answering
from tests.fakes.discord.clock import Clock
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.limits import Limits
from tests.fakes.discord.messages import LARGEST_FILE, ApiError
from tests.fakes.discord.rest import Call, Rest
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import DM, GROUP_DM, TEXT, Account, Channel, Guild, Interaction, Message, Snowflakes
from tests.fakes.platform import FakePlatform


class FakeDiscord(FakePlatform[Call, ApiError]):
    """A Discord with one application; use as `async with FakeDiscord() as discord`."""

    def __init__(self, clock: Clock | None = None) -> None:
        super().__init__()
        self.token = "fake." + "x" * 30
        self.clock = clock or Clock()
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
        self.has_activity = False
        """Whether Activities are enabled for the application."""
        self.launched: list[tuple[str, str]] = []
        """The instances of the Activity that answers have opened, with who pressed for it."""
        self.hides_attachment_ids = False
        """Whether answers leave out which attachment a media item is."""
        self.sockets: set[web.WebSocketResponse] = set()
        self.gateway = Gateway(self)
        self.answering = Answering(self)
        self._rest = Rest(self)
        self._losses: dict[str, int] = defaultdict(int)

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
        await self._serve(app)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.gateway.close()
        await self._end()

    # The place and its people.

    def account(self, name: str, locale: str = "en-US", *, bot: bool = False) -> Account:
        person = Account(self.ids.new(), name.lower(), name, locale, bot)
        self.people[person.id] = person
        return person

    def guild(
        self, name: str, *channels: str, locale: str = "en-US", has_bot: bool = True, shard: int | None = None
    ) -> Guild:
        """Return a new server with text channels, the first of which is the one for the system's messages.

        It belongs to a part of the servers if that is asked for.
        """
        number = self.ids.new()
        if shard is not None:
            milliseconds = (shard - self.gateway.shard_of(number)) % self.gateway.shards
            number = str(int(number) + (milliseconds << 22))
        guild = Guild(number, name, self.bot, self.owner, locale, has_bot=has_bot)
        for channel in channels or ("general",):
            self.text_channel(guild, channel)
        guild.system_channel = guild.channels[0]
        self.guilds.append(guild)
        return guild

    def text_channel(self, guild: Guild, name: str) -> Channel:
        return self.add_channel(Channel(self.ids.new(), TEXT, name, guild))

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
        return [each for each in self._private[person.id] if not each.deleted and channel in (None, each.channel)]

    def put(self, message: Message) -> Message:
        """Put a message where it is seen."""
        self.messages[message.id] = message
        place = self._shown[message.channel.id] if message.reader is None else self._private[message.reader.id]
        place.append(message)
        return message

    def count(self, operation: str) -> int:
        """Return how often an operation was asked for."""
        return sum(call.operation == operation for call in self.calls)

    # Failing.

    def lose_files(self, operation: str) -> None:
        """Have the next edit by an operation lose the files of its message, without a word but in the answer."""
        self._losses[operation] += 1

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
        assert [error.code for _, error in self.refused[before:]] == list(codes), self.refused[before:]
        del self.refused[before:]
