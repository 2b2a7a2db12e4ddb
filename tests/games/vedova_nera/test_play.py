"""La Vedova Nera on the web: every sentence about turns, stable pawns, captures and bans, as tables of positions."""

from typing import Any

import pytest

from engine.core import IllegalAction, State
from tests.games.vedova_nera.board import load, pawns, play, stable, texts
from tests.support.present import catch_error

SIX = "a4 b4 c4 d4 e4 f4"  # goals out of the way


# --- Stable pawns -----------------------------------------------------------------------------------------------------

ALL_COVERED = ["a1 b2 c3 d4 e4 f4"]
LOOSE = load("a1 b2 c3 g4", "", counsellor="h4", goals=ALL_COVERED)
EXAMPLE_4 = load("c1 d3", "", "", "", "", goals=["c1 f1 d3"], to_move=1)
MARBLES = load("a2 b2 c3", "", "", "", goals=["a2 b2 c3 d2", "e1", "f1", "g1"])
STABLE: dict[str, tuple[State, str]] = {
    "example 4: a goal is not stable while one further in is open": (EXAMPLE_4, "c1"),
    "those in the innermost ring with an open goal are, those further out are not": (
        load("c1 c2 f3 g4", "", goals=["c1 c2 e2 f3 g4 h4"]),
        "c1 c2",
    ),
    "a pawn on no own goal never is": (load("c1 d1", "e1", goals=["c1 f2", "d1"], to_move=1), "c1"),
    "all if only an outermost goal is open": (load("a1 b2 c3 d4 e4 g4", "", goals=ALL_COVERED), "a1 b2 c3 d4 e4"),
    "moving one away takes stability from it and from all further out": (play(LOOSE, "a1-h1"), ""),
    "which of two in one ring is covered first does not matter, a": (load("a1", "", goals=["a1 b1 c2"]), "a1"),
    "which of two in one ring is covered first does not matter, b": (load("b1", "", goals=["a1 b1 c2"]), "b1"),
    "moving a marble inwards where an open goal was": (play(MARBLES, "Md2-d3"), "a2 b2 c3"),
    "before that, those further out are not": (MARBLES, "a2 b2"),
    "moving the marble of a stable pawn away": (play(MARBLES, "Ma2-a1"), ""),
}


@pytest.mark.parametrize("rule", STABLE)
def test_stable_pawns(rule: str) -> None:
    state, expected = STABLE[rule]
    assert stable(state, 0) == expected


def test_example_4_reaching_the_last_goal_makes_all_stable_at_once_and_that_is_the_win() -> None:
    state = play(load("c1 d3 g1", "", "", "", "", goals=["c1 f1 d3"]), "g1-f1")
    assert (stable(state, 0), state.outcome and state.outcome.reason) == ("c1 d3 f1", "complete")


# --- Steps, slides and entries ----------------------------------------------------------------------------------------

STEPPING = load("c2 c3", "d2", counsellor="b2", goals=[SIX])
ENTERING = load("a4 b3", "c4", counsellor="h4", goals=["d3 e3 f3 g3 h3 a3"])
SLIDING = load("a3", "b4", counsellor="e2", goals=[SIX])
LEGAL: dict[str, tuple[State, str, str]] = {
    "a step goes to a free neighbouring node": (STEPPING, "step", "c2-c1 c3-b3 c3-c4 c3-d3"),
    "the ring is closed": (load("h3", "", goals=[SIX]), "step", "h3-a3 h3-g3 h3-h2 h3-h4"),
    "the Counsellor slides along its spoke or its ring either way round": (
        SLIDING,
        "counsellor",
        "Ka2 Kb2 Kc2 Kd2 Kf2 Kg2 Kh2 Ke1 Ke3 Ke4",
    ),
    "every node it passes must be free and the last one too": (
        load("c2", "g2 e4", counsellor="e2", goals=[SIX]),
        "counsellor",
        "Kd2 Kf2 Ke1 Ke3",
    ),
    "pawns off the board enter on any free node of ring 4": (ENTERING, "enter", "+b4 +d4 +e4 +f4 +g4"),
    "a player with all pawns on the board enters nothing": (load("a3 b3 c3 d3 e3 f3", "c2", goals=[SIX]), "enter", ""),
}


@pytest.mark.parametrize("rule", LEGAL)
def test_legal_actions(rule: str) -> None:
    state, verb, expected = LEGAL[rule]
    assert texts(state, verb) == expected.split()


BETWEEN = load("a4", "b4", counsellor="e2", goals=["c4"])
ENTRY: dict[str, Any] = {"counsellor": "h1", "goals": ["e3 f3 g3 h3 a3 b3", "e2 f2 g2 h2 a2 b2"]}
ENTERED = load("a1", "b4 d3", **ENTRY)
BANNED: dict[str, Any] = {
    "goals": ["a1 b1 c1 d1 e4 f3", "a4 b4 c4 d4 g4 h4"],
    "counsellor": "h2",
    "ban": "h4",
}
OF_FOUR = load("a1 b1", "", "", "", goals=["a1 b1 d2 h4", "d3"])

SOME: dict[str, list[tuple[State, str, str, str]]] = {
    # the rule: positions, what is played there, and then some legal actions and some that are not
    "one way round the ring may be open where the other is not": [
        (load("f2", "", counsellor="e2", goals=[SIX]), "", "Kg2", ""),
    ],
    "the Counsellor never slides to its own node, not even once round an empty ring": [
        (load("a4", "b4", counsellor="e1", goals=["c4"]), "", "Kf1", "Ke1"),
    ],
    "the Counsellor may not go straight back, not even the other way round": [
        (BETWEEN, "Ke4", "Ke1 Ke3", "Ke2"),
        (BETWEEN, "Kg2", "Kf2", "Ke2"),
    ],
    "the Counsellor may go back after another action or by another node": [
        (BETWEEN, "Ke4 b4-b3", "Ke2", ""),
        (BETWEEN, "Ke4 Ke3", "Ke2", "Ke4"),
    ],
    "any action but a slide lifts the ban of the Counsellor": [
        (load("a1 b1 c1 d1", "g3", **BANNED), action, "Kh4", "") for action in ("a1-a2", "+f4", "Me4-e3")
    ],
    "a drop lifts no ban": [
        (play(load("a4", "b4", "c4", counsellor="e2", goals=["d4"]), "Ke4", "drop 1"), "", "Ke1", "Ke2"),
    ],
    "with two players a pawn removed at once may not enter on the same node in the following turn": [
        (ENTERED, "+c4 d3-d4", "+e4", "+c4"),
        # It is the second player's ban, too.
        (load("b4 d3", "a1", **ENTRY, to_move=1), "+c4 d3-d4", "+e4", "+c4"),
    ],
    "the ban on entering holds for one turn": [(ENTERED, "+c4 d3-d4 a1-a2 d4-d3", "+c4", "")],
    "no ban follows the removal of an older pawn": [
        (ENTERED, "+c4 b4-b3 a1-a2 b3-b4 a2-a1 d3-d4", "+c4", ""),
    ],
    "with three players there is no ban on entering": [
        (load("a1", "b4 d3", "f1", counsellor="h1", goals=["a3", "b3", "c3"]), "+c4 d3-d4 f1-f2", "+c4", ""),
    ],
    "a marble moves to a free neighbouring hollow": [(OF_FOUR, "", "Md2-c2 Md2-d1 Md2-e2", "Md2-d3")],
    "pawns do not block marbles": [
        (load("a1 b1", "c2", "", "", counsellor="d1", goals=["a1 b1 d2 h4"]), "", "Md2-c2 Md2-d1", ""),
    ],
    "the right to move marbles is tested each time": [
        (load("a1 b1", "", "", "", goals=["a1 b1 d2 h4"]), "", "Md2-c2", ""),
        (load("a1 b1", "", "", "", goals=["a1 b1 d2 h4"]), "b1-b2 +a4 +b4 +c4", "", "Md2-c2"),
    ],
}


@pytest.mark.parametrize("rule", SOME)
def test_some_are_legal_and_others_are_not(rule: str) -> None:
    for state, line, allowed, refused in SOME[rule]:
        found = set(texts(play(state, *line.split())))
        assert set(allowed.split()) <= found, line
        assert not set(refused.split()) & found, line


SHOWN: dict[str, list[tuple[State, str, dict[str, Any]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "a turn is exactly one action": [
        (STEPPING, "c3-d3", {"to_move": 1, "pawns": [["c2", "d3"], ["d2"]]}),
        (ENTERING, "+d4", {"to_move": 1, "pawns": [["a4", "b3", "d4"], ["c4"]], "off": [3, 5]}),
    ],
    "the Counsellor may not go where it came from": [
        (BETWEEN, "Ke4", {"counsellor_ban": "e2"}),
        (BETWEEN, "Ke4 b4-b3", {"counsellor_ban": None}),
        (BETWEEN, "Ke4 Ke3", {"counsellor_ban": "e4"}),
    ],
    "any action but a slide lifts the ban of the Counsellor": [
        (load("a1 b1 c1 d1", "g3", **BANNED), action, {"counsellor_ban": None}) for action in ("a1-a2", "+f4", "Me4-e3")
    ],
    "a drop lifts no ban": [
        (play(load("a4", "b4", "c4", counsellor="e2", goals=["d4"]), "Ke4", "drop 0"), "", {"counsellor_ban": "e2"}),
        (
            play(load("a4", "b4", "c4", counsellor="e2", goals=["d4"]), "Ke4", "drop 1"),
            "",
            {"counsellor_ban": "e2", "to_move": 2},
        ),
        # With one of two players left nobody heeds them, but the position stays as the last action left it.
        (play(load("a4", "b3", entry_ban=["f4", None]), "drop 1"), "", {"entry_ban": ["f4", None]}),
        (play(load("a4", "f4", last_entry="f4"), "drop 1"), "", {"last_entry": "f4"}),
    ],
    "with two players a pawn removed at once may not enter on the same node in the following turn": [
        (ENTERED, "+c4", {"last_entry": "c4"}),
        (ENTERED, "+c4 d3-d4", {"off": [5, 4], "last_entry": None, "entry_ban": ["c4", None]}),
        (load("b4 d3", "a1", **ENTRY, to_move=1), "+c4 d3-d4", {"entry_ban": [None, "c4"]}),
    ],
    "the ban on entering holds for one turn": [(ENTERED, "+c4 d3-d4 a1-a2 d4-d3", {"entry_ban": [None, None]})],
    "no ban follows the removal of another or older pawn": [
        (
            load("a1 f3", "e3 g2", goals=["a4", "b4"]),
            "+c4 g2-g3",
            {"pawns": [["a1", "c4"], ["e3", "g3"]], "entry_ban": [None, None]},
        ),
        (ENTERED, "+c4 b4-b3 a1-a2 b3-b4 a2-a1 d3-d4", {"off": [5, 4]}),
    ],
    "with three players there is no ban on entering": [
        (load("a1", "b4 d3", "f1", counsellor="h1", goals=["a3", "b3", "c3"]), "+c4", {"last_entry": None}),
        (
            load("a1", "b4 d3", "f1", counsellor="h1", goals=["a3", "b3", "c3"]),
            "+c4 d3-d4 f1-f2",
            {"entry_ban": [None, None, None]},
        ),
    ],
    "the goal goes with its marble": [
        (
            OF_FOUR,
            "Md2-c2",
            {
                "pawns": [["a1", "b1"], [], [], []],
                "marbles": OF_FOUR.to_json()["marbles"] | {"red": ["a1", "b1", "c2", "h4"]},
            },
        ),
    ],
}


@pytest.mark.parametrize("rule", SHOWN)
def test_what_an_action_changes(rule: str) -> None:
    for state, line, expected in SHOWN[rule]:
        shown = play(state, *line.split()).to_json()
        assert {name: shown[name] for name in expected} == expected, line


@pytest.mark.parametrize(("seats", "needed"), [(2, 4), (3, 3), (4, 2), (5, 2)])
def test_marbles_move_with_enough_stable_pawns_for_the_number_of_players(seats: int, needed: int) -> None:
    goals = " ".join(f"{spoke}1" for spoke in "abcdefgh"[: {2: 6, 3: 5, 4: 4, 5: 3}[seats]])
    rest = [""] * (seats - 1)
    enough = load(" ".join(goals.split()[:needed]), *rest, goals=[goals])
    too_few = load(" ".join(goals.split()[: needed - 1]), *rest, goals=[goals])
    assert texts(enough, "marble")
    assert not texts(too_few, "marble")
    error = catch_error(IllegalAction, too_few.read, "Ma1-a2")
    assert (error.code, error.params) == ("too-few-stable", {"n": needed - 1, "needed": needed})


# --- Captures ---------------------------------------------------------------------------------------------------------

H4, FAR, NONE = ["h4"], ["f4", "g4", "h4"], ["a4"]
THREE, FROM_C4 = {"counsellor": "c1", "goals": FAR}, {"counsellor": "c4", "goals": FAR}
CAPTURES: dict[str, tuple[State, str, str]] = {
    # the rule: the position, the actions, and the pawns that are left to each seat
    "example 2: between two of the mover": (load("c1 d3", "c2", goals=[SIX]), "d3-c3", "c1 c3 | "),
    "example 2: a stable one is not": (load("c1 d3", "c2", goals=[SIX, "c2 g4"]), "d3-c3", "c1 c3 | c2"),
    "example 2: stepping into a trap": (load("c1 c3", "d2", goals=[SIX], to_move=1), "d2-c2", "c1 c3 | c2"),
    "example 3: with the Counsellor, by its owner": (load("b2", "a2", "e3", **THREE, to_move=0), "Kc2", "b2 | a2 | e3"),
    "example 3: by the owner of the other": (load("b2", "a2", "e3", **THREE, to_move=1), "Kc2", " | a2 | e3"),
    "example 3: by a third one": (load("b2", "a2", "e3", **THREE, to_move=2), "Kc2", " | a2 | e3"),
    "the Counsellor and the victim's fellow": (load("e3", "a2 b2", counsellor="c1", goals=[SIX]), "Kc2", "e3 | a2 b2"),
    "the Counsellor and a pawn that comes": (load("b3", "c2", counsellor="d2", goals=[SIX]), "b3-b2", "b2 | "),
    "a third player's pawn makes no pair": (load("b3", "c2", "d2", goals=["e4", "f4", "g4"]), "b3-b2", "b2 | c2 | d2"),
    "along the spoke": (load("c3 e4", "d3", goals=NONE), "e4-e3", "c3 e3 | "),
    "along the ring": (load("d4 e2", "d3", goals=NONE), "e2-d2", "d2 d4 | "),
    "not round a corner": (load("c3 e2", "d3", goals=NONE), "e2-d2", "c3 d2 | d3"),
    "nothing lies beyond ring 4": (load("a2 h3", "a4", goals=["c4"]), "h3-a3", "a2 a3 | a4"),
    "the middle joins nothing": (load("e1 b2", "a1", counsellor="h2", goals=["c4"]), "b2-a2", "a2 e1 | a1"),
    "over the seam between h and a": (load("g1 b1 b2", "h1", counsellor="e4", goals=["c4"]), "b1-a1", "a1 b2 g1 | "),
    "by entering": (load("c2", "c3", goals=NONE), "+c4", "c2 c4 | "),
    "all that are caught at once": (
        load("a3 e3 c1 d4", "b3 d3 c2", counsellor="g2", goals=H4),
        "d4-c4 b3-b2 c4-d4 b2-b3 d4-c4 +h4 c4-c3",
        "a3 c1 c3 e3 | h4",
    ),
    "removals are independent": (load("e2", "b2", "a2 d2", **FROM_C4), "Kc2", "e2 |  | a2"),
    "removals are independent, two of one colour": (load("f1", "b2 d2", "a2 e2", **FROM_C4), "Kc2", "f1 |  | a2 e2"),
    "a removal traps nobody": (load("b1 d1 e4", "c1", "c2", counsellor="c3", goals=FAR), "e4-e3", "b1 d1 e3 | c1 | c2"),
    "only the piece just moved traps": (load("b2 d2 f3", "c2", goals=H4), "f3-f2", "b2 d2 f2 | c2"),
    "never own pawns, by the Counsellor": (load("b2", "a2", counsellor="c1", goals=["f4", "g4"]), "Kc2", "b2 | a2"),
    "never own pawns, by a step": (load("b3", "a2 c2", goals=["f4", "g4"]), "b3-b2", "b2 | a2 c2"),
    "a stable pawn traps": (load("c1 d3", "c2", goals=["c1 a4"]), "d3-c3", "c1 c3 | "),
    "stability counts after the move": (load("c1 d3", "c2 e1", goals=[SIX, "c2 e1"]), "d3-c3", "c1 c3 | c2 e1"),
    "a marble traps nobody": (
        load("a1 b1 c2", "c3", "", "", goals=["a1 b1 d3 h4"], counsellor="g3"),
        "Md3-d2 +a4 +b4 +d4 Md2-c2",
        "a1 b1 c2 | a4 c3 | b4 | d4",
    ),
}


@pytest.mark.parametrize("rule", CAPTURES)
def test_captures(rule: str) -> None:
    state, actions, expected = CAPTURES[rule]
    after = play(state, *actions.split())
    assert " | ".join(pawns(after)) == expected
    whole = [len(own.split()) + off for own, off in zip(pawns(after), after.to_json()["off"], strict=True)]
    assert len(set(whole)) == 1, "what is removed is off the board"
