"""Private boards of a person: lessons, analysis boards, moments of their own games to repeat, and guesses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import and_, bindparam, func, insert, or_, select, update

from storage.columns import Condition, Json
from storage.database import Repository, given, pick
from storage.errors import Conflict, StorageError
from storage.events import AnsweringRepository
from storage.puzzle_schema import Attempt, NewGuess, StoredGuess, StoredMoment, guess_consents, guesses, own_moments
from storage.schema import (
    DeclaredTable,
    Lesson,
    ProcessedEvent,
    StoredTree,
    analyses,
    analysis_boards as boards,
    games,
    lessons,
    people,
    places,
    results,
    seats,
)
from storage.sqlite import Prepared

_MAX_REVISION: Final = 2**31 - 1


BoardRow = TypeVar("BoardRow", Lesson, Attempt, StoredTree)


class PrivateBoards(AnsweringRepository):
    """The base of the repositories of private boards."""

    async def _change(self, table: DeclaredTable, row: BoardRow, at: datetime, *names: str) -> BoardRow:
        """Store some values of a row and return the new row; Conflict if it has changed since it was read."""
        values = pick(row, names) | {"revision": row.revision + 1, "touched_at": at}
        change: Any = update(table).filter_by(id=row.id, revision=row.revision).values(values)
        for changed in await self._read_rows(change.returning(table), type(row)):
            return changed
        raise Conflict(game=table.table.name, revision=row.revision)


def _build_is_known() -> Prepared:
    """Return the query whether a person has played a game or has been offered a lesson in it."""
    who: Any = bindparam("who")
    kind: Any = bindparam("kind")
    played = select(seats.game).filter_by(person=who, live=True)
    known = (
        select(lessons.id).filter_by(person=who, game_key=kind),
        select(games.id).where(games.id.in_(played)).filter_by(game=kind, status="playing"),
        select(results.game).filter_by(person=who, game_key=kind),
    )
    return Prepared(select(or_(*(each.exists() for each in known))))


_IS_KNOWN: Final = _build_is_known()


class Lessons(PrivateBoards):
    """Queries and commands for lessons; a person has at most one per game."""

    async def get(self, lesson: int) -> Lesson | None:
        """Return a lesson, None if there is none with this number."""
        return await self._find(Lesson, id=lesson)

    async def list_for_person(self, person: int) -> list[Lesson]:
        """Return the lessons of a person, last used first."""
        return await self._list(Lesson, person=person, order=[lessons.touched_at.desc(), lessons.id])

    async def is_new_to(self, person: int, game: str) -> bool:
        """Return whether a person has never played a game nor been offered a lesson in it."""
        return not await self._read_value(_IS_KNOWN, {"who": person, "kind": game})

    async def people_who_finished(self, people: Collection[int], game: str) -> set[int]:
        """Return the subset of people who have finished a game of a kind."""
        return set(
            await self._read_column(
                select(results.person).where(results.person.in_(people)).filter_by(game_key=game).distinct()
            )
        )

    async def record_offer(self, person: int, game: str, at: datetime) -> None:
        """Record that a person was offered a lesson."""
        await self._insert_if_new(lessons, {"person": person, "game_key": game, "state": {}, "touched_at": at})

    async def begin(self, person: int, game: str, at: datetime) -> Lesson:
        """Return a person's lesson in a game, creating it if necessary."""
        async with self._transaction():
            await self.record_offer(person, game, at)
            return (await self._list(Lesson, person=person, game_key=game))[0]

    async def update(self, lesson: Lesson, at: datetime, processed: ProcessedEvent | None = None) -> Lesson:
        """Store a change of a lesson and return it; Conflict if it has changed since, AlreadyProcessed."""
        async with self._answering(processed, at):
            return await self._change(lessons, lesson, at, "step", "state", "place", "finished_at")


class TooManyTrees(StorageError):
    """A person has the maximum number of analysis boards, all in unfinished games."""

    default = "too-many-tries"


class AnalysisTrees(PrivateBoards):
    """Queries and commands for analysis boards; a person has at most one per game."""

    async def get(self, person: int, game: str) -> StoredTree | None:
        """Return a person's tree in a game, None if there is none."""
        return await self._find(StoredTree, person=person, game=game)

    async def list_for_person(self, person: int, limit: int | None = None) -> list[StoredTree]:
        """Return the trees of a person, last used first."""
        return await self._list(
            StoredTree, person=person, order=[boards.touched_at.desc(), boards.id.desc()], limit=limit
        )

    async def list_plans(self, game: str) -> list[StoredTree]:
        """Return the trees of a game that contain plans, except those with a damaged revision.

        Inside a transaction, the game and the trees are locked until its end.
        """
        # SQLite may hold text or bytes there, which sort after every number.
        query = select(boards).where(boards.revision <= _MAX_REVISION).filter_by(game=game, planned=True)
        async with self._transaction():
            await self._lock(games, id=game)
            return await self._read_rows(query.order_by(boards.id).with_for_update(), StoredTree)

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

        With `game_at` the game must still be at that revision, otherwise Conflict: a plan must not come too late. If a
        person has more than `most` trees, the least recently used tree of a finished game is deleted; TooManyTrees if
        there is none.
        """
        async with self._answering(processed, at):
            if game_at is not None and not await self._lock(games, id=tried.game, revision=game_at):
                raise Conflict(game=tried.game, revision=game_at)
            if tried.id is None:
                if await self.get(tried.person, tried.game) is not None:
                    raise Conflict(game=tried.game, revision=tried.revision)
                await self._make_room(tried.person, most)
                new = asdict(replace(tried, revision=tried.revision + 1, touched_at=at))
                del new["id"]
                return (await self._read_rows(insert(boards).values(new).returning(boards), StoredTree))[0]
            return await self._change(boards, tried, at, "tree", "planned")

    async def _make_room(self, person: int, most: int) -> None:
        """Delete the oldest tree of a finished game if a person has the maximum number; TooManyTrees."""
        if int(await self._read_value(select(func.count(boards.id)).filter_by(person=person)) or 0) < most:
            return
        over = select(games.id).filter_by(id=boards.game, status="over").exists()
        oldest = select(boards.id).where(over).filter_by(person=person).order_by(boards.touched_at, boards.id)
        if not await self._delete(boards, id=oldest.limit(1).scalar_subquery()):
            raise TooManyTrees

    async def delete(self, tried: StoredTree, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Delete a tree; Conflict if it has changed since, AlreadyProcessed."""
        async with self._answering(processed, at):
            if not await self._delete(boards, id=tried.id, revision=tried.revision):
                raise Conflict(game=tried.game, revision=tried.revision)

    async def delete_expired(self, before: datetime) -> int:
        """Delete the trees that were not used since a time and whose games ended before it; return their number."""
        over = select(games.id).where(games.ended_at < before).filter_by(id=boards.game, status="over")
        return await self._delete(boards, boards.touched_at < before, over.exists())


@dataclass(frozen=True, slots=True)
class MomentCounts:
    """The number of a person's moments, of those due and of those solved last time, and when the next is due."""

    total: int = 0
    due: int = 0
    solved: int = 0
    next_due: datetime | None = None


class OwnMomentRows(Repository):
    """Queries and commands for moments; only the person they belong to reads them."""

    async def add(self, person: int, game: str, game_key: str, found: Sequence[tuple[int, Json]], at: datetime) -> None:
        """Store the moments of a person in a game, by turn; existing ones stay unchanged."""
        own: Json = {"person": person, "game": game, "game_key": game_key, "found_at": at, "due_at": at}
        async with self._transaction():
            for turn, data in found:
                row = {"turn": turn, "data": data, "card": {}, "reviews": 0, "solved": False}
                await self._insert_if_new(own_moments, own | row)

    async def get(self, moment_id: int) -> StoredMoment | None:
        """Return a moment, None if there is none with this number."""
        return await self._find(StoredMoment, id=moment_id)

    async def list_in_game(self, person: int, game: str) -> list[StoredMoment]:
        """Return the moments of a person in a game, in the order of its turns."""
        return await self._list(StoredMoment, person=person, game=game, order=["turn", "id"])

    async def next_due(self, person: int, at: datetime, game_key: str | None = None) -> StoredMoment | None:
        """Return the moment of a person that has been due longest, None if none is due."""
        own = given(person=person, game_key=game_key)
        return await self._find(StoredMoment, own_moments.due_at <= at, order=["due_at", "id"], **own)

    async def record_review(self, moment_id: int, reviews: int, card: Json, due_at: datetime, *, solved: bool) -> bool:
        """Store the result of the repetition after `reviews` earlier ones; return whether it was the next one."""
        values = {"card": card, "due_at": due_at, "solved": solved, "reviews": reviews + 1}
        return await self._update(own_moments, values, id=moment_id, reviews=reviews) == 1

    async def counts(self, person: int, at: datetime, game_key: str | None = None) -> MomentCounts:
        """Return the counts of a person's moments."""
        due, solved = (func.count().filter(each) for each in (own_moments.due_at <= at, own_moments.solved))
        query = select(func.count(own_moments.id), due, solved, func.min(own_moments.due_at))
        return MomentCounts(*(await self._read(query.filter_by(**given(person=person, game_key=game_key))))[0])


HIT_POINTS: Final = 2
"""Points for a guess that was played."""
GOOD_POINTS: Final = 1
"""Additional points for a guess that the analysis judges as good as the best turn."""


class GuessRefused(StorageError):
    """A guess was refused; `code` says why: "moved-on", "not-agreed", "plays" or "browser"."""

    default = "guess-refused"


@dataclass(frozen=True, slots=True)
class GuessCounts:
    """A person's guesses: how many were settled, hits and good ones, and their points."""

    person: int = 0
    name: str = ""
    guesses: int = 0
    hits: int = 0
    good: int = 0

    @property
    def points(self) -> int:
        """The points for all guesses."""
        return HIT_POINTS * self.hits + GOOD_POINTS * self.good


class Guesses(AnsweringRepository):
    """Queries and commands for guesses; only the guesser reads a guess before its turn was played."""

    async def consents(self, game: str) -> set[int]:
        """Return the people who agree that the turns of a game are guessed."""
        return set(await self._read_column(select(guess_consents.person).filter_by(game=game)))

    async def agree(self, game: str, person: int, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Record that a person agrees; AlreadyProcessed."""
        async with self._answering(processed, at):
            await self._insert_if_new(guess_consents, {"game": game, "person": person, "agreed_at": at})

    async def withdraw(
        self, game: str, person: int, open_from: int, at: datetime, processed: ProcessedEvent | None = None
    ) -> None:
        """Delete a person's consent, and all guesses at turns after a revision; AlreadyProcessed."""
        async with self._answering(processed, at):
            await self._delete(guess_consents, game=game, person=person)
            await self._delete(guesses, guesses.revision >= open_from, game=game, hit=None)

    async def guess(self, made: NewGuess, game_at: int, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Store a guess, replacing an earlier one at the same turn; AlreadyProcessed, GuessRefused.

        The game must still be running at the revision `game_at`, and all players must agree.
        """
        async with self._answering(processed, at):
            if (reason := await self._find_refusal(made, game_at)) is not None:
                raise GuessRefused(reason, game=made.game)
            await self._upsert(guesses, asdict(made) | {"made_at": at, "checked": game_at})

    async def _find_refusal(self, made: NewGuess, game_at: int) -> str | None:
        if not await self._lock(games, id=made.game, revision=game_at, status="playing"):
            return "moved-on"
        named = select(people.id).where(people.name != "").filter_by(id=seats.person)
        taken = select(seats.person).where(named.exists()).filter_by(game=made.game, state="joined")
        players = set(await self._read_column(taken))
        if made.person in players:
            return "plays"
        if not players or not players <= await self.consents(made.game):
            return "not-agreed"
        if made.browser is not None:
            turn: Json = {"game": made.game, "revision": made.revision, "browser": made.browser}
            if await self._find(StoredGuess, guesses.person != made.person, **turn):
                return "browser"
        return None

    async def list_in_game(self, game: str) -> list[StoredGuess]:
        """Return all guesses at turns of a game."""
        return await self._list(StoredGuess, game=game, order=["id"])

    async def settle(self, game: str, revision: int, results: Mapping[int, bool | None]) -> None:
        """Record which guesses were hits, by their ids, as of a revision of the game; idempotent."""
        async with self._transaction():
            for number, hit in results.items():
                await self._update(guesses, {"hit": hit, "checked": revision}, guesses.checked <= revision, id=number)

    async def judge(self, number: int, *, good: bool) -> bool:
        """Record whether the analysis judges a guess as good as the best turn; False if that was recorded before."""
        return await self._update(guesses, {"good": good}, id=number, good=None) == 1

    async def list_unsettled(self, limit: int, place: int) -> list[str]:
        """Return the games of a place that have moved on since their guesses were last settled."""
        return await self._games(limit, guesses.checked < games.revision, _began_in_place(place))

    async def list_to_judge(self, limit: int, without: Collection[str] = ()) -> list[str]:
        """Return finished and analysed games with guesses that were not settled or judged yet."""
        unsaid = or_(guesses.checked < games.revision, and_(guesses.hit.is_not(None), guesses.good.is_(None)))
        return await self._games(
            limit,
            games.status == "over",
            unsaid,
            games.id.not_in(without),
            select(analyses.game).filter_by(game=guesses.game).exists(),
        )

    async def counts_in_game(self, game: str) -> list[GuessCounts]:
        """Return everybody's guess counts in a game, best first."""
        return await self._counts(guesses.game == game)

    async def counts_in_place(self, place: int, since: datetime) -> dict[str, list[GuessCounts]]:
        """Return the counts of guesses made since a time in games that began in a place, by kind of game."""
        within = (_began_in_place(place), guesses.made_at >= since)
        kinds = sorted(await self._read_column(select(games.game).join(guesses).where(*within).distinct()))
        return {kind: await self._counts(*within, games.game == kind) for kind in kinds}

    async def counts_of_person(self, person: int) -> GuessCounts:
        """Return a person's guess counts in all games."""
        return next(iter(await self._counts(guesses.person == person)), GuessCounts(person))

    async def _counts(self, *where: Condition) -> list[GuessCounts]:
        hits, good = (func.count().filter(column) for column in (guesses.hit, guesses.good))
        query = (
            select(guesses.person, people.name, func.count(), hits, good)
            .join(people, people.id == guesses.person)
            .join(games, games.id == guesses.game)
            .where(guesses.hit.is_not(None), *where)
            .group_by(guesses.person, people.name)
        )
        found = [GuessCounts(*row) for row in await self._read(query)]
        return sorted(found, key=lambda each: (-each.points, each.guesses, each.person))

    async def _games(self, limit: int, *where: Condition) -> list[str]:
        return await self._read_column(
            select(guesses.game).join(games).where(*where).distinct().order_by(guesses.game).limit(limit)
        )

    async def drop_own(self, both: Collection[int]) -> None:
        """Delete the guesses of two people to be merged in games that either of them plays."""
        everybody = select(people.id).where(or_(people.id.in_(both), people.merged_into.in_(both)))
        played = guesses.game.in_(select(seats.game).where(seats.person.in_(everybody)))
        await self._delete(guesses, played, guesses.person.in_(both))


def _began_in_place(place: int) -> Condition:
    """Return the condition that a game began in a place, or in a thread of it."""
    home: Any = select(places.platform, places.channel).filter_by(id=place).subquery()
    return games.place.in_(select(places.id).filter_by(platform=home.c.platform, channel=home.c.channel))
