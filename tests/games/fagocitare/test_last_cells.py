"""Fagocitare: the last cells are worked out as a plain search does it, and nothing happens that was not foreseen."""

import random
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st

from engine.budget import Budget
from engine.core import State
from engine.games.fagocitare import GAME as FAGOCITARE
from engine.games.fagocitare.game import MAX_FREE_CELLS, FagocitareProver, Rest, list_rows
from engine.games.fagocitare.rules import FagocitareState
from engine.search import players
from engine.search.policy import values_of
from engine.topology import list_indices
from tests.support.examples import scaled

AMPLE: Final = 10**7
SIZES: Final = (7, 10, 12)
SEEDS: Final = st.integers(0, 2**32)


def late(seed: int, size: int, free: int) -> FagocitareState:
    """Return a position with so many free cells, or the last one with more of them where a game was over before.

    Dots by chance capture little, likely ones much: each game has its own share of them, none before it is late.
    """
    rng = random.Random(seed)
    policy, likely = players["fagocitare"].policy, rng.randrange(4)
    state = before = FAGOCITARE.start(2, {"size": size})
    while state.to_move is not None and state.free.bit_count() >= free:
        before = state
        if rng.randrange(4) < likely and state.free.bit_count() < 4 * size:
            state = state.advance(rng.choice(policy.candidates(state)[:3]))
        else:
            state = state.advance(state.random_action(rng))
    return before


def thinned(state: FagocitareState, seed: int, free: int) -> FagocitareState:
    """Return a position with so many free cells: those too many hold dots of either side by chance."""
    rng = random.Random(seed)
    position = state.to_json()
    names = state.topology.names
    left = [names[cell] for cell in list_indices(state.free)]
    rng.shuffle(left)
    while len(left) > free:
        position["dots"][rng.randrange(2)].append(left.pop())
    position["dots"] = [sorted(dots, key=names.index) for dots in position["dots"]]
    return FAGOCITARE.load(position)


def plainly(state: State, known: dict[tuple[Any, ...], tuple[float, ...]]) -> tuple[float, ...]:
    """Return what the seats get if both play as well as can be, by trying everything."""
    if state.outcome is not None:
        return values_of(state.outcome)
    key = state.key()
    if key not in known:
        afters = [plainly(state.advance(action), known) for action in state.legal_actions()]
        known[key] = max(afters, key=lambda values: values[state.to_move or 0])
    return known[key]


def agrees(state: FagocitareState) -> set[tuple[float, ...]]:
    """Compare what is proven of every action with a plain search; return the values."""
    found = FagocitareProver().settle(state, Budget(AMPLE))
    assert found.keys() == set(state.legal_actions())
    known: dict[tuple[Any, ...], tuple[float, ...]] = {}
    for action, proof in found.items():
        assert proof.values == plainly(state.advance(action), known), (state, action)
        assert not proof.expected
    return {proof.values for proof in found.values()}


@given(SEEDS, st.sampled_from(SIZES), st.integers(1, 6))
@settings(max_examples=scaled(40))
def test_cell_values_match_a_plain_search(seed: int, size: int, free: int) -> None:
    agrees(thinned(late(seed, size, free), seed, free))


def test_compared_positions_cover_all_results() -> None:
    seen = {frozenset(agrees(thinned(late(seed, SIZES[seed % 3], 5), seed, 5))) for seed in range(40)}
    assert len(frozenset().union(*seen)) == 3
    assert max(map(len, seen)) > 1


@pytest.mark.parametrize("seed", [674, 1358, 2269, 2589])
def test_a_capture_that_makes_another_possible_is_foreseen(seed: int) -> None:
    # In these positions of many it matters: a dot dies between others, which are few enough then.
    agrees(thinned(late(seed, SIZES[seed % 3], 4), seed, 4))


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_cell_values_match_a_plain_search_on_many_positions() -> None:
    for seed in range(600):
        agrees(thinned(late(seed, SIZES[seed % 3], 8), seed, 6 + seed % 3))


def fields(state: FagocitareState, here: int) -> list[int]:
    """Return the sets of cells that are told of a row."""
    width = len(state.topology)
    return [here >> place * width & state.topology.all for place in range(6)]


def foreseen(state: FagocitareState) -> list[int]:
    """Return what can happen on any row if every dot may be captured on others."""
    predicted = 0
    for row in list_rows(state.sheet):
        predicted |= row.what_can_happen(*state.live, state.free, state.inked, state.ends, state.topology.all)
    return fields(state, predicted)


def to_the_end(state: FagocitareState, rng: random.Random) -> Iterator[FagocitareState]:
    """Yield the states after each dot of a game that goes on by chance, with captures mostly where there are any."""
    while state.to_move is not None:
        captures = state.capturing(state.to_move, state.open_cells(state.to_move))
        if captures and rng.randrange(3):
            action = state.sheet.actions[rng.choice(list(list_indices(captures)))]
        else:
            action = state.random_action(rng)
        state = state.advance(action)
        yield state


@given(SEEDS, st.sampled_from(SIZES), st.integers(1, 30))
@settings(max_examples=scaled(15))
def test_every_capture_was_predicted(seed: int, size: int, free: int) -> None:
    start = thinned(late(seed, size, free), seed, free)
    rest = Rest(start, Budget(1))
    predicted = 0
    for here in rest.start.open.values():
        predicted |= here
    prey = fields(start, predicted)[:2]
    for number in range(3):
        for after in to_the_end(start, random.Random(seed + number)):
            for captor in range(2):
                assert not after.dead[captor] & ~start.dead[captor] & ~prey[captor]


@given(SEEDS, st.sampled_from(SIZES), st.integers(1, 30))
@settings(max_examples=scaled(15))
def test_predicted_immediate_captures_match_the_rules(seed: int, size: int, free: int) -> None:
    state = thinned(late(seed, size, free), seed, free)
    predicted = foreseen(state)
    for seat in range(2):
        assert predicted[2 + seat] == state.capturing(seat, state.free)
    seat = state.to_move or 0
    for cell in list_indices(state.open_cells(seat) & ~predicted[2 + seat]):
        lost = state.advance(state.sheet.actions[cell]).dead[1 - seat] != state.dead[1 - seat]
        assert lost == bool(predicted[4 + seat] >> cell & 1)


def test_it_begins_with_fourteen_cells_and_says_nothing_once_its_budget_is_over() -> None:
    prover = FagocitareProver()
    assert (MAX_FREE_CELLS, prover.settle(thinned(late(1, 10, 15), 1, 15), Budget(AMPLE))) == (14, {})
    for seed in range(100):
        state, budget = thinned(late(seed, 10, 10), seed, 10), Budget(AMPLE)
        whole = prover.settle(state, budget)
        assert whole
        if budget.spent > 100:
            break
    assert budget.spent > 100
    for most in (0, 1, 50, budget.spent - 1):
        assert prover.settle(state, Budget(most)) == {}
    assert prover.settle(state, Budget(budget.spent + 1)) == whole
