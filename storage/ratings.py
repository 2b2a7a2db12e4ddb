"""How well people play."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import and_, func, select

from storage.database import Repository
from storage.rows import PEOPLE_POOL, Mark, Rating, Result, Standing
from storage.schema import game_places, people, places, ratings, results

_RATING_COLUMNS = list(ratings.c)


class Ratings(Repository):
    """The verbs about ratings."""

    async def lock_for_update(
        self, persons: Collection[int], game_key: str, pool: str = PEOPLE_POOL
    ) -> dict[int, Rating]:
        """Return the ratings that people have, held until the end of the transaction this is called in."""
        async with self._database.transaction() as connection:
            # The people themselves are held, since a first rating has no row yet; always in one order.
            held = select(people.c.id).where(people.c.id.in_(sorted(set(persons)))).order_by(people.c.id)
            await connection.execute(held.with_for_update())
            query = select(*_RATING_COLUMNS).where(ratings.c.person.in_(sorted(set(persons))))
            query = query.where(ratings.c.game_key == game_key, ratings.c.pool == pool)
            return {row["person"]: Rating(**row) for row in (await connection.execute(query)).mappings()}

    async def list_for_people(self, persons: Collection[int]) -> list[Rating]:
        """Return all ratings of people, by person, game and pool."""
        query = select(*_RATING_COLUMNS).where(ratings.c.person.in_(sorted(set(persons))))
        query = query.order_by(ratings.c.person, ratings.c.game_key, ratings.c.pool)
        async with self._database.read_autocommit() as connection:
            return [Rating(**row) for row in (await connection.execute(query)).mappings()]

    async def best(self, game_key: str, *, least: int = 1, limit: int = 100, pool: str = PEOPLE_POOL) -> list[Rating]:
        """Return the best ratings of a game (mu - 3 sigma) after at least so many games."""
        query = select(*_RATING_COLUMNS).join(people, people.c.id == ratings.c.person)
        query = query.where(ratings.c.game_key == game_key, ratings.c.pool == pool, people.c.merged_into.is_(None))
        query = query.where(ratings.c.wins + ratings.c.draws + ratings.c.losses >= least)
        query = query.order_by((ratings.c.mu - 3 * ratings.c.sigma).desc(), ratings.c.person).limit(limit)
        async with self._database.read_autocommit() as connection:
            return [Rating(**row) for row in (await connection.execute(query)).mappings()]

    async def results_of_person(self, person: int, game_key: str | None = None, limit: int = 1000) -> list[Result]:
        """Return the newest results of a person in the order of the games' ends."""
        query = select(results).where(results.c.person == person)
        if game_key is not None:
            query = query.where(results.c.game_key == game_key)
        query = query.order_by(results.c.ended_at.desc(), results.c.game.desc()).limit(limit)
        async with self._database.read_autocommit() as connection:
            found = [Result(**row) for row in (await connection.execute(query)).mappings()]
        return found[::-1]

    async def standings_in_group(self, platform: str, group: str, game_key: str | None = None) -> list[Standing]:
        """Return everybody's rated results in all places of a server or group: most wins first, then most draws."""
        inside = select(game_places.c.game).join(places, places.c.id == game_places.c.place)
        inside = inside.where(places.c.platform == platform, places.c.group_id == group)
        counts = [
            func.count().filter(results.c.mark == mark).label(name)
            for mark, name in (("win", "wins"), ("draw", "draws"), ("loss", "losses"))
        ]
        query = select(results.c.person, people.c.name, func.count().label("played"), *counts)
        query = query.join(people, people.c.id == results.c.person)
        query = query.where(results.c.game.in_(inside), results.c.rated, results.c.pool == PEOPLE_POOL)
        if game_key is not None:
            query = query.where(results.c.game_key == game_key)
        query = query.group_by(results.c.person, people.c.name)
        query = query.order_by(counts[0].desc(), counts[1].desc(), counts[2], results.c.person)
        async with self._database.read_autocommit() as connection:
            return [Standing(**row) for row in (await connection.execute(query)).mappings()]

    async def count_marks(self, person: int, pool: str) -> dict[str, dict[Mark, int]]:
        """Return how often somebody won, drew and lost each game in a pool, by game and mark."""
        query = select(results.c.game_key, results.c.mark, func.count()).group_by(results.c.game_key, results.c.mark)
        query = query.where(results.c.person == person, results.c.pool == pool)
        found: dict[str, dict[Mark, int]] = {}
        async with self._database.read_autocommit() as connection:
            for key, mark, count in (await connection.execute(query)).all():
                found.setdefault(key, {})[mark] = count
        return found

    async def head_to_head(self, person: int, other: int) -> list[tuple[Result, Result]]:
        """Return the results of two people in the games that both played, in the order of the games' ends."""
        theirs = results.alias("theirs")
        query = select(results, *[column.label(f"other_{column.name}") for column in theirs.c])
        query = query.join(theirs, and_(theirs.c.game == results.c.game, theirs.c.person == other))
        query = query.where(results.c.person == person).order_by(results.c.ended_at, results.c.game)
        async with self._database.read_autocommit() as connection:
            found = []
            for row in (await connection.execute(query)).mappings():
                mine = {name: value for name, value in row.items() if not name.startswith("other_")}
                other_s = {name[6:]: value for name, value in row.items() if name.startswith("other_")}
                found.append((Result(**mine), Result(**other_s)))
            return found
