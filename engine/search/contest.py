"""Contests between levels: games with seats swapped, and the confidence interval of the result."""

import math
import random
from dataclasses import dataclass
from typing import Any, Final

from engine.core import CHANCE, GameOptions
from engine.games import games
from engine.search.policy import values_of

RANDOM_LEVEL: Final = 0
"""The level that plays random legal actions."""
_Z_95: Final = 1.96
"""Standard deviations to either side that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Bout:
    """One game to be played: a level in one seat against another in all others.

    The first `opening` turns are drawn at random (the same for the games of one `pair`), so that players who
    always do the same do not play one game again and again; `effort` scales the iterations of both.
    """

    game: str
    options: GameOptions
    seats: int
    level: int
    against: int
    pair: int
    seat: int
    effort: float = 1.0
    opening: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a bout: the value of `level`'s seat (1 a win, 0.5 a draw of two), its reason and length."""

    bout: Bout
    value: float
    reason: str
    turns: int


def list_bouts(
    game: str, options: GameOptions, seats: int, level: int, against: int, count: int, **more: Any
) -> list[Bout]:
    """Return bouts in which the level takes every seat in turn, in the same openings with the same dice."""
    return [
        Bout(game, options, seats, level, against, pair=number // seats, seat=number % seats, **more)
        for number in range(count)
    ]


def play(bout: Bout) -> Played:
    """Play a bout; the same bout always gives the same result."""
    from engine.search import players

    player = players[bout.game]
    chance = random.Random(f"{bout.seed} chance {bout.pair}")
    opening = random.Random(f"{bout.seed} opening {bout.pair}")
    others = random.Random(f"{bout.seed} random {bout.pair} {bout.seat}")
    state = games[bout.game].start(bout.seats, bout.options)
    levels = [bout.level if seat == bout.seat else bout.against for seat in range(bout.seats)]
    memories = [player.memory() for _ in levels]
    while (seat := state.to_move) is not None:
        if seat == CHANCE:
            action = state.sample_chance(chance)
        elif state.turn < bout.opening:
            action = state.random_action(opening)
        elif levels[seat] == RANDOM_LEVEL:
            action = state.random_action(others)
        else:
            seed = bout.seed * 1_000_003 + bout.pair
            action = player.choose(state, levels[seat], seed, effort=bout.effort, memory=memories[seat])
        state = state.advance(action)
    if state.outcome is None:
        raise AssertionError("a game that is over has an outcome")
    return Played(bout, values_of(state.outcome)[bout.seat], state.outcome.reason, state.turn)


def score_interval(score: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a mean score.

    Wilson's score interval (1927); draws counted half make it slightly too wide.
    """
    if count == 0:
        return 0.0, 1.0
    spread = _Z_95 * _Z_95 / count
    middle = score + spread / 2
    radius = _Z_95 * math.sqrt(score * (1 - score) / count + spread / (4 * count))
    return max(0.0, (middle - radius) / (1 + spread)), min(1.0, (middle + radius) / (1 + spread))
