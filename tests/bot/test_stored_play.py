"""Lines of play as a game's row stores them: whole, and the history of a long game only once."""

import json
import pickle
from random import Random

import pytest

from bot.kernel.line import Line, follow_action, read_line, replay_line
from engine import Turn, games
from tests.support.present import present


def stored(line: Line) -> Line:
    """Return a line as it is read from a row in which it was stored."""
    position, rest = json.loads(json.dumps([line.position, line.to_json()]))
    return read_line(line.state.game, position, rest)


@pytest.mark.parametrize("key", games)
def test_play_goes_on_from_a_stored_line_as_from_the_one_in_memory(key: str) -> None:
    drawn, game = Random(7), games[key]
    line = other = Line(game.start(game.seats[0]))
    for _ in range(80):
        if line.state.outcome is not None:
            break
        text = line.state.random_action(drawn).text
        line, other = follow_action(line, text), follow_action(other, text)
        assert other == line
        assert other.position == line.position == line.state.to_json()
        assert other.to_json() == line.to_json()
        assert '"history"' not in json.dumps(line.to_json()), "the position has it"
        last = present(line.begun or line.finished)
        assert last.leads_to(line.state), "no turn is played again to know that"
        assert last.json_after is line.position
        other = stored(other)
        assert present(other.begun or other.finished).after == line.state


def test_a_position_repeated_across_restarts_is_a_draw() -> None:
    line = Line(games["annuvin"].start(2, {"board": "square"}))
    while line.state.outcome is None:
        there_and_back = ("a1-a2", "d4-d3", "a2-a1", "d3-d4")
        line = follow_action(stored(line), there_and_back[line.state.turn % 4])
    assert (line.state.outcome.reason, line.state.turn) == ("repetition", 8)


def test_what_a_turn_knows_already_is_not_sent_to_other_processes() -> None:
    line = replay_line(games["fagocitare"].start(2), ["e5"])
    turn = present(line.finished)
    bare = Turn(turn.number, turn.seat, turn.actions, turn.before)
    assert turn.json_before
    assert turn.json_after
    assert pickle.dumps(turn) == pickle.dumps(bare)
    assert pickle.loads(pickle.dumps(turn)) == turn  # noqa: S301 - it was pickled here
