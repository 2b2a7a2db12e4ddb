"""Several processes of the program on one PostgreSQL: they share Discord out, and take Telegram's calls in turn."""

import asyncio
import itertools
import re
import threading
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self

import aiohttp
import asyncpg
from aiohttp import web

from bot.platforms.discord.client import shard_claim
from storage.coordination import lock_number
from tests.durability.ledger import Ledger
from tests.durability.process import TIMEOUT_SECONDS, Program
from tests.durability.world import World
from tests.fakes.discord.people import Person as DiscordPerson
from tests.fakes.discord.world import Channel, Guild
from tests.support.ports import free_port, listening
from tests.support.postgres import Postgres

_GONE: Final = (OSError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError, asyncpg.InterfaceError)
BOARDS = """
SELECT posts.id, posts.game, places.platform, places.channel, message, shown_revision, games.revision,
       announced, stale_messages, due_at, attempts, gone, posts.waiting
FROM posts JOIN games ON games.id = posts.game JOIN places ON places.id = posts.place
WHERE due_at IS NOT NULL OR (NOT gone AND shown_revision IS DISTINCT FROM games.revision) ORDER BY due_at
"""
NOTICES = "SELECT id, person, kind, subject, game, route, due_at, attempts FROM notices WHERE due_at IS NOT NULL"
CLAIMS = """
SELECT (classid::bigint << 32) | objid::bigint, mode, granted, pid FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 ORDER BY pid
"""
THINKING = "SELECT id FROM games WHERE thinking"
MAX_ROWS = 50
"""How many lines of each are told."""


class ServerLedger(Ledger):
    """The database of a PostgreSQL server; while `is_unavailable` is set nothing new is read."""

    def __init__(self, address: str) -> None:
        super().__init__(Path())
        self.is_unavailable = False
        self._address = address
        self._server: asyncpg.Connection | None = None
        self._version = ""
        self._changes = 0
        # The people ask in the middle of what they do, without waiting.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result(TIMEOUT_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT_SECONDS)
        self._loop.close()

    def rows(self, query: str, *values: Any) -> list[Any]:
        numbers = itertools.count(1)
        numbered = re.sub(r"\?", lambda _: f"${next(numbers)}", query)
        return asyncio.run_coroutine_threadsafe(self._fetch(numbered, values), self._loop).result(TIMEOUT_SECONDS)

    @property
    def version(self) -> int:
        if self.is_unavailable:
            return self._changes
        ((found,),) = self.rows("SELECT pg_current_snapshot()::text")
        if found != self._version:
            self._version, self._changes = found, self._changes + 1
        return self._changes

    def whole(self) -> bool:
        return True

    def thinking(self) -> int:
        """Return in how many games a computer is to act."""
        ((count,),) = self.rows("SELECT count(*) FROM games WHERE thinking")
        return int(count)

    async def _fetch(self, query: str, values: Sequence[Any]) -> list[Any]:
        while True:
            try:
                if self._server is None:
                    self._server = await asyncpg.connect(self._address)
                return [tuple(row) for row in await self._server.fetch(query, *values)]
            except _GONE:
                # It was away, or has been since the last question.
                await self._leave()
                await asyncio.sleep(0.1)

    async def _leave(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.terminate()


class Proxy:
    """Takes Telegram's calls and gives them to the processes in turn; to the next one if one does not answer."""

    session: aiohttp.ClientSession

    def __init__(self) -> None:
        self.backends: list[int] = []
        self.taken: dict[int, int] = {}
        self.url = ""
        self._turn = itertools.count()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/telegram", self._called)
        self.session = await self._stack.enter_async_context(
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS))
        )
        self.url = f"http://127.0.0.1:{await self._stack.enter_async_context(listening(app))}/telegram"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _called(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.startswith("X-")}
        first = next(self._turn)
        for number in range(len(self.backends)):
            port = self.backends[(first + number) % len(self.backends)]
            try:
                url = f"http://127.0.0.1:{port}/telegram"
                async with self.session.post(url, data=body, headers=headers) as answer:
                    if answer.status < 500:
                        self.taken[port] = self.taken.get(port, 0) + 1
                        return web.Response(status=answer.status)
            except aiohttp.ClientError:
                continue
        return web.Response(status=502)


class Fleet(World):
    """So many processes; `lives` counts the disturbances, which each may leave a board behind."""

    def __init__(self, folder: Path, server: Postgres, database: str, count: int = 3) -> None:
        address = server.address(database)
        self.servers = ServerLedger(address)
        super().__init__(folder, ledger=self.servers, DATABASE_URL=address, TAVOLIERE_THINKERS="1")
        self.address = address
        self.count = count
        self.proxy = Proxy()
        self.programs: dict[int, Program] = {}
        self._postgres = server
        self._down: set[int] = set(range(count))
        self.discord.gateway.shards = count
        self.telegram.insists = True
        self.lives = 1
        self.guilds = [self.discord.guild(f"Friends {shard}", "talk", shard=shard) for shard in range(count)]

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        await self._stack.enter_async_context(self.proxy)
        self.proxy.backends = [free_port() for _ in range(self.count)]
        return self

    async def __aexit__(self, *details: object) -> None:
        for program in self.programs.values():
            if program.alive:
                program.kill()
                await program.ended()
        await super().__aexit__(*details)

    async def put_up(self, number: int, **environment: str) -> None:
        """Start a process and return when it hears a part of Discord."""
        folder = self.folder / f"process{number}"
        folder.mkdir(exist_ok=True)
        self._down.discard(number)
        self.programs[number] = self.begun(
            folder,
            str(number),
            DISCORD_SHARDS=str(self.count),
            TELEGRAM_WEBHOOK_URL=self.proxy.url,
            TELEGRAM_WEBHOOK_PORT=str(self.proxy.backends[number]),
            **environment,
        )
        await self.until(("", ""), lambda: self._listens(number), f"process {number}")
        self.tell()

    async def take_down(self, number: int) -> None:
        """Kill a process and return when it is gone and Discord knows."""
        self._down.add(number)
        self.lives += 1
        self.programs[number].kill()
        self.tell()
        await self.programs[number].ended()
        await self.discord.until(lambda: not self._listens(number), "the end of the connections")

    async def restart_database(self) -> None:
        """Stop the database server as if it had crashed, and start it again."""
        await self.until(("", ""), lambda: self.connected, "all parts of Discord")
        self.readable.clear()
        self.servers.is_unavailable = True
        await asyncio.to_thread(self._postgres.crash)
        for guild in self.guilds:
            await self._expect_unavailable_reply(guild.channels[0])
        await asyncio.to_thread(self._postgres.start)
        self.servers.is_unavailable = False
        self.lives += 1
        self.outages += 1
        self.readable.set()
        self.tell()

    async def _expect_unavailable_reply(self, channel: Channel) -> None:
        """Have somebody ask for something who looks on; return when they were told that it cannot be done now."""
        person = DiscordPerson(self.discord, self.discord.account("Olga"), channel)
        await person.command("games")
        await self.discord.until(
            lambda: person.private and not person.newest_private.loading, "an answer without the database"
        )
        assert self.unavailable in person.newest_private.text

    async def leave(self) -> None:
        for program in self.programs.values():
            program.terminate()
        for program in self.programs.values():
            await program.ended()
            assert program.exit_code == 0

    @property
    def connected(self) -> bool:
        return all(self._listener(shard) is not None for shard in range(self.count))

    def _listens(self, number: int) -> bool:
        """Whether a process is connected to a part of Discord."""
        sessions = self.discord.gateway.sessions.values()
        return any(session.who == str(number) and session.socket is not None for session in sessions)

    def _listener(self, shard: int) -> str | None:
        """Return the session in which a part of Discord is heard by a process that lives."""
        session = self.discord.gateway.session_of(shard)
        is_connected = session is not None and session.socket is not None and int(session.who) not in self._down
        return session.id if session is not None and is_connected else None

    def guild_for(self, number: int) -> Guild:
        return self.guilds[number % self.count]

    def hears(self, channel: Channel) -> bool:
        return self._listener(self._shard_of(channel)) is not None

    def life_of(self, channel: Channel) -> Hashable:
        return self.lives, self._listener(self._shard_of(channel))

    def _shard_of(self, channel: Channel) -> int:
        return self.discord.gateway.shard_of(channel.guild.id if channel.guild is not None else None)

    def left_over(self) -> list[str]:
        return ["[while the database is away]"] if self.servers.is_unavailable else what_is_left(self.servers)

    def check_life(self) -> None:
        for number, program in self.programs.items():
            if number not in self._down and program.exit_code:
                said = (self.folder / f"process{number}" / "output.txt").read_text("utf-8")[-2000:]
                raise AssertionError(f"process {number} has ended by itself: {said}")


def what_is_left(ledger: Ledger) -> list[str]:
    """Return in lines the boards that are not up to date, what is due, and which process holds which claim."""
    return [
        *_lines("board", ledger.rows(BOARDS)),
        *_lines("notice", ledger.rows(NOTICES)),
        *_lines("thinking", ledger.rows(THINKING)),
        *_lines("claim", _named(ledger)),
    ]


def _named(ledger: Ledger) -> Iterator[tuple[object, ...]]:
    channels = ledger.rows("SELECT DISTINCT platform, channel FROM places")
    names = [f"chat {platform} {channel}" for platform, channel in channels]
    names += [f"computer {game}" for (game,) in ledger.rows("SELECT id FROM games")]
    names += ["discord", "telegram", *map(shard_claim, range(16))]
    known = {lock_number(name): name for name in names}
    for number, *rest in ledger.rows(CLAIMS):
        yield known.get(number, number), *rest


def _lines(what: str, rows: Iterable[Iterable[object]]) -> Iterator[str]:
    for row in islice(rows, MAX_ROWS):
        yield f"{what}: {', '.join(map(str, row))}"
