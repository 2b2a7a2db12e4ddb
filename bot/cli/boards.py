"""Boards in the terminal."""

import os
import re
import sys
from typing import Final

from bot.cli.console import Console
from bot.words.describe import position_words
from engine import State
from engine.diagram import EMPTY, draw_diagram

_PIECE_PATTERN: Final = re.compile(rf"[^\sa-z0-9{EMPTY}]+")


def board_text(state: State, names: tuple[str, ...], console: Console) -> str:
    """Return the board as text, with a description of every seat below it."""
    words = console.texts.speaker(console.language).of(state.game.key)
    board = draw_diagram(state.topology, state.game.symbols(state.to_json()))
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        board = shade_board(board)
    return "\n".join(["", board, "", *position_words(words, state, names), ""])


def shade_board(board: str) -> str:
    """Return a board for a terminal, with its pieces bright and its empty cells dim."""
    bright = _PIECE_PATTERN.sub(lambda piece: f"\x1b[1;7m{piece[0]}\x1b[0m", board)
    return bright.replace(EMPTY, f"\x1b[2m{EMPTY}\x1b[0m")
