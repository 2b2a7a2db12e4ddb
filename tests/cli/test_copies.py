"""`tavoliere backup`, `restore` and `check`: copies that can be trusted, and faults that are found."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.record import Record
from tests.cli.conftest import Run

DATABASE = Path("data/tavoliere.db")


_FILLED: dict[tuple[str, ...], tuple[list[str], dict[Path, bytes]]] = {}
"""What was typed into empty folders before: the games' ids, and the files that this left."""


def filled(run: Run, *typed: str) -> list[str]:
    """Take finished games into the database and return their ids; in an empty folder it is done once and copied."""
    empty = not any(Path().iterdir()) and "DATABASE_URL" not in os.environ
    if empty and typed in _FILLED:
        ids, files = _FILLED[typed]
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return ids
    ids = _fill(run, *typed)
    if empty:
        _FILLED[typed] = ids, {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    return ids


def _fill(run: Run, *typed: str) -> list[str]:
    ids = []
    for number, moves in enumerate(typed or ("b1-b2\nb5-b4\nresign\n", "resign\n")):
        run("play", "annuvin", "--record", f"{number}.txt", typed=moves)
        run("import", f"{number}.txt").success()
        ids.append(Record.from_text(Path(f"{number}.txt").read_text("utf-8")).game_id)
    return ids


def change(statement: str, *values: object, path: Path = DATABASE) -> None:
    """Change the database behind the program's back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def everything() -> list[str]:
    """Return all that is stored in the database."""
    with closing(sqlite3.connect(DATABASE)) as connection:
        return list(connection.iterdump())


def ids_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return sorted(row[0] for row in connection.execute("SELECT id FROM games"))


def test_a_copy_is_a_database_that_can_be_opened_and_put_where_there_was_nothing(run: Run) -> None:
    ids = filled(run)
    assert "copy.db" in run("backup", "copy.db").success()
    assert ids_in(Path("copy.db")) == sorted(ids)
    assert not [path.name for path in Path().iterdir() if path.name.startswith("copy.db-") or path.suffix == ".part"]
    run("restore", "copy.db", "--data-dir", "elsewhere").success()
    assert ids_in(Path("elsewhere/tavoliere.db")) == sorted(ids)


def test_a_copy_is_made_while_the_database_is_written(run: Run) -> None:
    ids = filled(run)
    with closing(sqlite3.connect(DATABASE, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM room_messages")
        writer.execute("UPDATE games SET turn = 99")
        assert run("backup", "copy.db").code == 0
        writer.execute("ROLLBACK")
    assert ids_in(Path("copy.db")) == sorted(ids)
    with closing(sqlite3.connect("copy.db")) as copy:
        assert copy.execute("SELECT count(*) FROM games WHERE turn = 99").fetchone() == (0,)


def test_copies_without_a_name_are_dated_and_only_the_newest_kept(run: Run) -> None:
    filled(run)
    folder = Path("data/backups")
    folder.mkdir()
    for day in (1, 2, 3):
        (folder / f"tavoliere-202601{day:02}-000000.db").write_bytes(b"old")
    assert run("backup", "--keep", "2").code == 0
    names = sorted(path.name for path in folder.iterdir())
    assert (len(names), names[0]) == (2, "tavoliere-20260103-000000.db")


def test_restore_brings_back_games_and_keeps_the_previous_database(run: Run) -> None:
    ids = filled(run)
    run("backup", "copy.db")
    change("DELETE FROM results")
    printed = run("restore", "copy.db").success()
    assert ids_in(DATABASE) == sorted(ids)
    assert "All is well: 2 games" in printed
    (backup,) = Path("data/backups").iterdir()
    assert str(backup) in printed
    with closing(sqlite3.connect(backup)) as aside:
        assert aside.execute("SELECT count(*) FROM results").fetchone() == (0,)


FAULTS = {
    "events lead to another": "UPDATE events SET data = replace(data, 'b1-b2', 'b1-a1') WHERE game = ?",
    "its result": "UPDATE games SET outcome = replace(outcome, '\"places\":[2,1]', '\"places\":[1,2]') WHERE id = ?",
    "stored places": "UPDATE results SET place_number = 3 - place_number WHERE game = ?",
    "secret seed": "UPDATE games SET seed_hash = replace(seed_hash, substr(seed_hash, 1, 4), 'zzzz') WHERE id = ?",
}


@pytest.mark.parametrize("said", FAULTS)
def test_a_contradiction_is_found_and_named(run: Run, said: str) -> None:
    broken, whole = filled(run)
    change(FAULTS[said], broken)
    printed = run("check").refusal(1)
    assert said in printed
    assert broken in printed
    assert whole not in printed
    assert "1 of 2" in printed


def test_a_damaged_file_is_found(run: Run) -> None:
    filled(run)
    with closing(sqlite3.connect(DATABASE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ix_members_person'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with DATABASE.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * 40)
    ran = run("check")
    assert ran.code != 0
    assert "Traceback" not in ran.err
    assert run("backup", "copy.db").code == 3
    assert not Path("copy.db").exists()
