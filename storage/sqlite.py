"""SQLite: connections that switch threads at most once per statement, and statements that are compiled once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

import aiosqlite
from sqlalchemy import Dialect, Executable, Result
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler

from storage.columns import DecodeErrorCounter, Undecodable, Values
from storage.errors import translate_errors

_UNDECODABLE: Final = "Could not decode to UTF-8"


def decode_leniently(raw: bytes) -> str:
    """Decode text, replacing invalid bytes: one damaged value must not make a whole result unreadable."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        DecodeErrorCounter.count += 1
        return Undecodable(raw.decode(errors="replace"))


@dataclass
class Cursor:
    """The part of aiosqlite's cursor that SQLAlchemy uses; all rows are fetched with the statement."""

    connection: Connection
    rows: list[Any] = field(default_factory=list)
    arraysize: int = 1
    description: Any = None
    rowcount: int = -1
    lastrowid: int | None = None

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Any = ()) -> Self:
        """Execute a statement."""
        await self.connection.run(self.run, sql, parameters)
        return self

    async def executemany(self, sql: str, parameters: Sequence[Any]) -> Self:
        """Execute a statement once for each set of parameters."""
        await self.connection.run(self.run, sql, parameters, True)
        return self

    async def fetchall(self) -> list[Any]:
        """Return the rows; a second call returns none."""
        rows, self.rows = self.rows, []
        return rows

    async def close(self) -> None:
        """Do nothing: the cursor was closed after its statement."""

    def run(
        self, connection: sqlite3.Connection, opening: str, sql: str, parameters: Any, is_many: bool = False
    ) -> None:
        """Execute a statement in this thread, after the BEGIN in `opening`; undecodable text is read leniently."""
        execute = connection.executemany if is_many else connection.execute
        # Lenient from the start: a statement that changes rows cannot be repeated.
        connection.text_factory = decode_leniently if "RETURNING" in sql else str
        try:
            if opening:
                connection.execute(opening).close()
            found = execute(sql, parameters)
            self.rows = found.fetchall() if found.description else []
        except UnicodeDecodeError as error:
            # SQLite's own message quotes damaged bytes.
            damaged = sqlite3.DatabaseError(f"{error.object[:80]!r} is no text")
            damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damaged from error
        except sqlite3.OperationalError as error:
            if not str(error).startswith(_UNDECODABLE):
                raise
            connection.text_factory = decode_leniently
            found = execute(sql, parameters)
            self.rows = found.fetchall()
        self.description, self.rowcount, self.lastrowid = found.description, found.rowcount, found.lastrowid


class Connection(aiosqlite.Connection):
    """An aiosqlite connection that uses `Cursor` and tracks whether a transaction may be open."""

    reads_only = False
    opening = ""
    """The BEGIN statement of the transaction that the next statement opens; empty for none."""
    _open = False

    def __init__(self, database: str, options: Any) -> None:
        super().__init__(self._made, iter_chunk_size=64)
        # A daemon thread does not keep the process alive; SQLAlchemy does the same for its own.
        self._thread.daemon = True
        self._database, self._options = database, options
        self._file: sqlite3.Connection | None = None
        self.closed = False

    def stop(self) -> asyncio.Future[Any] | None:
        """Close the connection, even if the task that opened it was cancelled, and end its thread."""
        self._tx.put_nowait((None, self._shut))
        return super().stop()

    async def wait_closed(self) -> None:
        """Wait until a stopped connection is closed."""
        await asyncio.to_thread(self._thread.join)

    def _made(self) -> sqlite3.Connection:
        self._file = sqlite3.connect(self._database, **self._options)
        return self._file

    def _shut(self) -> None:
        if self._file is not None:
            self._file.close()
        self.closed = True

    def cursor(self) -> Cursor:  # type: ignore[override]
        """Return a new cursor."""
        return Cursor(self)

    @property
    def is_in_transaction(self) -> bool:
        """True if a transaction is open, or begins with the next statement."""
        return self._open or bool(self.opening)

    async def run(self, work: Callable[..., None], *arguments: Any, is_short: bool = False) -> None:
        """Run a function with the connection and a pending BEGIN, which it has to execute first, in its thread.

        A short function, which reads or changes a few rows, runs in the calling thread if it cannot block: in a reader,
        or in a writer with an open transaction. BEGIN waits for other writers, COMMIT for the disk.
        """
        if at_once := is_short and (self.reads_only or (self._open and not self.opening)):
            await asyncio.sleep(0)  # lets other tasks run between many short ones
        opening, self.opening = self.opening, ""
        # Set before opening, so that a task cancelled meanwhile ends the thread.
        self._open = self._open or bool(opening)
        if at_once:
            work(self._conn, opening, *arguments)
        else:
            await self._execute(work, self._conn, opening, *arguments)  # type: ignore[no-untyped-call]

    async def commit(self) -> None:
        """Commit the transaction, if there is one; if that fails, roll it back, because no caller does."""
        try:
            if self._open:
                await super().commit()
        except sqlite3.Error:
            await self.rollback()
            raise
        self.opening, self._open = "", False

    async def rollback(self) -> None:
        """Roll back the transaction, if there is one."""
        self.opening = ""
        if self._open:
            await super().rollback()
            self._open = False


_Convert = Callable[[Any], Any]


class _Compiled(NamedTuple):
    """A compiled SQLite statement: its constants by name, and the converters of its values and columns."""

    sql: str
    constants: Values
    binding: Sequence[tuple[str, _Convert | None]]
    reading: Sequence[_Convert | None]


class Prepared:
    """A statement that is compiled once and executed on any given connection; no parameter may be a list.

    A short one reads or changes a few rows (see `Connection.run`).
    """

    def __init__(self, statement: Executable, *, is_short: bool = True) -> None:
        self._statement: Any = statement
        self._is_short = is_short
        self._compiled: dict[tuple[str, ...], _Compiled] = {}
        self._columns: SimpleResultMetaData | None = None

    async def rows(self, connection: AsyncConnection, parameters: Values) -> Result[*tuple[Any, ...]]:
        """Execute the statement and return its rows."""
        if connection.dialect.name != "sqlite":
            found: Result[*tuple[Any, ...]] = await connection.execute(self._statement, parameters)
            return found
        cursor, reading = await self._execute(connection, parameters)
        if self._columns is None:
            self._columns = SimpleResultMetaData([name for name, *_ in cursor.description])
        rows = [
            tuple([value if fit is None else fit(value) for value, fit in zip(row, reading, strict=True)])
            for row in cursor.rows
        ]
        return IteratorResult(self._columns, iter(rows))

    async def count(self, connection: AsyncConnection, parameters: Values) -> int:
        """Execute the statement and return the number of changed rows."""
        if connection.dialect.name != "sqlite":
            return int((await connection.execute(self._statement, parameters)).rowcount)
        return (await self._execute(connection, parameters))[0].rowcount

    async def _execute(
        self, connection: AsyncConnection, parameters: Values
    ) -> tuple[Cursor, Sequence[_Convert | None]]:
        """Execute the statement with SQLite and return the cursor and the converters of the columns; StorageError."""
        names = tuple(parameters)
        compiled = self._compiled.get(names) or self._compile(connection.dialect, names)
        given = {**compiled.constants, **parameters}
        values = [given[name] if fit is None else fit(given[name]) for name, fit in compiled.binding]
        opened: Any = connection.sync_connection
        driver: Connection = opened.connection.driver_connection
        cursor = Cursor(driver)
        with translate_errors(sqlite3.Error):
            await driver.run(cursor.run, compiled.sql, values, is_short=self._is_short)
        return cursor, compiled.reading

    def _compile(self, dialect: Dialect, names: tuple[str, ...]) -> _Compiled:
        """Return the statement, compiled for some parameters."""
        compiled: SQLCompiler = self._statement.compile(dialect=dialect, column_keys=list(names))
        if compiled.post_compile_params or compiled.literal_execute_params:
            raise ValueError(f"a list of values cannot be prepared: {compiled}")
        bound = [compiled.binds[name] for name in compiled.positiontup or ()]
        constants = {part.key: part.effective_value for part in bound if part.key not in names}
        defaults: Any = [column for column in compiled.insert_prefetch if column.key not in names]
        constants |= {column.key: column.default.arg for column in defaults}
        types = [column.type.dialect_impl(dialect) for column in self._statement.exported_columns]
        self._compiled[names] = _Compiled(
            str(compiled),
            constants,
            [(part.key, part.type.dialect_impl(dialect).bind_processor(dialect)) for part in bound],
            [kind.result_processor(dialect, None) for kind in types],
        )
        return self._compiled[names]
