"""Leagues as pure functions of their events: seasons, divisions, games, tables, promotion and relegation."""
