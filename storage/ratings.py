"""Ratings, and the titles that people have won."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final, TypedDict, Unpack

from sqlalchemy import Select, func, select

from storage.columns import AnySelect, Condition
from storage.competition_schema import NewTitle, Title, titles
from storage.database import Repository, given
from storage.games import is_ended_between, is_result_shown_in
from storage.rows import Standing
from storage.schema import (
    PEOPLE_POOL,
    SLOW,
    Mark,
    Pace,
    Rating,
    Result,
    game_places,
    people,
    places,
    ratings,
    results,
)

_MAX_STANDINGS: Final = 100
"""Maximum number of standings without a scope."""
_IS_RATED: Final = (results.rated, results.pool == PEOPLE_POOL, results.mu.is_not(None))


class Scope(TypedDict, total=False):
    """The games of a place, or of all places of a `group` (a platform and the id of a server or group)."""

    place: int
    group: tuple[str, str]


class Ratings(Repository):
    """Queries and commands for ratings."""

    async def lock_for_update(
        self, persons: Collection[int], game_key: str, pool: str = PEOPLE_POOL, pace: Pace = SLOW
    ) -> dict[int, Rating]:
        """Return people's ratings, locked until the end of the current transaction."""
        async with self._transaction() as connection:
            # The people are locked, since a first rating has no row yet; always in the same order, against deadlocks.
            held = select(people.id).where(people.id.in_(sorted(set(persons)))).order_by(people.id)
            await connection.execute(held.with_for_update())
            mine = ratings.person.in_(sorted(set(persons)))
            found = await self._list(Rating, mine, game_key=game_key, pool=pool, pace=pace)
            return {each.person: each for each in found}

    async def list_for_people(self, persons: Collection[int]) -> list[Rating]:
        """Return all ratings of people, ordered by person, game and pool, slow before live."""
        mine = ratings.person.in_(sorted(set(persons)))
        return await self._list(
            Rating, mine, order=[ratings.person, ratings.game_key, ratings.pool, ratings.pace.desc()]
        )

    async def best(
        self, game_key: str, *, least: int = 1, limit: int = 100, pool: str = PEOPLE_POOL, pace: Pace = SLOW
    ) -> list[Rating]:
        """Return the best ratings of a game (mu - 3 sigma) among those with a minimum number of games."""
        best = select_best(ratings, least=least).filter_by(game_key=game_key, pool=pool, pace=pace, merged_into=None)
        return await self._read_rows(best.limit(limit), Rating)

    async def results_of_person(self, person: int, game_key: str | None = None, limit: int = 1000) -> list[Result]:
        """Return the newest results of a person."""
        newest = (results.ended_at.desc(), results.game.desc())
        where = given(person=person, game_key=game_key)
        return (await self._list(Result, order=newest, limit=limit, **where))[::-1]

    async def standings(
        self,
        game_key: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        pace: Pace = SLOW,
        **scope: Unpack[Scope],
    ) -> list[Standing]:
        """Return everyone's rated results at a pace, in one game or in all: most wins first, then most draws.

        Without a scope games of all places count, and only the best people are listed.
        """
        wins, draws, losses = (func.count().filter(results.mark == mark) for mark in ("win", "draw", "loss"))
        counts = (wins.label("wins"), draws.label("draws"), losses.label("losses"))
        return await self._read_rows(
            select(results.person, people.name, func.count().label("played"), *counts)
            .join(people, people.id == results.person)
            .where(*is_ended_between(since, until), *_counts_in(game_key, pace, **scope))
            .group_by(results.person, people.name)
            .order_by(wins.desc(), draws.desc(), losses, results.person)
            .limit(None if scope else _MAX_STANDINGS),
            Standing,
        )

    async def rated_between(self, persons: Collection[int], since: datetime, until: datetime) -> list[Result]:
        """Return people's rated results against people within a time span, in the order in which the games ended."""
        return await self._list(
            Result,
            results.person.in_(sorted(set(persons))),
            *_IS_RATED,
            *is_ended_between(since, until),
            order=["ended_at", "game", "seat"],
        )

    async def before(
        self, persons: Collection[int], at: datetime
    ) -> dict[tuple[int, str, Pace], tuple[float, float, int]]:
        """Return people's ratings (mu and sigma) and numbers of rated games at a time, by person, game and pace."""
        columns = (results.person, results.game_key, results.pace)
        newest = func.row_number().over(partition_by=columns, order_by=(results.ended_at.desc(), results.game.desc()))
        counted = func.count().over(partition_by=columns)
        rated = (
            select(*columns, results.mu, results.sigma, newest.label("newest"), counted.label("played"))
            .where(results.person.in_(sorted(set(persons))), *_IS_RATED, results.ended_at < at)
            .subquery()
        )
        return {
            (row.person, row.game_key, row.pace): (row.mu, row.sigma, row.played)
            for row in await self._read(select(rated).filter_by(newest=1))
            if None not in (row.mu, row.sigma)
        }

    async def count_marks(self, person: int, pool: str) -> dict[str, dict[Mark, int]]:
        """Return the number of a person's results in a pool, by game and mark."""
        query = (
            select(results.game_key, results.mark, func.count())
            .group_by(results.game_key, results.mark)
            .filter_by(person=person, pool=pool)
            .where(results.game.not_in(_games_with_two_seats(person)))
        )
        found: dict[str, dict[Mark, int]] = {}
        for key, mark, count in await self._read(query):
            found.setdefault(key, {})[mark] = count
        return found

    async def head_to_head(self, person: int, other: int) -> list[tuple[Result, Result]]:
        """Return the results of two people in their common games, by the ids of the games."""
        # In one statement, so that no game that ends meanwhile has only one of its results here.
        found = await self._list(
            Result,
            *(results.game.in_(select(results.game).filter_by(person=each)) for each in (person, other)),
            results.game.not_in(_games_with_two_seats(person, other)),
            results.person.in_((person, other)),
            order=["game"],
        )
        mine, theirs = ([each for each in found if each.person == who] for who in (person, other))
        return list(zip(mine, theirs, strict=True))


def _counts_in(
    game_key: str | None, pace: Pace, *, place: int | None = None, group: tuple[str, str] | None = None
) -> list[Condition]:
    """Return the conditions for rated results at a pace; games with computers count only in a place."""
    found = [results.rated, results.pace == pace]
    if game_key is not None:
        found.append(results.game_key == game_key)
    found.append(results.pool == PEOPLE_POOL if place is None else is_result_shown_in(place))
    if group is not None:
        inside = select(game_places.game).join(places).filter_by(platform=group[0], group_id=group[1])
        found.append(results.game.in_(inside))
    return found


def _games_with_two_seats(*persons: int) -> Select[tuple[str]]:
    """Return the games in which one of some people has two seats, because accounts were linked later.

    Such games count for neither account.
    """
    return (
        select(results.game)
        .where(results.person.in_(persons))
        .group_by(results.game, results.person)
        .having(func.count() > 1)
    )


def select_best(*columns: Any, least: int) -> AnySelect:
    """Return the query for columns of ratings with a minimum number of games, the best (mu - 3 sigma) first."""
    return (
        select(*columns)
        .join(people)
        .where(ratings.wins + ratings.draws + ratings.losses >= least)
        .order_by((ratings.mu - 3 * ratings.sigma).desc(), ratings.person)
    )


class Titles(Repository):
    """Queries and commands for titles."""

    async def award(self, given: Sequence[NewTitle], at: datetime) -> None:
        """Award titles to people, each once."""
        async with self._transaction():
            for each in given:
                await self._insert_if_new(titles, asdict(each) | {"original": each.person, "earned_at": at})

    async def list_for_person(self, person: int) -> list[Title]:
        """Return the titles of a person, newest first."""
        return await self._list(Title, person=person, order=[titles.earned_at.desc(), titles.id])
