"""Cups: commands, the form, rounds, cards, pictures, checks."""
