"""What somebody types or presses on the board before them: a game, a lesson, a puzzle or a line that is tried out."""
