"""Positions in words, by the keys of the games: one module each, found by its name."""

from collections.abc import Mapping
from typing import Final

from bot.kernel.words.teller import GameWords, PositionTeller
from engine.discovery import Part, Parts
from engine.games import games

__all__ = ["GameWords", "PositionTeller", "words"]

WORDS: Final = Part("bot.kernel.words", "words", "WORDS")

words: Final[Mapping[str, GameWords]] = Parts(games, WORDS)
