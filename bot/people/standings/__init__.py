"""Leaderboards and profiles, and the message that tells a channel of its month."""
