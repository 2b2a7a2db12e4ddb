"""The database connections: transactions, the row cache, notifications after a commit, and backend differences.

The cache holds games and people. It is active only where this process is the only writer: on an SQLite file.

A transaction announces its changes, and its commit updates the cache: a changed game is replaced by its new row, other
changed rows are dropped. Reads inside a transaction bypass the cache. Rows that were read while anything changed are
not cached.
"""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from cachetools import LRUCache
from sqlalchemy import (
    ARRAY,
    URL,
    ColumnElement,
    Executable,
    Integer,
    Row,
    UniqueConstraint,
    any_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

# SQLite has the same ON CONFLICT, and SQLAlchemy compiles this INSERT for both.
from sqlalchemy.dialects.postgresql import insert as insert_unless_conflict
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.addresses import add_suffix
from storage.columns import Condition, Json, Values
from storage.engines import ReadingConnection, SqliteConnections, open_on_server, postgres_engine
from storage.errors import Unavailable, translate_errors
from storage.schema import DeclaredTable, GameRow, Person, columns_of
from storage.sqlite import Prepared

MAX_ROWS: Final = 8000
"""Maximum number of cached games and people: a game takes some 8 KB."""


class News(NamedTuple):
    """A change that a transaction of this process, or of a peer, has made (see `Store.add_listener`)."""

    kind: str
    details: Any = None
    is_remote: bool = False
    """A peer has made it: the details are as JSON has them, a game is its id, and too many due posts are None."""


MISSED_NEWS: Final = News("any", is_remote=True)
"""Peers may have made any change: the connection that reports them is new."""


class RowCache:
    """The cached rows, by the id of a game or a person; none while `is_active` is False."""

    def __init__(self, *, is_active: bool = True) -> None:
        self.is_active = is_active
        self.changes = 0
        """The number of changes so far: rows read before the last change are not cached."""
        self.rows: LRUCache[str | int, Any] = LRUCache(MAX_ROWS)
        """Unfinished games and people."""

    def keep(self, rows: Iterable[GameRow | Person], changes: int) -> None:
        """Cache rows that were read after `changes` changes, unless more followed; finished games are rarely read."""
        if self.is_active and changes == self.changes:
            for row in rows:
                if isinstance(row, Person) or (not row.is_over and not row.unread):
                    self.rows[row.id] = row

    def put_right(self, news: Iterable[News], *, is_stored: bool = True) -> None:
        """Cache the games that a commit has stored, and drop other changed rows; without `is_stored` also games."""
        for kind, details, _ in news:
            if kind in _CHANGES_ALL:
                self.clear()
            elif kind in _CHANGES_ONE:
                self.changes += 1
                self.rows.pop(details.id if isinstance(details, GameRow) else details, None)
                if is_stored and isinstance(details, GameRow):
                    self.keep([details], self.changes)

    def clear(self) -> None:
        """Drop everything."""
        self.changes += 1
        self.rows.clear()


_CHANGES_ONE: Final = frozenset({"game", "table", "person"})
"""The kinds of news that name a game or a person that has changed."""
_CHANGES_ALL: Final = frozenset({"people", "moved"})
"""The kinds of news after which any game or person may have changed."""

MAX_READERS: Final = 4
MAX_CONNECTIONS: Final = 10
"""Maximum number of connections to a server. The last used one is reused first: it has prepared statements."""
WRITE_WAIT_SECONDS: Final = 120.0
"""Maximum seconds that a write waits for the connection: under heavy load late is better than refused."""
READ_WAIT_SECONDS: Final = 30.0

_NO_CACHE: Final = RowCache(is_active=False)
_Opens = Callable[[], AbstractAsyncContextManager[AsyncConnection]]


@dataclass
class _Transaction:
    """A transaction, or a snapshot that a task reads: the changes that its commit announces, and its state.

    An error may have spoiled it; a task started inside may outlive it, and finds that it has `ended`.
    """

    connection: AsyncConnection
    news: list[News] = field(default_factory=list)
    spoiled: bool = False
    ended: bool = False


class Database:
    """Two engines for one database: one for writing and one for reading.

    On SQLite every write transaction takes the write lock when it begins, waiting at most `timeout_seconds` seconds;
    reads never take it.
    """

    def __init__(self, url: URL, timeout_seconds: float) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.path = Path(url.database or "")
        """The SQLite file."""
        self.timeout_seconds = timeout_seconds
        self._open_writing: _Opens
        self._open_write_autocommit: _Opens
        self._open_snapshot: _Opens
        self._open_read_autocommit: _Opens
        self._closing: Sequence[Callable[[], Awaitable[None]]]
        if self.is_sqlite:
            writers = SqliteConnections(
                url, timeout_seconds, reads_only=False, count=1, wait_seconds=WRITE_WAIT_SECONDS
            )
            readers = SqliteConnections(
                url, timeout_seconds, reads_only=True, count=MAX_READERS, wait_seconds=READ_WAIT_SECONDS
            )
            self._open_writing, self._open_write_autocommit = partial(writers.open, "BEGIN IMMEDIATE"), writers.open
            self._open_snapshot, self._open_read_autocommit = partial(readers.open, "BEGIN"), readers.open
            self._closing = [writers.close, readers.close]
        else:
            engine = postgres_engine(
                url,
                timeout_seconds,
                checks_connections=True,
                pool_size=MAX_CONNECTIONS,
                max_overflow=0,
                pool_timeout=WRITE_WAIT_SECONDS,
                pool_use_lifo=True,
            )
            # One snapshot for all statements of a read, so that a game matches its seats.
            snapshots = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
            self._open_writing = partial(open_on_server, engine.begin)
            self._open_write_autocommit = partial(open_on_server, autocommit.connect)
            self._open_snapshot = partial(open_on_server, partial(ReadingConnection, snapshots))
            self._open_read_autocommit = partial(open_on_server, partial(ReadingConnection, autocommit))
            self._closing = [engine.dispose]
        self._closed = False
        self._wal_seen = False
        self.trouble: Unavailable | None = None
        """Why the last transaction failed; reset by the code that finds the database working again."""
        self.failures: tuple[int, str | None] = (0, None)
        """The number of failed transactions and the code of the last failure."""
        self._transaction: ContextVar[_Transaction | None] = ContextVar("transaction", default=None)
        self._snapshot: ContextVar[_Transaction | None] = ContextVar("snapshot", default=None)
        self.cache = RowCache(is_active=self.is_sqlite)
        self._listeners: list[tuple[Callable[[News], None], Collection[str]]] = []
        self.announce: Callable[[AsyncConnection, list[News]], Awaitable[None]] | None = None

    def removed_files(self) -> list[str]:
        """Return the names of the files of an SQLite database that were deleted or replaced while it is in use.

        Writes still go to the deleted files, which are lost when this process ends.
        """
        if not self.is_sqlite or self._closed:
            return []
        wal = add_suffix(self.path, "-wal")
        self._wal_seen = self._wal_seen or wal.exists()
        files = [self.path, wal] if self._wal_seen else [self.path]
        open_now = _open_files()
        if open_now:
            return [file.name for file in files if f"{file.resolve()} (deleted)" in open_now]
        return [file.name for file in files if not file.exists()]

    async def checkpoint(self) -> None:
        """Copy the write-ahead log of an SQLite database into the database file, as far as possible."""
        if self.is_sqlite:
            async with self._open_write_autocommit() as connection:
                await connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)")

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        for close in self._closing:
            await close()

    def _get_current_transaction(self) -> _Transaction | None:
        """Return the transaction that this task is in, None if it is in none."""
        if self._closed:
            raise Unavailable("closed")
        current = self._transaction.get()
        return None if current is None or current.ended else current

    @asynccontextmanager
    async def transaction(self, opens: _Opens | None = None) -> AsyncIterator[AsyncConnection]:
        """Open a transaction, or join the one of this task; an error inside a joined part spoils the whole transaction.

        It is opened with `opens` if that is given.
        Use `attempting` to catch such an error and continue; RuntimeError if a spoiled transaction would be committed.
        """
        current = self._get_current_transaction()
        if current is not None:
            try:
                with translate_errors(SQLAlchemyError):
                    yield current.connection
            except BaseException:
                current.spoiled = True
                raise
            return
        news: list[News] = []
        try:
            async with (opens or self._open_writing)() as connection:
                transaction = _Transaction(connection, news)
                token = self._transaction.set(transaction)
                try:
                    yield connection
                    if transaction.spoiled:
                        raise RuntimeError("an error was caught inside a transaction, part of which it had undone")
                    if news and self.announce is not None:
                        # The server sends notifications only if the transaction commits.
                        await self.announce(connection, news)
                finally:
                    transaction.ended = True
                    self._transaction.reset(token)
        except BaseException as error:
            # If the COMMIT itself has failed, it is not known which rows are stored.
            self.cache.put_right(news, is_stored=False)
            if isinstance(error, Unavailable):
                self.trouble, self.failures = error, (self.failures[0] + 1, error.code)
            raise
        self.cache.put_right(news)
        for each in news:
            self.notify(each)

    def add_listener(self, listener: Callable[[News], None], kinds: Collection[str] = ()) -> None:
        """Call a listener with every change of some kinds, or of any kind, after its transaction was committed.

        Changes of peers come as well, marked as theirs. Where some were missed, every listener gets `MISSED_NEWS`.

        The kinds are: "game" with the new GameRow, "shown" with a place and a game, "person" (settings), "place" with
        the id of a changed place, "table" with the id of a game that was changed in another way, "seen" with a place
        and a person, "people" when any person or place may have changed, "room" for messages of the local page, "bans"
        for changed bans; "due" with the posts that have become due (None when any may have), "notices" when a notice
        may be due at once, "thinking" with a game in which a computer is to act, "competition" with a competition,
        "teams" and "votes" with a game in which a team votes, "webhooks" for changed webhooks, "value" with the
        platform and the name of an announced value, "here" with a person and whether they have a stream; "moved" with
        the number and the seconds of a move of stored durations; "clock" with a clock move that peers apply as well.
        """
        self._listeners.append((listener, frozenset(kinds)))

    def notify(self, news: News) -> None:
        """Call the listeners of a change."""
        for listener, kinds in self._listeners:
            if not kinds or news.kind in kinds or news is MISSED_NEWS:
                listener(news)

    def write_autocommit(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Open a connection for a single write without notifications, which needs neither BEGIN nor COMMIT.

        The write is durable once it was executed; inside a transaction of this task it is part of that.
        """
        return self.transaction(self._open_write_autocommit)

    @asynccontextmanager
    async def attempting(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction, or a savepoint in that of this task, which is rolled back alone if an error leaves it."""
        current = self._get_current_transaction()
        if current is None:
            async with self.transaction() as connection:
                yield connection
            return
        before, spoiled = len(current.news), current.spoiled
        try:
            with translate_errors(SQLAlchemyError):
                async with current.connection.begin_nested():
                    yield current.connection
        except BaseException:
            del current.news[before:]
            current.spoiled = spoiled
            raise

    def emit_after_commit(self, kind: str, details: Any = None) -> None:
        """Update the cache and notify the listeners after the transaction of this task has been committed."""
        current = self._transaction.get()
        if current is not None:
            current.news.append(News(kind, details))

    @property
    def readable_cache(self) -> RowCache:
        """The cache; inside a transaction an inactive one, because transactions read only from the database."""
        return self.cache if self._get_current_transaction() is None else _NO_CACHE

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """Let this task read from one consistent snapshot of the database, or within its transaction."""
        async with self.read_autocommit(self._open_snapshot) as connection:
            snapshot = _Transaction(connection)
            token = self._snapshot.set(snapshot)
            try:
                yield connection
            finally:
                snapshot.ended = True
                self._snapshot.reset(token)

    @asynccontextmanager
    async def read_autocommit(self, opens: _Opens | None = None) -> AsyncIterator[AsyncConnection]:
        """Open a connection for a single read, with `opens` if given; a single statement needs no transaction."""
        current = self._get_current_transaction() or self._snapshot.get()
        if current is None or current.ended:
            async with (opens or self._open_read_autocommit)() as connection:
                yield connection
        else:
            with translate_errors(SQLAlchemyError):
                yield current.connection


def _open_files() -> set[str]:
    """Return the targets of the open file descriptors of this process (Linux), nothing elsewhere."""
    found = set()
    with suppress(OSError):
        for entry in os.scandir("/proc/self/fd"):
            with suppress(OSError):
                found.add(os.readlink(entry.path))  # noqa: PTH115 - as it is said there, "(deleted)" included
    return found


@cache
def _build_insert_if_new(table: DeclaredTable) -> Prepared:
    return Prepared(insert_unless_conflict(table).on_conflict_do_nothing())


@cache
def _build_upsert(table: DeclaredTable, names: tuple[str, ...]) -> Prepared:
    statement = insert_unless_conflict(table)
    key = next(key for key in _keys_of(table) if key <= {*names})
    new = {name: statement.excluded[name] for name in names if name not in key}
    return Prepared(statement.on_conflict_do_update(index_elements=sorted(key), set_=new))


@cache
def _build_list(row_class: type, names: tuple[str, ...], order: tuple[str, ...], limit: int | None) -> Prepared:
    """Return the query for the rows of a table with some values; building it takes longer than executing it."""
    rows = select(*columns_of(row_class)).filter_by(**{name: bindparam(name) for name in names})
    return Prepared(rows.order_by(*order).limit(limit), is_short=limit == 1)


def _keys_of(table: DeclaredTable) -> list[set[str]]:
    """Return the names of the columns of each unique key, the primary key first."""
    unique = [each for each in table.table.constraints if isinstance(each, UniqueConstraint)]
    return [{*key.columns.keys()} for key in (table.table.primary_key, *unique)]


_PAGE_ROWS: Final = 200
"""Number of ids read per page."""
_BATCH_ROWS: Final = 500
"""Maximum number of rows named in one statement."""

T = TypeVar("T")
Query = Executable | Prepared
Parameters = Values | None
SqlRow = Row[*tuple[Any, ...]]


class Repository:
    """The base of all parts of the store: typed queries and changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._transaction, self._emit = database.transaction, database.emit_after_commit

    def _change_everybody(self) -> None:
        """Announce that any person or place, and everything that shows them, may have changed."""
        self._emit("people")
        self._emit("due")

    async def _read(self, query: Query, parameters: Parameters = None) -> Sequence[SqlRow]:
        """Return all rows, read by a single statement or in the task's transaction."""
        async with self._database.read_autocommit() as connection:
            if isinstance(query, Prepared):
                return (await query.rows(connection, parameters or {})).all()
            return (await connection.execute(query, parameters)).all()

    async def _read_all(self, query: Query, build: Callable[[Json], T], parameters: Parameters = None) -> list[T]:
        """Map each row, a dictionary of its columns, with `build`."""
        return [build(row._asdict()) for row in await self._read(query, parameters)]

    async def _read_rows(self, query: Query, row_class: Callable[..., T], parameters: Parameters = None) -> list[T]:
        """Return the rows as objects with a field for each column."""
        return [row_class(**row._asdict()) for row in await self._read(query, parameters)]

    async def _read_one(self, query: Query, build: Callable[[Json], T], parameters: Parameters = None) -> T | None:
        """Map the first row with `build`; None if there is none."""
        rows = await self._read(query, parameters)
        return build(rows[0]._asdict()) if rows else None

    async def _read_column(self, query: Query, parameters: Parameters = None) -> list[Any]:
        """Return the first column."""
        return [row[0] for row in await self._read(query, parameters)]

    async def _read_value(self, query: Query, parameters: Parameters = None) -> Any | None:
        """Return the first column of the first row, None if there is none."""
        return next(iter(await self._read_column(query, parameters)), None)

    async def _read_pairs(self, query: Query, parameters: Parameters = None) -> dict[Any, Any]:
        """Return the values of the second column by those of the first."""
        return {row[0]: row[1] for row in await self._read(query, parameters)}

    async def _read_earliest(self, column: Any, *where: Condition, **equal: Any) -> datetime | None:
        """Return the earliest time in a column of the rows that fulfil some conditions, None if none has any."""
        return await self._read_value(select(func.min(column)).where(column.is_not(None), *where).filter_by(**equal))

    async def _list(
        self,
        row_class: type[T],
        *where: Condition,
        order: Sequence[Any] = (),
        limit: int | None = None,
        **equal: Any,
    ) -> list[T]:
        """Return the rows of a table that fulfil some conditions, in an order of columns."""
        if not where and None not in equal.values() and all(isinstance(column, str) for column in order):
            kind: Any = row_class  # mypy takes no class for hashable
            return await self._read_rows(_build_list(kind, tuple(equal), tuple(order), limit), row_class, equal)
        return await self._read_rows(
            select(*columns_of(row_class)).where(*where).filter_by(**equal).order_by(*order).limit(limit), row_class
        )

    async def _find(self, row_class: type[T], *where: Condition, order: Sequence[Any] = (), **equal: Any) -> T | None:
        """Return the first row of a table that fulfils some conditions, in an order of columns; None without one."""
        return next(iter(await self._list(row_class, *where, order=order, limit=1, **equal)), None)

    def _is_among(self, column: ColumnElement[Any], ids: Collection[int]) -> Condition:
        """Return the condition that a column is one of some ids, which are one parameter however many they are."""
        if self._database.is_sqlite:
            each = func.json_each(json.dumps(sorted(ids))).table_valued("value")
            return column.in_(select(each.c.value))
        return column == any_(literal(sorted(ids), ARRAY(Integer)))

    async def _insert(self, table: DeclaredTable, rows: Sequence[Values]) -> None:
        """Insert rows, perhaps none."""
        if rows:
            async with self._transaction() as connection:
                await connection.execute(insert(table), rows)

    async def _insert_if_new(self, table: DeclaredTable, values: Values) -> bool:
        """Insert a row unless its key exists; return whether it was new."""
        return await self._write(_build_insert_if_new(table), values) == 1

    async def _upsert(self, table: DeclaredTable, values: Values) -> None:
        """Insert a row, or update the one with the same key."""
        await self._write(_build_upsert(table, tuple(values)), values)

    async def _update(self, table: DeclaredTable, values: Mapping[Any, Any], /, *where: Condition, **equal: Any) -> int:
        """Change the rows of a table that fulfil some conditions, and return how many there were."""
        return await self._write(update(table).where(*where).filter_by(**equal).values(values))

    async def _delete(self, table: DeclaredTable, /, *where: Condition, **equal: Any) -> int:
        """Delete the rows of a table that fulfil some conditions, and return how many there were."""
        return await self._write(delete(table).where(*where).filter_by(**equal))

    async def _transfer(
        self,
        table: DeclaredTable,
        gone: int,
        remaining: int,
        *order: ColumnElement[Any],
        owner: str = "person",
    ) -> None:
        """Give the rows of a person or a place (the column `owner`) to another.

        Where a unique key of the table contains the owner, the first row in `order` stays, by default the row that the
        other owner already has.
        """
        column = table[owner]
        for names in [key - {owner} for key in _keys_of(table) if owner in key]:
            known = set()
            query = select(table).where(column.in_((gone, remaining))).order_by(*order, column != remaining)
            for row in await self._read_all(query, dict):
                if (rest := tuple(row[name] for name in names)) in known:
                    mine = {each.name: row[each.name] for each in table.table.primary_key}
                    await self._delete(table, **mine)
                known.add(rest)
        await self._update(table, {owner: remaining}, column == gone)

    async def _lock(self, table: DeclaredTable, **equal: Any) -> bool:
        """Lock the rows that fulfil some conditions until the end of the transaction; return whether there are any."""
        return bool(await self._read(select(*table.table.primary_key).filter_by(**equal).with_for_update()))

    async def _write(self, statement: Query, parameters: Parameters = None) -> int:
        """Execute a change and return the number of changed rows."""
        async with self._transaction() as connection:
            if isinstance(statement, Prepared):
                return await statement.count(connection, parameters or {})
            return (await connection.execute(statement, parameters)).rowcount


def in_batches(values: Iterable[T], size: int = _BATCH_ROWS) -> Iterator[list[T]]:
    """Yield values in lists of at most `size`, by default short enough to be named in one statement."""
    rest = list(values)
    for at in range(0, len(rest), size):
        yield rest[at : at + size]


def pick(row: object, names: Iterable[str], prefix: str = "") -> Json:
    """Return some attributes of an object by their names, after a prefix, as values of columns or parameters."""
    return {prefix + name: getattr(row, name) for name in names}


def given(**values: Any) -> Json:
    """Return the values that are not None, as conditions of equality."""
    return {name: value for name, value in values.items() if value is not None}


async def iterate_pages(load: Callable[[str, int], Awaitable[list[str]]]) -> AsyncIterator[str]:
    """Yield all ids in order; `load` returns at most a number of them after a given one.

    Stops at a damaged id that is no text: it sorts after every text, and the same page would be read for ever.
    """
    after = ""
    while page := await load(after, _PAGE_ROWS):
        for each in page:
            yield each
        if page[-1] <= after:
            return
        after = page[-1]
