"""Lessons: who was offered one and how far they are. A lesson is never a game and counts nowhere."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import BindParameter, RowMapping, bindparam, delete, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import insert_if_new
from storage.errors import Conflict
from storage.events import mark_processed
from storage.prepared import Prepared
from storage.repository import Repository
from storage.rows import Json, Lesson, ProcessedEvent
from storage.schema import games, lessons, results, seats

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
        query = select(results.c.person).where(results.c.person.in_(people), results.c.game_key == game).distinct()
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
            query = select(lessons).where(lessons.c.person == person, lessons.c.game_key == game)
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
    theirs = select(lessons.c.game_key).where(lessons.c.person == gone)
    offered = (lessons.c.person == remaining, lessons.c.step == "", lessons.c.game_key.in_(theirs))
    await connection.execute(delete(lessons).where(*offered))
    known = select(lessons.c.game_key).where(lessons.c.person == remaining)
    await connection.execute(delete(lessons).where(lessons.c.person == gone, lessons.c.game_key.in_(known)))
    await connection.execute(update(lessons).where(lessons.c.person == gone).values(person=remaining))


async def _insert(connection: AsyncConnection, person: int, game: str, at: datetime) -> None:
    values: Json = {"person": person, "game_key": game, "revision": 0, "step": "", "state": {}, "touched_at": at}
    await insert_if_new(connection, lessons, values)


def _to_lesson(row: RowMapping) -> Lesson:
    return Lesson(**{"game" if name == "game_key" else name: value for name, value in row.items()})
