"""Games at their tables: the line of play, how it is stored, chance, and damaged games."""
