"""Gioco dell'Uomo Nero before the first throw of a round: roll-off, the Man's cell, colours."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from engine.core import CHANCE, IllegalAction, InvalidAction, State
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.engine.playing import CountingChance
from tests.games.uomo_nero.court import begin_round, drop, load, play, rolled_off, texts
from tests.support.present import present, result

FINISH = {f"{column}13" for column in "abcdefgh"}


def test_the_board_has_104_cells_and_steps_are_orthogonal() -> None:
    board = present(UOMO_NERO.start(2).topology)
    assert len(board) == 8 * 13 == 104
    assert [board.names[cell] for cell in board.neighbours[board.index["c5"]]] == ["b5", "c4", "c6", "d5"]


def test_two_to_five_play_and_there_are_no_options() -> None:
    assert (list(UOMO_NERO.seats), UOMO_NERO.options) == ([2, 3, 4, 5], {})


def test_the_first_position() -> None:
    assert UOMO_NERO.start(3).to_json() == {
        "game": "uomo-nero",
        "options": {},
        "seats": 3,
        "to_move": 0,
        "phase": "roll-off",
        "round": 0,
        "order": [],
        "man_seat": None,
        "man": None,
        "attackers": [],
        "colours": {},
        "dice": None,
        "used": None,
        "captured": [],
        "man_turns": 0,
        "attack_scores": [0, 0, 0],
        "man_scores": [None, None, None],
        "dropped": [],
        "outcome": None,
        "extra": {"rollers": [0, 1, 2]},
    }


def test_a_throw_has_21_outcomes_a_double_once_in_36() -> None:
    state = UOMO_NERO.start(2)
    thrown = Counter(f"roll {min(pair)} {max(pair)}" for pair in product(range(1, 7), repeat=2))
    assert len(thrown) == 21
    assert {str(action): round(probability * 36, 9) for action, probability in state.chance_outcomes()} == thrown
    assert [action.value for action in state.legal_actions()][:3] == [(1, 1), (1, 2), (1, 3)]


def test_chance_asks_for_one_number_below_36_a_throw() -> None:
    rng, state = CountingChance(), UOMO_NERO.start(2)
    drawn = Counter(state.sample_chance(rng).text for _ in range(36))
    assert rng.asked == [36] * 36
    assert drawn == {str(action): round(probability * 36) for action, probability in state.chance_outcomes()}


class TestRollOff:
    def test_each_player_rolls_in_seat_order(self) -> None:
        state: State = UOMO_NERO.start(3)
        for seat in range(3):
            assert (state.to_move, state.to_json()["to_move"]) == (CHANCE, seat)
            state = play(state, f"roll {seat + 1} 6")
        assert state.to_json()["phase"] == "man-start"

    def test_the_lowest_sum_is_number_1_and_the_others_follow_clockwise(self) -> None:
        state = play(UOMO_NERO.start(5), "roll 3 4", "roll 5 5", "roll 3 3", "roll 1 1", "roll 1 2")
        assert state.to_json()["order"] == [3, 4, 0, 1, 2]

    def test_number_1_is_the_man_of_round_1(self) -> None:
        shown = play(UOMO_NERO.start(3), "roll 3 4", "roll 1 1", "roll 1 2").to_json()
        assert (shown["round"], shown["man_seat"], shown["to_move"]) == (1, 1, 1)

    def test_players_tied_for_the_lowest_roll_roll_again(self) -> None:
        state = play(UOMO_NERO.start(4), "roll 1 3", "roll 2 2", "roll 5 6", "roll 1 3")
        rolled = list[Any]()
        for dice in ("roll 1 1", "roll 4 4", "roll 1 1", "roll 6 6", "roll 5 6"):
            rolled.append(state.to_json()["to_move"])
            state = play(state, dice)
        assert (rolled, state.to_json()["order"]) == ([0, 1, 3, 0, 3], [3, 0, 1, 2])

    def test_a_tie_above_the_lowest_does_not_matter(self) -> None:
        assert play(UOMO_NERO.start(3), "roll 6 6", "roll 6 6", "roll 1 2").to_json()["order"] == [2, 0, 1]

    def test_it_is_no_turn(self) -> None:
        assert play(UOMO_NERO.start(2), "roll 1 3", "roll 1 3", "roll 1 2", "roll 6 6").turn == 0

    def test_loaded_without_extra_it_starts_again_at_seat_0(self) -> None:
        position = play(UOMO_NERO.start(3), "roll 3 4", "roll 1 1").to_json()
        assert position["to_move"] == 2
        del position["extra"]
        state = UOMO_NERO.load(position)
        assert state.to_json()["to_move"] == 0
        assert play(state, "roll 5 5", "roll 6 6", "roll 6 6").to_json()["order"] == [0, 1, 2]

    def test_with_extra_it_goes_on_where_it_was(self) -> None:
        state = play(UOMO_NERO.start(4), "roll 1 3", "roll 2 2", "roll 5 6", "roll 1 3", "roll 1 2")
        assert play(UOMO_NERO.load(state.to_json()), "roll 1 1", "roll 6 6").to_json()["order"] == [1, 2, 3, 0]

    def test_one_who_left_is_still_rolled_for_so_that_the_order_is_known(self) -> None:
        state = play(drop(UOMO_NERO.start(3), 1), "roll 3 3")
        assert (state.to_json()["to_move"], state.turn) == (1, 0)
        shown = play(state, "roll 1 1", "roll 4 4").to_json()
        assert (shown["order"], shown["round"], shown["man_seat"]) == ([1, 2, 0], 2, 2)

    def test_when_one_seat_is_left_it_wins(self) -> None:
        state = drop(play(UOMO_NERO.start(3), "roll 1 2"), 0, 2)
        assert result(state) == ("last-seat", (3, 1, 2))
        assert UOMO_NERO.load(state.to_json()) == state

    def test_a_drop_cuts_no_turn_short_for_rolling_off_is_none(self) -> None:
        for rolls, seats in (([], (1, 0)), (["roll 1 2"], (2, 1))):
            state = drop(play(UOMO_NERO.start(3), *rolls), *seats)
            assert (state.to_move, state.turn) == (None, 0)


class TestTheManPicksACell:
    def test_any_of_row_13(self) -> None:
        state = rolled_off()
        assert texts(state) == FINISH
        shown = play(state, "e13").to_json()
        assert (shown["man"], shown["phase"]) == ("e13", "colours")

    def test_with_two_players_there_is_nothing_to_pick_and_all_are_the_attackers(self) -> None:
        shown = begin_round(2).to_json()
        assert shown["phase"] == "roll"
        assert shown["colours"] == {"red": 1, "yellow": 1, "green": 1, "blue": 1}
        assert [attacker["cell"] for attacker in shown["attackers"]] == [f"{column}1" for column in "abcdefgh"]

    def test_it_is_a_turn(self) -> None:
        assert begin_round(2).turn == 1


class TestColours:
    @pytest.mark.parametrize(("seats", "order", "own"), [(3, [1, 2, 1, 2], 4), (4, [1, 2, 3], 2), (5, [1, 2, 3, 4], 2)])
    def test_attackers_pick_clockwise_from_the_mans_left(self, seats: int, order: list[int], own: int) -> None:
        state = play(rolled_off(seats), "d13")
        picked = []
        while state.to_json()["phase"] == "colours":
            picked.append(state.to_move)
            state = state.play(state.legal_actions()[-1])
        assert picked == order
        attackers = Counter(attacker["seat"] for attacker in state.to_json()["attackers"])
        assert attackers == dict.fromkeys(range(1, seats), own)

    def test_the_man_of_a_later_round_has_another_on_his_left(self) -> None:
        assert play(UOMO_NERO.start(4), "roll 6 6", "roll 6 6", "roll 1 1", "roll 6 6", "a13").to_move == 3

    def test_one_colour_of_those_left(self) -> None:
        state = play(rolled_off(4), "d13")
        assert texts(state) == {"red", "yellow", "green", "blue"}
        assert texts(play(state, "green", "red")) == {"yellow", "blue"}

    def test_with_four_players_one_colour_stays_out(self) -> None:
        shown = play(rolled_off(4), "d13", "green", "red", "blue").to_json()
        assert (shown["colours"], shown["phase"]) == ({"green": 1, "red": 2, "blue": 3}, "roll")

    @pytest.mark.parametrize(
        ("colour", "cells"),
        [("red", ["a1", "b1"]), ("yellow", ["c1", "d1"]), ("green", ["e1", "f1"]), ("blue", ["g1", "h1"])],
    )
    def test_attackers_stand_on_their_start_cells_as_soon_as_their_colour_is_picked(
        self, colour: str, cells: list[str]
    ) -> None:
        state = play(rolled_off(), "d13", colour)
        assert state.to_json()["attackers"] == [{"seat": 1, "colour": colour, "cell": cell} for cell in cells]

    def test_each_pick_is_a_turn(self) -> None:
        state = play(rolled_off(), "d13")
        assert [state.turn, play(state, "red").turn, play(state, "red", "blue").turn] == [1, 2, 3]

    def test_two_picks_in_a_row_of_one_seat_are_one_turn(self) -> None:
        state = drop(play(rolled_off(), "d13"), 1)
        assert (state.to_move, state.turn) == (2, 2)
        assert [play(state, "red").turn, play(state, "red", "blue").turn] == [2, 3]

    def test_the_man_does_not_pick(self) -> None:
        state = play(rolled_off(), "d13")
        while state.to_json()["phase"] == "colours":
            assert state.to_move != 0
            state = state.play(state.legal_actions()[0])


class TestOrderOfPlay:
    def test_the_player_to_the_mans_left_begins_and_the_man_is_last_again_and_again(self) -> None:
        state = begin_round(4)
        movers = []
        for _ in range(8):
            movers.append(state.to_json()["to_move"])
            state = play(state, "roll 1 1", "stay" if state.to_json()["to_move"] == 0 else "stay/2")
        assert movers == [1, 2, 3, 0, 1, 2, 3, 0]

    def test_a_player_with_no_attacker_left_in_play_is_skipped(self) -> None:
        state = load("a5 b5", "c13 d13", "e5 f5", seats=4, dice=(1, 1), to_move=1)
        assert play(state, "stay/2").to_json()["to_move"] == 3
        assert play(load("a5", "", "e13", "", seats=5, dice=(1, 1), to_move=0), "stay").to_json()["to_move"] == 1

    def test_each_player_throws_two_dice_each_turn(self) -> None:
        state = begin_round(2)
        assert (state.to_move, state.to_json()["to_move"]) == (CHANCE, 1)
        state = play(state, "roll 2 3")
        assert (state.to_move, state.to_json()["dice"]) == (1, [2, 3])

    def test_no_action_but_a_throw_while_dice_are_due(self) -> None:
        state = begin_round(2)
        with pytest.raises(InvalidAction, match="chance-to-move"):
            state.parse("a1-a2")
        with pytest.raises(IllegalAction):
            state.play(play(state, "roll 1 2").legal_actions()[0])
