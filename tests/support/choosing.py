"""What people play in tests: games that come to an end soon."""

from __future__ import annotations

import random

from engine import Action, State
from engine.search import players

LEVEL = 3
THOUGHTS = 30


def choose_cleverly(state: State, rng: random.Random) -> Action:
    """Return what a computer would play that has hardly any time: any game comes to its end by it."""
    player = players[state.game.key]
    effort = THOUGHTS / player.level(LEVEL).iterations
    return player.turn(state, LEVEL, rng.randrange(2**32), effort=effort)[0]
