"""The computer players' interface: legal, repeatable, picklable, interruptible."""

import builtins
import math
import random
from collections.abc import Iterable
from itertools import pairwise, product
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

from engine import CHANCE, GameOver, State, games
from engine.search import LEVELS, players, think
from engine.search.contest import RANDOM_LEVEL, list_bouts, play, score_interval
from engine.search.player import Player
from tests.engine.playing import MAX_ACTIONS
from tools import selfcheck

CASES = [(key, seats) for key, game in games.items() for seats in game.seats]


def some_way_in(key: str, seats: int, turns: int, seed: int = 3) -> State:
    """Return a position of a random game with a seat on the move that has a choice; short games are left earlier."""
    for wanted, number in product(range(turns, -1, -1), range(seed, seed + 20)):
        state, rng = games[key].start(seats), random.Random(number)
        while state.to_move is not None and (state.to_move == CHANCE or state.turn < wanted):
            state = state.advance(state.random_action(rng))
        if len(state.legal_actions()) > 1:
            return state
    raise LookupError(key)


def test_every_game_has_a_player() -> None:
    assert players.keys() == games.keys()


@pytest.mark.parametrize("key", players)
def test_levels_rise(key: str) -> None:
    levels = [players[key].level(number) for number in LEVELS]
    assert len(levels) == 5
    assert all(a.iterations < b.iterations or a.noise > b.noise for a, b in pairwise(levels))
    assert all(a.iterations <= b.iterations and a.noise >= b.noise for a, b in pairwise(levels))
    with pytest.raises(ValueError, match="6"):
        players[key].level(6)


@pytest.mark.parametrize(("key", "seats"), CASES)
def test_a_turn_is_legal_and_repeatable(key: str, seats: int) -> None:
    state = some_way_in(key, seats, 5)
    turn = players[key].turn(state, 3, seed=7, effort=0.1)
    assert turn == players[key].turn(state, 3, seed=7, effort=0.1)
    seat, before = state.to_move, state.turn
    for action in turn:
        assert state.to_move == seat
        state = state.play(action)
    assert state.to_move != seat or state.turn > before


@pytest.mark.parametrize(("key", "seats"), CASES)
def test_analysis_covers_every_seat(key: str, seats: int) -> None:
    state = some_way_in(key, seats, 4)
    before = state.to_json()
    judged = players[key].analyse(state, 200)
    assert state.to_json() == before
    assert judged
    assert len({each.action for each in judged}) == len(judged)
    for each in judged:
        assert state.is_legal(each.action)
        assert len(each.values) == seats
        assert sum(each.values) == pytest.approx(seats / 2)
        assert all(0 <= value <= 1 for value in each.values)
    best = judged[0].values[state.to_move or 0]
    assert judged == players[key].analyse(state, 200)
    assert best > 0


@pytest.mark.parametrize("key", players)
def test_appraisal_affects_informed_levels_only(key: str) -> None:
    usual: Any = type(players[key].policy)

    class Reversed(usual):  # type: ignore[misc]
        """Evaluates as ever, and appraises the wrong way round."""

        def appraise(self, state: State) -> tuple[float, ...]:
            return tuple(reversed(super().appraise(state)))

    # Early enough that even a small game is not searched to its end.
    state, plain, other = some_way_in(key, 2, 2), Player(usual()), Player(Reversed())
    assert all(plain.choose(state, level, 3) == other.choose(state, level, 3) for level in (1, 2, 3))
    # What a memory holds of one kind is of no use for the other, whichever came first.
    memory, used = other.memory(), other.memory()
    other.choose(state, 3, 3, memory=used)
    judged = (other.analyse(state, 300, memory=memory), plain.analyse(state, 300))
    one, another = ({each.action: each.values for each in found} for found in judged)
    assert one != another
    assert one == {each.action: each.values for each in other.analyse(state, 300, memory=used)}
    assert other.choose(state, 3, 3, memory=memory) == plain.choose(state, 3, 3)


@pytest.mark.parametrize("key", players)
def test_seeds_make_level_one_vary(key: str) -> None:
    state = some_way_in(key, games[key].seats[0], 5)
    assert len({players[key].choose(state, 1, seed) for seed in range(12)}) > 1


@pytest.mark.parametrize("key", players)
def test_plain_data_in_and_out(key: str) -> None:
    state = some_way_in(key, games[key].seats[0], 5)
    assert think(state.to_json(), 2, 5) == tuple(action.text for action in players[key].turn(state, 2, 5))
    judged = players[key].analyse(state, 50)
    assert ForkingPickler.loads(ForkingPickler.dumps(judged)) == judged


@pytest.mark.parametrize("key", players)
def test_no_time_at_all_still_gives_an_action(key: str) -> None:
    state = some_way_in(key, games[key].seats[0], 5)
    assert state.is_legal(players[key].choose(state, 5, 1, seconds=0.0))


@pytest.mark.parametrize(("key", "seats"), CASES)
def test_who_is_not_on_the_move_cannot_be_asked(key: str, seats: int) -> None:
    state, rng = games[key].start(seats), random.Random(4)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            with pytest.raises(ValueError, match="chance"):
                players[key].choose(state, 1, 1)
        state = state.advance(state.random_action(rng))
    with pytest.raises(GameOver):
        players[key].analyse(state, 1)


@pytest.mark.parametrize("key", players)
def test_a_contest_swaps_seats_and_repeats(key: str) -> None:
    seats, options = games[key].seats[0], {name: option.values[0] for name, option in games[key].options.items()}
    at_random, *_ = list_bouts(key, options, seats, 1, RANDOM_LEVEL, 1, opening=MAX_ACTIONS)
    # Chosen is what is played near the end: thinking takes nearly all of the time of a bout.
    opening = max(2, play(at_random).turns - 12)
    todo = list_bouts(key, options, seats, 1, RANDOM_LEVEL, 4, opening=opening, effort=0.02)
    assert [(bout.pair, bout.seat) for bout in todo] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    first = play(todo[0])
    assert first == play(todo[0])
    assert first.turns > opening
    assert 0.0 <= first.value <= 1.0


def test_an_interval_narrows() -> None:
    low, high = score_interval(0.75, 24)
    assert (round(low, 2), round(high, 2)) == (0.55, 0.88)
    assert score_interval(0.75, 240)[0] > low
    assert score_interval(0.0, 0) == (0.0, 1.0)


def one_by_one(numbers: Iterable[Any], start: Any = 0) -> Any:
    """Sum as Python 3.11 and compiled modules do."""
    for number in numbers:
        start = start + number
    return start


def exactly(numbers: Iterable[Any], start: Any = 0) -> Any:
    """Sum as later versions of Python do."""
    found = [start, *numbers]
    return math.fsum(found) if any(isinstance(number, float) for number in found) else one_by_one(found)


def test_searches_do_not_depend_on_how_python_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "_GAME_COUNT", 1)
    monkeypatch.setattr(selfcheck, "_ITERATIONS", 100)
    found = set[str]()
    for summed in (one_by_one, exactly):
        monkeypatch.setattr(builtins, "sum", summed)
        found.add(selfcheck.compute_digest())
    assert len(found) == 1
