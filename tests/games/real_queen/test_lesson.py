"""What the lesson of Real Queen says of its positions is so."""

from engine import State
from tests.bot.lesson_moments import find_moment, play_actions

KEY = "real-queen"


def loses_at_once(state: State) -> bool:
    """Say whether the seat to move wins with its next action."""
    outcomes = [outcome for action in state.legal_actions() if (outcome := state.play(action).outcome) is not None]
    return any(outcome.winner == state.to_move for outcome in outcomes)


def test_the_lines_that_are_asked_for_are_all_there_are() -> None:
    position = find_moment(KEY, "line")
    made = {each for each in position.state.legal_actions() if position.state.play(each).to_json()["pending"]}
    assert {each for each in made if each.verb == "place"} == set(position.wanted)
    crown = find_moment(KEY, "crown")
    assert [each.text for each in crown.state.legal_actions() if each.verb == "crown"] == ["Qe3"]
    assert ([play_actions(crown.state, text).to_json()["pending"]["captures"] for text in ("Qe3", "e3")]) == [2, 1]


def test_wins_and_escapes_are_those_that_are_asked_for() -> None:
    win, flee, shift = find_moment(KEY, "win"), find_moment(KEY, "step"), find_moment(KEY, "shift")
    for position in (win, shift):
        won = {each for each in position.state.legal_actions() if position.state.play(each).outcome is not None}
        assert won == set(position.wanted)
    assert {each for each in flee.state.legal_actions() if not loses_at_once(flee.state.play(each))} == set(flee.wanted)
    assert {shift.state.play(each).outcome.reason for each in shift.wanted} == {"royal"}  # type: ignore[union-attr]
    lines = {each for each in shift.state.legal_actions() if shift.state.play(each).to_json()["pending"]}
    assert {shift.ask.answer(shift.state, each) for each in lines} == {"line"}
