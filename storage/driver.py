"""SQLite statements in one visit each to the thread of their connection, compiled once.

aiosqlite goes there and back for the cursor, the statement, its rows and the end, which costs more than most
statements do themselves, above all while another thread draws. A transaction's BEGIN goes along with its first
statement; where there was none, nothing has to be ended.

A pool closes what lies in it when it is disposed of. It knows nothing of a connection whose task was cancelled while
it was being opened, and leaves alone one that somebody still holds: `Connections` closes these.

Looking a statement up among the compiled ones, and going through the greenlet in which SQLAlchemy calls an
asynchronous driver, takes several times as long as SQLite needs for it. What is sent and what comes back is the same:
the text is SQLAlchemy's, and so are the types that turn values into what the database takes and back. On a server,
where the network costs more than that, SQLAlchemy carries them out.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

import aiosqlite
from sqlalchemy import Dialect, Executable, Result
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from storage.columns import DecodeErrorCounter, Undecodable
from storage.errors import Unavailable, explained

_UNDECODABLE: Final = "Could not decode to UTF-8"


def decode_leniently(raw: bytes) -> str:
    """Return text, also where a byte of it cannot be decoded: one value must not keep all others from being read."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        DecodeErrorCounter.count += 1
        return Undecodable(raw.decode(errors="replace"))


class Cursor:
    """What SQLAlchemy uses of a cursor of aiosqlite; a statement's rows are there as soon as it is done."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: list[Any] = []
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Any = ()) -> Self:
        """Carry a statement out."""
        await self._connection.run_in_thread(self._run, sql, parameters)
        return self

    async def executemany(self, sql: str, parameters: Sequence[Any]) -> Self:
        """Carry a statement out for each of several parameters."""
        await self._connection.run_in_thread(self._run_many, sql, parameters)
        return self

    async def fetchall(self) -> list[Any]:
        """Return the rows."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Do nothing: it was closed with its statement."""

    def _run(self, connection: sqlite3.Connection, sql: str, parameters: Any) -> None:
        try:
            # What changes something and returns it cannot be asked again.
            self._carry_out(connection, sql, parameters, decode_leniently if "RETURNING" in sql else str)
        except sqlite3.OperationalError as error:
            if not str(error).startswith(_UNDECODABLE):
                raise
            self._carry_out(connection, sql, parameters, decode_leniently)

    def _carry_out(
        self, connection: sqlite3.Connection, sql: str, parameters: Any, reading: Callable[[bytes], str]
    ) -> None:
        connection.text_factory = reading
        cursor = connection.cursor()
        try:
            cursor.execute(sql, parameters)
            self._take(cursor)
        finally:
            cursor.close()

    def _run_many(self, connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]) -> None:
        cursor = connection.cursor()
        try:
            cursor.executemany(sql, parameters)
            self._take(cursor)
        finally:
            cursor.close()

    def _take(self, cursor: sqlite3.Cursor) -> None:
        self.description = cursor.description
        self._rows = cursor.fetchall() if cursor.description else []
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid


class Connection(aiosqlite.Connection):
    """A connection whose cursors are those above, and which knows whether a transaction may be open."""

    _opening = ""
    _open = False

    def __init__(self, database: str, options: Any) -> None:
        super().__init__(self._made, iter_chunk_size=64)
        # It does not keep the process alive, as SQLAlchemy does it for those it makes.
        self._thread.daemon = True
        self._database, self._options = database, options
        self._file: sqlite3.Connection | None = None
        self.closed = False

    def stop(self) -> asyncio.Future[Any] | None:
        """Close it, even if the opening task was cancelled meanwhile, and end its thread."""
        self._tx.put_nowait((None, self._shut))
        return super().stop()

    async def wait_closed(self) -> None:
        """Return when it is closed, having been stopped."""
        await asyncio.to_thread(self._thread.join)

    def _made(self) -> sqlite3.Connection:
        self._file = sqlite3.connect(self._database, **self._options)
        return self._file

    def _shut(self) -> None:
        if self._file is not None:
            self._file.close()
        self.closed = True

    def begin_with(self, begin: str) -> None:
        """Have the next statement begin a transaction."""
        self._opening = begin

    def cursor(self) -> Cursor:  # type: ignore[override]
        """Return a new cursor."""
        return Cursor(self)

    async def run_in_thread(self, work: Any, *arguments: Any) -> None:
        """Have work done with the connection, in its thread."""
        opening, self._opening = self._opening, ""
        # Set before opening: a task that is cancelled meanwhile has to end the thread.
        self._open = self._open or bool(opening)
        await self._execute(self._carry_out, opening, work, arguments)  # type: ignore[no-untyped-call]

    def _carry_out(self, opening: str, work: Any, arguments: Sequence[Any]) -> None:
        try:
            if opening:
                self._conn.execute(opening).close()
            work(self._conn, *arguments)
        except UnicodeDecodeError as error:
            # SQLite's own message quotes damaged bytes.
            damaged = sqlite3.DatabaseError(f"{error.object[:80]!r} is no text")
            damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damaged from error

    async def commit(self) -> None:
        """Commit the transaction, if there is one."""
        self._opening = ""
        if self._open:
            await super().commit()
            self._open = False

    async def rollback(self) -> None:
        """Undo the transaction, if there is one."""
        self._opening = ""
        if self._open:
            await super().rollback()
            self._open = False


class Connections:
    """The connections of one engine, all of which are closed when it is."""

    def __init__(self) -> None:
        self._made: list[Connection] = []
        self._closed = False

    def connect(self, database: str, **options: Any) -> Connection:
        """Return a connection that has still to be awaited; Unavailable once they are closed."""
        if self._closed:
            raise Unavailable("closed")
        connection = Connection(database, options)
        self._made = [*(made for made in self._made if not made.closed), connection]
        return connection

    async def close(self) -> None:
        """Close those that nobody else has closed, and open no more."""
        self._closed = True
        left = [made for made in self._made if not made.closed]
        for made in left:
            made.stop()
        for made in left:
            await made.wait_closed()


_Convert = Callable[[Any], Any]


class _Bound(NamedTuple):
    """A parameter of a statement: its name, its value where none is given, and what makes a value fit."""

    name: str
    usual: Any
    fit: _Convert | None


class _Compiled(NamedTuple):
    """A statement for SQLite: its text, its parameters in order, and what reads the columns that it returns."""

    sql: str
    bound: Sequence[_Bound]
    reading: Sequence[tuple[int, _Convert]]


class Prepared:
    """A statement that reads or changes rows, carried out on whichever connection it is given.

    None of its parameters may stand for a list.
    """

    def __init__(self, statement: Executable) -> None:
        self._statement: Any = statement
        self._compiled: dict[tuple[str, ...], _Compiled] = {}
        self._columns: SimpleResultMetaData | None = None

    async def rows(self, connection: AsyncConnection, parameters: Mapping[str, Any]) -> Result[*tuple[Any, ...]]:
        """Carry it out and return its rows."""
        if connection.dialect.name != "sqlite":
            found: Result[*tuple[Any, ...]] = await connection.execute(self._statement, parameters)
            return found
        cursor, reading = await self._carried_out(connection, parameters)
        columns = self._columns
        if columns is None:
            columns = self._columns = SimpleResultMetaData([name for name, *_ in cursor.description])
        rows = await cursor.fetchall()
        return IteratorResult(columns, iter([_read(row, reading) for row in rows]))

    async def count(self, connection: AsyncConnection, parameters: Mapping[str, Any]) -> int:
        """Carry it out and return how many rows it has changed."""
        if connection.dialect.name != "sqlite":
            return int((await connection.execute(self._statement, parameters)).rowcount)
        cursor, _ = await self._carried_out(connection, parameters)
        return int(cursor.rowcount)

    async def _carried_out(
        self, connection: AsyncConnection, parameters: Mapping[str, Any]
    ) -> tuple[Cursor, Sequence[tuple[int, _Convert]]]:
        names = tuple(parameters)
        compiled = self._compiled.get(names)
        if compiled is None:
            compiled = self._compiled[names] = _compiled(self._statement, names, connection.dialect)
        values = []
        for name, usual, fit in compiled.bound:
            value = parameters.get(name, usual)
            values.append(value if fit is None else fit(value))
        opened: Any = connection.sync_connection
        return await self.send(opened.connection.driver_connection, compiled.sql, values), compiled.reading

    @staticmethod
    async def send(driver: Connection, sql: str, values: Sequence[Any]) -> Cursor:
        """Have SQLite carry a statement out; what means something to the operator is raised as such."""
        with explained(sqlite3.Error):
            return await driver.cursor().execute(sql, values)


def _compiled(statement: Any, names: Sequence[str], dialect: Dialect) -> _Compiled:
    compiled: SQLCompiler = statement.compile(dialect=dialect, column_keys=list(names))
    if compiled.post_compile_params or compiled.literal_execute_params:
        raise ValueError(f"a list of values cannot be prepared: {compiled}")
    bound = []
    for name in compiled.positiontup or ():
        part = compiled.binds[name]
        bound.append(_Bound(part.key, part.effective_value, _type(part.type, dialect).bind_processor(dialect)))
    returned = enumerate(statement.exported_columns)
    reading = [(at, _type(column.type, dialect).result_processor(dialect, None)) for at, column in returned]
    return _Compiled(str(compiled), tuple(bound), tuple((at, read) for at, read in reading if read is not None))


def _type(kind: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    return kind.dialect_impl(dialect)


def _read(row: Sequence[Any], reading: Sequence[tuple[int, _Convert]]) -> tuple[Any, ...]:
    if not reading:
        return tuple(row)
    values = list(row)
    for at, read in reading:
        values[at] = read(values[at])
    return tuple(values)
