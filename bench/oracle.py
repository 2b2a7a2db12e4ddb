"""What knowing endings is worth: how long it takes to ask, and how levels play that know against the same that do not.

Times are those of this process's thread; what others do on the machine counts little. A match has pairs of games from
the same random opening, seats swapped; the other side plays without the game's oracle.
"""

import argparse
import random
import time
import tracemalloc
from collections.abc import Sequence

from engine import State, games
from engine.search import players
from engine.search.contest import score_interval
from engine.search.policy import values_of
from tests.games.annuvin.plain import random_position

_KEY = "annuvin"
_WARM_UP_PROBES = 200


def measure_probes(states: Sequence[State]) -> list[float]:
    """Return the milliseconds that each probe takes, in ascending order."""
    oracle = games[_KEY].oracle
    taken = []
    for state in states:
        begun = time.thread_time()
        if oracle is None or oracle.probe(state) is None:
            raise AssertionError(state)
        taken.append(1000 * (time.thread_time() - begun))
    return sorted(taken)


def measure_memory(pieces: tuple[int, int], count: int) -> tuple[float, float]:
    """Return the megabytes that so many probes leave behind, and the most that they needed."""
    states = [random_position(random.Random(number), pieces=pieces) for number in range(count)]
    tracemalloc.start()
    measure_probes(states)
    left, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return left / 1e6, most / 1e6


def play_game(level: int, effort: float, number: int) -> float:
    """Play a game and return what the one that knows gets."""
    game, player = games[_KEY], players[_KEY]
    oracle, rng = game.oracle, random.Random(number // 2)
    knowing = number % 2
    state: State = game.start(2)
    memories = [player.memory() for _ in range(2)]
    while (seat := state.to_move) is not None:
        if state.turn < 4:
            state = state.advance(state.random_action(rng))
            continue
        game.oracle = oracle if seat == knowing else None
        try:
            state = state.advance(player.choose(state, level, number // 2, effort=effort, memory=memories[seat]))
        finally:
            game.oracle = oracle
    if state.outcome is None:
        raise AssertionError("a game that is over has an outcome")
    return values_of(state.outcome)[knowing]


def main() -> None:
    """Print times, memory and the match."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--level", type=int, default=4)
    parser.add_argument("--effort", type=float, default=0.1)
    arguments = parser.parse_args()
    print("memory: {:.1f} MB kept, {:.1f} MB at most (4 against 4, 3,000 probes)".format(*measure_memory((4, 4), 3000)))
    print("pieces   median ms   95 % within ms   longest ms (1,000 random positions each)")
    for pieces in ((4, 4), (3, 4), (4, 3), (3, 3)):
        rng = random.Random(1)
        states = [random_position(rng, pieces=pieces) for _ in range(1000 + _WARM_UP_PROBES)]
        measure_probes(states[:_WARM_UP_PROBES])
        times = measure_probes(states[_WARM_UP_PROBES:])
        print(f"{pieces[0]} v {pieces[1]} {times[500]:12.2f} {times[950]:16.2f} {times[-1]:12.2f}")
    score = sum(play_game(arguments.level, arguments.effort, number) for number in range(arguments.games))
    low, high = score_interval(score / arguments.games, arguments.games)
    print(
        f"level {arguments.level} that knows against level {arguments.level} that does not, effort {arguments.effort}: "
        f"{score:g} of {arguments.games} (95 %: {100 * low:.0f} to {100 * high:.0f} %)"
    )


if __name__ == "__main__":
    main()
