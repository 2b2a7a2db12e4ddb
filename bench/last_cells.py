"""How long Fagocitare's last cells take to be worked out: the value of every cell, by this thread's clock.

The positions are the same each time: from games of likely and random dots on all three sizes of paper, the first that
come to so many free cells before somebody leads by three.
"""

import argparse
import random
import statistics
import time
from collections.abc import Iterator
from itertools import count, islice
from typing import Final

from engine import games
from engine.budget import Budget
from engine.games.fagocitare.game import FagocitareProver
from engine.games.fagocitare.rules import FagocitareState
from engine.search import players

KEY: Final = "fagocitare"
SIZES: Final = (7, 10, 12)
UNLIMITED_BUDGET: Final = 10**9


def generate_positions(free: int) -> Iterator[FagocitareState]:
    """Yield positions with so many free cells."""
    policy = players[KEY].policy
    for seed in count():
        rng = random.Random(f"last cells {seed}")
        state = games[KEY].start(2, {"size": SIZES[seed % len(SIZES)]})
        while state.to_move is not None:
            assert isinstance(state, FagocitareState)  # noqa: S101
            if state.free.bit_count() == free:
                yield state
                break
            likely = rng.randrange(4) == 0
            action = rng.choice(policy.candidates(state)[:2]) if likely else state.random_action(rng)
            state = state.advance(action)


def main() -> None:
    """Print for each number of free cells median and longest time, and as much of the positions looked at."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cells", nargs="*", type=int, default=[10, 12, 14], help="how many cells are free (10 12 14)")
    parser.add_argument("--count", type=int, default=40, help="how many positions of each (40)")
    arguments = parser.parse_args()
    for free in arguments.cells:
        seconds, spent = [], []
        for state in islice(generate_positions(free), arguments.count):
            budget = Budget(UNLIMITED_BUDGET)
            began = time.thread_time()
            found = FagocitareProver(free).settle(state, budget)
            seconds.append(time.thread_time() - began)
            spent.append(budget.spent)
            assert len(found) == len(state.legal_actions())  # noqa: S101
        times = f"{statistics.median(seconds):.3f} s, {max(seconds):.3f} s at most"
        print(f"{free} free cells: {times}; {statistics.median(spent):.0f} positions, {max(spent)} at most", flush=True)


if __name__ == "__main__":
    main()
