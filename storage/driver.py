"""SQLite connections that visit their thread once for a statement, and once for several that can be sent together.

aiosqlite visits the thread for the cursor, the statement, its rows and the end, which costs more than most statements
do themselves, above all while another thread draws. Here a transaction's BEGIN is sent with its first statement; if no
statement follows, there is nothing to end. Statements whose outcome can wait are sent with the next one, or with the
COMMIT; one that does not find what it requires keeps those after it from being executed.

A pool closes its idle connections when it is disposed of. It misses a connection whose task was cancelled while opening
it, and one that is still in use: `Connections` closes these.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Final, Self

import aiosqlite

from storage.columns import DecodeErrorCounter, Undecodable

_UNDECODABLE: Final = "Could not decode to UTF-8"

_Work = tuple[Any, Sequence[Any]]
"""A function that is given the connection, and its further arguments; if it returns False, nothing after it is run."""

_SKIPPED: Final = "a statement before this one has not found what it requires"


def decode_leniently(raw: bytes) -> str:
    """Return decoded text, replacing invalid bytes: one value must not make all others unreadable."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        DecodeErrorCounter.count += 1
        return Undecodable(raw.decode(errors="replace"))


class Cursor:
    """The part of aiosqlite's cursor that SQLAlchemy uses; all rows are fetched with the statement."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: list[Any] = []
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.is_executed = False

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Any = ()) -> Self:
        """Execute a statement; RuntimeError if a deferred one has not found what it requires."""
        if not await self._connection.run_in_thread(self._run, (sql, parameters)):
            raise RuntimeError(_SKIPPED)
        return self

    def defer(self, sql: str, parameters: Sequence[Any], requires: Callable[[Cursor], bool] | None = None) -> None:
        """Execute a statement on the connection's next visit to its thread.

        What follows it is executed only if `requires` is true of this cursor then; that function runs in the thread.
        """
        if requires is None:
            self._connection.defer(self._run, sql, parameters)
        else:
            self._connection.defer(self._run_required, sql, parameters, requires)

    async def finish(self) -> None:
        """Execute a deferred statement, unless that has been done."""
        if not self.is_executed:
            await self._connection.run_deferred()

    async def executemany(self, sql: str, parameters: Sequence[Any]) -> Self:
        """Execute a statement once for each set of parameters."""
        await self._connection.run_in_thread(self._run_many, (sql, parameters))
        return self

    async def fetchall(self) -> list[Any]:
        """Return the rows."""
        return self.take_rows()

    @property
    def stored_rows(self) -> Sequence[Any]:
        """The rows as SQLite returned them, until they are taken."""
        return self._rows

    def take_rows(self) -> list[Any]:
        """Return the rows, once."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Do nothing: the cursor was closed with its statement."""

    def _run(self, connection: sqlite3.Connection, sql: str, parameters: Any) -> None:
        try:
            # A statement that changes rows and returns them cannot be repeated.
            self._carry_out(connection, sql, parameters, decode_leniently if "RETURNING" in sql else str)
        except sqlite3.OperationalError as error:
            if not str(error).startswith(_UNDECODABLE):
                raise
            self._carry_out(connection, sql, parameters, decode_leniently)

    def _run_required(
        self, connection: sqlite3.Connection, sql: str, parameters: Any, requires: Callable[[Cursor], bool]
    ) -> bool:
        self._run(connection, sql, parameters)
        return requires(self)

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
        self.is_executed = True


class Connection(aiosqlite.Connection):
    """An aiosqlite connection with the cursors above that tracks whether a transaction may be open."""

    _opening = ""
    _open = False

    def __init__(self, database: str, options: Any) -> None:
        super().__init__(self._made, iter_chunk_size=64)
        self._deferred: list[_Work] = []
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

    def begin_with(self, begin: str) -> None:
        """Begin a transaction with the next statement, unless one is open."""
        if not self.is_in_transaction:
            self._opening = begin

    def cursor(self) -> Cursor:  # type: ignore[override]
        """Return a new cursor."""
        return Cursor(self)

    @property
    def is_in_transaction(self) -> bool:
        """True if a transaction is open, or begins with the next statement."""
        return self._open or bool(self._opening)

    def defer(self, work: Any, *arguments: Any) -> None:
        """Run a function with the connection in its thread on the next visit there; only within a transaction."""
        self._deferred.append((work, arguments))

    async def run_deferred(self) -> None:
        """Run what was deferred."""
        if self._deferred:
            await self.run_in_thread(*self._deferred.pop())

    async def run_in_thread(self, work: Any, arguments: Sequence[Any] = ()) -> bool:
        """Run a function with the connection in its thread, after what was deferred; False if that kept it from it."""
        opening, self._opening = self._opening, ""
        works, self._deferred = [*self._deferred, (work, arguments)], []
        # Set before opening, so that a task cancelled meanwhile ends the thread.
        self._open = self._open or bool(opening)
        carried_out: bool = await self._execute(self._carry_out, opening, works)  # type: ignore[no-untyped-call]
        return carried_out

    def _carry_out(self, opening: str, works: Sequence[_Work]) -> bool:
        try:
            if opening:
                self._conn.execute(opening).close()
            return all(work(self._conn, *arguments) is not False for work, arguments in works)
        except UnicodeDecodeError as error:
            # SQLite's own message quotes damaged bytes.
            damaged = sqlite3.DatabaseError(f"{error.object[:80]!r} is no text")
            damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damaged from error

    async def commit(self) -> None:
        """Commit the transaction, if there is one; if that fails, roll it back, since nobody else does."""
        try:
            if self._deferred:
                if not await self.commit_deferred():
                    raise RuntimeError(_SKIPPED)
            elif self._open:
                await super().commit()
        except sqlite3.Error:
            await self.rollback()
            raise
        self._opening, self._open = "", False

    async def commit_deferred(self) -> bool:
        """Run what was deferred and commit the transaction in one visit.

        False if a statement has not found what it requires: then the transaction is still open, as it is after an
        error.
        """
        is_committed = await self.run_in_thread(sqlite3.Connection.commit)
        if is_committed:
            self._open = False
        return is_committed

    async def rollback(self) -> None:
        """Roll back the transaction, if there is one."""
        self._opening, self._deferred = "", []
        if self._open:
            await super().rollback()
            self._open = False
