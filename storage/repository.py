"""The base of the parts of the store: one statement on a connection of its own, or in the transaction of this task."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sqlalchemy import Executable, Result, RowMapping
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database
from storage.prepared import Prepared

T = TypeVar("T")
Query = Executable | Prepared


class Repository:
    """A part of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _read_all(
        self, query: Query, build: Callable[[RowMapping], T], parameters: Mapping[str, Any] | None = None
    ) -> list[T]:
        """Return what `build` makes of each row."""
        async with self._database.read_autocommit() as connection:
            return [build(row) for row in (await _execute(connection, query, parameters)).mappings()]

    async def _read_rows(
        self, query: Query, row_class: Callable[..., T], parameters: Mapping[str, Any] | None = None
    ) -> list[T]:
        """Return the rows as objects that have a field for each column."""
        return await self._read_all(query, lambda row: row_class(**row), parameters)

    async def _read_one(
        self, query: Query, build: Callable[[RowMapping], T], parameters: Mapping[str, Any] | None = None
    ) -> T | None:
        """Return what `build` makes of the only row, None without one."""
        async with self._database.read_autocommit() as connection:
            row = (await _execute(connection, query, parameters)).mappings().one_or_none()
        return None if row is None else build(row)

    async def _read_column(self, query: Query, parameters: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the first column."""
        async with self._database.read_autocommit() as connection:
            return list((await _execute(connection, query, parameters)).scalars())

    async def _read_value(self, query: Query, parameters: Mapping[str, Any] | None = None) -> Any | None:
        """Return the first column of the only row, None without one."""
        async with self._database.read_autocommit() as connection:
            return (await _execute(connection, query, parameters)).scalar_one_or_none()

    async def _read_pairs(self, query: Query, parameters: Mapping[str, Any] | None = None) -> dict[Any, Any]:
        """Return the second column by the first."""
        async with self._database.read_autocommit() as connection:
            return {row[0]: row[1] for row in await _execute(connection, query, parameters)}

    async def _write(self, statement: Executable) -> int:
        """Execute a change and return how many rows it concerned."""
        async with self._database.transaction() as connection:
            return (await connection.execute(statement)).rowcount


async def _execute(
    connection: AsyncConnection, query: Query, parameters: Mapping[str, Any] | None
) -> Result[*tuple[Any, ...]]:
    if isinstance(query, Prepared):
        return await query.rows(connection, parameters or {})
    return await connection.execute(query, parameters)
