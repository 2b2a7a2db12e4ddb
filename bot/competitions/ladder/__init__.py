"""Ladders as pure functions of their events: the order, possible challenges, and automatic steps."""
