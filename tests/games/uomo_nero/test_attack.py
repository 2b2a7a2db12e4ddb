"""Gioco dell'Uomo Nero: an attacker's turn, rule by rule."""

from typing import Any, Final

import pytest

from engine.core import State
from tests.games.uomo_nero.court import begin_round, load, play, texts

ALL_BUT_D1 = {f"{column}1" for column in "abcefgh"}
PAIR = load("a2 c5", man="h12", dice=(1, 2))
SPRINTING = load("c3 d3", dice=(6, 6))


def ends(found: set[str], source: str, amount: int) -> set[str]:
    """Return where the moves of one attacker by one amount end."""
    return {
        text.split("-")[1].split("/")[0]
        for text in found
        if text.startswith(f"{source}-") and text.endswith(f"/{amount}")
    }


def test_worked_example_1_round_start_the_man_on_d13_dice_6_6() -> None:
    state = play(begin_round(2), "roll 6 6")
    assert {action.source for action in state.legal_actions() if action.verb == "sprint"} == ALL_BUT_D1
    to_finish = {text for text in texts(state, "move") if "13/" in text}
    assert to_finish == {f"{cell}-{cell[0]}13/12" for cell in ALL_BUT_D1}
    in_field = {text for text in texts(state, "move") if text.endswith("/12")} - to_finish
    assert {text[:2] for text in in_field} == ALL_BUT_D1 | {"d1"}


def test_worked_example_2_an_attacker_on_c12_dice_1_and_2() -> None:
    after = play(load("c12", "e4", dice=(1, 2)), "c12-c13/1")
    assert after.to_move == 1
    assert ends(texts(after), "e4", 2) == {"c4", "d3", "d5", "e2", "e6", "f3", "f5", "g4"}
    assert texts(after) == {f"e4-{cell}/2" for cell in ends(texts(after), "e4", 2)} | {"stay/2"}


# --- Sum, split, stay, sprint -----------------------------------------------------------------------------------------

AMOUNTS: Final[dict[str, list[tuple[State, set[int]]]]] = {
    # the rule: positions, and the amounts that can be used there
    "worked example 3: dice 3 and 5, one attacker in play": [
        (load("e4", "b13", dice=(3, 5)), {8}),
        (load("e4", "b12", dice=(3, 5)), {3, 5, 8}),
    ],
    "once one die is used the other is left": [
        (play(PAIR, "c5-c6/1"), {2}),
        (play(load("a1", "d1", man="a2", dice=(2, 3)), "stay/2"), {3}),
    ],
    "two equal dice give one action, not two": [(load("a2 c5", man="h12", dice=(2, 2)), {2, 4})],
    "a split needs two attackers of the player in play": [
        (load("c5", dice=(2, 4)), {6}),
        (load("c5 c13", dice=(2, 4)), {6}),
        (load("c5 c12", dice=(2, 4)), {2, 4, 6}),
        (load("c5", "c12", seats=3, dice=(2, 4)), {6}),
    ],
}


@pytest.mark.parametrize("rule", AMOUNTS)
def test_amounts(rule: str) -> None:
    for state, expected in AMOUNTS[rule]:
        assert {action.amount for action in state.legal_actions()} == expected


MOVERS: Final[dict[str, list[tuple[State, str]]]] = {
    # the rule: positions, and the attackers that can move there
    "one attacker moves one die and another the other": [(play(PAIR, "c5-c6/1"), "a2")],
    "two when the turn begins are enough though one arrives by the first die": [
        (play(load("c12 e4", dice=(1, 3)), "c12-c13/1"), "e4"),
    ],
    "after a stay with one die any attacker moves the other": [
        (play(load("a2 c5", man="h12", dice=(2, 3)), "stay/2"), "a2 c5"),
    ],
    "an attacker on row 13 never moves again": [(load("c13 d7", dice=(1, 2)), "d7")],
    "a blocked attacker does not make its player pass if another can move": [
        (load("c5", "f2", "f1", seats=3, dice=(2, 3)), "c5"),
    ],
}


@pytest.mark.parametrize("rule", MOVERS)
def test_movers(rule: str) -> None:
    for state, expected in MOVERS[rule]:
        assert {action.source for action in state.legal_actions() if action.verb == "move"} == set(expected.split())
        assert "pass" not in texts(state)


LEGAL: Final[dict[str, list[tuple[State, str, str]]]] = {
    # the rule: positions, and all legal actions there, of one verb if it is given
    "a player stays with the sum if it is even": [
        (load("c5", dice=(1, 3)), "stay", "stay/4"),
        (load("c5", dice=(2, 3)), "stay", ""),
    ],
    "when splitting, with any even die": [
        (load("a2 c5", man="h12", dice=(2, 3)), "stay", "stay/2"),
        (play(load("a2 c5", man="h12", dice=(2, 3)), "c5-c8/3"), "stay", "stay/2"),
    ],
    "with both dice if both are even": [(load("a2 c5", man="h12", dice=(2, 4)), "stay", "stay/2 stay/4 stay/6")],
    "two odd dice make an even sum but no even die": [(load("a2 c5", man="h12", dice=(1, 5)), "stay", "stay/6")],
    "a split with a stay needs two attackers as well": [(load("c5", dice=(2, 4)), "stay", "stay/6")],
    "a sprint is made only by a double six": [
        (load("c3 d3", dice=(5, 6)), "sprint", ""),
        (load("c3 d3", dice=(5, 5)), "sprint", ""),
        (SPRINTING, "sprint", "c3-c13! d3-d13!"),
    ],
    "a sprint reaches its cell only if that is free": [(load("c3 d3", "c13", dice=(6, 6)), "sprint", "d3-d13!")],
    "a sprint begins anywhere in play, the start line and row 12 included": [
        (load("a1", "c12", dice=(6, 6)), "sprint", "a1-a13! c12-c13!"),
    ],
    "one die must be moved if both cannot be": [
        # c12 can only step onto c13: neither 2 nor 3 steps are possible
        (load("c12", "b12 d12", "", "c11", seats=3, dice=(1, 2)), "", "c12-c13/1"),
    ],
    "dice are used alone or together where both fit": [
        # d1 can move 3 alone, then a1 stays; a1 can do nothing else
        (play(load("a1", "d1", man="a2", dice=(2, 3)), "d1-d4/3"), "", "stay/2"),
    ],
    "the player passes if neither can be moved": [(load(green="f1", yellow="f2", seats=3, dice=(2, 3)), "", "pass")],
    "no pass while an even sum can be stayed": [(load(green="f1", yellow="f2", seats=3, dice=(3, 5)), "", "stay/8")],
    "each step goes onto a free cell, no piece is jumped, the Man included": [
        (load("a5", "a6", "a4", seats=4, man="b5", dice=(1, 1)), "", "stay/2"),
        (load("a5", "a6", "a4", seats=4, man="h7", dice=(1, 1)), "", "stay/2 a5-b4/2 a5-b6/2 a5-c5/2"),
    ],
    "on the start line the first step is straight forward": [
        (load(yellow="d1", man="h12", dice=(1, 2)), "", "d1-b2/3 d1-c3/3 d1-d4/3 d1-e3/3 d1-f2/3 d1-d2/3"),
        (load("a1", "a2", seats=3, man="h12", dice=(1, 2)), "", "pass"),
    ],
    "it never comes back to row 1, not even on its way": [
        # c2 can be reached over d3 and c3 alone
        (load("a2", "a3", "b2", seats=4, man="h12", dice=(1, 1)), "", "stay/2"),
    ],
    "only the last step goes onto row 13": [
        # from c12 over c13 and d13 to d12 would be 3 steps; walled in otherwise, there is no way
        (load("c12", "b12 c11", seats=3, man="d12", dice=(1, 2)), "", "c12-c13/1"),
    ],
    "the cell it starts from counts as free while it walks": [
        # a2 and a3 alone are open: a3, a2, a3 is a walk of 3 over the own cell
        (load("a2", "b2 b3", "", "a4", seats=3, man="h12", dice=(1, 2)), "", "a2-a3/3"),
    ],
    "but not off row 1": [(load("a1", "b2 a3", seats=3, man="h12", dice=(1, 2)), "", "a1-a2/1")],
}


@pytest.mark.parametrize("rule", LEGAL)
def test_legal_actions(rule: str) -> None:
    for state, verb, expected in LEGAL[rule]:
        assert texts(state, verb) == set(expected.split())


SOME: Final[dict[str, list[tuple[State, str, str]]]] = {
    # the rule: positions, some actions that are legal there, and some that are not
    "one attacker moves both dice": [(PAIR, "c5-c8/3 c5-d7/3 c5-c6/3 a2-a5/3", "")],
    "of two equal dice each may be used": [
        (play(load("a2 c5", man="h12", dice=(2, 2)), "stay/2"), "stay/2 a2-a4/2 c5-c7/2", ""),
    ],
    "the sum may be stayed": [(load("e4", "b13", dice=(3, 5)), "stay/8", "")],
    "a sprint goes over any piece": [(load("c3", "c4 b3", "d3 c9", man="c11", dice=(6, 6)), "c3-c13!", "")],
    "but not onto the Man's first cell": [(play(begin_round(2, "d13"), "roll 6 6"), "c1-c13!", "d1-d13!")],
    "a first use that leaves the other die without any use is not allowed": [
        # d1 can go out by 1 only while d2 is free
        (load("e3", "d1", man="h12", dice=(1, 2)), "e3-e5/2 e3-d3/1 d1-d2/1", "e3-d2/2"),
        (load("e3 a5", "d1", man="h12", dice=(1, 2)), "e3-d2/2", ""),
        (load("e3", "d1", man="h12", dice=(2, 2)), "e3-d2/2", ""),
    ],
    "the cell that the first one leaves is free for the second": [
        (load("a1 a2", man="h12", dice=(1, 2)), "a2-a4/2 a2-b3/2", ""),
        (play(load("a1 a2", man="h12", dice=(1, 2)), "a2-a4/2"), "a1-a2/1", ""),
        # left by 1, it lets the other one out by 2
        (play(load("a1 a2", man="h12", dice=(1, 2)), "a2-b2/1"), "a1-a3/2", ""),
    ],
    "the only use of the other die may be the step onto the finish": [
        (play(load("c12 h2", "b12 d12", "", "c11", seats=3, man="f7", dice=(1, 2)), "h2-h4/2"), "c12-c13/1", ""),
        # with 3 there is no way to spend the rest, and none onto the finish
        (load("c12 h2", "b12 d12", "", "c11", seats=3, man="f7", dice=(2, 3)), "", "h2-h4/2 h2-g3/2 h2-f2/2"),
    ],
    "from the start line the other die needs the cell in front and one next to it": [
        (load("a1 c3", "b2", seats=3, man="h7", dice=(2, 3)), "c3-c5/2", "c3-a3/2"),
        (load("a1 c3", "c2", seats=3, man="h7", dice=(2, 3)), "c3-a3/2", ""),
    ],
    "even where that first use would end the round": [
        # with c12 arrived, d1 would be the last one, and blocked
        (load("c12", "d1", man="d2", dice=(1, 3)), "", "c12-c13/1"),
        (load("c12", "d1", man="d2", dice=(1, 2)), "c12-c13/1", ""),
    ],
    "one die alone is not allowed while both can be used": [
        (load("c12", "b12 d12", seats=3, dice=(1, 2)), "c12-c11/3", "c12-c13/1"),
    ],
    "dice may be used alone or together where both fit": [
        (load("a1", "d1", man="a2", dice=(2, 3)), "d1-d4/3 d1-d2/3 stay/2", ""),
    ],
    "never onto a piece": [(load("d5", "d7", man="e6", dice=(1, 1)), "d5-c6/2 d5-b5/2", "d5-d7/2 d5-e6/2")],
    "an exact throw is needed to arrive": [
        (load("c10", man="h7", dice=(1, 1)), "", "c10-c13/2 c10-b13/2 c10-d13/2"),
        (load("c10", man="h7", dice=(1, 2)), "c10-c13/3", ""),
    ],
    "it must end on another cell than it started from": [(load("d7", dice=(2, 2)), "", "d7-d7/2 d7-d7/4")],
    "a cell where one has arrived stays occupied": [
        (load("c12 e4", "c13", dice=(1, 2)), "", "c12-c13/1"),
        (load("c12 e4", "d13", dice=(1, 2)), "c12-c13/1", ""),
    ],
    # An attacker on the start line needs its way out: a first use that would leave the other die without any use is
    # not allowed while a full use exists.
    "not onto the cell in front of one on the start line": [
        (load("a1 b3", dice=(2, 3)), "", "b3-a2/2"),
        (load("b1 b3", dice=(2, 3)), "b3-a2/2", ""),
    ],
    "not onto the only cell next to the one in front": [
        (load("a1 c3", man="b2", dice=(2, 3)), "", "c3-a3/2"),
        (load("a1 c3", dice=(2, 3)), "c3-a3/2", ""),
    ],
    "one step needs nothing but the cell in front": [(load("a1 c3", man="b2", dice=(1, 2)), "c3-a3/2", "")],
}


@pytest.mark.parametrize("rule", SOME)
def test_some_are_legal_and_others_are_not(rule: str) -> None:
    for state, allowed, refused in SOME[rule]:
        assert set(allowed.split()) <= texts(state)
        assert not set(refused.split()) & texts(state)


AFTER: Final[dict[str, list[tuple[State, str, dict[str, Any]]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "the sum ends the turn": [(PAIR, "c5-c8/3", {"phase": "roll", "to_move": 0})],
    "a split has two uses": [
        (PAIR, "c5-c6/1", {"phase": "attack", "to_move": 1, "used": {"die": 1, "attacker": "c6"}}),
        (PAIR, "c5-c6/1 a2-a4/2", {"phase": "roll", "to_move": 0}),
    ],
    "who stays with the sum spends the whole turn": [
        (
            load("c5", dice=(1, 3)),
            "stay/4",
            {"to_move": 0, "attackers": load("c5", dice=(1, 3)).to_json()["attackers"]},
        ),
    ],
    "who stays with one die moves the other": [
        (load("a2 c5", man="h12", dice=(2, 3)), "stay/2", {"used": {"die": 2, "attacker": None}}),
        (load("a2 c5", man="h12", dice=(2, 3)), "stay/2 c5-c8/3", {"to_move": 0}),
    ],
    "or stays with both, if both are even": [
        (
            load("a2 c5", man="h12", dice=(2, 4)),
            "stay/4 stay/2",
            {"to_move": 0, "attackers": load("a2 c5", man="h12", dice=(2, 4)).to_json()["attackers"]},
        ),
    ],
    "a sprint arrives and uses both dice": [
        (
            load("c3", "c4 b3", "d3 c9", man="c11", dice=(6, 6)),
            "c3-c13!",
            {"to_move": 0, "attackers": load("c13", "c4 b3", "d3 c9", man="c11").to_json()["attackers"]},
        ),
        (SPRINTING, "c3-c13!", {"phase": "roll", "to_move": 0}),
    ],
    "a first use may end the round": [(load("c12", "d1", man="d2", dice=(1, 2)), "c12-c13/1", {"round": 2})],
    "where one die alone can be moved the turn ends": [
        (
            load("c12", "b12 d12", "", "c11", seats=3, dice=(1, 2)),
            "c12-c13/1",
            {"phase": "roll", "to_move": 2},
        ),
    ],
    "a pass ends the turn": [(load(green="f1", yellow="f2", seats=3, dice=(2, 3)), "pass", {"to_move": 2})],
}


@pytest.mark.parametrize("rule", AFTER)
def test_what_an_action_changes(rule: str) -> None:
    for state, line, expected in AFTER[rule]:
        shown = play(state, *line.split()).to_json()
        assert {name: shown[name] for name in expected} == expected, line


def test_a_split_may_be_played_in_either_order() -> None:
    one = play(PAIR, "c5-c6/1", "a2-a4/2")
    assert one == play(PAIR, "a2-a4/2", "c5-c6/1")
    assert play(PAIR, "c5-c7/2", "a2-a3/1") != one


# --- Moving steps -----------------------------------------------------------------------------------------------------


def test_steps_are_orthogonal_in_any_directions_turning_and_going_back() -> None:
    assert ends(texts(load("d7", dice=(1, 3), man="h12")), "d7", 4) == {
        cell
        for cell in (f"{column}{row}" for column in "abcdefgh" for row in range(2, 13))
        if (distance := abs(ord(cell[0]) - ord("d")) + abs(int(cell[1:]) - 7)) in (2, 4) and distance
    }


def test_it_never_comes_back_to_row_1() -> None:
    found = ends(texts(load("d2", man="h12", dice=(1, 2))), "d2", 3)
    assert not any(cell.endswith("1") and len(cell) == 2 for cell in found)


@pytest.mark.parametrize(("cell", "finish"), [("c12", {"a13", "c13", "e13"}), ("c11", {"b13", "d13"})])
def test_the_last_step_may_go_from_row_12_straight_onto_a_free_cell_of_row_13(cell: str, finish: set[str]) -> None:
    found = ends(texts(load(cell, man="h7", dice=(1, 2))), cell, 3)
    assert {each for each in found if each.endswith("13")} == finish
