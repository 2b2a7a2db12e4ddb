"""Competitions: their events, entrants and games, the places that show them, and what becomes of them with people."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import and_, case, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import AnySelect, Json, is_as_read
from storage.competition_schema import (
    CompetitionKind,
    CompetitionPlace,
    CompetitionRow,
    EntrantRow,
    NewTitle,
    competition_events,
    competition_games,
    competition_places,
    competitions,
    entrants,
)
from storage.database import insert_if_new, upsert
from storage.errors import CodeTaken, Conflict, StorageError
from storage.events import AnsweringRepository, insert_events
from storage.notices import put_notices
from storage.places import PLACE_COLUMNS, with_inherited, with_place
from storage.ratings import store_titles
from storage.rows import NewEvent, NewNotice
from storage.schema import Event, ProcessedEvent, columns_of, members, places

ENTERED_EVENT: Final = "entered"
"""The kind of the event by which a person enters a competition."""
_MAX_PLACES: Final = 1000


class AlreadyPaired(StorageError):
    """A slot of a competition that already has a game; `competition`, `slot`."""

    default = "paired-already"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionChange:
    """One step of a competition, stored completely or not at all; `row` is the new row with the revision that was read.

    `entrants` are new or changed ones; `games` are ids by the slot that they were paired for. `titles` are the titles
    awarded, `notices` the notices to send. `moves` is the number of the last move of the clock that told `at`.
    """

    row: CompetitionRow
    events: tuple[NewEvent, ...]
    at: datetime
    entrants: tuple[EntrantRow, ...] = ()
    games: tuple[tuple[str, str], ...] = ()
    titles: tuple[NewTitle, ...] = ()
    notices: tuple[NewNotice, ...] = ()
    processed: ProcessedEvent | None = None
    moves: int = 0


class Competitions(AnsweringRepository):
    """Queries and commands for competitions."""

    async def create(
        self,
        row: CompetitionRow,
        events: Sequence[NewEvent],
        at: datetime,
        processed: ProcessedEvent | None = None,
        *,
        moves: int = 0,
    ) -> CompetitionRow:
        """Store a new competition, shown in its place, and return it; AlreadyProcessed, CodeTaken."""
        async with self._answering(processed, at) as connection:
            if not await insert_if_new(connection, competitions, asdict(row) | {"revision": len(events)}):
                raise CodeTaken(competition=row.id)
            await insert_events(connection, competition_events, row.id, 0, events, at, processed, moves=moves)
            await self.add_place(row.id, row.place, at)
            return await self._get_stored(row.id)

    async def _get_stored(self, competition: str) -> CompetitionRow:
        return (await self._list(CompetitionRow, id=competition))[0]

    async def get(self, competition: str) -> CompetitionRow | None:
        """Return a competition, None if there is none with this id."""
        return await self._find(CompetitionRow, id=competition)

    async def list_ids(self, after: str = "", limit: int = 100, kind: CompetitionKind = "cup") -> list[str]:
        """Return the ids of all competitions of a kind after a given id, in alphabetical order."""
        query = select(competitions.id).where(competitions.id > after).filter_by(kind=kind)
        return await self._read_column(query.order_by("id").limit(limit))

    async def events(self, competition: str, after: int = 0) -> list[Event]:
        """Return the events of a competition numbered above `after`, in order."""
        columns = columns_of(Event, competition_events)
        query = select(competition_events.competition.label("game"), *columns)
        query = query.where(competition_events.number > after).filter_by(competition=competition)
        return await self._read_rows(query.order_by("number"), Event)

    async def entrants(self, competition: str) -> list[EntrantRow]:
        """Return all entrants of a competition by number, including those who have left."""
        return await self._list(EntrantRow, competition=competition, order=["number"])

    async def paired_games(self, competition: str) -> dict[str, str]:
        """Return the games of a competition by slot."""
        query = select(competition_games.slot, competition_games.game)
        return await self._read_pairs(query.filter_by(competition=competition))

    async def commit(self, change: CompetitionChange) -> CompetitionRow:
        """Store a step of a competition and return the new row; Conflict, AlreadyProcessed, AlreadyPaired.

        All places that show it are scheduled for an update.
        """
        row, at = change.row, change.at
        values: Json = {"status": row.status, "due_at": row.due_at, "ended_at": row.ended_at}
        values["revision"] = row.revision + len(change.events)
        async with self._answering(change.processed, at) as connection:
            if not await self._write(update(competitions).filter_by(id=row.id, revision=row.revision).values(values)):
                raise Conflict(row.id, row.revision)
            news = (competition_events, row.id, row.revision, change.events, at, change.processed)
            await insert_events(connection, *news, moves=change.moves)
            for each in change.entrants:
                await upsert(connection, entrants, asdict(each) | {"competition": row.id})
            for slot, game in change.games:
                paired = {"competition": row.id, "slot": slot, "game": game}
                if not await insert_if_new(connection, competition_games, paired):
                    raise AlreadyPaired(competition=row.id, slot=slot)
            await store_titles(connection, change.titles, at)
            if change.notices:
                await put_notices(connection, None, (), change.notices, at)
                self._emit("notices")
            stale = update(competition_places).filter_by(competition=row.id, gone=False)
            await connection.execute(stale.values(due_at=func.coalesce(competition_places.due_at, at)))
            self._emit("competition", row.id)
            return await self._get_stored(row.id)

    async def list_due(self, now: datetime, limit: int = 100, kind: CompetitionKind = "cup") -> list[str]:
        """Return the competitions of a kind that are due, earliest first."""
        query = select(competitions.id).where(competitions.due_at <= now).filter_by(kind=kind)
        return await self._read_column(query.order_by(competitions.due_at, "id").limit(limit))

    async def next_due_at(self, kind: CompetitionKind = "cup") -> datetime | None:
        """Return when the next competition is due for processing or for showing, None if none is."""
        first = select(func.min(competitions.due_at)).where(competitions.due_at.is_not(None))
        shown = competition_places.table.join(competitions)
        second = select(func.min(competition_places.due_at)).select_from(shown)
        second = second.where(competition_places.due_at.is_not(None))
        found = [await self._read_value(query.where(competitions.kind == kind)) for query in (first, second)]
        return min((each for each in found if each is not None), default=None)

    async def postpone(self, competition: str, was: datetime | None, until: datetime | None) -> None:
        """Change when a competition is due, unless that has changed since it was read."""
        query = update(competitions).where(is_as_read(competitions.due_at, was)).filter_by(id=competition)
        await self._write(query.values(due_at=until))

    async def list_in_place(self, place: int, limit: int = 25, kind: CompetitionKind = "cup") -> list[CompetitionRow]:
        """Return the competitions shown in a place: first unfinished ones, newest first, then finished ones."""
        shown = select(competition_places.competition).filter_by(place=place)
        order = (competitions.ended_at.is_not(None), competitions.created_at.desc())
        return await self._list(CompetitionRow, competitions.id.in_(shown), kind=kind, order=order, limit=limit)

    async def list_made_by(self, person: int, kind: CompetitionKind = "cup") -> list[CompetitionRow]:
        """Return the competitions of a kind that a person made, newest first."""
        return await self._list(CompetitionRow, maker=person, kind=kind, order=[competitions.created_at.desc()])

    async def private_place(self, person: int, platform: str) -> int | None:
        """Return the place of a person's private chat on the platform where they were seen last, None without one."""
        query = select(members.place).join(places)
        query = query.filter_by(person=person, platform=platform, kind="private")
        return await self._read_value(query.order_by(members.seen_at.desc()).limit(1))

    async def count_wins(self, person: int) -> dict[str, int]:
        """Return how many competitions a person has won, by game key."""
        won = select(entrants.competition).filter_by(person=person, rank=1)
        query = select(competitions.game_key, func.count()).where(competitions.id.in_(won)).filter_by(kind="cup")
        return await self._read_pairs(query.group_by(competitions.game_key))

    # Where competitions are shown.

    async def add_place(self, competition: str, place: int, at: datetime) -> bool:
        """Show a competition in a place with a new message; return whether it was not shown there yet."""
        key = {"competition": competition, "place": place}
        async with self._transaction() as connection:
            if await insert_if_new(connection, competition_places, {**key, "due_at": at}):
                self._emit("competition", competition)
                return True
            # The old message is kept to be retired; an empty one records that there was one.
            none = case((competition_places.message.is_(None), competition_places.shown_revision))
            again = update(competition_places).filter_by(**key)
            await connection.execute(again.values(shown_revision=none, due_at=at, attempts=0, gone=False))
            return False

    async def list_places(self, competition: str) -> list[CompetitionPlace]:
        """Return the places that show a competition, its host first."""
        query = _PLACES.where(competition_places.competition == competition).limit(_MAX_PLACES)
        return await self._read_all(query, with_place(CompetitionPlace))

    async def list_due_places(
        self, now: datetime, limit: int = 100, platforms: Collection[str] | None = None, kind: CompetitionKind = "cup"
    ) -> list[CompetitionPlace]:
        """Return the places whose message of a competition of a kind is due, earliest first; None: all platforms."""
        query = _PLACES.where(competition_places.due_at <= now, competitions.kind == kind)
        if platforms is not None:
            query = query.where(places.platform.in_(platforms))
        return await self._read_all(query.limit(limit), with_place(CompetitionPlace))

    async def record_shown(
        self, shown: CompetitionPlace, *, message: str | None, revision: int, announced_rounds: int, at: datetime
    ) -> None:
        """Record what a place shows of a competition.

        It stays due if the competition has changed meanwhile, or if it was made due again since it was read as `shown`.
        """
        newest = select(competitions.revision).filter_by(id=shown.competition)
        is_same = and_(
            is_as_read(competition_places.due_at, shown.due_at),
            competition_places.shown_revision.is_not_distinct_from(shown.shown_revision),
        )
        # A new message was requested while this one was written.
        is_requested = and_(competition_places.shown_revision.is_(None), ~is_same)
        async with self._transaction():
            now: Any = await self._read_value(newest.with_for_update(read=True))
            values: Json = {"message": message, "announced_rounds": announced_rounds, "attempts": 0}
            values["shown_revision"] = case((is_requested, None), else_=revision)
            values["due_at"] = case((is_same, None), else_=at) if now <= revision else at
            await self._write(_update_place(shown).values(values))

    async def record_failure(self, shown: CompetitionPlace, next_try: datetime | None) -> None:
        """Record that a place could not be updated and when to retry; None ends showing the competition there."""
        ended = {} if next_try is not None else {"gone": True, "message": None}
        change = _update_place(shown).values(due_at=next_try, attempts=competition_places.attempts + 1, **ended)
        await self._write(change)


def _build_places_query() -> AnySelect:
    source = competition_places.table.join(competitions)
    source = source.join(places, places.id == competition_places.place)
    query = select(competition_places, competitions.revision, *PLACE_COLUMNS).select_from(with_inherited(source))
    host = competition_places.place != competitions.place
    return query.order_by(competition_places.due_at, host, competition_places.place)


_PLACES: Final = _build_places_query()


def _update_place(shown: CompetitionPlace) -> Any:
    return update(competition_places).filter_by(competition=shown.competition, place=shown.place.id)


async def transfer_entries(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the entries of a person to another; where both have entered, the other keeps their own entry."""
    both = select(entrants.competition).filter_by(person=remaining)
    query = update(entrants).filter_by(person=gone)
    await connection.execute(query.where(entrants.competition.not_in(both)).values(person=remaining))
    await connection.execute(query.values(person=None, inside=False, rank=None))
    await connection.execute(update(competitions).filter_by(maker=gone).values(maker=remaining))
    await _mark_due(connection, [remaining])


async def restore_entries(connection: AsyncConnection, person: int, own: int) -> None:
    """Restore the entries that a person had before they were merged, in finished competitions only."""
    by = select(competition_events.competition).filter_by(kind=ENTERED_EVENT)
    theirs, others = by.filter_by(person=own), by.filter_by(person=person)
    over = select(competitions.id).filter_by(id=entrants.competition, status="over")
    query = update(entrants).where(over.exists()).filter_by(person=person)
    query = query.where(entrants.competition.in_(theirs), entrants.competition.not_in(others))
    await connection.execute(query.values(person=own))


async def forget_entries(connection: AsyncConnection, people: Collection[int]) -> None:
    """Withdraw forgotten people from their competitions and remove the ids of the events by which they entered."""
    await _mark_due(connection, people)
    await connection.execute(update(entrants).where(entrants.person.in_(people)).values(inside=False))


async def _mark_due(connection: AsyncConnection, people: Collection[int]) -> None:
    """Schedule the competitions that people have entered for processing, and show them again with current names."""
    mine = select(entrants.competition).where(entrants.person.in_(people))
    query = update(competitions).where(competitions.id.in_(mine), competitions.status != "over")
    await connection.execute(query.values(due_at=competitions.created_at))
    made = select(competitions.created_at).filter_by(id=competition_places.competition)
    shown = update(competition_places).where(competition_places.competition.in_(mine)).filter_by(gone=False)
    await connection.execute(shown.values(due_at=made.scalar_subquery()))
