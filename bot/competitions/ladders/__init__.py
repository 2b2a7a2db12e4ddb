"""Ladders: a permanent order of people in a channel, changed by challenges."""
