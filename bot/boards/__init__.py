"""Private boards: lessons, lines to try out and plans, puzzles, and moments of own games."""
