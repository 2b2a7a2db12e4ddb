"""The help, the list of commands, a person's games, and the rules."""
