"""Private boards: lessons, puzzles, moments of one's own games, and lines that are tried out, planned or guessed."""
