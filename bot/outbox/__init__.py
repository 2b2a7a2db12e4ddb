"""The outbox: everything that is shown in a place and kept true there is sent, edited and retired by its one worker."""
