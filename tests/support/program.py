"""The program on a fake platform: started, ended, and started anew on the same store; and who plays there."""

import itertools
from typing import Any, Final, Generic, Self, TypeVar

import pytest

from bot.kernel.operations import NOT_LISTENING
from bot.kernel.texts import Texts
from bot.platforms.app import Tavoliere
from bot.platforms.discord.connection import DiscordConnection
from bot.platforms.telegram.connection import TelegramConnection
from storage import Store
from tests.bot.party import Clock
from tests.support.fronts import make_front
from tests.support.settling import StartedJob
from tests.support.tiny import DRAW

TEXTS: Final = Texts()


AnyConnection = TypeVar("AnyConnection", DiscordConnection, TelegramConnection)


class Program(Generic[AnyConnection]):
    """The program; `connecting` is what its next connection is made with."""

    tavoliere: Tavoliere
    connection: AnyConnection

    def __init__(self, store: Store, clock: Clock, **arguments: Any) -> None:
        self.store = store
        self.clock = clock
        self.connecting: dict[str, Any] = {}
        self.arguments: dict[str, Any] = {"texts": TEXTS, "draw": DRAW, **arguments}
        self._entropy = itertools.count(7)

    def connect(self) -> AnyConnection:
        """Return a new connection of the program to its platform."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        self.tavoliere = make_front(self.store, clock=self.clock, entropy=self._seed, **self.arguments)
        jobs, delivery = self.tavoliere.jobs, StartedJob(self.tavoliere.delivery)
        messenger = StartedJob(self.tavoliere.messenger)
        self._settled = (StartedJob(jobs["teams"]), StartedJob(jobs["puzzles"]), delivery, messenger, delivery)
        self.connection = self.connect()
        await self.connection.start()
        # The first heartbeat of each program would clean up; nothing is old enough for that here.
        self.tavoliere.alarms._tidied = self.clock.monotonic()
        await self.tavoliere.start()
        # Tests turn the clock by hours between two heartbeats, which come by the machine's own.
        self.tavoliere.context.clock.stops = False

    async def stop(self) -> None:
        await self.connection.stop()
        await self.tavoliere.close()

    async def restart(self) -> None:
        """End it and start it anew."""
        await self.stop()
        await self.start()

    async def settle(self) -> None:
        """Wait until everything that was asked for is answered and shown."""
        await self.connection.dispatcher.wait_until_idle()
        for job in self._settled:
            await job.catch_up(self.clock.now, even_if_idle=self.store.is_shared)

    def _seed(self) -> bytes:
        return next(self._entropy).to_bytes(32, "big")


def connection_state(bot: Program[Any]) -> tuple[bool, bool]:
    """Return whether a bot listens, and whether it fails to."""
    return bot.connection.is_listening, bot.connection.problem == NOT_LISTENING


@pytest.fixture
def newcomers() -> bool:
    """Whether people are offered lessons in games that they have never played; a test says so by a parameter."""
    return False


@pytest.fixture(autouse=True)
def experience(newcomers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everybody know all games, unless they are newcomers."""

    async def known(*_: object) -> bool:
        return False

    if not newcomers:
        monkeypatch.setattr("storage.boards.Lessons.is_new_to", known)


@pytest.fixture
def anna(scene: Any) -> Any:
    return scene.person("Anna")


@pytest.fixture
def bruno(scene: Any) -> Any:
    return scene.person("Bruno")


@pytest.fixture
async def players(scene: Any) -> tuple[Any, Any]:
    """Who is to move in a game of Annuvin that Anna and Bruno have begun, and who is not."""
    mover, other = await scene.started()
    return mover, other


@pytest.fixture
def mover(players: tuple[Any, Any]) -> Any:
    """Who is to move in that game."""
    return players[0]


@pytest.fixture
def other(players: tuple[Any, Any]) -> Any:
    """Who is not to move in it."""
    return players[1]
