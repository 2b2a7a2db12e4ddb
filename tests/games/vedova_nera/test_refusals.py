"""Refusals of La Vedova Nera: for every code a move that exactly that rule forbids, and what makes it legal."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import PASS, Action, IllegalAction, State
from engine.games.vedova_nera import GAME as VEDOVA_NERA
from engine.games.vedova_nera import Play, explain
from engine.games.vedova_nera.tables import COLOURS, WEB
from tests.engine.codes import illegal_codes
from tests.games.vedova_nera.board import DEAL_FOR_3, load, play

STABLE = "a1 b1 c1 d1"
GOALS = ["a1 b1 c1 d1 e4 f4", "a4 b4 c4 d4 g4 h4"]


def dealt() -> State:
    return play(VEDOVA_NERA.start(3), DEAL_FOR_3)


CASES: list[tuple[str, str, dict[str, Any], State, State]] = [
    # code, text, params, where it is refused, where the hindrance is gone
    ("counsellor-not-a-pawn", "c2-c3", {"cell": "c2"}, load("b3", "", counsellor="c2"), load("c2", "")),
    ("no-pawn", "c2-c3", {"cell": "c2"}, load("b3", ""), load("c2", "")),
    ("not-your-pawn", "c2-c3", {"cell": "c2"}, load("b3", "c2"), load("b3", "c2", to_move=1)),
    ("node-taken", "c2-c3", {"cell": "c3"}, load("c2 c3", ""), load("c2", "")),
    ("node-taken", "c2-c3", {"cell": "c3"}, load("c2", "c3"), load("c2", "c4")),
    ("node-taken", "c2-c3", {"cell": "c3"}, load("c2", "", counsellor="c3"), load("c2", "")),
    ("counsellor-stays-put", "Kc2", {"cell": "c2"}, load("", "", counsellor="c2"), load("", "", counsellor="c1")),
    (
        "counsellor-off-line",
        "Kd3",
        {"cell": "d3", "counsellor": "c2"},
        load("", "", counsellor="c2"),
        load("", "", counsellor="c3"),
    ),
    (
        "counsellor-through-middle",
        "Kg1",
        {"cell": "g1", "counsellor": "c2"},
        load("", "", counsellor="c2"),
        load("", "", counsellor="c1"),
    ),
    (
        "counsellor-node-taken",
        "Kc4",
        {"cell": "c4"},
        load("c4", "", counsellor="c2"),
        load("", "", counsellor="c2"),
    ),
    (
        "counsellor-blocked",
        "Kc4",
        {"cell": "c4", "blockers": ["c3"]},
        load("", "c3", counsellor="c2"),
        load("", "", counsellor="c2"),
    ),
    (
        "counsellor-blocked",
        "Ke2",
        {"cell": "e2", "blockers": ["d2", "h2"]},
        load("d2", "h2 g2", counsellor="c2"),
        load("d2", "", counsellor="c2"),
    ),
    (
        "counsellor-straight-back",
        "Kc4",
        {"cell": "c4"},
        load("", "", counsellor="c2", ban="c4"),
        load("", "", counsellor="c2", ban="c3"),
    ),
    ("none-off", "+c4", {}, load("a1 b1 c1 d1 e1 f1", ""), load("a1 b1 c1 d1 e1", "")),
    ("entry-taken", "+c4", {"cell": "c4"}, load("a1", "c4"), load("a1", "d4")),
    (
        "entry-ban",
        "+c4",
        {"cell": "c4"},
        load("a1", "b4 d4", entry_ban=["c4", None]),
        load("a1", "b4 d4", entry_ban=[None, None]),
    ),
    ("no-marble", "Mh2-h3", {"cell": "h2"}, load(STABLE, "", goals=GOALS), load(STABLE, "", goals=[STABLE + " h2"])),
    (
        "not-your-marble",
        "Mh4-h3",
        {"cell": "h4"},
        load(STABLE, "", goals=GOALS),
        load(STABLE, "", goals=[STABLE + " h4 e4", "a4 b4 c4 d4 g4 f4"]),
    ),
    (
        "too-few-stable",
        "Me4-e3",
        {"n": 3, "needed": 4},
        load("a1 b1 c1 d2", "", goals=GOALS),
        load("a1 b1 c1 d1", "", goals=GOALS),
    ),
    (
        "hollow-taken",
        "Me4-f4",
        {"cell": "f4"},
        load(STABLE, "", goals=GOALS),
        load(STABLE, "", goals=["a1 b1 c1 d1 e4 f3", GOALS[1]]),
    ),
    (
        "must-act",
        "pass",
        {},
        load("b1", ""),
        load("a1 b1 h1", "a2 b2 g1", "h2 c2 e1", "e2", "f4", counsellor="c1", ban="d1"),
    ),
    ("colours-chosen", "red", {}, load("b1", ""), dealt()),
    ("colours-first", "a1-a2", {}, dealt(), load("a1", "")),
    ("colour-taken", "red", {"colour": "red"}, play(dealt(), "red"), play(dealt(), "green")),
    ("deal-first", "red", {}, VEDOVA_NERA.start(3), dealt()),
    ("wrong-deal", DEAL_FOR_3, {}, VEDOVA_NERA.start(4), VEDOVA_NERA.start(3)),
    ("no-chance-due", DEAL_FOR_3, {}, dealt(), VEDOVA_NERA.start(3)),
    ("no-chance-due", DEAL_FOR_3, {}, load("b1", "", ""), VEDOVA_NERA.start(3)),
    ("no-such-seat", "drop 1", {"seat": "1"}, play(dealt(), "drop 1"), dealt()),
    ("no-such-seat", "drop 2", {"seat": "2"}, load("b1", ""), load("b1", "", "")),
]


def action(text: str) -> Action:
    """Return the action with this canonical text."""
    if text.startswith("drop "):
        return Action.drop(int(text[5:]))
    if text.startswith("deal "):
        return Action(text, "deal")
    return next(iter(explain.well_formed(text.lower())))


@pytest.mark.parametrize(("code", "text", "params", "refusing", "allowing"), CASES)
def test_exactly_one_rule_stands_in_the_way_and_without_the_hindrance_the_same_move_is_legal(
    code: str, text: str, params: dict[str, Any], refusing: State, allowing: State
) -> None:
    assert action(text).text == text
    with pytest.raises(IllegalAction) as caught:
        refusing.play(action(text))
    assert (caught.value.code, caught.value.params) == (code, params)
    assert allowing.is_legal(action(text))
    allowing.play(action(text))


# Moves that no position allows: the nodes lie as they lie (the same piece may go nearer), pawns enter on ring 4 and
# nowhere else, black is no player's colour, and a node that is not there is no move at all.
NEVER: list[tuple[str, str, dict[str, Any], State, str]] = [
    # code, text, params, where it is refused, what is allowed there
    ("captures-happen", "xb2", {"cell": "b2"}, load("c2", "b2"), "c2-c1"),
    ("stays-put", "c2-c2", {"cell": "c2"}, load("c2", ""), "c2-c1"),
    (
        "too-far",
        "c2-c4",
        {"piece": "c2", "cell": "c4", "distance": 2, "range": 1},
        load("c2", ""),
        "c2-c3",
    ),
    ("too-far", "c2-e3", {"piece": "c2", "cell": "e3", "distance": 3, "range": 1}, load("c2", ""), "c2-d2"),
    ("through-middle", "c1-g1", {"piece": "c1", "cell": "g1"}, load("c1", ""), "c1-d1"),
    ("marble-stays-put", "Me4-e4", {"cell": "e4"}, load(STABLE, "", goals=GOALS), "Me4-e3"),
    (
        "marble-too-far",
        "Me4-e2",
        {"piece": "e4", "cell": "e2", "distance": 2, "range": 1},
        load(STABLE, "", goals=GOALS),
        "Me4-e3",
    ),
    ("marble-through-middle", "Ma1-e1", {"piece": "a1", "cell": "e1"}, load(STABLE, "", goals=GOALS), "Ma1-h1"),
    ("enter-outermost", "+c3", {"cell": "c3", "ring": 3, "outermost": 4}, load("a1", ""), "+c4"),
    ("black-is-counsellor", "black", {}, dealt(), "blue"),
    ("foreign-action", "Ma5-a6", {"text": "Ma5-a6"}, load("a1", ""), "a1-a2"),
]


@pytest.mark.parametrize(("code", "text", "params", "state", "allowed"), NEVER)
def test_what_the_board_itself_forbids_is_said_and_the_nearest_thing_is_legal(
    code: str, text: str, params: dict[str, Any], state: State, allowed: str
) -> None:
    never = Action(text, "marble", "a5", "a6") if code == "foreign-action" else action(text)
    with pytest.raises(IllegalAction) as caught:
        state.play(never)
    assert (caught.value.code, caught.value.params) == (code, params)
    assert state.is_legal(action(allowed))


def test_a_typed_slide_that_starts_where_the_counsellor_is_not_says_where_it_is() -> None:
    with pytest.raises(IllegalAction) as caught:
        load("a1", "", counsellor="e2").parse("Kc2-c3")
    assert (caught.value.code, caught.value.params) == ("counsellor-elsewhere", {"piece": "c2", "counsellor": "e2"})
    assert [str(slide) for slide in load("a1", "", counsellor="c2").parse("Kc2-c3")] == ["Kc3"]


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("c2 c4", "too-far"),
        ("e2-c3", "counsellor-off-line"),
        ("k e2 e2", "counsellor-stays-put"),
        ("c4", "none-off"),
        ("+ c4", "none-off"),
        ("m c2 c3", "no-marble"),
        ("red", "colours-chosen"),
        ("rosso", "colours-chosen"),
        ("pass", "must-act"),
        ("c2-c3 c3-c4", "turn-is-over"),
    ],
)
def test_what_people_type_is_answered_by_the_rule_in_the_way(typed: str, code: str) -> None:
    state = load("a1 b1 c2 d1 e1 f1", "", counsellor="e2", goals=["", "a4 b4 c4 d4 e4 f4"])
    with pytest.raises(IllegalAction) as caught:
        state.parse(typed)
    assert caught.value.code == code


def test_two_cells_of_which_the_first_could_be_entered_are_answered_as_a_step() -> None:
    with pytest.raises(IllegalAction) as caught:
        load("a1", "").parse("c4-c3")
    assert (caught.value.code, caught.value.params) == ("no-pawn", {"cell": "c4"})


def test_a_record_that_holds_an_illegal_move_is_refused_by_its_rule() -> None:
    for code, text, _, refusing, _ in CASES:
        if refusing.to_move is not None and refusing.to_move >= 0 and text != DEAL_FOR_3:
            with pytest.raises(IllegalAction) as caught:
                refusing.read(text)
            assert caught.value.code == code


CODES = {code for code, *_ in CASES} | {code for code, *_ in NEVER} | {"counsellor-elsewhere", "turn-is-over"}


def test_every_code_of_the_sources_is_held_by_a_test() -> None:
    assert {"too-far", "entry-ban", "wrong-deal"} <= illegal_codes("vedova-nera") <= CODES


def test_every_code_that_the_module_names_is_held_by_a_test() -> None:
    assert explain.__doc__ is not None
    named = set(re.findall(r"[a-z]+(?:-[a-z]+)+", explain.__doc__.split("params:")[1]))
    assert named == CODES


CELLS = st.sampled_from(WEB.names)
TYPED = st.one_of(
    st.builds("{}-{}".format, CELLS, CELLS),
    st.builds("M{}-{}".format, CELLS, CELLS),
    st.builds("K{}".format, CELLS),
    st.builds("+{}".format, CELLS),
    st.sampled_from(["pass", *COLOURS]),
)


@given(seed=st.integers(0, 10**6), seats=st.integers(2, 5), plies=st.integers(0, 60), text=TYPED)
def test_no_well_formed_move_gets_a_catch_all_answer(seed: int, seats: int, plies: int, text: str) -> None:
    rng = random.Random(seed)
    state: State = VEDOVA_NERA.start(seats)
    state = state.play(state.sample_chance(rng))
    for _ in range(plies):
        if state.to_move is not None:
            state = state.advance(state.random_action(rng))
    tried = action(text)
    if state.to_move is None or state.is_legal(tried):
        return
    code = state.refusal(tried).code
    assert code in CODES - {"foreign-action"}
    if isinstance(state, Play):
        assert tried != PASS or code == "must-act"
