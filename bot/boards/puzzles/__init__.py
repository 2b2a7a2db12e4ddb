"""Puzzles: positions with one right first turn, proven; which is whose day; and how one is solved."""
