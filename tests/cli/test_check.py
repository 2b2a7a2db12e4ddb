"""`tavoliere check`: it changes nothing unless it is asked to, and then only what is beyond doubt."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.kernel.operations.process import DatabaseLock
from tests.cli.conftest import Run
from tests.cli.test_copies import DATABASE, change, everything, filled


def rows(statement: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(DATABASE)) as connection:
        return connection.execute(statement, values).fetchall()


REPAIR = pytest.mark.parametrize("repair", [(), ("--repair",)], ids=["plain", "repair"])


@REPAIR
def test_check_creates_no_database(run: Run, repair: tuple[str, ...]) -> None:
    Path("empty").mkdir()
    for folder in ("daat", "empty"):
        ran = run("check", "--data-dir", folder, *repair)
        assert folder in ran.refusal(3)
        assert "well" not in ran.out
    assert [str(path) for path in Path().rglob("*")] == ["empty"]


@REPAIR
@pytest.mark.parametrize(("version", "said"), [("0006", "older"), ("9999", "newer")])
def test_check_leaves_databases_of_other_versions_unchanged(
    run: Run, repair: tuple[str, ...], version: str, said: str
) -> None:
    filled(run)
    change("DROP TABLE analyses")
    change("UPDATE alembic_version SET version_num = ?", version)
    before = everything()
    assert said in run("check", *repair).refusal(3)
    assert everything() == before
    assert not list(DATABASE.parent.glob("*before-migration*"))


@REPAIR
def test_check_leaves_files_that_are_no_database_of_ours_unchanged(run: Run, repair: tuple[str, ...]) -> None:
    DATABASE.parent.mkdir()
    DATABASE.touch()
    assert (run("check", *repair).code, DATABASE.read_bytes()) == (3, b"")
    change("CREATE TABLE games (name TEXT)")
    before = everything()
    assert (run("check", *repair).code, everything()) == (3, before)


MENDABLE = {
    "no JSON": ("UPDATE games SET position = '{\"broken' WHERE id = ?", "cannot be read"),
    "no position": ("UPDATE games SET position = replace(position, 'b2', 'z9') WHERE id = ?", "another position"),
    "no object": ("UPDATE games SET position = '[]', last_turn = '\"x\"' WHERE id = ?", "cannot be read"),
    "another position": ("UPDATE games SET position = replace(position, 'b2', 'b3') WHERE id = ?", "another position"),
    "another turn": ("UPDATE games SET last_turn = replace(last_turn, 'b2', 'a1') WHERE id = ?", "another last turn"),
    "another number": ("UPDATE games SET turn = turn + 1 WHERE id = ?", "number of turns"),
}
"""What is wrong: how it is made so, and what is said of it."""


@pytest.mark.parametrize("how", MENDABLE)
def test_a_position_is_put_right_from_the_events(run: Run, how: str) -> None:
    broken, whole = filled(run)
    wanted = rows("SELECT position, turn, status, outcome FROM games WHERE id = ?", broken)
    untouched = rows("SELECT * FROM games WHERE id = ?", whole)
    statement, said = MENDABLE[how]
    change(statement, broken)
    printed = run("check").refusal(1)
    assert said in printed
    assert "check --repair" in printed
    assert not Path("data/backups").exists()
    printed = run("check", "--repair").success()
    assert broken in printed
    assert rows("SELECT position, turn, status, outcome FROM games WHERE id = ?", broken) == wanted
    assert rows("SELECT * FROM games WHERE id = ?", whole) == untouched
    (copy,) = Path("data/backups").iterdir()
    assert str(copy) in printed
    again = run("check")
    assert (again.code, again.err) == (0, "")
    assert rows("SELECT mark FROM results WHERE game = ? ORDER BY seat", broken) == [("loss",), ("win",)]


NOT_MENDABLE = {
    "a garbled event": (
        "UPDATE events SET data = replace(data, 'b1-b2', 'zz-qq') WHERE game = ?",
        "cannot be replayed",
    ),
    "an event that is no JSON": (
        "UPDATE events SET data = '{' WHERE game = ? AND data LIKE '%b1-b2%'",
        "cannot be replayed",
    ),
    "a missing event": ("DELETE FROM events WHERE game = ? AND data LIKE '%b1-b2%'", "is not the revision"),
    "options": ("UPDATE games SET options = '{', position = '{' WHERE id = ?", "cannot be read"),
    "terms": ("UPDATE games SET terms = '{' WHERE id = ?", "cannot be read"),
    "an offer that cannot be": ("UPDATE games SET offers = '{\"draw\": 5}' WHERE id = ?", "cannot be read"),
    "a missing last event": (
        "DELETE FROM events WHERE game = ?1 AND number = (SELECT max(number) FROM events WHERE game = ?1)",
        "is not the revision",
    ),
}
IN_THE_WAY = ("a garbled event", "an event that is no JSON", "a missing event")
"""Where the event is named."""


@pytest.mark.parametrize("how", NOT_MENDABLE)
def test_repair_keeps_games_that_events_cannot_restore(run: Run, how: str) -> None:
    broken, whole = filled(run)
    ((number,),) = rows("SELECT number FROM events WHERE game = ? AND data LIKE '%b1-b2%'", broken)
    statement, said = NOT_MENDABLE[how]
    change(statement, broken)
    before = everything()
    printed = run("check").refusal(1)
    assert said in printed
    assert "--repair" not in printed
    assert f"event {number}" in printed or how not in IN_THE_WAY
    printed = run("check", "--repair").refusal(1)
    assert broken in printed
    assert whole not in printed
    assert everything() == before


def test_repair_mends_one_game_and_reports_the_other(run: Run) -> None:
    mended, broken = filled(run, "b1-b2\nb5-b4\nresign\n", "b1-b2\nresign\n")
    change(MENDABLE["no JSON"][0], mended)
    change(NOT_MENDABLE["a garbled event"][0], broken)
    ran = run("check", "--repair")
    assert ran.code == 1
    assert mended in ran.out
    assert "1 of 2" in ran.err


def test_repair_is_refused_while_the_program_runs(run: Run) -> None:
    broken, _ = filled(run)
    change(MENDABLE["no JSON"][0], broken)
    before = everything()
    with DatabaseLock(DATABASE):
        assert run("check").code == 1
        assert "Stop it first" in run("check", "--repair").refusal(3)
    assert everything() == before


@REPAIR
def test_a_sound_database_passes_and_is_not_changed(run: Run, repair: tuple[str, ...]) -> None:
    filled(run)
    before = everything()
    ran = run("check", *repair)
    assert (ran.code, ran.err, everything()) == (0, "", before)
    assert "2 games" in ran.out
    assert not Path("data/backups").exists()


def test_rows_that_cannot_be_read_are_named_and_mended(run: Run) -> None:
    broken, _ = filled(run)
    change("UPDATE games SET created_at = CAST(x'32ff' AS TEXT) WHERE id = ?", broken)
    change("UPDATE places SET settings = CAST(x'7b22ff' AS TEXT)")
    change("INSERT INTO key_values (platform, name, value) VALUES ('telegram', 'half', CAST(x'ff' AS TEXT))")
    printed = run("check").refusal(1)
    for said in (f"games, row {broken}: what stands in “created_at”", "places, row", "key_values, row telegram, half"):
        assert said in printed
    assert "check --repair" in printed
    printed = run("check", "--repair").success()
    (copy,) = Path("data/backups").iterdir()
    assert str(copy) in printed
    assert "key_values, row telegram, half: removed" in printed
    assert (rows("SELECT DISTINCT settings FROM places"), run("check").code) == ([("{}",)], 0)
