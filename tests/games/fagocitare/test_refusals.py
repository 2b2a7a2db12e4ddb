"""Fagocitare: which rule stands in the way, what players may type, and dictionaries that are no position."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import Action, IllegalAction, InvalidAction, InvalidPosition, State
from engine.games.fagocitare import GAME as FAGOCITARE
from tests.engine.codes import illegal_codes
from tests.games.fagocitare.sheet import draw, filled, load, position

# The rule, its numbers, the position where it alone stands in the way, the dot, the position without the hindrance.
REFUSALS: list[tuple[str, dict[str, Any], State, str, State]] = [
    ("occupied", {"cell": "d4"}, load("d4"), "d4", load("d5")),
    ("occupied", {"cell": "d4"}, load("b2", "", ("", "d4")), "d4", load("b2", "", ("", "d5"))),
    ("rim-closed", {"cell": "a4", "n": 23}, load("c4", "c5"), "a4", load("c4", "b4")),
    ("rim-closed", {"cell": "g1", "n": 1}, load(filled(7, "d4")), "g1", load(filled(7))),
    ("rim-gap", {"cell": "a4", "n": 23, "gap": ["b4"]}, load("d4", "c4"), "a4", load("b4 d4", "c4")),
    ("rim-gap", {"cell": "g4", "n": 23, "gap": ["e4", "f4"]}, load("c4", "d4"), "g4", load("c4 e4 f4", "d4")),
    ("rim-gap", {"cell": "g7", "n": 22, "gap": ["f6"]}, load("d4 c3", "e5"), "g7", load("d4 c3 f6", "e5")),
    (
        "rim-too-few",
        {"cell": "g4", "n": 21, "dots": 2, "attackers": 3, "needed": 4},
        load("c4 f4", "d4 e4"),
        "g4",
        load("b4 c4 f4", "d4 e4"),
    ),
    (
        "rim-too-few",
        {"cell": "a4", "n": 22, "dots": 2, "attackers": 2, "needed": 4},
        load("d4", "b4 c4"),
        "a4",
        load("d4 e4 f4", "b4 c4"),
    ),
    (
        "rim-crossing",
        {"cell": "a4", "n": 20, "line": ["a4", "c4"], "crossed": ["b2", "b6"]},
        load("c4 b2 b6", "b4", ("b3", ""), ("b2-b6", "")),
        "a4",
        load("c4 b2 b6", "b4", ("b3", "")),
    ),
    (
        "rim-crossing",
        {"cell": "e1", "n": 21, "line": ["c3", "e1"], "crossed": ["b1", "d3"]},
        load("b1 d3 c3", "d2", ("c2", ""), ("b1-d3", "")),
        "e1",
        load("b1 d3 c3", "d2", ("c2", "")),
    ),
]
CODES = {row[0] for row in REFUSALS}
LOADED = [state for row in REFUSALS for state in (row[2], row[4])]


@pytest.mark.parametrize(("code", "params", "state", "text", "freed"), REFUSALS)
def test_a_refusal_names_the_one_rule_in_the_way(
    code: str, params: dict[str, Any], state: State, text: str, freed: State
) -> None:
    action = Action(text, "draw", target=text)
    with pytest.raises(IllegalAction) as caught:
        state.play(action)
    assert (caught.value.code, caught.value.params) == (code, params)
    with pytest.raises(IllegalAction) as caught:
        state.read(text)
    assert (caught.value.code, caught.value.params) == (code, params)
    with pytest.raises(IllegalAction) as caught:
        state.parse(text.upper())
    assert (caught.value.code, caught.value.params) == (code, params)
    assert freed.parse(text) == (action,)
    assert freed.play(action).turn == 1


def test_every_code_of_the_game_has_its_case() -> None:
    # Nothing makes these legal: nobody ever passes, a text that names no cell is no dot, and only two play.
    never = {"must-act": Action("pass", "pass"), "foreign-action": Action("Ke4", "x"), "no-such-seat": Action.drop(2)}
    never["captures-happen"] = Action("xe4", "capture", None, "e4")
    for code, action in never.items():
        with pytest.raises(IllegalAction) as caught:
            load("d4").play(action)
        assert caught.value.code == code
    assert illegal_codes("fagocitare") == CODES | set(never)


def test_the_nearest_hindrance_is_named_where_several_ways_fail() -> None:
    # Upwards a gap, to the right too few attackers: the attackers are named.
    with pytest.raises(IllegalAction) as caught:
        load("a7 d4", "a6 b4 c4").parse("a4")
    assert caught.value.code == "rim-too-few"


@given(st.sampled_from(LOADED), st.lists(st.integers(0, 10**6), max_size=20), st.integers(0, 48))
def test_every_dot_is_legal_or_refused_by_a_rule_of_its_own(state: State, numbers: list[int], cell: int) -> None:
    for number in numbers:
        legal = state.legal_actions()
        if not legal:
            return
        state = state.advance(legal[number % len(legal)])
    if state.to_move is None:
        return
    assert state.topology is not None
    name = state.topology.names[cell]
    action = Action(name, "draw", target=name)
    assert state.is_legal(action) == (action in state.legal_actions())
    if not state.is_legal(action):
        assert state.refusal(action).code in CODES


# --- Reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "canonical"), [("D4", "d4"), (" d4 ", "d4"), ("b2,", "b2")])
def test_a_dot_is_read_in_any_case(typed: str, canonical: str) -> None:
    assert [action.text for action in FAGOCITARE.start(2, {"size": 7}).parse(typed)] == [canonical]


def test_rows_of_two_digits_are_not_mistaken_for_others() -> None:
    state = FAGOCITARE.start(2, {"size": 12})
    assert [action.text for action in state.parse("B11")] == ["b11"]
    with pytest.raises(IllegalAction) as caught:
        draw(state, "b11").parse("b1")
    assert caught.value.params["cell"] == "b1"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("", "empty"),
        ("hello", "not-understood"),
        ("k3", "no-such-cell"),
        ("d8", "no-such-cell"),
        ("4", "not-understood"),
    ],
)
def test_what_cannot_be_understood_is_said_to_be_so(typed: str, code: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        FAGOCITARE.start(2, {"size": 7}).parse(typed)
    assert caught.value.code == code


def test_one_dot_ends_the_turn() -> None:
    with pytest.raises(IllegalAction) as caught:
        FAGOCITARE.start().parse("d4 e5")
    assert caught.value.code == "turn-is-over"


def test_nobody_passes() -> None:
    for attempt in (FAGOCITARE.start().parse, FAGOCITARE.start().read):
        with pytest.raises(IllegalAction) as caught:
            attempt("pass")
        assert caught.value.code == "must-act"


# --- Dictionaries that are no position --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        ("wrong-game", {**position(), "game": "annuvin"}),
        ("missing-field", {key: value for key, value in position().items() if key != "lines"}),
        ("unknown-field", {**position(), "pending": None}),
        ("option-value", position(size=8)),
        ("out-of-range", position(to_move=2)),
        ("unknown-cell", position("h1")),
        ("unknown-cell", position(lines=("a1-h8", ""))),
        ("cell-twice", position("a1", "a1")),
        ("cell-twice", position("a1", "", ("a1", ""))),
        ("cell-twice", position("", "", ("a1", "a1"))),
        ("wrong-length", {**position(), "dots": [[]]}),
        ("wrong-length", {**position("b4 d4"), "lines": [[["b4"]], []]}),
        ("wrong-type", {**position(), "lines": [None, []]}),
        ("no-line", position("b4 c4", "", ("d4", ""), ("b4-c4", ""))),
        ("no-line", position("b4 d5", "", ("c4", ""), ("b4-d5", ""))),
        ("no-line", position("b4 d5", "", ("c4", ""), ("b4-b4", ""))),
        ("line-without-attackers", position("b4", "", ("c4", ""), ("b4-d4", ""))),
        ("line-without-attackers", position("b4", "d4", ("c4", ""), ("b4-d4", ""))),
        ("line-without-captives", position("b4 d4", "c4", ("", ""), ("b4-d4", ""))),
        ("line-without-captives", position("b4 d4", "", ("", "c4"), ("b4-d4", ""))),
        ("lines-cross", position("b4 d4 c3 c5", "", ("c4", ""), ("b4-d4 c3-c5", ""))),
        ("lines-cross", position("b4 d4", "", ("c4", ""), ("b4-d4 b4-d4", ""))),
        ("no-outcome", position(to_move=None)),
        ("outcome-unfounded", position(to_move=None, outcome={"reason": "count", "places": [1, 1]})),
        ("outcome-differs", position("", "", ("a1 a2 a3", ""), outcome={"reason": "count", "places": [1, 2]})),
    ],
)
def test_a_dictionary_that_is_no_position_is_refused(code: str, broken: dict[str, Any]) -> None:
    with pytest.raises(InvalidPosition) as caught:
        FAGOCITARE.load(broken)
    assert caught.value.code == code


def test_a_position_that_shows_a_win_or_a_full_sheet_is_the_finished_game() -> None:
    won = load("", "", ("", "a1 a2 a3"))
    assert won.outcome is not None
    assert (won.to_move, won.outcome.reason, won.outcome.places) == (None, "lead-of-three", (2, 1))
    full = load(filled(7, rim=True))
    assert full.outcome is not None
    assert (full.to_move, full.outcome.reason, full.outcome.places) == (None, "count", (1, 1))


def test_lines_are_read_in_any_order_and_written_sorted() -> None:
    state = load("b4 d4 d2", "", ("d3 c4", ""), ("d4-d2 d4-b4", ""))
    assert state.to_json()["lines"] == [[["b4", "d4"], ["d2", "d4"]], []]
    ten = load("b2 b4 b10 d10", "", ("b3 c10", ""), ("b10-d10 b2-b4", ""), size=10)
    assert ten.to_json()["lines"] == [[["b2", "b4"], ["b10", "d10"]], []]


def test_a_line_may_end_in_a_dot_captured_since() -> None:
    state = load("b4", "d5 d3", ("c4", "d4"), ("b4-d4", ""))
    assert state.to_json()["lines"] == [[["b4", "d4"]], []]
