"""Hard positions (bench/hard/, made by tools/make_hard.py): the share that levels, hints and analyses answer rightly.

Levels play with whole budgets, hints and analyses look as long as they do in the program, by this thread's clock. All
five levels of all games take hours: `--first` and `--count` choose a part, and each line says how many were right, so
that the parts can be added up.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.kernel import advice
from bot.thinking import analyst
from engine import State, games
from engine.search import LEVELS, players

PLACE = Path(__file__).resolve().parent / "hard"


def choose_actions(level: int) -> Callable[[State], str]:
    """Return how a level answers."""
    return lambda state: players[state.game.key].choose(state, level, 1).text


def search_for_seconds(seconds: float) -> Callable[[State], str]:
    """Return how a look of so many seconds answers."""

    def answer(state: State) -> str:
        most = players[state.game.key].level(5).iterations
        return players[state.game.key].analyse(state, most, seconds=seconds, clock=time.thread_time)[0].action.text

    return answer


def _share(right: float, entries: Sequence[object]) -> str:
    return f"{right:.4g}/{len(entries)} ({100 * right / len(entries):.0f} %)"


def main() -> None:
    """Print a line for each game and each who is asked."""
    keys = sorted(path.stem for path in PLACE.glob("*.json"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(keys)}")
    parser.add_argument("--first", type=int, default=0, help="how many positions of each are left out before (0)")
    parser.add_argument("--count", type=int, default=1000, help="how many positions of each at most")
    parser.add_argument("--levels", type=int, nargs="*", default=LEVELS, help="which levels (all)")
    arguments = parser.parse_args()
    asked = {f"level {level}": choose_actions(level) for level in arguments.levels}
    asked |= {
        "hint": search_for_seconds(advice.HINT_SEARCH_SECONDS),
        "analysis": search_for_seconds(analyst.SECOND_PASS_SECONDS_PER_DECISION),
    }
    for key in arguments.games or keys:
        entries = json.loads((PLACE / f"{key}.json").read_text(encoding="utf-8"))
        entries = entries[arguments.first : arguments.first + arguments.count]
        if not entries:
            print(f"{key:12} has no more positions")
            continue
        states = [games[key].load(entry["position"]) for entry in entries]
        pairs = list(zip(entries, states, strict=True))
        chance = sum(len(entry["right"]) / len(state.legal_actions()) for entry, state in pairs)
        of = f"{key:12} {arguments.first} to {arguments.first + len(entries) - 1}"
        print(f"{of}: by chance {_share(chance, entries)}", end="", flush=True)
        for who, answer in asked.items():
            right = sum(answer(state) in entry["right"] for entry, state in pairs)
            print(f", {who} {_share(right, entries)}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
