"""The checks that every game's `load` shares."""

from collections.abc import Callable
from typing import Any

import pytest

from engine import InvalidPosition, Outcome, State, positions as p
from engine.topology import square_grid
from tests.engine.tiny import TINY
from tests.support.present import catch_error

BOARD = square_grid(4, 4)
Attempt = Callable[[], Any]


def fields(position: dict[str, Any]) -> p.PositionFields:
    """Return the fields of a dictionary, with what may be left out."""
    return p.PositionField({"dropped": (), "outcome": None, "extra": {}, **position}).named()


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
        (lambda: p.options_of(TINY, fields({"options": {"board": "round"}})), "option-value", None),
        (lambda: p.options_of(TINY, fields({"options": None}), 3), "seats", None),
        (lambda: p.PositionField([], "moving").mapping(()), "wrong-type", "moving"),
        (lambda: p.PositionField({}, "moving").mapping(("piece",)), "missing-field", "moving.piece"),
        (lambda: p.PositionField({"x": 1}, "moving").mapping(()), "unknown-field", "moving.x"),
        (lambda: p.PositionField("1", "turn").integer(0, 9), "wrong-type", "turn"),
        (lambda: p.PositionField(True, "turn").integer(0, 9), "wrong-type", "turn"),
        (lambda: p.PositionField(1.0, "turn").integer(0, 9), "wrong-type", "turn"),
        (lambda: p.PositionField(10, "turn").integer(0, 9), "out-of-range", "turn"),
        (lambda: p.PositionField(10**5000, "turn").integer(0, 9), "out-of-range", "turn"),
        (lambda: p.PositionField("x", "phase").choice(("a", "b")), "not-a-choice", "phase"),
        (lambda: p.PositionField(["a"], "phase").choice(("a", "b")), "not-a-choice", "phase"),
        (lambda: p.PositionField("abc", "pieces").items(), "wrong-type", "pieces"),
        (lambda: p.PositionField([1], "pieces").items(2), "wrong-length", "pieces"),
        (lambda: p.PositionField([1, 9], "reserve").integers(2, 0, 6), "out-of-range", "reserve[1]"),
        (lambda: p.PositionField("e1", "goal").cell(BOARD), "unknown-cell", "goal"),
        (lambda: p.PositionField("A1", "goal").cell(BOARD), "unknown-cell", "goal"),
        (lambda: p.PositionField(None, "goal").cell(BOARD), "wrong-type", "goal"),
        (lambda: p.PositionField([], "goal").cell(BOARD), "wrong-type", "goal"),
        (lambda: p.PositionField(["a1", "a1"], "pieces").cells(BOARD), "cell-twice", "pieces"),
        (lambda: p.PositionField(["a2"], "pieces").cells(BOARD, taken=2), "cell-twice", "pieces"),
        (lambda: p.PositionField([["a1"], ["b1", "a1"]], "pieces").cell_lists(BOARD, 2), "cell-twice", "pieces[1]"),
        (lambda: p.PositionField([["a1"]], "pieces").cell_lists(BOARD, 2), "wrong-length", "pieces"),
        (lambda: p.check_dropped(fields({"dropped": [1, 1]}), 3), "seat-twice", "dropped"),
        (lambda: p.check_dropped(fields({"dropped": [0, 1, 2]}), 3), "wrong-length", "dropped"),
        (lambda: p.check_dropped(fields({"dropped": [3]}), 3), "out-of-range", "dropped[0]"),
        (lambda: p.to_move_of(fields({"to_move": 3}), 3), "out-of-range", "to_move"),
        (lambda: p.to_move_of(fields({"to_move": 1}), 3, [1]), "out-of-range", "to_move"),
        (lambda: p.check_outcome(fields({"outcome": {"reason": "x"}}), 2), "missing-field", "outcome.places"),
        (
            lambda: p.check_outcome(fields({"outcome": {"reason": 1, "places": [1, 2]}}), 2),
            "wrong-type",
            "outcome.reason",
        ),
        (
            lambda: p.check_outcome(fields({"outcome": {"reason": "x", "places": [1]}}), 2),
            "wrong-length",
            "outcome.places",
        ),
        (
            lambda: p.check_outcome(fields({"outcome": {"reason": "x", "places": [0, 1]}}), 2),
            "out-of-range",
            "outcome.places[0]",
        ),
        (lambda: p.Extra(fields({"extra": []})), "wrong-type", "extra"),
        (lambda: p.Extra(fields({"extra": {1: 2}})), "wrong-type", "extra"),
        (lambda: p.Extra(fields({"extra": {"turn": -1}})).integer("turn"), "out-of-range", "extra.turn"),
        (lambda: p.Extra(fields({"extra": {"history": 1}})).history(), "wrong-type", "extra.history"),
    ],
)
def test_invalid_position_error_names_its_field(attempt: Attempt, code: str, field: str | None) -> None:
    error = catch_error(InvalidPosition, attempt)
    assert error.code == code
    if field is not None:
        assert error.params["field"] == field


def test_valid_position_fields_are_returned() -> None:
    read = p.check_fields(TINY, start(), ("pieces", "moving"))
    assert {name: each.value for name, each in read.items()} == start()
    assert (p.options_of(TINY, fields({"options": {}})), p.PositionField(3, "x").integer(0, 3)) == (
        {"board": "small"},
        3,
    )
    assert p.PositionField("b", "x").choice(("a", "b")) == "b"
    assert p.PositionField([0, 6], "x").integers(2, 0, 6) == (0, 6)
    assert (p.PositionField("a2", "x").cell(BOARD), p.PositionField(None, "x").cell_or_none(BOARD)) == (1, None)
    assert p.PositionField(["d4", "a1"], "x").cells(BOARD) == 1 << 15 | 1
    assert p.PositionField([["a1"], []], "x").cell_lists(BOARD, 2) == (1, 0)
    assert p.cell_lists_to_json(BOARD, (1 << 15 | 1, 0)) == [["a1", "d4"], []]
    assert p.check_dropped(fields({}), 3) == ()
    assert p.check_dropped(fields({"dropped": [2, 0]}), 3) == (2, 0)
    assert p.to_move_of(fields({"to_move": None}), 2) is None
    assert p.Extra(fields({})).integer("turn") == 0
    assert p.Extra(fields({"extra": {"turn": 4, "other": "kept alone"}})).integer("turn") == 4
    extra = p.Extra(fields({"extra": {"other": 1, "none": None}}))
    assert [each and (each.value, each.path) for each in map(extra.get, ("other", "none", "missing"))] == [
        (1, "extra.other"),
        None,
        None,
    ]


def test_one_seat_left_is_an_outcome() -> None:
    assert p.last_seat(3, (1,)) is None
    assert p.last_seat(3, (1, 0)) == Outcome("last-seat", (2, 3, 1))


def test_an_outcome_is_found_believed_or_refused() -> None:
    found, draw = Outcome("eliminated", (1, 2)), Outcome("repetition", (1, 1))

    def settle(given: Outcome | None, to_move: int | None, shown: Outcome | None) -> Outcome | None:
        position = {"outcome": given.to_json() if given else None, "to_move": to_move}
        return p.settle_outcome(fields(position), 2, shown, lambda outcome: outcome == draw)

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
