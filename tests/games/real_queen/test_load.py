"""Positions of Real Queen as dictionaries: every state comes back from its own, and those that are none are refused."""

import json

from engine.games.real_queen import GAME as REAL_QUEEN
from tests.games.real_queen.board import load, play, position
from tests.support.present import present


def test_every_state_of_a_turn_goes_through_json_and_back() -> None:
    state = load("a4 b3 c2 d2 d3 d4", "c3 c4 c5", queens=("g7", "g1"))
    for text in ["Qg7-g6", "Qg1-g2", "d1", "xc5", "xc4", "xc3", "rd1", "rc2", "rd2"]:
        state = play(state, text)
        again = REAL_QUEEN.load(json.loads(json.dumps(state.to_json())))
        assert (again, hash(again), again.to_json()) == (state, hash(state), state.to_json())
        assert (again.turn, again.legal_actions()) == (state.turn, state.legal_actions())


def test_a_position_without_outcome_dropped_and_extra_is_loaded() -> None:
    assert REAL_QUEEN.load(position("a1", "b1")).outcome is None


def test_a_finished_position_is_loaded_as_finished() -> None:
    over = play(load("a1 a2 a3", "g1", queens=("a4", "b6")), "a5")
    again = REAL_QUEEN.load(over.to_json())
    assert (again, again.outcome, again.to_move) == (over, over.outcome, None)
    assert present(REAL_QUEEN.load(position(dropped=[1])).outcome).places == (1, 2)
