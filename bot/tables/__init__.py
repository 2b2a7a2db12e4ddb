"""Games at their tables: the line of play, what is stored of it, its chance, and what is damaged."""
