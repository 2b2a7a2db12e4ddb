"""Refusals of Gioco dell'Uomo Nero: for every code a move that exactly that rule forbids, and what makes it legal."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import Action, IllegalAction, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.engine.codes import illegal_codes
from tests.games.uomo_nero.court import begun, load, play, texts

PICKING = play(UOMO_NERO.start(4), "roll 1 1", *["roll 6 6"] * 3, "d13")
PLACING = play(UOMO_NERO.start(4), "roll 1 1", *["roll 6 6"] * 3)


def man(red: str = "", yellow: str = "", cell: str = "d7", dice: tuple[int, int] = (1, 2), **more: Any) -> State:
    """Return a position in which seat 0, the Man, is to move."""
    return load(red, yellow, man=cell, dice=dice, to_move=0, **more)


CASES: list[tuple[str, str, dict[str, Any], State, State]] = [
    # code, text, params, where it is refused, where the hindrance is gone
    ("man-places-first", "red", {}, PLACING, PICKING),
    ("man-places-first", "a1-a2/1", {}, PLACING, play(begun(4), "roll 1 2")),
    ("start-on-finish-line", "d12", {"cell": "d12"}, PLACING, man("a5", cell="d9")),
    ("pick-first", "e13", {}, PICKING, PLACING),
    ("pick-first", "a1-a2/1", {}, PICKING, play(begun(4), "roll 1 2")),
    ("colour-taken", "red", {"colour": "red", "free": ["yellow", "green", "blue"]}, play(PICKING, "red"), PICKING),
    ("colours-are-picked", "red", {}, load("c5", dice=(1, 2)), PICKING),
    ("colours-are-picked", "red", {}, man("c5"), PICKING),
    ("can-move", "pass", {}, load("a1", "b5", seats=3, dice=(1, 2)), load("a1", "a2", seats=3, dice=(1, 2))),
    ("can-move", "pass", {}, man("c5"), load("a1", "a2", seats=3, dice=(1, 2))),
    # an attacker's turn
    ("name-attacker", "c6", {"cell": "c6"}, load("c5", dice=(1, 2)), man("a5", cell="c5")),
    ("name-landing", "c5", {"cell": "c5"}, load("c5", dice=(1, 2)), man("a5", cell="c6")),
    ("name-attacker", "c13", {"cell": "c13"}, load("c5", dice=(1, 2)), PLACING),
    ("attackers-capture-nobody", "xc6", {"cell": "c6"}, load("c5", "c6", dice=(1, 2)), man("c5", "c6", cell="c7")),
    ("nobody-here", "c5-c8/3", {"cell": "c5"}, load("d5", dice=(1, 2)), load("c5", dice=(1, 2))),
    (
        "not-yours",
        "c5-c8/3",
        {"cell": "c5"},
        load("d5", "c5", seats=3, dice=(1, 2)),
        load("d5", "c5", seats=3, dice=(1, 2), to_move=2),
    ),
    ("is-the-man", "c5-c8/3", {"cell": "c5"}, load("d5", man="c5", dice=(1, 2)), load("c5", dice=(1, 2))),
    ("has-arrived", "c13-c12/1", {"cell": "c13"}, load("c13 d5", dice=(1, 2)), load("c11 d5", dice=(1, 2))),
    (
        "not-on-dice",
        "c5-c9/4",
        {"amount": 4, "dice": [1, 2], "sum": 3},
        load("c5 d5", dice=(1, 2)),
        load("c5 d5", dice=(1, 3)),
    ),
    (
        "not-on-dice",
        "stay/4",
        {"amount": 4, "dice": [1, 2], "sum": 3},
        load("c5", dice=(1, 2)),
        load("c5", dice=(1, 3)),
    ),
    (
        "die-used",
        "c5-c6/1",
        {"used": 1, "amount": 1, "left": 3},
        play(load("c5 d5", dice=(1, 3)), "d5-d6/1"),
        load("c5 d6", dice=(1, 3)),
    ),
    (
        "die-used",
        "c5-c9/4",
        {"used": 1, "amount": 4, "left": 3},
        play(load("c5 d5", dice=(1, 3)), "d5-d6/1"),
        load("c5 d6", dice=(1, 3)),
    ),
    (
        "die-used",
        "c5-c13!",
        {"used": 6, "amount": 12, "left": 6},
        play(load("c5 d5", dice=(6, 6)), "d5-d11/6"),
        load("c5 d11", dice=(6, 6)),
    ),
    (
        "die-used",
        "stay/2",
        {"used": 2, "amount": 2, "left": 4},
        play(load("c5 d5", dice=(2, 4)), "stay/2"),
        load("c5 d5", dice=(2, 4)),
    ),
    ("split-needs-two", "c5-c6/1", {"amount": 1, "sum": 3}, load("c5", dice=(1, 2)), load("c5 d5", dice=(1, 2))),
    ("split-needs-two", "stay/2", {"amount": 2, "sum": 3}, load("c5", dice=(1, 2)), load("c5 d5", dice=(1, 2))),
    (
        "another-attacker",
        "c6-c8/2",
        {"cell": "c6", "die": 2},
        play(load("c5 d5", dice=(1, 2)), "c5-c6/1"),
        play(load("c6 d5", dice=(1, 2)), "d5-d6/1"),
    ),
    (
        "sprint-needs-double-six",
        "c5-c13!",
        {"dice": [5, 6]},
        load("c5", dice=(5, 6)),
        load("c5", dice=(6, 6)),
    ),
    (
        "sprint-own-column",
        "c5-d13!",
        {"cell": "c5", "finish": "c13"},
        load("c5", dice=(6, 6)),
        # the nearest that is legal: the finish cell of its own column
        load("c5", dice=(6, 6)),
    ),
    ("occupied", "c5-c13!", {"cell": "c13"}, load("c5 c13", dice=(6, 6)), load("c5 d13", dice=(6, 6))),
    ("occupied", "c5-c8/3", {"cell": "c8"}, load("c5", "c8", dice=(1, 2)), load("c5", "d8", dice=(1, 2))),
    ("man-stands-there", "c5-c8/3", {"cell": "c8"}, load("c5", man="c8", dice=(1, 2)), load("c5", dice=(1, 2))),
    (
        "man-stands-there",
        "d1-d13!",
        {"cell": "d13"},
        play(begun(2, "d13"), "roll 6 6"),
        play(begun(2, "e13"), "roll 6 6"),
    ),
    ("ends-where-it-started", "c5-c5/4", {"cell": "c5"}, load("c5", dice=(1, 3)), load("c7", dice=(1, 3))),
    ("never-back-to-start", "c2-c1/1", {"cell": "c1"}, load("c2 d5", dice=(1, 2)), load("c4 d5", dice=(1, 2))),
    (
        "too-far",
        "c5-c9/3",
        {"cell": "c9", "distance": 4, "amount": 3},
        load("c5", dice=(1, 2)),
        load("c5", dice=(1, 3)),
    ),
    (
        "wrong-parity",
        "c5-c8/4",
        {"cell": "c8", "distance": 3, "amount": 4},
        load("c5", dice=(1, 3)),
        load("c5", dice=(1, 2)),
    ),
    (
        "way-out-blocked",
        "a1-a4/3",
        {"cell": "a1", "front": "a2"},
        load("a1", "a2", seats=3, dice=(1, 2)),
        load("a1", "b2", seats=3, dice=(1, 2)),
    ),
    (
        "finish-blocked",
        "c11-c13/2",
        {"cell": "c13", "front": "c12"},
        load("c11", "c12", seats=3, dice=(1, 1)),
        load("c11", "d12", seats=3, dice=(1, 1)),
    ),
    (
        "walled-off",
        "c5-a3/4",
        {"cell": "a3"},
        load("c5", "a2 b3", "", "a4", seats=3, dice=(1, 3)),
        load("c5", "a2 b3", "", "a5", seats=3, dice=(1, 3)),
    ),
    (
        "detour-too-long",
        "a5-a7/2",
        {"cell": "a7", "steps": 4, "amount": 2},
        load("a5", "a6", seats=3, dice=(1, 1)),
        load("a5", "b6", seats=3, dice=(1, 1)),
    ),
    (
        "no-room-to-turn",
        "c12-c13/3",
        {"cell": "c13", "steps": 1, "amount": 3},
        load("c12", "b12 d12", "", "c11", seats=3, dice=(1, 2)),
        load("c12", "b12 d12", "", "c10", seats=3, dice=(1, 2)),
    ),
    (
        "other-die-lost",
        "e3-d2/2",
        {"amount": 2, "die": 1},
        load("e3", "d1", dice=(1, 2)),
        load("e3 a5", "d1", dice=(1, 2)),
    ),
    (
        "stay-needs-even",
        "stay/3",
        {"amount": 3},
        load("c5 d5", dice=(2, 3)),
        load("c5 d5", dice=(2, 4), man="h8"),
    ),
    ("stay-needs-even", "stay/3", {"amount": 3}, load("c5", dice=(1, 2)), load("c5", dice=(1, 3))),
    (
        "must-pass",
        "stay/2",
        {"amount": 2},
        load("a1 b1", "a2 b2", seats=3, dice=(1, 2)),
        load("a1 b1", "a2 b3", seats=3, dice=(1, 2)),
    ),
    (
        "must-pass",
        "stay/2",
        {"amount": 2},
        load("a1", "a2", seats=3, dice=(1, 2)),
        load("a1", "a2", "e5", seats=3, dice=(1, 2)),
    ),
    (
        # from a1 no 3 steps are possible, but 1 is
        "one-die-moves",
        "stay/2",
        {"amount": 2},
        load("a1", "a3 b2", seats=3, dice=(1, 2)),
        load("a1", "a3 b2", "e5", seats=3, dice=(1, 2)),
    ),
    # the Man's turn
    ("only-the-man-moves", "c5-c6/1", {}, man("c5 d5"), load("c5 d5", dice=(1, 2))),
    ("only-the-man-moves", "c5-c13!", {}, man("c5 d5", dice=(6, 6)), load("c5 d5", dice=(6, 6))),
    ("man-stays-by-the-sum", "stay/2", {"sum": 3}, man("c5 e5"), load("c5 e5", dice=(1, 2))),
    ("stay-needs-even", "stay", {"amount": 3}, man("c5"), man("c5", dice=(1, 3))),
    (
        "captured-so-land",
        "stay",
        {"captured": ["d6"]},
        play(man("d6 a5", dice=(1, 3)), "xd6"),
        man("d6 a5", dice=(1, 3)),
    ),
    ("nobody-to-capture", "xd6", {"cell": "d6"}, man("c5"), man("d6")),
    ("nobody-to-capture", "xd7", {"cell": "d7"}, man("c5"), man("d7", cell="d6")),
    ("named-already", "xd6", {"cell": "d6"}, play(man("d6 a5"), "xd6"), man("d6 a5")),
    (
        "safe-on-line",
        "xa1",
        {"cell": "a1"},
        man("a1", "c5", cell="a2"),
        man("a3", "c5", cell="a2"),
    ),
    ("too-far", "xd11", {"cell": "d11", "distance": 4, "amount": 3}, man("d11"), man("d11", dice=(1, 3))),
    (
        "not-all-together",
        "xd4",
        {"cell": "d4", "captured": ["d9"], "steps": 7, "amount": 6},
        play(man("d9 d4", dice=(1, 5)), "xd9"),
        play(man("d9 d4", dice=(1, 6)), "xd9"),
    ),
    ("man-stays-in-field", "c13", {"cell": "c13"}, man("a5", cell="c12"), PLACING),
    ("too-far", "d11", {"cell": "d11", "distance": 4, "amount": 3}, man("a5"), man("a5", cell="d8")),
    ("wrong-parity", "d9", {"cell": "d9", "distance": 2, "amount": 3}, man("a5"), man("a5", dice=(1, 3))),
    (
        "too-far-with-captures",
        "d9",
        {"cell": "d9", "captured": ["d6"], "steps": 4, "amount": 2},
        play(man("d6 a5", dice=(1, 1)), "xd6"),
        play(man("d6 a5", dice=(1, 3)), "xd6"),
    ),
    (
        "captures-more",
        "a7",
        {"cell": "a7", "more": ["a6"], "amount": 2},
        man("a6 h5", cell="a5", dice=(1, 1)),
        play(man("a6 h5", cell="a5", dice=(1, 1)), "xa6"),
    ),
    (
        "captures-more",
        "a2",
        {"cell": "a2", "more": ["a3"], "amount": 2},
        man("a3 b2", cell="a2", dice=(1, 1)),
        man("a3 b3", cell="a2", dice=(1, 1)),
    ),
]
ALMOST = {
    # what nothing makes legal, why, and the legal action that comes nearest
    "c5-c9/3": "c5-c9/4",  # 4 cells apart are 4 cells apart: a text says its amount, so more dice are another action
    "c5-c8/4": "c5-c8/3",  # an odd distance takes an odd amount
    "c2-c1/1": "c4-c3/1",  # nobody comes back to the start line
    "c5-c5/4": "c7-c5/4",  # a move ends on another cell
    "c13-c12/1": "c11-c12/1",  # who has arrived never moves again
    "c5-d13!": "c5-c13!",  # a sprint goes up its own column
    "stay/3": "stay/4",  # an odd amount is never spent standing still
    "xa1": "xa3",  # the Man never enters the start line
}


@pytest.mark.parametrize(("code", "text", "params", "refused", "allowed"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_refusal_and_what_removes_it(
    code: str, text: str, params: dict[str, Any], refused: State, allowed: State
) -> None:
    with pytest.raises(IllegalAction) as typed:
        refused.parse(text)
    assert (typed.value.code, typed.value.params) == (code, params)
    with pytest.raises(IllegalAction) as recorded:
        refused.read(text)
    assert (recorded.value.code, recorded.value.params) == (code, params)
    assert ALMOST.get(text, text) in texts(allowed)


def test_every_code_of_the_source_has_its_case() -> None:
    asked_of_the_state = {"no-such-seat", "unknown-action", "no-such-roll", "no-roll-due", "dice-first"}
    asked_of_the_state |= {"stay-needs-amount", "capture-first"}
    assert illegal_codes("uomo-nero") - {code for code, *_ in CASES} == asked_of_the_state


def test_what_only_a_program_can_ask_for() -> None:
    rolling = begun(2)
    attack = play(rolling, "roll 1 2")
    asked = [
        ("dice-first", rolling, attack.legal_actions()[0]),
        ("no-such-roll", rolling, Action("roll 4 3", "roll")),
        ("no-roll-due", attack, rolling.legal_actions()[0]),
        ("no-such-seat", attack, Action.drop(2)),
        ("unknown-action", attack, Action("a1-a2/03", "move")),
    ]
    for code, state, action in asked:
        with pytest.raises(IllegalAction, match=code):
            state.play(action)
    rolling.play(Action("roll 3 4", "roll"))
    attack.play(Action.drop(0))


def test_the_mans_word_in_an_attackers_turn_lacks_an_amount() -> None:
    state = load("c5 d5", dice=(2, 4))
    with pytest.raises(IllegalAction, match="stay-needs-amount") as refused:
        state.play(Action("stay", "stay"))
    assert refused.value.params == {"dice": [2, 4]}
    assert "stay" in texts(man("c5", dice=(2, 4)))


def test_a_record_says_whom_the_man_captures_before_he_lands_there() -> None:
    # typed, `d6` alone names the capture
    state = man("d6 a5")
    assert [str(action) for action in state.parse("d6")] == ["xd6"]
    with pytest.raises(IllegalAction, match="capture-first") as refused:
        state.read("d6")
    assert refused.value.params == {"cell": "d6"}
    assert "d6" in texts(play(state, "xd6"))


def test_an_action_made_by_hand_is_known_by_its_text() -> None:
    state = load("c5 d5", dice=(1, 2))
    made = Action("c5-c6/1", "anything")
    assert state.is_legal(made)
    assert state.play(made) == play(state, "c5-c6/1")
