"""Lessons: the commands, the state of a learner, the cards."""
