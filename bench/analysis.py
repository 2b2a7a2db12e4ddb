"""What analyses say, held against searches ten times as long: are the better moves that they name better?

Games of two are played by two levels against each other, so that mistakes are made, and analysed as the program does.
Every turn that an analysis names is then searched ten times as long, at the choice and after either turn. It is
confirmed if what was called better is worth more than what was played. Seconds are those of this process's thread:
how busy the machine is does not count.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Collection, Hashable, Mapping
from typing import Any

from bot.thinking.analysis import CostlyChoice
from bot.thinking.analyst import SECOND_PASS_SECONDS_PER_DECISION, Analyst
from bot.thinking.thinkers import SearchPool
from engine import CHANCE, Action, State, Turn, games
from engine.search import Judged, players
from engine.search.contest import score_interval
from engine.search.policy import values_of
from engine.turn import group_turns

_CHECK_FACTOR = 10


class Here(SearchPool):
    """Thinks in this process."""

    async def analyse(
        self,
        position: Mapping[str, Any],
        iterations: int,
        seconds: float | None = None,
        *,
        whose: Hashable = None,
        about: Hashable = None,
        avoid: Collection[str] = (),
    ) -> tuple[Judged, ...]:
        state = games[position["game"]].load(position)
        return players[state.game.key].analyse(state, iterations, seconds=seconds, clock=time.thread_time, avoid=avoid)


def play_random_game(key: str, number: int) -> list[Turn]:
    """Return a game between levels 2 and 3 that begins at random."""
    rng = random.Random(number)
    start: State = games[key].start(2)
    state, actions = start, list[Action]()
    while (seat := state.to_move) is not None:
        if seat == CHANCE or state.turn < 4:
            actions.append(state.random_action(rng))
        else:
            actions.append(players[key].choose(state, 2 + (seat + number) % 2, number))
        state = state.advance(actions[-1])
    return list(group_turns(start, actions))


def estimate_value(state: State, seat: int, seconds: float) -> float:
    """Return what a seat may expect in a position, mean over the dice if they come first."""
    if state.outcome is not None:
        return values_of(state.outcome)[seat]
    if state.to_move == CHANCE:
        rolls = state.chance_outcomes()
        return sum(chance * estimate_value(state.advance(roll), seat, seconds / len(rolls)) for roll, chance in rolls)
    return players[state.game.key].analyse(state, 10**9, seconds=seconds, clock=time.thread_time)[0].values[seat]


def is_confirmed(turn: Turn, choice: CostlyChoice, effort: float) -> bool:
    """Say whether a long search finds what was called better worth more than what was played."""
    start = turn.before
    for action in turn.actions[: choice.begun]:
        start = start.play(action)
    ends = []
    for texts in (choice.better, choice.played):
        state = start
        for text in texts:
            state = state.play(state.read(text))
        ends.append(estimate_value(state, choice.seat, _CHECK_FACTOR * SECOND_PASS_SECONDS_PER_DECISION * effort))
    return ends[0] > ends[1]


async def measure_game(key: str, count: int, effort: float) -> None:
    """Analyse games and print how much of what is said holds."""
    said = right = 0
    for number in range(count):
        game = play_random_game(key, number)
        found = await Analyst(Here(), game, effort).analysis()
        said += len(found.moments)
        right += sum(is_confirmed(game[choice.turn - 1], choice, effort) for choice in found.moments)
        low, high = score_interval(right / said, said) if said else (0.0, 1.0)
        print(
            f"{key:12} {number + 1:3} games: {right} of {said} better moves confirmed"
            f" ({100 * low:.0f} to {100 * high:.0f} %)",
            flush=True,
        )


def main() -> None:
    """Print a line after each game of each kind."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(games)}")
    parser.add_argument("--count", type=int, default=50, help="how many games of each (50)")
    parser.add_argument("--effort", type=float, default=1.0, help="the share of the usual time, of all searches")
    arguments = parser.parse_args()
    for key in arguments.games or games:
        asyncio.run(measure_game(key, arguments.count, arguments.effort))


if __name__ == "__main__":
    main()
