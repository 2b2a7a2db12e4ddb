"""Chance at a table: every draw follows from the game's secret seed and from who joined it."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Final

from bot.services.line import Draws
from engine import CHANCE, fair, games
from storage import GameBrief, GameRow

_PLIES: Final = 60
"""So far into a game it is looked whether there is chance in it: dice and deals come early."""


@lru_cache(maxsize=64)
def has_chance(game: str, seats: int) -> bool:
    """Say whether dice or deals decide in a game, besides the lot for the seats."""
    rng, state = random.Random(0), games[game].start(seats)
    for _ in range(_PLIES):
        if state.to_move == CHANCE:
            return True
        if state.to_move is None:
            return False
        state = state.advance(state.random_action(rng))
    return False


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
