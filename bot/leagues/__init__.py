"""Leagues: divisions in a channel, in which all play all, season after season."""
