"""A game at its table: moves, offers, clocks, computers' turns, cards, records, ratings and notices."""
