"""Catalogues, rich text, names of games and people."""
