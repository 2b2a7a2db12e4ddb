"""Boards as text."""

from collections import Counter

import pytest

from engine import games
from engine.diagram import EMPTY, draw_diagram
from engine.topology import hexagon, square_grid
from tests.engine.playing import settings, some_states


def test_a_square_board_has_its_columns_below_and_its_rows_at_the_left() -> None:
    assert draw_diagram(square_grid(2, 2), {"b2": "○"}) == " 2   ·   ○\n 1   ·   ·\n     a   b"


def test_letters_of_pieces_are_capitals_and_never_stand_beside_those_of_columns() -> None:
    assert draw_diagram(square_grid(2, 1), {"b1": "b"}).splitlines() == [" 1   ·   B", "     a   b"]


def test_columns_of_a_hexagon_stand_half_a_cell_apart() -> None:
    lines = draw_diagram(hexagon(2), {"b2": "●"}).splitlines()
    found = [line.split() for line in lines]
    assert found == [["3", EMPTY], ["2", EMPTY, EMPTY], ["●"], ["1", EMPTY, EMPTY], [EMPTY], ["a", "c"], ["b"]]
    assert lines[0].index(EMPTY) == lines[2].index("●") == lines[6].index("b")
    assert lines[1].index(EMPTY) == lines[5].index("a")


@pytest.mark.parametrize("key", games)
def test_every_piece_of_every_game_is_shown_once_and_apart_from_all_else(key: str) -> None:
    seen = set[str]()
    for setting in [setting for setting in settings() if setting.key == key]:
        for state in some_states(setting, 8):
            symbols = games[key].symbols(state.to_json())
            board = state.topology
            words = Counter(draw_diagram(board, symbols).split())
            pieces = Counter(sign.upper() for sign in symbols.values())
            assert {sign: words[sign] for sign in pieces} == pieces
            bare = Counter(draw_diagram(board, {}).split())
            # Each piece stands where an empty cell was, and nothing else has changed.
            assert words - pieces == bare - (bare - (words - pieces))
            assert (bare - words).total() == pieces.total()
            # Every column's letter and every row's number can be read.
            assert {name[0] for name in board.names} | {name[1:] for name in board.names} <= set(bare)
            seen |= symbols.keys()
    assert seen
