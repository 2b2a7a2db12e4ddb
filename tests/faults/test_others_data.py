"""Whatever is stored about one person and cannot be read, or is not known here: everybody else goes on."""

import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from bot.boards.puzzles.cards import open_puzzle_press
from bot.boards.puzzles.puzzle import puzzle_on
from bot.boards.puzzles.solving import find_solution
from bot.kernel.requests import Place
from storage import FormDraft, NewTitle, Store
from storage.columns import PERSON_SETTINGS
from storage.schema import metadata, people
from tests.bot.party import SQUARE, Party, words
from tests.storage.populated import fill_guesses

WRONG: Final[tuple[Any, ...]] = (
    *(5, -1, 1e300, True, "", "?", "nobody-knows", "Pacific", "\0", "x" * 3000),
    *([], [99, -1], [1], ["x"], [None, {}], {}, {"x": "y"}, {"2026": "x"}),
    *("2026-11-22", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00"),
)
"""Values that no setting holds, or that none here knows."""
EVERYTHING_WRONG: Final = [{name: value for name in PERSON_SETTINGS if name != "team"} for value in WRONG]
EACH_WRONG: Final = {name: WRONG[at % len(WRONG)] for at, name in enumerate(PERSON_SETTINGS) if name != "team"}
ASKED: Final = (
    *("/leaderboard", "/leaderboard period:month", "/profile", "/profile @bruno", "/puzzle", "/games", "/settings"),
    *("/history", "/help", "/board"),
)


async def ask(party: Party, *lines: str) -> None:
    """Check that Anna gets an answer to each line."""
    for line in lines:
        reply = await party.say("anna", line)
        assert not reply.failed, (line, words(reply))


async def goes_on(party: Party, code: str) -> None:
    """Check that a game is played on, shown and asked about, until a clock has warned its players."""
    for _ in range(3):
        before = await party.load_row(code)
        await party.play_first(code)
        row = await party.load_row(code)
        assert (row.turn, row.deadline is not None) == (before.turn + 1, True)
        (post,) = await party.store.posts.list_for_game(code)
        assert (post.shown_revision, post.attempts) == (row.revision, 0)
        assert not any(notice.attempts for notice in await party.store.notices.list_for_game(code))
    await ask(party, *ASKED)
    await party.wait(hours=19)
    await party.wait(hours=4)
    assert (await party.load_row(code)).status == "playing"
    assert party.front.context.signals.resting == set()


@pytest.mark.parametrize("settings", [*EVERYTHING_WRONG, EACH_WRONG], ids=lambda each: str(each)[:60])
async def test_settings_of_one_who_does_not_act_stop_nobody(party: Party, settings: Mapping[str, Any]) -> None:
    code = await party.started("/play annuvin @bruno clock:1d rated:no")
    bruno = await party.id_of("bruno")
    with capture_logs() as logs:
        await party.store.people.change_settings(bruno, settings)
        await goes_on(party, code)
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []
    said = words(await party.say("bruno", "/settings theme:dark"))
    assert "Your settings" in said, "and they can be put right"
    await party.say("bruno", "/settings timezone:Rome quiet:22-8 digest:18 notices:private")
    assert "22-8" in words(await party.say("bruno", "/settings"))


OF_ALL: Final = frozenset(
    (
        *("games", "seats", "events", "competitions", "competition_events", "entrants", "room_messages"),
        *("teams", "team_sides", "team_voters", "team_votes", "team_proposals", "team_invitations"),
    )
)
"""Tables whose rows belong to a game, a competition, a room or a team, and not to those who are named in them."""
OF_PEOPLE: Final = {
    table.name: owners[0]
    for table in metadata.sorted_tables
    if (owners := [each.parent.name for each in table.foreign_keys if each.column.table is people.table])
    and table.name not in OF_ALL
} | {"people": "id"}
"""Every other table in which people are named, each with the column of the person whom a row is about."""
NO_VALUES: Final = ("CAST(x'7b22ff' AS TEXT)", "'{'", "'nobody knows'", "'[]'", "-1", "9e999", "''", "1e300")
"""SQL of values that a damaged file may hold anywhere."""
GARDEN: Final = Place("web", "garden")
OWN: Final = Place("web", "@bruno", kind="private")


async def fill(path: Path) -> str:
    """Have Bruno use all that there is beside a game with Anna, who is to move, and return its code."""
    async with await Store.open(path) as store, Party(store) as party:
        over = await party.warm_up(await party.started(SQUARE))
        await party.resign("bruno", over)
        code = await party.started("/play annuvin @bruno board:square clock:1d")
        beside = await party.started("/play annuvin @bruno board:square clock:3d")
        await party.warm_up(code)
        for each, mover in ((code, "anna"), (beside, "bruno")):
            if await party.mover_of(each) != mover:
                await party.play_first(each)
        state = (await party.table(code)).playing.state
        first = state.legal_actions()[0]
        answer = state.play(first).legal_actions()[0]
        await party.meet("carla", "emil")
        for said in (
            *("/settings language:it notices:digest timezone:Rome quiet:22-8", "/settings profile:public votes:named"),
            *("/settings notices:private for:me-here", "/learn annuvin", "/block @emil", "/link"),
            *(f"/guess agree game:{code}", f"/plan #{code} if {first} then {answer}"),
        ):
            reply = await party.say("bruno", said)
            assert not reply.failed, said
        await party.say("bruno", "/games", place=OWN)
        await party.say("anna", f"/guess agree game:{code}")
        await party.say("bruno", "/settings notices:digest for:me-here", place=GARDEN)
        puzzle = puzzle_on(party.clock().date())
        await party.press("bruno", open_puzzle_press(puzzle.id))
        for turn in find_solution(puzzle)[::2]:
            await party.say("bruno", f"/move {' '.join(turn)}")
        bruno, place = await party.id_of("bruno"), await store.places.get_or_create("web", "room")
        await fill_guesses(store, code, bruno)
        await store.own_moments.add(bruno, over, "annuvin", [(3, {"at": 0})], party.clock())
        await store.titles.award([NewTitle(bruno, "league", "annuvin", "ABCDEF", "1")], party.clock())
        await store.webhooks.create(place.id, "https://example.org", "secret", bruno, party.clock(), 5)
        await store.bans.add(place.id, "mute", bruno, [], party.clock(), party.clock())
        await store.public.create_ids("person", [str(bruno)], party.clock())
        until = party.clock() + timedelta(days=1)
        await store.drafts.put(FormDraft("AAAA", bruno, "settings", 1, {"theme": "dark"}, place.id, until))
    return code


def spoil(path: Path, table: str, column: str, value: str) -> bool:
    """Spoil a value in all rows about Bruno; False if there is none, or if no two may have this value."""
    bruno = "(SELECT id FROM people WHERE name = 'Bruno')"
    changed = f"UPDATE {table} SET {column} = {value} WHERE {OF_PEOPLE[table]} = {bruno}"  # noqa: S608
    with closing(sqlite3.connect(path)) as connection, connection, suppress(sqlite3.IntegrityError):
        connection.execute("PRAGMA ignore_check_constraints = ON")
        return connection.execute(changed).rowcount > 0
    return False


async def anna_goes_on(path: Path, code: str) -> None:
    """Check that Anna plays on, sees it, and is answered, whatever is stored about Bruno."""
    async with await Store.open(path) as store, Party(store) as party:
        party.numbers = 1000
        await party.settle()
        await party.front.alarms.tick()
        before = await party.load_row(code)
        reply = await party.say("anna", f"/move {await party.legal(code)} game:{code}")
        row = await party.load_row(code)
        assert row.revision > before.revision, words(reply)
        (post,) = await store.posts.list_for_game(code)
        assert (post.shown_revision, post.attempts) == (row.revision, 0)
        await ask(party, *ASKED)
        await party.wait(hours=19)
        await party.front.alarms.tick()
        await party.resign("anna", code)
        assert (await party.load_row(code)).status == "over"
        await ask(party, "/leaderboard annuvin", "/profile @bruno")


Wrong = tuple[str, str, str]
"""A table, a column, and the SQL of the value that it gets."""
COLUMNS: Final = {
    table: [each.name for each in metadata.tables[table].columns if not each.foreign_keys and each.name != "id"]
    for table in OF_PEOPLE
}
EACH_ALONE: Final[list[list[Wrong]]] = [
    [(table, column, value)] for table, columns in COLUMNS.items() for column in columns for value in NO_VALUES
]


def list_rounds() -> list[list[Wrong]]:
    """Return each column once, one of every table at a time; people alone, since all else is read with them."""
    wrong = zip(((table, name) for table, names in COLUMNS.items() for name in names), cycle(NO_VALUES))
    rounds = defaultdict[tuple[bool, int], list[Wrong]](list)
    for (table, column), value in wrong:
        rounds[table == "people", COLUMNS[table].index(column)].append((table, column, value))
    return list(rounds.values())


@pytest.mark.parametrize(
    "rounds", [list_rounds(), pytest.param(EACH_ALONE, marks=pytest.mark.full)], ids=["some", "every"]
)
# Each of several hundred values alone takes as long as the program takes to start and to answer everything.
@pytest.mark.timeout(3600)
async def test_no_value_about_one_person_stops_the_opponent(
    tmp_path: Path, empty_database: Path, rounds: list[list[Wrong]]
) -> None:
    path, copy = Path(shutil.copy(empty_database, tmp_path / "whole.db")), tmp_path / "damaged.db"
    code = await fill(path)
    spoiled = set[str]()
    for each in rounds:
        shutil.copy(path, copy)
        wrong = [(table, column, value) for table, column, value in each if spoil(copy, table, column, value)]
        if not wrong:
            continue
        spoiled |= {table for table, _, _ in wrong}
        try:
            await anna_goes_on(copy, code)
        except Exception as error:
            raise AssertionError(f"{wrong}") from error
    assert spoiled == OF_PEOPLE.keys()
