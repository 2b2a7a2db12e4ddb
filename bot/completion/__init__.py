"""Completions while a command is typed."""
