"""Ladders: places in a channel that go on for years, and challenges for them."""
