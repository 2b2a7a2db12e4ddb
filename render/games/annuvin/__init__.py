"""Annuvin's picture: a floor of cotto tiles, hexagons or squares, and thick discs with an inlay."""

from render.games.annuvin.picture import PICTURE

__all__ = ["PICTURE"]
