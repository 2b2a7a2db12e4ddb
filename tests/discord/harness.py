"""The whole program, connected to the fake Discord, and people who use it there."""

import asyncio
from collections.abc import Awaitable, Sequence
from functools import cache
from typing import Any

import discord.gateway
import discord.http
import pytest
import yarl

from bot.platforms.discord.client import DiscordSession
from bot.platforms.discord.commands import command_payloads
from bot.platforms.discord.connection import DiscordConnection
from storage import Store
from tests.bot.party import Clock
from tests.fakes.discord.people import Person
from tests.fakes.discord.schema import Json
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Account, Channel, Interaction, Message
from tests.support.pauses import Pauses
from tests.support.present import present
from tests.support.program import Program

cached_payloads = cache(command_payloads)


class Bot(Program[DiscordConnection]):
    """The program; `restart` ends it and starts it anew on the same store."""

    def __init__(self, discord: FakeDiscord, store: Store, **arguments: Any) -> None:
        super().__init__(store, Clock(), **arguments)
        self.discord = discord

    def connect(self) -> DiscordConnection:
        """Return a new connection to the fake Discord."""
        return DiscordConnection(self.tavoliere, token=self.discord.token, **self.connecting)

    async def start(self) -> None:
        """Start the program and wait until it listens."""
        await super().start()
        await self.discord.until(lambda: self.discord.gateway.connected, "the gateway")

    async def leave(self) -> None:
        """End the program and wait until Discord has seen it go."""
        await self.stop()
        await self.discord.until(lambda: not self.discord.gateway.connected, "the bot's leaving")

    async def restart(self) -> None:
        """End it and start it anew."""
        await self.leave()
        await self.start()


def direct_to(discord_: FakeDiscord, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have discord.py talk to the fake Discord."""
    monkeypatch.setattr(discord.http.Route, "BASE", discord_.api_url)
    # Every program registers the same commands.
    monkeypatch.setattr("bot.platforms.discord.client.command_payloads", cached_payloads)
    # Machines that run tests may be slow.
    monkeypatch.setattr("bot.platforms.discord.dispatcher.COMPLETION_TIMEOUT_SECONDS", 60.0)
    monkeypatch.setattr("bot.platforms.discord.dispatcher.ANSWER_TIMEOUT_SECONDS", 60.0)
    monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(discord_.gateway_url))


def acknowledge_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have presses acknowledged before they are handled, as those that came late."""
    monkeypatch.setattr("bot.platforms.discord.dispatcher.ANSWER_TIMEOUT_SECONDS", 0.0)


def hold(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> asyncio.Event:
    """Have calls of a method wait until the event is set that this returns."""
    may_go_on, real = asyncio.Event(), getattr(owner, name)

    async def held(*arguments: Any) -> Any:
        await may_go_on.wait()
        return await real(*arguments)

    monkeypatch.setattr(owner, name, held)
    return may_go_on


def list_pauses(session: DiscordSession) -> Pauses:
    """Return the pauses of a session, which are up to the test now."""
    pauses = Pauses()
    session.listener._rest = pauses
    return pauses


class Scene:
    """A server with a channel, the bot, and people in it."""

    def __init__(self, discord: FakeDiscord, bot: Bot) -> None:
        self.discord = discord
        self.bot = bot
        self.guild = discord.guild("Friends", "games", "talk")
        self.channel = self.guild.channels[0]
        self.people: dict[str, Person] = {}

    def person(self, name: str, locale: str = "en-US", here: Channel | None = None) -> Person:
        """Return somebody, new if need be."""
        if name not in self.people:
            self.people[name] = Person(self.discord, self.discord.account(name, locale), here or self.channel)
        return self.people[name]

    def by(self, account: Account) -> Person:
        return next(person for person in self.people.values() if person.account is account)

    async def _settled(self, answering: Awaitable[Interaction]) -> Interaction:
        """Return an interaction that was answered, once all is shown."""
        interaction = await answering
        await self.bot.settle()
        return interaction

    async def command(self, person: Person, name: str, /, **options: Any) -> Interaction:
        """Type a command and wait until all is shown."""
        return await self._settled(person.command(name, **options))

    async def press(self, person: Person, message: Message, label: str) -> Interaction:
        """Press something and wait until all is shown."""
        return await self._settled(person.press(message, label))

    async def press_part(self, person: Person, message: Message, part: Json, seen: Json | None = None) -> Interaction:
        """Press a part of a message, which somebody may have `seen` as it was before, and wait until all is shown."""
        return await self._settled(person.press_part(message, part, seen))

    async def fill(self, person: Person, opened: Interaction, **given: Any) -> Interaction:
        """Fill in the window that an interaction has opened, and wait until all is shown."""
        return await self._settled(person.submit(opened, **given))

    async def choose(self, person: Person) -> Message:
        """Have somebody choose the first piece on the board; return the private answer."""
        await self.press(person, self.board, self.board.labels[0])
        return person.newest_private

    async def wait(self, **parts: float) -> None:
        """Let time pass, and have shown what is due then."""
        self.bot.clock.turn(**parts)
        await self.bot.settle()

    async def started(self, **terms: Any) -> tuple[Person, Person]:
        """Have Anna challenge Bruno to a game of Annuvin; return who is to move, and who is not."""
        anna, bruno = self.person("Anna"), self.person("Bruno")
        await self.command(anna, "play", game="annuvin", opponent=bruno.account, **terms)
        await self.press(bruno, self.board, "Accept")
        return (anna, bruno) if self.mover is anna else (bruno, anna)

    async def move(self, person: Person) -> None:
        """Have somebody play the first move that completion suggests."""
        found = await person.complete("move", "move", move="")
        await self.command(person, "move", move=found[0]["value"])

    @property
    def owner(self) -> Person:
        """Who owns the server, in the channel."""
        return Person(self.discord, self.discord.owner, self.channel)

    @property
    def shown(self) -> list[Message]:
        """What all see in the channel."""
        return self.discord.shown(self.channel)

    @property
    def board(self) -> Message:
        """The newest message that all see."""
        return self.shown[-1]

    @property
    def mover(self) -> Person:
        """Whom the newest message calls."""
        (called,) = self.board.pings
        return self.by(called)


def held_by(bot: Bot) -> tuple[int, ...]:
    """Return the shards that a process listens to."""
    return present(bot.connection.shards).held_shards


async def wait_for_shards(discord: FakeDiscord, bots: Sequence[Bot]) -> None:
    """Wait until these processes have all the shards between them, each its share, and none is handed over any more."""
    shards = range(discord.gateway.shards)
    share = -(-len(shards) // len(bots))

    def fair() -> bool:
        held = [held_by(bot) for bot in bots]
        listening = all(discord.gateway.listening(shard) for shard in shards)
        return listening and sorted(sum(held, ())) == list(shards) and max(map(len, held)) == share

    await discord.until(fair, "a fair share for everybody")
