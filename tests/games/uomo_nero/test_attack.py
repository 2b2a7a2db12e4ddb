"""Gioco dell'Uomo Nero: an attacker's turn, rule by rule."""

from engine.core import CHANCE, PASS
from tests.games.uomo_nero.court import begin_round, load, play, texts

ALL_BUT_D1 = {f"{column}1" for column in "abcefgh"}


def ends(found: set[str], source: str, amount: int) -> set[str]:
    """Return where the moves of one attacker by one amount end."""
    return {
        text.split("-")[1].split("/")[0]
        for text in found
        if text.startswith(f"{source}-") and text.endswith(f"/{amount}")
    }


class TestWorkedExamples:
    def test_1_round_start_the_man_on_d13_dice_6_6(self) -> None:
        state = play(begin_round(2), "roll 6 6")
        assert {action.source for action in state.legal_actions() if action.verb == "sprint"} == ALL_BUT_D1
        to_finish = {text for text in texts(state, "move") if "13/" in text}
        assert to_finish == {f"{cell}-{cell[0]}13/12" for cell in ALL_BUT_D1}
        in_field = {text for text in texts(state, "move") if text.endswith("/12")} - to_finish
        assert {text[:2] for text in in_field} == ALL_BUT_D1 | {"d1"}

    def test_2_an_attacker_on_c12_dice_1_and_2(self) -> None:
        after = play(load("c12", "e4", dice=(1, 2)), "c12-c13/1")
        assert after.to_move == 1
        assert ends(texts(after), "e4", 2) == {"c4", "d3", "d5", "e2", "e6", "f3", "f5", "g4"}
        assert texts(after) == {f"e4-{cell}/2" for cell in ends(texts(after), "e4", 2)} | {"stay/2"}

    def test_3_dice_3_and_5_one_attacker_in_play(self) -> None:
        state = load("e4", "b13", dice=(3, 5))
        assert {action.amount for action in state.legal_actions()} == {8}
        assert "stay/8" in texts(state)
        assert {action.amount for action in load("e4", "b12", dice=(3, 5)).legal_actions()} == {3, 5, 8}


class TestSum:
    def test_one_attacker_moves_both_dice(self) -> None:
        state = load("a2 c5", man="h12", dice=(1, 2))
        assert {"c5-c8/3", "c5-d7/3", "c5-c6/3", "a2-a5/3"} <= texts(state)
        after = play(state, "c5-c8/3")
        assert (after.to_move, after.to_json()["to_move"]) == (CHANCE, 0)


class TestSplit:
    def test_one_attacker_moves_one_die_and_another_the_other(self) -> None:
        after = play(load("a2 c5", man="h12", dice=(1, 2)), "c5-c6/1")
        assert (after.to_move, after.to_json()["used"]) == (1, {"die": 1, "attacker": "c6"})
        assert {text[:2] for text in texts(after, "move")} == {"a2"}
        assert {action.amount for action in after.legal_actions()} == {2}
        assert play(after, "a2-a4/2").to_json()["to_move"] == 0

    def test_in_either_order(self) -> None:
        state = load("a2 c5", man="h12", dice=(1, 2))
        one = play(state, "c5-c6/1", "a2-a4/2")
        assert one == play(state, "a2-a4/2", "c5-c6/1")
        assert play(state, "c5-c7/2", "a2-a3/1") != one

    def test_two_equal_dice_give_one_action_not_two(self) -> None:
        state = load("a2 c5", man="h12", dice=(2, 2))
        found = [str(action) for action in state.legal_actions()]
        assert len(found) == len(set(found))
        assert {action.amount for action in state.legal_actions()} == {2, 4}
        assert texts(play(state, "stay/2")) >= {"stay/2", "a2-a4/2", "c5-c7/2"}

    def test_it_needs_two_attackers_of_the_player_in_play(self) -> None:
        assert {action.amount for action in load("c5", dice=(2, 4)).legal_actions()} == {6}
        assert {action.amount for action in load("c5 c13", dice=(2, 4)).legal_actions()} == {6}
        assert {action.amount for action in load("c5 c12", dice=(2, 4)).legal_actions()} == {2, 4, 6}
        assert {action.amount for action in load("c5", "c12", seats=3, dice=(2, 4)).legal_actions()} == {6}

    def test_two_when_the_turn_begins_are_enough_though_one_arrives_by_the_first_die(self) -> None:
        after = play(load("c12 e4", dice=(1, 3)), "c12-c13/1")
        assert (after.to_move, {text[:2] for text in texts(after)}) == (1, {"e4"})


class TestStay:
    def test_the_sum_if_it_is_even_and_the_whole_turn_is_spent(self) -> None:
        state = load("c5", dice=(1, 3))
        assert "stay/4" in texts(state)
        after = play(state, "stay/4")
        assert after.to_json()["to_move"] == 0
        assert after.to_json()["attackers"] == state.to_json()["attackers"]

    def test_not_the_sum_if_it_is_odd(self) -> None:
        assert not texts(load("c5", dice=(2, 3)), "stay")

    def test_when_splitting_any_even_die(self) -> None:
        state = load("a2 c5", man="h12", dice=(2, 3))
        assert texts(state, "stay") == {"stay/2"}
        after = play(state, "stay/2")
        assert after.to_json()["used"] == {"die": 2, "attacker": None}
        assert {text[:2] for text in texts(after)} == {"a2", "c5"}
        assert play(after, "c5-c8/3").to_json()["to_move"] == 0
        assert "stay/2" in texts(play(state, "c5-c8/3"))

    def test_both_dice_if_both_are_even(self) -> None:
        state = load("a2 c5", man="h12", dice=(2, 4))
        assert texts(state, "stay") == {"stay/2", "stay/4", "stay/6"}
        after = play(state, "stay/4", "stay/2")
        assert after.to_json()["attackers"] == state.to_json()["attackers"]
        assert after.to_json()["to_move"] == 0

    def test_two_odd_dice_make_an_even_sum_but_no_even_die(self) -> None:
        assert texts(load("a2 c5", man="h12", dice=(1, 5)), "stay") == {"stay/6"}

    def test_a_split_with_a_stay_needs_two_attackers_as_well(self) -> None:
        assert texts(load("c5", dice=(2, 4)), "stay") == {"stay/6"}


class TestSprint:
    def test_sprint_reaches_the_finish_cell_over_any_piece(self) -> None:
        state = load("c3", "c4 b3", "d3 c9", man="c11", dice=(6, 6))
        assert "c3-c13!" in texts(state)
        assert "c13" in [attacker["cell"] for attacker in play(state, "c3-c13!").to_json()["attackers"]]

    def test_only_by_a_double_six(self) -> None:
        assert not texts(load("c3 d3", dice=(5, 6)), "sprint")
        assert not texts(load("c3 d3", dice=(5, 5)), "sprint")
        assert texts(load("c3 d3", dice=(6, 6)), "sprint") == {"c3-c13!", "d3-d13!"}

    def test_only_if_that_cell_is_free(self) -> None:
        assert texts(load("c3 d3", "c13", dice=(6, 6)), "sprint") == {"d3-d13!"}

    def test_not_onto_the_mans_first_cell(self) -> None:
        assert "d1-d13!" not in texts(play(begin_round(2, "d13"), "roll 6 6"))

    def test_it_uses_both_dice(self) -> None:
        state = play(load("c3 d3", dice=(6, 6)), "c3-c13!")
        assert (state.to_move, state.to_json()["to_move"]) == (CHANCE, 0)

    def test_from_anywhere_in_play_the_start_line_and_row_12_included(self) -> None:
        assert texts(load("a1", "c12", dice=(6, 6)), "sprint") == {"a1-a13!", "c12-c13!"}


class TestBothDiceMustBeUsed:
    def test_a_first_use_that_leaves_the_other_die_without_any_use_is_not_allowed(self) -> None:
        # d1 can go out by 1 only while d2 is free
        state = load("e3", "d1", man="h12", dice=(1, 2))
        assert "e3-d2/2" not in texts(state)
        assert {"e3-e5/2", "e3-d3/1", "d1-d2/1"} <= texts(state)
        assert "e3-d2/2" in texts(load("e3 a5", "d1", man="h12", dice=(1, 2)))
        assert "e3-d2/2" in texts(load("e3", "d1", man="h12", dice=(2, 2)))

    def test_the_cell_that_the_first_one_leaves_is_free_for_the_second(self) -> None:
        state = load("a1 a2", man="h12", dice=(1, 2))
        assert {"a2-a4/2", "a2-b3/2"} <= texts(state)
        assert "a1-a2/1" in texts(play(state, "a2-a4/2"))
        # left by 1, it lets the other one out by 2
        assert "a1-a3/2" in texts(play(load("a1 a2", man="h12", dice=(1, 2)), "a2-b2/1"))

    def test_the_only_use_of_the_other_die_may_be_the_step_onto_the_finish(self) -> None:
        state = load("c12 h2", "b12 d12", "", "c11", seats=3, man="f7", dice=(1, 2))
        assert "c12-c13/1" in texts(play(state, "h2-h4/2"))
        # with 3 there is no way to spend the rest, and none onto the finish
        state = load("c12 h2", "b12 d12", "", "c11", seats=3, man="f7", dice=(2, 3))
        assert not any(text.startswith("h2") and text.endswith("/2") for text in texts(state))

    def test_from_the_start_line_the_other_die_needs_the_cell_in_front_and_one_next_to_it(self) -> None:
        state = load("a1 c3", "b2", seats=3, man="h7", dice=(2, 3))
        assert "c3-c5/2" in texts(state)
        assert "c3-a3/2" not in texts(state)
        assert "c3-a3/2" in texts(load("a1 c3", "c2", seats=3, man="h7", dice=(2, 3)))

    def test_even_where_that_first_use_would_end_the_round(self) -> None:
        # with c12 arrived, d1 would be the last one, and blocked
        assert "c12-c13/1" not in texts(load("c12", "d1", man="d2", dice=(1, 3)))
        state = load("c12", "d1", man="d2", dice=(1, 2))
        assert "c12-c13/1" in texts(state)
        assert play(state, "c12-c13/1").to_json()["round"] == 2

    def test_one_die_must_be_moved_if_both_cannot_be_and_the_turn_ends(self) -> None:
        # c12 can only step onto c13: neither 2 nor 3 steps are possible
        state = load("c12", "b12 d12", "", "c11", seats=3, dice=(1, 2))
        assert texts(state) == {"c12-c13/1"}
        after = play(state, "c12-c13/1")
        assert (after.to_move, after.to_json()["to_move"]) == (CHANCE, 2)

    def test_one_die_alone_is_not_allowed_while_both_can_be_used(self) -> None:
        state = load("c12", "b12 d12", seats=3, dice=(1, 2))
        assert "c12-c13/1" not in texts(state)
        assert "c12-c11/3" in texts(state)

    def test_dice_may_be_used_alone_or_together_where_both_fit(self) -> None:
        state = load("a1", "d1", man="a2", dice=(2, 3))
        # d1 can move 3 alone, then a1 stays; a1 can do nothing else
        assert {text for text in texts(state) if text.endswith("/3")} >= {"d1-d4/3", "d1-d2/3"}
        assert "stay/2" in texts(state)
        assert {action.amount for action in play(state, "stay/2").legal_actions()} == {3}
        assert texts(play(state, "d1-d4/3")) == {"stay/2"}

    def test_the_player_passes_if_neither_can_be_moved(self) -> None:
        state = load(green="f1", yellow="f2", seats=3, dice=(2, 3))
        assert state.legal_actions() == (PASS,)
        assert play(state, "pass").to_json()["to_move"] == 2

    def test_a_blocked_attacker_does_not_make_its_player_pass_if_another_can_move(self) -> None:
        state = load("c5", "f2", "f1", seats=3, dice=(2, 3))
        assert {action.source for action in state.legal_actions()} == {"c5", None}
        assert PASS not in state.legal_actions()

    def test_no_pass_while_an_even_sum_can_be_stayed(self) -> None:
        assert texts(load(green="f1", yellow="f2", seats=3, dice=(3, 5))) == {"stay/8"}


class TestMovingSteps:
    def test_orthogonal_in_any_directions_turning_and_going_back(self) -> None:
        assert ends(texts(load("d7", dice=(1, 3), man="h12")), "d7", 4) == {
            cell
            for cell in (f"{column}{row}" for column in "abcdefgh" for row in range(2, 13))
            if (distance := abs(ord(cell[0]) - ord("d")) + abs(int(cell[1:]) - 7)) in (2, 4) and distance
        }

    def test_each_step_onto_a_free_cell_no_piece_is_jumped_the_man_included(self) -> None:
        assert texts(load("a5", "a6", "a4", seats=4, man="b5", dice=(1, 1))) == {"stay/2"}
        assert ends(texts(load("a5", "a6", "a4", seats=4, man="h7", dice=(1, 1))), "a5", 2) == {"b4", "b6", "c5"}

    def test_never_onto_a_piece(self) -> None:
        state = load("d5", "d7", man="e6", dice=(1, 1))
        assert not {"d5-d7/2", "d5-e6/2"} & texts(state)
        assert {"d5-c6/2", "d5-b5/2"} <= texts(state)

    def test_on_the_start_line_the_first_step_is_straight_forward(self) -> None:
        assert ends(texts(load(yellow="d1", man="h12", dice=(1, 2))), "d1", 3) == {"b2", "c3", "d4", "e3", "f2", "d2"}
        assert texts(load("a1", "a2", seats=3, man="h12", dice=(1, 2))) == {"pass"}

    def test_it_never_comes_back_to_row_1(self) -> None:
        state = load("d2", man="h12", dice=(1, 2))
        assert not any(cell.endswith("1") and len(cell) == 2 for cell in ends(texts(state), "d2", 3))
        # and not on its way either: c2 can be reached over d3 and c3 alone
        assert texts(load("a2", "a3", "b2", seats=4, man="h12", dice=(1, 1))) == {"stay/2"}

    def test_the_last_step_may_go_from_row_12_straight_onto_a_free_cell_of_row_13(self) -> None:
        state = load("c12", man="h7", dice=(1, 2))
        assert {cell for cell in ends(texts(state), "c12", 3) if cell.endswith("13")} == {"a13", "c13", "e13"}
        state = load("c11", man="h7", dice=(1, 2))
        assert {cell for cell in ends(texts(state), "c11", 3) if cell.endswith("13")} == {"b13", "d13"}

    def test_only_the_last_step(self) -> None:
        # from c12 over c13 and d13 to d12 would be 3 steps; walled in otherwise, there is no way
        assert texts(load("c12", "b12 c11", seats=3, man="d12", dice=(1, 2))) == {"c12-c13/1"}

    def test_an_exact_throw_is_needed_to_arrive(self) -> None:
        assert not any("13/" in text for text in texts(load("c10", man="h7", dice=(1, 1))))
        assert "c10-c13/3" in texts(load("c10", man="h7", dice=(1, 2)))

    def test_it_must_end_on_another_cell_than_it_started_from(self) -> None:
        assert not any("d7-d7/" in text for text in texts(load("d7", dice=(2, 2))))

    def test_an_attacker_on_row_13_never_moves_again(self) -> None:
        assert {action.source for action in load("c13 d7", dice=(1, 2)).legal_actions()} == {"d7"}

    def test_its_cell_stays_occupied(self) -> None:
        assert "c12-c13/1" not in texts(load("c12 e4", "c13", dice=(1, 2)))
        assert "c12-c13/1" in texts(load("c12 e4", "d13", dice=(1, 2)))

    def test_the_cell_it_starts_from_counts_as_free_while_it_walks(self) -> None:
        # a2 and a3 alone are open: a3, a2, a3 is a walk of 3 over the own cell
        assert texts(load("a2", "b2 b3", "", "a4", seats=3, man="h12", dice=(1, 2))) == {"a2-a3/3"}

    def test_but_not_off_row_1(self) -> None:
        assert texts(load("a1", "b2 a3", seats=3, man="h12", dice=(1, 2))) == {"a1-a2/1"}


class TestAnAttackerOnTheStartLineNeedsItsWayOut:
    """A first use that would leave the other die without any use is not allowed while a full use exists."""

    def test_not_onto_the_cell_in_front_of_it(self) -> None:
        assert "b3-a2/2" not in texts(load("a1 b3", dice=(2, 3)))
        assert "b3-a2/2" in texts(load("b1 b3", dice=(2, 3)))

    def test_not_onto_the_only_cell_next_to_the_one_in_front(self) -> None:
        assert "c3-a3/2" not in texts(load("a1 c3", man="b2", dice=(2, 3)))
        assert "c3-a3/2" in texts(load("a1 c3", dice=(2, 3)))

    def test_one_step_needs_nothing_but_the_cell_in_front(self) -> None:
        assert "c3-a3/2" in texts(load("a1 c3", man="b2", dice=(1, 2)))
