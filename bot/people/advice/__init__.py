"""Hints and analyses, and text typed or cells pressed on the open board, of any kind."""
