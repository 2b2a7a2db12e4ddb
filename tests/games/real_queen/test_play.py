"""Real Queen: every sentence of its rules about turns, alignments, captures and returns, and the sheet's examples."""

import pytest

from engine.games.real_queen import GAME as REAL_QUEEN
from engine.topology import square_grid
from tests.games.real_queen.board import load, pending_parts, play, texts
from tests.support.present import result

ALL = square_grid(7, 7).names


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


# --- A turn -----------------------------------------------------------------------------------------------------------


def test_place_takes_a_piece_of_the_reserve_to_any_free_cell_and_the_turn_passes() -> None:
    state = load("a1", "b1", queens=("c1", "d1"))
    assert texts(state, "place") == [cell for cell in ALL if cell not in ("a1", "b1", "c1", "d1")]
    after = play(state, "g7").to_json()
    assert (after["pieces"], after["reserve"], after["to_move"]) == ([["a1", "g7"], ["b1"]], [4, 5], 1)


def test_crown_needs_an_alignment_that_includes_the_queen() -> None:
    assert texts(load("a1 a2 a3 g1 g2 g3"), "crown") == ["Qa4", "Qg4"]


def test_crown_is_not_justified_by_an_alignment_elsewhere() -> None:
    assert texts(load("c1 c2 c3 c4", reserve=(5, 5)), "crown") == ["Qc5"]


def test_crown_needs_own_pieces_for_her_alignment_the_enemys_do_not_count() -> None:
    for white, black in (("", "a1 a2 a3"), ("a1 a2", "a3"), ("a2 a3", "a1")):
        assert texts(load(white, black), "crown") == []


def test_crown_is_free_by_the_movers_own_reserve_the_enemys_does_not_matter() -> None:
    assert texts(load("a1", "g7", reserve=(5, 0)), "crown") == []
    assert len(texts(load("a1", "g7", reserve=(0, 0)), "crown")) == len(ALL) - 2


def test_crown_fills_a_gap_in_each_of_the_four_directions() -> None:
    for white in ("d1 d2 d3", "b4 c4 e4", "c3 e5 f6", "a7 b6 c5"):
        assert "Qd4" in texts(load(white), "crown"), white


def test_crown_is_free_on_any_free_cell_once_the_reserve_is_empty() -> None:
    state = load("a1", "g7", reserve=(0, 5))
    assert texts(state) == [f"Q{cell}" for cell in ALL if cell not in ("a1", "g7")]
    assert play(state, "Qd4").to_json()["queens"] == ["d4", None]


def test_step_takes_the_queen_to_a_free_cell_next_to_her() -> None:
    state = load("c3", "e5", queens=("d4", None))
    assert texts(state, "step") == [f"Qd4-{cell}" for cell in ("c4", "c5", "d3", "d5", "e3", "e4")]
    assert play(state, "Qd4-e3").to_json()["queens"] == ["e3", None]


def test_shift_takes_any_own_normal_piece_to_any_other_free_cell() -> None:
    state = load("a1 b2", "g7", queens=("d4", None), reserve=(0, 5))
    free = [cell for cell in ALL if cell not in ("a1", "b2", "d4", "g7")]
    assert texts(state, "shift") == [f"{source}-{target}" for source in ("a1", "b2") for target in free]
    after = play(state, "a1-g1").to_json()
    assert (after["pieces"], after["reserve"]) == ([["b2", "g1"], ["g7"]], [0, 5])


@pytest.mark.parametrize(("queen", "reserve"), [("d4", 1), (None, 0), (None, 1)])
def test_shift_needs_an_empty_reserve_and_the_queen_in_play(queen: str | None, reserve: int) -> None:
    assert texts(load("a1 b2", queens=(queen, None), reserve=(reserve, 5)), "shift") == []


WALLED = {"white": "", "black": "a2 b1 b2", "queens": ("a1", "g7"), "reserve": (0, 3)}


def test_a_player_without_normal_pieces_whose_queen_is_walled_in_passes() -> None:
    state = load(**WALLED)
    assert texts(state) == ["pass"]
    after = play(state, "pass")
    assert (after.to_move, after.turn, after.to_json()["extra"]["idle"]) == (1, 1, 1)


def test_players_who_are_not_walled_in_always_have_an_action() -> None:
    assert texts(load(**{**WALLED, "white": "g1"}), "pass") == []
    assert texts(load(**{**WALLED, "reserve": (1, 3)}), "pass") == []
    assert texts(load(**{**WALLED, "black": "a2 b1"})) == ["Qa1-b2"]


# --- Alignments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", ["a1 a2 a3 a4", "a1 b1 c1 d1", "a1 b2 c3 d4", "a4 b3 c2 d1"])
def test_an_alignment_is_a_straight_run_of_four_in_any_of_the_four_directions(run: str) -> None:
    for played in run.split():
        others = " ".join(cell for cell in run.split() if cell != played)
        assert play(load(others, "g1 g3"), played).to_json()["pending"] == pending_parts(1, 2, run), played


def test_an_alignment_is_made_by_each_of_the_four_actions() -> None:
    for state, text, captures in (
        (load("a1 a2 a3", "g1"), "a4", 1),
        (load("a1 a2 a3", "g1 g2"), "Qa4", 2),
        (load("a1 a2 a3", "g1 g2", queens=("b5", None)), "Qb5-a4", 2),
        (load("a1 a2 a3 c7", "g1 g2", queens=("f7", None), reserve=(0, 3)), "c7-a4", 1),
    ):
        assert play(state, text).to_json()["pending"] == pending_parts(captures, 2, "a1 a2 a3 a4"), text


def test_a_broken_run_or_one_of_three_is_none() -> None:
    for white, black, cell in (("a1 a2", "g1", "a3"), ("a1 a2 a5", "g1", "a4"), ("a1 a2 a5", "a3 g1", "a4")):
        assert play(load(white, black), cell).to_json()["pending"] is None, white


def test_a_run_does_not_go_round_the_edge() -> None:
    for white, black, cell in (("a6 a7 b1", "g1", "b2"), ("f1 g1 a2", "g3", "b2"), ("c6 d7 e1", "g3", "f2")):
        assert play(load(white, black), cell).to_json()["pending"] is None, white


def test_runs_that_do_not_contain_the_cell_just_played_to_do_not_count() -> None:
    assert play(load("c1 c2 c3 c4", "g1"), "e5").to_json()["pending"] is None


def test_a_piece_never_aligns_with_the_place_it_left() -> None:
    assert play(load("a1 a2 a3 d1", "g1", queens=("f7", None), reserve=(0, 3)), "a1-a4").to_json()["pending"] is None
    assert play(load("a1 a2", "g1", queens=("a3", None)), "Qa3-a4").to_json()["pending"] is None


# --- Captures and returns ---------------------------------------------------------------------------------------------

ENEMIES = "b7 c7 d7 e7 f7 g7"


@pytest.mark.parametrize(("length", "captures", "returns"), [(4, 1, 2), (5, 2, 3), (6, 3, 4), (7, 4, 5)])
def test_one_run_of_normal_pieces_captures_n_minus_3_and_returns_n_minus_2(
    length: int, captures: int, returns: int
) -> None:
    run = [f"a{row}" for row in range(1, length + 1)]
    others = " ".join(cell for cell in run if cell != "a3")
    assert play(load(others, ENEMIES), "a3").to_json()["pending"] == pending_parts(captures, returns, " ".join(run))


@pytest.mark.parametrize(("length", "captures", "returns"), [(4, 2, 2), (5, 3, 3), (6, 4, 4), (7, 5, 5)])
def test_one_run_with_the_queen_captures_and_returns_n_minus_2(length: int, captures: int, returns: int) -> None:
    run = [f"a{row}" for row in range(1, length + 1)]
    others = " ".join(cell for cell in run if cell not in ("a3", "a1"))
    state = play(load(others, ENEMIES, queens=("a1", None)), "a3")
    assert state.to_json()["pending"] == pending_parts(captures, returns, " ".join(run))


def test_two_runs_without_the_queen_capture_3_and_return_3_with_the_crossing_piece_among_them() -> None:
    state = play(load("a4 b3 c2 d2 d3 d4", "c3 c4 c5 g7"), "d1")
    assert state.to_json()["pending"] == pending_parts(3, 3, "a4 b3 c2 d1", "d1 d2 d3 d4", crossing="d1")


def test_two_runs_with_the_queen_in_one_capture_4_and_return_3_with_the_crossing_piece_among_them() -> None:
    state = play(load("a4 b3 c2 d2 d3", ENEMIES, queens=("d4", None)), "d1")
    assert state.to_json()["pending"] == pending_parts(4, 3, "a4 b3 c2 d1", "d1 d2 d3 d4", crossing="d1")


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


def test_two_runs_that_cross_in_the_queen_capture_4_and_return_3_of_any() -> None:
    state = play(load("a4 b3 c2 d2 d3 d4", ENEMIES), "Qd1")
    assert state.to_json()["pending"] == pending_parts(4, 3, "a4 b3 c2 d1", "d1 d2 d3 d4")
    assert texts(play(state, "xb7 xc7 xd7 xe7")) == ["ra4", "rb3", "rc2", "rd2", "rd3", "rd4"]


def test_more_than_two_runs_pay_like_two() -> None:
    pending = play(load("a1 b2 c3 d1 d2 d3 a4 b4 c4 a7 b6 c5", ENEMIES), "d4").to_json()["pending"]
    assert (pending["captures"], pending["returns"], pending["crossing"]) == (3, 3, "d4")
    assert [" ".join(run) for run in pending["runs"]] == ["a1 b2 c3 d4", "a4 b4 c4 d4", "a7 b6 c5 d4", "d1 d2 d3 d4"]


def test_two_runs_pay_3_or_4_also_where_one_long_run_alone_would_pay_more() -> None:
    for white, queen, captures in (("a1 a2 a3 a5 a6 a7 b4 c4 d4", None, 3), ("a1 a2 a3 a5 a6 b4 c4 d4", "a7", 4)):
        pending = play(load(white, ENEMIES, queens=(queen, None)), "a4").to_json()["pending"]
        assert (pending["captures"], pending["returns"]) == (captures, 3)


def test_captures_are_of_the_movers_choice_anywhere_one_after_the_other_and_leave_for_good() -> None:
    state = play(load("a1 a2 a3 a4", "c1 e5 g7", queens=(None, "g1")), "a5")
    assert texts(state) == ["xc1", "xe5", "xg7"]
    state = play(state, "xe5")
    assert texts(state) == ["xc1", "xg7"]
    after = play(state, "xg7").to_json()
    assert (after["pieces"][1], after["reserve"]) == (["c1"], [4, 5])


def test_fewer_are_captured_only_when_the_enemy_has_no_more_normal_pieces_on_the_board() -> None:
    assert play(load("a1 a2 a3 a4 a5", "c1 e5", queens=(None, "g1")), "a6").to_json()["pending"]["captures"] == 2
    none = play(load("a1 a2 a3", "", queens=(None, "g1")), "a4")
    assert none.to_json()["pending"] == pending_parts(0, 2, "a1 a2 a3 a4")
    assert texts(none) == ["ra1", "ra2", "ra3", "ra4"]


def test_all_captures_come_before_all_returns_and_the_crossing_piece_is_the_only_first_return() -> None:
    state = play(load("a4 b3 c2 d2 d3 d4", "c3 c4 c5"), "d1 xc5 xc4")
    assert texts(state) == ["xc3"]
    state = play(state, "xc3")
    assert state.to_json()["pending"] == pending_parts(0, 3, "a4 b3 c2 d1", "d1 d2 d3 d4", crossing="d1")
    assert texts(state) == ["rd1"]
    state = play(state, "rd1")
    assert state.to_json()["pending"] == pending_parts(0, 2, "a4 b3 c2", "d2 d3 d4")
    assert texts(state) == ["ra4", "rb3", "rc2", "rd2", "rd3", "rd4"]


def test_returned_pieces_go_to_the_reserve_and_the_turn_ends_with_the_last() -> None:
    state = play(load("a1 a2 a3", "g1 g2", reserve=(1, 5)), "a4 xg1")
    assert (state.to_json()["reserve"], state.to_json()["to_move"], state.turn) == ([0, 5], 0, 0)
    state = play(state, "ra1 ra4")
    json_ = state.to_json()
    assert (json_["reserve"], json_["to_move"], json_["pending"], state.turn) == ([2, 5], 1, None, 1)
    assert json_["pieces"] == [["a2", "a3"], ["g2"]]


def test_the_queen_is_never_captured_and_never_returned() -> None:
    state = play(load("a1 a2 a3", "g1 g2", queens=("a4", "e6")), "a5")
    assert (texts(state), texts(play(state, "xg1 xg2"))) == (["xg1", "xg2"], ["ra1", "ra2", "ra3", "ra5"])


def test_only_pieces_of_the_alignment_go_back() -> None:
    assert "re1" not in texts(play(load("a1 a2 a3 e1", "g1"), "a4 xg1"))


# --- Worked examples --------------------------------------------------------------------------------------------------


def test_worked_example_1_two_runs_through_d1() -> None:
    state = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5")
    line = "d1 xc5 xc4 xc3 rd1 rc2 rd2"
    assert [action.text for action in state.parse(line)] == line.split()
    after = play(state, line).to_json()
    assert (after["pieces"], after["reserve"]) == ([["a4", "b3", "d3", "d4"], []], [7, 5])


def test_worked_example_2_the_queen_comes_in_on_e3_with_a_run_of_five() -> None:
    state = load("c1 d2 f4 g5", "a1 a2 a3 a5")
    assert "Qe3" in texts(state)
    assert "Qe4" not in texts(state)
    assert "Qe4" in texts(load("c1 d2 f4 g5", "a1 a2 a3 a5", reserve=(0, 5)))
    assert play(state, "Qe3").to_json()["pending"] == pending_parts(3, 3, "c1 d2 e3 f4 g5")


def test_worked_example_3_the_line_with_c5_wins_against_the_queen_on_c6() -> None:
    assert result(play(load("c5 b6 a7", "", queens=(None, "c6")), "d4")) == ("plain", (1, 2))
