"""Requests of people that are not moves: settings, standings, history, hints, guesses, joining, help; and
moderation."""
