"""Leaderboards: a win is the sole first place, a draw a shared first, a loss any other."""

from __future__ import annotations

from dataclasses import dataclass

from bot.house import House
from storage import Standing


@dataclass(frozen=True, slots=True)
class Rank:
    """A line of a leaderboard; those with equal figures share a place."""

    place: int
    standing: Standing


async def leaderboard(house: House, place: int, game: str | None) -> list[Rank]:
    """Return the leaderboard of one game, or of all, in a place."""
    ranks: list[Rank] = []
    for number, standing in enumerate(await house.store.standings(place, game), start=1):
        above = ranks[-1] if ranks else None
        shared = above is not None and _figures(above.standing) == _figures(standing)
        ranks.append(Rank(above.place if above and shared else number, standing))
    return ranks


def _figures(standing: Standing) -> tuple[int, int, int]:
    return standing.wins, standing.draws, standing.losses
