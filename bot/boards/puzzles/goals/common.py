"""What the goals of all games share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from bot.boards.puzzles import proving
from bot.boards.puzzles.puzzle import Goal
from engine import State

MAX_WAYS: Final = 600
"""With more ways to play a turn than this a position is left."""
QUICK_POSITIONS: Final = 60_000
"""Positions that a first look may take."""
GLANCE_POSITIONS: Final = 6_000
"""The same for wins by threats, where a look takes a hundredth of a second at most positions and minutes at some."""


@dataclass(frozen=True, slots=True)
class PuzzleGoals:
    """Which goals are tried at a position of a game, the likeliest first; cheap tests say where none is.

    `last_turns`: in how many positions, its last, puzzles are looked for where a game is decided by a blow; None: in
    all.
    """

    find: Callable[[State], Iterator[Goal]]
    last_turns: int | None = None


def is_narrow(state: State) -> bool:
    """Say whether a turn can be played in few enough ways for all of them to be compared."""
    return len(list(islice(proving.whole_turns(state), MAX_WAYS + 1))) <= MAX_WAYS
