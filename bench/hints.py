"""How far hints lead: games in which everybody plays what a hint suggests, beside games of level 3 against itself.

Each game of each number of seats is played with every seed, a hint having the same number of iterations on any
machine. All should end within three times the median of level 3, and within 200 turns of each seat; no hint should take
back what the last one did, unless something was captured between or all else loses. After `make compiled`,
`PYTHONPATH=out/compiled:.` makes it several times as fast.
"""

import argparse
from statistics import median
from typing import Final

from engine import games
from tests.support.following_hints import MAX_TURNS_PER_SEAT, follow_hints, play_level

_LEVEL: Final = 3
_FACTOR: Final = 3


def main() -> None:
    """Print a row of the table for each game and number of seats."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(games)}")
    parser.add_argument("--seeds", type=int, default=20, help="how many games of each (20)")
    parser.add_argument("--iterations", type=int, default=500, help="iterations of a hint (500)")
    arguments = parser.parse_args()
    print("| game | seats | level 3: median, longest | hints: median, longest | limit | late | taken back | forced |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for key in arguments.games or games:
        for seats in games[key].seats:
            most = MAX_TURNS_PER_SEAT * seats
            usual = [play_level(key, seats, seed, _LEVEL, 600) for seed in range(arguments.seeds)]
            limit = min(most, _FACTOR * median(usual))
            found = [follow_hints(key, seats, seed, arguments.iterations, most) for seed in range(arguments.seeds)]
            turns = [each.turns for each in found]
            late = sum(not each.is_over or each.turns > limit for each in found)
            back = sum(len(each.taken_back) for each in found)
            print(
                f"| {key} | {seats} | {median(usual):g}, {max(usual)} | {median(turns):g}, {max(turns)} | {limit:g} |"
                f" {late} | {back} | {sum(each.forced for each in found)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
