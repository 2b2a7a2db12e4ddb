"""What levels 4 and 5 and analyses see in a position: stretches of four cells, and queens in danger."""

import random
from collections.abc import Sequence
from itertools import count, product

import pytest
from hypothesis import given, strategies as st

from engine import Action, State, games
from engine.games.real_queen.rules import BOARD, NEIGHBOUR_BITS, SIZE, STRETCHES, STRETCHES_BESIDE, RealQueenState
from engine.search import LEVELS, players
from engine.search.player import Player
from engine.search.policies.real_queen import RealQueenPolicy
from engine.search.policy import Values
from engine.topology import list_indices
from tests.games.real_queen.board import load

GAME = games["real-queen"]
POLICY = players["real-queen"].policy


def position(white: str, black: str, queens: Sequence[str | None] = (None, None), to_move: int = 0) -> State:
    """Return a position with these pieces on the board and all others in reserve."""
    return load(white, black, queens, [20 - len(each.split()) for each in (white, black)], to_move)


def some_position(seed: int) -> State:
    """Return a position of a random game in which a turn begins, without what came before it."""
    rng = random.Random(seed)
    state = found = GAME.start(2)
    for _ in range(rng.randrange(10, 160)):
        if state.to_move is None:
            break
        before, state = state, state.advance(state.random_action(rng))
        if state.to_move is not None and state.turn != before.turn:
            found = state
    return GAME.load({name: value for name, value in found.to_json().items() if name != "extra"})


def seen(state: State, seat: int) -> float:
    """Return what a seat may expect."""
    return POLICY.appraise(state)[seat]


def test_stretches_are_all_there_once_each() -> None:
    found = {frozenset(at + n * shift for n in range(4)) for shift, starts in STRETCHES for at in list_indices(starts)}
    lines = (
        [(x + n * dx, y + n * dy) for n in range(4)]
        for x, y, (dx, dy) in product(range(SIZE), range(SIZE), ((0, 1), (1, 0), (1, 1), (1, -1)))
    )
    inside = [each for each in lines if all(x in range(SIZE) and y in range(SIZE) for x, y in each)]
    assert found == {frozenset(x * SIZE + y for x, y in each) for each in inside}
    assert sum(starts.bit_count() for _, starts in STRETCHES) == len(found) == 88


def test_stretches_beside_a_cell_touch_its_neighbours_and_leave_it_out() -> None:
    for target in range(SIZE * SIZE):
        for (shift, starts), beside in zip(STRETCHES, STRETCHES_BESIDE[target], strict=True):
            for cell in range(SIZE * SIZE):
                stretch = sum(1 << cell + n * shift for n in range(4)) if starts >> cell & 1 else 0
                wanted = bool(stretch & NEIGHBOUR_BITS[target]) and not stretch >> target & 1
                assert bool(beside >> cell & 1) == wanted


def turned(name: str, way: int) -> str:
    """Return where a cell lies after one of the board's eight symmetries."""
    x, y = divmod(BOARD.names.index(name), SIZE)
    if way & 1:
        x = SIZE - 1 - x
    if way & 2:
        y = SIZE - 1 - y
    if way & 4:
        x, y = y, x
    return BOARD.names[x * SIZE + y]


@given(st.integers(0, 10_000), st.integers(0, 7))
def test_it_is_the_same_from_all_sides(seed: int, way: int) -> None:
    state = some_position(seed)
    data = state.to_json()
    data["pieces"] = [sorted(turned(name, way) for name in each) for each in data["pieces"]]
    data["queens"] = [each and turned(each, way) for each in data["queens"]]
    assert POLICY.appraise(GAME.load(data)) == pytest.approx(POLICY.appraise(state))


@given(st.integers(0, 10_000))
def test_it_is_the_same_for_both_seats(seed: int) -> None:
    state = some_position(seed)
    values = POLICY.appraise(state)
    assert sum(values) == pytest.approx(1)
    data = state.to_json()
    data |= {"to_move": 1 - data["to_move"]}
    data |= {name: data[name][::-1] for name in ("pieces", "queens", "reserve")}
    assert POLICY.appraise(GAME.load(data)) == pytest.approx(values[::-1])


def test_a_queen_in_play_is_in_danger() -> None:
    hidden = position("a1 c2", "g7 e6")
    shown = position("a1 c2", "g7 e6", ("a7", None))
    both = position("a1 c2", "g7 e6", ("a7", "g1"))
    assert seen(shown, 0) < seen(hidden, 0)
    assert seen(shown, 0) < seen(both, 0)


def test_pairs_that_lead_past_the_enemy_queen_are_worth_more() -> None:
    beside = position("c3 d3", "a1 a7", (None, "e4"))
    off_centre = position("c3 d3", "a1 a7", (None, "g7"))
    blocked = position("c3 d3", "b3 e3", (None, "d5"))
    assert seen(beside, 0) > seen(off_centre, 0) > seen(blocked, 0)


def test_two_cells_that_win_are_more_than_one() -> None:
    # One end of White's three is closed in the second position; it is Black's turn in both.
    open_ended = position("c3 d3 e3", "a1 a7 g1", (None, "d4"), 1)
    closed = position("c3 d3 e3", "b3 a7 g1", (None, "d4"), 1)
    far = position("c3 d3 e3", "a1 a7 g1", (None, "d6"), 1)
    assert seen(open_ended, 0) > seen(closed, 0)
    assert seen(open_ended, 0) > seen(far, 0)


class Reversed(RealQueenPolicy):
    """Appraises everything the wrong way round, and evaluates as ever."""

    def appraise(self, state: RealQueenState) -> Values:
        first, second = super().appraise(state)
        return second, first


def choice(policy: RealQueenPolicy, state: State, level: int) -> Action:
    return Player(policy).choose(state, level, 5, effort=0.05)


def test_lower_levels_do_not_see_it() -> None:
    state = some_position(2)
    seeing = [each for each in LEVELS if choice(Reversed(), state, each) != choice(RealQueenPolicy(), state, each)]
    assert seeing == [4, 5]


def test_where_much_can_be_captured_the_clock_counts() -> None:
    # Followed to their end, five turns far, the captures of this position are 500,000 positions and more.
    state, player = some_position(5), players["real-queen"]
    looked = count()
    judged = player.analyse(state, 10**6, seconds=200, clock=lambda: next(looked))
    assert sum(each.visits for each in judged) < 20_000
    assert len(judged) == len(player.policy.candidates(state))
    assert sum(each.visits for each in player.analyse(state, 400)) < 60_000


@given(st.integers(0, 2**32))
def test_searches_follow_the_placements_that_align(seed: int) -> None:
    state = some_position(seed)
    placed = [action for action in state.legal_actions() if action.verb == "place"]
    after = {action: state.advance(action) for action in placed}
    aligning = {action for action in placed if after[action].turn == state.turn or after[action].outcome}
    if placed:
        assert set(POLICY.forcing(state)) == aligning
