"""Statements that are compiled once.

SQLAlchemy's lookup of the compiled statement and its greenlet take several times as long as SQLite itself. The SQL text
and the type conversions are still SQLAlchemy's. On a server, where the network costs more than that, SQLAlchemy
executes the statements.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Dialect, Executable, Result, false, or_, true
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from storage.driver import Connection, Cursor
from storage.errors import translate_errors

_Convert = Callable[[Any], Any]


class _Compiled(NamedTuple):
    """A compiled SQLite statement, the conversions of its values and of its columns, and its constants by name.

    `take` returns the values in order.
    """

    sql: str
    constants: Mapping[str, Any]
    take: Callable[[Mapping[str, Any]], Iterable[Any]]
    binding: Sequence[tuple[int, _Convert]]
    reading: Sequence[tuple[int, _Convert]]


def is_one_of(column: ColumnElement[str], values: Iterable[str] | None) -> ColumnElement[bool]:
    """Return the condition of a prepared statement that a column has one of some fixed values; None allows any."""
    return true() if values is None else or_(false(), *(column == value for value in sorted(values)))


class Prepared:
    """A statement that is compiled once and executed on any given connection.

    No parameter may be a list: `is_one_of` compares with fixed values.
    """

    def __init__(self, statement: Executable) -> None:
        self._statement: Any = statement
        self._compiled: dict[tuple[str, ...], _Compiled] = {}
        self._columns: SimpleResultMetaData | None = None

    async def rows(self, connection: AsyncConnection, parameters: Mapping[str, Any]) -> Result[*tuple[Any, ...]]:
        """Execute the statement and return its rows."""
        if connection.dialect.name != "sqlite":
            found: Result[*tuple[Any, ...]] = await connection.execute(self._statement, parameters)
            return found
        driver, compiled, values = self._bind(connection, parameters)
        return self._read_cursor(await self._send(driver, compiled.sql, values), compiled)

    async def count(self, connection: AsyncConnection, parameters: Mapping[str, Any]) -> int:
        """Execute the statement and return the number of changed rows."""
        if connection.dialect.name != "sqlite":
            return int((await connection.execute(self._statement, parameters)).rowcount)
        driver, compiled, values = self._bind(connection, parameters)
        return (await self._send(driver, compiled.sql, values)).rowcount

    def _read_cursor(self, cursor: Cursor, compiled: _Compiled) -> Result[*tuple[Any, ...]]:
        """Return the rows of an executed cursor, converted."""
        if self._columns is None:
            self._columns = SimpleResultMetaData([name for name, *_ in cursor.description])
        return IteratorResult(self._columns, iter([_read(row, compiled.reading) for row in cursor.take_rows()]))

    def _bind(
        self, connection: AsyncConnection, parameters: Mapping[str, Any]
    ) -> tuple[Connection, _Compiled, Sequence[Any]]:
        names = tuple(parameters)
        compiled = self._compiled.get(names)
        if compiled is None:
            compiled = self._compiled[names] = _compiled(self._statement, names, connection.dialect)
        values = list(compiled.take({**compiled.constants, **parameters} if compiled.constants else parameters))
        for at, fit in compiled.binding:
            values[at] = fit(values[at])
        opened: Any = connection.sync_connection
        return opened.connection.driver_connection, compiled, values

    @staticmethod
    async def _send(driver: Connection, sql: str, values: Sequence[Any]) -> Cursor:
        """Execute a statement with SQLite; translate errors that concern the operator."""
        with translate_errors(sqlite3.Error):
            return await driver.cursor().execute(sql, values)


def _compiled(statement: Any, names: Sequence[str], dialect: Dialect) -> _Compiled:
    compiled: SQLCompiler = statement.compile(dialect=dialect, column_keys=list(names))
    if compiled.post_compile_params or compiled.literal_execute_params:
        raise ValueError(f"a list of values cannot be prepared: {compiled}")
    bound = [compiled.binds[name] for name in compiled.positiontup or ()]
    constants = {part.key: part.effective_value for part in bound if part.key not in names}
    binding = [(at, _type(part.type, dialect).bind_processor(dialect)) for at, part in enumerate(bound)]
    returned = enumerate(statement.exported_columns)
    reading = [(at, _type(column.type, dialect).result_processor(dialect, None)) for at, column in returned]
    return _Compiled(
        str(compiled),
        constants,
        _taking([part.key for part in bound]),
        tuple((at, fit) for at, fit in binding if fit is not None),
        tuple((at, read) for at, read in reading if read is not None),
    )


def _taking(names: Sequence[str]) -> Callable[[Mapping[str, Any]], Iterable[Any]]:
    """Return the function that returns the values with some names."""
    if len(names) > 1:
        return itemgetter(*names)
    # With a single name, itemgetter returns no tuple.
    return lambda values: [values[name] for name in names]


def _type(kind: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    return kind.dialect_impl(dialect)


def _read(row: Sequence[Any], reading: Sequence[tuple[int, _Convert]]) -> tuple[Any, ...]:
    if not reading:
        return tuple(row)
    values = list(row)
    for at, read in reading:
        values[at] = read(values[at])
    return tuple(values)
