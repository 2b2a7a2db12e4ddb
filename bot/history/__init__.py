"""Finished games: the list, their turns, films and records."""
