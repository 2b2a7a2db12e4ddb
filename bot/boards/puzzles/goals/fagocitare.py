"""Goals of Fagocitare: wins by a lead of three, turns that prevent one, and exact play of the last cells."""

from collections.abc import Iterator
from typing import Final

from bot.boards.puzzles.goals.common import GLANCE_POSITIONS, PuzzleGoals
from bot.boards.puzzles.puzzle import Goal
from engine import State
from engine.budget import Budget
from engine.games.fagocitare.rules import FagocitareState
from engine.prover import Prover

_LAST_CELLS: Final = 10
"""Maximum number of free cells for exact play."""


def find_goals(state: State) -> Iterator[Goal]:
    """Yield wins by a lead of three within two turns, turns that prevent one, and exact play of the last cells."""
    prover = state.game.prover
    if prover is None or not isinstance(state, FagocitareState):
        return
    if state.free.bit_count() <= _LAST_CELLS:
        yield Goal("win", 0)
        yield Goal("hold", 0)
        return
    seat = state.to_move or 0
    if _may_lead(state, seat):
        for turns in (1, 2):
            if prover.has_win(state, turns, Budget(GLANCE_POSITIONS)):
                if turns > 1:
                    yield Goal("win", turns)
                return
    if _may_lead(state, 1 - seat) and _is_threatened(state, seat, prover):
        yield Goal("hold", 2)
        yield Goal("hold", 1)


def _is_threatened(state: FagocitareState, seat: int, prover: Prover) -> bool:
    """Return True if the opponent would win within two turns if the seat passed."""
    passed = FagocitareState(
        state.sheet, 1 - seat, state.free, state.live, state.dead, state.lines, state.inked, state.ends, state.turn + 1
    )
    return any(prover.has_win(passed, turns, Budget(GLANCE_POSITIONS)) for turns in (1, 2))


def _may_lead(state: FagocitareState, seat: int) -> bool:
    """Return True if the seat may get a lead of three in two turns: it leads already, or is even and can capture."""
    lead = state.dead[seat].bit_count() - state.dead[1 - seat].bit_count()
    return lead > 0 or (lead == 0 and bool(state.capturing(seat, state.free)))


GOALS = PuzzleGoals(find_goals, last_turns=4)
