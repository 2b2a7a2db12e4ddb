"""A store that is closed leaves no connection open, whatever became of the tasks that had opened them.

Each test opens a store on a file; the fixture `connections` looks after it.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, text

from storage import Store, Unavailable, engines
from storage.addresses import read_url
from storage.database import Database
from tests.support.connections import Connections
from tests.support.stores import TIMEOUT_SECONDS


@pytest.fixture
def address(tmp_path: Path) -> str:
    """The address of a new SQLite file: a server's connections are its driver's business."""
    return f"sqlite:///{tmp_path / 'tavoliere.db'}"


@contextmanager
def set_up_by(listener: Any) -> Iterator[None]:
    """Have every new connection be set up by somebody else, too."""
    event.listen(Engine, "connect", listener)
    try:
        yield
    finally:
        event.remove(Engine, "connect", listener)


async def test_a_reader_that_is_cancelled_while_the_file_opens(
    store: Store, connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, cancelled, made = asyncio.get_running_loop(), threading.Event(), connections.made

    def cancel() -> None:
        reader.cancel()
        cancelled.set()

    def too_late(*arguments: Any, **options: Any) -> sqlite3.Connection:
        loop.call_soon_threadsafe(cancel)
        assert cancelled.wait(TIMEOUT_SECONDS)
        return connections.connect(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", too_late)
    reader = asyncio.create_task(store.people.find("Ada"))
    with pytest.raises(asyncio.CancelledError):
        await reader
    await store.close()
    assert connections.made == made + 1
    assert not connections.open


async def test_a_reader_that_is_cancelled_while_its_connection_is_set_up(
    store: Store, connections: Connections
) -> None:
    def interrupt(connection: Any, _: object) -> None:
        reader.cancel()
        connection.cursor().execute("SELECT 1")

    with set_up_by(interrupt):
        reader = asyncio.create_task(store.people.find("Ada"))
        with pytest.raises(asyncio.CancelledError):
            await reader
    await store.close()
    assert not connections.open


async def test_reader_of_a_closed_store_gets_unavailable(address: str, store: Store, connections: Connections) -> None:
    database = Database(read_url(address), 1)

    async def read() -> None:
        async with database.snapshot() as connection:
            await connection.execute(text("SELECT 1"))
            await database.close()
            await store.close()
            assert not connections.open
            await connection.execute(text("SELECT 1"))

    with pytest.raises(Unavailable):
        await read()


async def test_a_connection_that_cannot_be_set_up(store: Store, connections: Connections) -> None:
    def refuse(_: Any, __: object) -> None:
        raise ValueError("no")

    with set_up_by(refuse), pytest.raises(ValueError, match="no"):
        await store.people.find("Ada")
    await store.close()
    assert not connections.open


async def test_no_connection_is_made_after_all_were_closed() -> None:
    connections = engines.Connections()
    await connections.close()
    with pytest.raises(Unavailable):
        connections.connect(":memory:")
