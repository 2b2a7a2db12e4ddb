"""The Swiss system: each round pairs entrants with similar points, by a maximum weight matching.

The criteria, in this order: nobody meets a player with a block between them; nobody meets twice; at most one bye each;
seats balanced within one; equal points; the better half of those with equal points against the worse half.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT, Pairing, RoundPaired
from bot.competitions.history import (
    NO_BLOCKS,
    Blocked,
    EntrantHistory,
    count_meetings,
    entrant_histories,
    rank_for_pairing,
)

Cost = tuple[int, ...]
_BYE_NODE: Final = COMPUTER_ENTRANT
"""The graph's node for the bye."""


def default_rounds(entrants: int) -> int:
    """Return the default number of rounds: enough to find the best, plus one for the places behind."""
    return min(entrants - 1, (entrants - 1).bit_length() + 1)


def pair_round(stands: Competition, blocked: Blocked = NO_BLOCKS) -> RoundPaired:
    """Return the next round; boards with the most points come first."""
    past = entrant_histories(stands)
    order = rank_for_pairing(stands, past)
    met = count_meetings(stands)
    costs: dict[tuple[int, int], Cost] = {}
    groups = _groups(order, past)
    for at, one in enumerate(order):
        for two in order[at + 1 :]:
            together = frozenset((one, two))
            costs[one, two] = (
                int(together in blocked),
                met[together] ** 2,
                0,
                _unbalance(past[one], past[two]),
                *_distance(one, two, past, groups),
            )
    if len(order) % 2:
        lowest = min(past[entrant].points for entrant in order)
        for at, one in enumerate(order):
            above = int(2 * (past[one].points - lowest))
            costs[one, _BYE_NODE] = (0, 0, past[one].byes ** 2, 0, above**2, (len(order) - at) ** 2 * 4)
    pairings: list[Pairing] = []
    byes: list[int] = []
    for one, two in sorted(_cheapest(costs), key=lambda pair: order.index(pair[0])):
        if two != _BYE_NODE:
            pairings.append(Pairing(_seated(one, two, past, len(stands.rounds) + order.index(one))))
        elif stands.terms.computers:
            pairings.append(Pairing((COMPUTER_ENTRANT, one) if past[one].balance > 0 else (one, COMPUTER_ENTRANT)))
        else:
            byes.append(one)
    return RoundPaired(len(stands.rounds) + 1, tuple(pairings), (), tuple(byes))


def _groups(order: Sequence[int], past: Mapping[int, EntrantHistory]) -> dict[int, tuple[int, int]]:
    """Return each entrant's position among those with equal points, and the size of that group."""
    found: dict[int, tuple[int, int]] = {}
    for entrant in order:
        same = [each for each in order if past[each].points == past[entrant].points]
        found[entrant] = same.index(entrant), len(same)
    return found


def _distance(
    one: int, two: int, past: Mapping[int, EntrantHistory], groups: Mapping[int, tuple[int, int]]
) -> tuple[int, int]:
    """Return the difference of two entrants' points; for equal points how far they are from half a group apart."""
    apart = int(2 * abs(past[one].points - past[two].points)) ** 2
    (at, size), (other, _) = groups[one], groups[two]
    if apart == 0:
        return 0, (2 * abs(at - other) - size) ** 2
    # The last entrant with more points meets the first with fewer.
    return apart, (2 * (size - 1 - at)) ** 2 + (2 * other) ** 2


def _unbalance(one: EntrantHistory, two: EntrantHistory) -> int:
    """Return by how much more than one the two's seats are unbalanced after a game, at best."""
    return min(_excess(one.balance + step) + _excess(two.balance - step) for step in (1, -1))


def _excess(balance: int) -> int:
    return max(0, abs(balance) - 1) ** 2


def _seated(one: int, two: int, past: Mapping[int, EntrantHistory], parity: int) -> tuple[int, int]:
    """Return two entrants in the order of their seats: balanced, else changed, else alternating by board."""
    first, second = past[one], past[two]
    if first.balance != second.balance:
        return (one, two) if first.balance < second.balance else (two, one)
    if first.last_seat != second.last_seat:
        return (one, two) if (first.last_seat == 1 or second.last_seat == 0) else (two, one)
    if first.last_seat is not None:
        return (one, two) if first.last_seat == 1 else (two, one)
    return (one, two) if parity % 2 == 0 else (two, one)


def _cheapest(costs: Mapping[tuple[int, int], Cost]) -> list[tuple[int, int]]:
    """Return the perfect matching with the lowest sums of costs, compared level by level."""
    # Imported here, because it takes half a second and 20 MB, and only Swiss rounds need it.
    import networkx as nx

    if not costs:
        return []
    many = len({each for pair in costs for each in pair})
    scales = [1]
    for level in range(len(next(iter(costs.values()))) - 1, 0, -1):
        scales.insert(0, scales[0] * (1 + many * max(cost[level] for cost in costs.values())))
    graph = nx.Graph()
    for (one, two), cost in costs.items():
        graph.add_edge(one, two, weight=-sum(part * scale for part, scale in zip(cost, scales, strict=True)))
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    return [pair if pair in costs else pair[::-1] for pair in matched]
