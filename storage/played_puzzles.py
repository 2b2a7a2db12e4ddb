"""Puzzles made from games that people have played here, all of whom have agreed to that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import delete, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository, insert_if_new
from storage.puzzle_schema import attempts, played_puzzles, puzzle_sources
from storage.puzzles import drop_attempts
from storage.rows import Json
from storage.schema import games, people, seats

PUZZLES_SETTING: Final = "puzzles"
"""Kept under this name in a person's settings: whether positions of their games may become puzzles."""


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
        """Return games of some kinds that are over, were not looked through, and whose people have all agreed."""
        everybody = select(people.c.id, people.c.settings).where(people.c.name != "")
        looked = select(puzzle_sources.c.game)
        query = select(games.c.id, seats.c.person).join(seats, seats.c.game == games.c.id)
        query = query.where(
            games.c.status == "over",
            games.c.game.in_(game_keys),
            games.c.id.not_in(looked),
            seats.c.seat.is_not(None),
            seats.c.person.is_not(None),
        )
        async with self._database.read_snapshot() as connection:
            rows = (await connection.execute(everybody)).all()
            agreed = {row.id for row in rows if row.settings.get(PUZZLES_SETTING) is True}
            if not agreed:
                return []
            players: dict[str, list[int]] = {}
            for game, person in (await connection.execute(query.order_by(games.c.ended_at, games.c.id))).all():
                players.setdefault(game, []).append(person)
        return [game for game, who in players.items() if agreed.issuperset(who)][:limit]

    async def add(self, game: str, found: Sequence[PlayedPuzzle], at: datetime) -> bool:
        """Note that a game was looked through and store its puzzles; say whether all who play still agree to it."""
        async with self._database.transaction() as connection:
            query = select(people.c.settings, people.c.name).join(seats, seats.c.person == people.c.id)
            query = query.where(seats.c.game == game, seats.c.seat.is_not(None)).with_for_update(of=people)
            for row in (await connection.execute(query)).all():
                if not row.name or row.settings.get(PUZZLES_SETTING) is not True:
                    return False
            await insert_if_new(connection, puzzle_sources, {"game": game, "looked_at": at})
            for each in found:
                row_of = {"id": each.id, "game": game, "game_key": each.game_key, "data": each.data, "made_at": at}
                await insert_if_new(connection, played_puzzles, row_of)
        return True

    async def get(self, puzzle: str) -> PlayedPuzzle | None:
        """Return the puzzle with an id, None if there is none."""
        query = select(played_puzzles).where(played_puzzles.c.id == puzzle)
        async with self._database.read_autocommit() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else PlayedPuzzle(row.id, row.game, row.game_key, row.data)

    async def list_untried(self, person: int, game_key: str | None, limit: int) -> list[PlayedPuzzle]:
        """Return puzzles that somebody has not begun, from games that they do not play in, the newest first."""
        tried = select(attempts.c.puzzle).where(attempts.c.person == person)
        mine = select(seats.c.game).where(seats.c.person == person)
        query = select(played_puzzles).where(played_puzzles.c.id.not_in(tried), played_puzzles.c.game.not_in(mine))
        if game_key is not None:
            query = query.where(played_puzzles.c.game_key == game_key)
        query = query.order_by(played_puzzles.c.made_at.desc(), played_puzzles.c.id).limit(limit)
        async with self._database.read_autocommit() as connection:
            rows = (await connection.execute(query)).all()
        return [PlayedPuzzle(row.id, row.game, row.game_key, row.data) for row in rows]

    async def withdraw(self, person: int) -> None:
        """Delete the puzzles from games in which somebody plays who does not agree any more."""
        async with self._database.transaction() as connection:
            await drop_played_puzzles(connection, [person])


async def drop_played_puzzles(connection: AsyncConnection, everybody: Collection[int]) -> None:
    """Delete the puzzles from the games of people, with what others have done on them."""
    known = or_(people.c.id.in_(everybody), people.c.merged_into.in_(everybody))
    theirs = select(seats.c.game).join(people, people.c.id == seats.c.person).where(known)
    query = select(played_puzzles.c.id).where(played_puzzles.c.game.in_(theirs))
    gone = (await connection.execute(query)).scalars().all()
    begun = select(attempts.c.id).where(attempts.c.puzzle.in_(gone))
    await drop_attempts(connection, (await connection.execute(begun)).scalars().all())
    await connection.execute(delete(played_puzzles).where(played_puzzles.c.id.in_(gone)))
    await connection.execute(delete(puzzle_sources).where(puzzle_sources.c.game.in_(theirs)))
