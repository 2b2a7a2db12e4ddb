"""One module per step, in the order that their numbers tell."""
