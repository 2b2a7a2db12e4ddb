"""Hard positions (bench/hard/, made by tools/make_hard.py): the share that levels, hints and analyses answer rightly.

Levels play with whole budgets, hints and analyses look as long as they do in the program, by this thread's clock.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from bot.thinking import advice, analysis
from engine import State, games
from engine.search import LEVELS, players

PLACE = Path(__file__).resolve().parent / "hard"


def answers(level: int) -> Callable[[State], str]:
    """Return how a level answers."""
    return lambda state: players[state.game.key].choose(state, level, 1).text


def looked(seconds: float) -> Callable[[State], str]:
    """Return how a look of so many seconds answers."""

    def answer(state: State) -> str:
        most = players[state.game.key].level(5).iterations
        return players[state.game.key].analyse(state, most, seconds=seconds, clock=time.thread_time)[0].action.text

    return answer


def main() -> None:
    """Print a line for each game and each who is asked."""
    keys = sorted(path.stem for path in PLACE.glob("*.json"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(keys)}")
    parser.add_argument("--count", type=int, default=1000, help="how many positions of each at most")
    parser.add_argument("--levels", type=int, nargs="*", default=LEVELS, help="which levels (all)")
    arguments = parser.parse_args()
    asked = {f"level {level}": answers(level) for level in arguments.levels}
    asked |= {"hint": looked(advice.SECONDS), "analysis": looked(analysis.CLOSER)}
    for key in arguments.games or keys:
        entries = json.loads((PLACE / f"{key}.json").read_text(encoding="utf-8"))[: arguments.count]
        states = [games[key].load(entry["position"]) for entry in entries]
        pairs = list(zip(entries, states, strict=True))
        chance = sum(len(entry["right"]) / len(state.legal_actions()) for entry, state in pairs)
        print(f"{key:12} {len(entries):3} positions: by chance {100 * chance / len(entries):.0f} %", end="", flush=True)
        for who, answer in asked.items():
            right = sum(answer(state) in entry["right"] for entry, state in pairs)
            print(f", {who} {100 * right / len(entries):.0f} %", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
