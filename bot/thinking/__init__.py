"""Searches of computers in worker processes, hints, and analyses of finished games."""
