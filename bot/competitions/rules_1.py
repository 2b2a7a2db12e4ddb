"""The rules of version 1, which still apply to competitions and seasons that began before version 2.

Differences in leagues: a blocked pair's game is no result, a member who leaves and comes back during a season plays
on, and `next_divisions` places people differently. On ladders `take_seats` compares differences. The search for
seatings at tables is not exact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.competitions.events import Divisions
from bot.competitions.league import cut_into_divisions, movers

if TYPE_CHECKING:
    from bot.competitions.ladder import Climber


def next_divisions(orders: Sequence[Sequence[int]], staying: Collection[int], queue: Sequence[int]) -> Divisions:
    """Return the divisions of the next season; the arguments are those of `league.next_divisions`.

    All members form one list, which is cut into divisions; promoted members are in the middle of those who stay.
    """
    moving, around = movers([len(order) for order in orders]), [(), *orders, ()]
    line: list[int] = []
    for above, order, below, up, down in zip(around, orders, around[2:], moving, moving[1:], strict=False):
        stay = order[up : len(order) - down]
        middle = len(stay) // 2
        line += [*above[len(above) - up :], *stay[:middle], *below[:down], *stay[middle:]]
    return cut_into_divisions([*(each for each in line if each in staying), *queue], len(orders))


def take_seats(challenger: Climber, challenged: Climber) -> tuple[Climber, Climber]:
    """Return who begins a game on a ladder and who does not, and count it: fewer games begun, else the challenged."""
    pair = (challenger, challenged) if challenger.begun < challenged.begun else (challenged, challenger)
    return replace(pair[0], begun=pair[0].begun + 1), replace(pair[1], begun=pair[1].begun - 1)
