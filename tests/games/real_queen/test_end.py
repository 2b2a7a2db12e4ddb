"""How Real Queen ends: plain and royal wins, the two draws, dropping out."""

import pytest

from engine.core import Action
from engine.games.real_queen import GAME as REAL_QUEEN
from tests.games.real_queen.board import load, play
from tests.support.present import present, result

# --- Wins -------------------------------------------------------------------------------------------------------------


def test_an_alignment_next_to_the_enemy_queen_wins_at_once_before_any_capture() -> None:
    state = play(load("c1 c2 c3", "g1 g2", queens=(None, "d5")), "c4")
    assert result(state) == ("plain", (1, 2))
    json_ = state.to_json()
    assert (json_["pieces"], json_["pending"]) == ([["c1", "c2", "c3", "c4"], ["g1", "g2"]], None)


@pytest.mark.parametrize("queen", ["b1", "b2", "b3", "b4", "b5", "a5"])
def test_next_to_means_all_8_directions(queen: str) -> None:
    assert play(load("a1 a2 a3", "g1", queens=(None, queen)), "a4").outcome is not None


@pytest.mark.parametrize("queen", ["c1", "c3", "a6", "b6", "c6", None])
def test_two_cells_away_or_still_in_hand_she_is_safe(queen: str | None) -> None:
    assert play(load("a1 a2 a3", "g1", queens=(None, queen)), "a4").outcome is None


def test_an_alignment_with_the_own_queen_wins_royally_also_if_she_alone_is_near() -> None:
    assert result(play(load("a1 a2 a3", "g1", queens=("a4", "b5")), "a5"))[0] == "royal"
    assert present(play(load("a1 a2 a3", "g1", queens=(None, "b5")), "Qa4").outcome).reason == "royal"


def test_with_several_runs_one_next_to_the_queen_is_enough() -> None:
    assert play(load("a4 b3 c2 d2 d3 d4", "g1", queens=(None, "a6"), reserve=(3, 3)), "d1").outcome is None
    state = play(load("a4 b3 c2 d2 d3 d4", "g1", queens=(None, "a5"), reserve=(3, 3)), "d1")
    assert present(state.outcome).reason == "plain"


def test_a_run_with_the_own_queen_that_does_not_win_itself_does_not_make_the_win_royal() -> None:
    assert present(play(load("a4 b3 c2 d2 d3", "g1", queens=("d4", "a5")), "d1").outcome).reason == "plain"
    assert present(play(load("a4 b3 c2 d2 d3", "g1", queens=("d4", "e5")), "d1").outcome).reason == "royal"


def test_a_queen_that_steps_next_to_a_standing_alignment_does_not_lose() -> None:
    assert play(load("c1 c2 c3 c4", "g1", queens=(None, "e4"), to_move=1), "Qe4-d4").outcome is None


def test_black_wins_too() -> None:
    assert present(play(load("g1", "c1 c2 c3", queens=("d5", None), to_move=1), "c4").outcome).places == (2, 1)


# --- Draws ------------------------------------------------------------------------------------------------------------


def test_100_turns_in_a_row_without_an_alignment_are_a_draw() -> None:
    state = load(queens=("a1", "g7"), extra={"idle": 98})
    state = play(state, "Qa1-a2")
    assert state.outcome is None
    assert result(play(state, "Qg7-g6")) == ("no-progress", (1, 1))


def test_the_count_starts_at_0_in_a_loaded_position_and_any_turn_without_alignment_counts() -> None:
    assert play(load("b7", "f1", queens=("a1", "g7"), reserve=(19, 19)), "d4 f5").to_json()["extra"]["idle"] == 2


def test_an_alignment_starts_the_count_anew() -> None:
    state = load("a1 a2 a3", "g1", queens=("c3", "g7"), extra={"idle": 99})
    state = play(state, "a4 xg1 ra1 ra2")
    assert state.outcome is None
    assert "idle" not in state.to_json()["extra"]


def test_a_win_comes_before_no_progress_and_repetition_before_no_progress() -> None:
    won = play(load("a1 a2 a3", "g1", queens=(None, "b5"), extra={"idle": 99}), "a4")
    assert present(won.outcome).reason == "plain"
    state = load(queens=("a1", "g7"), extra={"idle": 92})
    state = play(state, "Qa1-a2 Qg7-g6 Qa2-a1 Qg6-g7 Qa1-a2 Qg7-g6 Qa2-a1 Qg6-g7")
    assert present(state.outcome).reason == "repetition"


def test_the_same_position_at_the_start_of_a_turn_for_the_third_time_is_a_draw() -> None:
    state = load("b7", "f1", queens=("a1", "g7"))
    for _ in range(2):
        assert state.outcome is None
        state = play(state, "Qa1-a2 Qg7-g6 Qa2-a1 Qg6-g7")
    assert result(state) == ("repetition", (1, 1))


def test_the_seat_to_move_belongs_to_the_position() -> None:
    # After the queens' triangles the pieces stand as at first, but it is the other seat's turn.
    state = load(queens=("a1", "g7"))
    state = play(state, "Qa1-a2 Qg7-g6 Qa2-b1 Qg6-g7 Qb1-a1")
    assert state.to_json()["queens"] == ["a1", "g7"]
    assert play(state, "Qg7-g6 Qa1-a2 Qg6-g7 Qa2-a1").outcome is None


def test_a_piece_placed_comes_back_without_captures_where_there_is_nothing_to_capture() -> None:
    state = load("a1 a2 a3", queens=(None, "g7"))
    for _ in range(2):
        assert state.outcome is None
        state = play(state, "a4 ra4 ra3 Qg7-g6 a3 Qg6-g7")
    assert present(state.outcome).reason == "repetition"


def test_a_position_before_a_capture_never_comes_again() -> None:
    state = play(load("a1 a2 a3", "g1", queens=("c3", "g7")), "Qc3-c4 Qg7-g6 a4 xg1 ra1 ra2")
    assert "history" not in state.to_json()["extra"]


def test_shifts_repeat_as_well() -> None:
    state = load("b7", "f1", queens=("a1", "g7"), reserve=(0, 0))
    for _ in range(2):
        assert state.outcome is None
        state = play(state, "b7-c7 f1-e1 c7-b7 e1-f1")
    assert state.outcome is not None


# --- Dropping out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seat", "places"), [(0, (2, 1)), (1, (1, 2))])
def test_a_seat_that_drops_leaves_the_game_to_the_other(seat: int, places: tuple[int, int]) -> None:
    over = play(load("a1 a2 a3", "g1 g2"), "a4").play(Action.drop(seat))
    assert result(over) == ("last-seat", places)
    json_ = over.to_json()
    assert (json_["dropped"], json_["to_move"], json_["pending"]) == ([seat], None, None)
    assert json_["pieces"] == [["a1", "a2", "a3", "a4"], ["g1", "g2"]]
    assert (over.turn, REAL_QUEEN.load(json_)) == ((1 if seat == 0 else 0), over)
    assert result(load(dropped=[seat])) == ("last-seat", places)
