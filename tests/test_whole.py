"""Every game is whole; where it is not, all that it lacks is said at once, by path."""

import pytest

from engine import games
from tests.support.kits import FOLDER, ROOT, name_of
from tests.support.whole import FILES, GUIDE, KIT, MODULES, find_missing


@pytest.mark.parametrize("key", games)
def test_it_is_whole(key: str) -> None:
    lacking = find_missing(key)
    if lacking:
        pytest.fail("\n".join(lacking), pytrace=False)


def test_missing_parts_of_a_game_are_all_listed_with_paths_and_the_guide() -> None:
    said = find_missing("never-played")
    assert f"never-played has no lesson: bot/kernel/rulebook/lessons/never-played.json ({GUIDE})" in said
    assert f"never-played has no picture: render/games/never_played.py ({GUIDE})" in said
    assert f"never-played has no counts: tests/games/never_played/perft.json ({GUIDE})" in said
    assert len(said) == len(MODULES) + len(FILES) + len(KIT)


def test_the_guide_is_where_the_lines_say() -> None:
    page, anchor = GUIDE.split("#")
    assert f"## {anchor.replace('-', ' ').capitalize()}\n" in (ROOT / page).read_text(encoding="utf-8")


def test_every_kit_belongs_to_a_game() -> None:
    assert {folder.name for folder in FOLDER.iterdir() if any(folder.iterdir())} <= {name_of(key) for key in games}
