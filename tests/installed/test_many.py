"""More games than a list of Discord has room for: each can be picked, completed, allowed and played all the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.games import games
from tests.support.packages import RULES, run_module, write_package
from tests.support.shared_folders import make_shared_folder

HEAPS = [f"heap-{number}" for number in range(1, 31)]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is seen where thirty games of packages are installed beside ours; half have an option of their own."""

    def fill(folder: Path) -> None:
        for number, key in enumerate(HEAPS, start=1):
            name = "size" if number % 2 else f"size{'abcdefghijklmnopqrstuvwxyz'[number // 2]}"
            rules = RULES.replace('{"size"', f'{{"{name}"').replace('["size"]', f'["{name}"]')
            words = {"name": f"Heap {number}", f"option.{name}": f"Heap of game {number}"}
            words |= {f"option.{name}.{value}": f"{value} in heap {number}" for value in (5, 9, 12)}
            write_package(folder, key, words=words, rules=rules)
        (folder / "found.json").write_text(run_module("tests.installed.many", folder / "t.db", folders=(folder,)))

    folder = make_shared_folder(tmp_path_factory, "many", fill)
    figures: dict[str, Any] = json.loads((folder / "found.json").read_text())
    return figures


def test_all_are_found(found: dict[str, Any]) -> None:
    assert found["games"] == [*games, *sorted(HEAPS)]


@pytest.mark.parametrize("list_", ["new", "solo", "rules"])
def test_every_game_can_be_picked_page_by_page(found: dict[str, Any], list_: str) -> None:
    assert found[list_] == found["games"]


def test_lessons_are_offered_where_there_are_some(found: dict[str, Any]) -> None:
    assert found["learn"] == list(games)
    assert "no puzzles" in found["puzzle"]


def test_game_names_are_completed_from_partial_input(found: dict[str, Any]) -> None:
    assert (found["completed"], found["first"]) == (["heap-27"], 25)
    assert "Heap 29" in found["going on"]


def test_managers_can_toggle_every_game(found: dict[str, Any]) -> None:
    assert found["toggled"] == found["games"]
    assert "Heap 30" in found["refused"]


def test_discord_takes_the_commands_with_as_many_options_as_there_is_room_for(found: dict[str, Any]) -> None:
    play = next(each for each in found["registered"] if each["name"] == "play")
    names = [option["name"] for option in play["options"]]
    assert len(names) == 25
    assert {"game", "opponent", "seats", "clock", "rated", "hints", "join", "size", "board"} <= set(names)
    assert not any(option.get("choices") for option in play["options"] if option["name"] == "game")


def test_an_option_is_described_by_every_game_that_has_it(found: dict[str, Any]) -> None:
    for words in ("Sheet (for Fagocitare)", "Heap of game 1 (for Heap 1)", "Heap of game 29 (for Heap 29)"):
        assert words in found["size"]
    assert found["one size"] == "Heap of game 1 (for Heap 1)"
    assert found["options"]["7"] == "7 × 7 (short): 25 cells inside the rim: a game of a few minutes."
    assert found["options"]["12"].startswith("12 × 12 (giant)")
    assert "(for Fagocitare); 12 in heap 1" in found["options"]["12"]
