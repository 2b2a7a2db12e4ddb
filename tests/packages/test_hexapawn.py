"""Hexapawn, a whole game in a package of its own: found, listed, drawn, thought about and put to every test."""

import json
import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from engine import games
from tests.cli.conftest import Run, run
from tests.packages.conftest import SOURCE
from tests.support.comparing import missing_from
from tests.support.packages import ROOT, run_module, run_pytest, run_tavoliere
from tests.support.present import present

__all__ = ["run"]

TIMEOUT_SECONDS = 900
ONE_OF_EACH_KIND = (
    *("tests/engine", "tests/render", "--ignore=tests/render/test_animation.py"),
    *(f"tests/bot/test_{part}.py" for part in ("catalogues", "described", "limits")),
    *("tests/discord/test_limits.py", "tests/test_facts.py", "tests/test_statements.py", "tests/test_whole.py"),
)
"""Where most tests of all games are: rules, pictures, words, a platform; the long version runs the rest."""
OF_EVERY_GAME = (
    *("tests/bot", "tests/discord", "tests/engine", "tests/hostile", "tests/render", "tests/telegram"),
    *("tests/cli/test_play.py", "tests/tools/test_make_gallery.py"),
    *("tests/test_documents.py", "tests/test_facts.py", "tests/test_statements.py", "tests/test_whole.py"),
)
"""Where tests of all games are: nothing else has to be imported for them."""


def test_the_wheel_holds_all_that_the_package_has(hexapawn: Path) -> None:
    source = [file for file in (SOURCE / "tavoliere_hexapawn").rglob("*") if file.is_file() and file.suffix != ".pyc"]
    files = [file for file in (hexapawn / "tavoliere_hexapawn").rglob("*.*") if file.suffix != ".pyc"]
    assert {file.relative_to(hexapawn) for file in files} == {file.relative_to(SOURCE) for file in source}


def test_it_is_listed_with_where_it_comes_from_and_lacks_nothing(hexapawn: Path, tmp_path: Path, run: Run) -> None:
    listed = run_tavoliere("games", folders=(hexapawn,), cwd=tmp_path)
    alone = run("games").success()
    assert "hexapawn" not in alone
    # All that there is without it stands there as it stood, and something more.
    assert alone.strip() in listed
    more = listed.replace(alone.strip(), "")
    assert missing_from(more, "tavoliere-hexapawn 1.0.0", "lesson", "en, it") == []
    assert "missing" not in more


def test_workers_draw_it_and_think_about_it(hexapawn: Path, tmp_path: Path) -> None:
    arguments = (tmp_path / "t.db", "hexapawn", "board:3x3")
    seen = json.loads(run_module("tests.packages.whole_game", *arguments, folders=(hexapawn,)))
    assert seen["outcome"]["reason"] in ("far-row", "all-captured", "no-move")
    assert sorted(seen["outcome"]["places"]) == [1, 2]
    assert 0 < seen["own"] < seen["turns"], "the computer has moved, too"
    assert all(size > 10_000 for size in seen["pictures"])
    assert "Computer" in seen["text"]
    assert "pawn" in seen["alt"]


@pytest.mark.parametrize("modules", [ONE_OF_EACH_KIND, pytest.param(OF_EVERY_GAME, marks=pytest.mark.full)])
@pytest.mark.timeout(TIMEOUT_SECONDS)
def test_it_passes_every_test_that_a_game_of_ours_has_to_pass(hexapawn: Path, modules: tuple[str, ...]) -> None:
    """As `make test-game` does it; Chromium and the long versions are for the games of the tree."""
    kit = str(SOURCE / "kit")
    asked = ["--game", "hexapawn", "--kit", kit, "-m", "not full and not browser", kit, *modules]
    ran = run_pytest("-q", "-p", "no:cacheprovider", *asked, path=(hexapawn, ROOT))
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    passed = present(re.search(r"(\d+) passed", ran.stdout))
    # What all games have to pass, and what only its own kit asks for.
    assert int(passed[1]) > 250


def test_main_program_does_not_mention_the_package() -> None:
    assert "hexapawn" not in games
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    program = ("bot/", "engine/", "render/", "storage/", "docs/games/", "docs/rules/", "tests/games/")
    names = [name for name in listed.split("\0") if name.startswith(program)]
    assert len(names) > 300
    assert [name for name in names if b"hexapawn" in (ROOT / name).read_bytes().lower()] == []


@pytest.mark.parametrize("module", ["words.teller", "explanations.candidate"])
def test_a_former_path_leads_to_the_same_module(module: str) -> None:
    assert import_module(f"bot.{module}") is import_module(f"bot.kernel.{module}")
