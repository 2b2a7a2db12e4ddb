"""The Discord shards of this process: its share of those that no other process holds.

A shard is locked in the database before it is listened to. When a process dies its locks are released, and its peers
take the shards; when a process is added its peers give up what exceeds their share.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog

from bot.discord.decode import PLATFORM
from bot.discord.session import DiscordSession, DiscordTokenRefused
from bot.operations.listening import Listener
from bot.operations.metrics import DISCORD_SHARDS
from bot.operations.tasks import is_set_within
from storage import StorageError, Store

HEARTBEAT_SECONDS: Final = 2.0
"""Seconds between two checks."""
MAX_BACKOFF_SECONDS: Final = 30.0
"""Maximum back-off after a failure."""
LEASE_GRACE_SECONDS: Final = 6.0
"""Seconds for which a process that disappeared keeps its share: it may only have lost the database."""
SHARD_DRAIN_TIMEOUT_SECONDS: Final = 60.0
"""Maximum seconds for answering the events of a shard that is given up."""

log = structlog.get_logger(__name__)


class ShardManager:
    """Listens to a fair share of `count` shards; `opened` opens the session of one."""

    def __init__(
        self, store: Store, count: int, opened: Callable[[int], DiscordSession], idle: Callable[[], Awaitable[None]]
    ) -> None:
        """Create the manager; `idle` waits until all received events are answered."""
        self._store = store
        self._count = count
        self._opened = opened
        self._idle = idle
        self._sessions: dict[int, DiscordSession] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._most = 0
        self._until = 0.0
        self._listener = Listener(PLATFORM, self._run, first=HEARTBEAT_SECONDS, longest=MAX_BACKOFF_SECONDS)
        store.add_listener(self._on_change, {"elsewhere"})

    @property
    def held_shards(self) -> tuple[int, ...]:
        """The shards that this process listens to."""
        return tuple(sorted(self._sessions))

    @property
    def listeners(self) -> list[Listener]:
        """Tasks that must be running: our shards, and the loop that balances them."""
        return [self._listener, *(session.listener for session in self._sessions.values())]

    async def start(self) -> None:
        """Start."""
        await self._listener.start()

    async def stop(self) -> None:
        """Give up all shards."""
        await self._listener.stop()
        sessions = list(self._sessions.values())
        self._sessions.clear()
        for task in self._leaving:
            task.cancel()
        await asyncio.gather(*(session.log_out() for session in sessions), *self._leaving, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self._balance()
                self._listener.connected()
            except StorageError as error:
                log.info("shards-wait-for-the-database", reason=str(error))
            await is_set_within(self._wake, HEARTBEAT_SECONDS)

    async def _balance(self) -> None:
        """Give up shards whose lock is lost or that exceed our share; take free ones up to our share."""
        share = self._share(await self._store.register_peer(PLATFORM))
        for shard in self.held_shards:
            # The lock was lost with the connection to the database; a peer may hold it now.
            if not await self._store.acquire_lock(shard_claim(shard)):
                log.warning("shard-lost", shard=shard)
                await self._give_up(shard)
        while len(self._sessions) > share:
            shard = next(reversed(self._sessions))
            await self._give_up(shard)
            await self._store.release_lock(shard_claim(shard))
        # In random order, so that processes do not all try the same ones.
        for shard in random.sample(range(self._count), self._count):
            if len(self._sessions) >= share:
                break
            if shard not in self._sessions and await self._store.acquire_lock(shard_claim(shard)):
                await self._open_shard(shard)

    def _share(self, processes: int) -> int:
        """Return our number of shards, given the number of processes."""
        now = asyncio.get_running_loop().time()
        if processes >= self._most or now >= self._until:
            self._most, self._until = processes, now + LEASE_GRACE_SECONDS
        return -(-self._count // self._most)

    async def _open_shard(self, shard: int) -> None:
        session = self._opened(shard)
        self._sessions[shard] = session
        DISCORD_SHARDS.set(len(self._sessions))
        log.info("shard-claimed", shard=shard, of=self._count)
        try:
            await session.start()
        except DiscordTokenRefused:
            log.error("discord-token-refused")

    async def _give_up(self, shard: int) -> None:
        """Stop listening to a shard; its events so far are still answered."""
        session = self._sessions.pop(shard)
        DISCORD_SHARDS.set(len(self._sessions))
        log.info("shard-released", shard=shard, of=self._count)
        await session.stop_listening()
        task = asyncio.create_task(self._drain_and_log_out(session), name="discord shard leaving")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _drain_and_log_out(self, session: DiscordSession) -> None:
        try:
            async with asyncio.timeout(SHARD_DRAIN_TIMEOUT_SECONDS):
                await self._idle()
        except TimeoutError:
            log.info("shard-shutdown-timed-out")
        finally:
            await session.log_out()

    def _on_change(self, news: tuple[str, Any]) -> None:
        if news == ("elsewhere", None):
            # We lost the database, and so may have our peers: they keep their share for a while.
            self._until = asyncio.get_running_loop().time() + LEASE_GRACE_SECONDS
            self._wake.set()


def shard_claim(shard: int) -> str:
    """Return the name of a shard's lock."""
    return f"discord shard {shard}"
