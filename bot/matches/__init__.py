"""What cups, leagues and ladders have in common: who is in them, their games, and where they are shown."""
