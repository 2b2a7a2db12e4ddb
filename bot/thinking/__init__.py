"""Searches of computer players in worker processes, and analyses of finished games."""
