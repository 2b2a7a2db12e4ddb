"""Games before they begin, and their players: challenges, open seats, computers, terms, teams."""
