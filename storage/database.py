"""The connection to the database: transactions, what their end tells, and what the two kinds do differently."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Insert, Table, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from storage.driver import Prepared
from storage.engines import ALONE, ReadingConnection, postgres_engine, sqlite_engine
from storage.errors import InvalidUrl, Unavailable, explained
from storage.memory import RowCache
from storage.rows import GameRow

MAX_READERS: Final = 4
CONNECTIONS: Final = 10
"""How many connections to a server there are at most; those used last are used first: they know all statements."""
WRITE_POOL_TIMEOUT_SECONDS: Final = 120.0
"""How many seconds a change may wait for those before it: in a crowd it is better late than refused."""

News = tuple[str, Any]
"""What a transaction has changed: a kind, and what says the rest (see `Store.listen`)."""

_URL_PARAMETERS: Final = {"host", "port", "sslmode", "ssl", "prepared_statement_cache_size"}


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
        unknown = sorted(set(url.query) - _URL_PARAMETERS)
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


@dataclass
class _Transaction:
    """A transaction under way, what its end is to tell and to do, and whether an error has left a part of it."""

    connection: AsyncConnection
    news: list[News]
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    spoiled: bool = False


@dataclass
class Recalled:
    """Whether memory was used for something, and whether that has stored anything; with `anew` it must not be used."""

    anew: bool
    used: bool = False
    has_stored: bool = False


class Database:
    """Two engines on one database: one that writes, one that only reads.

    On SQLite every transaction of the first takes the write lock at its beginning and waits for it at most
    `timeout_seconds` seconds; the second never does.
    """

    def __init__(self, url: URL, timeout_seconds: float) -> None:
        self.url = url
        self.timeout_seconds = timeout_seconds
        if self.is_sqlite:
            self._write = sqlite_engine(
                url,
                timeout_seconds,
                "BEGIN IMMEDIATE",
                pool_size=1,
                max_overflow=0,
                pool_timeout=WRITE_POOL_TIMEOUT_SECONDS,
            )
            self._read = sqlite_engine(
                url, timeout_seconds, "BEGIN", pool_size=MAX_READERS, max_overflow=0, pool_use_lifo=True
            )
            self._ask = self._read.execution_options(**{ALONE: True})
            self._change = self._write.execution_options(**{ALONE: True})
        else:
            self._write = postgres_engine(
                url,
                timeout_seconds,
                sees_to_it=True,
                pool_size=CONNECTIONS,
                max_overflow=0,
                pool_timeout=WRITE_POOL_TIMEOUT_SECONDS,
                pool_use_lifo=True,
            )
            # One snapshot for all statements of a read, so that a game and its seats belong together.
            self._read = self._write.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            self._ask = self._write.execution_options(isolation_level="AUTOCOMMIT")
            self._change = self._ask
        self._closed = False
        self._wal_seen = False
        self.trouble: Unavailable | None = None
        """Why the last refused transaction failed; reset by the code that sees the database work again."""
        self.failures: tuple[int, str | None] = (0, None)
        """How often that has happened, and with which code the last time."""
        self._transaction: ContextVar[_Transaction | None] = ContextVar("transaction", default=None)
        self._recalled: ContextVar[Recalled | None] = ContextVar("recalled", default=None)
        self.memory = RowCache()
        # What another process changes on a server is heard only once `Store.share` has us connected.
        self.memory.is_current = self.is_sqlite
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

    def removed_files(self) -> list[str]:
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

    async def checkpoint(self) -> None:
        """Have what is in the file beside an SQLite database written into the database itself, as far as may be."""
        with explained(SQLAlchemyError):
            async with self._write.connect() as connection:
                await connection.execution_options(**{ALONE: True})
                await connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)")

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        await self._write.dispose()
        if self.is_sqlite:
            await self._read.dispose()

    def _inside(self) -> _Transaction | None:
        """Return the transaction that this task is in, None if it is in none."""
        if self._closed:
            raise Unavailable("closed")
        current = self._transaction.get()
        # A task that was started inside may live longer than the transaction.
        return None if current is None or current.connection.closed else current

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction, or join the one that this task is in, which an error that leaves this part ends as well.

        To catch such an error and go on, use `attempting`; RuntimeError if the transaction would otherwise be
        committed.
        """
        current = self._inside()
        if current is not None:
            try:
                with explained(SQLAlchemyError):
                    yield current.connection
            except BaseException:
                current.spoiled = True
                raise
            return
        news: list[News] = []
        breaks = self.memory.breaks
        try:
            async with _opened(self._write.begin()) as connection:
                transaction = _Transaction(connection, news)
                token = self._transaction.set(transaction)
                try:
                    yield connection
                    if transaction.spoiled:
                        raise RuntimeError("an error was caught inside a transaction, part of which it had undone")
                    if news and self.announce is not None:
                        # Sent by the server when the transaction has ended well, and else not at all.
                        await self.announce(connection, news)
                finally:
                    self._transaction.reset(token)
        except Unavailable as error:
            self._note_trouble(error)
            raise
        self._note_stored()
        for kind, what in news:
            if isinstance(what, GameRow):
                self.memory.committed(what, breaks)
            else:
                self.memory.apply_change(kind, what)
            for listener in self.listeners:
                listener((kind, what))
        for call in transaction.afterwards:
            call()

    @asynccontextmanager
    async def write_autocommit(self) -> AsyncIterator[AsyncConnection]:
        """Open the database for one statement that changes something and causes no news: it needs no BEGIN, no COMMIT.

        It is stored when it has been carried out; inside the transaction of this task it is a part of that.
        """
        if self._inside() is not None:
            async with self.transaction() as connection:
                yield connection
            return
        try:
            async with _opened(self._change.connect()) as connection:
                yield connection
        except Unavailable as error:
            self._note_trouble(error)
            raise
        self._note_stored()

    def _note_trouble(self, error: Unavailable) -> None:
        self.trouble = error
        self.failures = self.failures[0] + 1, error.code

    def _note_stored(self) -> None:
        recalled = self._recalled.get()
        if recalled is not None:
            recalled.has_stored = True

    @asynccontextmanager
    async def attempting(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction, or a part of that of this task, which is undone alone if an error leaves it."""
        current = self._inside()
        if current is None:
            async with self.transaction() as connection:
                yield connection
            return
        before, calls, spoiled = len(current.news), len(current.afterwards), current.spoiled
        try:
            with explained(SQLAlchemyError):
                async with current.connection.begin_nested():
                    yield current.connection
        except BaseException:
            del current.news[before:]
            del current.afterwards[calls:]
            current.spoiled = spoiled
            raise

    def emit_after_commit(self, kind: str, what: Any = None) -> None:
        """Have the listeners told of a change when the transaction of this task has ended well."""
        current = self._transaction.get()
        if current is not None:
            current.news.append((kind, what))

    def afterwards(self, call: Callable[[], None]) -> None:
        """Have something called when the transaction of this task has ended well; at once where it is in none."""
        current = self._inside()
        if current is None:
            call()
        else:
            current.afterwards.append(call)

    def recall(self) -> RowCache | None:
        """Return what is known without asking; None within a transaction, which decides by the database alone."""
        recalled = self._recalled.get()
        if not self.memory.is_current or self._inside() is not None or (recalled is not None and recalled.anew):
            return None
        if recalled is not None:
            recalled.used = True
        return self.memory

    @contextmanager
    def recalling(self, *, anew: bool = False) -> Iterator[Recalled]:
        """Note whether memory is used inside; it is not where all is to be asked `anew`."""
        recalled = Recalled(anew)
        token = self._recalled.set(recalled)
        try:
            yield recalled
        finally:
            self._recalled.reset(token)

    def read_snapshot(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open a consistent view of the database, or look at it from within the transaction of this task."""
        return self._looking(self._read)

    def read_autocommit(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open the database for one statement that reads, and so needs no transaction for a consistent view."""
        return self._looking(self._ask)

    def _looking(self, engine: AsyncEngine) -> AbstractAsyncContextManager[AsyncConnection]:
        current = self._inside()
        # What has only read ends by its connection's being given back: there is nothing to commit.
        return _opened(ReadingConnection(engine)) if current is None else _joined(current.connection)


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


def _open_files() -> set[str]:
    """Return what this process has open, as Linux names it; nothing elsewhere."""
    found = set()
    with suppress(OSError):
        for entry in os.scandir("/proc/self/fd"):
            with suppress(OSError):
                found.add(os.readlink(entry.path))  # noqa: PTH115 - as it is said there, "(deleted)" included
    return found


async def insert_if_new(connection: AsyncConnection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is there already; say whether it was new."""
    return await _inserting_new(connection.dialect.name, table).count(connection, values) == 1


async def upsert(connection: AsyncConnection, table: Table, key: Sequence[str], values: Mapping[str, Any]) -> None:
    """Insert a row, or bring the one with the same key up to date."""
    rest = tuple(name for name in values if name not in key)
    await _upserting(connection.dialect.name, table, tuple(key), rest).count(connection, values)


@cache
def _inserting_new(dialect: str, table: Table) -> Prepared:
    return Prepared(inserting(dialect, table).on_conflict_do_nothing())


@cache
def _upserting(dialect: str, table: Table, key: tuple[str, ...], rest: tuple[str, ...]) -> Prepared:
    statement = inserting(dialect, table)
    new = {name: statement.excluded[name] for name in rest}
    return Prepared(statement.on_conflict_do_update(index_elements=list(key), set_=new))


def inserting(dialect: str, table: Table) -> Any:
    """Return an insert into a table that knows what to do on a conflict."""
    inserts: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
    statement: Insert = inserts[dialect](table)
    return statement


class Repository:
    """What the parts of the store have in common."""

    def __init__(self, database: Database) -> None:
        self._database = database
