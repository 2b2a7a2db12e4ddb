"""Fagocitare: every sentence of its rules about captures, their lines and suicide, and the worked examples."""

from typing import Any, Final

import pytest

from engine.games.fagocitare.rules import FagocitareState
from tests.games.fagocitare.sheet import describe_dots, draw, load, texts
from tests.support.present import result

Case = tuple[FagocitareState, str, dict[str, Any]]
"""A position, the dots that are drawn there, and some of what `describe_dots` finds afterwards."""

UNHARMED: Final[dict[str, Any]] = {"dead": [[], []], "lines": [[], []]}

CAPTURES: Final[dict[str, list[Case]]] = {
    "a dead dot attacks no more": [
        # Blue's c4 is dead: with it, e4 would capture d4.
        (load("b4 d4", "", ("c4", ""), ("b4-d4", ""), to_move=1), "e4", {"dead": [["c4"], []]}),
        (load("d4", "c4", to_move=1), "e4", {"dead": [[], ["d4"]]}),
    ],
    "a dead dot is neither captured again nor counted": [
        (load("b4", "c4", ("", "d4")), "e4", {"dead": [["c4"], ["d4"]]}),
        (load("b4", "c4", ("d4", "")), "e4", {"dead": [["c4", "d4"], []]}),
        (load("b4", "", ("d4", "")), "e4", {"lines": [[], []]}),
    ],
    "captures go both ways along the row, the column and both diagonals": [
        (load(anchor, victim), "d4", {"dead": [[victim], []]})
        for anchor, victim in map(str.split, ("d2 d3", "b4 c4", "b2 c3", "b6 c5", "d6 d5", "f4 e4", "f6 e5", "f2 e3"))
    ],
    "no other slope captures": [(load("b2", "c4"), "d6", UNHARMED)],
    "a capture needs no free cell in between": [(load("b4", "c4"), "e4", UNHARMED)],
    "own live dots and dead dots may lie between": [
        (load("b4 d4", "c4"), "e4", {"dead": [["c4"], []]}),
        # d4 is a dead dot on a line up the column: passed over, but a line over it would cross that line.
        (load("b4 d5 d3", "c4", ("d4", ""), ("d3-d5", "")), "e4", {"dead": [["d4"], []]}),
        # A dead dot without a line over it (as in the rules' examples) is passed over.
        (load("b4", "c4", ("d4", "")), "e4", {"lines": [["b4-e4"], []]}),
    ],
    "the edge on the way captures nothing": [(load("", "b4 a4"), "c4", UNHARMED)],
    "beyond the first enemy, free and dead cells are passed over": [
        (load("b4", "e4"), "f4", {"lines": [["b4-f4"], []]}),
        (load("b4", "e4", ("d4", "")), "f4", {"dead": [["d4", "e4"], []]}),
    ],
    "the group is all live enemy dots up to the first own dot": [
        # b4 c4 attack from the left, f4 g4 from the right: d4 and e4, with twice as many around them.
        (load("b4 c4 g4", "d4 e4"), "f4", {"dead": [["d4", "e4"], []]}),
        # Dots with gaps between them are one group.
        (load("b4 c4 j4", "d4 f4 h4", size=10), "i4", UNHARMED),
        (load("a4 b4 c4 j4 k4", "d4 f4 h4", size=12), "i4", {"dead": [["d4", "f4", "h4"], []]}),
    ],
    "attackers count across gaps and dead dots until the first enemy or the edge": [
        (load("a4 c4 g4", "d4 e4"), "f4", {"dead": [["d4", "e4"], []]}),
        (load("a4 c4 g4", "d4 e4", ("b4", "")), "f4", {"dead": [["b4", "d4", "e4"], []]}),
        (load("a4 c4 g4", "b4 d4 e4"), "f4", UNHARMED),
    ],
    "attackers on the far side stop at the first enemy too": [
        (load("b5 g5 i5", "d5 e5 h5", size=10), "c5", UNHARMED),
        (load("b5 g5 i5", "d5 e5", size=10), "c5", {"dead": [["d5", "e5"], []]}),
    ],
    "the capture line runs from the own dot nearest to the group": [
        (load("b4 d4", "c4"), "e4", {"lines": [["b4-d4"], []]}),
        # Worked example 2: a row of two needs four.
        (load("b4 c4 f4", "d4 e4"), "g4", {"dead": [["d4", "e4"], []], "lines": [["c4-f4"], []]}),
    ],
    "two lines may end in the same dot": [
        (load("b4 d2", "c4 d3"), "d4", {"lines": [["b4-d4", "d2-d4"], []]}),
        # Also one going on where the other ends.
        (load("b4 d4", "e4", ("c4", ""), ("b4-d4", "")), "f4", {"lines": [["b4-d4", "d4-f4"], []]}),
    ],
    "a line may not cross an earlier one of either colour in a cell": [
        # Worked example 4.
        (load("b4 d4 c3", "c5", ("c4", ""), ("b4-d4", "")), "c6", {"dead": [["c4"], []], "lines": [["b4-d4"], []]}),
        (load("c3", "b4 d4 c5", ("", "c4"), ("", "b4-d4")), "c6", {"lines": [[], ["b4-d4"]]}),
        (load("b4 d4 c3", "c5", ("c4", "")), "c6", {"lines": [["c3-c6"], []]}),
    ],
    "a line may not cross an earlier one half way between cells": [
        # Worked example 6.
        (load("b2 d4 c4", "d3", ("c3", ""), ("b2-d4", "")), "e2", {"dead": [["c3"], []], "lines": [["b2-d4"], []]}),
        (load("b2 d4 c4", "d3", ("c3", "")), "e2", {"dead": [["c3", "d3"], []]}),
    ],
    "a line may not end on an earlier line nor pass over its end": [
        # Red's later dot on d4 stands on the line b4-f4; a line may not end in it.
        (load("b4 f4 d4", "d3", ("e4", ""), ("b4-f4", "")), "d2", {"lines": [["b4-f4"], []]}),
        (load("b4 f4 d4", "d3", ("e4", "")), "d2", {"lines": [["d2-d4"], []]}),
        # The line c3-c6 would pass over c4, the dead end of blue's line a4-c4.
        (load("c2", "a4 c3", ("c4", "b4"), ("", "a4-c4")), "c5", {"lines": [[], ["a4-c4"]]}),
        (load("c2", "a4 c3", ("c4", "b4")), "c5", {"lines": [["c2-c5"], []]}),
    ],
    "lines one on the other have points in common": [
        # c4 was free when the line b4-e4 was drawn over it; the dot there now can never be captured along that row.
        (load("b4 e4", "", ("d4", ""), ("b4-e4", ""), to_move=1), "c4", {"dead": [["d4"], []]}),
    ],
    "two lines made by the same dot may share only that dot": [
        (load("d2 b4 f2", "d3 c4 e3"), "d4", {"lines": [["b4-d4", "d2-d4", "d4-f2"], []]}),
    ],
    "every way is looked at, and captures are not optional": [
        (load("d2 b4", "d3 c4"), "d4", {"dead": [["c4", "d3"], []]}),
    ],
    "a dot that could not be captured for a crossing may be captured later by another line": [
        (load("b4 d4 c3", "c5 f6", ("c4", ""), ("b4-d4", "")), "c6 e6", {"blue": ["c5", "e6", "f6"]}),
        (
            load("b4 d4 c3", "c5 f6", ("c4", ""), ("b4-d4", "")),
            "c6 e6 b5 f5 d5",
            {"lines": [["b4-d4", "b5-d5"], []]},
        ),
    ],
    "a dot that completes nothing itself captures nothing although a group is closed in": [
        (load("b4 d4", "c4"), "f6", UNHARMED),
    ],
    "each capture sees the dead dots left by those before it": [
        # North first: d5 dies, so d6 and d7 attack southwards too, and four are enough for d3 and d2.
        (load("d6 d7 d1", "d5 d3 d2"), "d4", {"lines": [["d1-d4", "d4-d6"], []]}),
        # Upside down: two to the north would need what the south frees, but the south comes later.
        (load("d1 d2 d7", "d3 d5 d6"), "d4", {"lines": [["d2-d4"], []]}),
    ],
    "worked example 1: one between two": [
        (
            load("b4", "c4"),
            "d4",
            {"red": ["b4", "d4"], "blue": [], "dead": [["c4"], []], "lines": [["b4-d4"], []]},
        ),
    ],
    "worked example 3: the nearer cell captures": [
        (load("b2", "c3"), "e5", UNHARMED),
        (load("b2", "c3"), "e5 f2 d4", {"lines": [["b2-d4"], []]}),
    ],
}

SUICIDES: Final[dict[str, list[Case]]] = {
    "closeness is not asked of suicide": [(load("", "b4 f4"), "d4", {"lines": [[], ["b4-f4"]]})],
    "suicide takes all dots of the colour between the two if the attackers are twice as many": [
        (load("d4", "b4 a4 f4 g4"), "c4", {"dead": [[], ["c4", "d4"]]}),
        (load("d4", "b4 f4 g4"), "c4", UNHARMED),
        # Attackers stop counting at the first dot of the other colour.
        (load("d4", "b4 e4 f4 h4", size=10), "c4", {"dead": [[], ["c4", "d4"]]}),
        (load("d4 g4", "b4 e4 f4 h4", size=10), "c4", UNHARMED),
    ],
    "suicide passes over free and dead cells to the first enemy on each side": [
        (load("", "b4 f4", ("", "e4")), "c4", {"dead": [[], ["c4", "e4"]], "lines": [[], ["b4-f4"]]}),
    ],
    "suicide lines cross nothing either": [
        (load("d6 d2", "b4 f4", ("d5", ""), ("d2-d6", "")), "d4", {"dead": [["d5"], []]}),
        (load("d6 d2", "b4 f4", ("d5", "")), "d4", {"dead": [["d5"], ["d4"]]}),
        (load("", "b4 d4 d2", ("", "d3"), ("", "d2-d4")), "c4", {"lines": [[], ["b4-d4", "d2-d4"]]}),
    ],
    "the four lines are looked at from north-south on until the dot is captured": [
        (load("", "d3 d5 c3 e5 c4 e4 c5 e3"), "d4", {"lines": [[], ["d3-d5"]]}),
        (load("", "c3 e5 c4 e4 c5 e3"), "d4", {"lines": [[], ["c3-e5"]]}),
        (load("", "c4 e4 c5 e3"), "d4", {"lines": [[], ["c4-e4"]]}),
        (load("", "c5 e3"), "d4", {"lines": [[], ["c5-e3"]]}),
    ],
    "after a line that would cross, the next of the four is looked at": [
        (
            load("c5 e5", "d3 d6 c4 e4", ("d5", ""), ("c5-e5", "")),
            "d4",
            {"dead": [["d5"], ["d4"]], "lines": [["c5-e5"], ["c4-e4"]]},
        ),
    ],
    "own captures come before the suicide and may save the dot": [
        (load("e4", "b4 d4"), "c4", {"dead": [["d4"], []]}),
        # Saved by the line as well: blue's line b4-d4 would cross the new one in c4.
        (load("c6", "c5 b4 d4"), "c4", {"dead": [["c5"], []]}),
    ],
    "a dot may capture and be captured in the same turn": [
        (load("c6 c4", "c5 b3 d3"), "c3", {"dead": [["c5"], ["c3"]], "lines": [["c4-c6"], ["b3-d3"]]}),
        (load("c6 c4", "c5 b3 d3", ("", "a1 a2")), "c3", {"dead": [["c5"], ["a1", "a2", "c3"]]}),
    ],
    "it is looked at as long as the lead is less than three": [
        (load("", "b4 d4", ("a1 a2 a3", "a5")), "c4", {"dead": [["a1", "a2", "a3"], ["a5", "c4"]]}),
    ],
}


@pytest.mark.parametrize("rule", CAPTURES | SUICIDES)
def test_what_a_dot_does_to_the_sheet(rule: str) -> None:
    for state, cells, expected in (CAPTURES | SUICIDES)[rule]:
        found = describe_dots(draw(state, cells))
        assert {name: found[name] for name in expected} == expected, (cells, found)


def test_a_captured_dot_stays_dead_and_fills_its_cell() -> None:
    state = draw(load("b4", "c4"), "d4")
    assert "c4" not in texts(state)
    assert describe_dots(state)["dead"] == [["c4"], []]


@pytest.mark.parametrize(
    ("cell", "refusing", "allowing"),
    [
        # A dead dot attacks no more: red's b4 is dead, three attackers are left, not enough for two.
        ("g4", load("c4 f4", "d4 e4", ("", "b4")), load("b4 c4 f4", "d4 e4")),
        # Lines one on the other have points in common.
        ("a4", load("b4 e4", "c4", ("d4", ""), ("b4-e4", "")), load("b4 e4", "c4", ("d4", ""))),
    ],
)
def test_the_rim_needs_a_capture_that_nothing_forbids(
    cell: str, refusing: FagocitareState, allowing: FagocitareState
) -> None:
    assert (cell in texts(refusing), cell in texts(allowing)) == (False, True)


@pytest.mark.parametrize(("captives", "attackers"), [(1, 2), (2, 4), (3, 6), (4, 8)])
def test_double_number_attackers_must_be_twice_the_captives(captives: int, attackers: int) -> None:
    letters = "abcdefghijkl"
    victims = [f"{letters[1 + index]}5" for index in range(captives)]
    others = [f"{letters[1 + captives + index]}5" for index in range(attackers - 1)]
    assert describe_dots(draw(load(" ".join(others), " ".join(victims), size=12), "a5"))["dead"] == [victims, []]
    if attackers > 2:
        assert "a5" not in texts(load(" ".join(others[:-1]), " ".join(victims), size=12))


def test_a_dot_drawn_between_two_enemy_dots_is_captured_at_once_and_the_turn_passes() -> None:
    state = draw(load("", "b4 d4"), "c4")  # worked example 5
    assert describe_dots(state) == {"red": [], "blue": ["b4", "d4"], "dead": [[], ["c4"]], "lines": [[], ["b4-d4"]]}
    assert state.to_move == 1


def test_worked_example_7_the_lead_comes_before_the_suicide() -> None:
    state = draw(load("b4 c4 f4", "d4 e4 g2 g6", ("a1", "")), "g4")
    assert result(state) == ("lead-of-three", (1, 2))
    assert "g4" in describe_dots(state)["red"]
