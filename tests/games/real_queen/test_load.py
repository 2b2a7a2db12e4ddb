"""Positions of Real Queen as dictionaries: every state comes back from its own, and those that are none are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.core import InvalidPosition
from engine.games.real_queen import GAME as REAL_QUEEN
from tests.games.real_queen.board import CROSSED, RUN, TWO, due, load, play, position


def test_every_state_of_a_turn_goes_through_json_and_back() -> None:
    state = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5", queens=("g7", "g1"))
    for text in ["Qg7-g6", "Qg1-g2", "d1", "xc5", "xc4", "xc3", "rd1", "rc2", "rd2"]:
        state = play(state, text)
        again = REAL_QUEEN.load(json.loads(json.dumps(state.to_json())))
        assert again == state
        assert hash(again) == hash(state)
        assert again.to_json() == state.to_json()
        assert (again.turn, again.legal_actions()) == (state.turn, state.legal_actions())


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        ("wrong-game", {**position(), "game": "annuvin"}),
        ("missing-field", {key: value for key, value in position().items() if key != "pending"}),
        ("unknown-field", {**position(), "dice": None}),
        ("unknown-option", {**position(), "options": {"size": 7}}),
        ("out-of-range", position(to_move=2)),
        ("out-of-range", position(reserve=(21, 0))),
        ("out-of-range", position(extra={"idle": 100})),
        ("wrong-type", {**position(), "reserve": 5}),
        ("wrong-length", {**position(), "queens": [None]}),
        ("unknown-cell", position("h1")),
        ("cell-twice", position("a1", "a1")),
        ("cell-twice", position("a1 a1")),
        ("cell-twice", position("a1", "", ("a1", None))),
        ("cell-twice", position("", "", ("a1", "a1"))),
        ("too-many-pieces", position("a1", "", reserve=(20, 20))),
        ("no-outcome", position(to_move=None)),
        ("outcome-unfounded", position(RUN, "", to_move=None, outcome={"reason": "plain", "places": [1, 2]})),
        (
            "outcome-unfounded",
            position(RUN, "", (None, "b5"), to_move=None, outcome={"reason": "royal", "places": [1, 2]}),
        ),
        (
            "outcome-unfounded",
            position(RUN, "", (None, "b5"), to_move=None, outcome={"reason": "plain", "places": [2, 1]}),
        ),
        ("outcome-unfounded", position(to_move=None, outcome={"reason": "boredom", "places": [1, 1]})),
        ("outcome-unfounded", position(to_move=None, outcome={"reason": "repetition", "places": [1, 2]})),
        ("outcome-differs", position(dropped=[0], to_move=None, outcome={"reason": "last-seat", "places": [1, 2]})),
        ("history-differs", position("a1", extra={"history": [3]})),
    ],
)
def test_a_dictionary_that_is_no_position_is_refused(code: str, broken: dict[str, Any]) -> None:
    with pytest.raises(InvalidPosition) as caught:
        REAL_QUEEN.load(broken)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("field", "white", "black", "queens", "pending"),
    [
        ("runs", RUN, "g1", (None, None), due(1, 2)),
        ("runs", RUN, "g1", (None, None), due(1, 2, "a1 a2 a3")),
        ("runs", RUN, "g1", (None, None), due(1, 2, "a1 a2 a3 b4")),
        ("runs", f"{RUN} a5", "g1", (None, None), due(1, 2, RUN)),
        ("runs", RUN, "g1", (None, None), due(1, 2, RUN, RUN)),
        ("runs", RUN, "g1", (None, None), due(0, 2, "a1 a2 a3 g1")),
        ("runs", "a1 a2 a4 b3", "g1", (None, None), due(0, 2, "a1 a2 a4 b3")),
        ("runs", "a1 a2 a4 a5", "a3", (None, None), due(0, 2, "a1 a2 a4 a5")),
        ("runs", "a1 a2 g1 g2", "c3", (None, None), due(0, 2, "a1 a2", "g1 g2")),
        ("captures", RUN, "g1 g2", (None, None), due(2, 2, RUN)),
        ("returns", RUN, "g1", (None, None), due(1, 3, RUN)),
        ("returns", RUN, "g1", (None, None), due(0, 1, RUN)),
        ("returns", CROSSED.replace(" d1", ""), "g1", (None, None), due(0, 3, "a4 b3 c2", "d2 d3 d4")),
        ("crossing", CROSSED, "g1", (None, None), due(1, 3, *TWO)),
        ("crossing", CROSSED, "g1", (None, None), due(1, 3, *TWO, crossing="a4")),
        ("crossing", CROSSED.replace(" d1", ""), "g1", ("d1", None), due(1, 3, *TWO, crossing="d1")),
    ],
)
def test_what_is_due_must_come_from_an_alignment(
    field: str, white: str, black: str, queens: tuple[str | None, str | None], pending: dict[str, Any]
) -> None:
    with pytest.raises(InvalidPosition) as caught:
        load(white, black, queens, pending=pending)
    assert (caught.value.code, caught.value.params) == ("impossible-pending", {"field": f"pending.{field}"})


def test_more_captures_than_enemies_cannot_be_due() -> None:
    with pytest.raises(InvalidPosition):
        load(RUN, "", pending=due(1, 2, RUN))


def test_a_position_without_outcome_dropped_and_extra_is_loaded() -> None:
    assert REAL_QUEEN.load(position("a1", "b1")).outcome is None


def test_a_finished_position_is_loaded_as_finished() -> None:
    over = play(load("a1 a2 a3", "g1", queens=("a4", "b6")), "a5")
    again = REAL_QUEEN.load(over.to_json())
    assert (again, again.outcome, again.to_move) == (over, over.outcome, None)
    quitted = REAL_QUEEN.load(position(dropped=[1]))
    assert quitted.outcome is not None
    assert quitted.outcome.places == (1, 2)
