"""Everything that is shown in a place and kept true there, sent, edited and retired by one worker; and what is
written to people in private."""
