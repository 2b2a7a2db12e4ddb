"""Entering moves and commands: the tree of questions, typed lines, and telling both from talk."""
