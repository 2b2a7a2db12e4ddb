"""What the platforms suggest while a command is typed."""
