"""The checks that every game's `load` shares."""

from collections.abc import Callable
from typing import Any

import pytest

from engine import InvalidPosition, Outcome, State
from engine import positions as p
from engine.topology import square_grid
from tests.engine.tiny import TINY
from tests.support.present import catch_error

BOARD = square_grid(4, 4)
Attempt = Callable[[], Any]


def start(**changes: Any) -> dict[str, Any]:
    return TINY.start().to_json() | changes


@pytest.mark.parametrize(
    ("attempt", "code", "field"),
    [
        (lambda: p.check_fields(TINY, [], ()), "not-a-position", None),
        (lambda: p.check_fields(TINY, {}, tuple("zyx")), "missing-field", "game"),
        (lambda: p.check_fields(TINY, {"game": "chess", "options": {}, "to_move": 0}, ()), "wrong-game", None),
        (lambda: p.check_fields(TINY, {"game": "tiny", "options": {}, "to_move": 0}, ("x",)), "missing-field", "x"),
        (lambda: p.check_fields(TINY, {"game": "tiny", "options": {}}, tuple("zyx")), "missing-field", "to_move"),
        (lambda: p.check_fields(TINY, start(), tuple("zyx")), "missing-field", "z"),
        (lambda: p.check_fields(TINY, {"game": "tiny", "options": {}, "to_move": 0, 5: 1}, ()), "unknown-field", "5"),
        (lambda: p.options_of(TINY, {"options": {"board": "round"}}), "option-value", None),
        (lambda: p.options_of(TINY, {"options": None}, 3), "seats", None),
        (lambda: p.mapping([], "moving", ()), "wrong-type", "moving"),
        (lambda: p.mapping({}, "moving", ("piece",)), "missing-field", "moving.piece"),
        (lambda: p.mapping({"x": 1}, "moving", ()), "unknown-field", "moving.x"),
        (lambda: p.check_integer("1", "turn", 0, 9), "wrong-type", "turn"),
        (lambda: p.check_integer(True, "turn", 0, 9), "wrong-type", "turn"),
        (lambda: p.check_integer(1.0, "turn", 0, 9), "wrong-type", "turn"),
        (lambda: p.check_integer(10, "turn", 0, 9), "out-of-range", "turn"),
        (lambda: p.check_integer(10**5000, "turn", 0, 9), "out-of-range", "turn"),
        (lambda: p.check_choice("x", "phase", ("a", "b")), "not-a-choice", "phase"),
        (lambda: p.check_choice(["a"], "phase", ("a", "b")), "not-a-choice", "phase"),
        (lambda: p.check_items("abc", "pieces"), "wrong-type", "pieces"),
        (lambda: p.check_items([1], "pieces", 2), "wrong-length", "pieces"),
        (lambda: p.check_integers([1, 9], "reserve", 2, 0, 6), "out-of-range", "reserve[1]"),
        (lambda: p.check_cell("e1", "goal", BOARD), "unknown-cell", "goal"),
        (lambda: p.check_cell("A1", "goal", BOARD), "unknown-cell", "goal"),
        (lambda: p.check_cell(None, "goal", BOARD), "wrong-type", "goal"),
        (lambda: p.check_cell([], "goal", BOARD), "wrong-type", "goal"),
        (lambda: p.check_cells(["a1", "a1"], "pieces", BOARD), "cell-twice", "pieces"),
        (lambda: p.check_cells(["a2"], "pieces", BOARD, taken=2), "cell-twice", "pieces"),
        (lambda: p.cell_lists([["a1"], ["b1", "a1"]], "pieces", BOARD, 2), "cell-twice", "pieces[1]"),
        (lambda: p.cell_lists([["a1"]], "pieces", BOARD, 2), "wrong-length", "pieces"),
        (lambda: p.check_dropped({"dropped": [1, 1]}, 3), "seat-twice", "dropped"),
        (lambda: p.check_dropped({"dropped": [0, 1, 2]}, 3), "wrong-length", "dropped"),
        (lambda: p.check_dropped({"dropped": [3]}, 3), "out-of-range", "dropped[0]"),
        (lambda: p.to_move_of({"to_move": 3}, 3), "out-of-range", "to_move"),
        (lambda: p.to_move_of({"to_move": 1}, 3, [1]), "out-of-range", "to_move"),
        (lambda: p.check_outcome({"outcome": {"reason": "x"}}, 2), "missing-field", "outcome.places"),
        (lambda: p.check_outcome({"outcome": {"reason": 1, "places": [1, 2]}}, 2), "wrong-type", "outcome.reason"),
        (lambda: p.check_outcome({"outcome": {"reason": "x", "places": [1]}}, 2), "wrong-length", "outcome.places"),
        (
            lambda: p.check_outcome({"outcome": {"reason": "x", "places": [0, 1]}}, 2),
            "out-of-range",
            "outcome.places[0]",
        ),
        (lambda: p.Extra({"extra": []}), "wrong-type", "extra"),
        (lambda: p.Extra({"extra": {1: 2}}), "wrong-type", "extra"),
        (lambda: p.Extra({"extra": {"turn": -1}}).integer("turn"), "out-of-range", "extra.turn"),
        (lambda: p.Extra({"extra": {"history": 1}}).history(), "wrong-type", "extra.history"),
    ],
)
def test_invalid_position_error_names_its_field(attempt: Attempt, code: str, field: str | None) -> None:
    error = catch_error(InvalidPosition, attempt)
    assert error.code == code
    if field is not None:
        assert error.params["field"] == field


def test_valid_position_fields_are_returned() -> None:
    assert p.check_fields(TINY, start(), ("pieces", "moving")) == start()
    assert (p.options_of(TINY, {"options": {}}), p.check_integer(3, "x", 0, 3)) == ({"board": "small"}, 3)
    assert p.check_choice("b", "x", ("a", "b")) == "b"
    assert p.check_integers([0, 6], "x", 2, 0, 6) == (0, 6)
    assert (p.check_cell("a2", "x", BOARD), p.cell_or_none(None, "x", BOARD)) == (1, None)
    assert p.check_cells(["d4", "a1"], "x", BOARD) == 1 << 15 | 1
    assert p.cell_lists([["a1"], []], "x", BOARD, 2) == (1, 0)
    assert p.cell_lists_to_json(BOARD, (1 << 15 | 1, 0)) == [["a1", "d4"], []]
    assert p.check_dropped({}, 3) == ()
    assert p.check_dropped({"dropped": [2, 0]}, 3) == (2, 0)
    assert p.to_move_of({"to_move": None}, 2) is None
    assert p.Extra({}).integer("turn") == 0
    assert p.Extra({"extra": {"turn": 4, "other": "kept alone"}}).integer("turn") == 4
    assert p.Extra({"extra": {"other": 1}}).get("other") == 1


def test_one_seat_left_is_an_outcome() -> None:
    assert p.last_seat(3, (1,)) is None
    assert p.last_seat(3, (1, 0)) == Outcome("last-seat", (2, 3, 1))


def test_an_outcome_is_found_believed_or_refused() -> None:
    found, draw = Outcome("eliminated", (1, 2)), Outcome("repetition", (1, 1))

    def settle(given: Outcome | None, to_move: int | None, shown: Outcome | None) -> Outcome | None:
        position = {"outcome": given.to_json() if given else None, "to_move": to_move}
        return p.settle_outcome(position, 2, shown, lambda outcome: outcome == draw)

    assert settle(None, 0, None) is None
    assert (settle(None, 0, found), settle(found, None, found)) == (found, found)
    assert settle(draw, None, None) == draw
    for given, to_move, shown, code in (
        (draw, None, found, "outcome-differs"),
        (draw, 0, None, "outcome-unfounded"),
        (found, None, None, "outcome-unfounded"),
        (None, None, None, "no-outcome"),
    ):
        with pytest.raises(InvalidPosition, match=code):
            settle(given, to_move, shown)


def test_ending_fields_leave_out_empty_extras() -> None:
    state: State = TINY.start()
    assert p.ending_fields(state, None, quiet=0) == {"dropped": [], "outcome": None, "extra": {}}
    state = state.play(state.parse("a1-a2")[0])
    assert p.ending_fields(state, None, quiet=1) == {"dropped": [], "outcome": None, "extra": {"turn": 1, "quiet": 1}}
