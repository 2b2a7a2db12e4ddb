"""Personal and place settings, account linking, privacy, holidays, blocked people."""
