"""The computer players' interface: legal, repeatable, picklable, interruptible."""

import builtins
import math
import random
from collections.abc import Callable, Iterable
from itertools import pairwise
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

from engine import CHANCE, GameOver, State, games
from engine.search import LEVELS, players, selfcheck, think
from engine.search.contest import Bout, bouts, interval, play

CASES = [(key, seats) for key, game in games.items() for seats in game.seats]


def some_way_in(key: str, seats: int, turns: int, seed: int = 3) -> State:
    """Return a position of a random game with a seat on the move."""
    state, rng = games[key].start(seats), random.Random(seed)
    while state.to_move == CHANCE or state.turn < turns:
        state = state.advance(state.random_action(rng))
    return state


def test_every_game_has_a_player() -> None:
    assert list(players) == list(games)


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
    seat = state.to_move
    for action in turn:
        assert state.to_move == seat
        state = state.play(action)
    assert state.to_move != seat or state.turn > 5


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
def test_seeds_make_level_one_vary(key: str) -> None:
    state = some_way_in(key, 2, 5)
    assert len({players[key].choose(state, 1, seed) for seed in range(12)}) > 1


@pytest.mark.parametrize("key", players)
def test_plain_data_in_and_out(key: str) -> None:
    state = some_way_in(key, 2, 5)
    texts = think(state.to_json(), 2, 5)
    assert texts == tuple(action.text for action in players[key].turn(state, 2, 5))
    assert ForkingPickler.loads(ForkingPickler.dumps(players[key].analyse(state, 50))) == players[key].analyse(
        state, 50
    )


@pytest.mark.parametrize("key", players)
def test_a_search_ends_when_told(key: str) -> None:
    state = some_way_in(key, 2, 5)
    asked = []

    def stop() -> bool:
        asked.append(1)
        return True

    action = players[key].choose(state, 5, 1, stop=stop)
    assert state.is_legal(action)
    assert asked


@pytest.mark.parametrize("key", players)
def test_no_time_at_all_still_gives_an_action(key: str) -> None:
    state = some_way_in(key, 2, 5)
    assert state.is_legal(players[key].choose(state, 5, 1, seconds=0.0))


def test_the_tree_is_kept_from_move_to_move() -> None:
    player = players["vedova-nera"]
    state = some_way_in("vedova-nera", 2, 6)
    memory = player.memory()
    first = player.analyse(state, 600, memory=memory)[0]
    after = state.play(first.action)
    kept = player.analyse(after, 1, memory=memory)
    assert sum(each.visits for each in kept) > sum(each.visits for each in player.analyse(after, 1))


def test_who_is_not_on_the_move_cannot_be_asked() -> None:
    start = games["uomo-nero"].start()
    with pytest.raises(ValueError, match="chance"):
        players["uomo-nero"].choose(start, 1, 1)
    over = games["fagocitare"].start().play(games["fagocitare"].start().read("drop 1"))
    with pytest.raises(GameOver):
        players["fagocitare"].analyse(over, 1)


def test_a_contest_swaps_seats_and_repeats() -> None:
    todo = bouts("fagocitare", {"size": 7}, 2, 2, 1, 4, opening=2)
    assert [(bout.pair, bout.seat) for bout in todo] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [play(bout) for bout in todo] == [play(bout) for bout in todo]
    both = [play(Bout("fagocitare", {"size": 7}, 2, 0, 0, 5, seat)).value for seat in (0, 1)]
    assert all(value in (0.0, 0.5, 1.0) for value in both)


def test_an_interval_narrows() -> None:
    low, high = interval(0.75, 24)
    assert (round(low, 2), round(high, 2)) == (0.55, 0.88)
    assert interval(0.75, 240)[0] > low
    assert interval(0.0, 0) == (0.0, 1.0)


def one_by_one(numbers: Iterable[Any], start: Any = 0) -> Any:
    """Sum as Python 3.11 and compiled modules do."""
    for number in numbers:
        start = start + number
    return start


def exactly(numbers: Iterable[Any], start: Any = 0) -> Any:
    """Sum as later versions of Python do."""
    found = [start, *numbers]
    return math.fsum(found) if any(isinstance(number, float) for number in found) else one_by_one(found)


@pytest.mark.parametrize("summed", [one_by_one, exactly])
def test_searches_do_not_depend_on_how_python_sums(summed: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    found = selfcheck.digest()
    monkeypatch.setattr(builtins, "sum", summed)
    assert selfcheck.digest() == found
