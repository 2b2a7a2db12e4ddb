"""The rules of Hexapawn, sentence by sentence."""

from typing import Any

import pytest

from engine import InvalidPosition, State, games
from tests.bot.lesson_moments import play_actions
from tests.support.present import catch_error, result

HEXAPAWN = games["hexapawn"]


def position(white: str, black: str, to_move: int | None = 0, board: str = "4x4", **more: Any) -> dict[str, Any]:
    pawns = [white.split(), black.split()]
    return {"game": "hexapawn", "options": {"board": board}, "to_move": to_move, "pawns": pawns, **more}


def load(white: str, black: str, to_move: int | None = 0, board: str = "4x4", **more: Any) -> State:
    return HEXAPAWN.load(position(white, black, to_move, board, **more))


def texts(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


@pytest.mark.parametrize("size", [3, 4, 5])
def test_each_side_has_a_row_of_pawns_and_white_begins(size: int) -> None:
    state = HEXAPAWN.start(options={"board": f"{size}x{size}"})
    assert state.to_move == 0
    columns = "abcde"[:size]
    assert state.to_json()["pawns"] == [[f"{each}1" for each in columns], [f"{each}{size}" for each in columns]]
    assert texts(state) == [f"{each}1-{each}2" for each in columns]


def test_a_pawn_goes_one_cell_straight_ahead_onto_an_empty_cell() -> None:
    assert (texts(load("b2", "d4")), texts(load("a1", "b3", to_move=1))) == (["b2-b3"], ["b3-b2"])


def test_a_pawn_captures_one_cell_diagonally_ahead_and_nowhere_else() -> None:
    around = "a3 b3 c3 c2"
    assert texts(load("b2", around)) == ["b2xa3", "b2xc3"]
    assert play_actions(load("b2 d1", around), "b2xc3").to_json()["pawns"] == [["c3", "d1"], ["a3", "b3", "c2"]]


def test_pawns_that_face_each_other_are_stuck() -> None:
    assert (texts(load("b2 d1", "b3")), texts(load("b2", "b3 d4", to_move=1))) == (["d1-d2"], ["d4-d3"])


def test_capturing_is_no_duty() -> None:
    assert "d1-d2" in texts(load("b2 d1", "c3"))


@pytest.mark.parametrize(("white", "black", "text"), [("c3 a1", "a4 b4", "c3-c4"), ("c3", "d4 a4", "c3xd4")])
def test_reaching_the_farthest_row_wins(white: str, black: str, text: str) -> None:
    assert result(play_actions(load(white, black), text)) == ("far-row", (1, 2))


def test_black_goes_the_other_way() -> None:
    assert result(play_actions(load("a1", "c2", to_move=1), "c2-c1")) == ("far-row", (2, 1))


def test_capturing_the_last_pawn_wins() -> None:
    assert result(play_actions(load("a1 b2", "c3"), "b2xc3")) == ("all-captured", (1, 2))


def test_player_without_a_move_loses() -> None:
    assert result(play_actions(load("b2 c2 d2", "b3 c4 d3"), "c2-c3")) == ("no-move", (1, 2))


def test_reaching_the_row_comes_before_having_captured_all() -> None:
    assert result(play_actions(load("c3", "d4"), "c3xd4")) == ("far-row", (1, 2))


def test_the_game_on_the_page_is_won_in_two_turns() -> None:
    start = HEXAPAWN.start(options={"board": "3x3"})
    assert result(play_actions(start, "b1-b2", "a3xb2", "a1xb2", "c3-c2")) == ("no-move", (2, 1))


def wins(state: State, known: dict[State, bool]) -> bool:
    """Say whether the seat on the move wins if nobody errs."""
    if state not in known:
        afters = [state.advance(action) for action in state.legal_actions()]
        known[state] = any(each.outcome is not None or not wins(each, known) for each in afters)
    return known[state]


@pytest.mark.parametrize(("board", "white"), [("3x3", False), ("4x4", True)])
def test_who_ought_to_win_is_as_the_page_says(board: str, white: bool) -> None:
    assert wins(HEXAPAWN.start(options={"board": board}), {}) is white


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (position("a1 b1 c1", "a2 b2 c2 a3", board="3x3"), "too-many-pawns"),
        (position("", ""), "nobody-left"),
        (position("a4 b4", "c4"), "two-arrived"),
        (position("a4", "b1"), "two-arrived"),
        (position("a1 a1", "b4"), "cell-twice"),
        (position("a1", "a1"), "cell-twice"),
        (position("e1", "a4"), "unknown-cell"),
        (position("b2", "b3", None), "no-outcome"),
        (position("b2", "c4", None, outcome={"reason": "no-move", "places": [1, 2]}), "outcome-unfounded"),
        (position("b2", "b3", outcome={"reason": "far-row", "places": [1, 2]}), "outcome-differs"),
    ],
)
def test_invalid_position_is_refused(wrong: dict[str, Any], code: str) -> None:
    assert catch_error(InvalidPosition, HEXAPAWN.load, wrong).code == code


def test_outcome_of_a_mutual_blockade_is_loaded_as_stored() -> None:
    for places in ((1, 2), (2, 1)):
        outcome = {"reason": "no-move", "places": list(places)}
        assert result(load("b2", "b3", None, outcome=outcome)) == ("no-move", places)
