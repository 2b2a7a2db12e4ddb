"""Ladders as pure functions of their events: who stands where, who may challenge whom, and what is due."""
