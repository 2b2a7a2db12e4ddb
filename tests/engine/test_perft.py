"""Counts of turns worked out by independent means (docs/rules/README.md, Counts to test against)."""

from typing import Any

import pytest

from engine import CHANCE, State, games
from engine.perft import perft
from tests.engine.playing import EVERY_SETTING, Setting, some_states
from tests.support import kits

CASES = [
    pytest.param(key, figure["position"], depth, count, id=f"{key}-{number}-{depth}")
    for key in kits.with_kit()
    for number, figure in enumerate(kits.entries(key, "perft.json"), start=1)
    for depth, count in enumerate(figure["turns"], start=1)
]


@pytest.mark.parametrize(("key", "position", "depth", "count"), CASES)
def test_count_of_turns(key: str, position: dict[str, Any], depth: int, count: int) -> None:
    assert perft(games[key].load(position), depth) == count


@EVERY_SETTING
def test_perft_counts_nothing_after_the_end_of_a_game(setting: Setting) -> None:
    over = some_states(setting)[-1]
    assert over.to_move is None
    assert (perft(over, 0), perft(over, 1), perft(over, 2)) == (1, 0, 0)


@EVERY_SETTING
def test_a_turn_under_way_is_counted_to_its_end(setting: Setting) -> None:
    for state in some_states(setting, 8):
        if state.to_move not in (None, CHANCE) and len(state.legal_actions()) <= 40:
            assert perft(state, 1) == ways_on(state, state.turn)


def ways_on(state: State, turn: int) -> int:
    """Return in how many ways the turn can be finished, one after the other; chance inside of a turn ends the count."""
    if state.turn != turn:
        return 1
    if state.to_move in (None, CHANCE):
        return 0
    return sum(ways_on(state.advance(action), turn) for action in state.legal_actions())
