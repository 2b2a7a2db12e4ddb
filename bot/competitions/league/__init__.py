"""Leagues as pure functions of their events: seasons, divisions, games, tables, who goes up and who goes down."""
