"""Puzzles: attempts, the dates and places for which they count, difficulty, and daily subscriptions."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, exists, func, or_, select, update

from storage.boards import PrivateBoards
from storage.columns import AnySelect, Condition, Json
from storage.database import (
    Repository,
    given,
    pick,
)
from storage.message_schema import DAILY, MONTH, Daily, dailies, posts
from storage.places import PLACE_COLUMNS, SELECT_PLACES, place_of, with_inherited
from storage.posts import NewPost, Posts
from storage.puzzle_schema import (
    SOLVED,
    Attempt,
    PlayedPuzzle,
    PuzzleDay,
    PuzzleFigures,
    PuzzleMark,
    PuzzleRating,
    attempt_places,
    attempts,
    get_mark,
    played_puzzles,
    puzzle_days,
    puzzle_ratings,
    puzzle_sources,
    puzzles,
)
from storage.schema import PlaceRow, ProcessedEvent, game_places, people, places, results

PUZZLES_SETTING: Final = "puzzles"
"""The person's setting that says whether positions of their games may become puzzles."""
_NEWEST_SOLVERS: Final = 3
_BATCH_ROWS: Final = 500
_NEWEST: Final = (attempts.touched_at.desc(), attempts.id.desc())


@dataclass(frozen=True, slots=True)
class Solver:
    """A person who solved a puzzle, and how."""

    person: int
    name: str
    mark: PuzzleMark


@dataclass(frozen=True, slots=True)
class SolvedSummary:
    """How many people tried and solved a puzzle, and the last solvers, newest first."""

    tried: int
    solved: int
    newest: tuple[Solver, ...] = ()


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """On how many days a person solved the puzzles of a place, and how often without errors."""

    person: int
    name: str
    days: int
    clean: int


class Puzzles(PrivateBoards):
    """Queries and commands for puzzles; a person has at most one attempt at each."""

    async def get_attempt(self, attempt: int) -> Attempt | None:
        """Return an attempt, None if there is none with this number."""
        return await self._find(Attempt, id=attempt)

    async def get_last_attempt(self, person: int) -> Attempt | None:
        """Return the attempt that a person used last, None if there is none."""
        return await self._find(Attempt, person=person, order=_NEWEST)

    async def list_attempts(self, person: int) -> list[Attempt]:
        """Return all attempts of a person, last used first."""
        return await self._list(Attempt, person=person, order=_NEWEST)

    async def has_ended(self, puzzle: str, people: Collection[int]) -> bool:
        """Return whether one of some people has ended their attempt at a puzzle, and so has seen its solution."""
        ended = (attempts.person.in_(people), attempts.ended_at.is_not(None))
        return await self._find(Attempt, *ended, puzzle=puzzle) is not None

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
        """Return a person's attempt at a puzzle, creating it if necessary, and set its current place.

        `counts` says whether the place's summary includes it. `state` is the initial state of a new attempt.
        """
        key = {"person": person, "puzzle": puzzle}
        new = {**key, "game_key": game, "motif": motif, "state": state or {}, "began_at": at, "touched_at": at}
        async with self._transaction():
            await self._insert_if_new(attempts, new)
            query = update(attempts).filter_by(**key).values(place=place, touched_at=at).returning(attempts)
            (attempt,) = await self._read_rows(query, Attempt)
            if counts and await self._insert_if_new(attempt_places, {"place": place, "attempt": attempt.id}):
                await Dailies(self._database).mark_attempted(attempt, at)
            return attempt

    async def update_attempt(
        self, attempt: Attempt, at: datetime, processed: ProcessedEvent | None = None, *, day: PuzzleDay | None = None
    ) -> Attempt:
        """Store a change of an attempt and return it; Conflict if it has changed since, AlreadyProcessed.

        The posts of its puzzle that count it become due. `day` is recorded if the puzzle of a date was solved on that
        day.
        """
        names = ("state", "presses", "wrong", "hints", "result", "place", "rated", "tried_at", "ended_at")
        async with self._answering(processed, at):
            changed = await self._change(attempts, attempt, at, *names)
            if day is not None:
                await self._insert_if_new(puzzle_days, asdict(day))
            await Dailies(self._database).mark_attempted(attempt, at)
            return changed

    async def list_solved_days(self, person: int) -> list[PuzzleDay]:
        """Return the dates whose puzzle a person solved on the day, oldest first."""
        return await self._list(PuzzleDay, person=person, order=["day"])

    async def lock_ratings_for_update(self, person: int, puzzle: str) -> tuple[dict[str, PuzzleRating], PuzzleFigures]:
        """Return a person's ratings by game and the figures of a puzzle, locked until the end of the transaction."""
        async with self._transaction():
            await self._lock(people, id=person)
            await self._insert_if_new(puzzles, {"id": puzzle})
            figures = await self._read_rows(select(puzzles).filter_by(id=puzzle).with_for_update(), PuzzleFigures)
            return await self.list_ratings(person), figures[0]

    async def store_ratings(self, ratings: Sequence[PuzzleRating], figures: PuzzleFigures) -> None:
        """Store a person's ratings and the difficulty of a puzzle after a rated attempt."""
        async with self._transaction():
            for rating in ratings:
                await self._upsert(puzzle_ratings, asdict(rating))
            await self._update(puzzles, pick(figures, ("mu", "sigma", "tries", "solved")), id=figures.id)

    async def list_ratings(self, person: int) -> dict[str, PuzzleRating]:
        """Return a person's puzzle ratings by game, all games under an empty key."""
        return {each.game_key: each for each in await self._list(PuzzleRating, person=person)}

    async def get_figures(self, ids: Collection[str]) -> dict[str, PuzzleFigures]:
        """Return the figures of those puzzles that have any."""
        return {each.id: each for each in await self._list(PuzzleFigures, puzzles.id.in_(sorted(set(ids))))}

    async def publish_solution(self, puzzle: str, at: datetime) -> None:
        """Record when the solution of a puzzle became public; the first time stays."""
        async with self._transaction():
            await self._insert_if_new(puzzles, {"id": puzzle})
            await self._update(puzzles, {"public_at": at}, id=puzzle, public_at=None)

    async def get_solved_summary(self, puzzle: str, place: int, since: datetime) -> SolvedSummary:
        """Return how many people in a place tried and solved a puzzle since a time, and who solved it last.

        Nameless people are counted, but not listed.
        """
        here = select(attempt_places.attempt).filter_by(place=place)
        where = (attempts.puzzle == puzzle, attempts.tried_at >= since, attempts.id.in_(here))
        done = attempts.result == SOLVED
        counts = select(func.count(), func.count().filter(done)).select_from(attempts).where(*where)
        newest = (
            select(people.id, people.name, attempts.wrong, attempts.hints)
            .join(people)
            .where(*where, done, people.name != "")
            .order_by(attempts.ended_at.desc(), attempts.id.desc())
            .limit(_NEWEST_SOLVERS)
        )
        async with self._database.snapshot():
            ((tried, solved),) = await self._read(counts)
            solvers = [Solver(row[0], row[1], get_mark(row[2], row[3])) for row in await self._read(newest)]
        return SolvedSummary(tried, solved, tuple(solvers))

    async def list_standings(
        self, since: str, place: int, group: tuple[str, str] | None = None
    ) -> list[PuzzleStanding]:
        """Return who solved the puzzles of the most dates since a date, in a place or in a whole server or group.

        `group` is a platform and a group's id. Ties are broken by puzzles solved without errors; nameless people are
        left out.
        """
        inside: Any = attempt_places.place == place
        if group is not None:
            theirs = select(places.id).filter_by(platform=group[0], group_id=group[1])
            inside = attempt_places.place.in_(theirs)
        known = (
            select(attempt_places.place)
            .join(attempts)
            .where(inside)
            .filter_by(person=puzzle_days.person, puzzle=puzzle_days.puzzle)
        )
        clean = func.count().filter(puzzle_days.mark == "clean").label("clean")
        days = func.count().label("days")
        return await self._read_rows(
            select(puzzle_days.person, people.name, days, clean)
            .join(people, people.id == puzzle_days.person)
            .where(puzzle_days.day >= since, people.name != "", known.exists())
            .group_by(puzzle_days.person, people.name)
            .order_by(days.desc(), clean.desc(), puzzle_days.person),
            PuzzleStanding,
        )

    async def transfer_attempts(self, gone: int, remaining: int) -> None:
        """Transfer a person's attempts to another.

        Of two attempts at one puzzle, the one that ended first stays, otherwise the one that began first, with the
        places of both.
        """
        order = (attempts.ended_at.is_(None), attempts.ended_at, attempts.began_at, attempts.id)
        query = select(attempts.id, attempts.puzzle).where(attempts.person.in_((gone, remaining))).order_by(*order)
        known: dict[str, int] = {}
        for row in await self._read(query):
            stays = known.setdefault(row.puzzle, row.id)
            if stays != row.id:
                await self._transfer(attempt_places, row.id, stays, owner="attempt")
        await self._transfer(attempts, gone, remaining, *order)

    async def drop_attempts(self, gone: Condition) -> None:
        """Delete attempts that fulfil a condition."""
        await self._delete(attempt_places, attempt_places.attempt.in_(select(attempts.id).where(gone)))
        await self._delete(attempts, gone)


class PlayedPuzzles(Repository):
    """Queries and commands for puzzles from games played here, deleted when a player withdraws consent."""

    async def list_sources(self, game_keys: Collection[str], limit: int) -> list[str]:
        """Return finished games of some kinds that were not searched for puzzles and whose players all agree to it."""
        known = exists().where(puzzle_sources.game == results.game)
        other = results.alias("other")
        async with self._database.snapshot():
            agreed = await self._list_agreed()
            played = (self._is_among(results.person, agreed), results.game_key.in_(game_keys))
            refusing = exists().where(other.game == results.game, ~self._is_among(other.person, agreed))
            return await self._read_column(
                select(results.game)
                .where(*played, ~known, ~refusing)
                .group_by(results.game)
                .order_by(func.max(results.ended_at), "game")
                .limit(limit)
            )

    async def _list_agreed(self) -> set[int]:
        agreed, last = set[int](), 0
        query = select(people.id, people.name, people.settings).order_by(people.id).limit(_BATCH_ROWS)
        while rows := await self._read(query.where(people.id > last)):
            last = rows[-1].id
            agreed |= {row.id for row in rows if row.name and row.settings.get(PUZZLES_SETTING) is True}
        return agreed

    async def add(self, game: str, found: Sequence[PlayedPuzzle], at: datetime) -> bool:
        """Store the puzzles found in a game; False, storing nothing, if a player no longer agrees."""
        async with self._transaction():
            query = select(people.settings, people.name).join(results).filter_by(game=game).with_for_update(of=people)
            for row in await self._read(query):
                if not row.name or row.settings.get(PUZZLES_SETTING) is not True:
                    return False
            await self._insert_if_new(puzzle_sources, {"game": game, "looked_at": at})
            for each in found:
                await self._insert_if_new(played_puzzles, {**asdict(each), "game": game, "made_at": at})
        return True

    async def get(self, puzzle: str, person: int) -> PlayedPuzzle | None:
        """Return the puzzle with an id for a person who did not play in its game, None if there is none."""
        return next(iter(await self._list_for(person, 1, id=puzzle)), None)

    async def list_untried(self, person: int, game_key: str | None, limit: int) -> list[PlayedPuzzle]:
        """Return puzzles that a person has not begun, from games that they did not play in, newest first."""
        tried = select(attempts.puzzle).filter_by(person=person)
        return await self._list_for(person, limit, played_puzzles.id.not_in(tried), **given(game_key=game_key))

    async def withdraw(self, *people: int) -> None:
        """Delete the puzzles from the games of people who no longer agree, with all attempts at them."""
        async with self._transaction():
            theirs = select(results.game).where(results.person.in_(people))
            gone = select(played_puzzles.id).where(played_puzzles.game.in_(theirs))
            await Puzzles(self._database).drop_attempts(attempts.puzzle.in_(gone))
            for table in (played_puzzles, puzzle_sources):
                await self._delete(table, table.game.in_(theirs))

    async def withdraw_without_consent(self, person: int) -> None:
        """Delete the puzzles from a person's games unless they agree; called after linking, which moves games."""
        settings = await self._read_value(select(people.settings).filter_by(id=person))
        if settings is None or settings.get(PUZZLES_SETTING) is not True:
            await self.withdraw(person)

    async def _list_for(self, person: int, limit: int, *where: Any, **equal: Any) -> list[PlayedPuzzle]:
        others = played_puzzles.game.not_in(select(results.game).filter_by(person=person))
        return await self._list(
            PlayedPuzzle, others, *where, order=(played_puzzles.made_at.desc(), played_puzzles.id), limit=limit, **equal
        )


_SENT: Final = posts.message.is_not(None)
_DAILIES: Final[AnySelect] = select(dailies, *PLACE_COLUMNS).select_from(
    with_inherited(dailies.table.join(places, places.id == dailies.place))
)


class Dailies(Repository):
    """Queries and commands for subscriptions to the daily puzzle, and for the posts of days and months."""

    async def switch_on(self, place: int, hour: int, due_at: datetime) -> None:
        """Subscribe a place to the daily message at an hour; `due_at` is when it is processed first."""
        await self._upsert(dailies, {"place": place, "hour": hour, "due_at": due_at})

    async def switch_off(self, place: int) -> None:
        """End a place's subscription; its last solution is shown when the next puzzle would have been due."""
        async with self._transaction():
            ended = delete(dailies).filter_by(place=place).returning(dailies.due_at)
            for ends in await self._read_column(ended):
                await Posts(self._database).mark_due(ends, _SENT, kind=DAILY, place=place)

    async def reschedule(self, place: PlaceRow, at: datetime) -> None:
        """Reschedule the subscriptions of a place and of all places that inherit its settings."""
        theirs = or_(places.id == place.id, places.channel == place.channel, places.group_id == place.channel)
        meant = select(places.id).where(theirs).filter_by(platform=place.platform)
        await self._update(dailies, {"due_at": at}, dailies.place.in_(meant))

    async def list_due(self, now: datetime, platforms: Collection[str], limit: int = 200) -> list[Daily]:
        """Return the due subscriptions of some platforms, earliest first."""
        return await self._read_all(
            _DAILIES.where(dailies.due_at <= now, places.platform.in_(platforms))
            .order_by(dailies.due_at, "place")
            .limit(limit),
            lambda row: Daily(place_of(row), row["hour"], row["due_at"]),
        )

    async def next_due_at(self, platforms: Collection[str]) -> datetime | None:
        """Return when a subscription of some platforms is due next, None if none is."""
        return await self._read_value(
            select(func.min(dailies.due_at)).join(places).where(places.platform.in_(platforms))
        )

    async def promise(self, place: int, date: str, puzzle: str, at: datetime, next_at: datetime) -> bool:
        """Create the post of a date and set when the subscription is due again; False if there is one already.

        A post of a later date counts as well: the post of an earlier date is never sent after it.
        """
        newest = select(func.max(posts.subject)).filter_by(kind=DAILY, place=place)
        async with self._transaction():
            if not await self._update(dailies, {"due_at": next_at}, place=place):
                return False
            await self._delete(posts, posts.subject < date, kind=DAILY, place=place, message=None)
            if (await self._read_value(newest) or "") >= date:
                return False
            return await Posts(self._database).promise(NewPost(DAILY, f"{date}:{puzzle}", place, at))

    async def postpone(self, place: int, was: datetime, due_at: datetime) -> None:
        """Change when the subscription of a place is due, unless that has changed since it was read."""
        await self._update(dailies, {"due_at": due_at}, place=place, due_at=was)

    async def is_past(self, place: int, date: str) -> bool:
        """Return whether a post of a later date was sent to a place, or no more posts will follow."""
        later = select(posts.id).where(posts.subject > f"{date}~", _SENT).filter_by(kind=DAILY, place=place)
        going = select(dailies.place).filter_by(place=place)
        return bool(await self._read_value(select(or_(later.exists(), ~going.exists()))))

    async def hasten_earlier(self, place: int, date: str, at: datetime) -> None:
        """Make the posts of earlier dates in a place due, which then show their solutions."""
        await Posts(self._database).mark_due(at, posts.subject < date, _SENT, kind=DAILY, place=place)

    async def end(self, place: int) -> None:
        """Delete the subscription of a place that is gone."""
        await self._delete(dailies, place=place)

    async def mark_attempted(self, attempt: Attempt, at: datetime) -> None:
        """Make due the posts of a puzzle in the places that count an attempt at it, once anything was tried."""
        if attempt.tried_at is not None:
            there = select(attempt_places.place).filter_by(attempt=attempt.id)
            await self._mark_due(at, posts.subject.like(f"%:{attempt.puzzle}"), posts.place.in_(there))

    async def mark_since(self, since: datetime, at: datetime) -> None:
        """Make due all posts of dates since a time."""
        await self._mark_due(at, posts.subject >= f"{since:%Y-%m-%d}")

    async def _mark_due(self, at: datetime, *where: Condition) -> None:
        # Where it is switched off, a post is due at its end (`switch_off`).
        await Posts(self._database).mark_due(at, _SENT, posts.place.in_(select(dailies.place)), *where, kind=DAILY)

    async def list_without_month(self, month: str, since: datetime, until: datetime) -> list[PlaceRow]:
        """Return the channels where games ended within a time span and that have no post of a month."""
        played = (
            select(game_places.place)
            .join(results, results.game == game_places.game)
            .where(results.ended_at >= since, results.ended_at < until)
        )
        promised = select(posts.id).filter_by(place=places.id, kind=MONTH, subject=month)
        return await self._read_all(
            SELECT_PLACES.where(places.id.in_(played), places.kind == "group", places.guest.is_(False))
            .where(~promised.exists())
            .order_by(places.id),
            place_of,
        )
