"""SQLAlchemy engines for both backends, and the maintenance of an SQLite file: its journal and free pages."""

import asyncio
import errno
import os
import random
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.util import await_only

from storage.addresses import list_files
from storage.columns import to_json
from storage.errors import Locked, Unavailable, translate_errors, translate_file_errors, translate_write_error
from storage.sqlite import Connection

JOURNAL_LIMIT_BYTES: Final = 8 * 1024 * 1024
"""Size in bytes to which the write-ahead log is truncated after a checkpoint."""

IDLE_SECONDS: Final = 5.0
"""Seconds after which an idle server connection is checked before reuse; the check takes three round trips."""


def sqlite_engine(
    url: URL, timeout_seconds: float, *, reads_only: bool, foreign_keys: bool = True, **pool: Any
) -> AsyncEngine:
    """Return an engine for an SQLite file; its connections are in autocommit mode until their `opening` is set."""
    connections = Connections()
    # With isolation_level None the driver opens no transactions. A connection has one user at a time.
    arguments = {
        "isolation_level": None,
        "timeout": timeout_seconds,
        "check_same_thread": False,
        "async_creator_fn": connections.connect,
    }
    # Every transaction is ended explicitly, so a returned connection needs no rollback.
    engine = create_async_engine(
        url, json_serializer=to_json, connect_args=arguments, pool_reset_on_return=None, **pool
    )

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute(f"PRAGMA journal_size_limit = {JOURNAL_LIMIT_BYTES}")
        cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        if reads_only:
            cursor.execute("PRAGMA query_only = ON")
            connection.driver_connection.reads_only = True
        cursor.close()

    @event.listens_for(engine.sync_engine, "invalidate")
    def release(connection: Any, *_: object) -> None:
        # After a cancelled statement, closing alone would keep the lock until the cursor is garbage-collected.
        connection.rollback()

    @event.listens_for(engine.sync_engine, "engine_disposed")
    def close(_: Engine) -> None:
        await_only(connections.close())

    return engine


def postgres_engine(
    url: URL,
    timeout_seconds: float,
    server_settings: Mapping[str, str] | None = None,
    *,
    checks_connections: bool = False,
    **pool: Any,
) -> AsyncEngine:
    """Return an engine for a PostgreSQL database; Unavailable if its driver is not installed.

    With `checks_connections` the pool replaces closed connections, and long idle ones that do not answer.
    """
    arguments = {"timeout": timeout_seconds, "server_settings": dict(server_settings or {})}
    try:
        engine = create_async_engine(url, json_serializer=to_json, connect_args=arguments, **pool)
    except ModuleNotFoundError as error:
        raise Unavailable("missing-driver", package=error.name) from error
    if checks_connections:
        event.listen(engine.sync_engine, "checkin", _note_returned)
        event.listen(engine.sync_engine, "checkout", _check_connection)
    return engine


class Connections:
    """The connections of one engine, all closed together with it."""

    def __init__(self) -> None:
        self._made: list[Connection] = []
        self._closed = False

    def connect(self, database: str, **options: Any) -> Connection:
        """Return a connection that the caller awaits; Unavailable after `close`."""
        if self._closed:
            raise Unavailable("closed")
        connection = Connection(database, options)
        self._made = [*(made for made in self._made if not made.closed), connection]
        return connection

    async def close(self) -> None:
        """Close all connections that are still open, and refuse new ones."""
        self._closed = True
        left = [made for made in self._made if not made.closed]
        for made in left:
            made.stop()
        for made in left:
            await made.wait_closed()


_Opened = tuple[AsyncConnection, Connection]
"""A connection, and the driver's connection that it wraps, which prepared statements use."""


class SqliteConnections:
    """The connections of an SQLite file, which stay open: opening and closing one costs more than reading a row.

    At most `count` connections are in use at once; Locked after `wait_seconds` without a free one.
    """

    def __init__(self, url: URL, timeout_seconds: float, *, reads_only: bool, count: int, wait_seconds: float) -> None:
        self._engine = sqlite_engine(url, timeout_seconds, reads_only=reads_only, pool_size=count, max_overflow=0)
        self._wait_seconds = wait_seconds
        self._free = asyncio.Semaphore(count)
        self._idle: list[_Opened] = []
        self._discards: set[asyncio.Task[None]] = set()
        self._closed = False

    @asynccontextmanager
    async def open(self, begin: str = "") -> AsyncIterator[AsyncConnection]:
        """Use a connection in a transaction that opens with `begin`, by default in none; errors roll it back.

        Unavailable errors.
        """
        with translate_errors(SQLAlchemyError, sqlite3.Error, OSError):
            connection, driver = opened = await self.acquire()
        driver.opening = begin
        is_done = False
        with translate_errors(SQLAlchemyError):
            try:
                yield connection
                is_done = True
            finally:
                with translate_errors(sqlite3.Error):
                    await self.release(opened, commit=is_done)

    async def acquire(self) -> _Opened:
        """Return a connection outside any transaction, with the driver's connection, for use until `release`."""
        if self._free.locked():
            try:
                # Not wait_for, which loses a cancellation if the connection becomes free at the same moment.
                async with asyncio.timeout(self._wait_seconds):
                    await self._free.acquire()
            except TimeoutError as error:
                raise Locked(reason="no connection became free") from error
        else:
            await self._free.acquire()
        try:
            if self._idle:
                return self._idle.pop()
            connection = await self._engine.connect()
            below: Any = connection.sync_connection
            return connection, below.connection.driver_connection
        except BaseException:
            self._free.release()
            raise

    async def release(self, opened: _Opened, *, commit: bool) -> None:
        """Commit or roll back the transaction of a connection, if any, and make the connection available again.

        A task that is cancelled during a COMMIT first learns the outcome; its next `await` raises CancelledError.
        """
        connection, driver = opened
        try:
            if not connection.invalidated:
                # SQLAlchemy ends its own transactions; those of prepared statements it does not know.
                ends: Any = connection if connection.in_transaction() else driver
                if commit and driver.is_in_transaction:
                    await _run_to_end(ends.commit())
                else:
                    await (ends.commit() if commit else ends.rollback())
        except BaseException:
            await connection.rollback()
            raise
        finally:
            if self._closed or connection.invalidated or driver.is_in_transaction:
                # In a separate task, because this one may be cancelled again.
                task = asyncio.create_task(_discard(connection))
                self._discards.add(task)
                task.add_done_callback(self._discards.discard)
            else:
                self._idle.append(opened)
            self._free.release()

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        await asyncio.gather(*self._discards)
        while self._idle:
            await self._idle.pop()[0].close()
        await self._engine.dispose()


async def _run_to_end(work: Coroutine[Any, Any, object]) -> None:
    """Run a coroutine to its end even if this task is cancelled meanwhile; the cancellation follows afterwards."""
    task = asyncio.current_task()
    # With the name of this task, for logs and counts by name.
    running = asyncio.create_task(work, name=task.get_name() if task is not None else None)
    is_cancelled = False
    while not running.done():
        try:
            await asyncio.wait((running,))
        except asyncio.CancelledError:
            is_cancelled = True
    if is_cancelled and task is not None:
        # asyncio.timeout counts cancellations: this one was counted already.
        task.uncancel()
        task.cancel()
    running.result()


async def _discard(connection: AsyncConnection) -> None:
    with suppress(SQLAlchemyError, sqlite3.Error):
        await connection.invalidate()
    await connection.close()


class ReadingConnection(AsyncConnection):
    """A read-only connection that retries its first statement if the connection turns out to be lost.

    A server that goes away ends the idle connections in the pool, which is only noticed with the next statement.
    """

    _used = False

    async def execute(self, *arguments: Any, **options: Any) -> Any:
        """Execute a statement and return its result."""
        first, self._used = not self._used, True
        try:
            return await super().execute(*arguments, **options)
        except DBAPIError as error:
            if not (first and error.connection_invalidated):
                raise
        await self.rollback()
        # The new connection does not have these options yet; connecting fails with an OSError while the server is away.
        opened: Any = self.sync_connection
        with translate_errors(OSError):
            await self.execution_options(**opened.get_execution_options())
            return await super().execute(*arguments, **options)


@asynccontextmanager
async def open_on_server(
    opens: Callable[[], AbstractAsyncContextManager[AsyncConnection]],
) -> AsyncIterator[AsyncConnection]:
    """Use a connection to a server within the context manager `opens`; raise its errors as Unavailable errors."""
    with translate_errors(SQLAlchemyError):
        async with AsyncExitStack() as stack:
            # Only an OSError while connecting concerns us.
            with translate_errors(OSError):
                connection = await stack.enter_async_context(opens())
            yield connection


def _note_returned(_: Any, entry: ConnectionPoolEntry) -> None:
    entry.info["since"] = time.monotonic()


def _check_connection(connection: Any, entry: ConnectionPoolEntry, _: object) -> None:
    """Raise DisconnectionError for an unusable connection, so that the pool opens another one."""
    since = entry.info.get("since")
    if connection.driver_connection.is_closed():
        raise DisconnectionError
    if since is not None and time.monotonic() - since > IDLE_SECONDS:
        try:
            connection.ping()
        except (connection.dbapi.Error, OSError) as error:
            raise DisconnectionError from error


def prepare_file(path: Path, timeout_seconds: float) -> None:
    """Create an SQLite file and its folder if missing, and check that it can be used; Unavailable errors.

    This runs before any engine exists, because aiosqlite fails on a file that it cannot open.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise translate_write_error(error, path.parent) from error
    _restrict_permissions(path)
    deadline = time.monotonic() + timeout_seconds
    while True:
        try:
            with (
                translate_file_errors(path),
                closing(sqlite3.connect(path, timeout=timeout_seconds)) as connection,
            ):
                # Stored in the file, so it applies to all later connections.
                if path.stat().st_size == 0:
                    connection.execute("PRAGMA busy_timeout = 0").fetchall()
                    connection.execute("PRAGMA auto_vacuum = INCREMENTAL").fetchall()
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            return
        except Locked:
            # If two processes switch a new file to WAL at once, SQLite refuses one of them immediately.
            if time.monotonic() >= deadline:
                raise
            time.sleep(random.uniform(0.001, 0.02))


def _restrict_permissions(path: Path) -> None:
    """Remove others' permissions on the database files: they hold seeds of games and codes that link identities.

    A group that has been given access by an operator keeps it.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for file in list_files(path):
        # If this fails, opening the file below reports the reason.
        with suppress(OSError):
            rights = stat.S_IMODE(file.stat().st_mode)
            if rights & stat.S_IRWXO:
                file.chmod(rights & ~stat.S_IRWXO)


MIN_FREE_PAGES: Final = 256
"""Minimum number of free pages (a MiB) for shrinking a file."""
PAGES_PER_TRANSACTION: Final = 512
"""Number of pages released in one transaction, few enough that other writers do not wait long."""
_INCREMENTAL_VACUUM_MODE: Final = 2


def enable_incremental_vacuum(path: Path, timeout_seconds: float) -> None:
    """Make an SQLite file able to release space; an older file is rewritten once. Unavailable errors.

    Readers are not blocked, and a crash leaves the file unchanged. It needs free disk space of the size of the file.
    """
    with translate_file_errors(path), _open_connection(path, timeout_seconds) as connection:
        if connection.execute("PRAGMA auto_vacuum").fetchone() == (_INCREMENTAL_VACUUM_MODE,):
            return
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")


def release_free_pages(path: Path, timeout_seconds: float) -> int:
    """Release the free pages of a file and return how many bytes; Unavailable errors."""
    with translate_file_errors(path), _open_connection(path, timeout_seconds) as connection:
        (free,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_size"))
        if free < MIN_FREE_PAGES:
            return 0
        for _ in range(0, free, PAGES_PER_TRANSACTION):
            # A script, because a single statement frees only one page per step.
            connection.executescript(f"PRAGMA incremental_vacuum({PAGES_PER_TRANSACTION})")
        left = connection.execute("PRAGMA freelist_count").fetchone()[0]
        # The file shrinks only with a checkpoint, which does not make others wait.
        connection.execute("PRAGMA busy_timeout = 50")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return int((free - left) * size)


def file_size(path: Path) -> int:
    """Return the size of a file with its write-ahead log and shared memory, in bytes."""
    return sum(each.stat().st_size for each in list_files(path) if each.exists())


def _open_connection(path: Path, timeout_seconds: float) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, timeout=timeout_seconds, isolation_level=None))


_WRITE_ERRORS: Final = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_WRITE_ERROR_NAMES: Final = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE", "SQLITE_IOERR_DIR")


def copy_file(path: Path, part: Path) -> None:
    """Copy an SQLite file; sqlite3.Error if it cannot be read, OSError if the copy cannot be written."""
    with open_read_only(path) as source, closing(sqlite3.connect(part)) as target:
        # Read first, so that an unreadable source fails before anything is written.
        source.execute("SELECT count(*) FROM sqlite_master").fetchall()
        try:
            source.backup(target)
            # A copy is a single file, without log files that could be left behind.
            target.execute("PRAGMA journal_mode = DELETE").fetchall()
        except sqlite3.Error as error:
            number, name = getattr(error, "sqlite_errorcode", 0), getattr(error, "sqlite_errorname", "")
            if number & 0xFF in _WRITE_ERRORS or name.startswith(_WRITE_ERROR_NAMES):
                full = number & 0xFF == sqlite3.SQLITE_FULL
                raise OSError(errno.ENOSPC if full else errno.EIO, str(error)) from error
            raise


def open_read_only(path: Path) -> closing[sqlite3.Connection]:
    """Open a read-only connection, which is closed in the end: copying never creates or changes the source."""
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True))


@contextmanager
def unfinished_copy(part: Path) -> Iterator[None]:
    """Create an empty file for an unfinished copy, with its folder if missing; delete it in the end.

    Raises OSError if it cannot be created. `publish_copy` renames the file once the copy is complete.
    """
    part.parent.mkdir(parents=True, exist_ok=True)
    part.unlink(missing_ok=True)
    try:
        # Created here, because the system's error is more precise than SQLite's or pg_dump's.
        # Readable by the owner only: it holds everything that the database holds.
        part.touch(0o600, exist_ok=False)
        yield
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def publish_copy(part: Path, target: Path) -> None:
    """Rename a finished copy to its target once it is safely on disk."""
    for path in (part, target.parent):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if path == part:
            part.replace(target)
