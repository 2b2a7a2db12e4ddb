"""Annuvin and its square-board sibling Cacciatori (docs/rules/annuvin.md)."""

from engine.games.annuvin.game import GAME, Annuvin
from engine.games.annuvin.rules import AnnuvinState

__all__ = ["GAME", "Annuvin", "AnnuvinState"]
