"""Keeping people out of the page's room, for those who manage it."""
