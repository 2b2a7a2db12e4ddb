"""La Vedova Nera on the web: every sentence about turns, stable pawns, captures and bans."""

from __future__ import annotations

import pytest

from engine.core import State
from tests.games.vedova_nera.board import load, pawns, play, refused, stable, texts

SIX = "a4 b4 c4 d4 e4 f4"  # goals out of the way


# --- Stable pawns -----------------------------------------------------------------------------------------------------


def test_example_4_a_goal_is_not_stable_while_one_further_in_is_open() -> None:
    state = load("c1 d3", "", "", "", "", goals=["c1 f1 d3"], to_move=1)
    assert stable(state, 0) == "c1"


def test_example_4_reaching_the_last_goal_makes_all_stable_at_once_and_that_is_the_win() -> None:
    state = play(load("c1 d3 g1", "", "", "", "", goals=["c1 f1 d3"]), "g1-f1")
    assert (stable(state, 0), state.outcome and state.outcome.reason) == ("c1 d3 f1", "complete")


def test_pawns_in_the_innermost_ring_with_an_open_goal_are_stable_those_further_out_are_not() -> None:
    state = load("c1 c2 f3 g4", "", goals=["c1 c2 e2 f3 g4 h4"])
    assert stable(state, 0) == "c1 c2"


def test_a_pawn_that_stands_on_no_own_goal_is_never_stable() -> None:
    state = load("c1 d1", "e1", goals=["c1 f2", "d1"], to_move=1)
    assert (stable(state, 0), stable(state, 1)) == ("c1", "")


def test_with_every_goal_covered_but_one_in_the_outermost_ring_all_covered_ones_are_stable() -> None:
    state = load("a1 b2 c3 d4 e4 g4", "", goals=["a1 b2 c3 d4 e4 f4"])
    assert stable(state, 0) == "a1 b2 c3 d4 e4"


def test_moving_a_stable_pawn_away_takes_stability_from_it_and_from_all_own_pawns_further_out() -> None:
    state = play(load("a1 b2 c3 g4", "", counsellor="h4", goals=["a1 b2 c3 d4 e4 f4"]), "a1-h1")
    assert stable(state, 0) == ""


def test_which_of_two_goals_in_one_ring_is_covered_first_does_not_matter() -> None:
    for first in ("a1", "b1"):
        assert stable(load(first, "", goals=["a1 b1 c2"]), 0) == first


# --- Steps ------------------------------------------------------------------------------------------------------------


def test_a_step_goes_to_a_free_neighbouring_node() -> None:
    state = load("c2 c3", "d2", counsellor="b2", goals=[SIX])
    assert texts(state, "step") == ["c2-c1", "c3-b3", "c3-c4", "c3-d3"]
    assert pawns(play(state, "c3-d3")) == ["c2 d3", "d2"]


def test_the_ring_is_closed() -> None:
    state = load("h3", "", goals=[SIX])
    assert texts(state, "step") == ["h3-a3", "h3-g3", "h3-h2", "h3-h4"]


def test_the_turn_is_exactly_one_action() -> None:
    state = play(load("c2 c3", "d2", goals=[SIX]), "c2-c1")
    assert (state.to_move, state.turn) == (1, 1)


# --- The Counsellor ---------------------------------------------------------------------------------------------------


def test_the_counsellor_slides_any_number_of_nodes_along_its_spoke_or_its_ring_either_way_round() -> None:
    state = load("a3", "b4", counsellor="e2", goals=[SIX])
    assert texts(state, "counsellor") == ["Ka2", "Kb2", "Kc2", "Kd2", "Kf2", "Kg2", "Kh2", "Ke1", "Ke3", "Ke4"]


def test_every_node_the_counsellor_passes_must_be_free_and_the_last_one_too() -> None:
    state = load("c2", "g2 e4", counsellor="e2", goals=[SIX])
    assert texts(state, "counsellor") == ["Kd2", "Kf2", "Ke1", "Ke3"]


def test_one_way_round_the_ring_may_be_open_where_the_other_is_not() -> None:
    state = load("f2", "", counsellor="e2", goals=[SIX])
    assert "Kg2" in texts(state, "counsellor")


def test_the_counsellor_never_slides_to_its_own_node_not_even_once_round_an_empty_ring() -> None:
    state = load("a4", "b4", counsellor="e1", goals=["c4"])
    assert "Ke1" not in texts(state)
    assert refused(state, "Ke1").code == "counsellor-stays-put"


def test_the_counsellor_may_not_go_straight_back() -> None:
    state = play(load("a4", "b4", counsellor="e2", goals=["c4"]), "Ke4")
    assert state.to_json()["counsellor_ban"] == "e2"
    assert refused(state, "Ke2").code == "counsellor-straight-back"
    assert {"Ke1", "Ke3"} <= set(texts(state))


def test_not_straight_back_covers_going_round_the_ring_the_other_way() -> None:
    state = play(load("a4", "b4", counsellor="e2", goals=["c4"]), "Kg2")
    assert "Ke2" not in texts(state)


def test_the_counsellor_may_go_back_after_another_action_or_by_another_node() -> None:
    state = play(load("a4", "b4", counsellor="e2", goals=["c4"]), "Ke4", "b4-b3")
    assert (state.to_json()["counsellor_ban"], "Ke2" in texts(state)) == (None, True)
    state = play(load("a4", "b4", counsellor="e2", goals=["c4"]), "Ke4", "Ke3")
    assert (state.to_json()["counsellor_ban"], "Ke2" in texts(state), "Ke4" in texts(state)) == ("e4", True, False)


@pytest.mark.parametrize("action", ["a1-a2", "+f4", "Me4-e3"])
def test_any_action_but_a_slide_lifts_the_ban_of_the_counsellor(action: str) -> None:
    goals = ["a1 b1 c1 d1 e4 f3", "a4 b4 c4 d4 g4 h4"]
    state = play(load("a1 b1 c1 d1", "g3", goals=goals, counsellor="h2", ban="h4"), action)
    assert state.to_json()["counsellor_ban"] is None
    assert "Kh4" in texts(state, "counsellor")


def test_a_drop_lifts_no_ban() -> None:
    state: State = load("a4", "b4", "c4", counsellor="e2", goals=["d4"])
    assert play(state, "Ke4", "drop 0").to_json()["counsellor_ban"] == "e2"
    state = play(state, "Ke4", "drop 1")
    assert (state.to_move, state.to_json()["counsellor_ban"], "Ke2" in texts(state)) == (2, "e2", False)
    # of two players none is left to heed them, but the position stays as the last action left it
    over = play(load("a4", "b3", to_move=0, entry_ban=["f4", None]), "drop 1").to_json()
    assert over["entry_ban"] == ["f4", None]
    over = play(load("a4", "f4", to_move=0, last_entry="f4"), "drop 1").to_json()
    assert over["last_entry"] == "f4"


# --- Entering ---------------------------------------------------------------------------------------------------------


def test_a_player_with_pawns_off_the_board_may_enter_one_on_any_free_node_of_ring_4() -> None:
    state = load("a4 b3", "c4", counsellor="h4", goals=["d3 e3 f3 g3 h3 a3"])
    assert texts(state, "enter") == ["+b4", "+d4", "+e4", "+f4", "+g4"]
    after = play(state, "+d4")
    assert (pawns(after), after.to_json()["off"]) == (["a4 b3 d4", "c4"], [3, 5])


def test_a_player_with_all_pawns_on_the_board_enters_nothing() -> None:
    state = load("a3 b3 c3 d3 e3 f3", "c2", goals=[SIX])
    assert texts(state, "enter") == []


ENTRY = {"counsellor": "h1", "goals": ["e3 f3 g3 h3 a3 b3", "e2 f2 g2 h2 a2 b2"]}


def test_with_two_players_a_pawn_removed_at_once_may_not_enter_on_the_same_node_in_the_following_turn() -> None:
    state = play(load("a1", "b4 d3", **ENTRY), "+c4")
    assert state.to_json()["last_entry"] == "c4"
    state = play(state, "d3-d4")
    shown = state.to_json()
    assert (shown["off"], shown["last_entry"], shown["entry_ban"]) == ([5, 4], None, ["c4", None])
    assert refused(state, "+c4").code == "entry-ban"
    assert "+e4" in texts(state)


def test_the_ban_on_entering_holds_for_one_turn() -> None:
    state = play(load("a1", "b4 d3", **ENTRY), "+c4", "d3-d4", "a1-a2", "d4-d3")
    assert (state.to_json()["entry_ban"], "+c4" in texts(state)) == ([None, None], True)


def test_there_is_no_ban_on_entering_when_another_pawn_was_removed() -> None:
    state = play(load("a1 f3", "e3 g2", goals=["a4", "b4"]), "+c4", "g2-g3")
    assert (pawns(state)[0], state.to_json()["entry_ban"]) == ("a1 c4", [None, None])


def test_there_is_no_ban_on_entering_when_the_pawn_was_removed_later() -> None:
    state = play(load("a1", "b4 d3", **ENTRY), "+c4", "b4-b3", "a1-a2", "b3-b4", "a2-a1", "d3-d4")
    assert (state.to_json()["off"][0], "+c4" in texts(state)) == (5, True)


def test_the_ban_on_entering_is_the_second_players_too() -> None:
    state = play(load("b4 d3", "a1", **ENTRY, to_move=1), "+c4", "d3-d4")
    assert (state.to_json()["entry_ban"], "+c4" in texts(state)) == ([None, "c4"], False)


def test_with_three_players_there_is_no_ban_on_entering() -> None:
    state = play(load("a1", "b4 d3", "f1", counsellor="h1", goals=["a3", "b3", "c3"]), "+c4")
    assert state.to_json()["last_entry"] is None
    state = play(state, "d3-d4", "f1-f2")
    assert (state.to_json()["entry_ban"], "+c4" in texts(state)) == ([None, None, None], True)


# --- Marbles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "needed"), [(2, 4), (3, 3), (4, 2), (5, 2)])
def test_marbles_move_with_enough_stable_pawns_for_the_number_of_players(seats: int, needed: int) -> None:
    goals = " ".join(f"{spoke}1" for spoke in "abcdefgh"[: {2: 6, 3: 5, 4: 4, 5: 3}[seats]])
    rest = [""] * (seats - 1)
    enough = load(" ".join(goals.split()[:needed]), *rest, goals=[goals])
    too_few = load(" ".join(goals.split()[: needed - 1]), *rest, goals=[goals])
    assert texts(enough, "marble")
    assert not texts(too_few, "marble")
    error = refused(too_few, "Ma1-a2")
    assert (error.code, error.params) == ("too-few-stable", {"n": needed - 1, "needed": needed})


def test_a_marble_moves_to_a_free_neighbouring_hollow_and_the_goal_with_it() -> None:
    state = load("a1 b1", "", "", "", goals=["a1 b1 d2 h4", "d3"])
    assert [text for text in texts(state, "marble") if text.startswith("Md2")] == ["Md2-c2", "Md2-d1", "Md2-e2"]
    after = play(state, "Md2-c2")
    assert (after.to_json()["marbles"]["red"], pawns(after)[0]) == (["a1", "b1", "c2", "h4"], "a1 b1")


def test_a_marble_moves_to_a_hollow_whose_node_is_taken_and_pawns_do_not_stand_in_its_way() -> None:
    state = load("a1 b1", "c2", "", "", counsellor="d1", goals=["a1 b1 d2 h4"])
    assert {"Md2-c2", "Md2-d1"} <= set(texts(state))


def test_the_right_to_move_marbles_is_tested_each_time() -> None:
    state: State = load("a1 b1", "", "", "", goals=["a1 b1 d2 h4"])
    state = play(state, "b1-b2", "+a4", "+b4", "+c4")
    assert not texts(state, "marble")


def test_moving_a_marble_changes_which_pawns_are_stable() -> None:
    state = load("a2 b2 c3", "", "", "", goals=["a2 b2 c3 d2", "e1", "f1", "g1"])
    assert stable(state, 0) == "a2 b2"
    after = play(state, "Md2-d3")
    assert stable(after, 0) == "a2 b2 c3"
    after = play(state, "Ma2-a1")
    assert stable(after, 0) == ""


def test_a_marble_traps_nobody() -> None:
    state = load("a1 b1 c2", "c3", "", "", goals=["a1 b1 d3 h4"], counsellor="g3")
    assert pawns(play(state, "Md3-d2", "+a4", "+b4", "+d4", "Md2-c2"))[1] == "a4 c3"


# --- Captures ---------------------------------------------------------------------------------------------------------


def test_example_2_a_pawn_between_two_pawns_of_the_mover_is_removed() -> None:
    state = play(load("c1 d3", "c2", goals=[SIX]), "d3-c3")
    assert (pawns(state), state.to_json()["off"]) == (["c1 c3", ""], [4, 6])


def test_example_2_a_stable_pawn_is_not_removed() -> None:
    state = play(load("c1 d3", "c2", goals=[SIX, "c2 g4"]), "d3-c3")
    assert pawns(state) == ["c1 c3", "c2"]


def test_example_2_stepping_into_a_trap_is_harmless() -> None:
    state = play(load("c1 c3", "d2", goals=[SIX], to_move=1), "d2-c2")
    assert pawns(state) == ["c1 c3", "c2"]


@pytest.mark.parametrize("mover", [0, 1, 2])
def test_example_3_the_counsellor_and_a_pawn_trap_unless_the_pawns_owner_moved_it(mover: int) -> None:
    red, green = "b2", "a2"
    state = play(load(red, green, "e3", counsellor="c1", goals=["f4", "g4", "h4"], to_move=mover), "Kc2")
    assert pawns(state) == ["b2" if mover == 0 else "", "a2", "e3"]


def test_the_counsellor_and_a_fellow_of_the_victim_are_no_pair() -> None:
    state = play(load("e3", "a2 b2", counsellor="c1", goals=[SIX]), "Kc2")
    assert pawns(state)[1] == "a2 b2"


def test_a_pawn_of_the_mover_and_the_counsellor_are_a_pair_when_the_pawn_comes() -> None:
    state = play(load("b3", "c2", counsellor="d2", goals=[SIX]), "b3-b2")
    assert pawns(state) == ["b2", ""]


def test_a_pawn_of_the_mover_and_one_of_a_third_player_are_no_pair() -> None:
    state = play(load("b3", "c2", "d2", goals=["e4", "f4", "g4"]), "b3-b2")
    assert pawns(state)[1] == "c2"


def test_the_pair_may_stand_along_the_spoke_or_along_the_ring() -> None:
    assert pawns(play(load("c3 e4", "d3", goals=["a4"]), "e4-e3"))[1] == ""
    assert pawns(play(load("d4 e2", "d3", goals=["a4"]), "e2-d2"))[1] == ""


def test_a_trap_is_straight_not_round_a_corner() -> None:
    assert pawns(play(load("c3 e2", "d3", goals=["a4"]), "e2-d2"))[1] == "d3"


def test_ring_1_and_ring_4_pawns_have_no_pair_along_the_spoke_and_the_middle_joins_nothing() -> None:
    assert pawns(play(load("a2 h3", "a4", goals=["c4"]), "h3-a3"))[1] == "a4"
    assert pawns(play(load("e1 b2", "a1", counsellor="h2", goals=["c4"]), "b2-a2"))[1] == "a1"


def test_along_the_ring_a_trap_goes_over_the_seam_between_h_and_a() -> None:
    assert pawns(play(load("g1 b1 b2", "h1", counsellor="e4", goals=["c4"]), "b1-a1"))[1] == ""


def test_entering_traps() -> None:
    assert pawns(play(load("c2", "c3", goals=["a4"]), "+c4"))[1] == ""


def test_all_pawns_caught_are_removed_at_once() -> None:
    state = load("a3 e3 c1 d4", "b3 d3 c2", counsellor="g2", goals=["h4"])
    after = play(state, "d4-c4", "b3-b2", "c4-d4", "b2-b3", "d4-c4", "+h4", "c4-c3")
    assert (pawns(after), after.to_json()["off"]) == (["a3 c1 c3 e3", "h4"], [2, 5])


def test_removals_do_not_influence_each_other() -> None:
    """The Counsellor on c2 traps green b2 with yellow a2, and at the same time yellow d2 with red e2."""
    state = load("e2", "b2", "a2 d2", counsellor="c4", goals=["f4", "g4", "h4"])
    assert pawns(play(state, "Kc2")) == ["e2", "", "a2"]
    state = load("f1", "b2 d2", "a2 e2", counsellor="c4", goals=["f4", "g4", "h4"])
    assert pawns(play(state, "Kc2")) == ["f1", "", "a2 e2"]


def test_being_trapped_by_a_removal_is_harmless() -> None:
    state = load("b1 d1 e4", "c1", "c2", counsellor="c3", goals=["f4", "g4", "h4"])
    assert pawns(play(state, "e4-e3"))[1:] == ["c1", "c2"]


def test_only_the_piece_just_moved_traps() -> None:
    state = load("b2 d2 f3", "c2", goals=["h4"])
    assert pawns(play(state, "f3-f2"))[1] == "c2"


def test_a_players_own_pawns_are_never_removed_by_its_own_action() -> None:
    state = load("b2", "a2", counsellor="c1", goals=["f4", "g4"])
    assert pawns(play(state, "Kc2"))[0] == "b2"
    state = load("b2", "a2 c2", counsellor="h4", goals=["f4", "g4"])
    assert pawns(play(load("b3", "a2 c2", goals=["f4", "g4"]), "b3-b2"))[0] == "b2"


def test_a_stable_pawn_traps() -> None:
    state = load("c1 d3", "c2", goals=["c1 a4"])
    assert stable(state, 0) == "c1"
    assert pawns(play(state, "d3-c3"))[1] == ""


def test_stability_counts_after_the_move() -> None:
    state = load("c1 d3", "c2 e1", goals=[SIX, "c2 e1"])
    assert stable(state, 1) == "c2 e1"
    assert pawns(play(state, "d3-c3"))[1] == "c2 e1"


# --- What players type ------------------------------------------------------------------------------------------------
