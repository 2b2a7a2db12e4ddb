"""Private boards: lessons, lines to try out and plans, puzzles, and moments of a person's games."""
