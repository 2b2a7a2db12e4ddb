"""Divisions: sizes, promotion and relegation, and how vacated places are filled."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
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
    first by the best of those who would have gone down, then by the next best of the division directly below. If a
    division becomes smaller, the last of those who would have stayed go down, too, before anybody who came up
    (docs/leagues.md, Up and down).
    """
    moving = [movers(len(upper), len(lower)) for upper, lower in pairwise(orders)]
    parts = []
    for order, rising, falling in zip(orders, [0, *moving], [*moving, 0], strict=True):
        end = len(order) - falling
        thirds = (order[:rising], order[rising:end], order[end:])
        parts.append(_Part(*([each for each in third if each in staying] for third in thirds)))
    # Those who wait are like a last division, from which nobody comes up by right.
    parts.append(_Part([], list(queue), []))
    sizes = division_sizes(sum(len(each.up) + len(each.stay) + len(each.down) for each in parts), len(orders))
    parts += [_Part([], [], []) for _ in range(len(sizes) + 1 - len(parts))]
    found, came_down = [], list[int]()
    for at, size in enumerate(sizes):
        mine, below = parts[at], parts[at + 1]
        came_up, pushed, returned = below.up, list[int](), list[int]()
        for part, leaves in ((mine.stay, pushed), (came_up, returned), (came_down, pushed)):
            while part and len(came_down) + len(mine.stay) + len(came_up) > size:
                leaves.insert(0, part.pop())
        below.stay[:0] = returned
        remaining = _take(size - len(came_down) - len(mine.stay) - len(came_up), [mine.down])
        # Directly below first, those who came up from further below last.
        rest = [below.stay, below.down, *(part for each in parts[at + 2 :] for part in (each.up, each.stay, each.down))]
        filling = _take(size - len(came_down) - len(mine.stay) - len(remaining) - len(came_up), rest)
        found.append((*came_down, *mine.stay, *remaining, *came_up, *filling))
        below.up, came_down = [], [*pushed, *mine.down]
    return tuple(found)


@dataclass
class _Part:
    """Those of a division who go on: who goes up, who stays and who goes down, each from the best to the last."""

    up: list[int]
    stay: list[int]
    down: list[int]


def _take(count: int, sources: Sequence[list[int]]) -> list[int]:
    """Take so many people from lists, from the beginning of the first one on, and return them."""
    found = list[int]()
    for source in sources:
        missing = max(0, count - len(found))
        found += source[:missing]
        del source[:missing]
    return found
