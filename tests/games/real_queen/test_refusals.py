"""Real Queen: which rule stands in the way, and what players may type."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core import (
    PASS,
    Action,
    AmbiguousAction,
    IllegalAction,
    InvalidAction,
    State,
)
from engine.games.real_queen.tables import CAPTURES, CROWNS, MOVES, PLACES, RETURNS, SHIFTS, STEPS
from tests.engine.codes import illegal_codes
from tests.games.real_queen.board import CROSSED, RUN, TWO, due, load, play
from tests.support.examples import scaled

WELL_FORMED = {
    action.text: action
    for action in (
        PASS,
        *PLACES,
        *CROWNS,
        *CAPTURES,
        *RETURNS,
        *(action for table in (STEPS, SHIFTS) for row in table for action in row.values()),
    )
}
WALLED = load("", "a2 b1 b2", ("a1", "g7"), (0, 3))

# The rule, its numbers, the position where it alone stands in the way, the action, the position without the hindrance.
REFUSALS: list[tuple[str, dict[str, Any], State, str, State]] = [
    ("occupied", {"cell": "e3"}, load("a1", "e3"), "e3", load("a1", "f3")),
    ("occupied", {"cell": "e3"}, load("a1", "e3", reserve=(0, 5)), "Qe3", load("a1", "f3", reserve=(0, 5))),
    ("occupied", {"cell": "e3"}, load("a1", "e3", ("d3", None)), "Qd3-e3", load("a1", "e4", ("d3", None))),
    (
        "occupied",
        {"cell": "e3"},
        load("a1 e3", "", ("d3", None), (0, 5)),
        "a1-e3",
        load("a1", "", ("d3", None), (0, 5)),
    ),
    ("reserve-empty", {}, load("a1", "", reserve=(0, 5)), "e3", load("a1", "", reserve=(1, 5))),
    (
        "needs-alignment",
        {"cell": "a4", "longest": 3, "least": 4, "n": 5},
        load("a2 a3"),
        "Qa4",
        load("a1 a2 a3"),
    ),
    (
        "needs-alignment",
        {"cell": "e3", "longest": 1, "least": 4, "n": 1},
        load("a2 a3", reserve=(1, 5)),
        "Qe3",
        load("a2 a3", reserve=(0, 5)),
    ),
    ("queen-in-play", {"queen": "e5"}, load("", "", ("e5", None), (0, 5)), "Qe3", load("", "", reserve=(0, 5))),
    ("queen-in-hand", {}, load(), "Qe3-e4", load("", "", ("e3", None))),
    (
        "queen-elsewhere",
        {"cell": "e3", "queen": "c5"},
        load("", "", ("c5", None)),
        "Qe3-e4",
        load("", "", ("e3", None)),
    ),
    (
        "shift-needs-empty-reserve",
        {"n": 1},
        load("a1", "", ("d3", None), (1, 5)),
        "a1-e5",
        load("a1", "", ("d3", None), (0, 5)),
    ),
    ("shift-needs-queen", {}, load("a1", reserve=(0, 5)), "a1-e5", load("a1", "", ("d3", None), (0, 5))),
    (
        "no-piece-there",
        {"cell": "a1"},
        load("a2", "", ("d3", None), (0, 5)),
        "a1-e5",
        load("a1", "", ("d3", None), (0, 5)),
    ),
    (
        "not-your-piece",
        {"cell": "a1"},
        load("", "a1", ("d3", None), (0, 5)),
        "a1-e5",
        load("a1", "", ("d3", None), (0, 5)),
    ),
    (
        "queen-steps",
        {"cell": "a1"},
        load("b7", "", ("a1", None), (0, 5)),
        "a1-e5",
        load("a1", "", ("b7", None), (0, 5)),
    ),
    (
        "nothing-to-capture",
        {"least": 4},
        load(RUN, "g1 g2"),
        "xg1",
        load(RUN, "g1 g2", pending=due(1, 2, RUN)),
    ),
    ("nothing-to-return", {"least": 4}, load(RUN, "g1"), "ra1", load(RUN, "g1", pending=due(0, 2, RUN))),
    ("captures-first", {"n": 1}, load(RUN, "g1", pending=due(1, 2, RUN)), "e5", load(RUN, "g1")),
    (
        "captures-first",
        {"n": 1},
        load(RUN, "g1", pending=due(1, 2, RUN)),
        "ra1",
        load(RUN, "g1", pending=due(0, 2, RUN)),
    ),
    ("returns-first", {"n": 2}, load(RUN, "g1", pending=due(0, 2, RUN)), "e5", load(RUN, "g1")),
    (
        "all-captured",
        {"n": 2},
        load(RUN, "g1", pending=due(0, 2, RUN)),
        "xg1",
        load(RUN, "g1", pending=due(1, 2, RUN)),
    ),
    (
        "queen-never-captured",
        {"cell": "g2"},
        load(RUN, "g1", (None, "g2"), pending=due(1, 2, RUN)),
        "xg2",
        load(RUN, "g1 g2", pending=due(1, 2, RUN)),
    ),
    (
        "own-piece",
        {"cell": "g2"},
        load(f"{RUN} g2", "g1", pending=due(1, 2, RUN)),
        "xg2",
        load(RUN, "g1 g2", pending=due(1, 2, RUN)),
    ),
    (
        "no-piece-there",
        {"cell": "g2"},
        load(RUN, "g1", pending=due(1, 2, RUN)),
        "xg2",
        load(RUN, "g1 g2", pending=due(1, 2, RUN)),
    ),
    (
        "crossing-first",
        {"cell": "d1"},
        load(CROSSED, "g1", pending=due(0, 3, *TWO, crossing="d1")),
        "rc2",
        load(CROSSED.replace(" d1", ""), "g1", pending=due(0, 2, "a4 b3 c2", "d2 d3 d4")),
    ),
    (
        "queen-never-returned",
        {"cell": "a4"},
        load("a1 a2 a3", "g1", ("a4", None), pending=due(0, 2, RUN)),
        "ra4",
        load(RUN, "g1", pending=due(0, 2, RUN)),
    ),
    (
        "not-in-alignment",
        {"cell": "g4", "cells": ["a1", "a2", "a3", "a4"]},
        load(f"{RUN} g4", "g1", pending=due(0, 2, RUN)),
        "rg4",
        load("d4 e4 f4 g4", "g1", pending=due(0, 2, "d4 e4 f4 g4")),
    ),
    (
        "not-your-piece",
        {"cell": "a5"},
        load(RUN, "a5", pending=due(0, 2, RUN)),
        "ra5",
        load(f"{RUN} a5", "", pending=due(0, 3, f"{RUN} a5")),
    ),
    (
        "no-piece-there",
        {"cell": "a5"},
        load(RUN, "g1", pending=due(0, 2, RUN)),
        "ra5",
        load(f"{RUN} a5", "", pending=due(0, 3, f"{RUN} a5")),
    ),
    ("must-act", {}, load("", "a2 b1", ("a1", "g7"), (0, 3)), "pass", WALLED),
]


@pytest.mark.parametrize(("code", "params", "state", "text", "freed"), REFUSALS)
def test_a_refusal_names_the_one_rule_in_the_way(
    code: str, params: dict[str, Any], state: State, text: str, freed: State
) -> None:
    action = WELL_FORMED[text]
    with pytest.raises(IllegalAction) as caught:
        state.play(action)
    assert (caught.value.code, caught.value.params) == (code, params)
    with pytest.raises(IllegalAction) as caught:
        state.read(text)
    assert (caught.value.code, caught.value.params) == (code, params)
    with pytest.raises(IllegalAction) as caught:
        state.parse(text)
    # Typed, a line that starts on the queen's cell is hers.
    assert caught.value.code == ("too-far" if code == "queen-steps" else code)
    assert freed.is_legal(action)
    assert freed.parse(text.lower()) == (action,)


# What no position allows, for the two cells are as far apart as they are: the same piece may go nearer.
NEVER: list[tuple[str, dict[str, Any], State, str, str]] = [
    (
        "too-far",
        {"cell": "e5", "distance": 3, "range": 1},
        load("", "", ("b3", None)),
        "Qb3-e5",
        "Qb3-c4",
    ),
    ("stays-put", {"cell": "b3"}, load("", "", ("b3", None)), "Qb3-b3", "Qb3-b4"),
    ("stays-put", {"cell": "a1"}, load("a1", "", ("d3", None), (0, 5)), "a1-a1", "a1-a2"),
]


@pytest.mark.parametrize(("code", "params", "state", "text", "nearest"), NEVER)
def test_what_the_board_itself_forbids_is_said_and_the_nearest_thing_is_legal(
    code: str, params: dict[str, Any], state: State, text: str, nearest: str
) -> None:
    for attempt in (lambda: state.play(WELL_FORMED[text]), lambda: state.read(text), lambda: state.parse(text)):
        with pytest.raises(IllegalAction) as caught:
            attempt()
        assert (caught.value.code, caught.value.params) == (code, params)
    assert state.parse(nearest) == (WELL_FORMED[nearest],)


LEGAL_OR_NOT = st.sampled_from(list(WELL_FORMED.values()))
CODES = {row[0] for row in REFUSALS} | {row[0] for row in NEVER}
LOADED = [state for row in REFUSALS for state in (row[2], row[4])]


def test_every_code_of_the_game_has_its_case() -> None:
    # the typed line that would go on has its cases below; the other two are no moves of the game
    assert illegal_codes("real-queen") == CODES | {"makes-no-line", "foreign-action", "no-such-seat"}


def test_an_action_of_another_game_is_no_move_and_a_seat_that_is_not_there_cannot_drop() -> None:
    for code, action in (("foreign-action", Action("a1xb2", "capture")), ("no-such-seat", Action.drop(2))):
        with pytest.raises(IllegalAction) as caught:
            load().play(action)
        assert caught.value.code == code
    assert load().play(Action.drop(1)).outcome is not None


@given(
    st.sampled_from(LOADED), st.lists(st.integers(0, 10**6), max_size=6), st.sampled_from(list(WELL_FORMED.values()))
)
@settings(max_examples=scaled(60), deadline=None)
def test_every_well_formed_action_is_legal_or_refused_by_a_rule_of_its_own(
    state: State, numbers: list[int], action: Action
) -> None:
    for number in numbers:
        legal = state.legal_actions()
        if not legal:
            return
        state = state.advance(legal[number % len(legal)])
    if state.to_move is None:
        return
    if action in state.legal_actions():
        assert state.is_legal(action)
    else:
        assert not state.is_legal(action)
        assert state.refusal(action).code in CODES


def test_well_formed_actions_are_all_that_the_game_knows() -> None:
    assert set(WELL_FORMED) == set(MOVES)


# --- Reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("E5", "e5"),
        (" e 5", None),
        ("d1 xc5 xc4 xc3 rd1 rc2 rd2", "d1 xc5 xc4 xc3 rd1 rc2 rd2"),
        ("d1 c5 c4 c3", "d1 xc5 xc4 xc3"),
        ("D1XC5XC4XC3", "d1 xc5 xc4 xc3"),
        ("d1, c5, c4, c3, d1, c2, d2", "d1 xc5 xc4 xc3 rd1 rc2 rd2"),
        ("d1 x c5 x c4", "d1 xc5 xc4"),
        ("d1", "d1"),
        ("d1 xc5 xc4 xc3 rd1", "d1 xc5 xc4 xc3 rd1"),
        ("qd1 c5", "Qd1 xc5"),
        ("Q d1", "Qd1"),
    ],
)
def test_whole_turns_are_read_as_people_type_them(typed: str, canonical: str | None) -> None:
    state = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5")
    if canonical is None:
        with pytest.raises(InvalidAction):
            state.parse(typed)
    else:
        assert " ".join(map(str, state.parse(typed))) == canonical


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("d1 c5 c4 c2", "own-piece"),
        ("d1 c5 c4 c3 c2", "crossing-first"),
        ("d1 c5 rd1", "captures-first"),
        ("d1 c5 c4 c3 d1 c2 d2 e5", "turn-is-over"),
        ("e5 c5", "makes-no-line"),
        ("e5 d1", "makes-no-line"),
        ("e5-d1", "no-piece-there"),
        ("a4-e5", "shift-needs-empty-reserve"),
        ("a4 e5", "shift-needs-empty-reserve"),
        ("Qe5-e6", "queen-in-hand"),
        ("Qe5", "needs-alignment"),
        ("c3", "occupied"),
        ("c3-e5", "not-your-piece"),
    ],
)
def test_a_line_is_played_whole_or_not_at_all(typed: str, code: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        load("a4 b3 c2 d2 d3 d4", "c3 c4 c5").parse(typed)
    assert caught.value.code == code


def test_a_line_that_goes_on_needs_an_alignment() -> None:
    with pytest.raises(IllegalAction) as caught:
        load("d2 d3", "g7").parse("d4 xg7")
    assert (caught.value.code, caught.value.params) == ("makes-no-line", {"cell": "d4", "least": 4})
    assert [str(action) for action in load("d1 d2 d3", "g7").parse("d4 xg7")] == ["d4", "xg7"]


@pytest.mark.parametrize("typed", ["", "hello", "h1", "e8", "e", "12", "e5?", "xx", "d1 c5 nonsense"])
def test_what_cannot_be_understood_is_said_to_be_so(typed: str) -> None:
    with pytest.raises(InvalidAction):
        load("a4 b3 c2 d2 d3 d4", "c3 c4 c5").parse(typed)


def test_the_queens_step_may_be_typed_without_her_letter_and_a_shift_with_any_separator() -> None:
    state = load("a1", "", ("e3", None), (0, 5))
    assert state.parse("e3-e4") == state.parse("Qe3 e4") == state.parse("qe3e4") == (STEPS[30][31],)
    assert state.parse("a1 g7") == state.parse("a1-g7") == state.parse("A1, G7") == (SHIFTS[0][48],)
    with pytest.raises(IllegalAction, match="nothing-to-capture"):
        state.parse("A1xG7")


def test_readings_are_never_ambiguous_in_the_middle_of_a_turn() -> None:
    state = play(load("a4 b3 c2 d2 d3 d4", "c3 c4 c5"), "d1 xc5 xc4 xc3 rd1")
    for action in state.legal_actions():
        assert state.parse(str(action.target)) == (action,)


@given(st.text(alphabet="abcdefghqxr1234578 -,", max_size=24))
def test_any_text_gets_an_answer(text: str) -> None:
    state = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5", ("g7", None))
    try:
        actions = state.parse(text)
    except (InvalidAction, IllegalAction, AmbiguousAction):
        return
    assert actions
    for action in actions:
        state = state.play(action)
