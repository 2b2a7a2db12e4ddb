"""Fagocitare as a sheet of boards: captures are what it shows."""

from random import Random

from engine import Action
from engine.games.fagocitare import GAME as FAGOCITARE
from engine.turn import group_turns as grouped
from render.animation import select_key_positions


def test_captures_are_key_turns() -> None:
    rng, start = Random(3), FAGOCITARE.start()
    state, actions = start, list[Action]()
    while state.to_move is not None:
        actions.append(state.random_action(rng))
        state = state.advance(actions[-1])
    turns = list(grouped(start, actions))
    captures = [turn.number for turn in turns if turn.before.to_json()["dead"] != turn.after.to_json()["dead"]]
    chosen = select_key_positions(start, turns).numbers
    assert len(set(captures) & set(chosen)) >= min(len(captures), 4)
