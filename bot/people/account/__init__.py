"""Personal and place settings, account linking, privacy, holidays, blocked people, and bans in the web room."""
