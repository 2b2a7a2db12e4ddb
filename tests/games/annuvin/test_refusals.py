"""Annuvin: every rule that can stand in a move's way has a refusal of its own.

For each, a position in which exactly that rule stands in the way, and the same with the hindrance removed.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from engine import Action, IllegalAction, State, games
from engine.games.annuvin import refusals
from tests.games.annuvin.board import ANNUVIN, load, refused

EMPTY = ANNUVIN.start(options={"setup": "empty"})

CASES: dict[str, tuple[State, State, str, dict[str, Any]]] = {
    # code: where it is refused, where it is legal, the action, what is told
    "too-far": (
        load("a1 g7 g6 g5", "d7 c6"),
        load("a1 g7 g6", "d7 c6"),
        "a1-e5",
        {"piece": "a1", "cell": "e5", "distance": 4, "range": 3},
    ),
    "too-far-with-reserve": (
        load("a1 b1", "d7 c6 f5", reserve=(1, 1)),
        load("a1 b1", "d7 c6 f5", reserve=(0, 1)),
        "a1-a3",
        {"piece": "a1", "cell": "a3", "distance": 2, "range": 1},
    ),
    "beyond-what-is-left": (
        load("c4 a1 g7", "a3 d4", moving=("c4", 1)),
        load("c4 a1 g7", "a3 d4", moving=("c4", 2)),
        "xa3",
        {"piece": "c4", "cell": "a3", "distance": 2, "left": 1},
    ),
    "no-piece-there": (load("a1 g7", "d7 c6"), load("b2 a1 g7", "d7 c6"), "b2-b3", {"cell": "b2"}),
    "enemy-piece": (load("a1 g7", "b2 d7", 0), load("a1 g7", "b2 d7", 1), "b2-b3", {"cell": "b2"}),
    "own-piece-there": (load("a1 a2 g7", "d7 c6"), load("a1 a3 g7", "d7 c6"), "a1-a2", {"cell": "a2"}),
    "enemy-there": (load("a1 g7", "a2 c6"), load("a1 g7", "a3 c6"), "a1-a2", {"piece": "a1", "cell": "a2"}),
    "nothing-to-capture": (load("a1 g7", "a3 c6"), load("a1 g7", "a2 c6"), "a1xa2", {"cell": "a2"}),
    "cell-taken": (load("a1", "c4 d7", reserve=(1, 1)), load("a1", "c5 d7", reserve=(1, 1)), "c4", {"cell": "c4"}),
    "reserve-empty": (
        load("a1 b1", "c5 d7", reserve=(0, 1)),
        load("a1 b1", "c5 d7", reserve=(1, 1)),
        "c4",
        {"cell": "c4"},
    ),
    "only-captures-now": (
        load("c4 a1 g7", "c3 d7", moving=("c4", 3)),
        load("c4 a1 g7", "c3 d7"),
        "c4-c5",
        {"piece": "c4", "cell": "c5", "left": 3},
    ),
    "another-piece-moving": (
        load("c4 b3 g7", "c3 d7", moving=("c4", 3)),
        load("c4 b3 g7", "c3 d7"),
        "b3xc3",
        {"cell": "b3", "piece": "c4"},
    ),
    "name-target-only": (
        load("c4 b3 g7", "c3 d7", moving=("c4", 3)),
        load("c4 b3 g7", "c3 d7"),
        "c4xc3",
        {"cell": "c3"},
    ),
    "capture-not-begun": (
        load("c4 b3 g7", "c3 d7"),
        load("c4 b3 g7", "c3 d7", moving=("c4", 3)),
        "xc3",
        {"cell": "c3"},
    ),
    "nothing-to-stop": (load("c4 b3 g7", "c3 d7"), load("c4 b3 g7", "c3 d7", moving=("c4", 3)), "stop", {}),
}

# A piece that stays where it is, a pass, and what is no move of Annuvin are legal nowhere.
NEVER_LEGAL = {"stays-put": "a1-a1", "must-act": "pass", "foreign-action": "Qe4", "no-such-seat": "drop 2"}


def move(text: str) -> Action:
    return Action(text, "drop" if text.startswith("drop") else "move", value=2)


@pytest.mark.parametrize("code", CASES)
def test_a_rule_stands_in_the_way(code: str) -> None:
    state, _, text, params = CASES[code]
    with pytest.raises(IllegalAction) as error:
        state.play(move(text))
    assert (error.value.code, error.value.params) == (code, params)
    with pytest.raises(IllegalAction) as error:
        state.read(text)
    assert error.value.code == code


@pytest.mark.parametrize("code", CASES)
def test_with_the_hindrance_removed_the_same_move_is_legal(code: str) -> None:
    _, state, text, _ = CASES[code]
    assert state.play(state.read(text)) != state


@pytest.mark.parametrize("code", NEVER_LEGAL)
def test_what_is_legal_nowhere(code: str) -> None:
    with pytest.raises(IllegalAction) as error:
        load("a1 g7", "a3 c6").play(move(NEVER_LEGAL[code]))
    assert error.value.code == code


def test_every_code_of_the_game_has_its_test() -> None:
    codes = set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', inspect.getsource(refusals)))
    assert codes == set(CASES) | set(NEVER_LEGAL)


@pytest.mark.parametrize("code", sorted(set(CASES) - {"enemy-there", "name-target-only"}))
def test_a_typed_move_is_answered_with_the_same_rule(code: str) -> None:
    # two are only a question of how the move is written, which reading forgives
    state, _, text, params = CASES[code]
    assert refused(state, text) == (code, params)


@pytest.mark.parametrize(
    ("state", "typed", "code", "params"),
    [
        # a move onto an enemy that is too far is a capture that is too far
        (load("a1 g7 g6 g5", "e5 c6"), "a1 e5", "too-far", {"piece": "a1", "cell": "e5", "distance": 4, "range": 3}),
        # farther down the line: what the second capture lacks
        (
            load("d5 a1 g7", "c4 c3 a2 g4"),
            "d5xc4xg4",
            "beyond-what-is-left",
            {"piece": "c4", "cell": "g4", "distance": 4, "left": 3},
        ),
        (load("d5 a1 g7", "c4 c3 a2 g4"), "d5xc4-c5", "only-captures-now", {"piece": "c4", "cell": "c5", "left": 3}),
        (load("d5 a1 g7", "c4 c3 a2 g4"), "d5xc4 a1xa2", "another-piece-moving", {"cell": "a1", "piece": "c4"}),
        # the turn has ended by itself, and here is why it could not go on as typed
        (
            load("d5 a1 g7", "d7 d3 a2"),
            "d5xd7xd3",
            "beyond-what-is-left",
            {"piece": "d7", "cell": "d3", "distance": 4, "left": 2},
        ),
        (load("d5 a1 g7", "d7 d3 a2"), "d5xd7-d6", "only-captures-now", {"piece": "d7", "cell": "d6", "left": 2}),
        (
            load("a1 g7 g6 g5 f7 f6", "b2 c3 d7"),
            "a1xb2xc3",
            "beyond-what-is-left",
            {"piece": "b2", "cell": "c3", "distance": 1, "left": 0},
        ),
        (load("d5 a1 g7", "d7 d3 a2"), "d5-d6 a1-b1", "turn-is-over", {"text": "a1-b1"}),
        (load("d5 a1", "c4"), "d5xc4 a1-b1", "turn-is-over", {"text": "a1-b1"}),
        (EMPTY, "d4 d5", "turn-is-over", {"text": "d5"}),
        (EMPTY, "d4-d5", "no-piece-there", {"cell": "d4"}),
    ],
)
def test_a_typed_line_is_answered_where_it_goes_wrong(
    state: State, typed: str, code: str, params: dict[str, Any]
) -> None:
    assert refused(state, typed) == (code, params)


def test_the_first_rule_in_the_way_is_told_first() -> None:
    # an enemy's piece, onto an enemy's piece, too far: that it is not yours matters most
    assert refused(load("a1 g7 g6 g5", "b2 f6"), "b2-f6")[0] == "enemy-piece"
    assert games["annuvin"].start().is_legal(Action("b1-a1", "move"))
