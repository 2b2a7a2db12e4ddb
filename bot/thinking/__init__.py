"""Searches of computers in processes of their own, and analyses of finished games."""
