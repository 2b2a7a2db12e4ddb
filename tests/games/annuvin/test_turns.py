"""Annuvin: what may be done in a turn (docs/rules/annuvin.md, A turn, Readings and Worked examples)."""

import pytest

from engine import Action, State
from engine.perft import perft
from engine.topology import hexagon, square_grid
from tests.games.annuvin.board import ANNUVIN, load, play, texts, turns
from tests.support.present import present, result

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


def test_the_range_is_fixed_when_the_turn_starts() -> None:
    # three pieces, range 4; the enemy's losses change nothing, so 1 + 1 leaves 2
    assert play(load("d5 a1 g7", "c4 c3 a2 g4"), "d5xc4", "xc3").to_json()["moving"] == {"piece": "c3", "range": 2}


def test_the_range_is_worked_out_afresh_in_every_turn() -> None:
    state = load("d2 e2 f3 b1 c1 d1", "d3 d6 d7 e7", 1)
    assert (farthest(state, "d6"), farthest(play(state, "d3xd2 stop"), "f3")) == (3, 2)


def test_move_to_an_empty_cell_at_any_distance_up_to_the_range_which_need_not_be_used_up() -> None:
    state = load("a1 g7 g6 g5", "d7 e7")
    board = hexagon(4)
    near = {name for name in board.names if 1 <= board.distances[0][board.index[name]] <= 3}
    assert near == {"a2", "a3", "a4", "b1", "b2", "b3", "b4", "c1", "c2", "c3", "c4", "d1", "d2", "d3", "d4"}
    assert {text for text in texts(state) if text.startswith("a1")} == {f"a1-{cell}" for cell in near}


def test_a_move_changes_direction_as_it_likes() -> None:
    # b2 is one step from a1; c2 is two, in no straight line
    assert "a1-c2" in texts(load("a1 g7 g6 g5 g4", "d7 e7"))


def test_pieces_of_either_colour_in_between_do_not_matter() -> None:
    # a1 is walled in by its own b1 and a2 and the enemy's b2
    assert "a1-c3" in texts(load("a1 a2 b1 g7 g6", "b2 d7"))


def test_a_jump_captures_nothing() -> None:
    state = play(load("a1 g7 g6 g5 g4", "b2 d7"), "a1-c3")
    assert (state.to_json()["pieces"][1], state.to_json()["lost"]) == (["b2", "d7"], [1, 4])


def test_a_move_ends_the_turn() -> None:
    state = play(load("a1 g7 g6 g5", "b2 d7"), "a1-a2")
    assert (state.to_move, state.turn) == (1, 1)


def test_a_capture_removes_the_piece_for_good() -> None:
    state = play(load("a1 g7 g6 g5 f7 f6", "b2 d7 e7"), "a1xb2")
    assert state.to_json()["pieces"] == [["b2", "f6", "f7", "g5", "g6", "g7"], ["d7", "e7"]]
    assert (state.to_json()["lost"], state.to_json()["reserve"]) == ([0, 4], [0, 0])


def test_a_capture_is_possible_at_any_distance_up_to_the_range() -> None:
    state = load("a1 g7 g6 g5", "b2 c3 d4 e5")
    assert {text for text in texts(state) if text.startswith("a1x")} == {"a1xb2", "a1xc3", "a1xd4"}


def test_capturing_piece_may_capture_again_within_its_remaining_range_and_do_nothing_else() -> None:
    state = play(load("d5 a1 g7", "c4 c3 a2 g4"), "d5xc4")
    assert (state.to_move, texts(state)) == (0, {"xc3", "xa2", "stop"})
    assert {action.source for action in state.legal_actions() if action.verb == "capture"} == {"c4"}


def test_each_capture_costs_its_distance() -> None:
    state = play(load("d5 a1 g7", "d7 d3 a2 g4"), "d5xd7")
    # 4 - 2 leaves 2, and d3 is 4 away
    assert (state.to_move, state.turn) == (1, 1)


def test_remaining_range_is_lost_at_the_end_of_the_turn() -> None:
    state = play(load("d5 a1 g7", "c4 c3 a2 g4"), "d5xc4 stop", "g4-g5")
    assert farthest(state, "c4") == 4
    assert state.to_json()["moving"] is None


def test_the_player_may_stop_at_any_time() -> None:
    for captures in ("d5xc4", "d5xc4xc3"):
        state = play(load("d5 a1 g7", "c4 c3 a2 g4"), captures)
        assert "stop" in texts(state)
        assert play(state, "stop").to_move == 1


def test_the_turn_ends_by_itself_when_no_other_capture_is_possible() -> None:
    assert play(load("d5 a1 g7", "c4 a4 g4"), "d5xc4 stop").to_move == 1
    state = play(load("d5 a1 g7 g6 g5", "c4 a2 g4"), "d5xc4")
    assert (state.to_move, state.to_json()["moving"]) == (1, None)


def test_a_piece_never_ends_where_it_started() -> None:
    # Readings: a move has distance at least 1, and a continuation lands on an enemy, so going back is impossible
    state = load("d5 a1 g7", "c4 c3 a2 g4")
    assert not any(action.source == action.target for action in state.legal_actions())
    assert all("d5" not in turn[1:] for turn in turns(state))
    assert "xd5" not in {text for turn in turns(state) for text in turn}


def test_place_one_piece_from_the_reserve_on_any_empty_cell() -> None:
    start = ANNUVIN.start(options={"setup": "empty"})
    assert texts(start) == set(hexagon(4).names)
    state = play(start, "d4")
    assert (state.to_json()["pieces"], state.to_json()["reserve"]) == ([["d4"], []], [5, 6])
    assert (state.to_move, state.turn, texts(state)) == (1, 1, set(hexagon(4).names) - {"d4"})


def test_place_on_the_square() -> None:
    assert texts(ANNUVIN.start(options={"board": "square", "setup": "empty"})) == set(square_grid(4, 4).names)


def test_placing_is_instead_of_moving() -> None:
    state = play(ANNUVIN.start(options={"setup": "empty"}), "d4", "g7")
    placements = {text for text in texts(state) if "-" not in text}
    assert len(placements) == 35
    assert texts(state) - placements == {f"d4-{cell}" for cell in ("c3", "c4", "d3", "d5", "e4", "e5")}


def test_the_range_is_1_as_long_as_there_are_pieces_in_reserve() -> None:
    state = load("a1", "d7 c3 b2", reserve=(2, 3))
    assert farthest(state, "a1") == 1
    # a capture uses it up
    assert (play(state, "a1xb2").to_move, farthest(load("a1", "d7 c3", reserve=(0, 3)), "a1")) == (1, 6)


def test_the_reserve_of_the_other_player_does_not_matter_to_the_range() -> None:
    assert farthest(load("a1 g7 g6", "d7", reserve=(0, 5)), "a1") == 4


def test_a_placement_is_possible_until_the_reserve_is_empty() -> None:
    state = load("a1 b2 c3 d4 e5", "c4 c5 c6 d5 d6", reserve=(1, 1))
    assert {action.verb for action in play(state, "g7", "g6").legal_actions()} <= {"move", "capture"}


def test_passing_is_illegal() -> None:
    # four own pieces in a corner, walled in as well as the square allows
    state = load("a1 a2 b1 b2", "a3 b3 c1 c2", board="square")
    assert texts(state)
    assert not state.is_legal(Action("pass", "pass"))


def test_worked_example_1() -> None:
    start = ANNUVIN.start()
    expected = "b1-a1 b1-b2 b1-c2 c1-c2 d2-c2 d2-d3 d2-e3 e2-e3 f3-e3 f3-f4 f3-g4"
    assert (texts(start), perft(start, 1), perft(start, 2)) == (set(expected.split()), 11, 121)


def test_worked_example_2() -> None:
    state = load("d5 a1 g7", "c4 c3 a2")
    actions = state.parse("d5xc4xc3xa2")
    assert [action.text for action in actions] == ["d5xc4", "xc3", "xa2"]
    for action in actions:
        state = state.play(action)
    assert result(state) == ("eliminated", (1, 2))


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


def test_a_turn_under_way_is_counted_to_its_end() -> None:
    # stop; xc3 stop; xc3 xa2; xa2, which leaves 1 where c3 is 2 away
    state = load("a1 c4 g7", "a2 c3", moving=("c4", 3))
    assert [action.text for action in state.legal_actions()] == ["xa2", "xc3", "stop"]
    assert perft(state, 1) == 4


def test_actions_have_verb_source_and_target() -> None:
    move, capture = load("d5 a1", "c4 c3").parse("d5-d6")[0], load("d5 a1", "c4 c3").parse("d5xc4")[0]
    assert (move.verb, move.source, move.target) == ("move", "d5", "d6")
    assert (capture.verb, capture.source, capture.target) == ("capture", "d5", "c4")
    going_on = load("c4 a1", "c3 a2", moving=("c4", 4)).parse("xc3")[0]
    assert (going_on.text, going_on.verb, going_on.source, going_on.target) == ("xc3", "capture", "c4", "c3")
    placement = load("a1", "b2", reserve=(1, 1)).parse("c4")[0]
    assert (placement.verb, placement.source, placement.target) == ("place", None, "c4")
