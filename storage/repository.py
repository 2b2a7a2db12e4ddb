"""The base of the parts of the store: one statement on a connection of its own, or in the transaction of this task."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Executable, Insert, RowMapping, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database
from storage.driver import Prepared

T = TypeVar("T")


class Repository:
    """A part of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _read_all(self, query: Executable, build: Callable[[RowMapping], T]) -> list[T]:
        """Return what `build` makes of each row."""
        async with self._database.read_autocommit() as connection:
            return [build(row) for row in (await connection.execute(query)).mappings()]

    async def _read_rows(self, query: Executable, row_class: Callable[..., T]) -> list[T]:
        """Return the rows as objects that have a field for each column."""
        return await self._read_all(query, lambda row: row_class(**row))

    async def _read_one(self, query: Executable, build: Callable[[RowMapping], T]) -> T | None:
        """Return what `build` makes of the only row, None without one."""
        async with self._database.read_autocommit() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
        return None if row is None else build(row)

    async def _read_column(self, query: Executable) -> list[Any]:
        """Return the first column."""
        async with self._database.read_autocommit() as connection:
            return list((await connection.execute(query)).scalars())

    async def _read_value(self, query: Executable) -> Any:
        """Return the first column of the only row, None without one."""
        async with self._database.read_autocommit() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def _read_pairs(self, query: Executable) -> dict[Any, Any]:
        """Return the second column by the first."""
        async with self._database.read_autocommit() as connection:
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def _write(self, statement: Executable) -> int:
        """Execute a change and return how many rows it concerned."""
        async with self._database.transaction() as connection:
            return (await connection.execute(statement)).rowcount


async def insert_if_new(connection: AsyncConnection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless its key exists; return whether it was new."""
    return await _build_insert_if_new(connection.dialect.name, table).count(connection, values) == 1


async def upsert(connection: AsyncConnection, table: Table, key: Sequence[str], values: Mapping[str, Any]) -> None:
    """Insert a row, or update the one with the same key."""
    rest = tuple(name for name in values if name not in key)
    await _build_upsert(connection.dialect.name, table, tuple(key), rest).count(connection, values)


@cache
def _build_insert_if_new(dialect: str, table: Table) -> Prepared:
    return Prepared(build_insert(dialect, table).on_conflict_do_nothing())


@cache
def _build_upsert(dialect: str, table: Table, key: tuple[str, ...], rest: tuple[str, ...]) -> Prepared:
    statement = build_insert(dialect, table)
    new = {name: statement.excluded[name] for name in rest}
    return Prepared(statement.on_conflict_do_update(index_elements=list(key), set_=new))


def build_insert(dialect: str, table: Table) -> Any:
    """Return an INSERT of the dialect that supports ON CONFLICT."""
    inserts: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
    statement: Insert = inserts[dialect](table)
    return statement
