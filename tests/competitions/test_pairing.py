"""Who meets whom: Berger tables, the Swiss system, knock-out, tables for three to five."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from bot.competitions import pairing as roundrobin, pairing as swiss, pairing as tables
from bot.competitions.events import COMPUTER_ENTRANT, Asked, Left, RoundPaired, Stays, Walkover
from bot.competitions.pairing import (
    NO_BLOCKS,
    Blocked,
    bracket,
    count_meetings,
    entrant_histories,
    next_event,
    pair_round,
    pairs_at_table,
    seed_order,
)
from engine.fair import Draw
from tests.competitions.playing import SEED, Played, make_terms
from tests.support.examples import scaled

# The table for six of the FIDE handbook (C.05, annex 1), players from 1.
FIDE_SIX = [
    [(1, 6), (2, 5), (3, 4)],
    [(6, 4), (5, 3), (1, 2)],
    [(2, 6), (3, 1), (4, 5)],
    [(6, 5), (1, 4), (2, 3)],
    [(3, 6), (4, 2), (5, 1)],
]


def test_the_tables_are_those_of_the_handbook() -> None:
    assert [[(one + 1, two + 1) for one, two in row] for row in roundrobin.berger_table(6)] == FIDE_SIX


@pytest.mark.parametrize("players", range(3, 17))
def test_round_robin_pairs_everyone_once_with_balanced_seats(players: int) -> None:
    table = roundrobin.berger_table(players)
    met = Counter(frozenset(two) for row in table for two in row)
    even = players + players % 2
    assert met == Counter(map(frozenset, combinations(range(even), 2)))
    for row in table:
        assert sorted(each for two in row for each in two) == list(range(even))
    begun = Counter(one for row in table for one, two in row if max(one, two) < players)
    assert all(abs(2 * begun[each] - (players - 1)) <= 1 for each in range(players))


@pytest.mark.parametrize("computers", ["", "3"])
def test_all_play_all_twice_with_seats_changed_and_a_computer_only_where_one_is_free(computers: str) -> None:
    played = Played.begun(make_terms("twice", 5, computers=computers), 5)
    played.win_by()
    seats = Counter(board.entrants for each in played.state.rounds for board in each.boards)
    people = Counter({two: n for two, n in seats.items() if COMPUTER_ENTRANT not in two})
    assert people == Counter((one, two) for one in range(5) for two in range(5) if one != two)
    byes = Counter(entrant for each in played.state.rounds for entrant in each.byes)
    against = Counter(max(two) for two in seats.elements() if COMPUTER_ENTRANT in two)
    assert (against if computers else byes) == dict.fromkeys(range(5), 2)


def test_silent_entrant_is_skipped_until_they_return() -> None:
    played = Played.started("all", 4)
    silent = played.state.board_at(1, 0).entrants[0]
    played.end((1, 0, 0), (2, 1), absent=(0,))
    played.add(Asked(silent))
    played.end((1, 1, 0), (1, 2))
    (following,) = next_event(played.state, SEED)
    assert isinstance(following, RoundPaired)
    assert [walkover.loser for walkover in following.walkovers] == [silent]
    played.add(Stays(silent))
    (following,) = next_event(played.state, SEED)
    assert isinstance(following, RoundPaired)
    assert following.walkovers == ()
    assert len(following.pairings) == 2


def matchings(people: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Yield every way to pair people, with NOBODY for the bye of an odd one."""
    if not people:
        yield []
        return
    first, *others = [*people, COMPUTER_ENTRANT] if len(people) % 2 else people
    for other in others:
        for rest in matchings([each for each in others if each != other]):
            yield [(first, other), *rest]


def faults(played: Played, pairs: Sequence[tuple[int, int]]) -> tuple[int, int, int, int]:
    """Return what a round does not keep, the worst first: blocks, meetings again, byes again, seats out of balance."""
    past, met = entrant_histories(played.state), count_meetings(played.state)
    people = [two for two in pairs if COMPUTER_ENTRANT not in two]
    byes = [max(two) for two in pairs if COMPUTER_ENTRANT in two]
    uneven = 0
    for one, two in people:
        ways = [(past[one].balance + step, past[two].balance - step) for step in (1, -1)]
        uneven += min(sum(max(0, abs(each) - 1) ** 2 for each in way) for way in ways)
    return (
        sum(frozenset(two) in played.blocked for two in people),
        sum(met[frozenset(two)] ** 2 for two in people),
        sum(past[each].byes ** 2 for each in byes),
        uneven,
    )


@settings(max_examples=scaled(5), deadline=None)
@given(st.integers(3, 8), st.integers(0, 10_000), st.booleans())
def test_no_swiss_round_could_keep_the_rules_better(entrants: int, seed: int, shy: bool) -> None:
    chance = Random(seed)
    played = Played.begun(make_terms("swiss", entrants, rounds=entrants - 1), entrants)
    if shy:
        played.blocked = frozenset(frozenset(chance.sample(range(entrants), 2)) for _ in range(3))
    while played.state.stage == "running":
        (following,) = next_event(played.state, SEED, played.blocked)
        if isinstance(following, RoundPaired):
            there = [entrant for entrant in played.state.lots if played.state.is_available(entrant)]
            pairs = [*((pairing.seats[0], pairing.seats[1]) for pairing in following.pairings)]
            pairs += [(entrant, COMPUTER_ENTRANT) for entrant in following.byes]
            assert faults(played, pairs) == min(faults(played, each) for each in matchings(there))
        played.go_on()
        for where in played.waiting():
            played.end(where, chance.choice([(1, 2), (2, 1), (1, 1)]))
        if chance.random() < 0.1 and played.state.stage == "running":
            entrant = chance.choice(played.state.lots)
            if played.state.entrants[entrant].state == "in":
                played.add(Left(entrant))


@settings(max_examples=scaled(1), deadline=None)
@given(st.integers(20, 64), st.integers(0, 1000))
def test_large_swiss_competitions_keep_all_the_rules(entrants: int, seed: int) -> None:
    state = by_chance_but_all_stay(entrants, seed)
    assert max(count_meetings(state.state).values()) == 1
    past = entrant_histories(state.state)
    assert max(each.byes for each in past.values()) <= 1
    assert max(abs(each.balance) for each in past.values()) <= 1


def by_chance_but_all_stay(entrants: int, seed: int) -> Played:
    chance = Random(seed)
    played = Played.started("swiss", entrants)
    while played.state.stage == "running":
        for where in played.waiting():
            played.end(where, chance.choice([(1, 2), (2, 1), (1, 1)]))
        played.go_on()
    return played


def test_a_swiss_round_pairs_those_with_as_many_points_the_better_half_against_the_worse() -> None:
    played = Played.started("swiss", 8, {n: 2000 - n for n in range(8)})
    first = [set(board.entrants) for board in played.state.rounds[0].boards]
    assert first == [{0, 4}, {1, 5}, {2, 6}, {3, 7}]
    played.win_round_by()
    played.go_on()
    second = [set(board.entrants) for board in played.state.rounds[1].boards]
    assert [two <= {0, 1, 2, 3} for two in second] == [True, True, False, False]
    assert all(two <= {0, 1, 2, 3} or two <= {4, 5, 6, 7} for two in second)


def test_the_bye_goes_to_the_last_and_a_computer_fills_it_where_the_maker_wants() -> None:
    for computers in ("", "1"):
        played = Played.begun(make_terms("swiss", 5, computers=computers), 5, {n: 2000 - n for n in range(5)})
        following = swiss.pair_swiss(played.state)
        assert following.byes == (() if computers else (4,))
        assert [set(pairing.seats) for pairing in following.pairings[2:]] == (
            [{4, COMPUTER_ENTRANT}] if computers else []
        )


@pytest.mark.parametrize("rounds", range(1, 7))
def test_in_a_bracket_the_best_meet_as_late_as_can_be(rounds: int) -> None:
    line = seed_order(rounds)
    assert sorted(line) == list(range(2**rounds))
    while len(line) > 1:
        assert all(one + two == len(line) - 1 for one, two in zip(line[::2], line[1::2], strict=True))
        line = [min(two) for two in zip(line[::2], line[1::2], strict=True)]


@pytest.mark.parametrize("entrants", [3, 5, 8, 11, 16, 33, 64])
def test_byes_of_a_knock_out_go_to_the_best_rated_and_the_better_go_on(entrants: int) -> None:
    played = Played.started("knockout", entrants, {n: 2000 - n for n in range(entrants)})
    free = 2 ** len(bracket(played.state)) - entrants
    assert sorted(played.state.rounds[0].byes) == list(range(free))
    played.win_by()
    for before, after in pairwise(played.state.rounds):
        assert len(after.boards) * 2 == len(before.boards) + len(before.byes)
    assert set(played.state.rounds[-1].boards[0].entrants) == {0, 1}


def test_leaver_of_a_knockout_gives_the_place_to_the_opponent() -> None:
    played = Played.started("knockout", 4, {n: 2000 - n for n in range(4)})
    played.win_round_by()
    played.add(Left(0))
    assert pair_round(played.state) == RoundPaired(2, (), (Walkover(1, 0),), ())


@pytest.mark.parametrize(
    ("people", "seats", "fewest", "fill", "expected"),
    [
        (12, 4, 2, False, (4, 4, 4)),
        (7, 4, 3, False, (4, 3)),
        (7, 5, 3, False, (4, 3)),
        (5, 4, 3, False, (4,)),
        (5, 4, 2, False, (3, 2)),
        (5, 4, 3, True, (3, 2)),
        (2, 5, 3, False, ()),
        (64, 5, 3, False, (5,) * 12 + (4,)),
    ],
)
def test_tables_are_as_large_as_can_be_and_differ_by_one_at_most(
    people: int, seats: int, fewest: int, fill: bool, expected: tuple[int, ...]
) -> None:
    assert tables.table_sizes(people, seats, fewest, fill) == expected


def rounds_at_tables(entrants: int, seats: int, rounds: int, blocked: Blocked = NO_BLOCKS) -> Played:
    played = Played.begun(make_terms("tables", entrants, seats=seats, fewest=2, rounds=rounds), entrants)
    played.blocked = blocked
    played.win_by()
    return played


@pytest.mark.parametrize(
    ("entrants", "seats", "rounds", "squares"),
    [
        (6, 3, 5, 70),  # all 2002 choices of five rounds were tried: none is more even
        (9, 3, 4, 36),  # everybody meets everybody once
        (12, 3, 4, 48),  # nobody meets twice
        (12, 4, 4, 108),
        (16, 4, 5, 120),  # everybody meets everybody once
        (40, 4, 5, 300),
        (64, 3, 5, 310),
    ],
)
def test_table_rounds_balance_meetings_and_seats(entrants: int, seats: int, rounds: int, squares: int) -> None:
    played = rounds_at_tables(entrants, seats, rounds)
    assert sum(times**2 for times in count_meetings(played.state).values()) <= squares
    for past in entrant_histories(played.state).values():
        assert max(past.seats.values()) - min(past.seats[seat] for seat in range(seats)) <= 3


def test_two_who_do_not_want_to_meet_have_different_tables() -> None:
    shy = frozenset({frozenset((0, 1)), frozenset((2, 3))})
    assert shy.isdisjoint(count_meetings(rounds_at_tables(8, 4, 5, shy).state))


def count_blocked(seating: Sequence[Sequence[int]], blocked: Blocked) -> int:
    return sum(len(blocked.intersection(pairs_at_table(table))) for table in seating)


def fewest_blocked(people: frozenset[int], sizes: Sequence[int], blocked: Blocked) -> int:
    """Return the fewest blocked pairs of all seatings, tried one by one."""
    if not sizes:
        return 0
    return min(
        count_blocked([table], blocked) + fewest_blocked(people - {*table}, sizes[1:], blocked)
        for table in combinations(sorted(people), sizes[0])
    )


@pytest.mark.parametrize("seed", range(30))
def test_no_seating_has_fewer_blocked_pairs(seed: int) -> None:
    chance = Random(seed)
    sizes = chance.choice(((3, 3), (4, 3), (4, 4), (3, 3, 2), (3, 3, 3), (5, 4)))
    people, share = range(sum(sizes)), chance.choice((0.1, 0.3, 0.6, 1.0))
    blocked = frozenset(frozenset(pair) for pair in combinations(people, 2) if chance.random() < share)
    found = tables.seat_apart(people, sizes, blocked)
    if found is None:
        assert not blocked
        return
    assert [len(table) for table in found] == list(sizes)
    assert sorted(who for table in found for who in table) == list(people)
    assert count_blocked(found, blocked) == fewest_blocked(frozenset(people), sizes, blocked)


def test_up_to_fifteen_who_block_each_other_share_a_table_only_where_nothing_else_exists() -> None:
    """All but one seating has blocked pairs at some table: every round is that one."""
    people = list(range(15))
    Random(0).shuffle(people)
    groups = [people[at::3] for at in range(3)]
    apart = frozenset(frozenset(pair) for pair in combinations(people, 2)) - {
        pair for group in groups for pair in pairs_at_table(group)
    }
    played = rounds_at_tables(15, 5, 3, apart)
    for each in played.state.rounds:
        assert sorted(sorted(board.entrants) for board in each.boards) == sorted(map(sorted, groups))


def test_meetings_of_a_plan_are_counted_even_if_it_began_with_one_seating_for_all_its_rounds() -> None:
    met = {one: dict.fromkeys(range(9), 0) for one in range(9)}
    plan = tables._Plan(range(9), (3, 3, 3), 4, met, Draw(SEED, "", 1))
    plan.replace([[[0, 3, 6], [1, 4, 7], [2, 5, 8]]] * 4)
    plan.first()
    times = Counter(pair for seating in plan.rounds for table in seating for pair in pairs_at_table(table))
    assert all(met[one][two] == times[frozenset((one, two))] for one, two in combinations(range(9), 2))
    assert plan.cost == sum(each**2 for each in times.values())


def test_who_has_a_bye_leaves_a_seating_without_blocked_pairs_where_there_is_one() -> None:
    """Of seven one has a bye; with anybody else's there are two at a table who do not want to meet."""
    for entrant in range(7):
        shy = frozenset(frozenset((entrant, other)) for other in range(7) if other != entrant)
        played = Played.begun(make_terms("tables", 7, seats=3, fewest=3, rounds=1), 7)
        played.blocked = shy
        played.go_on()
        assert played.state.rounds[0].byes == (entrant,)


def test_byes_at_tables_are_given_once_each_before_anybody_has_two() -> None:
    played = Played.begun(make_terms("tables", 7, seats=3, fewest=3, rounds=7), 7)
    played.win_by()
    assert {past.byes for past in entrant_histories(played.state).values()} == {1}


def test_computers_fill_tables_without_byes() -> None:
    boards = Played.started("tables", 7, seats=4, computers="2").state.rounds[0].boards
    assert sorted(len(board.entrants) for board in boards) == [4, 4]
    assert sum(board.entrants.count(COMPUTER_ENTRANT) for board in boards) == 1
    assert sum(len(list(pairs_at_table(board.entrants))) for board in boards) == 9


def test_tables_asked_for_again_are_the_same() -> None:
    one, other = (Played.begun(make_terms("tables", 10, seats=4), 10) for _ in range(2))
    assert pair_round(one.state) == pair_round(other.state)
    one.go_on()
    assert one.state.rounds[0].boards[0].entrants == pair_round(other.state).pairings[0].seats
