"""The connections of an SQLite file stay open between uses, and none is used again that may be in a transaction."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, text

from storage.addresses import read_url
from storage.database import READ_WAIT_SECONDS, Database, News
from storage.engines import SqliteConnections
from storage.errors import Locked
from storage.schema import key_values
from storage.sqlite import Connection, Prepared
from tests.support.connections import Connections
from tests.support.stores import LOCK_TIMEOUT_SECONDS

_INSERT = Prepared(insert(key_values))
_ONE = text("SELECT 1")


@pytest.fixture
def address(tmp_path: Path, empty_database: Path) -> Path:
    """The path of an SQLite file with our tables."""
    path = tmp_path / "tavoliere.db"
    path.write_bytes(empty_database.read_bytes())
    return path


async def list_names(database: Database) -> list[str]:
    async with database.snapshot() as connection:
        return sorted((await connection.execute(text("SELECT name FROM key_values"))).scalars())


def value_of(name: str) -> dict[str, object]:
    return {"platform": "test", "name": name, "value": {}}


async def test_one_use_after_the_other_takes_the_same_connection(database: Database, connections: Connections) -> None:
    for use in (database.read_autocommit, database.snapshot, database.transaction, database.write_autocommit) * 3:
        async with use() as connection:
            await connection.execute(_ONE)
    assert connections.made == 2, "one that reads and one that writes"


async def test_a_snapshot_stays_while_others_write(database: Database) -> None:
    async with database.snapshot() as connection:
        names = text("SELECT name FROM key_values")
        assert (await connection.execute(names)).scalars().all() == []

        async def write() -> None:
            async with database.transaction() as writing:
                await _INSERT.count(writing, value_of("new"))

        await asyncio.create_task(write())
        assert (await connection.execute(names)).scalars().all() == []
    assert await list_names(database) == ["new"]


@pytest.fixture
async def readers(address: Path) -> SqliteConnections:
    """One connection that reads."""
    return SqliteConnections(
        read_url(address), LOCK_TIMEOUT_SECONDS, reads_only=True, count=1, wait_seconds=READ_WAIT_SECONDS
    )


async def test_who_waits_too_long_for_a_connection_is_told(readers: SqliteConnections) -> None:
    readers._wait_seconds = 0.01
    async with readers.open("BEGIN"):
        with pytest.raises(Locked, match="no connection became free"):
            await readers.acquire()
    async with readers.open("BEGIN") as connection:
        await connection.execute(_ONE)
    await readers.close()


@pytest.mark.parametrize("is_free_meanwhile", [False, True])
async def test_who_is_cancelled_while_waiting_takes_no_connection_along(
    readers: SqliteConnections, is_free_meanwhile: bool
) -> None:
    async with readers.open():
        waiting = asyncio.create_task(readers.acquire())
        await asyncio.sleep(0)
        if not is_free_meanwhile:
            waiting.cancel()
            await asyncio.wait([waiting])
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    async with asyncio.timeout(LOCK_TIMEOUT_SECONDS), readers.open() as connection:
        await connection.execute(_ONE)
    await readers.close()


async def test_a_connection_in_use_while_all_are_closed_is_closed_after_it(
    readers: SqliteConnections, connections: Connections
) -> None:
    opened = await readers.acquire()
    await readers.close()
    await readers.release(opened, commit=True)
    await readers.close()
    assert opened[0].closed
    assert not connections.open


async def test_a_connection_whose_rollback_was_cancelled_is_replaced(
    database: Database, connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollback = Connection.rollback

    async def cancel_and_roll_back(connection: Connection) -> None:
        monkeypatch.setattr(Connection, "rollback", rollback)
        writer.cancel()
        await rollback(connection)

    async def write() -> None:
        async with database.transaction() as connection:
            await _INSERT.count(connection, value_of("half"))
            monkeypatch.setattr(Connection, "rollback", cancel_and_roll_back)
            raise ValueError

    writer = asyncio.create_task(write())
    await asyncio.wait([writer])
    assert writer.cancelled()
    async with database.transaction() as connection:
        await _INSERT.count(connection, value_of("whole"))
    assert await list_names(database) == ["whole"]
    assert connections.made == 3, "the writing one was replaced"


class SlowCommit:
    """A transaction whose COMMIT waits in the connection's thread until it `may_end`."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.begun, self.may_end = asyncio.Event(), threading.Event()
        self._loop = asyncio.get_running_loop()

    async def write(self, name: str) -> None:
        async with self.database.transaction() as connection:
            await _INSERT.count(connection, value_of(name))
            opened: Any = connection.sync_connection
            driver: Connection = opened.connection.driver_connection
            commit = driver.commit

            async def commit_slowly() -> None:
                await driver.run(self._wait)
                await commit()

            vars(driver)["commit"] = commit_slowly
            self.database.emit_after_commit("written", name)
        await asyncio.Event().wait()

    def _wait(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self.begun.set)
        assert self.may_end.wait(LOCK_TIMEOUT_SECONDS)


async def test_who_is_cancelled_during_a_commit_learns_its_outcome_first(database: Database) -> None:
    changes: list[object] = []
    database.add_listener(changes.append)
    slow = SlowCommit(database)
    writer = asyncio.create_task(slow.write("whole"))
    await slow.begun.wait()
    for _ in range(2):
        writer.cancel()
        await asyncio.sleep(0)
    assert (writer.done(), changes) == (False, [])
    slow.may_end.set()
    await asyncio.wait([writer])
    assert writer.cancelled()
    assert changes == [News("written", "whole")]
    assert await list_names(database) == ["whole"]


async def test_a_timeout_during_a_commit_is_still_one(database: Database) -> None:
    slow = SlowCommit(database)

    async def end() -> None:
        await slow.begun.wait()
        limit.reschedule(0.0)
        await asyncio.sleep(0.01)
        slow.may_end.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(end())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(None) as limit:
                await slow.write("whole")
    assert await list_names(database) == ["whole"]
