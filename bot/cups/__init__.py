"""Competitions as people meet them: commands, the form, rounds, cards, pictures, checks."""
