"""Moments of one's own games, held against searches ten times as long, on games of computers against themselves.

Games of two are played by levels 2 and 3 from a random beginning, analysed as the program does, and searched for both
players' moments. A moment is confirmed if an independent search, ten times as long, finds the better turn worth more
than the one played. Seconds are those of this process's thread: how busy the machine is does not count.
"""

import argparse
import asyncio
import time

from bench.analysis import Here, is_confirmed, play_random_game
from bot.thinking.analyst import Analyst, OwnMomentFinder
from engine import games
from engine.search.contest import score_interval


async def measure_moments(key: str, numbers: range, effort: float) -> tuple[int, int]:
    """Search games of one kind for moments and print how many hold; return how many were found and confirmed."""
    found = right = with_one = proven = 0
    seconds = 0.0
    for number in numbers:
        turns = play_random_game(key, 1000 + number)
        analysis = await Analyst(Here(), turns, effort).analysis()
        for seat in range(2):
            began = time.thread_time()
            own = await OwnMomentFinder(Here(), turns, seat, analysis, effort).own_moments()
            seconds += time.thread_time() - began
            with_one += bool(own.moments)
            found += len(own.moments)
            proven += sum(each.choice.proven for each in own.moments)
            right += sum(is_confirmed(turns[each.choice.turn - 1], each.choice, effort) for each in own.moments)
    low, high = score_interval(right / found, found) if found else (0.0, 1.0)
    people = 2 * len(numbers)
    print(
        f"{key:12} {len(numbers)} games: {found} moments ({proven} proven) for {with_one} of {people} players;"
        f" {right} confirmed ({100 * low:.1f} to {100 * high:.1f} %); {seconds / people:.2f} s a player",
        flush=True,
    )
    return found, right


async def main() -> None:
    """Print a line for each kind of game, and one for all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(games)}")
    parser.add_argument("--count", type=int, default=60, help="how many games of each (60)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game (0)")
    parser.add_argument("--effort", type=float, default=0.2, help="the share of the usual time, of all searches (0.2)")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.count)
    sums = [await measure_moments(key, numbers, arguments.effort) for key in arguments.games or games]
    found, right = (sum(each) for each in zip(*sums, strict=True))
    low, high = score_interval(right / found, found) if found else (0.0, 1.0)
    print(f"all: {right} of {found} moments confirmed ({100 * low:.1f} to {100 * high:.1f} %)", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
