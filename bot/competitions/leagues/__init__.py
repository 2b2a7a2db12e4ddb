"""Leagues: in each season the members of a division all play each other."""
