"""Puzzles: what people have done on them, the days and places that counts for, and how hard they have proved to be."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, RowMapping, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository, insert_if_new, upsert
from storage.errors import Conflict
from storage.events import mark_processed
from storage.puzzle_schema import attempt_places, attempts, puzzle_days, puzzle_ratings, puzzles
from storage.rows import Json, ProcessedEvent
from storage.schema import people, places

PuzzleMark = Literal["clean", "errors", "hinted"]
"""How somebody has solved a puzzle: at once, after wrong turns, or with hints."""

SOLVED: Final = "solved"
GIVEN_UP: Final = "given-up"
"""How an attempt has ended; it goes on while neither stands there."""

_NEWEST_SOLVERS: Final = 3


@dataclass(frozen=True, slots=True)
class Attempt:
    """What somebody has done on a puzzle.

    `revision` counts its changes, `state` is read by `bot/puzzles/service.py`, `place` is where it goes on. `presses`,
    `wrong` turns and `hints` are counted until the first `result`, "solved" or "given-up"; `rated` says whether that
    counts, None until it is decided. `tried_at` is when the first turn was played.
    """

    id: int
    person: int
    puzzle: str
    game: str
    motif: str
    began_at: datetime
    touched_at: datetime
    state: Json = field(default_factory=dict)
    revision: int = 0
    presses: int = 0
    wrong: int = 0
    hints: int = 0
    result: str = ""
    place: int | None = None
    rated: bool | None = None
    tried_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def mark(self) -> PuzzleMark | None:
        """How the puzzle was solved, None if it was not."""
        return _marked(self.wrong, self.hints) if self.result == SOLVED else None


@dataclass(frozen=True, slots=True)
class PuzzleDay:
    """A calendar date on which somebody has solved the puzzle of that date, as YYYY-MM-DD, and how."""

    person: int
    day: str
    puzzle: str
    mark: PuzzleMark


@dataclass(frozen=True, slots=True)
class PuzzleRating:
    """How well a person solves the puzzles of a game (all of them under an empty key), after so many tries."""

    person: int
    game_key: str
    mu: float
    sigma: float
    tries: int = 0
    solved: int = 0


@dataclass(frozen=True, slots=True)
class PuzzleFigures:
    """How hard a puzzle has proved to be, and since when its solution may be read somewhere.

    Without a rating nobody's attempt has counted yet.
    """

    id: str
    mu: float | None = None
    sigma: float | None = None
    tries: int = 0
    solved: int = 0
    public_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Solver:
    """Somebody who has solved a puzzle, and how."""

    person: int
    name: str
    mark: PuzzleMark


@dataclass(frozen=True, slots=True)
class SolvedSummary:
    """How many have tried a puzzle, how many have solved it, and who did so last, the newest first."""

    tried: int
    solved: int
    newest: tuple[Solver, ...] = ()


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """On how many days somebody has solved a place's puzzles, and how often at once."""

    person: int
    name: str
    days: int
    clean: int


class Puzzles(Repository):
    """The verbs about puzzles; everybody has at most one attempt at each."""

    async def find_attempt(self, person: int, puzzle: str) -> Attempt | None:
        """Return what somebody has done on a puzzle, None if nothing."""
        return next(iter(await self._attempts(attempts.c.person == person, attempts.c.puzzle == puzzle)), None)

    async def get_attempt(self, attempt: int) -> Attempt | None:
        """Return an attempt, None if there is none with this number."""
        return next(iter(await self._attempts(attempts.c.id == attempt)), None)

    async def last_attempt(self, person: int) -> Attempt | None:
        """Return the attempt that somebody has touched last, None if they have none."""
        return next(iter(await self._attempts(attempts.c.person == person, limit=1)), None)

    async def list_attempts(self, person: int) -> list[Attempt]:
        """Return all attempts of a person, the last touched first."""
        return await self._attempts(attempts.c.person == person)

    async def begin_attempt(
        self,
        person: int,
        puzzle: str,
        game: str,
        motif: str,
        at: datetime,
        place: int,
        *,
        counts: bool = False,
        state: Json | None = None,
    ) -> Attempt:
        """Return the attempt of a person at a puzzle, a new one where there is none; it goes on in a place.

        `counts`: it is among those that the place tells of. `state` is what a new one begins with.
        """
        new = {
            "person": person,
            "puzzle": puzzle,
            "game_key": game,
            "motif": motif,
            "state": state or {},
            "began_at": at,
        }
        counted = dict.fromkeys(("revision", "presses", "wrong", "hints"), 0)
        where = (attempts.c.person == person, attempts.c.puzzle == puzzle)
        async with self._database.transaction() as connection:
            await insert_if_new(connection, attempts, {**new, **counted, "result": "", "touched_at": at})
            query = update(attempts).where(*where).values(place=place, touched_at=at).returning(*attempts.c)
            attempt = _to_attempt((await connection.execute(query)).mappings().one())
            if counts:
                await insert_if_new(connection, attempt_places, {"place": place, "attempt": attempt.id})
            self._database.emit_after_commit("attempts", person)
            return attempt

    async def update_attempt(
        self, attempt: Attempt, at: datetime, processed: ProcessedEvent | None = None, *, day: PuzzleDay | None = None
    ) -> Attempt:
        """Store a change of an attempt and return it as it is now; Moved if it has changed since, AlreadyProcessed.

        `day` is the date whose puzzle was solved in time.
        """
        names = ("state", "presses", "wrong", "hints", "result", "place", "rated", "tried_at", "ended_at")
        values: Json = {name: getattr(attempt, name) for name in names}
        values |= {"revision": attempt.revision + 1, "touched_at": at}
        where = (attempts.c.id == attempt.id, attempts.c.revision == attempt.revision)
        async with self._database.transaction() as connection:
            if processed is not None:
                await mark_processed(connection, processed, at)
            query = update(attempts).where(*where).values(**values).returning(*attempts.c)
            row = (await connection.execute(query)).mappings().one_or_none()
            if row is None:
                raise Conflict(attempt.puzzle, attempt.revision)
            if day is not None:
                solved_day = {"person": day.person, "day": day.day, "puzzle": day.puzzle, "mark": day.mark}
                await insert_if_new(connection, puzzle_days, solved_day)
            self._database.emit_after_commit("attempts", attempt.person)
            self._database.emit_after_commit("puzzle", attempt.puzzle)
            return _to_attempt(row)

    async def solved_days(self, person: int) -> list[PuzzleDay]:
        """Return the dates on which somebody has solved the puzzle of that date, the oldest first."""
        query = select(puzzle_days).where(puzzle_days.c.person == person).order_by(puzzle_days.c.day)
        async with self._database.read_autocommit() as connection:
            return [PuzzleDay(**row) for row in (await connection.execute(query)).mappings()]

    async def lock_ratings_for_update(self, person: int, puzzle: str) -> tuple[dict[str, PuzzleRating], PuzzleFigures]:
        """Return somebody's ratings by game and the figures of a puzzle, held until the end of the transaction."""
        async with self._database.transaction() as connection:
            await connection.execute(select(people.c.id).where(people.c.id == person).with_for_update())
            await insert_if_new(connection, puzzles, {"id": puzzle, "tries": 0, "solved": 0})
            held = select(puzzles).where(puzzles.c.id == puzzle).with_for_update()
            figures = PuzzleFigures(**(await connection.execute(held)).mappings().one())
            query = select(puzzle_ratings).where(puzzle_ratings.c.person == person)
            rows = (await connection.execute(query)).mappings()
            return {row["game_key"]: PuzzleRating(**row) for row in rows}, figures

    async def store_ratings(self, ratings: Sequence[PuzzleRating], figures: PuzzleFigures) -> None:
        """Store how well somebody solves and how hard a puzzle is, as they are after an attempt that counts."""
        async with self._database.transaction() as connection:
            for rating in ratings:
                row = {name: getattr(rating, name) for name in puzzle_ratings.c.keys()}  # noqa: SIM118
                await upsert(connection, puzzle_ratings, ("person", "game_key"), row)
            values = {name: getattr(figures, name) for name in ("mu", "sigma", "tries", "solved")}
            await connection.execute(update(puzzles).where(puzzles.c.id == figures.id).values(**values))

    async def ratings_of(self, person: int) -> dict[str, PuzzleRating]:
        """Return how well somebody solves puzzles, by game, all games under an empty key."""
        query = select(puzzle_ratings).where(puzzle_ratings.c.person == person)
        async with self._database.read_autocommit() as connection:
            rows = (await connection.execute(query)).mappings()
            return {row["game_key"]: PuzzleRating(**row) for row in rows}

    async def figures(self, ids: Collection[str]) -> dict[str, PuzzleFigures]:
        """Return what is known of those puzzles of which something is."""
        query = select(puzzles).where(puzzles.c.id.in_(sorted(set(ids))))
        async with self._database.read_autocommit() as connection:
            return {row["id"]: PuzzleFigures(**row) for row in (await connection.execute(query)).mappings()}

    async def publish_solution(self, puzzle: str, at: datetime) -> None:
        """Note that the solution of a puzzle can be read by many from now on; the first time stays."""
        async with self._database.transaction() as connection:
            await insert_if_new(connection, puzzles, {"id": puzzle, "tries": 0, "solved": 0})
            first = (puzzles.c.id == puzzle, puzzles.c.public_at.is_(None))
            await connection.execute(update(puzzles).where(*first).values(public_at=at))

    async def solved_summary(
        self, puzzle: str, place: int | None = None, *, since: datetime | None = None, limit: int = _NEWEST_SOLVERS
    ) -> SolvedSummary:
        """Return how many have tried and solved a puzzle, in a place or anywhere, and who has solved it last.

        With `since` those count alone who have tried it first since then. People without a name are counted and not
        named.
        """
        where: list[ColumnElement[bool]] = [attempts.c.puzzle == puzzle, attempts.c.tried_at.is_not(None)]
        if place is not None:
            there = select(attempt_places.c.attempt).where(attempt_places.c.place == place)
            where.append(attempts.c.id.in_(there))
        if since is not None:
            where.append(attempts.c.tried_at >= since)
        done = attempts.c.result == SOLVED
        counts = select(func.count(), func.count().filter(done)).select_from(attempts).where(*where)
        newest = select(people.c.id, people.c.name, attempts.c.wrong, attempts.c.hints)
        newest = newest.join(people, people.c.id == attempts.c.person).where(*where, done, people.c.name != "")
        newest = newest.order_by(attempts.c.ended_at.desc(), attempts.c.id.desc()).limit(limit)
        async with self._database.read_snapshot() as connection:
            tried, solved = (await connection.execute(counts)).one()
            rows = (await connection.execute(newest)).all()
            return SolvedSummary(tried, solved, tuple(Solver(row[0], row[1], _marked(row[2], row[3])) for row in rows))

    async def standings(self, since: str, place: int, group: tuple[str, str] | None = None) -> list[PuzzleStanding]:
        """Return who has solved the puzzles of the most dates from one on in a place, or in all of a server or group.

        `group` is a platform and a group's id. Then most solved at once come first; people without a name are left out.
        """
        inside: Any = attempt_places.c.place == place
        if group is not None:
            theirs = select(places.c.id).where(places.c.platform == group[0], places.c.group_id == group[1])
            inside = attempt_places.c.place.in_(theirs)
        there = select(attempts.c.person, attempts.c.puzzle).distinct()
        there = there.join(attempt_places, attempt_places.c.attempt == attempts.c.id).where(inside)
        known = there.subquery()
        clean = func.count().filter(puzzle_days.c.mark == "clean").label("clean")
        days = func.count().label("days")
        query = select(puzzle_days.c.person, people.c.name, days, clean)
        query = query.join(people, people.c.id == puzzle_days.c.person)
        query = query.join(known, (known.c.person == puzzle_days.c.person) & (known.c.puzzle == puzzle_days.c.puzzle))
        query = query.where(puzzle_days.c.day >= since, people.c.name != "")
        query = query.group_by(puzzle_days.c.person, people.c.name)
        query = query.order_by(days.desc(), clean.desc(), puzzle_days.c.person)
        async with self._database.read_autocommit() as connection:
            return [PuzzleStanding(**row) for row in (await connection.execute(query)).mappings()]

    async def _attempts(self, *where: ColumnElement[bool], limit: int | None = None) -> list[Attempt]:
        query = select(attempts).where(*where).order_by(attempts.c.touched_at.desc(), attempts.c.id.desc())
        async with self._database.read_autocommit() as connection:
            return [_to_attempt(row) for row in (await connection.execute(query.limit(limit))).mappings()]


async def transfer_puzzles(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Give what a person has done on puzzles to another.

    Of two attempts at one puzzle that stays which has ended first, or else was begun first, with the places of both; of
    ratings that with more tries.
    """
    query = select(attempts.c.id, attempts.c.puzzle).where(attempts.c.person.in_((gone, remaining)))
    query = query.order_by(attempts.c.ended_at.is_(None), attempts.c.ended_at, attempts.c.began_at, attempts.c.id)
    known: dict[str, int] = {}
    for row in (await connection.execute(query)).all():
        stays = known.setdefault(row.puzzle, row.id)
        if stays != row.id:
            both = select(attempt_places.c.place).where(attempt_places.c.attempt == stays)
            moved = (attempt_places.c.attempt == row.id, attempt_places.c.place.not_in(both))
            await connection.execute(update(attempt_places).where(*moved).values(attempt=stays))
            await _drop(connection, [row.id])
    await connection.execute(update(attempts).where(attempts.c.person == gone).values(person=remaining))
    mine = select(puzzle_days.c.day).where(puzzle_days.c.person == remaining)
    twice = (puzzle_days.c.person == gone, puzzle_days.c.day.in_(mine))
    await connection.execute(delete(puzzle_days).where(*twice))
    await connection.execute(update(puzzle_days).where(puzzle_days.c.person == gone).values(person=remaining))
    of_both = select(puzzle_ratings).where(puzzle_ratings.c.person.in_((gone, remaining)))
    rows = (await connection.execute(of_both)).mappings()
    best: dict[str, dict[str, Any]] = {}
    for found in rows:
        other = best.get(found["game_key"])
        if other is None or (found["tries"], found["person"] == remaining) > (
            other["tries"],
            other["person"] == remaining,
        ):
            best[found["game_key"]] = dict(found)
    await connection.execute(delete(puzzle_ratings).where(puzzle_ratings.c.person == gone))
    for most in best.values():
        await upsert(connection, puzzle_ratings, ("person", "game_key"), {**most, "person": remaining})


async def forget_puzzles(connection: AsyncConnection, everybody: Collection[int]) -> None:
    """Take away what people have done on puzzles; how hard these have proved to be stays."""
    mine = (await connection.execute(select(attempts.c.id).where(attempts.c.person.in_(everybody)))).scalars().all()
    await _drop(connection, mine)
    for table in (puzzle_days, puzzle_ratings):
        await connection.execute(delete(table).where(table.c.person.in_(everybody)))


async def _drop(connection: AsyncConnection, gone: Sequence[int]) -> None:
    await connection.execute(delete(attempt_places).where(attempt_places.c.attempt.in_(gone)))
    await connection.execute(delete(attempts).where(attempts.c.id.in_(gone)))


def _marked(wrong: int, hints: int) -> PuzzleMark:
    return "hinted" if hints else "errors" if wrong else "clean"


def _to_attempt(row: RowMapping) -> Attempt:
    return Attempt(**{("game" if name == "game_key" else name): value for name, value in row.items()})
