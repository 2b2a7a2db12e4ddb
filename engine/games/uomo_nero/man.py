"""The Man's walks: which attackers he can name, where he can land (docs/rules/uomo-nero.md, The Man's turn)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from engine.games.uomo_nero.board import DISTANCE, FIELD, HALF, find_steps
from engine.topology import list_indices

_LOW_HALF: Final = (1 << HALF) - 1
_TABLE_CACHE_SIZE: Final = 1024

CELLS_WITHIN: Final = tuple(
    tuple(sum(1 << other for other, distance in enumerate(row) if distance <= amount) & FIELD for amount in range(13))
    for row in DISTANCE
)
"""For each cell and n, the field cells that the Man can enter within n steps, attackers or not."""


def can_name(man: int, attackers: int, captured: int, amount: int) -> int:
    """Return the attackers that some walk of `amount` steps captures together with all named before.

    `attackers` are the cells of those still on the board, `captured` the cells of those named.
    """
    if not captured:
        # Nobody hinders the Man, and steps that are left over can be spent to and fro.
        return attackers & CELLS_WITHIN[man][amount]
    found = 0
    for members in find_walks(man, (attackers | captured) & FIELD, amount):
        if not captured & ~members:
            found |= members
    return found & ~captured


def find_landings(man: int, attackers: int, captured: int, amount: int) -> int:
    """Return where a walk of `amount` steps can end that enters exactly the captured attackers' cells."""
    if captured:
        return find_walks(man, (attackers | captured) & FIELD, amount).get(captured, 0)
    ends = find_steps(man, amount, ~attackers)[amount]
    return ends << HALF if (man >= HALF) ^ (amount & 1) else ends


@lru_cache(maxsize=_TABLE_CACHE_SIZE)
def find_walks(man: int, attackers: int, amount: int) -> Mapping[int, int]:
    """Return for each set of attackers that a walk of `amount` steps can capture the cells where it can end.

    All walks are followed at once: after each step there is, for each set captured so far, the set of cells where a
    walk may be.
    """
    around = FIELD & _LOW_HALF, FIELD >> HALF
    goals = attackers & _LOW_HALF, attackers >> HALF
    high = int(man >= HALF)
    found = {0: 1 << (man - HALF if high else man)}
    for _ in range(amount):
        high = 1 - high
        field, goals_here, shift = around[high], goals[high], HALF * high
        after: dict[int, int] = {}
        for captured, reached in found.items():
            if high:
                reached = (reached | reached >> 1 | reached << 6 | reached >> 7) & field
            else:
                reached = (reached | reached << 1 | reached << 7 | reached >> 6) & field
            fresh = reached & goals_here & ~(captured >> shift)
            if reached != fresh:
                after[captured] = after.get(captured, 0) | reached ^ fresh
            while fresh:
                goal = fresh & -fresh
                fresh ^= goal
                more = captured | goal << shift
                after[more] = after.get(more, 0) | goal
        found = after
    return {captured: ends << HALF if high else ends for captured, ends in found.items()}


def shortest_way(man: int, cells: int, landing: int | None = None) -> int:
    """Return the steps of the shortest way from the Man past all the cells, to the landing cell if one is given."""
    if not cells:
        return 0 if landing is None else DISTANCE[man][landing]
    ways = {(1 << cell, cell): DISTANCE[man][cell] for cell in list_indices(cells)}
    for _ in range(cells.bit_count() - 1):
        longer: dict[tuple[int, int], int] = {}
        for (passed, last), way in ways.items():
            for cell in list_indices(cells & ~passed):
                place = passed | 1 << cell, cell
                longer[place] = min(longer.get(place, way + DISTANCE[last][cell]), way + DISTANCE[last][cell])
        ways = longer
    return min(way + (0 if landing is None else DISTANCE[last][landing]) for (_, last), way in ways.items())


def fewest_more(man: int, attackers: int, captured: int, landing: int, amount: int) -> int:
    """Return a smallest set of further attackers whose capture would let a walk of `amount` steps end there.

    There is one wherever the shortest way past those named is short enough and of the right parity.
    """
    sets = find_walks(man, (attackers | captured) & FIELD, amount)
    more = [members & ~captured for members, ends in sets.items() if not captured & ~members and ends >> landing & 1]
    return min(more, key=lambda members: (members.bit_count(), members), default=0)
