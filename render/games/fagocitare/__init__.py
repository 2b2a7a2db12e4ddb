"""The picture of Fagocitare: a pad of squared paper and two pens."""

from render.games.fagocitare.picture import PICTURE

__all__ = ["PICTURE"]
