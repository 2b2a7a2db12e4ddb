"""Goals of Annuvin: wins in a number of turns or by its tables, draws that one turn holds, and the largest catch."""

from collections.abc import Iterator

from bot.boards.puzzles.goals.common import QUICK_POSITIONS, PuzzleGoals, is_narrow
from bot.boards.puzzles.puzzle import Goal
from engine import State
from engine.budget import Budget
from engine.winning import WinProver


def find_goals(state: State) -> Iterator[Goal]:
    """Yield wins in a number of turns or by the tables, draws that one turn holds, and outside the tables catches."""
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
    wins = WinProver(seat, Budget(QUICK_POSITIONS))
    for turns in range(1, 5):
        won = wins.is_won(state, turns)
        if won:
            # Leave out wins in one turn: they are obvious. Do not yield a proven win either: other turns may win later.
            if turns > 1:
                yield Goal("win", turns)
            return
        if won is None:
            break
    yield Goal("win", 0)


GOALS = PuzzleGoals(find_goals)
