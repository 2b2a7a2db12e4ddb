"""The rules of version 1, which still apply to competitions and seasons that began before version 2.

Differences in leagues: a blocked pair's game is no result, a member who leaves and comes back during a season plays
on, and `next_divisions` places people differently. On ladders `take_seats` compares differences. The search for
seatings at tables is not exact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.competitions.league import cut_into_divisions, movers

if TYPE_CHECKING:
    from bot.competitions.ladder import Climber


def next_divisions(
    orders: Sequence[Sequence[int]], staying: Collection[int], queue: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Return the divisions of the next season; the arguments are those of `league.next_divisions`.

    All members form one list, which is cut into divisions; promoted members are in the middle of those who stay.
    """
    moving = [movers(len(upper), len(lower)) for upper, lower in pairwise(orders)]
    line: list[int] = []
    for at, order in enumerate(orders):
        up = moving[at - 1] if at else 0
        down = moving[at] if at < len(orders) - 1 else 0
        stay = list(order[up : len(order) - down])
        coming_down = list(orders[at - 1][len(orders[at - 1]) - moving[at - 1] :]) if at else []
        coming_up = list(orders[at + 1][: moving[at]]) if down else []
        middle = len(stay) // 2
        line += [*coming_down, *stay[:middle], *coming_up, *stay[middle:]]
    return cut_into_divisions([*(each for each in line if each in staying), *queue], len(orders))


def take_seats(challenger: Climber, challenged: Climber) -> tuple[Climber, Climber]:
    """Return who begins a game on a ladder and who does not, and count it: fewer games begun, else the challenged."""
    pair = (challenger, challenged) if challenger.begun < challenged.begun else (challenged, challenger)
    return replace(pair[0], begun=pair[0].begun + 1), replace(pair[1], begun=pair[1].begun - 1)
