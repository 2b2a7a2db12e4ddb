"""Divisions: sizes, promotion and relegation, and how vacated places are filled."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

MIN_DIVISION: Final = 5
MAX_DIVISION: Final = 8
_USUAL_DIVISION: Final = 6
_TWO_MOVE_FROM: Final = 6
"""Two go up and two go down between divisions that both have at least this size; else one."""


def division_sizes(people: int, before: int = 0) -> tuple[int, ...]:
    """Return the sizes of the divisions, the larger first: five to eight members each, as even as possible.

    Fewer than five make one smaller division. Nine are too many for one and too few for two, and make one of nine. The
    number of divisions stays as it was `before`, if possible.
    """
    if people <= MAX_DIVISION + 1:
        return (people,) if people else ()
    least, most = -(-people // MAX_DIVISION), people // MIN_DIVISION
    wanted = before or round(people / _USUAL_DIVISION)
    small, more = divmod(people, min(most, max(least, wanted)))
    return tuple(small + (at < more) for at in range(min(most, max(least, wanted))))


def movers(upper: int, lower: int) -> int:
    """Return how many go up between two divisions of these sizes; as many go down."""
    return 2 if min(upper, lower) >= _TWO_MOVE_FROM else 1


def next_divisions(
    orders: Sequence[Sequence[int]], staying: Collection[int], queue: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Return the divisions of the next season.

    `orders` are the final orders of the old divisions, including members who have left; `staying` are the members who
    go on; `queue` are the members who wait. Members who have left count among those who go down. Free places are filled
    first by the best of those who would have gone down, then by the next best of the division below. If a division
    becomes smaller, the last of those who would have stayed go down, too.
    """
    moving = [movers(len(upper), len(lower)) for upper, lower in pairwise(orders)]
    line: list[int] = []
    for at, order in enumerate(orders):
        up = moving[at - 1] if at else 0
        down = moving[at] if at < len(orders) - 1 else 0
        stay = list(order[up : len(order) - down])
        coming_down = list(orders[at - 1][len(orders[at - 1]) - moving[at - 1] :]) if at else []
        coming_up = list(orders[at + 1][: moving[at]]) if down else []
        # Promoted members rank before the last of those who stay, so that a division that shrinks keeps them.
        middle = len(stay) // 2
        line += [*coming_down, *stay[:middle], *coming_up, *stay[middle:]]
    people = [each for each in line if each in staying] + list(queue)
    found, start = [], 0
    for size in division_sizes(len(people), len(orders)):
        found.append(tuple(people[start : start + size]))
        start += size
    return tuple(found)
