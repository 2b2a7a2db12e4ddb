"""Analysis boards: one tree of tried lines per person and game, never part of the game itself."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.errors import Conflict, StorageError
from storage.events import mark_processed
from storage.repository import Repository
from storage.rows import Json, ProcessedEvent
from storage.schema import analysis_boards as boards
from storage.schema import games


class TooManyTrees(StorageError):
    """A person has the maximum number of analysis boards, all in unfinished games."""

    default = "too-many-tries"


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A person's tree of lines in a game; `id` is None before it was stored.

    `revision` counts its changes, `tree` is read by `bot/tables/tree.py`, `planned` says that a part of it is a plan
    that plays itself.
    """

    person: int
    game: str
    tree: Json = field(default_factory=dict)
    revision: int = 0
    planned: bool = False
    id: int | None = None
    touched_at: datetime | None = None


class AnalysisTrees(Repository):
    """Queries and commands for analysis boards; a person has at most one per game."""

    async def get(self, person: int, game: str) -> StoredTree | None:
        """Return a person's tree in a game, None if there is none."""
        return next(iter(await self._read_trees(boards.c.person == person, boards.c.game == game)), None)

    async def list_for_person(self, person: int) -> list[StoredTree]:
        """Return all trees of a person, last used first."""
        return await self._read_trees(boards.c.person == person)

    async def list_plans(self, game: str) -> list[StoredTree]:
        """Return the trees of a game that contain plans, without those whose count of changes is damaged.

        Within a transaction, the game and the trees are locked until its end.
        """
        query = select(boards).where(boards.c.game == game, boards.c.planned).order_by(boards.c.id)
        async with self._database.transaction() as connection:
            await connection.execute(select(games.c.id).where(games.c.id == game).with_for_update())
            rows = (await connection.execute(query.with_for_update())).mappings()
            return [_to_tried(row) for row in rows if isinstance(row["revision"], int)]

    async def store(
        self,
        tried: StoredTree,
        at: datetime,
        most: int,
        processed: ProcessedEvent | None = None,
        *,
        game_at: int | None = None,
    ) -> StoredTree:
        """Store a tree and return it; Conflict if it has changed since, AlreadyProcessed.

        With `game_at` the game must still be at that revision, else Conflict: a plan must not come too late. If a
        person has more than `most` trees, the one of a finished game that was not used for the longest time is deleted;
        TooManyTrees if there is none.
        """
        values: Json = {"revision": tried.revision + 1, "tree": tried.tree, "planned": tried.planned, "touched_at": at}
        async with self._database.transaction() as connection:
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
        """Delete a tree; Conflict if it has changed since, AlreadyProcessed."""
        where = (boards.c.id == tried.id, boards.c.revision == tried.revision)
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            if (await connection.execute(delete(boards).where(*where))).rowcount != 1:
                raise Conflict(tried.game, tried.revision)

    async def delete_expired(self, before: datetime) -> int:
        """Delete the trees of games that ended before a time and that were not used since; return their number."""
        over = select(games.c.id).where(
            games.c.id == boards.c.game, games.c.status == "over", games.c.ended_at < before
        )
        query = delete(boards).where(boards.c.touched_at < before, over.exists())
        return await self._write(query)

    async def _read_trees(self, *where: ColumnElement[bool]) -> list[StoredTree]:
        query = select(boards).where(*where).order_by(boards.c.touched_at.desc(), boards.c.id.desc())
        return await self._read_all(query, _to_tried)


async def transfer_trees(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the trees of a person to another. Of two in one game, the one with plans stays, or the last used."""
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
    """Delete the oldest tree of a finished game if a person has the maximum number; TooManyTrees."""
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
