"""Positions of La Vedova Nera as dictionaries: what they say, and which are refused."""

from typing import Any

import pytest

from engine.games.vedova_nera import GAME as VEDOVA_NERA
from tests.games.vedova_nera.board import load, position, texts
from tests.support.present import result

GOALS = ["a1 b1 c1 d1 e1 f1", "a2 b2 c2 d2 e2 f2"]


def ordinary() -> dict[str, Any]:
    return position("a4 b3 c4", "d4 e3 f4 g4", goals=GOALS, counsellor="h1")


def three(**more: Any) -> dict[str, Any]:
    return position("a4 b3", "d4 e3", "g4", goals=["a1", "b1", "c1"], counsellor="h1", **more)


def test_the_example_of_the_rules_has_these_fields_and_no_others() -> None:
    assert VEDOVA_NERA.load(ordinary()).to_json() == ordinary() | {"dropped": [], "outcome": None, "extra": {}}


def test_lists_of_cells_are_read_in_any_order_and_written_sorted_by_column_then_row() -> None:
    mixed = ordinary()
    mixed["pawns"][0] = ["c4", "b3", "a4"]
    assert VEDOVA_NERA.load(mixed).to_json()["pawns"][0] == ["a4", "b3", "c4"]


@pytest.mark.parametrize("to_move", [0, 1, None])
def test_a_position_that_shows_a_win_is_the_finished_game(to_move: int | None) -> None:
    assert result(VEDOVA_NERA.load(position(GOALS[0], "d4 e3", goals=GOALS, to_move=to_move))) == ("complete", (1, 2))


@pytest.mark.parametrize("to_move", [2, None])
def test_a_position_that_all_but_one_have_left_is_the_finished_game(to_move: int | None) -> None:
    assert result(VEDOVA_NERA.load(three(dropped=[1, 0], to_move=to_move))) == ("last-seat", (2, 3, 1))


@pytest.mark.parametrize("reason", ["repetition", "no-progress"])
def test_a_draw_is_believed(reason: str) -> None:
    outcome = {"reason": reason, "places": [1, 3, 1]}
    assert VEDOVA_NERA.load(three(dropped=[1], to_move=None, outcome=outcome)).to_json()["outcome"] == outcome


def test_bans_are_read() -> None:
    state = load("a1 f3", "b4 d4", counsellor="e2", ban="e4", entry_ban=["c4", None])
    assert ("Ke4" in texts(state), "+c4" in texts(state)) == (False, False)
    assert load("a1", "b4", last_entry="b4").to_json()["last_entry"] == "b4"
