"""Goals of La Vedova Nera: the way home, turns that keep the opponent from it, and the largest catch."""

from collections.abc import Iterator

from bot.boards.puzzles.goals.common import PuzzleGoals
from bot.boards.puzzles.puzzle import Goal
from engine import State


def find_goals(state: State) -> Iterator[Goal]:
    """Yield the way home, turns that keep the opponent from it, and the largest catch."""
    position = state.to_json()
    if position["phase"] != "play":
        return
    if position["seats"] == 2:
        missing = [
            len([goal for goal in position["marbles"][colour] if goal not in pawns])
            for colour, pawns in zip(position["colours"], position["pawns"], strict=True)
        ]
        seat = position["to_move"]
        if missing[seat] <= 1:
            yield Goal("home", 1)
        if missing[seat] <= 2:
            yield Goal("home", 2)
        if missing[1 - seat] <= 1:
            yield Goal("hold", 1)
    yield Goal("most")


GOALS = PuzzleGoals(find_goals)
