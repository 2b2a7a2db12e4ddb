"""Guessing the next turn of games that others play, where all who play agree."""
