"""A person's boards of their own: lessons, lines tried out, positions of their games worth another look."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    RowMapping,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository, insert_if_new
from storage.errors import Conflict, StorageError
from storage.events import mark_processed
from storage.puzzle_schema import own_moments
from storage.rows import Json, Lesson, ProcessedEvent
from storage.schema import analysis_boards as boards
from storage.schema import games, lessons, results, seats
from storage.sqlite import Prepared

_OF: Final[BindParameter[int]] = bindparam("of")
_OF_GAME: Final[BindParameter[str]] = bindparam("of_game")
_IS_KNOWN_TO: Final = Prepared(
    select(
        or_(
            exists().where(lessons.c.person == _OF, lessons.c.game_key == _OF_GAME),
            select(games.c.id)
            .join(seats, seats.c.game == games.c.id)
            .where(seats.c.person == _OF, seats.c.live, games.c.game == _OF_GAME, games.c.status == "playing")
            .exists(),
            exists().where(results.c.person == _OF, results.c.game_key == _OF_GAME),
        )
    )
)
_SELECT_LESSONS: Final = select(lessons).order_by(lessons.c.touched_at.desc(), lessons.c.id)
_LESSON: Final = Prepared(_SELECT_LESSONS.where(lessons.c.id == bindparam("value")))
_LESSONS_OF_PERSON: Final = Prepared(_SELECT_LESSONS.where(lessons.c.person == bindparam("value")))


class Lessons(Repository):
    """Queries and commands for lessons; a person has at most one per game."""

    async def get(self, lesson: int) -> Lesson | None:
        """Return a lesson, None if there is none with this number."""
        return await self._read_one(_LESSON, _to_lesson, {"value": lesson})

    async def list_for_person(self, person: int) -> list[Lesson]:
        """Return the lessons of a person, last used first."""
        return await self._read_all(_LESSONS_OF_PERSON, _to_lesson, {"value": person})

    async def is_new_to(self, person: int, game: str) -> bool:
        """Return whether a person has never played a game nor been offered a lesson in it."""
        return not await self._read_value(_IS_KNOWN_TO, {"of": person, "of_game": game})

    async def people_who_finished(self, people: Collection[int], game: str) -> set[int]:
        """Return those of some people who have finished a game of a kind."""
        query = select(results.c.person).where(results.c.person.in_(people)).filter_by(game_key=game).distinct()
        return set(await self._read_column(query))

    async def record_offer(self, person: int, game: str, at: datetime) -> None:
        """Record that a person was offered a lesson."""
        async with self._database.transaction() as connection:
            await _insert(connection, person, game, at)

    async def begin(self, person: int, game: str, at: datetime) -> Lesson:
        """Return a person's lesson in a game, creating it if necessary."""
        async with self._database.transaction() as connection:
            await _insert(connection, person, game, at)
            self._database.emit_after_commit("lessons", person)
            query = select(lessons).filter_by(person=person, game_key=game)
            return _to_lesson((await connection.execute(query)).mappings().one())

    async def update(self, lesson: Lesson, at: datetime, processed: ProcessedEvent | None = None) -> Lesson:
        """Store a change of a lesson and return it; Conflict if it has changed since, AlreadyProcessed."""
        values: Json = {name: getattr(lesson, name) for name in ("step", "state", "place", "finished_at")}
        values |= {"revision": lesson.revision + 1, "touched_at": at}
        where = (lessons.c.id == lesson.id, lessons.c.revision == lesson.revision)
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            query = update(lessons).where(*where).values(**values).returning(*lessons.c)
            row = (await connection.execute(query)).mappings().one_or_none()
            if row is None:
                raise Conflict("lesson", lesson.revision)
            self._database.emit_after_commit("lessons", row["person"])
            return _to_lesson(row)


async def transfer_lessons(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the lessons of a person to another, who keeps their own where both have one in a game."""
    theirs = select(lessons.c.game_key).filter_by(person=gone)
    offered = (lessons.c.person == remaining, lessons.c.step == "", lessons.c.game_key.in_(theirs))
    await connection.execute(delete(lessons).where(*offered))
    known = select(lessons.c.game_key).filter_by(person=remaining)
    await connection.execute(delete(lessons).where(lessons.c.game_key.in_(known)).filter_by(person=gone))
    await connection.execute(update(lessons).filter_by(person=gone).values(person=remaining))


async def _insert(connection: AsyncConnection, person: int, game: str, at: datetime) -> None:
    values: Json = {"person": person, "game_key": game, "revision": 0, "step": "", "state": {}, "touched_at": at}
    await insert_if_new(connection, lessons, values)


def _to_lesson(row: RowMapping) -> Lesson:
    return Lesson(**{"game" if name == "game_key" else name: value for name, value in row.items()})


_MAX_REVISION: Final = 2**31 - 1


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
        # Text and bytes, which only SQLite can hold there, are greater than any number.
        countable = boards.c.revision <= _MAX_REVISION
        query = select(boards).where(boards.c.planned, countable).filter_by(game=game).order_by(boards.c.id)
        async with self._database.transaction() as connection:
            await connection.execute(select(games.c.id).filter_by(id=game).with_for_update())
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
        """Store a tree and return it; Conflict if it has changed since, AlreadyProcessed.

        With `game_at` the game must still be at that revision, else Conflict: a plan must not come too late. If a
        person has more than `most` trees, the one of a finished game that was not used for the longest time is deleted;
        TooManyTrees if there is none.
        """
        values: Json = {"revision": tried.revision + 1, "tree": tried.tree, "planned": tried.planned, "touched_at": at}
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            if game_at is not None:
                held = select(games.c.revision).filter_by(id=tried.game).with_for_update()
                if (await connection.execute(held)).scalar_one_or_none() != game_at:
                    raise Conflict(tried.game, game_at)
            if tried.id is None:
                known = select(boards.c.id).filter_by(person=tried.person, game=tried.game)
                if (await connection.execute(known)).first() is not None:
                    raise Conflict(tried.game, tried.revision)
                await _make_room(connection, tried.person, most)
                values |= {"person": tried.person, "game": tried.game}
                row = (await connection.execute(insert(boards).values(**values).returning(*boards.c))).mappings().one()
                return _to_tried(row)
            query = update(boards).filter_by(id=tried.id, revision=tried.revision)
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
        over = select(games.c.id).where(games.c.id == boards.c.game, games.c.ended_at < before).filter_by(status="over")
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
            await connection.execute(delete(boards).filter_by(id=row.id))
        known.add(row.game)
    await connection.execute(update(boards).filter_by(person=gone).values(person=remaining))


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
    await connection.execute(delete(boards).filter_by(id=oldest))


def _to_tried(row: RowMapping) -> StoredTree:
    return StoredTree(**row)


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
            await connection.execute(delete(own_moments).filter_by(id=row.id))
        known.add((row.game, row.turn))
    await connection.execute(update(own_moments).filter_by(person=gone).values(person=remaining))


async def forget_own_moments(connection: AsyncConnection, everybody: Collection[int]) -> None:
    """Delete the moments of people."""
    await connection.execute(delete(own_moments).where(own_moments.c.person.in_(everybody)))
