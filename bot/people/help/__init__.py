"""The help, the list of commands, my games, and the rules."""
