"""Statements of SQLAlchemy Core that are compiled once and carried out by the driver: the few that every press asks.

Looking a statement up among the compiled ones, and going through the greenlet in which SQLAlchemy calls an
asynchronous driver, takes several times as long as SQLite needs for it. What is sent and what comes back is the same:
the text is SQLAlchemy's, and so are the types that turn values into what the database takes and back. On a server,
where the network costs more than that, SQLAlchemy carries them out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Dialect, Executable, Result
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from storage.driver import Connection, Cursor
from storage.errors import explained

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
