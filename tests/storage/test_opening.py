"""Opening a database: made where there is none, and a clear error where it cannot be used."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import BrokenDatabase, DiskFull, InvalidUrl, Person, StorageError, Store
from storage.addresses import read_url
from storage.copies import copy_database
from storage.database import Database
from storage.errors import Locked, Unavailable, Unreachable, Unwritable
from tests.support.faults import with_pragma
from tests.support.postgres import Postgres
from tests.support.stores import some_people

NOBODY = 65534


@contextmanager
def unprivileged() -> Iterator[None]:
    """Give up the superuser's right to write anything, if we have it."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Take the right to write away from a file and the directory it is in."""
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        yield
    finally:
        path.parent.chmod(0o755)
        path.chmod(0o644)


@pytest.fixture
def shared_directory() -> Iterator[Path]:
    """A directory that others may look into, which pytest's are not."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory)
        path.chmod(0o755)
        yield path


async def test_a_new_database_is_made_with_its_directory(tmp_path: Path) -> None:
    path = tmp_path / "a % strange" / "directory ?" / "tavoliere.db"
    for address in (path, f"sqlite:///{path}".replace("%", "%25").replace("?", "%3F")):
        async with await Store.open(address) as store:
            assert store.backup is None
            assert await store.people.find("Ada") == []
    assert path.exists()


async def test_closed_store_raises_unavailable(address: str) -> None:
    store = await Store.open(address)
    await store.close()
    with pytest.raises(Unavailable) as caught:
        await store.games.get("CCCCCC")
    assert caught.value.code == "closed"


@pytest.mark.parametrize(
    "address",
    [
        *("", "nonsense", "data/x.db", "sqlite:data/x.db", "mysql://host/name", "sqlite://", "sqlite:///:memory:"),
        *("://", "postgresql://h:port/n", "postgresql://h/n?x=1"),
    ],
)
async def test_an_address_that_makes_no_sense_is_refused(address: str) -> None:
    with pytest.raises(InvalidUrl) as caught:
        await Store.open(address)
    assert caught.value.code == "invalid-url"


def test_addresses_are_read_as_people_write_them() -> None:
    assert read_url("postgres://u:p@h:5433/n?sslmode=require").render_as_string(hide_password=False) == (
        "postgresql+asyncpg://u:p@h:5433/n?ssl=require"
    )
    assert read_url("postgresql+psycopg://h/n").drivername == "postgresql+asyncpg"
    assert read_url("sqlite:///data/x.db").database == str(Path("data/x.db").absolute())
    assert read_url(Path("data/x.db")).database == str(Path("data/x.db").absolute())


async def test_sqlite_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    await (await Store.open(tmp_path / "x.db")).close()
    database = Database(read_url(tmp_path / "x.db"), 1)
    for opened, wanted in ((database.transaction, 0), (database.snapshot, 1)):
        async with opened() as connection:
            values = {
                name: (await connection.execute(text(f"PRAGMA {name}"))).scalar_one()
                for name in ("journal_mode", "synchronous", "foreign_keys", "query_only")
            }
            assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "query_only": wanted}
    await database.close()


async def test_database_files_are_private_to_the_owner(tmp_path: Path) -> None:
    def rights() -> set[str]:
        return {f"{file.name}: {file.stat().st_mode & 0o777:o}" for file in tmp_path.glob("*.db*")}

    path = tmp_path / "games.db"
    store = await Store.open(path)
    await some_people(store, "Anna")
    await copy_database(path, tmp_path / "copy.db")
    assert rights() == {f"{name}: 600" for name in ("games.db", "games.db-wal", "games.db-shm", "copy.db")}
    await store.close()
    # As an older program made them; the group is somebody whom the operator has let in.
    path.chmod(0o644)
    store = await Store.open(path)
    await some_people(store, "Anna")
    assert not [each for each in rights() if not each.endswith("0")]
    assert path.stat().st_mode & 0o777 == 0o640
    await store.close()


async def test_a_directory_without_write_permission_is_refused(shared_directory: Path) -> None:
    closed = shared_directory / "closed"
    closed.mkdir(mode=0o555)
    for path, named in ((closed / "x.db", closed / "x.db"), (closed / "data" / "x.db", closed / "data")):
        with unprivileged(), pytest.raises(Unwritable) as caught:
            await Store.open(path)
        assert (caught.value.code, caught.value.params["path"]) == ("unwritable", str(named))


async def test_a_database_that_is_read_only_is_refused_and_unharmed(
    shared_directory: Path, empty_database: Path
) -> None:
    path = Path(shutil.copy(empty_database, shared_directory))
    async with await Store.open(path) as store:
        (ada,) = await some_people(store, "Ada")
    with read_only(path), unprivileged(), pytest.raises(Unwritable):
        await Store.open(path)
    async with await Store.open(path) as store:
        assert await store.people.get(ada.id) == ada


async def test_a_directory_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").mkdir()
    with pytest.raises(Unwritable):
        await Store.open(tmp_path / "x.db")


@pytest.mark.parametrize("table", ["games", "recipes"])
async def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path, table: str) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table} (title TEXT)")
        connection.commit()
    with pytest.raises(BrokenDatabase) as caught:
        await Store.open(path)
    assert caught.value.params == {"reason": "not-ours", "tables": [table]}
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    assert tables == [(table,)]


async def test_locked_database_is_reported_after_a_timeout(tmp_path: Path, empty_database: Path) -> None:
    path = Path(shutil.copy(empty_database, tmp_path))
    async with await Store.open(path, timeout_seconds=0.05) as store:
        (ada,) = await some_people(store, "Ada")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await store.people.get(ada.id) == ada
            with pytest.raises(Locked):
                await store.key_values.set("web", "any", {})
            # Opening needs no lock where there is nothing to bring up to date.
            await (await Store.open(path, timeout_seconds=0.05)).close()
            other.execute("ROLLBACK")
        await store.key_values.set("web", "any", {})


async def test_opening_a_locked_new_database_raises_locked(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Locked):
            await Store.open(path, timeout_seconds=0.05)
        other.execute("ROLLBACK")
    await (await Store.open(path)).close()


async def test_a_disk_that_is_full_at_the_beginning_is_named(tmp_path: Path) -> None:
    with with_pragma("max_page_count = 5"), pytest.raises(DiskFull):
        await Store.open(tmp_path / "x.db")
    async with await Store.open(tmp_path / "x.db") as store:
        assert len(await some_people(store, "Ada")) == 1


async def test_a_server_that_does_not_answer_is_named() -> None:
    for address in ("postgresql://u:secret@127.0.0.1:1/n", "postgresql:///n?host=/nowhere/at/all"):
        with pytest.raises(Unreachable) as caught:
            await Store.open(address, timeout_seconds=5)
        assert "secret" not in str(caught.value)


async def test_a_database_that_the_server_does_not_have_is_named(postgres: Postgres) -> None:
    with pytest.raises(Unreachable) as caught:
        await Store.open(postgres.address("nowhere"))
    assert "nowhere" in caught.value.params["reason"]


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
async def test_a_server_that_goes_away_and_comes_back(store: Store, postgres: Postgres, ada: Person) -> None:
    lost = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    await postgres.execute(f"{lost} AND datname = '{store._database.url.database}'")
    assert await store.people.get(ada.id) == ada


async def test_a_server_that_is_still_away_when_a_lost_connection_is_opened_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lose(*_: Any, **__: Any) -> Any:
        raise DBAPIError("SELECT", {}, OSError("the server has ended"), connection_invalidated=True)

    async def refuse(*_: Any, **__: Any) -> Any:
        raise ConnectionRefusedError

    monkeypatch.setattr(AsyncConnection, "execute", lose)
    monkeypatch.setattr(AsyncConnection, "execution_options", refuse)
    with pytest.raises(Unreachable):
        await store.people.get(1)


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
@pytest.mark.parametrize("ask", ["read_autocommit", "snapshot", "transaction"])
async def test_final_error_of_a_server_is_reported(database: Database, ask: str) -> None:
    """What ends a connection arrives in two parts; between them the driver refuses every statement."""
    fields = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
    last_words = b"E" + (len(fields) + 4).to_bytes(4) + fields
    question = text("SELECT 1")
    async with getattr(database, ask)() as connection:
        await connection.execute(question)
        driver = (await connection.get_raw_connection()).driver_connection
    protocol = getattr(driver, "_protocol")  # noqa: B009 - not to be read by anybody else
    protocol.data_received(last_words)
    if ask == "transaction":
        # Whether it was lost before or after something was written is not known: the caller decides.
        with pytest.raises(Unreachable):
            async with database.transaction() as connection:
                await connection.execute(question)
    for _ in range(2):
        async with getattr(database, ask)() as connection:
            assert (await connection.execute(question)).scalar_one() == 1
            level = (await connection.execute(text("SHOW transaction_isolation"))).scalar_one()
            assert level == ("repeatable read" if ask == "snapshot" else "read committed")
            assert (await connection.get_raw_connection()).driver_connection is not driver


def test_an_error_reads_as_its_code_and_numbers() -> None:
    assert str(StorageError()) == "storage"
    assert str(Unwritable(path="/x")) == "unwritable(path='/x')"
