"""Goals of Real Queen: wins within two turns, and turns that prevent one."""

from collections.abc import Iterator

from bot.boards.puzzles.goals.common import GLANCE_POSITIONS, PuzzleGoals
from bot.boards.puzzles.puzzle import Goal
from engine import State
from engine.budget import Budget


def find_goals(state: State) -> Iterator[Goal]:
    """Yield wins within two turns, and turns that prevent one."""
    prover = state.game.prover
    if prover is None or not prover.covers(state) or not any(state.to_json()["queens"]):
        return
    budget = Budget(GLANCE_POSITIONS)
    if prover.has_win(state, 1, budget):
        return
    if prover.has_win(state, 2, budget) and not budget.is_over:
        yield Goal("win", 2)
        return
    yield Goal("hold", 2)
    yield Goal("hold", 1)


GOALS = PuzzleGoals(find_goals)
