"""Gioco dell'Uomo Nero: attackers cross the courtyard, the Man hunts them (docs/rules/uomo-nero.md)."""

from engine.games.uomo_nero.game import GAME

__all__ = ["GAME"]
