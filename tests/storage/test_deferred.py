"""Statements that are sent with the next one of their transaction: none is lost, doubled or left behind."""

import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import bindparam, insert, literal_column, select
from sqlalchemy.exc import IntegrityError

from storage.addresses import read_url
from storage.database import Database, defer_insert_if_new
from storage.errors import BrokenDatabase
from storage.prepared import Prepared, has_rows
from storage.schema import key_values
from tests.support.counting import listed_statements
from tests.support.stores import LOCK_TIMEOUT_SECONDS

_INSERT: Final = Prepared(insert(key_values).returning(key_values.c.name))
_ONE: Final = Prepared(select(literal_column("1")))
_FIND: Final = Prepared(select(key_values.c.name).where(key_values.c.name == bindparam("wanted")))


def named(name: str) -> dict[str, Any]:
    return {"platform": "test", "name": name, "value": {}}


@pytest.fixture
async def file(tmp_path: Path, empty_database: Path) -> AsyncIterator[Database]:
    """A database in a file: on a server statements are not sent together."""
    opened = Database(read_url(Path(shutil.copy(empty_database, tmp_path / "copy.db"))), LOCK_TIMEOUT_SECONDS)
    yield opened
    await opened.close()


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


async def test_what_is_sent_after_an_unmet_requirement_comes_to_nothing(file: Database) -> None:
    async def write(name: str) -> None:
        async with file.transaction() as connection:
            await _INSERT.defer(connection, named(f"before {name}"))
            found = await _FIND.defer(connection, {"wanted": name}, requires=has_rows)
            later = await _INSERT.defer(connection, named(f"after {name}"))
            await file.commit_deferred()
            if (await found.rows()).one_or_none() is None:
                assert not later.is_executed
                # The transaction is still open: what follows is decided with its lock.
                await _INSERT.count(connection, named(f"instead of {name}"))

    await write("missing")
    assert await stored(file) == ["before missing", "instead of missing"]
    await write("before missing")
    assert {"before before missing", "after before missing"} < set(await stored(file))


@pytest.mark.parametrize("ends", ["with-the-commit", "with-a-statement"])
async def test_an_unmet_requirement_that_nobody_asked_about_undoes_everything(file: Database, ends: str) -> None:
    async def write() -> None:
        async with file.transaction() as connection:
            await _INSERT.defer(connection, named("a"))
            await _FIND.defer(connection, {"wanted": "missing"}, requires=has_rows)
            if ends == "with-a-statement":
                await _ONE.rows(connection, {})

    with pytest.raises(RuntimeError, match="requires"):
        await write()
    assert await stored(file) == []
    async with file.transaction() as connection:
        await _INSERT.defer(connection, named("b"))
    assert await stored(file) == ["b"]


async def test_a_part_of_a_transaction_does_not_commit_it(database: Database) -> None:
    async def write() -> None:
        async with database.transaction():
            async with database.transaction() as connection:
                await _INSERT.defer(connection, named("a"))
                await database.commit_deferred()
            async with database.attempting() as connection:
                await _INSERT.defer(connection, named("b"))
                await database.commit_deferred()
            raise LookupError

    with pytest.raises(LookupError):
        await write()
    assert await stored(database) == []


async def test_a_commit_in_one_visit_notifies_like_any_other(database: Database) -> None:
    notified: list[object] = []
    database.add_listener(notified.append, {"written"})
    database.add_listener(notified.append, {"something else"})
    async with database.transaction() as connection:
        await _INSERT.defer(connection, named("a"))
        await database.commit_deferred()
        database.emit_after_commit("written", "a")
        assert not notified
    assert notified == [("written", "a")]
    assert await stored(database) == ["a"]


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
