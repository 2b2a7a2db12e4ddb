"""Games for three to five: tables drawn so that everybody meets everybody as evenly as can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import NOBODY, Pairing, RoundPaired
from bot.competitions.history import NONE_BLOCKED, Blocked, Pair, Past, meetings, pasts
from engine.fair import Draw

_STARTS: Final = 6
"""So many times the search for a round begins from another order."""
_BLOCK: Final = 10_000
"""What a table with two who do not want to meet costs, beside the squares of how often all have met."""


def usual_rounds(entrants: int, seats: int) -> int:
    """Return how many rounds let everybody meet everybody about once, five at most."""
    return max(2, min(5, -(-(entrants - 1) // (seats - 1))))


def sizes(entrants: int, seats: int, fewest: int, fill: bool) -> tuple[int, ...]:
    """Return how many people sit at each table, the larger first, where at most so many and not fewer may sit there.

    They differ by one at most. Those who are left over have a bye; where computers `fill` seats up nobody has.
    """
    for playing in range(entrants, 0, -1):
        tables = -(-playing // seats)
        if fill or playing // tables >= fewest:
            small, more = divmod(playing, tables)
            return tuple(small + (at < more) for at in range(tables))
    return ()


def pair(stands: Competition, blocked: Blocked = NONE_BLOCKED) -> RoundPaired:
    """Return the next round."""
    past = pasts(stands)
    terms = stands.terms
    people = [entrant for entrant in stands.lots if stands.present(entrant)]
    at_tables = sizes(len(people), terms.seats, terms.fewest, bool(terms.computers))
    # A bye goes to whoever had the fewest, among those to whom the lot gave the last numbers.
    by_bye = sorted(people, key=lambda entrant: (past[entrant].byes, -stands.lots.index(entrant)))
    byes = tuple(by_bye[: len(people) - sum(at_tables)])
    playing = [entrant for entrant in people if entrant not in byes]
    number = len(stands.rounds) + 1
    found = _tables(playing, at_tables, meetings(stands), blocked, Draw("0" * 64, f"{stands.code}\n", number))
    pairings = []
    for table in found:
        filled = [*table, *[NOBODY] * (terms.seats - len(table))] if terms.computers else table
        pairings.append(Pairing(_seated(filled, past)))
    return RoundPaired(number, tuple(pairings), (), byes)


def _tables(
    people: Sequence[int], at_tables: Sequence[int], met: Mapping[Pair, int], blocked: Blocked, draw: Draw
) -> list[list[int]]:
    """Return the best division into tables that exchanging two by two leads to from several orders.

    The draw only makes the orders differ, the same whenever it is asked: it decides nothing that anybody could gain by.
    """
    price = {
        frozenset(two): 2 * met.get(frozenset(two), 0) + _BLOCK * (frozenset(two) in blocked)
        for two in combinations(people, 2)
    }
    best: tuple[int, list[list[int]]] | None = None
    for start in range(_STARTS):
        left = list(people)
        order = left if start == 0 else [left.pop(draw.randrange(len(left))) for _ in people]
        places = iter(order)
        tables = [[next(places) for _ in range(size)] for size in at_tables]
        cost = _improved(tables, price)
        if best is None or cost < best[0]:
            best = cost, tables
        if cost == 0:
            break
    return best[1] if best else []


def _improved(tables: list[list[int]], price: Mapping[Pair, int]) -> int:
    """Exchange people between tables as long as that makes the whole cheaper, and return what it then costs."""

    def among(entrant: int, table: Sequence[int], but: int) -> int:
        return sum(price[frozenset((entrant, other))] for other in table if other not in (entrant, but))

    better = True
    while better:
        better = False
        for one, two in combinations(tables, 2):
            for at in range(len(one)):
                for other in range(len(two)):
                    a, b = one[at], two[other]
                    before = among(a, one, a) + among(b, two, b)
                    if before and among(b, one, a) + among(a, two, b) < before:
                        one[at], two[other] = b, a
                        better = True
    return sum(price[frozenset(pair)] for table in tables for pair in combinations(table, 2))


def _seated(table: Sequence[int], past: Mapping[int, Past]) -> tuple[int, ...]:
    """Return a table in the order of its seats, each as often as can be where they have sat least."""
    had: dict[int, Counter[int]] = {entrant: past[entrant].seats for entrant in table if entrant != NOBODY}
    # Computers are all alike, so their orders are.
    return min(
        dict.fromkeys(permutations(table)),
        key=lambda order: sum(
            had[entrant][seat] ** 2 * 2 + had[entrant][seat] for seat, entrant in enumerate(order) if entrant in had
        ),
    )
