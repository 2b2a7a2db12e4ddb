"""Chance at a table: every draw follows from the game's secret seed and from who joined it."""

from __future__ import annotations

from bot.tables.line import Draws
from engine import fair
from storage import GameBrief, GameRow


def draws_for(row: GameRow) -> Draws:
    """Return the draws of a game whose seats are taken."""
    public = public_of(row)
    return lambda number: fair.Draw(row.seed, public, number)


def lot_for(row: GameRow) -> tuple[int, ...]:
    """Return the seat of everybody who joined, in the order of joining."""
    return fair.lot(row.seed, public_of(row), len(row.seats))


def public_of(brief: GameBrief) -> str:
    """Return what is public of the chance of a game: its id, and the joining events in their order."""
    return fair.public_text(brief.id, [entry.joined_by or "" for entry in brief.seats])
