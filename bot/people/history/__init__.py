"""Games by their code: joining one, its replay, film and record when it is over, and a rematch."""
