"""What a person asks for beside a board: settings, standings, history, hints, guesses, joining, help; and
moderation."""
