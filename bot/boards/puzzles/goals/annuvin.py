"""Goals of Annuvin: wins, by its tables and in how many turns, draws that one turn holds, and the largest catch."""

from collections.abc import Iterator

from bot.boards.puzzles import proving
from bot.boards.puzzles.goals.common import QUICK_POSITIONS, PuzzleGoals, is_narrow
from bot.boards.puzzles.puzzle import Goal
from engine import State
from engine.budget import Budget


def find_goals(state: State) -> Iterator[Goal]:
    """Yield wins, by the tables and in how many turns, and draws that one turn holds."""
    oracle, seat = state.game.oracle, state.to_move or 0
    if oracle is None or not oracle.covers(state):
        if is_narrow(state):
            yield Goal("most")
        return
    verdict = oracle.probe(state)
    if verdict is None or verdict.values[seat] == 0.0:
        return
    if verdict.values[seat] < 1.0:
        yield Goal("hold", 0)
        return
    wins = proving.WinProver(seat, Budget(QUICK_POSITIONS))
    for turns in range(1, 5):
        won = wins.is_won_after(state, turns)
        if won:
            # In one turn a win is seen; the turn that wins fastest need not be the only one that wins.
            if turns > 1:
                yield Goal("win", turns)
            return
        if won is None:
            break
    yield Goal("win", 0)


GOALS = PuzzleGoals(find_goals)
