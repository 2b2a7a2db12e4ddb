"""Gioco dell'Uomo Nero: the Man's turn, rule by rule."""

import pytest

from engine.core import CHANCE
from tests.games.uomo_nero.court import begin_round, load, play, texts

FIELD = [f"{column}{row}" for column in "abcdefgh" for row in range(2, 13)]


def distance(one: str, other: str) -> int:
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:]))


class TestWorkedExamples:
    def test_4_the_man_on_d12_attackers_on_d10_and_e10_four_steps(self) -> None:
        state = load("d10 e10", "c1", man="d12", dice=(1, 3), to_move=0)
        state = play(state, "xd10", "xe10")
        assert (texts(state), play(state, "e9").to_json()["man"]) == ({"e9", "e11", "f10", "d10"}, "e9")

    def test_4_the_other_way_round(self) -> None:
        state = load("d10 e10", "c1", man="d12", dice=(1, 3), to_move=0)
        assert texts(play(state, "xe10", "xd10")) == {"e9", "e11", "f10", "d10"}


class TestWalking:
    def test_exactly_as_many_steps_as_both_dice_say_in_any_directions_and_back(self) -> None:
        state = load("a1", man="d7", dice=(1, 2), to_move=0)
        assert texts(state) == {cell for cell in FIELD if distance(cell, "d7") in (1, 3)}

    def test_the_first_step_from_row_13_is_straight_onto_row_12_of_his_column(self) -> None:
        state = play(begin_round(2, "d13"), "roll 2 2", "stay/4", "roll 1 2")
        assert texts(state) == {cell for cell in FIELD if distance(cell, "d12") in (0, 2)}

    def test_he_never_enters_row_13_again(self) -> None:
        assert not any(cell.endswith("13") for cell in texts(load("a1", man="d12", dice=(1, 2), to_move=0)))

    def test_he_never_enters_row_1(self) -> None:
        state = load("a1", man="d2", dice=(1, 2), to_move=0)
        assert texts(state) == {cell for cell in FIELD if distance(cell, "d2") in (1, 3)}

    def test_from_row_13_he_ends_in_the_field(self) -> None:
        assert texts(play(begin_round(2, "d13"), "roll 2 2", "stay/4", "roll 1 1")) == {"c12", "d11", "e12", "stay"}

    def test_he_may_end_where_he_started_if_he_took_steps(self) -> None:
        state = load("a1", man="d7", dice=(1, 3), to_move=0)
        assert {"d7", "stay"} <= texts(state)
        assert play(state, "d7") == play(state, "stay")

    def test_attackers_that_are_not_named_are_in_the_way(self) -> None:
        assert texts(load("d6 d8", "c7 e7", man="d7", dice=(1, 3), to_move=0)) == {"xd6", "xd8", "xc7", "xe7", "stay"}

    def test_arrived_attackers_and_those_on_the_start_line_are_out_of_reach(self) -> None:
        assert not texts(load("d13", "d1", man="d2", dice=(5, 6), to_move=0, blue="h1"), "capture")

    def test_after_his_turn_the_player_on_his_left_rolls(self) -> None:
        state = play(load("a5", "b5", seats=3, man="d7", dice=(1, 3), to_move=0), "d5")
        assert (state.to_move, state.to_json()["to_move"], state.to_json()["man_turns"]) == (CHANCE, 1, 21)


class TestStaying:
    def test_if_the_sum_is_even_he_may_stay(self) -> None:
        after = play(load("a5", man="d7", dice=(1, 3), to_move=0), "stay").to_json()
        assert (after["man"], after["man_turns"]) == ("d7", 21)

    @pytest.mark.parametrize("dice", [(1, 2), (2, 3), (5, 6)])
    def test_if_it_is_odd_he_must_walk_though_one_die_is_even(self, dice: tuple[int, int]) -> None:
        assert "stay" not in texts(load("a5", man="d7", dice=dice, to_move=0))

    def test_on_row_13_too(self) -> None:
        assert play(begin_round(2, "d13"), "roll 2 2", "stay/4", "roll 3 5", "stay").to_json()["man"] == "d13"

    def test_not_once_he_has_captured(self) -> None:
        assert "stay" not in texts(play(load("d6", "a5", man="d7", dice=(1, 3), to_move=0), "xd6"))

    @pytest.mark.parametrize("dice", [(1, 2), (2, 3), (3, 4)])
    def test_a_walk_always_exists_an_attacker_in_the_way_is_captured(self, dice: tuple[int, int]) -> None:
        assert {"xa3", "xb2"} <= texts(load("a3 b2", "a5", man="a2", dice=dice, to_move=0)) <= {"xa3", "xb2", "xa5"}


class TestCapturing:
    def test_man_captures_every_attacker_on_his_path_without_stopping(self) -> None:
        shown = play(load("d6", "d5 a5", man="d7", dice=(1, 3), to_move=0), "xd6", "xd5", "d3").to_json()
        assert ([attacker["cell"] for attacker in shown["attackers"]], shown["man"]) == (["a5"], "d3")

    def test_a_named_attacker_leaves_the_board_at_once(self) -> None:
        shown = play(load("d6", "d5 a5", man="d7", dice=(1, 3), to_move=0), "xd6").to_json()
        assert [attacker["cell"] for attacker in shown["attackers"]] == ["a5", "d5"]
        assert (shown["captured"], shown["man"], shown["to_move"]) == (["d6"], "d7", 0)

    def test_the_list_of_the_named_is_sorted_by_column_then_row(self) -> None:
        state = load("d8 d10", "e8", man="d7", dice=(6, 6), to_move=0)
        assert play(state, "xe8", "xd10", "xd8").to_json()["captured"] == ["d8", "d10", "e8"]

    def test_he_may_end_on_the_cell_of_a_captured_attacker(self) -> None:
        assert "d6" in texts(play(load("d6", "a5", man="d7", dice=(1, 2), to_move=0), "xd6"))

    def test_the_walk_enters_exactly_the_cells_of_the_captured(self) -> None:
        # to c5 in 3 steps only over d6 or over c7, c6 or d5
        state = load("d6 c7", "a12", man="d7", dice=(1, 2), to_move=0)
        assert "c5" not in texts(state)
        assert "c5" in texts(play(state, "xd6"))
        assert "c5" in texts(play(state, "xc7"))

    def test_every_named_attacker_has_to_be_passed(self) -> None:
        state = play(load("d9 a12", man="d7", dice=(1, 3), to_move=0), "xd9")
        assert texts(state) == {cell for cell in FIELD if distance(cell, "d9") in (0, 2)}

    def test_one_may_be_named_if_some_walk_captures_it_together_with_all_named_before(self) -> None:
        state = load("d9 d5", "a7", man="d7", dice=(2, 3), to_move=0)
        assert texts(state, "capture") == {"xd9", "xd5", "xa7"}
        assert texts(play(state, "xd9"), "capture") == set()
        assert texts(play(load("d9 d5", "a7", man="d7", dice=(3, 3), to_move=0), "xd9"), "capture") == {"xd5"}

    def test_perhaps_with_more(self) -> None:
        # in a corridor a2 - a4 the walk to a4 enters a3 as well
        after = play(load("a3 a4", "b2 c12", man="a2", dice=(1, 1), to_move=0), "xa4")
        assert (texts(after), texts(play(after, "xa3"))) == ({"xa3"}, {"a4"})

    def test_with_more_after_others_have_been_named_too(self) -> None:
        # the corner is entered past a3 or past b2 only
        state = play(load("c3 a2", "a3 b2", seats=3, man="c4", dice=(1, 3), to_move=0), "xc3")
        assert {"xa2", "xb2"} <= texts(state)
        state = play(state, "xa2")
        assert (texts(state), texts(play(state, "xb2"))) == ({"xa3", "xb2"}, {"a2"})

    def test_the_order_of_naming_is_free(self) -> None:
        state = load("d6 d5", "e5 a12", man="d7", dice=(2, 3), to_move=0)
        lines = [("xd6", "xd5", "xe5"), ("xe5", "xd6", "xd5"), ("xd5", "xe5", "xd6")]
        assert len({play(state, *line) for line in lines}) == 1
        assert texts(play(state, *lines[0])) == {"c5", "d4", "d6", "e3", "e5", "e7", "f4", "f6", "g5"}

    def test_no_two_ways_of_the_same_turn_share_their_texts(self) -> None:
        actions = [str(action) for action in load("d6 d5", "e5 a12", man="d7", dice=(2, 3), to_move=0).legal_actions()]
        assert len(actions) == len(set(actions))
