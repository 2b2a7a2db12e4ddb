"""Game Key: how computers play it."""

# New game: say here what a good position is and where the numbers come from; engine/search/policy.py says what else a
# game can tell the searches (what is worth trying first, captures to follow, how wide to look).

from collections.abc import Sequence
from typing import Final

from engine.core import State
from engine.search.policy import Level, Policy, Values


class GameKeyPolicy(Policy[State]):
    """What the searches know about Game Key."""

    key = "game-key"
    # New game: measure with `tavoliere arena game-key` that each level is clearly stronger than the one below.
    levels: Sequence[Level] = (
        Level(10, 0.3),
        Level(40, 0.15),
        Level(200, 0.05),
        Level(1_000, 0.01),
        Level(10_000),
    )

    def evaluate(self, state: State) -> Values:
        """Return how well each seat is expected to do."""
        return (0.5, 0.5)


POLICY: Final = GameKeyPolicy()
