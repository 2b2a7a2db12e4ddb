"""The picture of Real Queen: marbles in a lacquered tray, reserves on the rails, queens in gold."""

from render.games.real_queen.picture import REAL_QUEEN

__all__ = ["REAL_QUEEN"]
