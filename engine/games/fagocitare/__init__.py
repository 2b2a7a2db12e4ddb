"""Fagocitare: dots on squared paper that swallow each other along lines that never cross (docs/rules/fagocitare.md)."""

from engine.games.fagocitare.game import GAME

__all__ = ["GAME"]
