"""A process's permanent connection to PostgreSQL: it receives other processes' changes and holds this one's locks.

The locks are advisory locks of this connection: when the process dies, the server releases them and another process can
acquire them. With SQLite there is only one process, which holds every lock.
"""

import asyncio
import hashlib
import json
import logging
import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from sqlalchemy import bindparam, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import NullPool

from storage.columns import to_json
from storage.database import MISSED_NEWS, Database, News, in_batches
from storage.engines import postgres_engine
from storage.errors import StorageError, Unreachable
from storage.posts import DuePost
from storage.schema import GameRow

NOTIFY_CHANNEL: Final = "tavoliere"
MIN_BACKOFF_SECONDS: Final = 0.5
MAX_BACKOFF_SECONDS: Final = 5.0
"""Maximum number of seconds before reconnecting."""
HEARTBEAT_SECONDS: Final = 5.0
"""Seconds between checks of the connection, which detect a server that vanished without closing it."""
MAX_PAYLOAD_BYTES: Final = 7900
"""Maximum bytes of a notification; PostgreSQL accepts fewer than 8000."""
MAX_NEWS_PER_PAYLOAD: Final = 20
CONNECT_TIMEOUT_SECONDS: Final = 15.0
"""Maximum seconds for connecting."""
_KEEPALIVE: Final = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "2"}
"""TCP settings with which the server detects a dead process within 20 seconds, and releases its locks."""

LINGER_SECONDS: Final = 0.15
"""Seconds for which a released lock lingers: shorter than other processes wait before they retry."""

_CLAIM_SQL: Final = """
SELECT pg_try_advisory_lock($1), (SELECT count(pg_advisory_unlock(each)) FROM unnest($2::bigint[]) AS each)
"""
_RELEASE_SQL: Final = "SELECT pg_advisory_unlock($1)"
_RELEASE_ALL_SQL: Final = "SELECT count(pg_advisory_unlock(each)) FROM unnest($1::bigint[]) AS each"
_REGISTER_PEER_SQL: Final = "SELECT pg_advisory_lock_shared($1)"
_COUNT_PEERS_SQL: Final = """
SELECT count(*) FROM pg_locks
WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND objsubid = 1
  AND ((classid::bigint << 32) | objid::bigint) = $1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""Count the holders of a shared lock; PostgreSQL stores the number of a lock in two halves."""
_PING_SQL: Final = "SELECT 1"
_NOTIFY_STATEMENT: Final = select(func.pg_notify(NOTIFY_CHANNEL, bindparam("payload")))

log = logging.getLogger(__name__)


class Coordination:
    """The locks, peers and notifications of this process.

    Until it shares its database this process is alone: it gets every lock and is the only peer.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._name = secrets.token_hex(4)
        self.delivered_platforms: set[str] = set()
        """The platforms whose posts this process delivers; due posts tell peers whether theirs is among them."""
        self.receives_changes = database.is_sqlite
        """Whether this process receives all changes of other processes: on a server once it has connected."""
        self._connection: AsyncConnection | None = None
        self._driver: Any = None
        """The driver's connection, used directly: it needs no transactions, and its statements should be cheap."""
        self._gone = asyncio.Event()
        self._connected = asyncio.Event()
        self._turn = asyncio.Lock()
        self._held: Counter[str] = Counter()
        self._lingering: Counter[str] = Counter()
        """Locks that this process has released, but that the server still holds."""
        self._releasing: asyncio.Task[None] | None = None
        self.lock_epoch = 0
        """Changes whenever the connection, and with it all locks, is lost."""
        self._peer_counts: dict[str, int] = {}
        self._joined: set[str] = set()
        self._loop: asyncio.Task[None] | None = None

    @property
    def is_shared(self) -> bool:
        """True if other processes may work on the database as well."""
        return self._loop is not None

    def start_sharing(self) -> None:
        """Share the database with other processes: receive their changes and take locks, over every lost connection.

        Does nothing for an SQLite file, which has one process.
        """
        if not self._database.is_sqlite and not self.is_shared:
            self._database.announce = self._notify_peers
            self._loop = asyncio.create_task(self._run(), name="standing connection")

    async def close(self) -> None:
        """Release all locks and disconnect."""
        tasks = [task for task in (self._loop, self._releasing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._disconnect()

    @asynccontextmanager
    async def lock(self, work: str, *, linger: bool = False) -> AsyncIterator[bool]:
        """Hold a lock for this process inside the block; yields False if another process holds it.

        It does not exclude tasks of the same process. Long work must check that `lock_epoch` is unchanged: all locks
        are lost with the connection. Raises Unreachable while there is no connection. With `linger` the lock is
        released only shortly after the block, and this process can acquire it again without a round trip.
        """
        if self._loop is None:
            yield True
            return
        taken, lock_epoch = await self._claim(work), self.lock_epoch
        try:
            yield taken
        finally:
            if taken:
                await self.release_lock(work, lock_epoch, linger=linger)

    async def acquire_lock(self, work: str) -> bool:
        """Acquire a lock for this process until it is released, False if another process holds it; Unreachable.

        Long work must check that the lock was not lost: see `lock_epoch`.
        """
        return self._loop is None or self._held[work] > 0 or await self._claim(work)

    async def _claim(self, name: str) -> bool:
        if self._lingering[name]:
            self._lingering[name] -= 1
            self._held[name] += 1
            return True
        taken = bool(await self._ask(_CLAIM_SQL, lock_number(name), releases=True))
        if taken:
            self._held[name] += 1
        return taken

    async def release_lock(self, name: str, lock_epoch: int | None = None, *, linger: bool = False) -> None:
        """Release a lock that was acquired in the given `lock_epoch`, if that is still the current one.

        With `linger` the server releases it with the next acquisition, or `LINGER_SECONDS` later; until then this
        process can acquire it again without a round trip.
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
            await self._ask(_RELEASE_SQL, lock_number(name), epoch=epoch)

    async def _release_lingering(self) -> None:
        while self._lingering.total():
            await asyncio.sleep(LINGER_SECONDS)
            if self._lingering.total():
                with suppress(StorageError):
                    await self._ask(_RELEASE_ALL_SQL, releases=True)

    async def register_peer(self, name: str, *, waits: bool = False) -> int:
        """Register this process under a name and return how many processes are registered; Unreachable.

        With `waits` it waits some seconds for the connection if there is none yet.
        """
        if not self.is_shared:
            return 1
        if waits:
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._connected.wait()
        self._peer_counts.setdefault(name, 1)
        if name not in self._joined:
            await self._ask(_REGISTER_PEER_SQL, lock_number(name))
            self._joined.add(name)
        self._peer_counts[name] = await self._ask(_COUNT_PEERS_SQL, lock_number(name))
        return self._peer_counts[name]

    def peer_count(self, name: str) -> int:
        """Return the last known number of processes registered under a name, and keep refreshing it."""
        return self._peer_counts.setdefault(name, 1)

    async def _ask(self, statement: str, *values: Any, releases: bool = False, epoch: int | None = None) -> Any:
        """Return the value that a statement selects; with `releases` its last parameter is the lingering locks."""
        async with self._turn:
            if self._driver is None or self._gone.is_set() or epoch not in (None, self.lock_epoch):
                raise Unreachable(reason="not connected")
            if releases:
                # A lingering lock belongs to this connection, not to an earlier one.
                values += ([lock_number(each) for each in self._lingering.elements()],)
                self._lingering.clear()
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    return await self._driver.fetchval(statement, *values)
            except asyncio.CancelledError:
                # It is unknown whether a lock was acquired: closing the connection releases it.
                self._mark_disconnected()
                raise
            except Exception as error:
                # The statement is correct, so the connection is lost, and all locks with it.
                self._mark_disconnected()
                raise Unreachable(reason=str(error)) from error

    async def _run(self) -> None:
        engine = postgres_engine(
            self._database.url, self._database.timeout_seconds, poolclass=NullPool, server_settings=_KEEPALIVE
        )
        pause = MIN_BACKOFF_SECONDS
        while True:
            try:
                await self._connect(engine)
                pause = MIN_BACKOFF_SECONDS
                self.receives_changes = True
                self._database.notify(MISSED_NEWS)
                while not self._gone.is_set():
                    await self._check_connection()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(HEARTBEAT_SECONDS):
                            await self._gone.wait()
            except Exception as error:  # noqa: BLE001 - whatever a driver makes of a server that goes away
                log.warning("the standing connection is lost: %r", error)
            await self._disconnect()
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_BACKOFF_SECONDS)

    async def _check_connection(self) -> None:
        """Check that the server still answers, and count the peers under all names; Unreachable."""
        await self._ask(_PING_SQL)
        for name in list(self._peer_counts):
            await self.register_peer(name)

    async def _connect(self, engine: AsyncEngine) -> None:
        async with self._turn, asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
            connection = await engine.connect()
            self._gone.clear()
            self._connection = connection
            self._driver = (await connection.get_raw_connection()).driver_connection
            # Detected at once, not at the next heartbeat.
            self._driver.add_termination_listener(lambda _: self._mark_disconnected())
            await self._driver.add_listener(NOTIFY_CHANNEL, self._on_notification)
            self._connected.set()

    async def _disconnect(self) -> None:
        async with self._turn:
            connection, self._connection, self._driver = self._connection, None, None
            self._mark_disconnected()
            if connection is not None:
                # Terminated instead of closed, because closing waits for a server that may be gone.
                with suppress(SQLAlchemyError, OSError):
                    await connection.invalidate()
                with suppress(SQLAlchemyError, OSError):
                    await connection.close()

    def _mark_disconnected(self) -> None:
        """Record that the connection is lost, and with it all locks."""
        self.receives_changes = False
        self._joined.clear()
        self._held.clear()
        self._lingering.clear()
        self.lock_epoch += 1
        self._connected.clear()
        self._gone.set()

    def _on_notification(self, _: object, __: int, ___: str, payload: str) -> None:
        try:
            sender, changes = json.loads(payload)
        except (ValueError, TypeError):
            return
        if sender != self._name:
            for kind, details in changes:
                self._database.notify(News(kind, details, is_remote=True))

    async def _notify_peers(self, connection: AsyncConnection, news: list[News]) -> None:
        """Send the changes of a transaction to the other processes, each once.

        Posts that are due, if too many, are left out: the other processes read them from the database.
        """
        entries = [[kind, self._encode(what)] for kind, what, _ in news]
        different = {json.dumps(each): each for each in entries}.values()
        for some in in_batches(different, MAX_NEWS_PER_PAYLOAD):
            payload = to_json([self._name, some])
            if len(payload) > MAX_PAYLOAD_BYTES:
                # Only they can be that long, and listeners rely on the details of all other changes.
                payload = to_json([self._name, [[kind, None if kind == "due" else what] for kind, what in some]])
            await connection.execute(_NOTIFY_STATEMENT, {"payload": payload})

    def _encode(self, what: Any) -> Any:
        """Return the details of a change for other processes; a game becomes its id."""
        if isinstance(what, GameRow):
            return what.id
        if isinstance(what, tuple):
            return [
                [*each.to_json(), each.platform in self.delivered_platforms] if isinstance(each, DuePost) else each
                for each in what
            ]
        return what


def lock_number(name: str) -> int:
    """Return the 64-bit number of the advisory lock for a name, the same in every process."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
