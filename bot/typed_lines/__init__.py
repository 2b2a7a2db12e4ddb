"""Typed text and clicks for the open board: a game, a lesson, a puzzle or a line to try out."""
