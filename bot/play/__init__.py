"""The table: boards, moves, offers, takebacks, clocks, plans that are carried out, records and ratings."""
