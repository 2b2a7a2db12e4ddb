"""Games before they begin, and who sits down at them: challenges, open seats, computers, terms, teams."""
