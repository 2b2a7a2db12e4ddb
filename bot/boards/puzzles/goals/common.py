"""Common parts of the goals of all games."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from bot.boards.puzzles import proving
from bot.boards.puzzles.puzzle import Goal
from engine import State

MAX_WAYS: Final = 600
"""Maximum number of ways to play a turn; positions with more are skipped."""
QUICK_POSITIONS: Final = 60_000
"""Maximum number of positions in a quick first search."""
GLANCE_POSITIONS: Final = 6_000
"""The same for wins by threats: that search takes a hundredth of a second at most positions, but minutes at some."""


@dataclass(frozen=True, slots=True)
class PuzzleGoals:
    """The goals to try at a position of a game: `find` yields the likeliest first, after cheap checks.

    `last_turns` is the number of last positions of a game to search, for games that one blow decides; None for all
    positions.
    """

    find: Callable[[State], Iterator[Goal]]
    last_turns: int | None = None


def is_narrow(state: State) -> bool:
    """Return True if a turn has at most `MAX_WAYS` ways, so that all of them can be compared."""
    return len(list(islice(proving.whole_turns(state), MAX_WAYS + 1))) <= MAX_WAYS
