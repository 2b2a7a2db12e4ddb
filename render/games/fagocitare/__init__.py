"""The picture of Fagocitare: a pad of squared paper and two pens."""

from render.games.fagocitare.picture import FAGOCITARE

__all__ = ["FAGOCITARE"]
