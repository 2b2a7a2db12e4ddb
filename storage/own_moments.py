"""A person's own moments in finished games and their spaced repetition."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import insert_if_new
from storage.puzzle_schema import own_moments
from storage.repository import Repository
from storage.rows import Json


@dataclass(frozen=True, slots=True)
class StoredMoment:
    """One moment: the turn (from 1) of a game, its details, and the state of its repetition."""

    id: int
    person: int
    game: str
    game_key: str
    turn: int
    data: Json
    card: Json
    reviews: int
    solved: bool
    found_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True)
class MomentCounts:
    """How many moments a person has, how many are due, how many were solved last time; when the next is due."""

    total: int = 0
    due: int = 0
    solved: int = 0
    next_due: datetime | None = None


class OwnMomentRows(Repository):
    """Queries and commands for moments; only their own person ever reads them."""

    async def add(self, person: int, game: str, game_key: str, found: Sequence[tuple[int, Json]], at: datetime) -> None:
        """Store the moments of a person in a game, by turn; existing ones stay unchanged."""
        async with self._database.transaction() as connection:
            for turn, data in found:
                row: Json = {"person": person, "game": game, "game_key": game_key, "turn": turn, "data": data}
                row |= {"card": {}, "reviews": 0, "solved": False, "found_at": at, "due_at": at}
                await insert_if_new(connection, own_moments, row)

    async def get(self, moment_id: int) -> StoredMoment | None:
        """Return a moment, None if there is none with this number."""
        return next(iter(await self._moments(own_moments.c.id == moment_id)), None)

    async def list_in_game(self, person: int, game: str) -> list[StoredMoment]:
        """Return the moments of a person in a game, in the order of its turns."""
        mine = (own_moments.c.person == person, own_moments.c.game == game)
        return await self._moments(*mine, order=own_moments.c.turn)

    async def next_due(self, person: int, at: datetime, game_key: str | None = None) -> StoredMoment | None:
        """Return the moment of a person that has been due longest, None if none is due."""
        where = [own_moments.c.person == person, own_moments.c.due_at <= at]
        if game_key is not None:
            where.append(own_moments.c.game_key == game_key)
        return next(iter(await self._moments(*where, order=own_moments.c.due_at, limit=1)), None)

    async def record_review(self, moment_id: int, reviews: int, card: Json, due_at: datetime, *, solved: bool) -> bool:
        """Store the result of a repetition, the one after `reviews` earlier ones; return whether it was expected."""
        where = (own_moments.c.id == moment_id, own_moments.c.reviews == reviews)
        values: Json = {"card": card, "due_at": due_at, "solved": solved, "reviews": reviews + 1}
        return await self._write(update(own_moments).where(*where).values(**values)) == 1

    async def counts(self, person: int, at: datetime, game_key: str | None = None) -> MomentCounts:
        """Return the counts of a person's moments."""
        query = select(
            func.count(),
            func.count().filter(own_moments.c.due_at <= at),
            func.count().filter(own_moments.c.solved),
            func.min(own_moments.c.due_at),
        ).where(own_moments.c.person == person)
        if game_key is not None:
            query = query.where(own_moments.c.game_key == game_key)
        async with self._database.read_autocommit() as connection:
            return MomentCounts(*(await connection.execute(query)).one())

    async def _moments(
        self, *where: ColumnElement[bool], order: ColumnElement[object] = own_moments.c.id, limit: int | None = None
    ) -> list[StoredMoment]:
        query = select(own_moments).where(*where).order_by(order, own_moments.c.id).limit(limit)
        return await self._read_rows(query, StoredMoment)


async def transfer_own_moments(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the moments of a person to another; where both have one of a turn, the one repeated more often stays."""
    query = select(own_moments.c.id, own_moments.c.game, own_moments.c.turn)
    query = query.where(own_moments.c.person.in_((gone, remaining))).order_by(
        own_moments.c.reviews.desc(), own_moments.c.id
    )
    known: set[tuple[str, int]] = set()
    for row in (await connection.execute(query)).all():
        if (row.game, row.turn) in known:
            await connection.execute(delete(own_moments).where(own_moments.c.id == row.id))
        known.add((row.game, row.turn))
    await connection.execute(update(own_moments).where(own_moments.c.person == gone).values(person=remaining))


async def forget_own_moments(connection: AsyncConnection, everybody: Collection[int]) -> None:
    """Delete the moments of people."""
    await connection.execute(delete(own_moments).where(own_moments.c.person.in_(everybody)))
