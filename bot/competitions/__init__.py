"""Competitions as pure functions of their events: pairings, standings, next steps."""
