"""Competitions as pure functions of their events: who meets whom, how a table stands, what comes next."""
