"""A value that cannot be read, in whatever table and column: what it belongs to is set aside, everything else runs."""

import shutil
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from sqlalchemy import Text
from structlog.testing import capture_logs

from bot.boards.puzzles.cards import open_puzzle_press
from bot.boards.puzzles.puzzle import puzzle_by_id
from bot.boards.puzzles.solving import find_solution
from bot.cli.installed_games import DamageWatch
from bot.competitions.kinds import check_competitions
from bot.kernel.operations.metrics import REGISTRY
from bot.kernel.requests import Place
from bot.platforms.telegram.answers import EphemeralMessages
from bot.platforms.web.room import ChatRoom
from bot.table.checking import check_games
from storage import ProcessedEvent, Store
from storage.columns import Count, Figure, JsonText, PlainText, Utc
from storage.copies import find_damage, find_faults, repair_damage
from storage.schema import metadata
from tests.bot.party import Clock, Party, button, words
from tests.support.present import present
from tests.support.stores import START, handle_event, list_posts_in, time_after

GARDEN: Final = Place("web", "garden")
COLUMNS: Final = {
    table.name: [
        column.name
        for column in table.columns
        if isinstance(column.type, (Count, Figure, PlainText, JsonText, Utc, Text))
    ]
    for table in metadata.sorted_tables
}
BROKEN: Final = {"a byte that is no text": "CAST(x'7b22ff' AS TEXT)", "text that is nothing": "'{'"}


async def filled(path: Path) -> tuple[str, str, str]:
    """Make a database with a bit of everything; return a game, whose row comes last, another, and who is to move."""
    async with await Store.open(path) as store, Party(store) as hall:
        whole = await hall.started("/play annuvin @bruno clock:1d")
        mover = hall.mover
        await hall.say("carla", "/settings language:en", place=GARDEN)
        await hall.say("carla", "/learn annuvin", place=GARDEN)
        await hall.say("carla", "/play annuvin @dora clock:1d", place=GARDEN)
        broken = hall.code
        await hall.press("dora", button(hall.newest.card, "join"), place=GARDEN)
        person = (await store.games.get_with_people(broken) or (None, {}))[1]
        await store.links.store_code("ABC234", max(person), time_after(days=1))
        await store.room.add_message(START, text="said")
        await store.key_values.set("telegram", "passing:-1:7", {"owner": 5, "until": START.isoformat()})
        await store.analyses.store(broken, {"version": 3}, START)
        await store.alarms.record_heartbeat("other", START)
        place = await store.places.get_or_create("web", "garden", None, None)
        await store.daily.switch_on(place.id, 0, START)
        hall.front.context.signals.wake("daily")
        await hall.settle()
        (daily,) = await list_posts_in(store, place.id, "daily")
        puzzle = present(puzzle_by_id(daily.subject.partition(":")[2]))
        await hall.press("carla", open_puzzle_press(puzzle.id), place=GARDEN)
        for turn in find_solution(puzzle)[::2]:
            await hall.say("carla", f"/move {' '.join(turn)}", place=GARDEN)
    return broken, whole, mover


def spoil(path: Path, table: str, column: str, value: str) -> bool:
    """Spoil a value in the row of a table that came last; False if there is none."""
    last = f"(SELECT max(rowid) FROM {table} WHERE {column} IS NOT NULL)"  # noqa: S608
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        changed = f"UPDATE {table} SET {column} = {value} WHERE rowid = {last}"  # noqa: S608
        return connection.execute(changed).rowcount == 1


async def goes_on(path: Path, whole: str, mover: str, tables: set[str]) -> None:
    """Check that the program starts with a database, and plays another game than the one that is broken."""
    async with await Store.open(path) as store, Party(store) as hall:
        hall.numbers = 1000
        # What else is read at the start.
        await ChatRoom(store, hall.clock).restore()
        adapter: Any = SimpleNamespace(context=hall.front.context)
        await EphemeralMessages(adapter).restore()
        await hall.settle()
        await hall.front.alarms.tick()
        before = present(await store.games.get(whole))
        said = words(await hall.say(mover, f"/move b1-b2 game:{whole}"))
        assert present(await store.games.get(whole)).turn == before.turn + 1, said
        assert whole in words(await hall.say(mover, "/games")) or tables <= PEOPLE
        for asked in ("/puzzle", "/profile", "/leaderboard") if tables & PUZZLES else ():
            reply = await hall.say("carla", asked, place=GARDEN)
            assert not reply.failed, (asked, words(reply))
        await store.room.list_messages(None)
        assert "key_values" in tables or await store.key_values.get_with_prefix("telegram", "passing:")
        values = (await store.key_values.get_with_prefix("telegram", "")).values()
        assert all(set(value) == {"owner", "until"} for value in values)
        await hall.front.alarms.tick()
        await hall.settle()
        async for code, findings in check_games(store):
            assert code != whole or not findings, findings


PEOPLE: Final = {"people", "identities"}
PUZZLES: Final = {table for table in COLUMNS if table.startswith(("puzzle", "dail"))}
GAMES: Final = {"games", "seats", "events"}
"""Tables of the records of games, of which a row may be left as it is."""
APART: Final = (PEOPLE, PUZZLES, GAMES, {"rooms"})
"""Tables by which the rows of others are found."""


def list_rounds(how: str, *, every: bool) -> list[list[tuple[str, str]]]:
    """Return columns to spoil at once: `every` one alone, or one of each kind in each table.

    Then one of every table at a time, but for those that are apart.
    """
    rounds = defaultdict[object, list[tuple[str, str]]](list)
    for table, columns in COLUMNS.items():
        apart = [table in each for each in APART]
        kinds = list[type]()
        for column in columns:
            kind = type(metadata.tables[table].columns[column].type)
            if how == "text that is nothing" and not issubclass(kind, (JsonText, Utc)):
                continue
            kinds += [] if kind in kinds else [kind]
            rounds[(table, column) if every else (*apart, kinds.index(kind))].append((table, column))
    return list(rounds.values())


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.full)], ids=["some", "every"])
@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.timeout(3600)
async def test_unreadable_value_sets_only_its_own_record_aside(
    tmp_path: Path, empty_database: Path, how: str, every: bool
) -> None:
    path, copy = Path(shutil.copy(empty_database, tmp_path / "whole.db")), tmp_path / "broken.db"
    broken, whole, mover = await filled(path)
    tried = 0
    for columns in list_rounds(how, every=every):
        shutil.copy(path, copy)
        spoiled = dict[str, str]()
        for table, column in columns:
            # The first of a kind that has a value.
            if table not in spoiled and spoil(copy, table, column, BROKEN[how]):
                spoiled[table] = column
        if not spoiled:
            continue
        tried += len(spoiled)
        damages = await find_damage(copy)
        assert {(each.table, each.column) for each in damages} == set(spoiled.items())
        try:
            await goes_on(copy, whole, mover, set(spoiled))
        except Exception as error:
            raise AssertionError(f"{spoiled} of {broken}") from error
        repaired = await repair_damage(copy, await find_damage(copy), START)
        left = [each.damage for each in repaired if each.outcome == "left"]
        assert await find_damage(copy) == left
        assert all(damage.is_game_data for damage in left), (spoiled, left)
        assert {damage.table for damage in left} <= GAMES
        # What is left of a game may be missed by what refers to it.
        assert left or await find_faults(copy) == []
    assert tried >= (65 if how == "a byte that is no text" else 30) // (1 if every else 2)


CUPS: Final = ("competitions", "competition_events", "competition_games", "entrants")
SOME: Final = [
    ("competitions", "due_at"),
    ("competitions", "kind"),
    ("competition_events", "data"),
    ("entrants", "joined_by"),
]
WRONG: Final = [("competition_events", "kind"), ("competition_events", "data")]
EVERY: Final = [(table, column) for table in CUPS for column in COLUMNS[table]]


@pytest.mark.parametrize("columns", [SOME, pytest.param(EVERY, marks=pytest.mark.full)], ids=["some", "every"])
async def test_a_competition_that_cannot_be_read_leaves_the_others_alone(
    tmp_path: Path, empty_database: Path, columns: list[tuple[str, str]]
) -> None:
    path, copy = Path(shutil.copy(empty_database, tmp_path / "whole.db")), tmp_path / "broken.db"
    codes = list[str]()
    async with await Store.open(path) as store, Party(store) as hall:
        for _ in range(2):
            await hall.say("anna", "/cup annuvin clock:1d players:3")
            (anna,) = await store.people.find("Anna")
            codes += [row.id for row in await store.competitions.list_made_by(anna.id) if row.id not in codes]
            for who in ("anna", "bruno", "cora"):
                await hall.press(who, f"cup=join.{codes[-1]}")
    whole, broken = codes
    for table, column in columns:
        shutil.copy(path, copy)
        if not spoil(copy, table, column, BROKEN["a byte that is no text"]):
            continue
        assert [(each.table, each.column) for each in await find_damage(copy)] == [(table, column)]
        async with await Store.open(copy) as store, Party(store) as hall:
            hall.numbers = 1000
            await hall.settle()
            await hall.front.jobs["cups"].run_until_idle()
            assert "out from the next round" in words(await hall.press("anna", f"cup=leave.{whole}")), (table, column)
            listed = words(await hall.say("anna", "/cup"))
            assert (broken in listed, "Annuvin" in listed) == ((table, column) in WRONG, True), (table, column)
            shown = words(await hall.press("anna", f"cup=table.{broken}"))
            assert shown
            assert "refusal." not in shown, (table, column)
            found = {code: findings async for code, findings in check_competitions(store)}
            assert found[whole] == ()
            assert found.get(broken) or (table, column) not in WRONG, (table, column)
        repaired = await repair_damage(copy, await find_damage(copy), START)
        left = [each.damage for each in repaired if each.outcome == "left"]
        assert await find_damage(copy) == left
        assert all(damage.is_game_data for damage in left)
        assert await find_faults(copy) == []


async def test_unreadable_values_are_logged_and_counted(tmp_path: Path, empty_database: Path) -> None:
    path = Path(shutil.copy(empty_database, tmp_path))
    async with await Store.open(path) as store:
        broken = (await handle_event(store, ProcessedEvent("web", "1"))).id
        watch = DamageWatch(store, Clock().monotonic)
        with capture_logs() as logs:
            await store.games.get(broken)
            await watch.scan()
            assert logs == []
            assert spoil(path, "games", "created_at", BROKEN["a byte that is no text"])
            await store.games.get(broken)
            await watch.scan()
    assert {"table": "games", "key": broken, "column": "created_at"}.items() <= logs[0].items()
    assert [entry["event"] for entry in logs] == ["damaged-row", "database-damaged"]
    assert REGISTRY.get_sample_value("tavoliere_damaged_values") == 1
