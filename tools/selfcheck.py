"""A digest of games and searches, to compare compiled modules with plain ones."""

import hashlib
import random
import sys

from engine import core
from engine.core import CHANCE, State
from engine.games import games
from engine.search import players

_GAME_COUNT = 3
_MAX_TURNS = 12
_ITERATIONS = 300


def compute_digest() -> str:
    """Return a digest of random games with every number of seats and of searches, of this project's games.

    Those of other packages are never compiled.
    """
    found = hashlib.sha256()
    for key in games.ours:
        for seats in games[key].seats:
            for number in range(_GAME_COUNT):
                found.update(_played(key, seats, number).encode())
    return found.hexdigest()


def _played(key: str, seats: int, number: int) -> str:
    rng = random.Random(f"{key} {seats} {number}")
    state: State = games[key].start(seats)
    seen = []
    for _ in range(2000):
        if state.to_move is None:
            break
        if state.turn == _MAX_TURNS and state.to_move != CHANCE:
            seen += [each.action.text for each in players[key].analyse(state, _ITERATIONS, number)]
        seen += [action.text for action in state.legal_actions()]
        state = state.advance(state.random_action(rng))
        seen.append(repr(state.key()))
    return "\n".join([*seen, repr(state.to_json())])


def main() -> None:
    """Print the digest and whether the modules are compiled."""
    print("plain" if (core.__file__ or "").endswith(".py") else "compiled", compute_digest(), file=sys.stdout)


if __name__ == "__main__":
    main()
