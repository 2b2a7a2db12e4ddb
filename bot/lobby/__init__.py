"""Games before they begin: challenges, open seats, computers, terms, people."""
