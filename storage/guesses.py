"""Guesses at the next turn of games: who has agreed to them, what was guessed, and what each guess came to."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import insert_if_new, upsert
from storage.errors import StorageError
from storage.events import AnsweringRepository
from storage.puzzle_schema import NewGuess, StoredGuess, guess_consents, guesses
from storage.schema import ProcessedEvent, analyses, games, people, places, seats

HIT_POINTS: Final = 2
"""What a guess is worth that was played."""
GOOD_POINTS: Final = 1
"""What it is worth besides that the analysis calls it as good as the best."""


class GuessRefused(StorageError):
    """A guess that is not taken; `code` says why: "moved-on", "not-agreed", "plays" or "browser"."""

    default = "guess-refused"


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


class Guesses(AnsweringRepository):
    """The verbs about guesses; nobody but the person reads one before its turn was played."""

    async def consents(self, game: str) -> set[int]:
        """Return who agrees that the turns of a game are guessed."""
        return set(await self._read_column(select(guess_consents.person).filter_by(game=game)))

    async def agree(self, game: str, person: int, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Note that somebody agrees; AlreadyProcessed."""
        async with self._answering(processed, at) as connection:
            await insert_if_new(connection, guess_consents, {"game": game, "person": person, "agreed_at": at})

    async def withdraw(
        self, game: str, person: int, open_from: int, at: datetime, processed: ProcessedEvent | None = None
    ) -> None:
        """Take somebody's consent back, and all guesses at turns after a revision; AlreadyProcessed."""
        pending = delete(guesses).where(guesses.revision >= open_from).filter_by(game=game, hit=None)
        async with self._answering(processed, at) as connection:
            await connection.execute(delete(guess_consents).filter_by(game=game, person=person))
            await connection.execute(pending)

    async def guess(self, made: NewGuess, game_at: int, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Store a guess, in place of an earlier one of the same turn; AlreadyProcessed, GuessRefused.

        The game must still be at play at the revision `game_at`, and everybody who plays must agree.
        """
        async with self._answering(processed, at) as connection:
            if (reason := await self._find_refusal(made, game_at)) is not None:
                raise GuessRefused(reason, game=made.game)
            values = asdict(made) | {"made_at": at, "checked": game_at}
            await upsert(connection, guesses, values)

    async def _find_refusal(self, made: NewGuess, game_at: int) -> str | None:
        held = select(games.id).filter_by(id=made.game, revision=game_at, status="playing").with_for_update()
        if not await self._read(held):
            return "moved-on"
        named = select(people.id).where(people.name != "").filter_by(id=seats.person)
        taken = select(seats.person).where(named.exists()).filter_by(game=made.game, state="joined")
        players = set(await self._read_column(taken))
        if made.person in players:
            return "plays"
        if not players or not players <= await self.consents(made.game):
            return "not-agreed"
        if made.browser is not None:
            turn = {"game": made.game, "revision": made.revision, "browser": made.browser}
            if await self._find(StoredGuess, guesses.person != made.person, **turn):
                return "browser"
        return None

    async def list_in_game(self, game: str) -> list[StoredGuess]:
        """Return all guesses at turns of a game."""
        return await self._list(StoredGuess, game=game, order=["id"])

    async def settle(self, game: str, revision: int, results: Mapping[int, bool | None]) -> None:
        """Note which guesses were hits, by their ids, as the game is at a revision; done again, nothing changes."""
        async with self._transaction():
            for number, hit in results.items():
                older = update(guesses).where(guesses.checked <= revision).filter_by(id=number)
                await self._write(older.values(hit=hit, checked=revision))

    async def judge(self, number: int, *, good: bool) -> bool:
        """Note whether the analysis calls a guess as good as the best; say whether that was still to be done."""
        return await self._write(update(guesses).filter_by(id=number, good=None).values(good=good)) == 1

    async def list_unsettled(self, limit: int, place: int) -> list[str]:
        """Return games of a place that went on since their guesses were compared with them."""
        return await self._games(limit, guesses.checked < games.revision, _began_in_place(place))

    async def list_to_judge(self, limit: int, without: Collection[str] = ()) -> list[str]:
        """Return games that are over and analysed and have guesses that nothing was said of yet."""
        unsaid = or_(guesses.checked < games.revision, and_(guesses.hit.is_not(None), guesses.good.is_(None)))
        where = (games.status == "over", unsaid, games.id.not_in(without))
        return await self._games(limit, *where, select(analyses.game).filter_by(game=guesses.game).exists())

    async def counts_in_game(self, game: str) -> list[GuessCounts]:
        """Return how everybody has guessed in a game, best first."""
        return await self._counts(guesses.game == game)

    async def counts_in_place(self, place: int, since: datetime, until: datetime) -> dict[str, list[GuessCounts]]:
        """Return how everybody has guessed in games that began in a place within some time, by kind of game."""
        within = (_began_in_place(place), guesses.made_at >= since, guesses.made_at < until)
        query = select(games.game).join(guesses).where(*within).distinct()
        kinds = sorted(await self._read_column(query))
        return {kind: await self._counts(*within, games.game == kind) for kind in kinds}

    async def counts_of_person(self, person: int) -> GuessCounts:
        """Return how somebody has guessed in all."""
        return next(iter(await self._counts(guesses.person == person)), GuessCounts(person))

    async def _counts(self, *where: ColumnElement[bool]) -> list[GuessCounts]:
        hits, good = (func.count().filter(column) for column in (guesses.hit, guesses.good))
        query = select(guesses.person, people.name, func.count(), hits, good)
        query = query.join(people, people.id == guesses.person).join(games, games.id == guesses.game)
        query = query.where(guesses.hit.is_not(None), *where).group_by(guesses.person, people.name)
        found = [GuessCounts(*row) for row in await self._read(query)]
        return sorted(found, key=lambda each: (-each.points, each.guesses, each.person))

    async def _games(self, limit: int, *where: ColumnElement[bool]) -> list[str]:
        query = select(guesses.game).join(games).where(*where)
        return await self._read_column(query.distinct().order_by(guesses.game).limit(limit))


async def drop_own_guesses(connection: AsyncConnection, both: Collection[int]) -> None:
    """Delete the guesses of two people who become one in games that either of them plays."""
    everybody = select(people.id).where(or_(people.id.in_(both), people.merged_into.in_(both)))
    played = guesses.game.in_(select(seats.game).where(seats.person.in_(everybody)))
    await connection.execute(delete(guesses).where(played, guesses.person.in_(both)))


def _began_in_place(place: int) -> ColumnElement[bool]:
    """Say that a game began in a place, or in a thread of it."""
    home: Any = select(places.platform, places.channel).filter_by(id=place).subquery()
    return games.place.in_(select(places.id).filter_by(platform=home.c.platform, channel=home.c.channel))
