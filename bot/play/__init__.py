"""Playing at a table: boards, moves, offers, takebacks, clocks, plans, records and ratings."""
