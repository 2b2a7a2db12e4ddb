"""Bans in the page's room, for its managers."""
