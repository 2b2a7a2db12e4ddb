"""Updating competitions when their games end and when people are merged, separated or forgotten."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_schema import competition_events, competition_games, competition_places, competitions, entrants

ENTERED_EVENT: Final = "entered"
"""The kind of the event by which a person enters a competition."""


async def hasten_competition(connection: AsyncConnection, game: str, at: datetime) -> None:
    """Schedule the competition of a game for processing now, if the game belongs to one."""
    mine = select(competition_games.c.competition).filter_by(game=game).scalar_subquery()
    where = (competitions.c.id == mine, competitions.c.status == "running")
    await connection.execute(update(competitions).where(*where).values(due_at=at))


async def transfer_entries(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the entries of a person to another; where both have entered, the other keeps their own entry."""
    both = select(entrants.c.competition).filter_by(person=remaining)
    query = update(entrants).filter_by(person=gone)
    await connection.execute(query.where(entrants.c.competition.not_in(both)).values(person=remaining))
    await connection.execute(query.values(person=None, inside=False, rank=None))
    await connection.execute(update(competitions).filter_by(maker=gone).values(maker=remaining))
    await _mark_due(connection, [remaining])


async def restore_entries(connection: AsyncConnection, person: int, own: int) -> None:
    """Restore the entries that a person had before they were merged, in finished competitions only."""
    by = select(competition_events.c.competition).filter_by(kind=ENTERED_EVENT)
    theirs, others = by.filter_by(person=own), by.filter_by(person=person)
    over = select(competitions.c.id).where(competitions.c.id == entrants.c.competition).filter_by(status="over")
    query = update(entrants).where(over.exists()).filter_by(person=person)
    query = query.where(entrants.c.competition.in_(theirs), entrants.c.competition.not_in(others))
    await connection.execute(query.values(person=own))


async def forget_entries(connection: AsyncConnection, people: Collection[int]) -> None:
    """Withdraw forgotten people from their competitions and remove the ids of the events by which they entered."""
    await _mark_due(connection, people)
    await connection.execute(update(entrants).where(entrants.c.person.in_(people)).values(inside=False))


async def _mark_due(connection: AsyncConnection, people: Collection[int]) -> None:
    """Schedule the competitions that people have entered for processing, and show them again with current names."""
    mine = select(entrants.c.competition).where(entrants.c.person.in_(people))
    query = update(competitions).where(competitions.c.id.in_(mine), competitions.c.status != "over")
    await connection.execute(query.values(due_at=competitions.c.created_at))
    made = select(competitions.c.created_at).where(competitions.c.id == competition_places.c.competition)
    where = (competition_places.c.competition.in_(mine), competition_places.c.gone.is_(False))
    await connection.execute(update(competition_places).where(*where).values(due_at=made.scalar_subquery()))
