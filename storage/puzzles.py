"""Puzzles: people's attempts, the dates and places for which they count, and the puzzles' difficulty."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeVar

from sqlalchemy import ColumnElement, RowMapping, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository, insert_if_new, upsert
from storage.errors import Conflict
from storage.events import mark_processed
from storage.puzzle_schema import (
    attempt_places,
    attempts,
    played_puzzles,
    puzzle_days,
    puzzle_ratings,
    puzzle_sources,
    puzzles,
)
from storage.rows import Json, ProcessedEvent
from storage.schema import people, places, results

PuzzleMark = Literal["clean", "errors", "hinted"]
"""How a puzzle was solved: at once, after wrong turns, or with hints."""

SOLVED: Final = "solved"
GIVEN_UP: Final = "given-up"
"""The result of an attempt; None while it goes on."""

_NEWEST_SOLVERS: Final = 3


@dataclass(frozen=True, slots=True)
class Attempt:
    """A person's attempt at a puzzle.

    `revision` counts its changes, `state` is read by `bot/puzzles/service.py`, `place` is where it goes on. `presses`,
    `wrong` turns and `hints` are counted until the first `result`, "solved" or "given-up". `rated` says whether it
    counts, None until that is decided. `tried_at` is when the first turn was played.
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
        return _get_mark(self.wrong, self.hints) if self.result == SOLVED else None


@dataclass(frozen=True, slots=True)
class PuzzleDay:
    """A calendar date (YYYY-MM-DD) whose puzzle a person solved, and how."""

    person: int
    day: str
    puzzle: str
    mark: PuzzleMark


@dataclass(frozen=True, slots=True)
class PuzzleRating:
    """A person's puzzle rating in a game (in all of them under an empty key) after a number of attempts."""

    person: int
    game_key: str
    mu: float
    sigma: float
    tries: int = 0
    solved: int = 0


@dataclass(frozen=True, slots=True)
class PuzzleFigures:
    """The difficulty of a puzzle, and since when its solution is public somewhere.

    Without a rating no attempt has counted yet.
    """

    id: str
    mu: float | None = None
    sigma: float | None = None
    tries: int = 0
    solved: int = 0
    public_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Solver:
    """A person who solved a puzzle, and how."""

    person: int
    name: str
    mark: PuzzleMark


@dataclass(frozen=True, slots=True)
class SolvedSummary:
    """How many people tried and solved a puzzle, and who did so last, newest first."""

    tried: int
    solved: int
    newest: tuple[Solver, ...] = ()


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """On how many days a person solved the puzzles of a place, and how often at once."""

    person: int
    name: str
    days: int
    clean: int


class Puzzles(Repository):
    """Queries and commands for puzzles; a person has at most one attempt at each."""

    async def get_attempt(self, attempt: int) -> Attempt | None:
        """Return an attempt, None if there is none with this number."""
        return next(iter(await self._read_attempts(attempts.c.id == attempt)), None)

    async def get_last_attempt(self, person: int) -> Attempt | None:
        """Return the attempt that a person used last, None if there is none."""
        return next(iter(await self._read_attempts(attempts.c.person == person, limit=1)), None)

    async def list_attempts(self, person: int) -> list[Attempt]:
        """Return all attempts of a person, last used first."""
        return await self._read_attempts(attempts.c.person == person)

    async def has_ended(self, puzzle: str, people: Collection[int]) -> bool:
        """Return whether one of some people has ended their attempt at a puzzle, and so has been shown its solution."""
        query = select(attempts.c.id).where(attempts.c.person.in_(people)).filter_by(puzzle=puzzle)
        return await self._read_value(query.where(attempts.c.ended_at.is_not(None)).limit(1)) is not None

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
        """Return a person's attempt at a puzzle, creating it if necessary; it goes on in a place.

        `counts` says whether the place includes it in its summary. `state` is the initial state of a new attempt.
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
        """Store a change of an attempt and return it; Conflict if it has changed since, AlreadyProcessed.

        `day` is the date whose puzzle was solved in time.
        """
        names = ("state", "presses", "wrong", "hints", "result", "place", "rated", "tried_at", "ended_at")
        values: Json = {name: getattr(attempt, name) for name in names}
        values |= {"revision": attempt.revision + 1, "touched_at": at}
        where = (attempts.c.id == attempt.id, attempts.c.revision == attempt.revision)
        async with self._database.transaction() as connection:
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

    async def list_solved_days(self, person: int) -> list[PuzzleDay]:
        """Return the dates whose puzzle a person solved on the day, oldest first."""
        query = select(puzzle_days).filter_by(person=person).order_by(puzzle_days.c.day)
        return await self._read_rows(query, PuzzleDay)

    async def lock_ratings_for_update(self, person: int, puzzle: str) -> tuple[dict[str, PuzzleRating], PuzzleFigures]:
        """Return a person's ratings by game and the figures of a puzzle, locked until the end of the transaction."""
        async with self._database.transaction() as connection:
            await connection.execute(select(people.c.id).filter_by(id=person).with_for_update())
            await insert_if_new(connection, puzzles, {"id": puzzle, "tries": 0, "solved": 0})
            held = select(puzzles).filter_by(id=puzzle).with_for_update()
            figures = PuzzleFigures(**(await connection.execute(held)).mappings().one())
            query = select(puzzle_ratings).filter_by(person=person)
            rows = (await connection.execute(query)).mappings()
            return {row["game_key"]: PuzzleRating(**row) for row in rows}, figures

    async def store_ratings(self, ratings: Sequence[PuzzleRating], figures: PuzzleFigures) -> None:
        """Store a person's ratings and the difficulty of a puzzle after an attempt that counts."""
        async with self._database.transaction() as connection:
            for rating in ratings:
                row = {name: getattr(rating, name) for name in puzzle_ratings.c.keys()}  # noqa: SIM118
                await upsert(connection, puzzle_ratings, ("person", "game_key"), row)
            values = {name: getattr(figures, name) for name in ("mu", "sigma", "tries", "solved")}
            await connection.execute(update(puzzles).filter_by(id=figures.id).values(**values))

    async def list_ratings(self, person: int) -> dict[str, PuzzleRating]:
        """Return a person's puzzle ratings by game, all games under an empty key."""
        query = select(puzzle_ratings).filter_by(person=person)
        return {each.game_key: each for each in await self._read_rows(query, PuzzleRating)}

    async def get_figures(self, ids: Collection[str]) -> dict[str, PuzzleFigures]:
        """Return the figures of those puzzles that have any."""
        query = select(puzzles).where(puzzles.c.id.in_(sorted(set(ids))))
        return {each.id: each for each in await self._read_rows(query, PuzzleFigures)}

    async def publish_solution(self, puzzle: str, at: datetime) -> None:
        """Record since when the solution of a puzzle is public; the first time stays."""
        async with self._database.transaction() as connection:
            await insert_if_new(connection, puzzles, {"id": puzzle, "tries": 0, "solved": 0})
            first = (puzzles.c.id == puzzle, puzzles.c.public_at.is_(None))
            await connection.execute(update(puzzles).where(*first).values(public_at=at))

    async def get_solved_summary(
        self, puzzle: str, place: int | None = None, *, since: datetime | None = None, limit: int = _NEWEST_SOLVERS
    ) -> SolvedSummary:
        """Return how many people tried and solved a puzzle, in a place or anywhere, and who solved it last.

        With `since` only first attempts since then count. Nameless people are counted, but not listed.
        """
        where: list[ColumnElement[bool]] = [attempts.c.puzzle == puzzle, attempts.c.tried_at.is_not(None)]
        if place is not None:
            there = select(attempt_places.c.attempt).filter_by(place=place)
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
            return SolvedSummary(
                tried, solved, tuple(Solver(row[0], row[1], _get_mark(row[2], row[3])) for row in rows)
            )

    async def list_standings(
        self, since: str, place: int, group: tuple[str, str] | None = None
    ) -> list[PuzzleStanding]:
        """Return who solved the puzzles of most dates since a date, in a place or in a whole server or group.

        `group` is a platform and a group's id. Ties go to more solved at once; nameless people are left out.
        """
        inside: Any = attempt_places.c.place == place
        if group is not None:
            theirs = select(places.c.id).filter_by(platform=group[0], group_id=group[1])
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
        return await self._read_rows(query, PuzzleStanding)

    async def _read_attempts(self, *where: ColumnElement[bool], limit: int | None = None) -> list[Attempt]:
        query = select(attempts).where(*where).order_by(attempts.c.touched_at.desc(), attempts.c.id.desc())
        return await self._read_all(query.limit(limit), _to_attempt)


async def transfer_puzzles(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer a person's attempts and ratings to another.

    Of two attempts at one puzzle, the one that ended or else began first stays, with the places of both; of two
    ratings, the one with more attempts.
    """
    query = select(attempts.c.id, attempts.c.puzzle).where(attempts.c.person.in_((gone, remaining)))
    query = query.order_by(attempts.c.ended_at.is_(None), attempts.c.ended_at, attempts.c.began_at, attempts.c.id)
    known: dict[str, int] = {}
    for row in (await connection.execute(query)).all():
        stays = known.setdefault(row.puzzle, row.id)
        if stays != row.id:
            both = select(attempt_places.c.place).filter_by(attempt=stays)
            moved = (attempt_places.c.attempt == row.id, attempt_places.c.place.not_in(both))
            await connection.execute(update(attempt_places).where(*moved).values(attempt=stays))
            await drop_attempts(connection, [row.id])
    await connection.execute(update(attempts).filter_by(person=gone).values(person=remaining))
    mine = select(puzzle_days.c.day).filter_by(person=remaining)
    twice = (puzzle_days.c.person == gone, puzzle_days.c.day.in_(mine))
    await connection.execute(delete(puzzle_days).where(*twice))
    await connection.execute(update(puzzle_days).filter_by(person=gone).values(person=remaining))
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
    await connection.execute(delete(puzzle_ratings).filter_by(person=gone))
    for most in best.values():
        await upsert(connection, puzzle_ratings, ("person", "game_key"), {**most, "person": remaining})


async def forget_puzzles(connection: AsyncConnection, everybody: Collection[int]) -> None:
    """Delete people's attempts and ratings; the puzzles' difficulty stays."""
    mine = (await connection.execute(select(attempts.c.id).where(attempts.c.person.in_(everybody)))).scalars().all()
    await drop_attempts(connection, mine)
    for table in (puzzle_days, puzzle_ratings):
        await connection.execute(delete(table).where(table.c.person.in_(everybody)))


async def drop_attempts(connection: AsyncConnection, gone: Sequence[int]) -> None:
    """Delete attempts by their ids."""
    await connection.execute(delete(attempt_places).where(attempt_places.c.attempt.in_(gone)))
    await connection.execute(delete(attempts).where(attempts.c.id.in_(gone)))


def _get_mark(wrong: int, hints: int) -> PuzzleMark:
    return "hinted" if hints else "errors" if wrong else "clean"


def _to_attempt(row: RowMapping) -> Attempt:
    return Attempt(**{("game" if name == "game_key" else name): value for name, value in row.items()})


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
        tried = select(attempts.c.puzzle).filter_by(person=person)
        where: ColumnElement[bool] = played_puzzles.c.id.not_in(tried)
        if game_key is not None:
            where &= played_puzzles.c.game_key == game_key
        return await self._list(where, person, limit)

    async def withdraw(self, person: int) -> None:
        """Delete the puzzles from games in which somebody plays who does not agree any more."""
        async with self._database.transaction() as connection:
            await drop_played_puzzles(connection, [person])

    async def _list(self, where: ColumnElement[bool], person: int, limit: int) -> list[PlayedPuzzle]:
        mine = select(results.c.game).filter_by(person=person)
        query = select(played_puzzles).where(where, played_puzzles.c.game.not_in(mine))
        query = query.order_by(played_puzzles.c.made_at.desc(), played_puzzles.c.id).limit(limit)
        async with self._database.read_autocommit() as connection:
            rows = (await connection.execute(query)).all()
        return [PlayedPuzzle(row.id, row.game, row.game_key, row.data) for row in rows]


async def drop_without_consent(connection: AsyncConnection, person: int) -> None:
    """Delete the puzzles from the games that somebody has now, if they do not agree: linking moves games."""
    settings = (await connection.execute(select(people.c.settings).filter_by(id=person))).scalar_one_or_none()
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
