"""Hints and analyses, and what is typed or pressed on whatever board is open."""
