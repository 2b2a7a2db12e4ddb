"""Tables of three to five, drawn so that everybody meets everybody as evenly as possible."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT, Pairing, RoundPaired
from bot.competitions.history import NO_BLOCKS, Blocked, EntrantHistory, Pair, count_meetings, entrant_histories
from engine.fair import Draw

_BLOCKED_PENALTY: Final = 1000
"""Number of meetings that a block between two counts as."""
_MAX_PLANNED_ROUNDS: Final = 8
"""Maximum number of rounds planned together; only the first one is used."""
_MAX_ENTRANTS_PLANNED_TOGETHER: Final = 32
"""With more entrants each round is planned alone: there are enough new opponents."""
MAX_ENTRANTS_SEARCHED: Final = 15
"""Up to so many entrants, all seatings are searched for one in which nobody meets whom they have blocked."""
_SEARCH_BUDGET: Final = 100_000
_MAX_RESTARTS: Final = 60
"""Maximum number of restarts of the search, each after some random exchanges in the best plan."""

Tables = list[list[int]]


def default_rounds(entrants: int, seats: int) -> int:
    """Return the default number of rounds: everybody meets everybody about once, at most five rounds."""
    return max(2, min(5, -(-(entrants - 1) // (seats - 1))))


def table_sizes(entrants: int, seats: int, fewest: int, fill: bool) -> tuple[int, ...]:
    """Return the number of people at each table, larger ones first, within the minimum and maximum of a table.

    Sizes differ by at most one. Those left over have a bye, unless computers `fill` up seats.
    """
    for playing in range(entrants, 0, -1):
        tables = -(-playing // seats)
        if fill or playing // tables >= fewest:
            small, more = divmod(playing, tables)
            return tuple(small + (at < more) for at in range(tables))
    return ()


def pair_round(stands: Competition, blocked: Blocked = NO_BLOCKS) -> RoundPaired:
    """Return the next round."""
    past = entrant_histories(stands)
    terms = stands.terms
    people = [entrant for entrant in stands.lots if stands.is_available(entrant)]
    at_tables = table_sizes(len(people), terms.seats, terms.fewest, bool(terms.computers))
    # The bye goes to the entrant with the fewest byes; among equals to the last lot.
    by_bye = sorted(people, key=lambda entrant: (past[entrant].byes, -stands.lots.index(entrant)))
    byes = tuple(by_bye[: len(people) - sum(at_tables)])
    is_searched = stands.rules_version > 1 and len(people) <= MAX_ENTRANTS_SEARCHED
    if byes and is_searched and any(pair <= {*people} for pair in blocked):
        byes = _choose_byes(by_bye, byes, at_tables, past, blocked)
    playing = [entrant for entrant in people if entrant not in byes]
    number = len(stands.rounds) + 1
    ahead = (
        max(1, min(_MAX_PLANNED_ROUNDS, stands.planned - len(stands.rounds)))
        if 0 < len(playing) <= _MAX_ENTRANTS_PLANNED_TOGETHER
        else 1
    )
    # A fixed seed: the result must be reproducible, and nobody can gain by knowing it.
    chance = Draw("0" * 64, f"{stands.code}\n", number)
    met = _count_meetings(playing, count_meetings(stands), blocked)
    plan = _Plan(playing, at_tables, ahead, met, chance)
    if is_searched:
        plan.begin_with(seat_apart(playing, at_tables, blocked))
    found = plan.first()
    pairings = []
    for table in found:
        filled = [*table, *[COMPUTER_ENTRANT] * (terms.seats - len(table))] if terms.computers else table
        pairings.append(Pairing(_seated(filled, past)))
    return RoundPaired(number, tuple(pairings), (), byes)


def _count_meetings(people: Sequence[int], met: Mapping[Pair, int], blocked: Blocked) -> dict[int, dict[int, int]]:
    """Return how often each two have met; a block between them counts as many meetings."""
    return {
        one: {
            two: met.get(frozenset((one, two)), 0) + _BLOCKED_PENALTY * (frozenset((one, two)) in blocked)
            for two in people
        }
        for one in people
    }


def _choose_byes(
    people: Sequence[int],
    byes: tuple[int, ...],
    sizes: Sequence[int],
    past: Mapping[int, EntrantHistory],
    blocked: Blocked,
) -> tuple[int, ...]:
    """Return who has a bye, out of those who have had as few as `byes`, so that fewest blocked pairs sit together."""

    def count_pairs(having: tuple[int, ...]) -> int:
        seating = seat_apart([each for each in people if each not in having], sizes, blocked) or []
        return sum(frozenset(pair) in blocked for table in seating for pair in combinations(table, 2))

    had = [past[each].byes for each in byes]
    return min(
        (each for each in combinations(people, len(byes)) if [past[one].byes for one in each] == had), key=count_pairs
    )


def seat_apart(people: Sequence[int], sizes: Sequence[int], blocked: Blocked) -> Tables | None:
    """Return a seating of people at tables of these sizes with as few blocked pairs as there can be; None without any.

    All seatings are searched. Who is in the most pairs comes first; people who have blocked the same others are alike,
    and so are empty tables of one size.
    """
    foes = {one: frozenset(two for two in people if frozenset((one, two)) in blocked) for one in people}
    if not any(foes.values()):
        return None
    order = list[int]()
    for one in sorted(people, key=lambda each: -len(foes[each])):
        if one not in order:
            order += [two for two in people if two not in order and foes[two] - {one} == foes[one] - {two}]
    tables: Tables = [[] for _ in sizes]
    best, fewest = Tables(), len(people) ** 2

    def seat(number: int, pairs: int, first: int) -> None:
        nonlocal best, fewest
        if pairs >= fewest:
            return
        if number == len(order):
            best, fewest = [list(table) for table in tables], pairs
            return
        one, empty = order[number], set[int]()
        new = {at: len(foes[one].intersection(tables[at])) for at in range(first, len(tables))}
        following = order[number + 1] if number + 1 < len(order) else None
        is_alike = following is not None and foes[following] - {one} == foes[one] - {following}
        for at in sorted(new, key=new.__getitem__):
            if len(tables[at]) == sizes[at] or (not tables[at] and sizes[at] in empty):
                continue
            if not tables[at]:
                empty.add(sizes[at])
            tables[at].append(one)
            seat(number + 1, pairs + new[at], at if is_alike else 0)
            tables[at].pop()

    seat(0, 0, 0)
    return best


class _Plan:
    """A plan of future rounds, improved by exchanging two entrants of a round; it minimises the squares of meetings."""

    def __init__(
        self, people: Sequence[int], sizes: Sequence[int], rounds: int, met: dict[int, dict[int, int]], chance: Draw
    ) -> None:
        self.chance = chance
        self.met = met
        self.rounds: list[Tables] = []
        for _ in range(rounds):
            left = list(people)
            self.rounds.append([[left.pop(chance.randrange(len(left))) for _ in range(size)] for size in sizes])
        for tables in self.rounds:
            for one, two in (pair for table in tables for pair in combinations(table, 2)):
                self._count(one, two, 1)

    def begin_with(self, tables: Tables | None) -> None:
        """Make a round of which it is known that it has fewest blocked pairs each round of the plan; None: as it is."""
        if tables is not None:
            self._replace([tables] * len(self.rounds))

    def first(self) -> Tables:
        """Return the first round of the best plan found."""
        cost = best = self._improve()
        best_plan = self._copy()
        tries = _SEARCH_BUDGET // (len(self.met) ** 2 * len(self.rounds)) if len(self.rounds) > 1 else 0
        for _ in range(min(_MAX_RESTARTS, tries)):
            for _ in range(3):
                cost += self._shake()
            cost += self._improve()
            if cost < best:
                best, best_plan = cost, self._copy()
            elif cost > best + 4:
                cost = self._back_to(best_plan, best)
        return best_plan[0]

    def _improve(self) -> int:
        """Exchange while that improves the plan; return the change of its cost (at most 0)."""
        gained, better = 0, True
        while better:
            better = False
            for tables in self.rounds:
                for one, two in combinations(tables, 2):
                    for at in range(len(one)):
                        for other in range(len(two)):
                            change = self._change(one, at, two, other)
                            if change < 0:
                                self._exchange(one, at, two, other)
                                gained, better = gained + change, True
        return gained

    def _shake(self) -> int:
        """Exchange two entrants at random; return the change of the cost."""
        tables = self.rounds[self.chance.randrange(len(self.rounds))]
        if len(tables) < 2:
            return 0
        one = self.chance.randrange(len(tables))
        two = (one + 1 + self.chance.randrange(len(tables) - 1)) % len(tables)
        at, other = self.chance.randrange(len(tables[one])), self.chance.randrange(len(tables[two]))
        change = self._change(tables[one], at, tables[two], other)
        self._exchange(tables[one], at, tables[two], other)
        return change

    def _change(self, one: list[int], at: int, two: list[int], other: int) -> int:
        """Return the change of the cost if two entrants change tables."""
        mine, theirs = self.met[one[at]], self.met[two[other]]
        among = sum(theirs[each] - mine[each] for each in one if each != one[at])
        among += sum(mine[each] - theirs[each] for each in two if each != two[other])
        return 2 * (among + len(one) + len(two) - 2)

    def _exchange(self, one: list[int], at: int, two: list[int], other: int) -> None:
        a, b = one[at], two[other]
        for table, leaves, comes in ((one, a, b), (two, b, a)):
            for each in table:
                if each != leaves:
                    self._count(leaves, each, -1)
                    self._count(comes, each, 1)
        one[at], two[other] = b, a

    def _count(self, one: int, two: int, step: int) -> None:
        self.met[one][two] += step
        self.met[two][one] += step

    def _copy(self) -> list[Tables]:
        return [[list(table) for table in tables] for tables in self.rounds]

    def _back_to(self, plan: list[Tables], cost: int) -> int:
        self._replace(plan)
        return cost

    def _replace(self, plan: list[Tables]) -> None:
        for tables, step in ((self.rounds, -1), (plan, 1)):
            for one, two in (pair for each in tables for table in each for pair in combinations(table, 2)):
                self._count(one, two, step)
        self.rounds = [[list(table) for table in each] for each in plan]


def _seated(table: Sequence[int], past: Mapping[int, EntrantHistory]) -> tuple[int, ...]:
    """Return a table in the order of its seats, each entrant in a seat that they had least often, if possible."""
    had: dict[int, Counter[int]] = {entrant: past[entrant].seats for entrant in table if entrant != COMPUTER_ENTRANT}
    # All computers are equal, and so are their orders.
    return min(
        dict.fromkeys(permutations(table)),
        key=lambda order: sum(
            had[entrant][seat] ** 2 * 2 + had[entrant][seat] for seat, entrant in enumerate(order) if entrant in had
        ),
    )
