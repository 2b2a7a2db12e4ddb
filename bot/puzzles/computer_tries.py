"""Whether a level of the computer players finds a puzzle's first turn: what level 2 finds is no puzzle.

Seeds make that the same whenever it is asked, as long as the level itself stays what it is.
"""

from collections.abc import Iterator
from typing import Final

from engine import State
from engine.search import players

ATTEMPTS: Final = (1, 2, 3)
"""The seeds with which a level is asked: it plays with noise, and may hit upon a turn or miss it."""
_LINE: Final = 2
"""The level that finds no puzzle's first turn; level 4 does, or the proof."""


def is_within_the_line(state: State, after: State) -> bool:
    """Say whether level 2 plays, at any of the attempts, the turn that leads to the position after."""
    return any(plays(state, _LINE, after))


def plays(state: State, level: int, after: State) -> Iterator[bool]:
    """Yield for each attempt whether the level plays the turn that leads to the position after."""
    for seed in ATTEMPTS:
        played = state
        for action in players[state.game.key].turn(state, level, seed):
            played = played.advance(action)
        yield played.key() == after.key()
