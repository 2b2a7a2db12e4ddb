"""The base of the parts of the store: one statement on a connection of its own, or in the transaction of this task."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Executable, RowMapping

from storage.database import Database

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
