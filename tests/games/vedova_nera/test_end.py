"""How La Vedova Nera ends: the win, the two draws, dropping out, and passing."""

from typing import Any

import pytest

from engine.core import PASS, Action, IllegalAction, State
from engine.games.vedova_nera import GAME as VEDOVA_NERA
from engine.games.vedova_nera import Play
from tests.games.vedova_nera.board import DEAL_FOR_3, load, pawns, play, position, texts
from tests.support.present import catch_error, present, result

# --- Win --------------------------------------------------------------------------------------------------------------


def test_covering_all_own_goals_wins_the_others_share_second_place() -> None:
    state = play(load("b1 c1 d2", "e4", "", "", "", goals=["b1 c1 d1"]), "d2-d1")
    assert result(state) == ("complete", (1, 2, 2, 2, 2))


def test_a_marble_can_complete_the_goals() -> None:
    assert present(play(load("b1 c1 d2", "", "", "", "", goals=["b1 c1 d1"]), "Md1-d2").outcome).winner == 0


def test_entering_a_pawn_can_complete_the_goals() -> None:
    assert present(play(load("b1 c1", "", "", "", "", goals=["b1 c1 d4"]), "+d4").outcome).winner == 0


def test_all_of_the_goals_must_be_covered() -> None:
    assert play(load("b1 c1", "", "", "", "", goals=["b1 c1 d4"]), "+e4").outcome is None


def test_a_win_is_the_movers_and_ends_the_game_at_once() -> None:
    state = play(load("", "b1 c1 d2", "", "", "", goals=["", "b1 c1 d1"], to_move=1), "d2-d1")
    assert result(state) == ("complete", (2, 1, 2, 2, 2))


def test_dropouts_keep_the_last_places_when_another_wins() -> None:
    state = play(load("b1 c1 d2", "", "", "", "", goals=["b1 c1 d1"]), "drop 3", "drop 1", "d2-d1")
    assert present(state.outcome).places == (1, 4, 2, 5, 2)


# --- No progress ------------------------------------------------------------------------------------------------------


def near_the_end(played: int, **more: Any) -> State:
    extra = {"turn": played + 2, "played": played}
    return VEDOVA_NERA.load(position("b1 c1 d2", "e4", "", "", "", goals=["b1 c1 d1"], extra=extra, **more))


def test_500_turns_of_the_phase_play_in_all_are_a_draw() -> None:
    state = play(near_the_end(498), "d2-d3")
    assert state.outcome is None
    assert result(play(state, "e4-e3")) == ("no-progress", (1, 1, 1, 1, 1))


def test_a_win_in_the_500th_turn_is_a_win() -> None:
    assert present(play(near_the_end(499), "d2-d1").outcome).reason == "complete"


def test_a_turn_that_a_drop_cuts_short_counts_one_that_it_does_not_does_not() -> None:
    state = play(near_the_end(499), "drop 2")
    assert state.outcome is None
    assert result(play(state, "drop 0")) == ("no-progress", (4, 1, 5, 1, 1))


def test_choosing_colours_is_not_of_the_phase_play() -> None:
    state = play(VEDOVA_NERA.start(3), DEAL_FOR_3, "red", "green", "blue")
    assert isinstance(state, Play)
    assert (state.turn, state.played) == (3, 0)


def test_the_count_starts_at_0_in_a_loaded_position() -> None:
    state = load("b1 c1", "e4")
    assert (state.played, state.turn) == (0, 0)


# --- Repetition -------------------------------------------------------------------------------------------------------

ROUND = ("b1-b2", "e4-e3", "b2-b1", "e3-e4")


def test_the_same_position_for_the_third_time_is_a_draw_the_first_one_being_occurrence_one() -> None:
    state: State = load("b1 c1", "e4")
    state = play(state, *ROUND, *ROUND[:3])
    assert state.outcome is None
    assert result(play(state, ROUND[3])) == ("repetition", (1, 1))


def test_repetition_goes_before_no_progress() -> None:
    state = play(VEDOVA_NERA.load(position("b1 c1", "e4", extra={"played": 492})), *ROUND, *ROUND)
    assert present(state.outcome).reason == "repetition"


def test_the_position_includes_the_ban_of_the_counsellor() -> None:
    state: State = load("b1", "e4", counsellor="g2")
    shuttle = ("b1-b2", "Kg3", "b2-b1", "Kg2")
    # But for the ban on g3 the first position stands for the third time now; the next one really does.
    state = play(state, *shuttle, *shuttle)
    assert state.outcome is None
    assert present(play(state, shuttle[0]).outcome).reason == "repetition"


def test_the_position_includes_the_ban_on_entering_the_marbles_and_who_is_off_the_board() -> None:
    marbles = load("a1", "b4 d4", goals=["a3"])
    assert load("a1", "b4 d4", goals=["b3"]) != marbles
    assert load("a1", "b4 d4", goals=["a3"], entry_ban=["c4", None]) != marbles
    assert load("a1", "b4", goals=["a3"]) != marbles
    assert load("a1", "b4 d4", goals=["a3"]) == marbles


def test_a_drop_starts_the_history_anew() -> None:
    state: State = load("b1 c1", "e4", "g4")
    state = play(state, *(("b1-b2", "e4-e3", "g4-g3", "b2-b1", "e3-e4", "g3-g4")), "drop 2")
    assert isinstance(state, Play)
    assert state.history is not None
    assert (state.history.occurrences, state.history.previous) == (1, None)
    state = play(state, *ROUND)
    assert state.outcome is None
    assert result(play(state, *ROUND)) == ("repetition", (1, 1, 3))


def test_a_game_loaded_in_between_ends_by_repetition_at_the_same_turn() -> None:
    state: State = load("b1 c1", "e4")
    for number, text in enumerate(ROUND * 2, start=1):
        state = VEDOVA_NERA.load(play(state, text).to_json())
        assert (state.outcome is not None) == (number == 8)


# --- Passing ----------------------------------------------------------------------------------------------------------


def walled_in(**more: Any) -> dict[str, Any]:
    """Five players; red's pawns on a1, b1 and h1 can go nowhere, and the Counsellor only back to d1."""
    return position("a1 b1 h1", "a2 b2 g1", "h2 c2 e1", "e2", "f4", counsellor="c1", ban="d1", **more)


def test_a_seat_without_any_legal_action_passes() -> None:
    state = VEDOVA_NERA.load(walled_in())
    assert state.legal_actions() == (PASS,)
    after = state.play(PASS)
    assert (after.to_move, after.turn, pawns(after)) == (1, 1, pawns(state))


def test_a_pass_counts_as_a_turn() -> None:
    assert present(VEDOVA_NERA.load(walled_in(extra={"played": 499})).play(PASS).outcome).reason == "no-progress"


def test_after_a_pass_the_action_before_was_no_counsellor_move() -> None:
    after = VEDOVA_NERA.load(walled_in()).play(PASS)
    assert (after.to_json()["counsellor_ban"], "Kd1" in texts(after)) == (None, True)


def test_passing_is_never_allowed_otherwise() -> None:
    state = load("b1 c1", "e4")
    assert PASS not in state.legal_actions()
    assert catch_error(IllegalAction, state.read, "pass").code == "must-act"


# --- Dropping out -----------------------------------------------------------------------------------------------------


def test_the_pawns_of_a_seat_that_left_stay_and_its_turns_are_skipped() -> None:
    state = play(load("b1", "e4", "g4"), "drop 1")
    assert (pawns(state), state.to_move, state.turn) == (["b1", "e4", "g4"], 0, 0)
    state = play(state, "b1-b2")
    assert (state.to_move, play(state, "g4-g3").to_move) == (2, 0)


def test_a_seat_that_drops_on_the_move_ends_its_turn() -> None:
    state = play(load("b1", "e4", "g4"), "drop 0")
    assert (state.to_move, state.turn, state.dropped) == (1, 1, (0,))


def test_pawns_of_a_seat_that_left_can_be_captured_and_trap_together_with_the_counsellor() -> None:
    state = play(load("c1 d3", "c2", "g4"), "drop 1", "d3-c3")
    assert (pawns(state)[1], state.to_json()["off"]) == ("", [3, 5, 4])
    assert pawns(play(load("e3", "a2", "b2", counsellor="c1"), "drop 1", "Kc2")) == ["e3", "a2", ""]


def test_pawns_of_a_seat_that_left_are_stable_as_before() -> None:
    assert pawns(play(load("c1 d3", "c2", "g4", goals=["", "c2"]), "drop 1", "d3-c3"))[1] == "c2"


def test_numbers_that_depend_on_the_players_stay_those_of_the_seats_at_the_start() -> None:
    # three seats need 3 stable pawns for a marble, also when two are left (two from the start would need 4)
    for stable_pawns, allowed in (("a1 b1", False), ("a1 b1 c1", True)):
        state = play(load(stable_pawns, "e4", "g4", goals=["a1 b1 c1 d2 h2"]), "drop 1")
        assert bool(texts(state, "marble")) == allowed
    # four need 2, also when three are left (three from the start would need 3)
    assert texts(play(load("a1 b1", "e4", "g4", "h4", goals=["a1 b1 d2 h2"]), "drop 1"), "marble")
    # each has the pawns of three seats: 5
    assert play(load("a1 b1", "e4", "g4"), "drop 1").to_json()["off"] == [3, 4, 4]


def test_the_ban_on_entering_of_two_players_does_not_come_when_two_of_three_are_left() -> None:
    state = play(load("a1", "b4 c3", "g4", goals=["d2 e2 f2 g2 h2"]), "drop 2", "+c4")
    assert state.to_json()["last_entry"] is None
    caught = play(state, "+d4")
    assert (pawns(caught)[0], caught.to_json()["entry_ban"]) == ("a1", [None, None, None])
    assert "+c4" in texts(caught, "enter")


def test_draw_shares_first_place_among_remaining_players() -> None:
    state = load("b1", "e4", "g4", "c3", extra={"played": 498})
    assert result(play(state, "drop 2", "b1-b2", "e4-e3")) == ("no-progress", (1, 1, 4, 1))


def test_when_one_seat_is_left_it_wins_and_the_first_to_leave_is_last() -> None:
    assert result(play(load("b1", "e4", "g4"), "drop 0", "drop 2")) == ("last-seat", (3, 1, 2))


@pytest.mark.parametrize("seat", [-1, 2, 3, "0", None, True])
def test_only_a_seat_still_playing_can_drop(seat: object) -> None:
    state = play(load("b1", "e4", "g4"), "drop 2")
    refusal = state.refusal(Action(f"drop {seat}", "drop", value=seat))
    assert (refusal.code, state.is_legal(Action(f"drop {seat}", "drop", value=seat))) == ("no-such-seat", False)
