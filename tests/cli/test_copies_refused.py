"""`tavoliere backup` and `restore` where they cannot or must not: nothing is changed, the file at fault is named."""

import os
import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.kernel.operations.process import DatabaseLock
from tests.cli.conftest import Run
from tests.cli.test_copies import DATABASE, change, filled, ids_in

NEWER = "UPDATE alembic_version SET version_num = '9001'"


def contents(folder: str = "data") -> dict[str, bytes]:
    """Return the files of a folder, but for the lock, and the index of the log, which every reader writes to."""
    files = [path for path in Path(folder).rglob("*") if path.is_file() and path.suffix not in (".lock", ".db-shm")]
    return {str(path): path.read_bytes() for path in files}


def refused(run: Run, *arguments: str, **settings: str) -> str:
    """Run a command that is refused in one sentence, and return that."""
    return run(*arguments, **settings).sentence(3)


@pytest.fixture
def ids(run: Run) -> list[str]:
    """The id of the one game that is in the database."""
    return filled(run, "resign\n")


@pytest.fixture
def copied(run: Run, ids: list[str]) -> list[str]:
    """The id of the one game that is in the database and in its copy."""
    run("backup", "copy.db").success()
    return ids


def test_backup_refuses_the_database_as_target(run: Run, ids: list[str]) -> None:
    for playing in (True, False):
        with closing(sqlite3.connect(DATABASE)) as other:
            if playing:
                other.execute("UPDATE games SET turn = turn")
                other.commit()
            before = contents()
            for ending in (".db", ".db-wal", ".db-shm", ".db-journal", ".lock"):
                said = refused(run, "backup", f"data/tavoliere{ending}")
                assert f"data/tavoliere{ending} is the database itself" in said
                assert contents() == before
    assert ids_in(DATABASE) == ids


@pytest.mark.usefixtures("ids")
def test_backup_refuses_links_to_the_database(run: Run) -> None:
    Path("symbolic.db").symlink_to(DATABASE)
    Path("hard.db").hardlink_to(DATABASE)
    Path("games").symlink_to("data")
    before = contents()
    for target in ("symbolic.db", "hard.db", "games/tavoliere.db"):
        assert f"{target} is the database itself" in refused(run, "backup", target)
        assert contents() == before
        assert Path(target).samefile(DATABASE)


def test_backup_refuses_a_part_file_that_is_the_database(
    run: Run, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    DATABASE.rename("games.part")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///games.part")
    assert "games.part is the database itself" in refused(run, "backup", "games")
    assert ids_in(Path("games.part")) == ids


def test_a_linked_database_is_copied_and_put_back_behind_its_link(run: Run, ids: list[str]) -> None:
    Path("disk").mkdir()
    DATABASE.rename("disk/games.db")
    DATABASE.symlink_to("../disk/games.db")
    assert "is the database itself" in refused(run, "backup", "disk/games.db")
    assert "is the database itself" in refused(run, "backup", "disk/games.db-wal")
    assert run("backup", "copy.db").code == 0
    change("DELETE FROM results")
    assert run("restore", "copy.db").code == 0
    assert DATABASE.is_symlink()
    assert ids_in(Path("disk/games.db")) == ids


@pytest.mark.usefixtures("copied")
def test_a_copy_of_a_newer_program_is_refused_before_anything_is_moved(run: Run) -> None:
    change(NEWER, path=Path("copy.db"))
    before = contents()
    said = refused(run, "restore", "copy.db")
    assert "copy.db" in said
    assert "newer Tavoliere" in said
    assert contents() == before


def test_restore_works_from_a_copy_at_the_target_path(run: Run, copied: list[str]) -> None:
    change("DELETE FROM results")
    Path("copy.db").rename("data/tavoliere.db.part")
    assert (run("restore", "data/tavoliere.db.part").code, ids_in(DATABASE)) == (0, copied)


@pytest.mark.usefixtures("copied")
def test_restore_error_names_the_invalid_copy(run: Run) -> None:
    whole = Path("copy.db").read_bytes()
    Path("folder").mkdir()
    Path("notes.db").write_bytes(b"my holiday notes " * 100)
    Path("cut.db").write_bytes(whole[: len(whole) // 2])
    Path("torn.db").write_bytes(whole[:4096] + b"\xff" * 4096 + whole[8192:])
    Path("empty.db").write_bytes(b"")
    change("CREATE TABLE recipes (name TEXT)", path=Path("foreign.db"))
    before = contents()
    said = {"missing.db": "no file missing.db", "copy.db/wrong.db": "no file copy.db/wrong.db"}
    said |= {"folder": "folder cannot be read: Is a directory", "notes.db": "notes.db is damaged"}
    said |= {"cut.db": "cut.db is damaged", "torn.db": "torn.db is damaged"}
    said |= {"empty.db": "empty.db is not a copy", "foreign.db": "foreign.db is not a copy"}
    for wrong, words in said.items():
        message = refused(run, "restore", wrong)
        assert words in message
        assert "database (" not in message
        assert contents() == before


@pytest.mark.usefixtures("ids")
def test_backup_error_names_the_unusable_target(run: Run) -> None:
    Path("file").touch()
    Path("folder/copy.db.part").mkdir(parents=True)
    before = contents(".")
    for target in ("folder", ".", "file/copy.db", "folder/copy.db"):
        message = refused(run, "backup", target)
        assert target in message
        assert "database" not in message
        assert contents(".") == before


@pytest.mark.usefixtures("ids")
def test_backup_to_a_full_disk_names_the_copy(run: Run) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        message = refused(run, "backup", "copy.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "The copy copy.db" in message
    assert "database" not in message
    assert not Path("copy.db").exists()


def test_backup_without_games_says_there_are_none(run: Run) -> None:
    for arguments in (["copy.db"], ["folder/copy.db"], [], ["--data-dir", "elsewhere"]):
        assert "There are no games" in refused(run, "backup", *arguments)
        assert list(Path().iterdir()) == []


@pytest.mark.usefixtures("copied")
def test_where_the_old_games_cannot_be_kept_they_stay(run: Run) -> None:
    Path("data/backups").write_text("in the way")
    before = contents()
    assert "data/backups/tavoliere-before-restore-" in refused(run, "restore", "copy.db")
    assert contents() == before


@pytest.mark.parametrize("address", ["nonsense", "data/games.db", "sqlite:games.db", "mysql://u:secret@host/games"])
def test_invalid_database_address_creates_no_database(run: Run, address: str) -> None:
    Path("copy.db").write_bytes(b"a copy")
    for command in (["backup"], ["restore", "copy.db"], ["check"]):
        message = refused(run, *command, DATABASE_URL=address)
        assert "postgresql://user:password@host/database" in message
        assert "sqlite:///" in message
        assert "secret" not in message
        assert [path.name for path in Path().rglob("*")] == ["copy.db"]


def test_lock_follows_the_database_through_links(run: Run, copied: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("shelf").mkdir()
    DATABASE.rename("shelf/games.db")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///shelf/games.db")
    Path("other").symlink_to("shelf")
    with DatabaseLock(Path("other/games.db")):
        message = refused(run, "restore", "copy.db", "--data-dir", "elsewhere")
        assert f"{Path('shelf/games.db').absolute()}" in message
        assert "Stop it first" in message
    assert (ids_in(Path("shelf/games.db")), run("restore", "copy.db").code) == (copied, 0)


@pytest.mark.usefixtures("copied")
def test_lock_covers_the_default_database_also_under_its_address(run: Run) -> None:
    named = {"DATABASE_URL": "sqlite:///data/tavoliere.db"}
    with DatabaseLock(DATABASE):
        assert "Stop it first" in refused(run, "restore", "copy.db")
        assert "Stop it first" in refused(run, "restore", "copy.db", "--data-dir", "elsewhere", **named)


TWO_LINES = """#!/bin/sh
echo "$(basename "$0"): error: aborting because of server version mismatch" >&2
echo "$(basename "$0"): detail: server version: 18.0; pg_dump version: 15.18" >&2
exit 1
"""


def test_errors_of_postgresql_tools_are_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:secret@127.0.0.1:1/games")
    monkeypatch.setenv("PATH", f"{Path('bin').absolute()}{os.pathsep}{os.environ['PATH']}")
    Path("bin").mkdir()
    for tool in ("pg_dump", "pg_restore"):
        Path("bin", tool).write_text(TWO_LINES)
        Path("bin", tool).chmod(0o755)
    message = refused(run, "backup", "copy.dump")
    assert (
        "pg_dump could not do its work: aborting because of server version mismatch; server version: 18.0;" in message
    )
    Path("copy.dump").write_bytes(b"PGDMP")
    message = refused(run, "restore", "copy.dump")
    assert "copy.dump cannot be read: aborting because of server version mismatch; server version: 18.0" in message
