"""Goals of Uomo Nero: the Man's best walk, and the one turn that leaves the attackers safe."""

from collections.abc import Iterator

from bot.boards.puzzles.goals.common import PuzzleGoals, is_narrow
from bot.boards.puzzles.puzzle import Goal
from engine import State


def find_goals(state: State) -> Iterator[Goal]:
    """Yield the Man's best walk, and the one turn that leaves the attackers safe."""
    position = state.to_json()
    if position["phase"] == "man":
        yield Goal("most")
        return
    if position["phase"] != "attack" or not position["man"]:
        return
    field = [
        each
        for each in position["attackers"]
        if each["seat"] == position["to_move"] and each["cell"][1:] not in ("1", "13")
    ]
    order = position["order"]
    following = (position["to_move"] + 1) % position["seats"]
    if 1 <= len(field) <= 3 and following == position["man_seat"] and order and is_narrow(state):
        yield Goal("safe")


GOALS = PuzzleGoals(find_goals)
