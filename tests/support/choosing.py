"""What people play in tests: games that come to an end soon."""

import random
from collections.abc import Callable

from engine import Action, State
from engine.search import players

LEVEL = 3
THOUGHTS = 30


Choose = Callable[[State, random.Random], Action]


def choose_at_random(state: State, rng: random.Random) -> Action:
    return state.random_action(rng)


def choose_capture(state: State, rng: random.Random) -> Action:
    """Return a capture where there is one: games end sooner by it."""
    captures = [action for action in state.legal_actions() if state.game.facts.is_capture(action)]
    return rng.choice(captures) if captures else state.random_action(rng)


def choose_cleverly(state: State, rng: random.Random) -> Action:
    """Return what a computer would play that has hardly any time: any game comes to its end by it."""
    player = players[state.game.key]
    effort = THOUGHTS / player.level(LEVEL).iterations
    return player.turn(state, LEVEL, rng.randrange(2**32), effort=effort)[0]
