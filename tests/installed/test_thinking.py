"""Worker processes find the games of packages by themselves, and play them uncompiled beside a compiled engine."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.thinking.thinkers import FINGERPRINT_FILE, fingerprint
from tests.support.packages import ROOT, run, run_tavoliere, write_package
from tools.compile_engine import main

PROGRAM = """
    import asyncio, sys
    from pathlib import Path
    import bot.thinking.thinkers
    from engine.games import games

    place = Path({place!r})
    search_path = bot.thinking.thinkers.search_path
    bot.thinking.thinkers.search_path = lambda: search_path(place)

    async def think():
        thinkers = bot.thinking.thinkers.SearchPool(1)
        for key in ("annuvin", "dwindle", "annuvin", "dwindle"):
            state = games[key].start()
            turn = await thinkers.turn(state.to_json(), 1, 1)
            judged = await thinkers.analyse(state.to_json(), 20)
            assert state.parse(" ".join(turn)), judged
            assert len(judged) == len(state.legal_actions())
        print(len(thinkers.process_ids))
        await thinkers.close()

    asyncio.run(think())
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    write_package(tmp_path / "packages")
    return tmp_path / "packages"


def test_a_worker_finds_the_games_that_the_program_has(packages: Path, tmp_path: Path) -> None:
    assert run(PROGRAM.format(place=str(tmp_path / "nothing")), packages).strip() == "1"


def test_beside_a_compiled_engine_they_have_workers_of_their_own(packages: Path, tmp_path: Path) -> None:
    place = tmp_path / "compiled"
    shutil.copytree(ROOT / "engine", place / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    with (place / "engine" / "core.py").open("a", encoding="utf-8") as core:
        core.write('\n__file__ = "core.so"\n')  # how a compiled module is known
    (place / FINGERPRINT_FILE).write_text(fingerprint(), encoding="utf-8")
    found = run("from engine.games import games; print(*games)", place, packages, cwd=tmp_path)
    assert "annuvin" in found
    assert "dwindle" not in found, "a compiled engine has no room for it"
    assert run(PROGRAM.format(place=str(place)), packages).strip() == "2"


def test_levels_play_each_other_in_a_package_s_game(packages: Path) -> None:
    arguments = ("dwindle", "--level", "2", "--against", "1", "--games", "2", "--processes", "2")
    assert "2" in run_tavoliere("arena", *arguments, folders=(packages,))


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.extensions
def test_they_play_beside_an_engine_that_is_compiled_indeed(packages: Path, tmp_path: Path) -> None:
    place = tmp_path / "compiled"
    assert (main(place), run(PROGRAM.format(place=str(place)), packages).strip()) == (0, "2")
    command = [sys.executable, "-c", "from engine import core; print(core.__file__)"]
    assert not subprocess.check_output(command, cwd=place, text=True).strip().endswith(".py")
