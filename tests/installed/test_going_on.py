"""Games of a package: played with all that it brings, set aside while it is gone, and going on when it is back."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.cli.installed_games import log_waiting_games
from bot.kernel.presses import press
from engine import games
from storage import Store
from tests.bot.party import Party, buttons, card, words
from tests.cli.conftest import Run
from tests.installed.going_on import later
from tests.support.packages import run_module, write_package
from tests.support.present import present
from tests.support.shared_folders import make_shared_folder

PROGRAM = "tests.installed.going_on"


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package, `data` with games of its kind, and what `begin` tells of them."""

    def fill(folder: Path) -> None:
        write_package(folder / "packages")
        begun = run_module(PROGRAM, "begin", folder / "data" / "tavoliere.db", folders=(folder / "packages",))
        (folder / "begun.json").write_text(begun)

    return make_shared_folder(tmp_path_factory, "left", fill)


@pytest.fixture
def begun(left_behind: Path) -> dict[str, Any]:
    """What is known of the games whose package was there for a while."""
    found: dict[str, Any] = json.loads((left_behind / "begun.json").read_text())
    return found


@pytest.fixture
def path(left_behind: Path, tmp_path: Path) -> Path:
    """Return a database with them."""
    shutil.copytree(left_behind / "data", tmp_path / "data")
    return tmp_path / "data" / "tavoliere.db"


@pytest.fixture
async def hall(path: Path) -> AsyncIterator[Party]:
    """The people an hour later, while the package is gone."""
    async with await Store.open(path) as store:
        people = later(Party(store), 1)
        yield people
        await people.front.close()


async def for_hours(hall: Party, hours: int) -> None:
    """Let time pass while the program is alive."""
    for _ in range(hours * 36):
        hall.clock.turn(seconds=100)
        await hall.front.alarms.tick()


async def test_games_are_played_with_all_that_the_package_brings(begun: dict[str, Any], path: Path) -> None:
    assert begun["picture"] > 1000
    assert "Dwindle" in begun["alt"]
    async with await Store.open(path) as store:
        over = present(await store.games.get(begun["over"]))
        assert present(over.outcome)["reason"] == "last-stone"
        assert len(await store.games.results_of(begun["over"])) == 2


SAID = {"en": ("not installed", "damaged"), "it": ("non è installato", "danneggiat")}


@pytest.mark.parametrize("language", SAID)
async def test_every_question_is_answered_without_the_package(
    begun: dict[str, Any], hall: Party, language: str
) -> None:
    assert "dwindle" not in games
    said, damaged = SAID[language]
    hall.languages = dict.fromkeys(("anna", "bruno"), language)
    for name in hall.languages:
        await hall.say(name, f"/settings language:{language}")
    whole = await hall.started("/play annuvin @bruno")
    whole_mover = hall.mover
    of_a_game = ("/board", "/move a1", "/resign", "/undo", "/draw", "/pause", "/hint", "/rematch")
    of_the_kind = ("play dwindle @bruno", "rules dwindle", "learn dwindle", "puzzle dwindle", "leaderboard dwindle")
    asked = [
        *(f"{what} game:{begun['over' if what == '/rematch' else 'clocked']}" for what in of_a_game),
        *(f"{what} code:{begun['over']}" for what in ("/replay", "/export", "/analyse")),
        *(f"/{what}" for what in (*of_the_kind, "history dwindle", f"join {begun['lobby']}")),
    ]
    for line in asked:
        answer = words(await hall.say("bruno", line))
        assert said in answer, (line, answer)
        assert damaged not in answer
    presses = [press(deed, None, 0, "dwindle") for deed in ("rules", "new", "solo", "leaders")]
    presses += [press("learn", "LESSON", 0, "dwindle"), press("puzzle", "PUZZLES", 0, "next", "dwindle")]
    for pressed in (*presses, press("show", begun["clocked"], 1)):
        assert said in words(await hall.press("bruno", pressed)), pressed
    listed = await hall.say("bruno", "/games")
    assert said in words(listed)
    assert not any(begun["clocked"] in each.press for each in buttons(card(listed)))
    assert "dwindle" in words(await hall.say("bruno", "/profile"))
    assert begun["over"] in words(await hall.say("bruno", "/history"))
    assert "Bruno" in words(await hall.say("bruno", "/leaderboard"))
    # What is said here meanwhile is talk, and moves are for the games that can be played.
    assert (await hall.say("bruno", "good morning")).talk
    await hall.say(whole_mover, "b1-b2")
    assert present(await hall.store.games.get(whole)).turn == 1


async def test_every_job_rests_without_the_package(begun: dict[str, Any], hall: Party) -> None:
    assert begun["over"]
    with capture_logs() as logs:
        for days in (0, 1, 40):
            await hall.wait(days=days)
            for job in hall.front.jobs.values():
                await job.run_until_idle()
    assert not [entry for entry in logs if entry["log_level"] == "error"]


async def test_clocks_of_games_that_cannot_be_played_stand_still(begun: dict[str, Any], hall: Party) -> None:
    mine = await hall.started("/play annuvin @bruno clock:1h")
    with capture_logs() as logs:
        await for_hours(hall, 3)
    gone = [present(await hall.store.games.get(begun[name])) for name in ("clocked", "lobby", "computer")]
    assert [row.status for row in gone] == ["playing", "lobby", "playing"]
    later_by = present(gone[0].deadline) - datetime.fromisoformat(begun["deadline"])
    assert abs(later_by - timedelta(hours=3)) < timedelta(minutes=2), "its clock stands still"
    assert present(await hall.store.games.get(mine)).status == "over", "the clocks of the others run"
    assert not [entry for entry in logs if entry["log_level"] == "error"]
    await hall.front.delivery.run_until_idle()
    await hall.front.jobs["computers"].run_until_idle()


async def test_manager_can_end_a_game_of_a_removed_package(begun: dict[str, Any], hall: Party) -> None:
    before = present(await hall.store.games.get(begun["clocked"]))
    hall.managers.add("carla")
    await hall.say("carla", f"/close game:{begun['clocked']}")
    row = present(await hall.store.games.get(begun["clocked"]))
    assert (row.status, row.outcome, row.position) == ("over", {"reason": "closed"}, before.position)


async def test_games_go_on_by_themselves_when_the_package_is_back(
    begun: dict[str, Any], hall: Party, path: Path, left_behind: Path
) -> None:
    await for_hours(hall, 3)
    known = json.dumps({**begun, "hours": 3})
    found = json.loads(run_module(PROGRAM, "go_on", path, known, folders=(left_behind / "packages",)))
    assert 0 < found["left"] <= 3600
    assert begun["thinking"]
    assert found["computer moved"]
    assert (found["clocked"][0], found["clocked"][1]["reason"]) == ("over", "last-stone")
    assert found["computer"] == "over"
    assert "Dwindle" in found["replay"]
    assert "Game: dwindle" in found["record"]


async def test_operator_is_informed_of_waiting_games(begun: dict[str, Any], path: Path, run: Run) -> None:
    async with await Store.open(path) as store:
        with capture_logs() as logs:
            await log_waiting_games(store)
    assert [(entry["kind"], entry["games"], entry["log_level"]) for entry in logs] == [("dwindle", 3, "warning")]
    checked = await asyncio.to_thread(run, "check", "--data-dir", str(path.parent))
    assert checked.code == 0
    assert "4 games of “dwindle” wait" in checked.out
    assert (await asyncio.to_thread(run, "backup", "--data-dir", str(path.parent))).code == 0
