"""Statements that are compiled once, in transactions and outside of them."""

import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import bindparam, insert, select
from sqlalchemy.exc import IntegrityError

from storage.addresses import read_url
from storage.database import Database, News
from storage.errors import BrokenDatabase
from storage.schema import key_values
from storage.sqlite import Prepared
from tests.support.counting import listed_statements
from tests.support.stores import LOCK_TIMEOUT_SECONDS

_INSERT: Final = Prepared(insert(key_values).returning(key_values.name))
_FIND: Final = Prepared(select(key_values.name).where(key_values.name == bindparam("wanted")))


def named(name: str) -> dict[str, Any]:
    return {"platform": "test", "name": name, "value": {}}


@pytest.fixture
async def file(tmp_path: Path, empty_database: Path) -> AsyncIterator[Database]:
    """A database in a file."""
    opened = Database(read_url(Path(shutil.copy(empty_database, tmp_path / "copy.db"))), LOCK_TIMEOUT_SECONDS)
    yield opened
    await opened.close()


async def stored(database: Database) -> list[str]:
    """Return the names of all values, as another connection sees them."""
    async with database.read_autocommit() as connection:
        return sorted((await connection.execute(select(key_values.name))).scalars())


async def test_rows_are_returned_and_found_again_whoever_executes_a_statement(database: Database) -> None:
    async with database.transaction() as connection:
        assert (await _INSERT.rows(connection, named("a"))).scalar_one() == "a"
        await connection.execute(insert(key_values), named("executed"))
        assert (await _FIND.rows(connection, {"wanted": "a"})).scalar_one() == "a"
        assert (await _FIND.rows(connection, {"wanted": "b"})).one_or_none() is None
    assert await stored(database) == ["a", "executed"]


async def test_an_error_undoes_the_whole_transaction(database: Database) -> None:
    async def break_off() -> None:
        async with database.transaction() as connection:
            await _INSERT.count(connection, named("a"))
            await connection.execute(insert(key_values), named("executed"))
            await _INSERT.count(connection, named("a"))

    with pytest.raises((IntegrityError, sqlite3.IntegrityError)):
        await break_off()
    assert await stored(database) == []
    # The connection is as good as before.
    async with database.transaction() as connection:
        await _INSERT.count(connection, named("b"))
    assert await stored(database) == ["b"]


async def test_a_savepoint_is_undone_alone(database: Database) -> None:
    async def fail() -> None:
        async with database.attempting() as connection:
            await _INSERT.count(connection, named("inside"))
            raise LookupError

    async with database.transaction() as connection:
        await _INSERT.count(connection, named("before"))
        with pytest.raises(LookupError):
            await fail()
        async with database.attempting():
            await _INSERT.count(connection, named("kept"))
    assert await stored(database) == ["before", "kept"]


async def test_a_commit_notifies_afterwards(database: Database) -> None:
    notified: list[object] = []
    database.add_listener(notified.append, {"written"})
    database.add_listener(notified.append, {"something else"})
    async with database.transaction() as connection:
        await _INSERT.count(connection, named("a"))
        database.emit_after_commit("written", "a")
        assert not notified
    assert notified == [News("written", "a")]


async def test_a_transaction_begins_once_with_its_first_statement(tmp_path: Path, empty_database: Path) -> None:
    path = Path(shutil.copy(empty_database, tmp_path / "copy.db"))
    with listed_statements() as listed:
        database = Database(read_url(path), LOCK_TIMEOUT_SECONDS)
        async with database.transaction():
            pass
        async with database.transaction() as connection:
            await _INSERT.count(connection, named("a"))
            await _FIND.rows(connection, {"wanted": "a"})
        await database.close()
    assert [each.split()[0] for each in listed] == ["BEGIN", "INSERT", "SELECT"]


async def test_a_refused_commit_is_rolled_back_and_the_next_one_succeeds(file: Database) -> None:
    async def seat_nobody() -> None:
        async with file.transaction() as connection:
            # SQLite looks for the missing person only when it commits.
            await connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            await connection.exec_driver_sql("INSERT INTO members (place, person, seen_at) VALUES (1, 1, '')")

    with pytest.raises(BrokenDatabase):
        await seat_nobody()
    async with file.transaction() as connection:
        await _INSERT.count(connection, named("a"))
    assert await stored(file) == ["a"]
