"""Code that cups, leagues and ladders share: people, games, messages, files."""
