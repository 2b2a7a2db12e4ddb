"""Statements that are sent with the next one of their transaction: none is lost, doubled or left behind."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import insert, literal_column, select
from sqlalchemy.exc import IntegrityError

from storage.database import Database, defer_insert_if_new, read_url
from storage.driver import Prepared
from storage.schema import key_values
from tests.support.counting import listed_statements
from tests.support.stores import LOCK_TIMEOUT_SECONDS

_INSERT: Final = Prepared(insert(key_values).returning(key_values.c.name))
_ONE: Final = Prepared(select(literal_column("1")))


def named(name: str) -> dict[str, Any]:
    return {"platform": "test", "name": name, "value": {}}


async def stored(database: Database) -> list[str]:
    """Return the names of all values, as another connection sees them."""
    async with database.read_autocommit() as connection:
        return sorted((await connection.execute(select(key_values.c.name))).scalars())


async def test_the_commit_executes_what_was_deferred(database: Database) -> None:
    async with database.transaction() as connection:
        await _INSERT.defer(connection, named("a"))
        await _INSERT.defer(connection, named("b"))
    assert await stored(database) == ["a", "b"]


async def test_an_outcome_can_be_asked_for_at_any_time(database: Database) -> None:
    async with database.transaction() as connection:
        first = await _INSERT.defer(connection, named("a"))
        assert await (await defer_insert_if_new(connection, key_values, named("a"))).count() == 0
        assert first.is_executed
        assert [tuple(row) for row in (await first.rows()).all()] == [("a",)]
        later = await defer_insert_if_new(connection, key_values, named("b"))
        await _ONE.rows(connection, {})
        assert later.is_executed
        assert await later.count() == 1
    assert await stored(database) == ["a", "b"]


@pytest.mark.parametrize("ends", [True, False], ids=["with-the-commit", "with-a-statement"])
async def test_an_error_of_a_deferred_statement_undoes_the_whole_transaction(database: Database, ends: bool) -> None:
    async def break_off() -> None:
        async with database.transaction() as connection:
            await _INSERT.count(connection, named("a"))
            await (await _INSERT.defer(connection, named("b"))).count()
            await _INSERT.defer(connection, named("a"))
            if not ends:
                await _ONE.rows(connection, {})

    with pytest.raises((IntegrityError, sqlite3.IntegrityError)):
        await break_off()
    assert await stored(database) == []
    # The connection is as good as before.
    async with database.transaction() as connection:
        await _INSERT.defer(connection, named("c"))
    assert await stored(database) == ["c"]


async def defer_and_fail(database: Database, name: str) -> None:
    async with database.attempting() as connection:
        await _INSERT.defer(connection, named(name))
        raise LookupError


async def test_a_rollback_forgets_what_was_deferred(database: Database) -> None:
    with pytest.raises(LookupError):
        await defer_and_fail(database, "a")
    async with database.transaction() as connection:
        await _INSERT.defer(connection, named("b"))
    assert await stored(database) == ["b"]


async def test_a_savepoint_has_what_was_deferred_in_it(database: Database) -> None:
    async with database.transaction() as connection:
        await _INSERT.defer(connection, named("before"))
        with pytest.raises(LookupError):
            await defer_and_fail(database, "inside")
        async with database.attempting():
            await _INSERT.defer(connection, named("kept"))
    assert await stored(database) == ["before", "kept"]


async def test_outside_a_transaction_nothing_is_deferred(database: Database) -> None:
    async with database.write_autocommit() as connection:
        assert (await _INSERT.defer(connection, named("a"))).is_executed
    assert await stored(database) == ["a"]


async def test_what_is_deferred_opens_the_transaction_once(tmp_path: Path, empty_database: Path) -> None:
    path = Path(shutil.copy(empty_database, tmp_path / "copy.db"))
    with listed_statements() as listed:
        database = Database(read_url(path), LOCK_TIMEOUT_SECONDS)
        async with database.transaction() as connection:
            await _INSERT.defer(connection, named("a"))
            await _INSERT.defer(connection, named("b"))
            await _ONE.rows(connection, {})
        await database.close()
    assert listed == ["BEGIN", "INSERT key_values", "INSERT key_values", "SELECT"]


async def test_a_refused_commit_is_rolled_back_and_the_next_one_succeeds(tmp_path: Path, empty_database: Path) -> None:
    database = Database(read_url(Path(shutil.copy(empty_database, tmp_path / "copy.db"))), LOCK_TIMEOUT_SECONDS)

    async def seat_nobody() -> None:
        async with database.transaction() as connection:
            # SQLite looks for the missing person only when it commits.
            await connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            await connection.exec_driver_sql("INSERT INTO members (place, person, seen_at) VALUES (1, 1, '')")

    with pytest.raises(IntegrityError):
        await seat_nobody()
    async with database.transaction() as connection:
        await _INSERT.count(connection, named("a"))
    assert await stored(database) == ["a"]
    await database.close()
