"""How Real Queen ends: plain and royal wins, the two draws, dropping out."""

from typing import Final

import pytest

from engine.core import Action, State
from engine.games.real_queen import GAME as REAL_QUEEN
from tests.games.real_queen.board import load, play
from tests.support.present import result

End = tuple[str, tuple[int, int]] | None
PLAIN, ROYAL = ("plain", (1, 2)), ("royal", (1, 2))
REPEATED, NO_PROGRESS = ("repetition", (1, 1)), ("no-progress", (1, 1))

QUEENS_TO_AND_FRO = "Qa1-a2 Qg7-g6 Qa2-a1 Qg6-g7"
EMPTY_LINE = "a4 ra4 ra3 Qg7-g6 a3 Qg6-g7"
SHIFTS = "b7-c7 f1-e1 c7-b7 e1-f1"

ENDS: Final[dict[str, list[tuple[State, str, End]]]] = {
    # the rule: positions, what is played there, and how the game ends by it, None where it goes on
    "next to means all 8 directions": [
        (load("a1 a2 a3", "g1", queens=(None, queen)), "a4", PLAIN) for queen in ("b1", "b2", "b3", "b4", "b5", "a5")
    ],
    "two cells away or still in hand she is safe": [
        (load("a1 a2 a3", "g1", queens=(None, queen)), "a4", None) for queen in ("c1", "c3", "a6", "b6", "c6", None)
    ],
    "an alignment with the own queen wins royally, also if she alone is near": [
        (load("a1 a2 a3", "g1", queens=("a4", "b5")), "a5", ROYAL),
        (load("a1 a2 a3", "g1", queens=(None, "b5")), "Qa4", ROYAL),
    ],
    "with several runs one next to the queen is enough": [
        (load("a4 b3 c2 d2 d3 d4", "g1", queens=(None, "a6"), reserve=(3, 3)), "d1", None),
        (load("a4 b3 c2 d2 d3 d4", "g1", queens=(None, "a5"), reserve=(3, 3)), "d1", PLAIN),
    ],
    "a run with the own queen that does not win itself does not make the win royal": [
        (load("a4 b3 c2 d2 d3", "g1", queens=("d4", "a5")), "d1", PLAIN),
        (load("a4 b3 c2 d2 d3", "g1", queens=("d4", "e5")), "d1", ROYAL),
    ],
    "a queen that steps next to a standing alignment does not lose": [
        (load("c1 c2 c3 c4", "g1", queens=(None, "e4"), to_move=1), "Qe4-d4", None),
    ],
    "black wins too": [(load("g1", "c1 c2 c3", queens=("d5", None), to_move=1), "c4", ("plain", (2, 1)))],
    "100 turns in a row without an alignment are a draw": [
        (load(queens=("a1", "g7"), extra={"idle": 98}), "Qa1-a2", None),
        (load(queens=("a1", "g7"), extra={"idle": 98}), "Qa1-a2 Qg7-g6", NO_PROGRESS),
    ],
    "an alignment starts the count anew": [
        (load("a1 a2 a3", "g1", queens=("c3", "g7"), extra={"idle": 99}), "a4 xg1 ra1 ra2", None),
    ],
    "a win comes before no progress, and repetition before no progress": [
        (load("a1 a2 a3", "g1", queens=(None, "b5"), extra={"idle": 99}), "a4", PLAIN),
        (load(queens=("a1", "g7"), extra={"idle": 92}), f"{QUEENS_TO_AND_FRO} {QUEENS_TO_AND_FRO}", REPEATED),
    ],
    "the same position at the start of a turn for the third time is a draw": [
        (load("b7", "f1", queens=("a1", "g7")), QUEENS_TO_AND_FRO, None),
        (load("b7", "f1", queens=("a1", "g7")), f"{QUEENS_TO_AND_FRO} {QUEENS_TO_AND_FRO}", REPEATED),
    ],
    "the seat to move belongs to the position": [
        # After the queens' triangles the pieces stand as at first, but it is the other seat's turn.
        (
            load(queens=("a1", "g7")),
            "Qa1-a2 Qg7-g6 Qa2-b1 Qg6-g7 Qb1-a1 Qg7-g6 Qa1-a2 Qg6-g7 Qa2-a1",
            None,
        ),
    ],
    "a piece placed comes back without captures where there is nothing to capture": [
        (load("a1 a2 a3", queens=(None, "g7")), EMPTY_LINE, None),
        (load("a1 a2 a3", queens=(None, "g7")), f"{EMPTY_LINE} {EMPTY_LINE}", REPEATED),
    ],
    "shifts repeat as well": [
        (load("b7", "f1", queens=("a1", "g7"), reserve=(0, 0)), SHIFTS, None),
        (load("b7", "f1", queens=("a1", "g7"), reserve=(0, 0)), f"{SHIFTS} {SHIFTS}", REPEATED),
    ],
}


@pytest.mark.parametrize("rule", ENDS)
def test_ends(rule: str) -> None:
    for state, line, end in ENDS[rule]:
        after = play(state, line)
        assert (result(after) if after.outcome else None) == end, line


def test_an_alignment_next_to_the_enemy_queen_wins_at_once_before_any_capture() -> None:
    state = play(load("c1 c2 c3", "g1 g2", queens=(None, "d5")), "c4")
    assert result(state) == PLAIN
    json_ = state.to_json()
    assert (json_["pieces"], json_["pending"]) == ([["c1", "c2", "c3", "c4"], ["g1", "g2"]], None)


def test_the_count_starts_at_0_in_a_loaded_position_and_any_turn_without_alignment_counts() -> None:
    assert play(load("b7", "f1", queens=("a1", "g7"), reserve=(19, 19)), "d4 f5").to_json()["extra"]["idle"] == 2
    aligned = play(load("a1 a2 a3", "g1", queens=("c3", "g7"), extra={"idle": 99}), "a4 xg1 ra1 ra2")
    assert "idle" not in aligned.to_json()["extra"]


def test_a_position_before_a_capture_never_comes_again() -> None:
    state = play(load("a1 a2 a3", "g1", queens=("c3", "g7")), "Qc3-c4 Qg7-g6 a4 xg1 ra1 ra2")
    assert "history" not in state.to_json()["extra"]


@pytest.mark.parametrize(("seat", "places"), [(0, (2, 1)), (1, (1, 2))])
def test_a_seat_that_drops_leaves_the_game_to_the_other(seat: int, places: tuple[int, int]) -> None:
    over = play(load("a1 a2 a3", "g1 g2"), "a4").play(Action.drop(seat))
    assert result(over) == ("last-seat", places)
    json_ = over.to_json()
    assert (json_["dropped"], json_["to_move"], json_["pending"]) == ([seat], None, None)
    assert json_["pieces"] == [["a1", "a2", "a3", "a4"], ["g1", "g2"]]
    assert (over.turn, REAL_QUEEN.load(json_)) == ((1 if seat == 0 else 0), over)
    assert result(load(dropped=[seat])) == ("last-seat", places)
