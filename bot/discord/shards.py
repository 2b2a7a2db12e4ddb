"""Which shards of Discord's servers this process listens to: its share of those that no other process has.

A shard is claimed in the database before it is listened to. When a process dies its claims are free, and the others
take them; when one is added the others give up what is more than their share.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog

from bot.discord.decode import PLATFORM
from bot.discord.session import DiscordSession, DiscordTokenRefused
from bot.operations.listening import Listener
from bot.operations.metrics import SHARDS
from storage import StorageError, Store

HEARTBEAT_SECONDS: Final = 1.0
"""Every how many seconds to look."""
MAX_BACKOFF_SECONDS: Final = 30.0
"""After how many seconds at most to look again where that goes wrong."""
LEASE_GRACE_SECONDS: Final = 6.0
"""For how many seconds a process that is not seen any more keeps its share: it may only have lost the database."""
SHARD_DRAIN_TIMEOUT_SECONDS: Final = 60.0
"""How many seconds what was heard of a shard that is given up may take to be answered."""

log = structlog.get_logger(__name__)


class ShardManager:
    """Listens to a fair share of so many shards; `opened` makes the session of one."""

    def __init__(
        self,
        store: Store,
        count: int,
        opened: Callable[[int], DiscordSession],
        idle: Callable[[], Awaitable[None]],
    ) -> None:
        """Prepare; `idle` waits until all that was heard is answered."""
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
        store.add_listener(self._on_change)

    @property
    def held_shards(self) -> tuple[int, ...]:
        """The shards that this process listens to."""
        return tuple(sorted(self._sessions))

    @property
    def listeners(self) -> list[Listener]:
        """What must be connected: the shards that are ours, and the list of who has which."""
        return [self._listener, *(session.listener for session in self._sessions.values())]

    async def start(self) -> None:
        """Begin."""
        await self._listener.start()

    async def stop(self) -> None:
        """Give all shards up."""
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
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def _balance(self) -> None:
        """Give up what another process has taken and what is more than our share; take what is less."""
        share = self._share(await self._store.register_peer(PLATFORM))
        for shard in self.held_shards:
            # Lost with the connection to the database, and perhaps somebody else's by now.
            if not await self._store.acquire_lock(shard_claim(shard)):
                log.warning("shard-lost", shard=shard)
                await self._give_up(shard)
        while len(self._sessions) > share:
            shard = next(reversed(self._sessions))
            await self._give_up(shard)
            await self._store.release_lock(shard_claim(shard))
        # Not all processes in the same order, or they would ask for the same ones.
        for shard in random.sample(range(self._count), self._count):
            if len(self._sessions) >= share:
                break
            if shard not in self._sessions and await self._store.acquire_lock(shard_claim(shard)):
                await self._take(shard)

    def _share(self, processes: int) -> int:
        """Return how many shards are ours, as long as there are so many processes."""
        now = asyncio.get_running_loop().time()
        if processes >= self._most or now >= self._until:
            self._most, self._until = processes, now + LEASE_GRACE_SECONDS
        return -(-self._count // self._most)

    async def _take(self, shard: int) -> None:
        session = self._opened(shard)
        self._sessions[shard] = session
        SHARDS.set(len(self._sessions))
        log.info("shard-claimed", shard=shard, of=self._count)
        try:
            await session.start()
        except DiscordTokenRefused:
            log.error("discord-token-refused")

    async def _give_up(self, shard: int) -> None:
        """Listen to a shard no longer; what was heard of it is still answered."""
        session = self._sessions.pop(shard)
        SHARDS.set(len(self._sessions))
        log.info("shard-released", shard=shard, of=self._count)
        await session.stop_listening()
        task = asyncio.create_task(self._leave(session), name="discord shard leaving")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _leave(self, session: DiscordSession) -> None:
        try:
            async with asyncio.timeout(SHARD_DRAIN_TIMEOUT_SECONDS):
                await self._idle()
        except TimeoutError:
            log.info("shard-shutdown-timed-out")
        finally:
            await session.log_out()

    def _on_change(self, news: tuple[str, Any]) -> None:
        if news == ("elsewhere", None):
            # We were away, and so the others may have been: they keep their share for a while.
            self._until = asyncio.get_running_loop().time() + LEASE_GRACE_SECONDS
            self._wake.set()


def shard_claim(shard: int) -> str:
    """Return the name of the claim to a shard."""
    return f"discord shard {shard}"
