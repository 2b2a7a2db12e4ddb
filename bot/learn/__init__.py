"""Lessons: their commands, the learner's progress, and their cards."""
