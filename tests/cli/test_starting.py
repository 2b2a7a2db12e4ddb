"""What `tavoliere serve` says before it begins: settings that do nothing, and a database that takes no change."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot.kernel.operations.process import DatabaseLock
from storage import Store, utc_now
from tests.cli.conftest import Ran, Run
from tests.support.faults import with_pragma

pytestmark = pytest.mark.usefixtures("logs")


def start(run: Run, **settings: str) -> Ran:
    """Start the program where it cannot go on, with a file for its folder."""
    Path("file").touch()
    return run("serve", "--port", "0", "--data-dir", "file", **settings)


def test_mistyped_setting_is_reported_with_a_suggestion(run: Run) -> None:
    Path(".env").write_text("TAVOLIERE_WEBPORT=9000\nTAVOLIERE_COLOUR=blue\nSOMETHING_ELSE=1\n", encoding="utf-8")
    colour, language, port, _ = start(run, TAVOLIERE_LANGAUGE="it").err.splitlines()
    assert "TAVOLIERE_COLOUR" in colour
    assert "Perhaps" not in colour
    assert "TAVOLIERE_LANGAUGE" in language
    assert "Perhaps TAVOLIERE_LANGUAGE " in language
    assert "TAVOLIERE_WEBPORT" in port
    assert "Perhaps TAVOLIERE_WEB_PORT " in port


@pytest.mark.parametrize(("place", "token"), [("discord:5", "DISCORD_TOKEN"), ("telegram:-5", "TELEGRAM_TOKEN")])
def test_error_reports_to_a_platform_need_its_token(run: Run, place: str, token: str) -> None:
    warning, _ = start(run, TAVOLIERE_ERRORS_TO=place).err.splitlines()
    assert "TAVOLIERE_ERRORS_TO" in warning
    assert token in warning
    assert len(start(run, **{"TAVOLIERE_ERRORS_TO": place, token: "1:x"}).err.splitlines()) == 1


def test_valid_settings_give_no_warnings(run: Run) -> None:
    assert len(start(run, tavoliere_language="en").err.splitlines()) == 1


@pytest.fixture
def database(new_database: Path) -> Path:
    """A database in whose room something was said."""

    async def make() -> None:
        async with await Store.open(new_database) as store:
            anna = await store.people.identify("web", "b1.anna", "Anna", "en", at=utc_now())
            card = {"name": "Anna", "answers": None, "event": "e1"}
            await store.room.add_message(utc_now(), author=anna.id, text="hello", card=card, key="hello")

    asyncio.run(make())
    return new_database


def garble_page_of(path: Path, table: str) -> None:
    """Put nonsense in place of the first page of a table."""
    with closing(sqlite3.connect(path)) as connection:
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table])
        ((size,),) = connection.execute("PRAGMA page_size")
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = bytes([0xFF, 0x80]) * (size // 2)
    path.write_bytes(content)


def garble_schema(path: Path, _: str) -> None:
    """Put bytes that are no UTF-8 into the name of a table, which SQLite quotes when it complains of it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        damage = "UPDATE sqlite_master SET name = CAST(X'70FFFE80' AS TEXT), sql = CAST(X'FF80' AS TEXT) WHERE name = ?"
        connection.execute(damage, ["puzzle_attempts"])
        connection.commit()


@pytest.mark.parametrize(
    ("garble", "table"), [(garble_page_of, "room_messages"), (garble_page_of, "places"), (garble_schema, "")]
)
def test_damaged_database_is_reported_in_one_sentence(
    run: Run, database: Path, garble: Callable[[Path, str], None], table: str
) -> None:
    garble(database, table)
    assert "is damaged" in run("serve", "--port", "0").sentence(3)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the locks of a file are SQLite's own")
@pytest.mark.parametrize("made", [True, False])
def test_another_name_for_the_same_file_is_noticed(run: Run, database: Path, tmp_path: Path, made: bool) -> None:
    other = tmp_path / "elsewhere" / "games.db"
    other.parent.mkdir()
    first = DatabaseLock(database)
    if not made:
        content = database.read_bytes()
        database.unlink()
    with first:
        if not made:
            database.write_bytes(content)
            first.hold_file()
        other.hardlink_to(database)
        assert "running already" in run("serve", "--port", "0", DATABASE_URL=f"sqlite:///{other}").refusal(3)
    # Nothing is left of it.
    with DatabaseLock(other):
        pass


def test_read_only_database_is_reported_and_nothing_starts(run: Run, database: Path) -> None:
    with with_pragma("query_only = ON"):
        assert "may not be written" in run("serve", "--port", "0").sentence(3)
