"""How well the computer plays: positions with a right answer, and games against random play."""

from typing import Any

import pytest

from engine import State, games
from engine.search import players
from engine.search.contest import RANDOM_LEVEL, list_bouts, play
from tests.engine.search.strength import can_win, effort, entries, loaded
from tests.support import kits
from tests.support.present import present

BEST_OF = 2
SOME = 5
EVERY_GAME = pytest.mark.parametrize("key", kits.with_kit())


def of_kind(kind: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is run for all games with positions of this kind."""
    having = [key for key in kits.with_kit() if any(entry["kind"] == kind for entry in entries(key))]
    return pytest.mark.parametrize("key", having)


@EVERY_GAME
def test_there_are_enough_positions(key: str) -> None:
    assert len(entries(key)) >= 20
    assert len({str(entry["position"]) for entry in entries(key)}) == len(entries(key))
    assert {entry["kind"] for entry in entries(key)} <= {"win", "loss"}


@of_kind("win")
def test_it_finds_a_win_in_one(key: str) -> None:
    for entry in [entry for entry in entries(key) if entry["kind"] == "win"]:
        state = loaded(entry)
        assert can_win(state), entry
        assert present(after_turn(key, entry).outcome).winner == state.to_move, entry


@pytest.mark.parametrize("count", [SOME, pytest.param(None, marks=pytest.mark.full)], ids=["some", "all"])
@of_kind("loss")
def test_it_avoids_a_loss_in_one(key: str, count: int | None) -> None:
    for entry in [entry for entry in entries(key) if entry["kind"] == "loss"][:count]:
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


@pytest.mark.parametrize(("count", "share"), [(BEST_OF, 0.9), pytest.param(100, 0.97, marks=pytest.mark.full)])
@EVERY_GAME
def test_it_beats_random_play(key: str, count: int, share: float) -> None:
    """Level 3 wins at least that share of the games, draws counted half."""
    todo = list_bouts(key, {}, games[key].seats[0], 3, RANDOM_LEVEL, count, effort=effort(key))
    assert sum(play(bout).value for bout in todo) / count >= share
