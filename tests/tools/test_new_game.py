"""tools/new_game.py: what it lays out is found and plays at once, and every test says what is left to do."""

import shutil
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.support.packages import ROOT, Ended, environment, prepared, run_pytest, run_tavoliere, write_metadata
from tools.new_game import Refused, lay_out

KEY = "black-hole"
LAY_OUT = f"import runpy, sys; sys.argv[1:] = [{KEY!r}]; runpy.run_path('tools/new_game.py', run_name='__main__')"
GUIDE = "(CONTRIBUTING.md#add-a-game)"
FOLDERS = ("bot", "engine", "render", "storage", "tests", "tools", "docs/games", "docs/rules")
PASSING = (
    "tests/engine/test_conformance.py",
    "tests/bot/test_whole_games.py",
    "tests/render/test_animation.py",
    "tests/render/test_colours.py::test_text_and_pieces_of_the_board_stand_out_to_all_eyes",
)
"""Tests of all games that a game passes as it is laid out."""
TO_DO = (
    f"{KEY} has no golden playthrough: ",
    f"{KEY} has no positions to draw: ",
    f"{KEY} has no strength positions: ",
    f"{KEY}: no counts in its perft.json",
    f"{KEY}: no position in its refusals.json for cell-taken",
    f"{KEY}: fewer than 3 examples in its rule sheet",
)
"""Some of what is left to do in a game that was just laid out."""


def laid_out(tree: Path) -> Ended:
    """Run the tool in a tree, where it finds what is there before what is here."""
    return Ended([], *prepared().run(LAY_OUT, environment(tree), tree))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of this tree."""
    for folder in FOLDERS:
        # With what Python has compiled: to compile all of it anew takes longer than the tests that run there.
        shutil.copytree(ROOT / folder, tmp_path / "tree" / folder)
    for file in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / file, tmp_path / "tree" / file)
    return tmp_path / "tree"


def files(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder."""
    found = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_a_game_is_laid_into_the_tree_and_changes_nothing_there(tree: Path) -> None:
    before = files(tree)
    made = laid_out(tree)
    assert made.returncode == 0, made.stderr
    after = files(tree)
    assert {name: after[name] for name in before} == before
    fresh = after.keys() - before.keys()
    assert {"engine/games/black_hole.py", "docs/games/black-hole.it.md", "tests/games/black_hole/perft.json"} <= fresh
    for name in fresh:
        assert name in made.stdout
        assert not [mark for mark in (b"game_key", b"game-key", b"GameKey", b"Game Key") if mark in after[name]]
    # A broken rule is reported first; what has to be written is named by its path.
    rules = tree / "engine/games/black_hole.py"
    sound = rules.read_text(encoding="utf-8")
    assert sound.count('"options": {},') == 1
    rules.write_text(sound.replace('"options": {},', '"options": list(),'), encoding="utf-8")
    asked = ("-q", "-p", "no:cacheprovider", "--game", KEY, PASSING[0], "tests/test_whole.py")
    said = run_pytest(*asked, path=(tree,), cwd=tree).stdout.partition("the worst first")[2]
    rule, missing = said.index("\nRules ("), said.index("\nMissing parts (")
    assert rule < said.index(f"  {PASSING[0]}::test_a_game_ends") < missing
    assert all(missing < said.index(f"  {line}") for line in TO_DO)
    for name in ("engine/games/black_hole.py", "docs/games/black-hole.en.md", "bot/locales/it/lesson-black-hole.po"):
        assert f"{KEY}: still as it was laid out: {name} {GUIDE}" in said
    rules.write_text(sound, encoding="utf-8")
    again = laid_out(tree)
    assert again.returncode == 2
    assert f"the key {KEY} is taken" in again.stderr
    assert files(tree).keys() == after.keys()


def test_a_game_is_laid_into_a_package_of_its_own(tmp_path: Path) -> None:
    package = tmp_path / "here"
    lay_out(KEY, package)
    write_metadata(package, f"tavoliere-{KEY}", {KEY: "tavoliere_black_hole"})
    listed = run_tavoliere("games", folders=(package,), cwd=tmp_path)
    assert f"tavoliere-{KEY} 1.0" in listed
    assert "set aside" not in listed
    # All that needs only rules and a picture passes; what is left to write is listed.
    asked = ("-q", "-p", "no:cacheprovider", "--game", KEY, "--kit", package / "kit", *PASSING, "tests/test_whole.py")
    left = run_pytest(*asked, path=(ROOT, package))
    assert left.returncode == 1, left.stdout + left.stderr
    assert "1 failed" in left.stdout, left.stdout
    pages = (package / "docs" / "black-hole.en.md", package / "tavoliere_black_hole" / "rules.py")
    for line in (*TO_DO, *(f"still as it was laid out: {path}" for path in pages)):
        assert line in left.stdout, line


def test_existing_files_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "perft.json").write_text("mine", encoding="utf-8")
    with pytest.raises(Refused, match=r"perft\.json"):
        lay_out(KEY, tmp_path)
    assert files(tmp_path) == {"kit/perft.json": b"mine"}


def test_missing_development_tools_prevent_all_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruff", None)
    with pytest.raises(Refused, match="make check"):
        lay_out(KEY, tmp_path)
    assert files(tmp_path) == {}


NO_KEYS = ("Black Hole", "black_hole", "-hole", "9holes", "h" * 25, "lesson-hole", "../hole")
TAKEN = ("annuvin", "class", "cli")


@pytest.mark.parametrize(("key", "why"), [*product(NO_KEYS, ("no key",)), *product(TAKEN, ("taken",))])
def test_a_key_that_cannot_be_is_refused(key: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=why):
        lay_out(key, tmp_path)
    assert files(tmp_path) == {}
