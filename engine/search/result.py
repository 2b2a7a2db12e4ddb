"""The results of a search for the actions of a position."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.core import Action


@dataclass(frozen=True, slots=True)
class Judged:
    """An action, the values per seat that are expected after it, and how many iterations looked into it.

    `proven` says that the values are not an estimate: play goes that way whatever the others do. `known` says that this
    comes from the game's oracle or its prover. For the oracle `turns` is within how many turns, this one the first, the
    next capture comes that keeps a win or a loss (`engine.oracle.Verdict`), for the prover `within` says within how
    many turns of its own the winner wins (`engine.prover.Proof`). `expected`: the values are exact means over the dice.
    """

    action: Action
    values: tuple[float, ...]
    visits: int
    proven: bool = False
    known: bool = False
    turns: int | None = None
    within: int | None = None
    expected: bool = False


def pick(judged: Sequence[Judged], seat: int, noise: float, rng: random.Random) -> Action:
    """Return the action to play among search results, best first; noise blurs all unproven values.

    If everything loses, the first is the one that loses last.
    """
    won = next((each for each in judged if each.proven and each.values[seat] == 1.0), None)
    open_ones = [each for each in judged if not (each.proven and each.values[seat] == 0.0)]
    if won or noise <= 0.0 or not open_ones:
        return (won or judged[0]).action
    return _blurred(open_ones, seat, noise, rng)


def _blurred(judged: Iterable[Judged], seat: int, noise: float, rng: random.Random) -> Action:
    best, action = -1e9, None
    for each in judged:
        value = each.values[seat] + (0.0 if each.proven or each.expected else rng.gauss(0.0, noise))
        if value > best:
            best, action = value, each.action
    if action is None:
        raise ValueError("nothing to choose from")
    return action
