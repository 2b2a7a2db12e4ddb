"""Clocks that run out, reminders, and what is tidied up from time to time."""
