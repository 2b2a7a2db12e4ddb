"""The turns of computer players."""
