"""What becomes of competitions in a place that becomes one with another."""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_schema import competition_places, competitions, entrants


async def move_competitions(connection: AsyncConnection, place: int, into: int) -> None:
    """Have all competitions of a place, and those who entered there, belong to another."""
    known = select(competition_places.c.competition).where(competition_places.c.place == into)
    twice = (competition_places.c.place == place, competition_places.c.competition.in_(known))
    await connection.execute(delete(competition_places).where(*twice))
    for table in (competition_places, competitions, entrants):
        await connection.execute(update(table).where(table.c.place == place).values(place=into))
