"""Boards in the terminal."""

from __future__ import annotations

from bot.cli.console import Console
from bot.words.describe import position_words
from engine import State
from engine.diagram import diagram


def board_text(state: State, names: tuple[str, ...], console: Console) -> str:
    """Return the board as text, with what every seat has in words below it."""
    words = console.texts.speaker(console.language).of(state.game.key)
    board = diagram(state.topology, state.game.symbols(state.to_json()))
    return "\n".join(["", board, "", *position_words(words, state, names), ""])
