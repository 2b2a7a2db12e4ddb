"""Guesses at the next turn of games: who has agreed to them, what was guessed, and what each guess came to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, and_, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository, insert_if_new, upsert
from storage.errors import StorageError
from storage.events import mark_processed
from storage.puzzle_schema import guess_consents, guesses
from storage.rows import Json, ProcessedEvent
from storage.schema import analyses, games, people, places, seats

HIT_POINTS: Final = 2
"""What a guess is worth that was played."""
GOOD_POINTS: Final = 1
"""What it is worth besides that the analysis calls it as good as the best."""


class GuessRefused(StorageError):
    """A guess that is not taken; `code` says why: "moved-on", "not-agreed", "plays" or "browser"."""

    default = "guess-refused"


@dataclass(frozen=True, slots=True)
class NewGuess:
    """What somebody guesses that the turn after a revision will be; `browser` has one guess a turn."""

    game: str
    revision: int
    person: int
    actions: tuple[str, ...]
    browser: str | None = None


@dataclass(frozen=True, slots=True)
class StoredGuess(NewGuess):
    """A guess with what it came to, None as long as that is not known."""

    id: int = 0
    made_at: datetime | None = None
    hit: bool | None = None
    good: bool | None = None
    checked: int = 0


@dataclass(frozen=True, slots=True)
class GuessCounts:
    """How somebody has guessed: turns that were played, hits, guesses as good as the best, and points."""

    person: int = 0
    name: str = ""
    guesses: int = 0
    hits: int = 0
    good: int = 0

    @property
    def points(self) -> int:
        """What all of it is worth."""
        return HIT_POINTS * self.hits + GOOD_POINTS * self.good


class Guesses(Repository):
    """The verbs about guesses; nobody but the person reads one before its turn was played."""

    async def consents(self, game: str) -> set[int]:
        """Return who agrees that the turns of a game are guessed."""
        query = select(guess_consents.c.person).filter_by(game=game)
        return set(await self._read_column(query))

    async def agree(self, game: str, person: int, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Note that somebody agrees; AlreadyProcessed."""
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            await insert_if_new(connection, guess_consents, {"game": game, "person": person, "agreed_at": at})

    async def withdraw(
        self, game: str, person: int, open_from: int, at: datetime, processed: ProcessedEvent | None = None
    ) -> None:
        """Take somebody's consent back, and all guesses at turns after a revision; AlreadyProcessed."""
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            mine = (guess_consents.c.game == game, guess_consents.c.person == person)
            await connection.execute(delete(guess_consents).where(*mine))
            pending = (guesses.c.game == game, guesses.c.revision >= open_from, guesses.c.hit.is_(None))
            await connection.execute(delete(guesses).where(*pending))

    async def guess(self, made: NewGuess, game_at: int, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Store a guess, in place of an earlier one of the same turn; AlreadyProcessed, GuessRefused.

        The game must still be at play at the revision `game_at`, and everybody who plays must agree.
        """
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            held = select(games.c.revision, games.c.status).filter_by(id=made.game).with_for_update()
            row = (await connection.execute(held)).one_or_none()
            if row is None or tuple(row) != (game_at, "playing"):
                raise GuessRefused("moved-on", game=made.game)
            taken = select(seats.c.person).join(people, people.c.id == seats.c.person)
            taken = taken.where(seats.c.game == made.game, seats.c.state == "joined", people.c.name != "")
            players = set((await connection.execute(taken)).scalars())
            if made.person in players:
                raise GuessRefused("plays", game=made.game)
            agreed = select(guess_consents.c.person).filter_by(game=made.game)
            if not players or not players <= set((await connection.execute(agreed)).scalars()):
                raise GuessRefused("not-agreed", game=made.game)
            if made.browser is not None:
                other = (
                    select(guesses.c.id)
                    .where(guesses.c.person != made.person)
                    .filter_by(game=made.game, revision=made.revision, browser=made.browser)
                )
                if (await connection.execute(other)).first() is not None:
                    raise GuessRefused("browser", game=made.game)
            key = {"game": made.game, "revision": made.revision, "person": made.person}
            rest = {"actions": list(made.actions), "browser": made.browser, "made_at": at, "checked": game_at}
            await upsert(connection, guesses, tuple(key), {**key, **rest})

    async def list_in_game(self, game: str) -> list[StoredGuess]:
        """Return all guesses at turns of a game."""
        return await self._list(guesses.c.game == game)

    async def settle(self, game: str, revision: int, results: Mapping[int, bool | None]) -> None:
        """Note which guesses were hits, by their ids, as the game is at a revision; done again, nothing changes."""
        async with self._database.transaction() as connection:
            for number, hit in results.items():
                where = (guesses.c.id == number, guesses.c.checked <= revision)
                values: Json = {"hit": hit, "checked": revision}
                await connection.execute(update(guesses).where(*where).values(**values))

    async def judge(self, number: int, *, good: bool) -> bool:
        """Note whether the analysis calls a guess as good as the best; say whether that was still to be done."""
        where = (guesses.c.id == number, guesses.c.good.is_(None))
        return await self._write(update(guesses).where(*where).values(good=good)) == 1

    async def list_unsettled(self, limit: int, *, place: int | None = None, person: int | None = None) -> list[str]:
        """Return games that went on since their guesses were compared with them, in a place or a person's."""
        where: list[ColumnElement[bool]] = [guesses.c.checked < games.c.revision]
        if place is not None:
            where.append(_began_in_place(place))
        if person is not None:
            where.append(guesses.c.person == person)
        return await self._games(limit, *where)

    async def list_to_judge(self, limit: int, without: Collection[str] = ()) -> list[str]:
        """Return games that are over and analysed and have guesses that nothing was said of yet."""
        unsaid = or_(guesses.c.checked < games.c.revision, and_(guesses.c.hit.is_not(None), guesses.c.good.is_(None)))
        where = (games.c.status == "over", unsaid, games.c.id.not_in(without))
        analysed = select(analyses.c.game).where(analyses.c.game == guesses.c.game).exists()
        return await self._games(limit, *where, analysed)

    async def counts_in_game(self, game: str) -> list[GuessCounts]:
        """Return how everybody has guessed in a game, best first."""
        return await self._counts(guesses.c.game == game)

    async def counts_in_place(self, place: int, since: datetime, until: datetime) -> dict[str, list[GuessCounts]]:
        """Return how everybody has guessed in games that began in a place within some time, by kind of game."""
        within = (_began_in_place(place), guesses.c.made_at >= since, guesses.c.made_at < until)
        query = select(games.c.game).join(guesses, guesses.c.game == games.c.id).where(*within).distinct()
        kinds = sorted(await self._read_column(query))
        return {kind: await self._counts(*within, games.c.game == kind) for kind in kinds}

    async def counts_of_person(self, person: int) -> GuessCounts:
        """Return how somebody has guessed in all."""
        return next(iter(await self._counts(guesses.c.person == person)), GuessCounts(person))

    async def _counts(self, *where: ColumnElement[bool]) -> list[GuessCounts]:
        hits, good = (func.count().filter(column) for column in (guesses.c.hit, guesses.c.good))
        query = select(guesses.c.person, people.c.name, func.count(), hits, good)
        query = query.join(people, people.c.id == guesses.c.person).join(games, games.c.id == guesses.c.game)
        query = query.where(guesses.c.hit.is_not(None), *where).group_by(guesses.c.person, people.c.name)
        async with self._database.read_autocommit() as connection:
            found = [GuessCounts(*row) for row in (await connection.execute(query)).all()]
        return sorted(found, key=lambda each: (-each.points, each.guesses, each.person))

    async def _games(self, limit: int, *where: ColumnElement[bool]) -> list[str]:
        query = select(guesses.c.game).join(games, games.c.id == guesses.c.game).where(*where)
        query = query.distinct().order_by(guesses.c.game).limit(limit)
        return await self._read_column(query)

    async def _list(self, *where: ColumnElement[bool]) -> list[StoredGuess]:
        query = select(guesses).where(*where).order_by(guesses.c.id)
        return await self._read_all(query, _to_guess)


async def transfer_guesses(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Give the guesses of a person to another; the older one of a turn stays, and none in games that they play."""
    query = select(guesses.c.id, guesses.c.game, guesses.c.revision)
    query = query.where(guesses.c.person.in_((gone, remaining))).order_by(guesses.c.made_at, guesses.c.id)
    known: set[tuple[str, int]] = set()
    for row in (await connection.execute(query)).all():
        if (row.game, row.revision) in known:
            await connection.execute(delete(guesses).filter_by(id=row.id))
        known.add((row.game, row.revision))
    await connection.execute(update(guesses).filter_by(person=gone).values(person=remaining))
    everybody = select(people.c.id).where(
        or_(people.c.id.in_((gone, remaining)), people.c.merged_into.in_((gone, remaining)))
    )
    played = select(seats.c.game).where(seats.c.person.in_(everybody))
    await connection.execute(delete(guesses).where(guesses.c.game.in_(played)).filter_by(person=remaining))
    both = select(guess_consents.c.game).filter_by(person=remaining)
    of_gone: ColumnElement[bool] = guess_consents.c.person == gone
    await connection.execute(delete(guess_consents).where(of_gone, guess_consents.c.game.in_(both.scalar_subquery())))
    await connection.execute(update(guess_consents).where(of_gone).values(person=remaining))


async def forget_guesses(connection: AsyncConnection, everybody: Collection[int]) -> None:
    """Delete the guesses of people, and that they agreed to any."""
    await connection.execute(delete(guesses).where(guesses.c.person.in_(everybody)))
    await connection.execute(delete(guess_consents).where(guess_consents.c.person.in_(everybody)))


def _began_in_place(place: int) -> ColumnElement[bool]:
    """Say that a game began in a place, or in a thread of it."""
    home = select(places.c.platform, places.c.channel).filter_by(id=place).subquery()
    inside: Sequence[Any] = (places.c.platform == home.c.platform, places.c.channel == home.c.channel)
    return games.c.place.in_(select(places.c.id).where(*inside))


def _to_guess(row: RowMapping) -> StoredGuess:
    return StoredGuess(**{**row, "actions": tuple(row["actions"])})
