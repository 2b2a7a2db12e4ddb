"""Private boards: lessons, lines to try out and plans, puzzles, moments of one's own games."""
