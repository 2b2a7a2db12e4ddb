"""Puzzles from games played here: made offline, if all who played agree, proven as all others; gone with consent."""

import asyncio
import datetime as dt
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.boards.puzzles.cards import open_puzzle_press
from bot.boards.puzzles.puzzle import list_puzzles, puzzle_on, read_puzzle
from bot.kernel.requests import Reply
from tests.bot.party import SQUARE, Party, buttons, card, words
from tests.bot.test_analysis import finished
from tests.support.present import present
from tests.support.stores import open_copy
from tools.check_puzzles import find_faults
from tools.make_calendar import extend_calendar

MOVES = ("c1-c2", "c4-c3", "a1-a2", "b4-c4", "c2-b2", "c3-d2", "b2-a1", "d4-c3")
"""Before the last one a single turn wins, and another was played."""
PUZZLE = "annuvin-8b5fab31a8"


async def played(party: Party) -> str:
    return await finished(party, SQUARE, MOVES)


async def agree(party: Party, *people: str) -> None:
    for who in people:
        said = words(await party.say(who, "/settings puzzles:on"))
        assert "Puzzles from your games: yes" in said


async def make(tmp_path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert await asyncio.to_thread(main, ["puzzles", "annuvin", "--data-dir", str(tmp_path / "data"), *arguments]) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def looked_through(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Path:
    """A database with a puzzle from the game of two who have agreed."""
    folder = tmp_path_factory.mktemp("played") / "data"

    async def play() -> None:
        async with open_copy(empty_database, folder / "tavoliere.db") as store, Party(store) as party:
            await played(party)
            await agree(party, "anna", "bruno")

    asyncio.run(play())
    assert main(["puzzles", "annuvin", "--data-dir", str(folder)]) == 0
    return folder / "tavoliere.db"


@pytest.fixture
async def later(looked_through: Path, tmp_path: Path) -> AsyncIterator[Party]:
    """People in a room where the puzzle has been made."""
    async with open_copy(looked_through, tmp_path / "data" / "tavoliere.db") as store, Party(store) as gathered:
        gathered.numbers = 1000  # no event has an id that one had in the database
        yield gathered


async def test_it_takes_the_consent_of_all_who_played_and_is_proven(
    party: Party, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = await played(party)
    assert "Games looked through: 0" in await make(tmp_path, capsys)
    await agree(party, "anna")
    assert "Games looked through: 0" in await make(tmp_path, capsys), "only one of two agrees"
    assert "There is no puzzle for you from games played here" in words(await party.say("carla", "/puzzle here"))
    await agree(party, "bruno")
    files = tmp_path / "files"
    files.mkdir()
    assert f"{code}: 1 puzzle." in await make(tmp_path, capsys, "--into", str(files))
    assert "Games looked through: 0. 0 new puzzles" in await make(tmp_path, capsys), "no game is looked through twice"
    (entry,) = json.loads((files / "annuvin.json").read_text(encoding="utf-8"))
    assert list(find_faults(read_puzzle(entry))) == []
    assert not {"anna", "bruno", code.lower()} & set(json.dumps(entry).lower().replace('"', " ").split())
    # What the calendar had on a date stays there: a new one comes after all others.
    assert PUZZLE not in list_puzzles()
    assert list(extend_calendar(list_puzzles(), {"annuvin": [entry]})) == [PUZZLE]
    known = {puzzle_on(party.clock().date() + dt.timedelta(days=number)).id for number in range(len(list_puzzles()))}
    assert PUZZLE not in known


async def test_others_solve_it_on_a_board_of_their_own_and_who_played_does_not(later: Party) -> None:
    for who in ("anna", "bruno"):
        assert "There is no puzzle for you" in words(await later.say(who, "/puzzle here"))
        assert "not there any more" in words(await later.press(who, open_puzzle_press(PUZZLE)))
    opened = await later.say("carla", "/puzzle annuvin here")
    assert opened.private
    assert "puzzle from a game played here, seen by you alone" in words(opened)
    assert "Anna" not in words(opened)
    for text in read_puzzle(present(await later.store.played_puzzles.get(PUZZLE, 0)).data).tree[0].play:
        solved = await later.say("carla", f"/move {text}")
    assert "★" in words(solved)
    following = await later.press("carla", next(each for each in _controls(solved) if "=here" in each))
    assert "There is no puzzle for you" in words(following)
    later.restarted()
    again = await later.press("carla", next(each for each in _controls(solved) if "again" in each))
    assert "Only one turn leads to a certain win" in words(again)


@pytest.mark.parametrize("how", ["withdrawn", "forgotten", "linked"])
async def test_it_goes_with_the_consent_of_one(later: Party, how: str) -> None:
    opened = await later.say("carla", "/puzzle here")
    if how == "withdrawn":
        assert "Puzzles from your games: no" in words(await later.say("bruno", "/settings puzzles:off"))
    elif how == "forgotten":
        await later.store.privacy.forget_person(await later.id_of("bruno"), later.clock())
    else:
        await later.meet("dora")
        # Games are those of the newer account from then on, which has agreed to nothing.
        await later.store.links.merge_people(await later.id_of("dora"), await later.id_of("bruno"))
    assert "There is no puzzle for you" in words(await later.say("dora", "/puzzle here"))
    hint = await later.press("carla", next(each for each in _controls(opened) if "hint" in each))
    assert "out of date" in words(hint)
    assert (await later.store.privacy.export_person(await later.id_of("anna")))["played_puzzles"] == []
    assert await later.store.played_puzzles.get(PUZZLE, 0) is None


def _controls(reply: Reply) -> list[str]:
    return [each.press for each in buttons(card(reply))]
