"""Positions in words: one module per game, found by the game's key."""

from collections.abc import Mapping
from typing import Final

from bot.kernel.words.teller import GameWords, PositionTeller
from engine.discovery import Part, Parts
from engine.games import games

__all__ = ["GameWords", "PositionTeller", "words"]

WORDS: Final = Part("bot.kernel.words", "words", "WORDS")

words: Final[Mapping[str, GameWords]] = Parts(games, WORDS)
