"""What people try out, each by themselves: one tree of lines a person and game, never part of the game."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository
from storage.errors import Conflict, StorageError
from storage.events import mark_processed
from storage.rows import Json, ProcessedEvent
from storage.schema import analysis_boards as boards
from storage.schema import games


class TooManyTrees(StorageError):
    """Somebody who has as many boards to try out on as there may be, all in games that go on."""

    default = "too-many-tries"


@dataclass(frozen=True, slots=True)
class StoredTree:
    """What somebody has tried out in a game; `id` is None before it is kept for the first time.

    `revision` counts its changes, `tree` is read by `bot/tables/tree.py`, `planned` says that some of it is to be
    played by itself.
    """

    person: int
    game: str
    tree: Json = field(default_factory=dict)
    revision: int = 0
    planned: bool = False
    id: int | None = None
    touched_at: datetime | None = None


class AnalysisTrees(Repository):
    """The verbs about what is tried out; everybody has at most one tree in each game."""

    async def get(self, person: int, game: str) -> StoredTree | None:
        """Return what somebody has tried out in a game, None if nothing."""
        return next(iter(await self._tries(boards.c.person == person, boards.c.game == game)), None)

    async def list_for_person(self, person: int) -> list[StoredTree]:
        """Return all that somebody has tried out, the last touched first."""
        return await self._tries(boards.c.person == person)

    async def list_plans(self, game: str) -> list[StoredTree]:
        """Return the trees of a game in which something is to be played by itself.

        Called within a transaction, it keeps the game and them from being changed by others until its end.
        """
        query = select(boards).where(boards.c.game == game, boards.c.planned).order_by(boards.c.id)
        async with self._database.transaction() as connection:
            await connection.execute(select(games.c.id).where(games.c.id == game).with_for_update())
            return [_to_tried(row) for row in (await connection.execute(query.with_for_update())).mappings()]

    async def store(
        self,
        tried: StoredTree,
        at: datetime,
        most: int,
        processed: ProcessedEvent | None = None,
        *,
        game_at: int | None = None,
    ) -> StoredTree:
        """Store a tree and return it as it is now; Moved if it has changed since, AlreadyProcessed.

        With `game_at` the game must still be at that revision, else Moved: what is planned must not come too late.

        Of more than `most` trees a person has, the one of a finished game goes that was not touched for the longest;
        TooManyTries where there is none.
        """
        values: Json = {"revision": tried.revision + 1, "tree": tried.tree, "planned": tried.planned, "touched_at": at}
        async with self._database.transaction() as connection:
            if processed is not None:
                await mark_processed(connection, processed, at)
            if game_at is not None:
                held = select(games.c.revision).where(games.c.id == tried.game).with_for_update()
                if (await connection.execute(held)).scalar_one_or_none() != game_at:
                    raise Conflict(tried.game, game_at)
            if tried.id is None:
                known = select(boards.c.id).where(boards.c.person == tried.person, boards.c.game == tried.game)
                if (await connection.execute(known)).first() is not None:
                    raise Conflict(tried.game, tried.revision)
                await _make_room(connection, tried.person, most)
                values |= {"person": tried.person, "game": tried.game}
                row = (await connection.execute(insert(boards).values(**values).returning(*boards.c))).mappings().one()
                return _to_tried(row)
            query = update(boards).where(boards.c.id == tried.id, boards.c.revision == tried.revision)
            found = (await connection.execute(query.values(**values).returning(*boards.c))).mappings().one_or_none()
            if found is None:
                raise Conflict(tried.game, tried.revision)
            return _to_tried(found)

    async def delete(self, tried: StoredTree, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Take a tree away; Moved if it has changed since, AlreadyProcessed."""
        where = (boards.c.id == tried.id, boards.c.revision == tried.revision)
        async with self._database.transaction() as connection:
            if processed is not None:
                await mark_processed(connection, processed, at)
            if (await connection.execute(delete(boards).where(*where))).rowcount != 1:
                raise Conflict(tried.game, tried.revision)

    async def delete_expired(self, before: datetime) -> int:
        """Take away what was tried out in games that ended before a time and was not touched since; return how much."""
        over = select(games.c.id).where(
            games.c.id == boards.c.game, games.c.status == "over", games.c.ended_at < before
        )
        query = delete(boards).where(boards.c.touched_at < before, over.exists())
        async with self._database.transaction() as connection:
            return (await connection.execute(query)).rowcount

    async def _tries(self, *where: ColumnElement[bool]) -> list[StoredTree]:
        query = select(boards).where(*where).order_by(boards.c.touched_at.desc(), boards.c.id.desc())
        async with self._database.read_autocommit() as connection:
            return [_to_tried(row) for row in (await connection.execute(query)).mappings()]


async def transfer_trees(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Give the trees of a person to another; where both have one in a game, that with plans, or the last touched."""
    query = select(boards.c.id, boards.c.game, boards.c.planned, boards.c.touched_at)
    query = query.where(boards.c.person.in_((gone, remaining))).order_by(
        boards.c.planned.desc(), boards.c.touched_at.desc()
    )
    known: set[str] = set()
    for row in (await connection.execute(query)).all():
        if row.game in known:
            await connection.execute(delete(boards).where(boards.c.id == row.id))
        known.add(row.game)
    await connection.execute(update(boards).where(boards.c.person == gone).values(person=remaining))


async def _make_room(connection: AsyncConnection, person: int, most: int) -> None:
    """Take away the oldest tree in a finished game where a person has as many as may be; TooManyTries."""
    mine: Any = boards.c.person == person
    count = (await connection.execute(select(func.count()).select_from(boards).where(mine))).scalar_one()
    if count < most:
        return
    over = select(boards.c.id).join(games, games.c.id == boards.c.game).where(mine, games.c.status == "over")
    oldest = (await connection.execute(over.order_by(boards.c.touched_at, boards.c.id).limit(1))).scalar_one_or_none()
    if oldest is None:
        raise TooManyTrees
    await connection.execute(delete(boards).where(boards.c.id == oldest))


def _to_tried(row: RowMapping) -> StoredTree:
    return StoredTree(**row)
