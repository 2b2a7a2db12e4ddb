"""The automatic steps of a cup: its start, rounds, replayed games, lots, and its end.

The Swiss system: each round pairs entrants with similar points, by a maximum weight matching.

The criteria, in this order: no one meets a player with a block between them; no one meets twice; at most one bye each;
seats balanced within one; equal points; the better half of those with equal points against the worse half.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from typing import Final

from bot.competitions.competition import MAX_REPLAYS, Competition, CupBoard, CupGame
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    Asked,
    BoardDecided,
    CompetitionEvent,
    CupClosed,
    CupEnded,
    CupStarted,
    Ending,
    Entrants,
    Events,
    Format,
    GameReplayed,
    Missed,
    Pairing,
    RoundPaired,
    Walkover,
    people_of,
)
from engine import Outcome
from engine.core import values_of
from engine.fair import CHAIN_PREFIX, Draw, draw_seats, is_hex, public_text


@lru_cache(maxsize=32)
def berger_table(players: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the pairs of players (from 0) of each round; the first of a pair has the first seat.

    For an odd number there is a dummy with number `players`: its opponent has a bye.
    """
    even = players + players % 2
    circle, last = even - 1, even - 1
    rounds = []
    for number in range(circle):
        first = number * (even // 2) % circle
        pairs = [(first, last) if number % 2 == 0 else (last, first)]
        pairs += [((first + step) % circle, (first - step) % circle) for step in range(1, even // 2)]
        rounds.append(tuple(pairs))
    return tuple(rounds)


def pair_round_robin(state: Competition) -> RoundPaired:
    """Return the next round: players are numbered by lot, and in the second half seats are changed.

    An entrant wins by a walkover against one who is not available; computers, if the cup has them, play against byes.
    """
    number = len(state.rounds)
    table, line = berger_table(len(state.lots)), [*state.lots, COMPUTER_ENTRANT]
    ties = [(line[first], line[second]) for first, second in table[number % len(table)]]
    return _pair_available(state, [tie[::-1] for tie in ties] if number >= len(table) else ties)


def _pair_available(state: Competition, ties: Iterable[Entrants]) -> RoundPaired:
    """Return the next round with these seats: games, walkovers against those who are not available, and byes.

    A computer plays only if the cup has computers; otherwise its opponent has a bye.
    """
    pairings, walkovers, byes = [], [], []
    for seats in ties:
        here = people_of(seats)
        there = [entrant for entrant in here if state.is_available(entrant)]
        if len(there) == 2 or (there and COMPUTER_ENTRANT in seats and state.terms.computers):
            pairings.append(Pairing(seats))
        elif there and len(here) == 2:
            walkovers.append(Walkover(there[0], next(entrant for entrant in here if entrant != there[0])))
        else:
            byes += there
    return RoundPaired(len(state.rounds) + 1, tuple(pairings), tuple(walkovers), tuple(byes))


Pair = frozenset[int]
Blocked = frozenset[Pair]
"""Pairs of entrants of whom one has blocked the other."""

NO_BLOCKS: Blocked = frozenset()


@dataclass
class EntrantHistory:
    """The history of one entrant.

    `seats` counts the games in each seat, `byes` the rounds without a human opponent. `games` are the finished games
    that count and were played.
    """

    points: Fraction = Fraction(0)
    seats: Counter[int] = field(default_factory=Counter)
    byes: int = 0
    last_seat: int | None = None
    games: list[CupGame] = field(default_factory=list)

    @property
    def balance(self) -> int:
        """Games in the first seat minus games in the second, for games of two."""
        return self.seats[0] - self.seats[1]


Histories = Mapping[int, EntrantHistory]


def game_points(state: Competition, game: CupGame) -> tuple[Fraction, ...]:
    """Return the points of each seat of a game that has ended.

    Two players get 1, ½ and 0. At a larger table a seat gets a point for each seat that it is ahead of and half a point
    for each tie; first place at a table that is not full gets as much as at a full one. The winner's points count twice
    if the terms double the reason. An entrant who was not there gets none.
    """
    places = game.places or ()
    full = state.terms.seats - 1
    values = [Fraction(value).limit_denominator(8) * full for value in values_of(Outcome(game.reason, places))]
    if game.is_unplayed:
        return tuple(value if place == 1 else Fraction(0) for value, place in zip(values, places, strict=True))
    if game.reason in state.terms.double and not game.is_draw:
        values[places.index(1)] *= 2
    return tuple(values)


def bye_points(state: Competition) -> Fraction:
    """Return the points of a bye: a win in games for two, half a win at larger tables, 0 if everybody has a bye."""
    if state.terms.format.is_round_robin:
        return Fraction(0)
    return Fraction(1) if state.terms.seats == 2 else Fraction(state.terms.seats - 1, 2)


def annulled_entrants(state: Competition) -> set[int]:
    """Return the entrants whose games do not count: in a round robin, those who left before half of their games."""
    if not state.terms.format.is_round_robin:
        return set()
    games = (len(state.lots) - 1) * (2 if state.terms.format == Format.TWICE else 1)
    played = Counter(
        entrant
        for *_, game in state.games()
        if game.places is not None and COMPUTER_ENTRANT not in game.seats
        for entrant in game.seats
    )
    return {number for number, each in state.entrants.items() if each.state != "in" and 2 * played[number] < games}


def ended_games(state: Competition) -> Iterator[CupGame]:
    """Yield the finished games that count."""
    out = annulled_entrants(state)
    return (game for *_, game in state.games() if game.places is not None and out.isdisjoint(game.seats))


def entrant_histories(state: Competition) -> Histories:
    """Return the history of every entrant at the start."""
    found = {entrant: EntrantHistory() for entrant in state.lots}
    out = annulled_entrants(state)
    for each in state.rounds:
        for board in each.boards:
            people = people_of(board.entrants)
            for game in board.games:
                for seat, entrant in enumerate(game.seats):
                    if entrant != COMPUTER_ENTRANT and not game.is_unplayed:
                        found[entrant].seats[seat] += 1
                        found[entrant].last_seat = seat
            if len(people) == 1:
                found[people[0]].byes += 1
        for entrant in each.byes:
            found[entrant].byes += 1
            found[entrant].points += bye_points(state)
        for walkover in each.walkovers:
            if walkover.loser not in out:
                found[walkover.winner].points += state.terms.seats - 1
    for game in ended_games(state):
        for entrant, points in zip(game.seats, game_points(state, game), strict=True):
            if entrant != COMPUTER_ENTRANT:
                found[entrant].points += points
                found[entrant].games += [] if game.is_unplayed else [game]
    return found


def count_meetings(state: Competition) -> Counter[Pair]:
    """Return how often each two entrants were at the same board, whether they played or not."""
    return Counter(pair for each in state.rounds for board in each.boards for pair in pairs_at_table(board.entrants))


def pairs_at_table(seats: Iterable[int]) -> Iterator[Pair]:
    """Yield all pairs of people at a table."""
    return (frozenset(two) for two in combinations(people_of(seats), 2))


_BLOCKED_PENALTY: Final = 1000
"""Number of meetings as which a block between two entrants counts."""
_MAX_PLANNED_ROUNDS: Final = 8
"""Maximum number of rounds planned together; only the first one is used."""
_MAX_ENTRANTS_PLANNED_TOGETHER: Final = 32
"""With more entrants each round is planned alone: there are enough new opponents."""
MAX_ENTRANTS_SEARCHED: Final = 15
"""Up to this number of entrants all seatings are searched for one in which no one meets a player they have blocked."""
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


def pair_tables(state: Competition, blocked: Blocked = NO_BLOCKS) -> RoundPaired:
    """Return the next round."""
    past = entrant_histories(state)
    terms = state.terms
    people = [entrant for entrant in state.lots if state.is_available(entrant)]
    at_tables = table_sizes(len(people), terms.seats, terms.fewest, bool(terms.computers))
    # The bye goes to the entrant with the fewest byes; among equals to the last lot.
    by_bye = sorted(people, key=lambda entrant: (past[entrant].byes, -state.lots.index(entrant)))
    byes = tuple(by_bye[: len(people) - sum(at_tables)])
    is_searched = state.rules_version > 1 and len(people) <= MAX_ENTRANTS_SEARCHED
    if byes and is_searched and count_blocked(people, blocked):
        byes = _choose_byes(by_bye, byes, at_tables, past, blocked)
    playing = [entrant for entrant in people if entrant not in byes]
    number = len(state.rounds) + 1
    ahead = (
        max(1, min(_MAX_PLANNED_ROUNDS, state.planned - len(state.rounds)))
        if 0 < len(playing) <= _MAX_ENTRANTS_PLANNED_TOGETHER
        else 1
    )
    # The seed is fixed: the result must be reproducible, and knowing it gives no advantage.
    chance = Draw("0" * 64, f"{state.code}\n", number)
    times = count_meetings(state)
    met = {
        one: {
            two: times[frozenset((one, two))] + _BLOCKED_PENALTY * count_blocked((one, two), blocked) for two in playing
        }
        for one in playing
    }
    plan = _Plan(playing, at_tables, ahead, met, chance)
    if is_searched and (apart := seat_apart(playing, at_tables, blocked)) is not None:
        plan.replace([apart] * ahead)
    pairings = []
    for table in plan.first():
        filled = [*table, *[COMPUTER_ENTRANT] * (terms.seats - len(table))] if terms.computers else table
        pairings.append(Pairing(_seated(filled, past)))
    return RoundPaired(number, tuple(pairings), (), byes)


def _choose_byes(
    people: Sequence[int],
    byes: Entrants,
    sizes: Sequence[int],
    past: Histories,
    blocked: Blocked,
) -> Entrants:
    """Return who has a bye: with as many byes so far as those in `byes`, and the fewest blocked pairs at tables."""

    def count_pairs(having: Entrants) -> int:
        seating = seat_apart([each for each in people if each not in having], sizes, blocked) or []
        return sum(count_blocked(table, blocked) for table in seating)

    had = [past[each].byes for each in byes]
    return min(
        (each for each in combinations(people, len(byes)) if [past[one].byes for one in each] == had), key=count_pairs
    )


def count_blocked(people: Iterable[int], blocked: Blocked) -> int:
    """Return the number of pairs of people of whom one has blocked the other."""
    return sum(frozenset(pair) in blocked for pair in combinations(people, 2))


def seat_apart(people: Sequence[int], sizes: Sequence[int], blocked: Blocked) -> Tables | None:
    """Return a seating of people at tables of these sizes with the fewest blocked pairs; None without blocked pairs.

    The search is exhaustive, with memoization by the people who are left.
    """
    if not count_blocked(people, blocked):
        return None

    @cache
    def seat(left: Entrants, free: tuple[int, ...]) -> tuple[int, Tables]:
        """Return the smallest number of blocked pairs at the free tables, and a seating with that number."""
        best = (0 if not left else len(people) ** 2), Tables()
        for size in dict.fromkeys(free):
            others_free = list(free)
            others_free.remove(size)
            for beside in combinations(left[1:], size - 1):
                table = [left[0], *beside]
                pairs = count_blocked(table, blocked)
                if pairs < best[0]:
                    more, tables = seat(tuple(each for each in left if each not in table), tuple(others_free))
                    best = min(best, (pairs + more, [table, *tables]))
        return best

    return sorted(seat(tuple(people), tuple(sizes))[1], key=len, reverse=True)


class _Plan:
    """A plan of future rounds, improved by exchanging two entrants of a round; it minimises the squares of meetings."""

    def __init__(
        self, people: Sequence[int], sizes: Sequence[int], rounds: int, met: dict[int, dict[int, int]], chance: Draw
    ) -> None:
        self.chance = chance
        self.met = met
        self.cost = 0
        """The sum of the squares of meetings, compared with what it was before the plan."""
        self.rounds: list[Tables] = []
        dealt = []
        for _ in range(rounds):
            left = list(people)
            dealt.append([[left.pop(chance.randrange(len(left))) for _ in range(size)] for size in sizes])
        self.replace(dealt)

    def replace(self, plan: list[Tables]) -> None:
        """Plan other rounds."""
        for rounds, step in ((self.rounds, -1), (plan, 1)):
            for one, two in (pair for tables in rounds for table in tables for pair in combinations(table, 2)):
                self._count(one, two, step)
        # One by one: a plan may have the same round several times, but each is changed by itself.
        self.rounds = list(map(deepcopy, plan))

    def first(self) -> Tables:
        """Return the first round of the best plan found."""
        self._improve()
        best, best_plan = self.cost, deepcopy(self.rounds)
        tries = _SEARCH_BUDGET // (len(self.met) ** 2 * len(self.rounds)) if len(self.rounds) > 1 else 0
        for _ in range(min(_MAX_RESTARTS, tries)):
            for _ in range(3):
                self._shake()
            self._improve()
            if self.cost < best:
                best, best_plan = self.cost, deepcopy(self.rounds)
            elif self.cost > best + 4:
                self.replace(best_plan)
        return best_plan[0]

    def _improve(self) -> None:
        """Exchange entrants while that improves the plan."""
        better = True
        while better:
            better = False
            for swap in (
                (one, at, two, other)
                for tables in self.rounds
                for one, two in combinations(tables, 2)
                for at, other in product(range(len(one)), range(len(two)))
            ):
                if self._change(*swap) < 0:
                    self._exchange(*swap)
                    better = True

    def _shake(self) -> None:
        """Exchange two entrants at random."""
        tables = self.rounds[self.chance.randrange(len(self.rounds))]
        if len(tables) < 2:
            return
        first = self.chance.randrange(len(tables))
        one, two = tables[first], tables[(first + 1 + self.chance.randrange(len(tables) - 1)) % len(tables)]
        self._exchange(one, self.chance.randrange(len(one)), two, self.chance.randrange(len(two)))

    def _change(self, one: list[int], at: int, two: list[int], other: int) -> int:
        """Return the change of the cost if two entrants change tables."""
        own, theirs = self.met[one[at]], self.met[two[other]]
        among = sum(theirs[each] - own[each] for each in one if each != one[at])
        among += sum(own[each] - theirs[each] for each in two if each != two[other])
        return 2 * (among + len(one) + len(two) - 2)

    def _exchange(self, one: list[int], at: int, two: list[int], other: int) -> None:
        for table, place, comes in ((one, at, two[other]), (two, other, one[at])):
            for each in (*table[:place], *table[place + 1 :]):
                self._count(table[place], each, -1)
                self._count(comes, each, 1)
        one[at], two[other] = two[other], one[at]

    def _count(self, one: int, two: int, step: int) -> None:
        self.cost += 2 * step * self.met[one][two] + 1
        self.met[one][two] += step
        self.met[two][one] += step


def _seated(table: Sequence[int], past: Histories) -> Entrants:
    """Return a table in the order of its seats, each entrant in a seat that they had least often, if possible."""
    had: dict[int, Counter[int]] = {entrant: past[entrant].seats for entrant in people_of(table)}
    # All computers are equal, and so are their orders.
    return min(
        dict.fromkeys(permutations(table)),
        key=lambda order: sum(
            had[entrant][seat] ** 2 * 2 + had[entrant][seat] for seat, entrant in enumerate(order) if entrant in had
        ),
    )


Cost = tuple[int, ...]
_BYE_NODE: Final = COMPUTER_ENTRANT
"""The graph's node for the bye."""


def pair_swiss(state: Competition, blocked: Blocked = NO_BLOCKS) -> RoundPaired:
    """Return the next round; boards with the most points come first."""
    past = entrant_histories(state)
    available = filter(state.is_available, state.seeded_entrants)
    order = sorted(available, key=lambda entrant: past[entrant].points, reverse=True)
    met = count_meetings(state)
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
            pairings.append(Pairing(_seated_in_swiss(one, two, past, len(state.rounds) + order.index(one))))
        elif state.terms.computers:
            pairings.append(Pairing((COMPUTER_ENTRANT, one) if past[one].balance > 0 else (one, COMPUTER_ENTRANT)))
        else:
            byes.append(one)
    return RoundPaired(len(state.rounds) + 1, tuple(pairings), (), tuple(byes))


def _groups(order: Sequence[int], past: Histories) -> dict[int, tuple[int, int]]:
    """Return each entrant's position among those with equal points, and the size of that group."""
    found: dict[int, tuple[int, int]] = {}
    for entrant in order:
        same = [each for each in order if past[each].points == past[entrant].points]
        found[entrant] = same.index(entrant), len(same)
    return found


def _distance(one: int, two: int, past: Histories, groups: Mapping[int, tuple[int, int]]) -> tuple[int, int]:
    """Return the difference of two entrants' points; for equal points, how far they are from half a group apart."""
    apart = int(2 * abs(past[one].points - past[two].points)) ** 2
    (at, size), (other, _) = groups[one], groups[two]
    if apart == 0:
        return 0, (2 * abs(at - other) - size) ** 2
    # The last entrant with more points meets the first with fewer.
    return apart, (2 * (size - 1 - at)) ** 2 + (2 * other) ** 2


def _unbalance(one: EntrantHistory, two: EntrantHistory) -> int:
    """Return the two entrants' seat imbalance beyond 1 after a game, as a sum of squares, for the better seating."""
    return min(_excess(one.balance + step) + _excess(two.balance - step) for step in (1, -1))


def _excess(balance: int) -> int:
    return max(0, abs(balance) - 1) ** 2


def _seated_in_swiss(one: int, two: int, past: Histories, parity: int) -> tuple[int, int]:
    """Return two entrants in the order of their seats: balanced, else changed, else alternating by board."""
    first, second = past[one], past[two]
    if first.balance != second.balance:
        begins = first.balance < second.balance
    elif first.last_seat != second.last_seat:
        begins = first.last_seat == 1 or second.last_seat == 0
    else:
        begins = parity % 2 == 0 if first.last_seat is None else first.last_seat == 1
    return (one, two) if begins else (two, one)


def _cheapest(costs: Mapping[tuple[int, int], Cost]) -> list[tuple[int, int]]:
    """Return the perfect matching with the lowest sums of costs, compared level by level."""
    # Imported here, because it takes half a second and 20 MB, and only Swiss rounds need it.
    import networkx as nx

    if not costs:
        return []
    many = len({each for pair in costs for each in pair})
    scales = [1]
    for values in reversed([*zip(*costs.values(), strict=True)][1:]):
        scales.insert(0, scales[0] * (1 + many * max(values)))
    graph = nx.Graph()
    for (one, two), cost in costs.items():
        graph.add_edge(one, two, weight=-sum(part * scale for part, scale in zip(cost, scales, strict=True)))
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    return [pair if pair in costs else pair[::-1] for pair in matched]


@dataclass(frozen=True)
class BracketMatch:
    """Two slots of the bracket with their entrants (None for an empty slot), and who advances.

    `settled`: it is known who advances, or that no one does.
    """

    one: int | None = None
    two: int | None = None
    winner: int | None = None
    settled: bool = False

    @property
    def people(self) -> list[int]:
        """The entrants whose slots are known."""
        return [entrant for entrant in (self.one, self.two) if entrant is not None]


def count_knockout_rounds(entrants: int) -> int:
    """Return the number of rounds."""
    return (entrants - 1).bit_length()


def seed_order(rounds: int) -> list[int]:
    """Return the seeds from 0 in the order of the bracket: the best two meet last, the best four just before."""
    order = [0]
    for _ in range(rounds):
        order = [seed for each in order for seed in (each, 2 * len(order) - 1 - each)]
    return order


def bracket(state: Competition) -> list[list[BracketMatch]]:
    """Return the ties of every round, future ones as far as they are known."""
    seeds = dict(enumerate(state.seeded_entrants))
    count = count_knockout_rounds(len(seeds))
    line = [BracketMatch(winner=seeds.get(seed), settled=True) for seed in seed_order(count)]
    rounds: list[list[BracketMatch]] = []
    for number in range(count):
        line = [_tie(state, number, *before) for before in zip(line[::2], line[1::2], strict=True)]
        rounds.append(line)
    return rounds


def _tie(state: Competition, number: int, upper: BracketMatch, lower: BracketMatch) -> BracketMatch:
    """Return the tie of those who advance from two ties (or slots), with the result of its round if it is known."""
    tie = BracketMatch(upper.winner, lower.winner)
    here, is_known = set(tie.people), upper.settled and lower.settled
    if not here or not is_known or number >= len(state.rounds):
        return replace(tie, settled=is_known and not here)
    each = state.rounds[number]
    for board in each.boards:
        if set(board.entrants) == here:
            return replace(tie, winner=board.winner, settled=state.is_done(board))
    through = {walkover.winner for walkover in each.walkovers} | set(each.byes)
    return replace(tie, winner=next(iter(here & through), None), settled=True)


def pair_knockout(state: Competition) -> RoundPaired:
    """Return the next round: an entrant without an opponent advances by a walkover."""
    past = entrant_histories(state)
    ties = []
    for tie in bracket(state)[len(state.rounds)]:
        # The first seat is for the one who had it less often, else for the one with the earlier lot.
        ties.append(tuple(sorted(tie.people, key=lambda entrant: (past[entrant].balance, state.lots.index(entrant)))))
    return _pair_available(state, ties)


_LOTS_PER_ROUND: Final = 64
"""Greater than the number of lots of any round, so that each lot has a unique number."""


def public_parts(state: Competition) -> str:
    """Return the public inputs of a competition's lots: its code, and the id of each entrant's joining event."""
    return public_text(state.code, [state.entrants[number].cause for number in state.in_lot])


def ids_of_lot(state: Competition) -> list[str] | None:
    """Return the other inputs of the lot: the id of the closing press, then what browsers revealed, by entrant.

    None if entering was never closed, as in older versions.
    """
    if state.closed is None:
        return None
    opened = [f"{CHAIN_PREFIX}{link}" for _, link in sorted(state.given.items())]
    return [state.closed.cause, *opened] if state.closed.cause else opened


def draw_order(state: Competition, seed: str) -> Entrants:
    """Return the entrants in the order of the lot (draw 0)."""
    drawn = draw_seats(seed, public_parts(state), len(state.in_lot), ids_of_lot(state))
    return tuple(entrant for _, entrant in sorted(zip(drawn, state.in_lot, strict=True)))


def draw_winner(state: Competition, seed: str, number: int, at: int) -> int:
    """Return who advances from a board whose games were drawn; the games' ids are inputs of this lot, too."""
    board = state.board_at(number, at)
    draw = Draw(seed, public_parts(state), number * _LOTS_PER_ROUND + at, [game.id or "" for game in board.games])
    return sorted(board.entrants)[draw.randrange(2)]


def round_count(state: Competition, entrants: int) -> int:
    """Return the number of rounds for a number of entrants."""
    terms = state.terms
    if terms.format.is_round_robin:
        return len(berger_table(entrants)) * (2 if terms.format == Format.TWICE else 1)
    if terms.format == Format.KNOCKOUT:
        return count_knockout_rounds(entrants)
    if terms.format == Format.SWISS:
        # By default enough to find the best, plus one for the places behind.
        return min(terms.rounds or (entrants - 1).bit_length() + 1, max(1, entrants - 1))
    return terms.rounds or default_rounds(entrants, terms.seats)


def close(state: Competition, cause: str = "") -> CupClosed:
    """Return the event that closes entering; afterwards browsers reveal what they committed to for the lot.

    `cause` is the id that a platform drew for the press that closes it.
    """
    awaited = [each for each in state.present if is_hex(state.entrants[each].cause.removeprefix(CHAIN_PREFIX))]
    return CupClosed(tuple(awaited), cause)


def start_event(
    state: Competition, seed: str, ratings: Mapping[int, int] | None = None, sharing: Iterable[int] = ()
) -> CupStarted:
    """Return the event that starts a cup, with the ratings in points of those who have one.

    `sharing` are entrants who share a browser.
    """
    known = {entrant: points for entrant, points in (ratings or {}).items() if entrant in state.in_lot}
    return CupStarted(draw_order(state, seed), known, round_count(state, len(state.in_lot)), tuple(sorted(sharing)))


def next_event(state: Competition, seed: str, blocked: Blocked = NO_BLOCKS) -> Events:
    """Return the next automatic events; none while games are open, during a pause, before the start, after the end.

    Call it again after storing them, because a round that no one can play is over at once.
    """
    if state.stage != "running":
        return ()
    if not state.is_round_done:
        number = len(state.rounds)
        open_ = [(at, board) for at, board in enumerate(state.rounds[-1].boards) if not state.is_done(board)]
        found = [_after_draw(state, seed, number, at, board) for at, board in open_ if board.last.is_draw]
        return tuple(found)
    if state.paused:
        return ()
    if len(state.rounds) >= state.planned:
        return (CupEnded(Ending.PLAYED),)
    there = sum(map(state.is_available, state.lots))
    if state.terms.format.pairs_by_points and there < 2:
        return (CupEnded(Ending.PLAYED),)
    following = pair_round(state, blocked)
    if state.terms.format == Format.TABLES and not following.pairings:
        return (CupEnded(Ending.PLAYED),)
    return (following,)


def list_missed(state: Competition, now: datetime) -> list[CompetitionEvent]:
    """Return the events for live games whose people were not all there in time, and the events that ask the absent."""
    late = [
        found for found in state.games_to_wait_for() if found[3].begins_by is not None and found[3].begins_by <= now
    ]
    missed = [Missed(number, board, at, game.missing) for number, board, at, game in late]
    silent = [each for event in missed for each in event.absent if state.is_available(each)]
    return [*missed, *map(Asked, silent)]


def pair_round(state: Competition, blocked: Blocked = NO_BLOCKS) -> RoundPaired:
    """Return the next round by the format's rule."""
    if state.terms.format == Format.SWISS:
        return pair_swiss(state, blocked)
    if state.terms.format == Format.TABLES:
        return pair_tables(state, blocked)
    return pair_knockout(state) if state.terms.format == Format.KNOCKOUT else pair_round_robin(state)


def _after_draw(state: Competition, seed: str, number: int, at: int, board: CupBoard) -> CompetitionEvent:
    there = [entrant for entrant in board.entrants if state.entrants[entrant].state == "in"]
    if len(there) == 1:
        return BoardDecided(number, at, there[0], lot=False)
    if len(board.games) <= MAX_REPLAYS and there:
        return GameReplayed(number, at, len(board.games), board.last.seats[::-1])
    return BoardDecided(number, at, draw_winner(state, seed, number, at), lot=bool(there))
