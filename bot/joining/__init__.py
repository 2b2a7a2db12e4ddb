"""Joining by a code, rematches, taking over for an absent player."""
