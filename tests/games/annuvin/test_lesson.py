"""What the lesson of Annuvin says of its positions is so."""

from engine import Action, State
from tests.bot.lesson_moments import find_moment, play_actions

KEY = "annuvin"


def captures(state: State) -> list[Action]:
    return [action for action in state.legal_actions() if action.verb == "capture"]


def most_captures(state: State, seat: int) -> int:
    """Return how many captures a seat can make before it is another's turn."""
    if state.to_move != seat:
        return 0
    return max((1 + most_captures(state.play(action), seat) for action in captures(state)), default=0)


def test_a_capture_is_taken_back_from_two_cells_away() -> None:
    position = find_moment(KEY, "capture")
    assert [action.text for action in position.wanted] == ["e3xe4"]
    assert [action.text for action in captures(play_actions(position.state, "e3xe4"))] == ["e6xe4"]
    assert {action.source for action in find_moment(KEY, "reach").wanted} == {"d2", "e2", "f3"}


def test_only_the_line_that_is_taught_takes_three() -> None:
    state = find_moment(KEY, "on").state
    assert [action.text for action in captures(state) if 1 + most_captures(state.play(action), 0) == 3] == ["d5xc4"]
    state = play_actions(state, "d5xc4")
    assert [each.text for each in captures(state) if 1 + most_captures(state.play(each), 0) == 2] == ["xc3"]
    assert most_captures(play_actions(state, "xc3"), 0) == 1


def test_stopping_is_safe_and_going_on_is_not() -> None:
    state = play_actions(find_moment(KEY, "stop").state, "f5xg6")
    assert captures(play_actions(state, "stop")) == []
    greedy = play_actions(state, "xe7")
    assert {action.source for action in captures(greedy) if action.target == "e7"} == {"b4", "c6"}


def test_it_is_won_by_every_capture_and_by_nothing_else() -> None:
    position = find_moment(KEY, "win")
    ends = {action: position.state.play(action).outcome for action in position.state.legal_actions()}
    assert {action for action, outcome in ends.items() if outcome is not None} == set(position.wanted)
    assert {outcome.reason for outcome in ends.values() if outcome is not None} == {"reduced-to-one"}
