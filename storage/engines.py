"""Engines on the two kinds of database, and the file of one of them: its journal, its free pages."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.util import await_only

from storage.columns import to_json
from storage.driver import Connections
from storage.errors import Locked, Unavailable, Unwritable, explained

JOURNAL_LIMIT_BYTES: Final = 8 * 1024 * 1024
"""To so many bytes the file beside an SQLite file is cut when what stands in it was carried over."""

ALONE: Final = "alone"
"""The option of a connection to SQLite whose statements each stand for themselves."""

_ENDED: Final = frozenset({"57P01", "57P02", "57P03", "57P05"})
"""What a server says last on a connection (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""

IDLE_SECONDS: Final = 5.0
"""A connection to a server that has lain for longer is tried before it is used again: that takes three round trips."""


def sqlite_engine(
    url: URL, timeout_seconds: float, begin: str, *, foreign_keys: bool = True, **pool: Any
) -> AsyncEngine:
    """Return an engine on an SQLite file whose transactions open with `begin`."""
    connections = Connections()
    # Without an isolation level the driver opens no transactions of its own.
    arguments = {"isolation_level": None, "timeout": timeout_seconds, "async_creator_fn": connections.connect}
    # Every transaction ends by itself, so that a returned connection need not be rolled back once more.
    engine = create_async_engine(
        url, json_serializer=to_json, connect_args=arguments, pool_reset_on_return=None, **pool
    )

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute(f"PRAGMA journal_size_limit = {JOURNAL_LIMIT_BYTES}")
        cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        if begin == "BEGIN":
            cursor.execute("PRAGMA query_only = ON")
        cursor.close()

    @event.listens_for(engine.sync_engine, "invalidate")
    def release(connection: Any, *_: object) -> None:
        # A task cancelled within a statement: closing alone would keep the lock until its cursor is collected.
        connection.rollback()

    @event.listens_for(engine.sync_engine, "begin")
    def start(connection: Connection) -> None:
        if not connection.get_execution_options().get(ALONE):
            driver: Any = connection.connection.driver_connection
            driver.begin_with(begin)

    @event.listens_for(engine.sync_engine, "engine_disposed")
    def close(_: Engine) -> None:
        await_only(connections.close())

    return engine


def postgres_engine(
    url: URL,
    timeout_seconds: float,
    server_settings: Mapping[str, str] | None = None,
    *,
    sees_to_it: bool = False,
    **pool: Any,
) -> AsyncEngine:
    """Return an engine on a PostgreSQL database; Unavailable if its driver is not installed.

    With `sees_to_it` no connection of its pool is handed out that is closed, or has lain for long and does not answer.
    """
    arguments = {"timeout": timeout_seconds, "server_settings": dict(server_settings or {})}
    try:
        engine = create_async_engine(url, json_serializer=to_json, connect_args=arguments, **pool)
    except ModuleNotFoundError as error:
        raise Unavailable("missing-driver", package=error.name) from error
    event.listen(engine.sync_engine, "handle_error", _note_loss)
    if sees_to_it:
        event.listen(engine.sync_engine, "checkin", _laid_back)
        event.listen(engine.sync_engine, "checkout", _see_that_it_answers)
    return engine


class ReadingConnection(AsyncConnection):
    """A connection that only reads, and asks once more where it turns out to be lost as soon as it is used.

    A server that goes away ends the connections that lie in the pool, and nobody notices before the next question.
    """

    _used = False

    async def execute(self, *arguments: Any, **options: Any) -> Any:
        """Carry a statement out and return what it has found."""
        first, self._used = not self._used, True
        try:
            return await super().execute(*arguments, **options)
        except DBAPIError as error:
            if not (first and error.connection_invalidated):
                raise
        await self.rollback()
        # The connection that takes its place knows nothing of these yet.
        opened: Any = self.sync_connection
        await self.execution_options(**opened.get_execution_options())
        return await super().execute(*arguments, **options)


def _note_loss(context: ExceptionContext) -> None:
    """Have a connection given up that the server has ended, even if we have not heard its end yet.

    Its last words, come while nobody asked anything, leave the driver waiting for what follows them: it refuses
    every statement from then on.
    """
    dbapi: Any = context.dialect.dbapi
    refused = isinstance(context.original_exception, dbapi.InternalClientError)
    if refused or str(getattr(context.original_exception, "sqlstate", None)) in _ENDED:
        context.is_disconnect = True


def _laid_back(_: Any, entry: ConnectionPoolEntry) -> None:
    entry.info["since"] = time.monotonic()


def _see_that_it_answers(connection: Any, entry: ConnectionPoolEntry, _: object) -> None:
    """Raise DisconnectionError, at which the pool takes another one, where a connection is of no use any more."""
    since = entry.info.get("since")
    if connection.driver_connection.is_closed():
        raise DisconnectionError
    if since is not None and time.monotonic() - since > IDLE_SECONDS:
        try:
            connection.ping()
        except (connection.dbapi.Error, OSError) as error:
            raise DisconnectionError from error


def prepare_file(path: Path, timeout_seconds: float) -> None:
    """Make an SQLite file and its directory where they are missing, and see that it can be used; Unavailable errors.

    Said before any engine exists, because aiosqlite stumbles over a file that it cannot open.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unwritable(path=str(path.parent), reason=error.strerror or str(error)) from error
    _keep_private(path)
    deadline = time.monotonic() + timeout_seconds
    while True:
        try:
            with (
                explained(sqlite3.Error, path=str(path)),
                closing(sqlite3.connect(path, timeout=timeout_seconds)) as connection,
            ):
                # Written into the file: all later connections keep to it.
                if path.stat().st_size == 0:
                    connection.execute("PRAGMA busy_timeout = 0").fetchall()
                    connection.execute("PRAGMA auto_vacuum = INCREMENTAL").fetchall()
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            return
        except Locked:
            # Of two that turn a new file over at once SQLite refuses one without waiting, so that they do not block.
            if time.monotonic() >= deadline:
                raise
            time.sleep(random.uniform(0.001, 0.02))


def _keep_private(path: Path) -> None:
    """See that nobody else reads a database, new or old: it holds seeds of games and codes that link identities.

    What SQLite puts beside it gets the same rights. A group that an operator has let in stays.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        # Where this cannot be done or said, what cannot be opened is told below by who opens it.
        with suppress(OSError):
            rights = stat.S_IMODE(file.stat().st_mode)
            if rights & stat.S_IRWXO:
                file.chmod(rights & ~stat.S_IRWXO)


MIN_FREE_PAGES: Final = 256
"""From so many free pages on (a MiB) a file is made smaller."""
PAGES_PER_TRANSACTION: Final = 512
"""How many pages are given back in one transaction: others who write wait for no more."""
_INCREMENTAL: Final = 2


def enable_incremental_vacuum(path: Path, timeout_seconds: float) -> None:
    """See that a file can give space back; one made before that was so is written anew once. Unavailable errors.

    Readers are not disturbed and a crash leaves the file as it was; it needs the file's size in free space meanwhile.
    """
    with explained(sqlite3.Error, path=str(path)), _open_connection(path, timeout_seconds) as connection:
        if connection.execute("PRAGMA auto_vacuum").fetchone() == (_INCREMENTAL,):
            return
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")


def release_free_pages(path: Path, timeout_seconds: float) -> int:
    """Return how many bytes of a file went back to the system; Unavailable errors."""
    with explained(sqlite3.Error, path=str(path)), _open_connection(path, timeout_seconds) as connection:
        (free,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_size"))
        if free < MIN_FREE_PAGES:
            return 0
        for _ in range(0, free, PAGES_PER_TRANSACTION):
            # As a script: a single statement would free one page for each time that it is stepped on.
            connection.executescript(f"PRAGMA incremental_vacuum({PAGES_PER_TRANSACTION})")
        left = connection.execute("PRAGMA freelist_count").fetchone()[0]
        # Until then what was freed stands in the file, or beside it. Nobody is kept waiting for that.
        connection.execute("PRAGMA busy_timeout = 50")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return int((free - left) * size)


def file_size(path: Path) -> int:
    """Return how many bytes a file takes together with those beside it."""
    found = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
    return sum(each.stat().st_size for each in found if each.exists())


def _open_connection(path: Path, timeout_seconds: float) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, timeout=timeout_seconds, isolation_level=None))
