"""The picture of Real Queen: marbles in a lacquered tray, reserves on the rails, queens in gold."""

from render.games.real_queen.picture import PICTURE

__all__ = ["PICTURE"]
