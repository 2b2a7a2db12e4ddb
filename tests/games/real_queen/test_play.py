"""Real Queen: every sentence of its rules about turns, alignments, captures and returns, and the sheet's examples."""

from typing import Any, Final

import pytest

from engine.core import State
from engine.games.real_queen import GAME as REAL_QUEEN
from engine.topology import square_grid
from tests.games.real_queen.board import load, pending_parts, play, texts
from tests.support.present import result

ALL = square_grid(7, 7).names
ENEMIES = "b7 c7 d7 e7 f7 g7"


def but(taken: str, before: str = "") -> str:
    """Return the texts of all cells but those that are taken, with what stands before each."""
    return " ".join(before + cell for cell in ALL if cell not in taken.split())


# --- Board and pieces -------------------------------------------------------------------------------------------------


def test_the_board_is_empty_at_the_start_and_white_begins_with_20_pieces_and_a_queen_in_hand() -> None:
    start = REAL_QUEEN.start()
    assert start.to_json() == {
        "game": "real-queen",
        "options": {},
        "to_move": 0,
        "pieces": [[], []],
        "queens": [None, None],
        "reserve": [20, 20],
        "pending": None,
        "dropped": [],
        "outcome": None,
        "extra": {},
    }
    assert texts(start) == list(ALL)


def test_it_is_a_game_for_two_without_options() -> None:
    assert (REAL_QUEEN.key, list(REAL_QUEEN.seats), dict(REAL_QUEEN.options)) == ("real-queen", [2], {})


# --- What is legal ----------------------------------------------------------------------------------------------------

WALLED: Final[dict[str, Any]] = {"white": "", "black": "a2 b1 b2", "queens": ("a1", "g7"), "reserve": (0, 3)}
CROSSING = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5")

LEGAL: Final[dict[str, list[tuple[State, str | None, str]]]] = {
    # the rule: positions, and which actions of a kind (or of all) are legal there
    "place takes a piece of the reserve to any free cell": [
        (load("a1", "b1", queens=("c1", "d1")), "place", but("a1 b1 c1 d1")),
    ],
    "crown needs an alignment that includes the queen": [(load("a1 a2 a3 g1 g2 g3"), "crown", "Qa4 Qg4")],
    "crown is not justified by an alignment elsewhere": [(load("c1 c2 c3 c4"), "crown", "Qc5")],
    "crown needs own pieces for her alignment, the enemy's do not count": [
        (load("", "a1 a2 a3"), "crown", ""),
        (load("a1 a2", "a3"), "crown", ""),
        (load("a2 a3", "a1"), "crown", ""),
    ],
    "crown is free on any free cell once the mover's own reserve is empty, the enemy's does not matter": [
        (load("a1", "g7", reserve=(5, 0)), "crown", ""),
        (load("a1", "g7", reserve=(0, 0)), "crown", but("a1 g7", "Q")),
        (load("a1", "g7", reserve=(0, 5)), None, but("a1 g7", "Q")),
    ],
    "step takes the queen to a free cell next to her": [
        (load("c3", "e5", queens=("d4", None)), "step", "Qd4-c4 Qd4-c5 Qd4-d3 Qd4-d5 Qd4-e3 Qd4-e4"),
    ],
    "shift takes any own normal piece to any other free cell": [
        (
            load("a1 b2", "g7", queens=("d4", None), reserve=(0, 5)),
            "shift",
            f"{but('a1 b2 d4 g7', 'a1-')} {but('a1 b2 d4 g7', 'b2-')}",
        ),
    ],
    "shift needs an empty reserve and the queen in play": [
        (load("a1 b2", queens=("d4", None), reserve=(1, 5)), "shift", ""),
        (load("a1 b2", queens=(None, None), reserve=(0, 5)), "shift", ""),
        (load("a1 b2", queens=(None, None), reserve=(1, 5)), "shift", ""),
    ],
    "a player without normal pieces whose queen is walled in passes": [(load(**WALLED), None, "pass")],
    "players who are not walled in always have an action": [
        (load(**{**WALLED, "white": "g1"}), "pass", ""),
        (load(**{**WALLED, "reserve": (1, 3)}), "pass", ""),
        (load(**{**WALLED, "black": "a2 b1"}), None, "Qa1-b2"),
    ],
    "captures are of the mover's choice anywhere, one after the other": [
        (play(load("a1 a2 a3 a4", "c1 e5 g7", queens=(None, "g1")), "a5"), None, "xc1 xe5 xg7"),
        (play(load("a1 a2 a3 a4", "c1 e5 g7", queens=(None, "g1")), "a5 xe5"), None, "xc1 xg7"),
    ],
    "where the enemy has no normal piece on the board only returns are due": [
        (play(load("a1 a2 a3", "", queens=(None, "g1")), "a4"), None, "ra1 ra2 ra3 ra4"),
    ],
    "the queen is never captured and never returned": [
        (play(load("a1 a2 a3", "g1 g2", queens=("a4", "e6")), "a5"), None, "xg1 xg2"),
        (play(load("a1 a2 a3", "g1 g2", queens=("a4", "e6")), "a5 xg1 xg2"), None, "ra1 ra2 ra3 ra5"),
    ],
    "only pieces of the alignment go back": [(play(load("a1 a2 a3 e1", "g1"), "a4 xg1"), None, "ra1 ra2 ra3 ra4")],
    "two runs that cross in the queen return three of any": [
        (play(load("a4 b3 c2 d2 d3 d4", ENEMIES), "Qd1 xb7 xc7 xd7 xe7"), None, "ra4 rb3 rc2 rd2 rd3 rd4"),
    ],
    "all captures come before all returns, and the crossing piece is the only first return": [
        (play(CROSSING, "d1 xc5 xc4"), None, "xc3"),
        (play(CROSSING, "d1 xc5 xc4 xc3"), None, "rd1"),
        (play(CROSSING, "d1 xc5 xc4 xc3 rd1"), None, "ra4 rb3 rc2 rd2 rd3 rd4"),
    ],
    "worked example 2: the queen comes in on e3 with a run of five, and on e4 only without a reserve": [
        (load("c1 d2 f4 g5", "a1 a2 a3 a5"), "crown", "Qe3"),
        (load("c1 d2 f4 g5", "a1 a2 a3 a5", reserve=(0, 5)), "crown", but("c1 d2 f4 g5 a1 a2 a3 a5", "Q")),
    ],
}


@pytest.mark.parametrize("rule", LEGAL)
def test_legal_actions(rule: str) -> None:
    for state, verb, expected in LEGAL[rule]:
        assert texts(state, verb) == expected.split()


def test_crown_fills_a_gap_in_each_of_the_four_directions() -> None:
    for white in ("d1 d2 d3", "b4 c4 e4", "c3 e5 f6", "a7 b6 c5"):
        assert "Qd4" in texts(load(white), "crown"), white


# --- What becomes of it -----------------------------------------------------------------------------------------------

AFTER: Final[dict[str, list[tuple[State, str, dict[str, Any]]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "a piece is placed from the reserve and the turn passes": [
        (load("a1", "b1"), "g7", {"pieces": [["a1", "g7"], ["b1"]], "reserve": [4, 5], "to_move": 1}),
    ],
    "the queen comes in": [(load("a1", "g7", reserve=(0, 5)), "Qd4", {"queens": ["d4", None]})],
    "the queen steps": [(load("c3", "e5", queens=("d4", None)), "Qd4-e3", {"queens": ["e3", None]})],
    "a piece is shifted": [
        (
            load("a1 b2", "g7", queens=("d4", None), reserve=(0, 5)),
            "a1-g1",
            {"pieces": [["b2", "g1"], ["g7"]], "reserve": [0, 5]},
        ),
    ],
    "what is captured leaves for good": [
        (
            load("a1 a2 a3 a4", "c1 e5 g7", queens=(None, "g1")),
            "a5 xe5 xg7",
            {"pieces": [["a1", "a2", "a3", "a4", "a5"], ["c1"]], "reserve": [4, 5]},
        ),
    ],
    "returned pieces go to the reserve and the turn ends with the last": [
        (load("a1 a2 a3", "g1 g2", reserve=(1, 5)), "a4 xg1", {"reserve": [0, 5], "to_move": 0}),
        (
            load("a1 a2 a3", "g1 g2", reserve=(1, 5)),
            "a4 xg1 ra1 ra4",
            {"pieces": [["a2", "a3"], ["g2"]], "reserve": [2, 5], "to_move": 1, "pending": None},
        ),
    ],
    "worked example 1: two runs through d1": [
        (CROSSING, "d1 xc5 xc4 xc3 rd1 rc2 rd2", {"pieces": [["a4", "b3", "d3", "d4"], []], "reserve": [7, 5]}),
    ],
}


@pytest.mark.parametrize("rule", AFTER)
def test_what_an_action_changes(rule: str) -> None:
    for state, line, expected in AFTER[rule]:
        shown = play(state, line).to_json()
        assert {name: shown[name] for name in expected} == expected


def test_a_pass_is_a_turn() -> None:
    after = play(load(**WALLED), "pass")
    assert (after.to_move, after.turn, after.to_json()["extra"]["idle"]) == (1, 1, 1)


def test_a_whole_turn_is_read_from_one_line() -> None:
    line = "d1 xc5 xc4 xc3 rd1 rc2 rd2"
    assert [action.text for action in CROSSING.parse(line)] == line.split()


# --- Alignments, captures and returns ---------------------------------------------------------------------------------

PENDING: Final[dict[str, list[tuple[State, str, dict[str, Any] | None]]]] = {
    # the rule: positions, what is played there, and what is due then
    "an alignment is a straight run of four in any of the four directions": [
        (load(run.replace(played, ""), "g1 g3"), played, pending_parts(1, 2, run))
        for run in ("a1 a2 a3 a4", "a1 b1 c1 d1", "a1 b2 c3 d4", "a4 b3 c2 d1")
        for played in run.split()
    ],
    "an alignment is made by each of the four actions": [
        (load("a1 a2 a3", "g1"), "a4", pending_parts(1, 2, "a1 a2 a3 a4")),
        (load("a1 a2 a3", "g1 g2"), "Qa4", pending_parts(2, 2, "a1 a2 a3 a4")),
        (load("a1 a2 a3", "g1 g2", queens=("b5", None)), "Qb5-a4", pending_parts(2, 2, "a1 a2 a3 a4")),
        (
            load("a1 a2 a3 c7", "g1 g2", queens=("f7", None), reserve=(0, 3)),
            "c7-a4",
            pending_parts(1, 2, "a1 a2 a3 a4"),
        ),
    ],
    "a broken run or one of three is none": [
        (load("a1 a2", "g1"), "a3", None),
        (load("a1 a2 a5", "g1"), "a4", None),
        (load("a1 a2 a5", "a3 g1"), "a4", None),
    ],
    "a run does not go round the edge": [
        (load("a6 a7 b1", "g1"), "b2", None),
        (load("f1 g1 a2", "g3"), "b2", None),
        (load("c6 d7 e1", "g3"), "f2", None),
    ],
    "runs that do not contain the cell just played to do not count": [(load("c1 c2 c3 c4", "g1"), "e5", None)],
    "a piece never aligns with the place it left": [
        (load("a1 a2 a3 d1", "g1", queens=("f7", None), reserve=(0, 3)), "a1-a4", None),
        (load("a1 a2", "g1", queens=("a3", None)), "Qa3-a4", None),
    ],
    "two runs without the queen capture 3 and return 3, the crossing piece among them": [
        (
            load("a4 b3 c2 d2 d3 d4", "c3 c4 c5 g7"),
            "d1",
            pending_parts(3, 3, "a4 b3 c2 d1", "d1 d2 d3 d4", crossing="d1"),
        ),
    ],
    "two runs with the queen in one capture 4 and return 3, the crossing piece among them": [
        (
            load("a4 b3 c2 d2 d3", ENEMIES, queens=("d4", None)),
            "d1",
            pending_parts(4, 3, "a4 b3 c2 d1", "d1 d2 d3 d4", crossing="d1"),
        ),
    ],
    "two runs that cross in the queen capture 4 and return 3 of any": [
        (load("a4 b3 c2 d2 d3 d4", ENEMIES), "Qd1", pending_parts(4, 3, "a4 b3 c2 d1", "d1 d2 d3 d4")),
    ],
    "more than two runs pay like two": [
        (
            load("a1 b2 c3 d1 d2 d3 a4 b4 c4 a7 b6 c5", ENEMIES),
            "d4",
            pending_parts(3, 3, "a1 b2 c3 d4", "a4 b4 c4 d4", "a7 b6 c5 d4", "d1 d2 d3 d4", crossing="d4"),
        ),
    ],
    "two runs pay 3 or 4 also where one long run alone would pay more": [
        (
            load("a1 a2 a3 a5 a6 a7 b4 c4 d4", ENEMIES),
            "a4",
            pending_parts(3, 3, "a1 a2 a3 a4 a5 a6 a7", "a4 b4 c4 d4", crossing="a4"),
        ),
        (
            load("a1 a2 a3 a5 a6 b4 c4 d4", ENEMIES, queens=("a7", None)),
            "a4",
            pending_parts(4, 3, "a1 a2 a3 a4 a5 a6 a7", "a4 b4 c4 d4", crossing="a4"),
        ),
    ],
    "fewer are captured only when the enemy has no more normal pieces on the board": [
        (load("a1 a2 a3 a4 a5", "c1 e5", queens=(None, "g1")), "a6", pending_parts(2, 4, "a1 a2 a3 a4 a5 a6")),
        (load("a1 a2 a3", "", queens=(None, "g1")), "a4", pending_parts(0, 2, "a1 a2 a3 a4")),
    ],
    "once the crossing piece has gone back, the others of both runs are left": [
        (CROSSING, "d1 xc5 xc4 xc3", pending_parts(0, 3, "a4 b3 c2 d1", "d1 d2 d3 d4", crossing="d1")),
        (CROSSING, "d1 xc5 xc4 xc3 rd1", pending_parts(0, 2, "a4 b3 c2", "d2 d3 d4")),
    ],
    "worked example 2: the queen comes in on e3 with a run of five": [
        (load("c1 d2 f4 g5", "a1 a2 a3 a5"), "Qe3", pending_parts(3, 3, "c1 d2 e3 f4 g5")),
    ],
}


@pytest.mark.parametrize("rule", PENDING)
def test_captures_and_returns_that_are_due(rule: str) -> None:
    for state, line, expected in PENDING[rule]:
        assert play(state, line).to_json()["pending"] == expected, line


@pytest.mark.parametrize("length", [4, 5, 6, 7])
def test_one_run_captures_n_minus_3_and_with_the_queen_n_minus_2_and_returns_n_minus_2(length: int) -> None:
    run = [f"a{row}" for row in range(1, length + 1)]
    for queen, captures in ((None, length - 3), ("a1", length - 2)):
        others = " ".join(cell for cell in run if cell not in ("a3", queen))
        state = play(load(others, ENEMIES, queens=(queen, None)), "a3")
        assert state.to_json()["pending"] == pending_parts(captures, length - 2, " ".join(run))


def test_queen_counts_in_every_run_containing_her() -> None:
    # every line through d1 on which two runs can meet: upright, along the row, and both diagonals
    runs = {"upright": "d2 d3 d4", "row": "a1 b1 c1", "falling": "c2 b3 a4", "rising": "e2 f3 g4"}
    for with_queen, cells in runs.items():
        for without, others in runs.items():
            if with_queen != without:
                queen = cells.split()[-1]
                white = f"{cells.replace(queen, '')} {others}"
                pending = play(load(white, ENEMIES, queens=(queen, None)), "d1").to_json()["pending"]
                assert (pending["captures"], pending["returns"], pending["crossing"]) == (4, 3, "d1")


def test_worked_example_3_the_line_with_c5_wins_against_the_queen_on_c6() -> None:
    assert result(play(load("c5 b6 a7", "", queens=(None, "c6")), "d4")) == ("plain", (1, 2))
