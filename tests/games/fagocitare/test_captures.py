"""Fagocitare: every sentence of its rules about captures, their lines and suicide, and the worked examples."""

import pytest

from tests.games.fagocitare.sheet import describe_dots, draw, load, texts
from tests.support.present import result

# --- Captures ---------------------------------------------------------------------------------------------------------


def test_a_captured_dot_stays_dead_and_fills_its_cell() -> None:
    state = draw(load("b4", "c4"), "d4")
    assert "c4" not in texts(state)
    assert describe_dots(state)["dead"] == [["c4"], []]


def test_a_dead_dot_attacks_no_more() -> None:
    # Blue's c4 is dead: with it, e4 would capture d4.
    assert describe_dots(draw(load("b4 d4", "", ("c4", ""), ("b4-d4", ""), to_move=1), "e4"))["dead"] == [["c4"], []]
    assert describe_dots(draw(load("d4", "c4", to_move=1), "e4"))["dead"] == [[], ["d4"]]
    # Red's b4 is dead: three attackers are left, not enough for two.
    assert "g4" not in texts(load("c4 f4", "d4 e4", ("", "b4")))
    assert "g4" in texts(load("b4 c4 f4", "d4 e4"))


def test_dead_dot_is_neither_captured_again_nor_counted() -> None:
    assert describe_dots(draw(load("b4", "c4", ("", "d4")), "e4"))["dead"] == [["c4"], ["d4"]]
    assert describe_dots(draw(load("b4", "c4", ("d4", "")), "e4"))["dead"] == [["c4", "d4"], []]
    assert describe_dots(draw(load("b4", "", ("d4", "")), "e4"))["lines"] == [[], []]


@pytest.mark.parametrize(
    ("anchor", "victim"),
    [pair.split() for pair in ("d2 d3", "b4 c4", "b2 c3", "b6 c5", "d6 d5", "f4 e4", "f6 e5", "f2 e3")],
)
def test_captures_go_both_ways_along_the_row_the_column_and_both_diagonals(anchor: str, victim: str) -> None:
    assert describe_dots(draw(load(anchor, victim), "d4"))["dead"] == [[victim], []]


def test_no_other_slope_captures() -> None:
    assert describe_dots(draw(load("b2", "c4"), "d6"))["dead"] == [[], []]


def test_capture_needs_no_free_cell_in_between() -> None:
    assert describe_dots(draw(load("b4", "c4"), "e4"))["dead"] == [[], []]


def test_own_live_dots_and_dead_dots_may_lie_between() -> None:
    assert describe_dots(draw(load("b4 d4", "c4"), "e4"))["dead"] == [["c4"], []]
    # d4 is a dead dot on a line up the column: passed over, but a line over it would cross that line.
    assert describe_dots(draw(load("b4 d5 d3", "c4", ("d4", ""), ("d3-d5", "")), "e4"))["dead"] == [["d4"], []]
    # A dead dot without a line over it (as in the rules' examples) is passed over.
    assert describe_dots(draw(load("b4", "c4", ("d4", "")), "e4"))["lines"] == [["b4-e4"], []]


def test_the_edge_on_the_way_captures_nothing() -> None:
    assert describe_dots(draw(load("", "b4 a4"), "c4"))["dead"] == [[], []]


def test_beyond_the_first_enemy_free_and_dead_cells_are_passed_over() -> None:
    assert describe_dots(draw(load("b4", "e4"), "f4"))["lines"] == [["b4-f4"], []]
    assert describe_dots(draw(load("b4", "e4", ("d4", "")), "f4"))["dead"] == [["d4", "e4"], []]


def test_the_group_is_all_live_enemy_dots_up_to_the_first_own_dot() -> None:
    # b4 c4 attack from the left, f4 g4 from the right: d4 and e4, with twice as many around them.
    assert describe_dots(draw(load("b4 c4 g4", "d4 e4"), "f4"))["dead"] == [["d4", "e4"], []]
    # Dots with gaps between them are one group.
    assert describe_dots(draw(load("b4 c4 j4", "d4 f4 h4", size=10), "i4"))["dead"] == [[], []]
    assert describe_dots(draw(load("a4 b4 c4 j4 k4", "d4 f4 h4", size=12), "i4"))["dead"] == [["d4", "f4", "h4"], []]


@pytest.mark.parametrize(("captives", "attackers"), [(1, 2), (2, 4), (3, 6), (4, 8)])
def test_double_number_attackers_must_be_twice_the_captives(captives: int, attackers: int) -> None:
    letters = "abcdefghijkl"
    victims = [f"{letters[1 + index]}5" for index in range(captives)]
    others = [f"{letters[1 + captives + index]}5" for index in range(attackers - 1)]
    assert describe_dots(draw(load(" ".join(others), " ".join(victims), size=12), "a5"))["dead"] == [victims, []]
    if attackers > 2:
        assert "a5" not in texts(load(" ".join(others[:-1]), " ".join(victims), size=12))


def test_attackers_count_across_gaps_and_dead_dots_until_the_first_enemy_or_the_edge() -> None:
    assert describe_dots(draw(load("a4 c4 g4", "d4 e4"), "f4"))["dead"] == [["d4", "e4"], []]
    assert describe_dots(draw(load("a4 c4 g4", "d4 e4", ("b4", "")), "f4"))["dead"] == [["b4", "d4", "e4"], []]
    assert describe_dots(draw(load("a4 c4 g4", "b4 d4 e4"), "f4"))["dead"] == [[], []]


def test_attackers_on_the_far_side_stop_at_the_first_enemy_too() -> None:
    assert describe_dots(draw(load("b5 g5 i5", "d5 e5 h5", size=10), "c5"))["dead"] == [[], []]
    assert describe_dots(draw(load("b5 g5 i5", "d5 e5", size=10), "c5"))["dead"] == [["d5", "e5"], []]


def test_the_capture_line_runs_from_the_own_dot_nearest_to_the_group() -> None:
    assert describe_dots(draw(load("b4 d4", "c4"), "e4"))["lines"] == [["b4-d4"], []]
    after = describe_dots(draw(load("b4 c4 f4", "d4 e4"), "g4"))  # worked example 2: a row of two needs four
    assert (after["dead"], after["lines"]) == ([["d4", "e4"], []], [["c4-f4"], []])


def test_two_lines_may_end_in_the_same_dot() -> None:
    assert describe_dots(draw(load("b4 d2", "c4 d3"), "d4"))["lines"] == [["b4-d4", "d2-d4"], []]
    # Also one going on where the other ends.
    state = draw(load("b4 d4", "e4", ("c4", ""), ("b4-d4", "")), "f4")
    assert describe_dots(state)["lines"] == [["b4-d4", "d4-f4"], []]


def test_a_line_may_not_cross_an_earlier_one_of_either_colour_in_a_cell() -> None:
    after = describe_dots(draw(load("b4 d4 c3", "c5", ("c4", ""), ("b4-d4", "")), "c6"))  # worked example 4
    assert (after["dead"], after["lines"]) == ([["c4"], []], [["b4-d4"], []])
    assert describe_dots(draw(load("c3", "b4 d4 c5", ("", "c4"), ("", "b4-d4")), "c6"))["lines"] == [[], ["b4-d4"]]
    assert describe_dots(draw(load("b4 d4 c3", "c5", ("c4", "")), "c6"))["lines"] == [["c3-c6"], []]


def test_a_line_may_not_cross_an_earlier_one_half_way_between_cells() -> None:
    after = describe_dots(draw(load("b2 d4 c4", "d3", ("c3", ""), ("b2-d4", "")), "e2"))  # worked example 6
    assert (after["dead"], after["lines"]) == ([["c3"], []], [["b2-d4"], []])
    assert describe_dots(draw(load("b2 d4 c4", "d3", ("c3", "")), "e2"))["dead"] == [["c3", "d3"], []]


def test_a_line_may_not_end_on_an_earlier_line_nor_pass_over_its_end() -> None:
    # Red's later dot on d4 stands on the line b4-f4; a line may not end in it.
    assert describe_dots(draw(load("b4 f4 d4", "d3", ("e4", ""), ("b4-f4", "")), "d2"))["lines"] == [["b4-f4"], []]
    assert describe_dots(draw(load("b4 f4 d4", "d3", ("e4", "")), "d2"))["lines"] == [["d2-d4"], []]
    # The line c3-c6 would pass over c4, the dead end of blue's line a4-c4.
    assert describe_dots(draw(load("c2", "a4 c3", ("c4", "b4"), ("", "a4-c4")), "c5"))["lines"] == [[], ["a4-c4"]]
    assert describe_dots(draw(load("c2", "a4 c3", ("c4", "b4")), "c5"))["lines"] == [["c2-c5"], []]


def test_lines_one_on_the_other_have_points_in_common() -> None:
    # c4 was free when the line b4-e4 was drawn over it; the dot there now can never be captured along that row.
    assert "a4" not in texts(load("b4 e4", "c4", ("d4", ""), ("b4-e4", "")))
    assert "a4" in texts(load("b4 e4", "c4", ("d4", "")))
    assert describe_dots(draw(load("b4 e4", "", ("d4", ""), ("b4-e4", ""), to_move=1), "c4"))["dead"] == [["d4"], []]


def test_two_lines_made_by_the_same_dot_may_share_only_that_dot() -> None:
    assert describe_dots(draw(load("d2 b4 f2", "d3 c4 e3"), "d4"))["lines"] == [["b4-d4", "d2-d4", "d4-f2"], []]


def test_every_way_is_looked_at_and_captures_are_not_optional() -> None:
    assert describe_dots(draw(load("d2 b4", "d3 c4"), "d4"))["dead"] == [["c4", "d3"], []]


def test_a_dot_that_could_not_be_captured_for_a_crossing_may_be_captured_later_by_another_line() -> None:
    state = draw(load("b4 d4 c3", "c5 f6", ("c4", ""), ("b4-d4", "")), "c6 e6")
    assert "c5" in describe_dots(state)["blue"]
    assert describe_dots(draw(state, "b5 f5 d5"))["lines"] == [["b4-d4", "b5-d5"], []]


def test_a_dot_that_completes_nothing_itself_captures_nothing_although_a_group_is_closed_in() -> None:
    assert describe_dots(draw(load("b4 d4", "c4"), "f6"))["dead"] == [[], []]


def test_each_capture_sees_the_dead_dots_left_by_those_before_it() -> None:
    # North first: d5 dies, so d6 and d7 attack southwards too, and four are enough for d3 and d2.
    assert describe_dots(draw(load("d6 d7 d1", "d5 d3 d2"), "d4"))["lines"] == [["d1-d4", "d4-d6"], []]
    # Upside down: two to the north would need what the south frees, but the south comes later.
    assert describe_dots(draw(load("d1 d2 d7", "d3 d5 d6"), "d4"))["lines"] == [["d2-d4"], []]


# --- Suicide ----------------------------------------------------------------------------------------------------------


def test_a_dot_drawn_between_two_enemy_dots_is_captured_at_once_and_the_turn_passes() -> None:
    state = draw(load("", "b4 d4"), "c4")  # worked example 5
    assert describe_dots(state) == {"red": [], "blue": ["b4", "d4"], "dead": [[], ["c4"]], "lines": [[], ["b4-d4"]]}
    assert state.to_move == 1


def test_closeness_is_not_asked_of_suicide() -> None:
    assert describe_dots(draw(load("", "b4 f4"), "d4"))["lines"] == [[], ["b4-f4"]]


def test_suicide_takes_all_dots_of_the_colour_between_the_two_if_the_attackers_are_twice_as_many() -> None:
    assert describe_dots(draw(load("d4", "b4 a4 f4 g4"), "c4"))["dead"] == [[], ["c4", "d4"]]
    assert describe_dots(draw(load("d4", "b4 f4 g4"), "c4"))["dead"] == [[], []]
    # Attackers stop counting at the first dot of the other colour.
    assert describe_dots(draw(load("d4", "b4 e4 f4 h4", size=10), "c4"))["dead"] == [[], ["c4", "d4"]]
    assert describe_dots(draw(load("d4 g4", "b4 e4 f4 h4", size=10), "c4"))["dead"] == [[], []]


def test_suicide_passes_over_free_and_dead_cells_to_the_first_enemy_on_each_side() -> None:
    after = describe_dots(draw(load("", "b4 f4", ("", "e4")), "c4"))
    assert (after["dead"], after["lines"]) == ([[], ["c4", "e4"]], [[], ["b4-f4"]])


def test_suicide_lines_cross_nothing_either() -> None:
    assert describe_dots(draw(load("d6 d2", "b4 f4", ("d5", ""), ("d2-d6", "")), "d4"))["dead"] == [["d5"], []]
    assert describe_dots(draw(load("d6 d2", "b4 f4", ("d5", "")), "d4"))["dead"] == [["d5"], ["d4"]]
    sharing = load("", "b4 d4 d2", ("", "d3"), ("", "d2-d4"))
    assert describe_dots(draw(sharing, "c4"))["lines"] == [[], ["b4-d4", "d2-d4"]]


def test_the_four_lines_are_looked_at_from_north_south_on_until_the_dot_is_captured() -> None:
    assert describe_dots(draw(load("", "d3 d5 c3 e5 c4 e4 c5 e3"), "d4"))["lines"] == [[], ["d3-d5"]]
    assert describe_dots(draw(load("", "c3 e5 c4 e4 c5 e3"), "d4"))["lines"] == [[], ["c3-e5"]]
    assert describe_dots(draw(load("", "c4 e4 c5 e3"), "d4"))["lines"] == [[], ["c4-e4"]]
    assert describe_dots(draw(load("", "c5 e3"), "d4"))["lines"] == [[], ["c5-e3"]]


def test_after_a_line_that_would_cross_the_next_of_the_four_is_looked_at() -> None:
    after = describe_dots(draw(load("c5 e5", "d3 d6 c4 e4", ("d5", ""), ("c5-e5", "")), "d4"))
    assert (after["dead"], after["lines"]) == ([["d5"], ["d4"]], [["c5-e5"], ["c4-e4"]])


def test_own_captures_come_before_the_suicide_and_may_save_the_dot() -> None:
    assert describe_dots(draw(load("e4", "b4 d4"), "c4"))["dead"] == [["d4"], []]
    # Saved by the line as well: blue's line b4-d4 would cross the new one in c4.
    assert describe_dots(draw(load("c6", "c5 b4 d4"), "c4"))["dead"] == [["c5"], []]


def test_a_dot_may_capture_and_be_captured_in_the_same_turn() -> None:
    after = describe_dots(draw(load("c6 c4", "c5 b3 d3"), "c3"))
    assert (after["dead"], after["lines"]) == ([["c5"], ["c3"]], [["c4-c6"], ["b3-d3"]])


# --- Worked examples --------------------------------------------------------------------------------------------------


def test_worked_example_1_one_between_two() -> None:
    found = describe_dots(draw(load("b4", "c4"), "d4"))
    assert found == {"red": ["b4", "d4"], "blue": [], "dead": [["c4"], []], "lines": [["b4-d4"], []]}


def test_worked_example_3_the_nearer_cell_captures() -> None:
    state = draw(load("b2", "c3"), "e5")
    assert describe_dots(state)["dead"] == [[], []]
    assert describe_dots(draw(state, "f2 d4"))["lines"] == [["b2-d4"], []]


def test_worked_example_7_the_lead_comes_before_the_suicide() -> None:
    state = draw(load("b4 c4 f4", "d4 e4 g2 g6", ("a1", "")), "g4")
    assert result(state) == ("lead-of-three", (1, 2))
    assert "g4" in describe_dots(state)["red"]
