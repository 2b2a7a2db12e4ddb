"""Trying lines out on a board of one's own, and making plans of them."""
