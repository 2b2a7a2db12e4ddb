"""Puzzles: positions with exactly one right first turn, proven; the calendar of dates; and solving."""
