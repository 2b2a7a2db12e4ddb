"""Guessing the next turn of games between others, if all their players agree."""
