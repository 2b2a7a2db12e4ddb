"""How well the computer plays: positions with a right answer, and games against random play."""

from typing import Any

import pytest

from engine import Outcome, State, games
from engine.search import players
from engine.search.contest import RANDOM, bouts, play
from tests.engine.search.strength import can_win, entries, loaded

EFFORT = {"annuvin": 0.3, "real-queen": 0.5, "fagocitare": 0.3, "vedova-nera": 0.5, "uomo-nero": 0.3}
"""How much of level 3's iterations the games against random play get: enough to win, and fast."""
BEST_OF = 20


@pytest.mark.parametrize("key", games)
def test_there_are_enough_positions(key: str) -> None:
    assert len(entries()[key]) >= 20
    assert len({str(entry["position"]) for entry in entries()[key]}) == len(entries()[key])


@pytest.mark.parametrize("key", games)
def test_it_finds_a_win_in_one(key: str) -> None:
    for entry in entries()[key]:
        if entry["kind"] != "win":
            continue
        state = loaded(entry)
        assert can_win(state), entry
        outcome = after_turn(key, entry).outcome
        assert isinstance(outcome, Outcome), entry
        assert outcome.winner == state.to_move, entry


@pytest.mark.parametrize("key", [key for key in games if key != "uomo-nero"])
def test_it_avoids_a_loss_in_one(key: str) -> None:
    for entry in entries()[key]:
        if entry["kind"] != "loss":
            continue
        state = loaded(entry)
        assert not can_win(state), entry
        after = after_turn(key, entry)
        assert not can_win(after), entry
        assert after.outcome is None or after.outcome.winner in (None, state.to_move), entry


def after_turn(key: str, entry: dict[str, Any]) -> State:
    """Return the state after level 3's turn in the position."""
    state = loaded(entry)
    for action in players[key].turn(state, 3, seed=1):
        state = state.play(action)
    return state


def won_against_random(key: str, count: int) -> float:
    """Return the share of games that level 3 wins, draws counted half."""
    todo = bouts(key, {}, 2, 3, RANDOM, count, effort=EFFORT[key])
    return sum(play(bout).value for bout in todo) / count


@pytest.mark.parametrize("key", games)
def test_it_beats_random_play(key: str) -> None:
    assert won_against_random(key, BEST_OF) >= 0.95


@pytest.mark.full
@pytest.mark.parametrize("key", games)
def test_it_beats_random_play_in_a_hundred_games(key: str) -> None:
    assert won_against_random(key, 100) >= 0.97
