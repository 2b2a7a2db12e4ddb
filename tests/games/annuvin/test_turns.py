"""Annuvin: what may be done in a turn (docs/rules/annuvin.md, A turn, Readings and Worked examples)."""

from typing import Any, Final

import pytest

from engine import State
from engine.perft import perft
from engine.topology import hexagon, square_grid
from tests.games.annuvin.board import ANNUVIN, load, play, texts, turns
from tests.support.present import present

FAR_WHITE = "g7 g6 g5 g4 f7 f6"


def farthest(state: State, piece: str) -> int:
    board = present(state.topology)
    return max(
        board.distances[board.index[piece]][board.index[action.target]]
        for action in state.legal_actions()
        if action.source == piece and action.target
    )


@pytest.mark.parametrize(("pieces", "reach"), [(6, 1), (5, 2), (4, 3), (3, 4), (2, 5), (1, 6)])
def test_the_range_is_the_starting_pieces_plus_one_minus_those_on_the_board(pieces: int, reach: int) -> None:
    assert farthest(load(" ".join(["a1", *FAR_WHITE.split()[: pieces - 1]]), "c6 d7"), "a1") == reach


@pytest.mark.parametrize(("pieces", "reach"), [(4, 1), (3, 2), (2, 3), (1, 3)])
def test_the_range_on_the_square(pieces: int, reach: int) -> None:
    # a single piece has range 4, and the board is 3 wide
    assert farthest(load("a1 d4 d3 d2"[: 3 * pieces - 1], "c1 d1", board="square"), "a1") == reach


EXAMPLE = load("d5 a1 g7", "c4 c3 a2 g4")
EMPTY = ANNUVIN.start(options={"setup": "empty"})

SHOWN: Final[dict[str, list[tuple[State, tuple[str, ...], dict[str, Any]]]]] = {
    # the rule: positions, what is played there, and what the position shows then
    "the range is fixed when the turn starts": [
        # three pieces, range 4; the enemy's losses change nothing, so 1 + 1 leaves 2
        (EXAMPLE, ("d5xc4", "xc3"), {"moving": {"piece": "c3", "range": 2}}),
    ],
    "a jump captures nothing": [
        (load("a1 g7 g6 g5 g4", "b2 d7"), ("a1-c3",), {"pieces": [["c3", "g4", "g5", "g6", "g7"], ["b2", "d7"]]}),
    ],
    "a move ends the turn": [(load("a1 g7 g6 g5", "b2 d7"), ("a1-a2",), {"to_move": 1})],
    "a capture removes the piece for good": [
        (
            load("a1 g7 g6 g5 f7 f6", "b2 d7 e7"),
            ("a1xb2",),
            {
                "pieces": [["b2", "f6", "f7", "g5", "g6", "g7"], ["d7", "e7"]],
                "lost": [0, 4],
                "reserve": [0, 0],
            },
        ),
    ],
    "each capture costs its distance": [
        # 4 - 2 leaves 2, and d3 is 4 away
        (load("d5 a1 g7", "d7 d3 a2 g4"), ("d5xd7",), {"to_move": 1, "moving": None}),
    ],
    "the player may stop at any time": [
        (EXAMPLE, ("d5xc4", "stop"), {"to_move": 1, "moving": None}),
        (EXAMPLE, ("d5xc4xc3", "stop"), {"to_move": 1, "moving": None}),
    ],
    "the turn ends by itself when no other capture is possible": [
        (load("d5 a1 g7", "c4 a4 g4"), ("d5xc4",), {"to_move": 0}),
        (load("d5 a1 g7 g6 g5", "c4 a2 g4"), ("d5xc4",), {"to_move": 1, "moving": None}),
    ],
    "one piece is placed from the reserve": [
        (EMPTY, ("d4",), {"pieces": [["d4"], []], "reserve": [5, 6], "to_move": 1})
    ],
    "with a reserve a capture uses the range of 1 up": [
        (load("a1", "d7 c3 b2", reserve=(2, 3)), ("a1xb2",), {"to_move": 1}),
    ],
    "worked example 2": [
        (
            load("d5 a1 g7", "c4 c3 a2"),
            ("d5xc4xc3xa2",),
            {"pieces": [["a1", "a2", "g7"], []], "outcome": {"reason": "eliminated", "places": [1, 2]}},
        ),
    ],
}


@pytest.mark.parametrize("rule", SHOWN)
def test_what_a_turn_changes(rule: str) -> None:
    for state, turns_played, expected in SHOWN[rule]:
        shown = play(state, *turns_played).to_json()
        assert {name: shown[name] for name in expected} == expected, turns_played


LEGAL: Final[dict[str, list[tuple[State, str, str]]]] = {
    # the rule: positions, and all legal actions there that begin with a text
    "a move goes to any cell up to the range, which need not be used up, and a capture as far": [
        (load("a1 g7 g6 g5", "d7 e7"), "a1-", "a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4 d1 d2 d3 d4"),
        (load("a1 g7 g6 g5", "b2 c3 d4 e5"), "a1x", "b2 c3 d4"),
    ],
    "a move changes direction as it likes, and pieces of either colour in between do not matter": [
        # c2 is two steps from a1, in no straight line; then a1 is walled in by its own b1 and a2 and the enemy's b2
        (load("a1 g7 g6 g5 g4", "d7 e7"), "a1-c", "1 2 3"),
        (load("a1 a2 b1 g7 g6", "b2 d7"), "a1-c", "1 2 3"),
    ],
    "a capturing piece may capture again within its remaining range and do nothing else": [
        (play(EXAMPLE, "d5xc4"), "", "xa2 xc3 stop"),
    ],
    "a piece is placed on any empty cell": [
        (EMPTY, "", " ".join(hexagon(4).names)),
        (play(EMPTY, "d4"), "", " ".join(name for name in hexagon(4).names if name != "d4")),
        (ANNUVIN.start(options={"board": "square", "setup": "empty"}), "", " ".join(square_grid(4, 4).names)),
    ],
    "placing is instead of moving": [(play(EMPTY, "d4", "g7"), "d4-", "c3 c4 d3 d5 e4 e5")],
}


@pytest.mark.parametrize("rule", LEGAL)
def test_what_is_legal(rule: str) -> None:
    for state, beginning, expected in LEGAL[rule]:
        found = {text.removeprefix(beginning) for text in texts(state) if text.startswith(beginning)}
        assert found == set(expected.split()), (state, beginning)


@pytest.mark.parametrize(
    ("state", "piece", "reach"),
    [
        # The range is worked out afresh in every turn, and what was left of it is lost.
        (load("d2 e2 f3 b1 c1 d1", "d3 d6 d7 e7", 1), "d6", 3),
        (play(load("d2 e2 f3 b1 c1 d1", "d3 d6 d7 e7", 1), "d3xd2 stop"), "f3", 2),
        (play(EXAMPLE, "d5xc4 stop", "g4-g5"), "c4", 4),
        # It is 1 as long as there are pieces in reserve; that of the other player does not matter.
        (load("a1", "d7 c3 b2", reserve=(2, 3)), "a1", 1),
        (load("a1", "d7 c3", reserve=(0, 3)), "a1", 6),
        (load("a1 g7 g6", "d7", reserve=(0, 5)), "a1", 4),
    ],
)
def test_the_range_of_this_turn(state: State, piece: str, reach: int) -> None:
    assert farthest(state, piece) == reach


def test_a_piece_never_ends_where_it_started() -> None:
    # Readings: a move has distance at least 1, and a continuation lands on an enemy, so going back is impossible
    state = load("d5 a1 g7", "c4 c3 a2 g4")
    assert not any(action.source == action.target for action in state.legal_actions())
    assert all("d5" not in turn[1:] for turn in turns(state))
    assert "xd5" not in {text for turn in turns(state) for text in turn}


def test_a_placement_is_possible_until_the_reserve_is_empty() -> None:
    state = load("a1 b2 c3 d4 e5", "c4 c5 c6 d5 d6", reserve=(1, 1))
    assert {action.verb for action in play(state, "g7", "g6").legal_actions()} <= {"move", "capture"}


def test_worked_example_1() -> None:
    start = ANNUVIN.start()
    expected = "b1-a1 b1-b2 b1-c2 c1-c2 d2-c2 d2-d3 d2-e3 e2-e3 f3-e3 f3-f4 f3-g4"
    assert (texts(start), perft(start, 1), perft(start, 2)) == (set(expected.split()), 11, 121)


def test_worked_example_3() -> None:
    state = load("d6 b2", "b4 e2 f5")
    assert (farthest(state, "d6"), farthest(load("d6 b2", "b4 e2 f5", 1), "f5")) == (5, 4)
    found = list(turns(state))
    assert len(found) == len(set(found)) == 70
    assert sum("x" in turn[0] for turn in found) == 6


def test_worked_example_4() -> None:
    found = list(turns(load("d5 a1 g7", "c4 c3 a2")))
    assert len(found) == len(set(found)) == 88
    assert sum("x" in turn[0] for turn in found) == 20


def test_actions_have_verb_source_and_target() -> None:
    move, capture = load("d5 a1", "c4 c3").parse("d5-d6")[0], load("d5 a1", "c4 c3").parse("d5xc4")[0]
    assert (move.verb, move.source, move.target) == ("move", "d5", "d6")
    assert (capture.verb, capture.source, capture.target) == ("capture", "d5", "c4")
    going_on = load("c4 a1", "c3 a2", moving=("c4", 4)).parse("xc3")[0]
    assert (going_on.text, going_on.verb, going_on.source, going_on.target) == ("xc3", "capture", "c4", "c3")
    placement = load("a1", "b2", reserve=(1, 1)).parse("c4")[0]
    assert (placement.verb, placement.source, placement.target) == ("place", None, "c4")
