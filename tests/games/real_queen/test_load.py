"""Positions of Real Queen as dictionaries: every state comes back from its own, and those that are none are refused."""

from engine.games.real_queen import GAME as REAL_QUEEN
from tests.games.real_queen.board import load, play, position
from tests.support.present import present


def test_a_finished_position_is_loaded_as_finished() -> None:
    over = play(load("a1 a2 a3", "g1", queens=("a4", "b6")), "a5")
    again = REAL_QUEEN.load(over.to_json())
    assert (again, again.outcome, again.to_move) == (over, over.outcome, None)
    assert present(REAL_QUEEN.load(position(dropped=[1])).outcome).places == (1, 2)
