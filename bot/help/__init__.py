"""The help, the list of commands, and the rules."""
