"""Leaderboards and profiles, and the monthly message of a channel."""
