"""Puzzles made from games that people have played here, all of whom have agreed to that."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from sqlalchemy import ColumnElement, delete, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import insert_if_new
from storage.puzzle_schema import attempts, played_puzzles, puzzle_sources
from storage.puzzles import drop_attempts
from storage.repository import Repository
from storage.rows import Json
from storage.schema import people, results

PUZZLES_SETTING: Final = "puzzles"
"""Kept under this name in a person's settings: whether positions of their games may become puzzles."""
_BATCH_ROWS: Final = 500


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PlayedPuzzle:
    """A puzzle as it is written, and the game that it comes from."""

    id: str
    game: str
    game_key: str
    data: Json


class PlayedPuzzles(Repository):
    """The verbs about puzzles from games played here; they go as soon as one who played takes their consent back."""

    async def list_sources(self, game_keys: Collection[str], limit: int) -> list[str]:
        """Return games of some kinds that are over, were not looked through, and whose people all agree."""
        new = ~exists().where(puzzle_sources.c.game == results.c.game)
        found: dict[str, datetime] = {}
        others: set[str] = set()
        async with self._database.read_snapshot() as connection:
            agreed = await _who_agreed(connection)
            for some in _split(sorted(agreed)):
                query = select(results.c.game, results.c.ended_at)
                query = query.where(results.c.person.in_(some), results.c.game_key.in_(game_keys), new)
                found |= {row.game: row.ended_at for row in (await connection.execute(query)).all()}
            for codes in _split(list(found)):
                who = select(results.c.game, results.c.person).where(results.c.game.in_(codes))
                rows = (await connection.execute(who)).all()
                others |= {row.game for row in rows if row.person is not None and row.person not in agreed}
        return sorted(found.keys() - others, key=lambda code: (found[code], code))[:limit]

    async def add(self, game: str, found: Sequence[PlayedPuzzle], at: datetime) -> bool:
        """Note that a game was looked through and store its puzzles; say whether all who play still agree to it."""
        async with self._database.transaction() as connection:
            query = select(people.c.settings, people.c.name).join(results, results.c.person == people.c.id)
            query = query.where(results.c.game == game).with_for_update(of=people)
            for row in (await connection.execute(query)).all():
                if not row.name or row.settings.get(PUZZLES_SETTING) is not True:
                    return False
            await insert_if_new(connection, puzzle_sources, {"game": game, "looked_at": at})
            for each in found:
                row_of = {"id": each.id, "game": game, "game_key": each.game_key, "data": each.data, "made_at": at}
                await insert_if_new(connection, played_puzzles, row_of)
        return True

    async def get(self, puzzle: str, person: int) -> PlayedPuzzle | None:
        """Return the puzzle with an id for somebody who did not play in its game, None if there is none."""
        return next(iter(await self._list(played_puzzles.c.id == puzzle, person, 1)), None)

    async def list_untried(self, person: int, game_key: str | None, limit: int) -> list[PlayedPuzzle]:
        """Return puzzles that somebody has not begun, from games that they do not play in, the newest first."""
        tried = select(attempts.c.puzzle).where(attempts.c.person == person)
        where: ColumnElement[bool] = played_puzzles.c.id.not_in(tried)
        if game_key is not None:
            where &= played_puzzles.c.game_key == game_key
        return await self._list(where, person, limit)

    async def withdraw(self, person: int) -> None:
        """Delete the puzzles from games in which somebody plays who does not agree any more."""
        async with self._database.transaction() as connection:
            await drop_played_puzzles(connection, [person])

    async def _list(self, where: ColumnElement[bool], person: int, limit: int) -> list[PlayedPuzzle]:
        mine = select(results.c.game).where(results.c.person == person)
        query = select(played_puzzles).where(where, played_puzzles.c.game.not_in(mine))
        query = query.order_by(played_puzzles.c.made_at.desc(), played_puzzles.c.id).limit(limit)
        async with self._database.read_autocommit() as connection:
            rows = (await connection.execute(query)).all()
        return [PlayedPuzzle(row.id, row.game, row.game_key, row.data) for row in rows]


async def drop_without_consent(connection: AsyncConnection, person: int) -> None:
    """Delete the puzzles from the games that somebody has now, if they do not agree: linking moves games."""
    settings = (await connection.execute(select(people.c.settings).where(people.c.id == person))).scalar_one_or_none()
    if settings is None or settings.get(PUZZLES_SETTING) is not True:
        await drop_played_puzzles(connection, [person])


def _split(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield values in lists short enough for one statement."""
    for at in range(0, len(values), _BATCH_ROWS):
        yield values[at : at + _BATCH_ROWS]


async def _who_agreed(connection: AsyncConnection) -> set[int]:
    agreed, last = set[int](), 0
    while True:
        query = select(people.c.id, people.c.name, people.c.settings).where(people.c.id > last)
        rows = (await connection.execute(query.order_by(people.c.id).limit(_BATCH_ROWS))).all()
        if not rows:
            return agreed
        last = rows[-1].id
        agreed |= {row.id for row in rows if row.name and row.settings.get(PUZZLES_SETTING) is True}


async def drop_played_puzzles(connection: AsyncConnection, everybody: Collection[int]) -> None:
    """Delete the puzzles from the games of people, with what others have done on them."""
    theirs = select(results.c.game).where(results.c.person.in_(everybody))
    query = select(played_puzzles.c.id).where(played_puzzles.c.game.in_(theirs))
    gone = (await connection.execute(query)).scalars().all()
    begun = select(attempts.c.id).where(attempts.c.puzzle.in_(gone))
    await drop_attempts(connection, (await connection.execute(begun)).scalars().all())
    await connection.execute(delete(played_puzzles).where(played_puzzles.c.id.in_(gone)))
    await connection.execute(delete(puzzle_sources).where(puzzle_sources.c.game.in_(theirs)))
