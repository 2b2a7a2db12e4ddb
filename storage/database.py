"""The connection to the database: engines, transactions, and what the two kinds of database do differently."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, Insert, Table, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.util import await_only

from storage.columns import to_json
from storage.driver import Connections
from storage.errors import InvalidUrl, Locked, Unavailable, Unwritable, translated

READERS: Final = 4
QUEUING: Final = 120.0
"""How many seconds a change may wait for those before it: in a crowd it is better late than refused."""

LONGEST_JOURNAL: Final = 8 * 1024 * 1024
"""To so many bytes the file beside an SQLite file is cut when what stands in it was carried over."""

News = tuple[str, Any]
"""What a transaction has changed: a kind, and what says the rest (see `Store.listen`)."""

_ALONE: Final = "alone"
"""The option of a connection to SQLite whose statements each stand for themselves."""

_PARAMETERS: Final = {"host", "port", "sslmode", "ssl", "prepared_statement_cache_size"}


def read_url(address: str | Path) -> URL:
    """Return what the path of an SQLite file, or an sqlite: or postgresql: address, stands for; InvalidUrl.

    Text is an address: a path that somebody wrote in its place would silently be a new, empty database.
    """
    if isinstance(address, Path):
        return URL.create("sqlite+aiosqlite", database=str(address.absolute()))
    try:
        url = make_url(address)
    except (ArgumentError, ValueError) as error:
        raise InvalidUrl(address=address.partition("://")[0]) from error
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        unknown = sorted(set(url.query) - _PARAMETERS)
        if unknown:
            raise InvalidUrl(address=kind, parameters=unknown)
        # The driver's name for what everybody else calls sslmode.
        query = {"ssl" if name == "sslmode" else name: value for name, value in url.query.items()}
        return url.set(drivername="postgresql+asyncpg", query=query)
    if kind == "sqlite" and url.database and url.database != ":memory:":
        return URL.create("sqlite+aiosqlite", database=str(Path(url.database).absolute()))
    raise InvalidUrl(address=kind)


def database_file(address: str | Path) -> Path | None:
    """Return the SQLite file that a path or an address stands for, None for a database on a server; InvalidUrl."""
    url = read_url(address)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


class Database:
    """Two engines on one database: one that writes, one that only reads.

    On SQLite every transaction of the first takes the write lock at its beginning and waits for it at most
    `patience` seconds; the second never does.
    """

    def __init__(self, url: URL, patience: float) -> None:
        self.url = url
        self.patience = patience
        if self.is_sqlite:
            self._write = sqlite_engine(
                url, patience, "BEGIN IMMEDIATE", pool_size=1, max_overflow=0, pool_timeout=QUEUING
            )
            self._read = sqlite_engine(url, patience, "BEGIN", pool_size=READERS, max_overflow=0, pool_use_lifo=True)
            self._ask = self._read.execution_options(**{_ALONE: True})
        else:
            self._write = postgres_engine(url, patience, pool_pre_ping=True)
            # One snapshot for all statements of a read, so that a game and its seats belong together.
            self._read = self._write.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            self._ask = self._write.execution_options(isolation_level="AUTOCOMMIT")
        self._closed = False
        self._wal_seen = False
        self.trouble: Unavailable | None = None
        """Why the last transaction failed that the database did not take; whoever sees it mended takes it away."""
        self.failures: tuple[int, str | None] = (0, None)
        """How often that has happened, and with which code the last time."""
        self._current: ContextVar[AsyncConnection | None] = ContextVar("storage", default=None)
        self._news: ContextVar[list[News] | None] = ContextVar("news", default=None)
        self.listeners: list[Callable[[News], None]] = []
        self.announce: Callable[[AsyncConnection, list[News]], Awaitable[None]] | None = None

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a file of ours."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return Path(self.url.database or "")

    def removed(self) -> list[str]:
        """Return the names of files of an SQLite database that were deleted, or replaced, while it is in use.

        What is written goes on into the deleted ones, which end with this process.
        """
        if not self.is_sqlite or self._closed:
            return []
        wal = self.path.with_name(f"{self.path.name}-wal")
        self._wal_seen = self._wal_seen or wal.exists()
        files = [self.path, wal] if self._wal_seen else [self.path]
        open_now = _open_files()
        if open_now:
            return [file.name for file in files if f"{file.resolve()} (deleted)" in open_now]
        return [file.name for file in files if not file.exists()]

    async def put_into_file(self) -> None:
        """Have what is in the file beside an SQLite database written into the database itself, as far as may be."""
        with explained(SQLAlchemyError):
            async with self._write.connect() as connection:
                await connection.execution_options(**{_ALONE: True})
                await connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)")

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        await self._write.dispose()
        if self.is_sqlite:
            await self._read.dispose()

    def _inside(self) -> AsyncConnection | None:
        """Return the connection of the transaction that this task is in, None if it is in none."""
        if self._closed:
            raise Unavailable("closed")
        current = self._current.get()
        # A task that was started inside may live longer than the transaction.
        return None if current is None or current.closed else current

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction, or a part of the one that this task is in, which is undone alone if it fails."""
        current = self._inside()
        if current is not None:
            news = self._news.get()
            before = len(news or ())
            try:
                with explained(SQLAlchemyError):
                    async with current.begin_nested():
                        yield current
            except BaseException:
                if news is not None:
                    del news[before:]
                raise
            return
        news = []
        try:
            async with _opened(self._write.begin()) as connection:
                token, heard = self._current.set(connection), self._news.set(news)
                try:
                    yield connection
                    if news and self.announce is not None:
                        # Sent by the server when the transaction has ended well, and else not at all.
                        await self.announce(connection, news)
                finally:
                    self._news.reset(heard)
                    self._current.reset(token)
        except Unavailable as error:
            self.trouble = error
            self.failures = self.failures[0] + 1, error.code
            raise
        for each in news:
            for listener in self.listeners:
                listener(each)

    def tell(self, kind: str, what: Any = None) -> None:
        """Have the listeners told of a change when the transaction of this task has ended well."""
        news = self._news.get()
        if news is not None:
            news.append((kind, what))

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open a consistent view of the database, or look at it from within the transaction of this task."""
        return self._looking(self._read)

    def asking(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open the database for one statement that reads, and so needs no transaction for a consistent view."""
        return self._looking(self._ask)

    def _looking(self, engine: AsyncEngine) -> AbstractAsyncContextManager[AsyncConnection]:
        current = self._inside()
        # What has only read ends by its connection's being given back: there is nothing to commit.
        return _opened(engine.connect()) if current is None else _joined(current)


@asynccontextmanager
async def _opened(opening: AbstractAsyncContextManager[AsyncConnection]) -> AsyncIterator[AsyncConnection]:
    with explained(SQLAlchemyError):
        async with AsyncExitStack() as stack:
            # An OSError of the body is none of our business, one while connecting is.
            with explained(OSError, sqlite3.Error):
                connection = await stack.enter_async_context(opening)
            yield connection


@asynccontextmanager
async def _joined(current: AsyncConnection) -> AsyncIterator[AsyncConnection]:
    with explained(SQLAlchemyError):
        yield current


@contextmanager
def explained(*kinds: type[Exception], **params: str) -> Iterator[None]:
    """Turn the errors of these kinds that mean something to the operator into ours, with these details added.

    Where it is SQLite's, damaged bytes that cannot be decoded are among them.
    """
    undecodable = (UnicodeDecodeError,) if sqlite3.Error in kinds else ()
    try:
        yield
    except (*kinds, *undecodable) as error:
        ours = translated(error)
        if ours is None:
            raise
        ours.params.update(params)
        raise ours from error


def sqlite_engine(url: URL, patience: float, begin: str, *, foreign_keys: bool = True, **pool: Any) -> AsyncEngine:
    """Return an engine on an SQLite file whose transactions open with `begin`."""
    connections = Connections()
    # Without an isolation level the driver opens no transactions of its own.
    arguments = {"isolation_level": None, "timeout": patience, "async_creator_fn": connections.connect}
    # Every transaction ends by itself, so that a returned connection need not be rolled back once more.
    engine = create_async_engine(
        url, json_serializer=to_json, connect_args=arguments, pool_reset_on_return=None, **pool
    )

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute(f"PRAGMA journal_size_limit = {LONGEST_JOURNAL}")
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
        if not connection.get_execution_options().get(_ALONE):
            driver: Any = connection.connection.driver_connection
            driver.opens(begin)

    @event.listens_for(engine.sync_engine, "engine_disposed")
    def close(_: Engine) -> None:
        await_only(connections.close())

    return engine


def postgres_engine(
    url: URL, patience: float, server_settings: Mapping[str, str] | None = None, **pool: Any
) -> AsyncEngine:
    """Return an engine on a PostgreSQL database; Unavailable if its driver is not installed."""
    arguments = {"timeout": patience, "server_settings": dict(server_settings or {})}
    try:
        return create_async_engine(url, json_serializer=to_json, connect_args=arguments, **pool)
    except ModuleNotFoundError as error:
        raise Unavailable("missing-driver", package=error.name) from error


def prepare_file(path: Path, patience: float) -> None:
    """Make an SQLite file and its directory where they are missing, and see that it can be used; Unavailable errors.

    Said before any engine exists, because aiosqlite stumbles over a file that it cannot open.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unwritable(path=str(path.parent), reason=error.strerror or str(error)) from error
    _keep_private(path)
    deadline = time.monotonic() + patience
    while True:
        try:
            with (
                explained(sqlite3.Error, path=str(path)),
                closing(sqlite3.connect(path, timeout=patience)) as connection,
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


def _open_files() -> set[str]:
    """Return what this process has open, as Linux names it; nothing elsewhere."""
    found = set()
    with suppress(OSError):
        for entry in os.scandir("/proc/self/fd"):
            with suppress(OSError):
                found.add(os.readlink(entry.path))  # noqa: PTH115 - as it is said there, "(deleted)" included
    return found


async def insert_new(connection: AsyncConnection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is there already; say whether it was new."""
    statement = _insert(connection, table).on_conflict_do_nothing()
    return (await connection.execute(statement, values)).rowcount == 1


async def upsert(connection: AsyncConnection, table: Table, key: Sequence[str], values: Mapping[str, Any]) -> None:
    """Insert a row, or bring the one with the same key up to date."""
    rest = {name: value for name, value in values.items() if name not in key}
    statement = _insert(connection, table).values(**values)
    await connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=rest))


def _insert(connection: AsyncConnection, table: Table) -> Any:
    inserts: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
    statement: Insert = inserts[connection.dialect.name](table)
    return statement


class StorePart:
    """What the parts of the store have in common."""

    def __init__(self, database: Database) -> None:
        self._database = database
