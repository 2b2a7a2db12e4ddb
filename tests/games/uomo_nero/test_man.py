"""Gioco dell'Uomo Nero: the Man's turn, rule by rule."""

from typing import Any, Final

import pytest

from engine.core import State
from tests.games.uomo_nero.court import begin_round, court, load, play, texts

FIELD = [f"{column}{row}" for column in "abcdefgh" for row in range(2, 13)]


def man(red: str = "", *others: str, cell: str = "d7", dice: tuple[int, int] = (1, 3), **more: Any) -> State:
    """Return a position in which the Man has thrown."""
    return load(red, *others, man=cell, dice=dice, to_move=0, **more)


def at(cell: str, *distances: int) -> str:
    """Return the cells of the field that are so many steps away."""
    column, row = ord(cell[0]), int(cell[1:])
    return " ".join(each for each in FIELD if abs(ord(each[0]) - column) + abs(int(each[1:]) - row) in distances)


FROM_THE_FINISH = play(begin_round(2, "d13"), "roll 2 2", "stay/4")
EXAMPLE_4 = man("d10 e10", "c1", cell="d12")
CORNER = man("c3 a2", "a3 b2", cell="c4", seats=3)

LEGAL: Final[dict[str, list[tuple[State, str, str]]]] = {
    # the rule: positions, and all legal actions there, of one verb if it is given
    "worked example 4: the Man on d12, attackers on d10 and e10, four steps": [
        (play(EXAMPLE_4, "xd10", "xe10"), "", "e9 e11 f10 d10"),
        (play(EXAMPLE_4, "xe10", "xd10"), "", "e9 e11 f10 d10"),
    ],
    "exactly as many steps as both dice say, in any directions and back": [
        (man("a1", dice=(1, 2)), "", at("d7", 1, 3)),
    ],
    "the first step from row 13 is straight onto row 12 of his column": [
        (play(FROM_THE_FINISH, "roll 1 2"), "", at("d12", 0, 2)),
    ],
    "he never enters row 13 again": [(man("a1", cell="d12", dice=(1, 2)), "", at("d12", 1, 3))],
    "he never enters row 1": [(man("a1", cell="d2", dice=(1, 2)), "", at("d2", 1, 3))],
    "from row 13 he ends in the field": [(play(FROM_THE_FINISH, "roll 1 1"), "", "c12 d11 e12 stay")],
    "he may end where he started if he took steps": [(man("a1"), "", f"{at('d7', 0, 2, 4)} stay")],
    "attackers that are not named are in the way": [(man("d6 d8", "c7 e7"), "", "xd6 xd8 xc7 xe7 stay")],
    "arrived attackers and those on the start line are out of reach": [
        (man("d13", "d1", cell="d2", dice=(5, 6), blue="h1"), "capture", ""),
    ],
    "he may stay if the sum is even": [(man("a5"), "stay", "stay")],
    "if it is odd he must walk though one die is even": [
        (man("a5", dice=dice), "stay", "") for dice in ((1, 2), (2, 3), (5, 6))
    ],
    "he may not stay once he has captured": [(play(man("d6", "a5"), "xd6"), "stay", "")],
    "every named attacker has to be passed": [(play(man("d9 a12"), "xd9"), "", at("d9", 0, 2))],
    "one may be named if some walk captures it together with all named before": [
        (man("d9 d5", "a7", dice=(2, 3)), "capture", "xd9 xd5 xa7"),
        (play(man("d9 d5", "a7", dice=(2, 3)), "xd9"), "capture", ""),
        (play(man("d9 d5", "a7", dice=(3, 3)), "xd9"), "capture", "xd5"),
    ],
    "perhaps with more": [
        # in a corridor a2 - a4 the walk to a4 enters a3 as well
        (play(man("a3 a4", "b2 c12", cell="a2", dice=(1, 1)), "xa4"), "", "xa3"),
        (play(man("a3 a4", "b2 c12", cell="a2", dice=(1, 1)), "xa4", "xa3"), "", "a4"),
    ],
    "with more after others have been named too": [
        # the corner is entered past a3 or past b2 only
        (play(CORNER, "xc3", "xa2"), "", "xa3 xb2"),
        (play(CORNER, "xc3", "xa2", "xb2"), "", "a2"),
    ],
}


@pytest.mark.parametrize("rule", LEGAL)
def test_legal_actions(rule: str) -> None:
    for state, verb, expected in LEGAL[rule]:
        assert texts(state, verb) == set(expected.split())


SOME: Final[dict[str, list[tuple[State, str, str]]]] = {
    # the rule: positions, some actions that are legal there, and some that are not
    "he may end on the cell of a captured attacker": [(play(man("d6", "a5", dice=(1, 2)), "xd6"), "d6", "")],
    "the walk enters exactly the cells of the captured": [
        # to c5 in 3 steps only over d6 or over c7, c6 or d5
        (man("d6 c7", "a12", dice=(1, 2)), "", "c5"),
        (play(man("d6 c7", "a12", dice=(1, 2)), "xd6"), "c5", ""),
        (play(man("d6 c7", "a12", dice=(1, 2)), "xc7"), "c5", ""),
    ],
    "one in a corner may be named before those on the way": [(play(CORNER, "xc3"), "xa2 xb2", "")],
}


@pytest.mark.parametrize("rule", SOME)
def test_some_are_legal_and_others_are_not(rule: str) -> None:
    for state, allowed, refused in SOME[rule]:
        assert set(allowed.split()) <= texts(state)
        assert not set(refused.split()) & texts(state)


AFTER: Final[dict[str, list[tuple[State, list[str], dict[str, Any]]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "worked example 4: he ends on e9": [(EXAMPLE_4, ["xd10", "xe10", "e9"], {"man": "e9"})],
    "after his turn the player on his left rolls": [
        (man("a5", "b5", seats=3), ["d5"], {"phase": "roll", "to_move": 1, "man_turns": 21}),
    ],
    "who stays has had a turn": [(man("a5"), ["stay"], {"man": "d7", "man_turns": 21})],
    "he may stay on row 13 too": [(FROM_THE_FINISH, ["roll 3 5", "stay"], {"man": "d13"})],
    "he captures every attacker on his path without stopping": [
        (man("d6", "d5 a5"), ["xd6", "xd5", "d3"], {"man": "d3", "attackers": court("", "a5")["attackers"]}),
    ],
    "a named attacker leaves the board at once": [
        (
            man("d6", "d5 a5"),
            ["xd6"],
            {"attackers": court("", "d5 a5")["attackers"], "captured": ["d6"], "man": "d7", "to_move": 0},
        ),
    ],
    "the list of the named is sorted by column, then by row": [
        (man("d8 d10", "e8", dice=(6, 6)), ["xe8", "xd10", "xd8"], {"captured": ["d8", "d10", "e8"]}),
    ],
}


@pytest.mark.parametrize("rule", AFTER)
def test_what_an_action_changes(rule: str) -> None:
    for state, line, expected in AFTER[rule]:
        shown = play(state, *line).to_json()
        assert {name: shown[name] for name in expected} == expected, line


def test_to_walk_back_is_as_good_as_to_stay() -> None:
    assert play(man("a1"), "d7") == play(man("a1"), "stay")


@pytest.mark.parametrize("dice", [(1, 2), (2, 3), (3, 4)])
def test_a_walk_always_exists_an_attacker_in_the_way_is_captured(dice: tuple[int, int]) -> None:
    assert {"xa3", "xb2"} <= texts(man("a3 b2", "a5", cell="a2", dice=dice)) <= {"xa3", "xb2", "xa5"}


def test_the_order_of_naming_is_free() -> None:
    state = man("d6 d5", "e5 a12", dice=(2, 3))
    lines = [("xd6", "xd5", "xe5"), ("xe5", "xd6", "xd5"), ("xd5", "xe5", "xd6")]
    assert len({play(state, *line) for line in lines}) == 1
    assert texts(play(state, *lines[0])) == {"c5", "d4", "d6", "e3", "e5", "e7", "f4", "f6", "g5"}
