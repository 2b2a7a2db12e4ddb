"""The Man's walks: whom he may still name, and where he may land (rules/uomo-nero.md, The Man's turn)."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Final

from engine.games.uomo_nero.board import DISTANCE, FIELD, HALF, steps
from engine.topology import indices

_LOW: Final = (1 << HALF) - 1
_CACHE: Final = 4096

WITHIN: Final = tuple(
    tuple(sum(1 << other for other, steps_to in enumerate(row) if steps_to <= amount) & FIELD for amount in range(13))
    for row in DISTANCE
)
"""For each cell and n the cells of the field that the Man can enter within n steps, attackers or not."""


def can_name(man: int, attackers: int, captured: int, amount: int) -> int:
    """Return the attackers that some walk of `amount` steps captures together with all named before.

    `attackers` are the cells of those still on the board, `captured` the cells of those named. An attacker in
    the way never hinders (it would be captured as well), and steps that are left over can be spent to and fro,
    so all that counts is the shortest way past all of them.
    """
    if not captured:
        return attackers & WITHIN[man][amount]
    near = attackers & WITHIN[man][amount] | captured
    found = 0
    for members in _sets_within(man, near, amount):
        if not captured & ~members:
            found |= members
    return found & ~captured


def shortest_way(man: int, cells: int, landing: int | None = None) -> int:
    """Return the steps of the shortest way from the Man past all the cells, to the landing cell if one is given."""
    ways = _ways(man, cells, 10**6)
    last = ways[cells] if cells else {man: 0}
    return min(steps_to + (DISTANCE[at][landing] if landing is not None else 0) for at, steps_to in last.items())


def landings(man: int, attackers: int, captured: int, amount: int) -> int:
    """Return where a walk of `amount` steps can end that enters exactly the captured attackers' cells."""
    if not captured:
        ends = steps(man, amount, FIELD & ~attackers)[amount]
        return ends << HALF if (man >= HALF) ^ (amount & 1) else ends
    return _landings(man, attackers & FIELD, captured, amount)


def fewest_more(man: int, attackers: int, captured: int, landing: int, amount: int) -> int:
    """Return a smallest set of further attackers whose capture would let a walk of `amount` steps end there.

    There is one wherever the shortest way past those named is short enough and of the right parity.
    """
    near = indices(attackers & WITHIN[man][amount])
    for size in range(1, len(near) + 1):
        for chosen in combinations(near, size):
            more = sum(1 << cell for cell in chosen)
            if landings(man, attackers & ~more, captured | more, amount) >> landing & 1:
                return more
    return 0


@lru_cache(maxsize=_CACHE)
def _landings(man: int, attackers: int, captured: int, amount: int) -> int:
    """Walk all ways at once: for each set of attackers captured so far, the cells where the walk may stand."""
    open_cells = FIELD & ~attackers
    opens = open_cells & _LOW, open_cells >> HALF
    goals = captured & _LOW, captured >> HALF
    high = int(man >= HALF)
    walks = {0: 1 << (man - HALF if high else man)}
    wanted = captured.bit_count()
    for left in range(amount - 1, -1, -1):
        high = 1 - high
        open_here, goals_here, shift = opens[high], goals[high], HALF * high
        after: dict[int, int] = {}
        for members, reached in walks.items():
            if high:
                reached = (reached | reached >> 1 | reached << 6 | reached >> 7) & open_here
            else:
                reached = (reached | reached << 1 | reached << 7 | reached >> 6) & open_here
            fresh = reached & goals_here & ~(members >> shift)
            missing = wanted - members.bit_count()
            if missing <= left and reached != fresh:
                after[members] = after.get(members, 0) | reached & ~fresh
            if missing - 1 <= left:
                while fresh:
                    goal = fresh & -fresh
                    fresh ^= goal
                    more = members | goal << shift
                    after[more] = after.get(more, 0) | goal
        walks = after
    ends = walks.get(captured, 0)
    return ends << HALF if high else ends


@lru_cache(maxsize=_CACHE)
def _sets_within(man: int, cells: int, amount: int) -> tuple[int, ...]:
    """Return the sets of these cells that one walk of at most `amount` steps enters, others perhaps besides."""
    return tuple(_ways(man, cells, amount))


def _ways(man: int, cells: int, most: int) -> dict[int, dict[int, int]]:
    """Return for each set of cells that a walk can enter: for each possible last one the fewest steps, if <= most."""
    every = indices(cells)
    layer = {1 << cell: {cell: DISTANCE[man][cell]} for cell in every if DISTANCE[man][cell] <= most}
    found = dict(layer)
    while layer:
        after: dict[int, dict[int, int]] = {}
        for members, lasts in layer.items():
            for cell in every:
                if members >> cell & 1:
                    continue
                row = DISTANCE[cell]
                fewest = min(steps_to + row[last] for last, steps_to in lasts.items())
                if fewest <= most:
                    after.setdefault(members | 1 << cell, {})[cell] = fewest
        found.update(after)
        layer = after
    return found
