"""Finished games: the list, replays, films and records."""
