"""Competitions: pure functions of their events, and what cups, leagues and ladders share."""
