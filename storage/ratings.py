"""Ratings, and the titles that people have won."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_schema import titles
from storage.database import Repository, insert_if_new
from storage.games import build_standings_query
from storage.rows import PEOPLE_POOL, Mark, Rating, Result, Standing
from storage.schema import game_places, people, places, ratings, results

_RATING_COLUMNS = list(ratings.c)
_IS_RATED: Final = (results.c.rated, results.c.pool == PEOPLE_POOL, results.c.mu.is_not(None))


class Ratings(Repository):
    """Queries and commands for ratings."""

    async def lock_for_update(
        self, persons: Collection[int], game_key: str, pool: str = PEOPLE_POOL
    ) -> dict[int, Rating]:
        """Return people's ratings, locked until the end of the transaction this is called in."""
        async with self._database.transaction() as connection:
            # The people are locked, since a first rating has no row yet; always in the same order.
            held = select(people.c.id).where(people.c.id.in_(sorted(set(persons)))).order_by(people.c.id)
            await connection.execute(held.with_for_update())
            query = select(*_RATING_COLUMNS).where(ratings.c.person.in_(sorted(set(persons))))
            query = query.where(ratings.c.game_key == game_key, ratings.c.pool == pool)
            return {row["person"]: Rating(**row) for row in (await connection.execute(query)).mappings()}

    async def list_for_people(self, persons: Collection[int]) -> list[Rating]:
        """Return all ratings of people, by person, game and pool."""
        query = select(*_RATING_COLUMNS).where(ratings.c.person.in_(sorted(set(persons))))
        query = query.order_by(ratings.c.person, ratings.c.game_key, ratings.c.pool)
        return await self._read_rows(query, Rating)

    async def best(self, game_key: str, *, least: int = 1, limit: int = 100, pool: str = PEOPLE_POOL) -> list[Rating]:
        """Return the best ratings of a game (mu - 3 sigma) among those with a minimum number of games."""
        query = select(*_RATING_COLUMNS).join(people, people.c.id == ratings.c.person)
        query = query.where(ratings.c.game_key == game_key, ratings.c.pool == pool, people.c.merged_into.is_(None))
        query = query.where(ratings.c.wins + ratings.c.draws + ratings.c.losses >= least)
        query = query.order_by((ratings.c.mu - 3 * ratings.c.sigma).desc(), ratings.c.person).limit(limit)
        return await self._read_rows(query, Rating)

    async def results_of_person(self, person: int, game_key: str | None = None, limit: int = 1000) -> list[Result]:
        """Return the newest results of a person."""
        query = select(results).filter_by(person=person)
        if game_key is not None:
            query = query.filter_by(game_key=game_key)
        query = query.order_by(results.c.ended_at.desc(), results.c.game.desc()).limit(limit)
        return (await self._read_rows(query, Result))[::-1]

    async def list_standings_in_group(
        self,
        platform: str,
        group: str,
        game_key: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Standing]:
        """Return everyone's rated results in all places of a server or group: most wins first, then most draws."""
        inside = select(game_places.c.game).join(places, places.c.id == game_places.c.place)
        inside = inside.where(places.c.platform == platform, places.c.group_id == group)
        return await self._read_standings(
            build_standings_query(since, until).where(results.c.game.in_(inside)), game_key
        )

    async def list_standings_between(
        self, since: datetime, until: datetime | None = None, game_key: str | None = None, limit: int = 100
    ) -> list[Standing]:
        """Return everyone's rated results within a time span, wherever played: most wins first."""
        return await self._read_standings(build_standings_query(since, until).limit(limit), game_key)

    async def _read_standings(self, query: Select[*tuple[Any, ...]], game_key: str | None) -> list[Standing]:
        query = query.where(results.c.pool == PEOPLE_POOL)
        if game_key is not None:
            query = query.where(results.c.game_key == game_key)
        return await self._read_rows(query, Standing)

    async def rated_between(self, persons: Collection[int], since: datetime, until: datetime) -> list[Result]:
        """Return the rated results of people among people within a time span, in the order in which the games ended."""
        query = select(results).where(results.c.person.in_(sorted(set(persons))), *_IS_RATED)
        query = query.where(results.c.ended_at >= since, results.c.ended_at < until)
        query = query.order_by(results.c.ended_at, results.c.game, results.c.seat)
        return await self._read_rows(query, Result)

    async def before(self, persons: Collection[int], at: datetime) -> dict[tuple[int, str], tuple[float, float, int]]:
        """Return people's ratings (mu and sigma) and numbers of rated games at a time, by person and game."""
        columns = (results.c.person, results.c.game_key)
        newest = func.row_number().over(
            partition_by=columns, order_by=(results.c.ended_at.desc(), results.c.game.desc())
        )
        counted = func.count().over(partition_by=columns)
        inner = select(*columns, results.c.mu, results.c.sigma, newest.label("newest"), counted.label("played"))
        inner = inner.where(results.c.person.in_(sorted(set(persons))), *_IS_RATED, results.c.ended_at < at)
        each = inner.subquery()
        query = select(each).filter_by(newest=1)
        async with self._database.read_autocommit() as connection:
            return {
                (row["person"], row["game_key"]): (row["mu"], row["sigma"], row["played"])
                for row in (await connection.execute(query)).mappings()
                if None not in (row["mu"], row["sigma"])
            }

    async def count_marks(self, person: int, pool: str) -> dict[str, dict[Mark, int]]:
        """Return how often a person won, drew and lost in a pool, by game and mark."""
        query = select(results.c.game_key, results.c.mark, func.count()).group_by(results.c.game_key, results.c.mark)
        query = query.filter_by(person=person, pool=pool)
        query = query.where(results.c.game.not_in(_games_with_two_seats(person)))
        found: dict[str, dict[Mark, int]] = {}
        async with self._database.read_autocommit() as connection:
            for key, mark, count in (await connection.execute(query)).all():
                found.setdefault(key, {})[mark] = count
        return found

    async def head_to_head(self, person: int, other: int) -> list[tuple[Result, Result]]:
        """Return the results of two people in the games that both played, in the order in which these ended."""
        theirs = results.alias("theirs")
        query = select(results, *[column.label(f"other_{column.name}") for column in theirs.c])
        query = query.join(theirs, and_(theirs.c.game == results.c.game, theirs.c.person == other))
        query = query.where(results.c.person == person, results.c.game.not_in(_games_with_two_seats(person, other)))
        query = query.order_by(results.c.ended_at, results.c.game)
        async with self._database.read_autocommit() as connection:
            found = []
            for row in (await connection.execute(query)).mappings():
                mine = {name: value for name, value in row.items() if not name.startswith("other_")}
                other_s = {name[6:]: value for name, value in row.items() if name.startswith("other_")}
                found.append((Result(**mine), Result(**other_s)))
            return found


def _games_with_two_seats(*persons: int) -> Select[tuple[str]]:
    """Return the games in which one of some people has two seats, since the accounts were linked later.

    Such games count for neither account.
    """
    query = select(results.c.game).where(results.c.person.in_(persons))
    return query.group_by(results.c.game, results.c.person).having(func.count() > 1)


@dataclass(frozen=True, slots=True)
class NewTitle:
    """A title of a person: its kind, game, `source` (a competition or a place) and `period`."""

    person: int
    kind: str
    game_key: str
    source: str
    period: str


@dataclass(frozen=True, slots=True)
class Title(NewTitle):
    """A title with the time when it was won."""

    earned_at: datetime


class Titles(Repository):
    """Queries and commands for titles."""

    async def award(self, given: Sequence[NewTitle], at: datetime) -> None:
        """Award titles to people, each once."""
        async with self._database.transaction() as connection:
            await store_titles(connection, given, at)

    async def list_for_person(self, person: int) -> list[Title]:
        """Return the titles of a person, newest first."""
        columns = [titles.c[name] for name in ("person", "kind", "game_key", "source", "period", "earned_at")]
        query = select(*columns).where(titles.c.person == person).order_by(titles.c.earned_at.desc(), titles.c.id)
        return await self._read_rows(query, Title)


async def store_titles(connection: AsyncConnection, given: Sequence[NewTitle], at: datetime) -> None:
    """Store titles that people do not have yet, within a transaction."""
    for each in given:
        await insert_if_new(connection, titles, asdict(each) | {"original": each.person, "earned_at": at})


async def transfer_titles(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the titles of a person to another; one that both have stays once."""
    mine = titles.alias("remaining")
    keys = ("kind", "game_key", "source", "period")
    same = select(mine.c.id).where(*(mine.c[key] == titles.c[key] for key in keys)).filter_by(person=remaining)
    await connection.execute(delete(titles).where(same.exists()).filter_by(person=gone))
    await connection.execute(update(titles).filter_by(person=gone).values(person=remaining))


async def restore_titles(connection: AsyncConnection, person: int, own: int) -> None:
    """Restore the titles that a person had won before they were merged."""
    query = update(titles).filter_by(person=person, original=own)
    await connection.execute(query.values(person=own))


async def forget_titles(connection: AsyncConnection, people: Collection[int]) -> None:
    """Delete the titles of forgotten people."""
    await connection.execute(delete(titles).where(titles.c.person.in_(people) | titles.c.original.in_(people)))
