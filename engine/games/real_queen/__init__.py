"""Real Queen: lines of four that capture, and a queen that no line may come near (docs/rules/real-queen.md)."""

from engine.games.real_queen.game import GAME

__all__ = ["GAME"]
