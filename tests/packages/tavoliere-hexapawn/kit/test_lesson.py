"""What the lesson of Hexapawn says of its positions is so."""

from engine import State
from tests.bot.lesson_moments import find_moment, load_lesson, play_actions

KEY = "hexapawn"


def captures(state: State) -> dict[str, set[str]]:
    """Return the cells where the seat on the move can capture, each with the pawns that can."""
    found: dict[str, set[str]] = {}
    for action in state.legal_actions():
        if action.verb == "capture":
            found.setdefault(action.target or "", set()).add(action.source or "")
    return found


def stuck(state: State) -> set[str]:
    """Return the pawns of the seat on the move that can do nothing."""
    return set(state.to_json()["pawns"][state.to_move or 0]) - {action.source for action in state.legal_actions()}


def reasons(state: State) -> dict[str, str]:
    """Return the actions that end the game, each with the reason."""
    afters = {action.text: state.play(action) for action in state.legal_actions()}
    return {text: each.outcome.reason for text, each in afters.items() if each.outcome is not None}


def wins(state: State) -> bool:
    """Say whether the seat on the move wins if nobody errs."""
    afters = [state.play(action) for action in state.legal_actions()]
    return any(each.outcome is not None or not wins(each) for each in afters)


def test_every_pawn_may_go_first() -> None:
    assert [action.text for action in find_moment(KEY, "step").wanted] == ["a1-a2", "b1-b2", "c1-c2", "d1-d2"]


def test_capture_step_has_one_capture() -> None:
    assert [action.text for action in find_moment(KEY, "capture").wanted] == ["b2xc3"]


def test_of_two_steps_one_is_safe() -> None:
    position = find_moment(KEY, "face")
    assert (stuck(position.state), [action.text for action in position.wanted]) == ({"b2"}, ["d1-d2"])
    assert captures(play_actions(position.state, "c1-c2")) == {"c2": {"b3", "d3"}}
    safe = play_actions(position.state, "d1-d2")
    assert (captures(safe), stuck(safe)) == ({}, {"b3", "d3"})


def test_the_three_ways_to_win_are_the_only_ones_there() -> None:
    for step, text, reason in (
        ("reach", "c3-c4", "far-row"),
        ("all", "b2xc3", "all-captured"),
        ("stuck", "c2-c3", "no-move"),
    ):
        assert reasons(find_moment(KEY, step).state) == {text: reason}


def test_before_the_quiet_win_only_one_black_pawn_can_move_and_captures_lose() -> None:
    position = find_moment(KEY, "stuck")
    black = position.state.game.load({**position.state.to_json(), "to_move": 1})
    assert stuck(black) == {"b3", "d3"} - set().union(*captures(black).values())
    assert {action.verb for action in position.others} == {"capture"}
    assert all(wins(position.state.play(action)) for action in position.others)


def test_first_player_can_win_the_last_step() -> None:
    lesson = load_lesson(KEY)
    assert wins(lesson.first_line(len(lesson.steps) - 1).state)
