"""A process's standing connection to PostgreSQL: it hears what other processes have changed, and claims work.

Claims are advisory locks of this connection: when the process dies, however it dies, the server gives them up, and
another process can go on. With SQLite there is one process only, and everything is its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import URL, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import NullPool

from storage.engines import postgres_engine
from storage.errors import StorageError, Unreachable

NOTIFY_CHANNEL: Final = "tavoliere"
MIN_BACKOFF_SECONDS: Final = 0.5
MAX_BACKOFF_SECONDS: Final = 5.0
"""How many seconds to wait before connecting again."""
HEARTBEAT_SECONDS: Final = 5.0
"""Every how many seconds the connection is felt: a server that is gone without a word is noticed."""
MAX_PAYLOAD_BYTES: Final = 7900
"""How many bytes of news are told at once; PostgreSQL takes 8000."""
MAX_NEWS_PER_PAYLOAD: Final = 20
CONNECT_TIMEOUT_SECONDS: Final = 15.0
"""How many seconds connecting may take."""
_KEEPALIVE: Final = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "2"}
"""Within 20 seconds the server notices that a process is gone without a word, and gives up its claims."""

LINGER_SECONDS: Final = 0.05
"""For how long a lingering claim stays: shorter than others wait before they try again."""

_CLAIM_SQL: Final = """
SELECT pg_try_advisory_lock(:number),
  (SELECT count(pg_advisory_unlock(each)) FROM unnest(CAST(:released AS bigint[])) AS each)
"""
_RELEASE_SQL: Final = "SELECT pg_advisory_unlock(:number)"
_RELEASE_ALL_SQL: Final = "SELECT count(pg_advisory_unlock(each)) FROM unnest(CAST(:released AS bigint[])) AS each"
_REGISTER_PEER_SQL: Final = "SELECT pg_advisory_lock_shared(:number)"
_COUNT_PEERS_SQL: Final = """
SELECT count(*) FROM pg_locks
WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32) | objid::bigint = :number
"""
"""Who shares a lock; its number is kept in two halves."""

log = logging.getLogger(__name__)


class Coordination:
    """The standing connection; `heard` gets what other processes tell, None when some of it may have been missed.

    `deaf` is called when the connection is lost: until then nothing was missed, from now on everything is.
    """

    def __init__(
        self,
        url: URL,
        timeout_seconds: float,
        on_change: Callable[[Any], None],
        on_connection_lost: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = secrets.token_hex(4)
        self._engine = postgres_engine(url, timeout_seconds, poolclass=NullPool, server_settings=_KEEPALIVE)
        self._on_change, self._deaf = on_change, on_connection_lost
        self._connection: AsyncConnection | None = None
        self._gone = asyncio.Event()
        self._turn = asyncio.Lock()
        self._held: Counter[str] = Counter()
        self._lingering: Counter[str] = Counter()
        """Claims that were given up and that the server has not been told of yet."""
        self._releasing: asyncio.Task[None] | None = None
        self.lock_epoch = 0
        """Another one after each loss of the connection, and with it of all claims."""
        self._crowds: dict[str, int] = {}
        self._joined: set[str] = set()
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Connect, and connect again whenever that is lost."""
        self._loop = asyncio.create_task(self._run(), name="standing connection")

    async def close(self) -> None:
        """Give up all claims and leave."""
        tasks = [task for task in (self._loop, self._releasing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._on_connection_lost()
        await self._engine.dispose()

    async def claim(self, name: str) -> bool:
        """Take a piece of work for this process, False if another one has it; Unreachable while not connected."""
        if self._lingering[name]:
            self._lingering[name] -= 1
            self._held[name] += 1
            return True
        taken = bool(await self._ask(_CLAIM_SQL, name, releases=True))
        if taken:
            self._held[name] += 1
        return taken

    async def release(self, name: str, lock_epoch: int | None = None, *, linger: bool = False) -> None:
        """Give a piece of work up, if it was claimed in the `lock_epoch` that this still is.

        With `linger` the server is told with the next claim, or `LINGER_SECONDS` later; until then this process can
        claim it again without a question.
        """
        epoch = self.lock_epoch if lock_epoch is None else lock_epoch
        if not self._held[name] or epoch != self.lock_epoch:
            return
        self._held[name] -= 1
        if linger:
            self._lingering[name] += 1
            if self._releasing is None or self._releasing.done():
                self._releasing = asyncio.create_task(self._release_lingering(), name="release")
            return
        with suppress(StorageError):
            await self._ask(_RELEASE_SQL, name, epoch=epoch)

    async def _release_lingering(self) -> None:
        while self._lingering.total():
            await asyncio.sleep(LINGER_SECONDS)
            if self._lingering.total():
                with suppress(StorageError):
                    await self._ask(_RELEASE_ALL_SQL, releases=True)

    def holds(self, name: str) -> bool:
        """Say whether a piece of work is still this process's: with the connection all claims are lost."""
        return self._held[name] > 0

    async def register_peer(self, name: str) -> int:
        """Return how many processes do something, this one among them from now on; Unreachable."""
        self._crowds.setdefault(name, 1)
        if name not in self._joined:
            await self._ask(_REGISTER_PEER_SQL, name)
            self._joined.add(name)
        self._crowds[name] = int(await self._ask(_COUNT_PEERS_SQL, name))
        return self._crowds[name]

    def peer_count(self, name: str) -> int:
        """Return how many processes did something when that was last looked at; it is, again and again, from now on."""
        return self._crowds.setdefault(name, 1)

    async def _ask(
        self, statement: str, name: str | None = None, *, releases: bool = False, epoch: int | None = None
    ) -> Any:
        async with self._turn:
            if self._connection is None or self._gone.is_set() or epoch not in (None, self.lock_epoch):
                raise Unreachable(reason="not connected")
            values: dict[str, Any] = {} if name is None else {"number": lock_number(name)}
            if releases:
                # What lingers was claimed by this connection, and not by one before it.
                values["released"] = [lock_number(each) for each in self._lingering.elements()]
                self._lingering.clear()
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    found = await self._connection.execute(text(statement), values)
                return found.one()[0]
            except (SQLAlchemyError, OSError) as error:
                # Nothing can be wrong with the statement: it is the connection, and with it all claims are gone.
                self._cut_off()
                raise Unreachable(reason=str(error)) from error

    async def _run(self) -> None:
        pause = MIN_BACKOFF_SECONDS
        while True:
            try:
                await self._connect()
                pause = MIN_BACKOFF_SECONDS
                self._on_change(None)
                while not self._gone.is_set():
                    with suppress(TimeoutError):
                        async with asyncio.timeout(HEARTBEAT_SECONDS):
                            await self._gone.wait()
                    await self._check_connection()
            except Exception as error:  # noqa: BLE001 - whatever a driver makes of a server that goes away
                log.warning("the standing connection is lost: %r", error)
            await self._on_connection_lost()
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_BACKOFF_SECONDS)

    async def _check_connection(self) -> None:
        """Make sure that the server is still there; TimeoutError and the driver's errors."""
        async with self._turn:
            if self._connection is not None and not self._gone.is_set():
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._connection.execute(text("SELECT 1"))
        for name in list(self._crowds):
            with suppress(Unreachable):
                await self.register_peer(name)

    async def _connect(self) -> None:
        async with self._turn, asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
            connection = await self._engine.connect()
            self._gone.clear()
            self._connection = connection
            connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
            driver = (await connection.get_raw_connection()).driver_connection
            if driver is None:
                raise OSError("no connection")
            driver.add_termination_listener(self._ended)
            await driver.add_listener(NOTIFY_CHANNEL, self._on_notification)
            self._joined.clear()
            for name in list(self._crowds):
                await connection.execute(text(_REGISTER_PEER_SQL), {"number": lock_number(name)})
                self._joined.add(name)

    async def _on_connection_lost(self) -> None:
        async with self._turn:
            connection, self._connection = self._connection, None
            self._deaf()
            self._held.clear()
            self._lingering.clear()
            self.lock_epoch += 1
            if connection is not None:
                # Not given back, which would be said to a server that may be gone: ended.
                with suppress(SQLAlchemyError, OSError):
                    await connection.invalidate()
                with suppress(SQLAlchemyError, OSError):
                    await connection.close()

    def _ended(self, _: object) -> None:
        # Noticed at once, not at the next beat.
        self._joined.clear()
        self._cut_off()

    def _cut_off(self) -> None:
        """Note that the connection is lost: what was claimed is anybody's from now on."""
        self._deaf()
        self._held.clear()
        self._lingering.clear()
        self.lock_epoch += 1
        self._gone.set()

    def _on_notification(self, _: object, __: int, ___: str, payload: str) -> None:
        try:
            sender, changes = json.loads(payload)
        except (ValueError, TypeError):
            return
        if sender != self.name:
            for news in changes:
                self._on_change(news)


def lock_number(name: str) -> int:
    """Return the number of the advisory lock for a name: 64 bits, the same in every process."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def payloads_of(sender: str, news: Sequence[tuple[str, Any]]) -> list[str]:
    """Return what tells other processes the news of a transaction: each a kind, and what says the rest.

    Where that is too long, it is left out: they have to look themselves.
    """
    payloads: list[str] = []
    for at in range(0, len(news), MAX_NEWS_PER_PAYLOAD):
        entries = [[kind, what] for kind, what in news[at : at + MAX_NEWS_PER_PAYLOAD]]
        payload = json.dumps([sender, entries], separators=(",", ":"))
        if len(payload) > MAX_PAYLOAD_BYTES:
            payload = json.dumps([sender, [[kind, None] for kind, _ in entries]], separators=(",", ":"))
        payloads.append(payload)
    return payloads
