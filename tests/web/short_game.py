"""A whole game of Annuvin on the square board, as short as one with every kind of turn can be.

Found by random playouts in which White takes what it can and Black lets itself be taken: seven turns with a chain
of captures that is broken off, one that wins, and pieces lost on both sides.
"""

from typing import Final

OPTIONS: Final = {"board": "square"}

TURNS: Final = (("d1-d2",), ("d4-c3",), ("d2xc3",), ("b4-b2",), ("b1xb2",), ("c4xc3", "xb2", "stop"), ("a1xb2", "xa4"))
"""The turns, White's first, each in single actions."""

REFUSED: Final = (3, "b4-b1")
"""In this turn (counted from 0), a move that goes too far."""
