"""Boards as text."""

import pytest

from engine import games
from engine.diagram import diagram
from engine.topology import hexagon, square_grid
from tests.engine.playing import settings, some_states


def test_a_square_board_has_a1_at_the_bottom_left() -> None:
    assert diagram(square_grid(2, 2), {"b2": "○"}) == "  a2  ○b2\n  a1   b1"


def test_columns_of_a_hexagon_stand_half_a_cell_apart() -> None:
    lines = diagram(hexagon(2), {"b2": "●"}).splitlines()
    assert [line.split() for line in lines] == [["b3"], ["a2", "c3"], ["●b2"], ["a1", "c2"], ["b1"]]
    assert lines[0].index("b3") == lines[4].index("b1")


@pytest.mark.parametrize("key", games)
def test_every_cell_and_every_piece_of_every_game_is_shown(key: str) -> None:
    seen = set[str]()
    for setting in [setting for setting in settings() if setting.key == key]:
        for state in some_states(setting, 8):
            symbols = games[key].symbols(state.to_json())
            words = diagram(state.topology, symbols).split()
            expected = [symbols.get(cell, "") + cell for cell in state.topology.names]
            assert sorted(words) == sorted(expected)
            seen |= symbols.keys()
    assert seen
