"""Competitions: their events, entrants and games, and the places that show them."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal, get_args

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    RowMapping,
    Select,
    and_,
    bindparam,
    case,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import is_as_read
from storage.competition_schema import competition_events, competition_games, competition_places, competitions, entrants
from storage.database import Repository, insert_if_new, upsert
from storage.errors import CodeTaken, Conflict, StorageError
from storage.events import insert_events, mark_processed
from storage.notices import put_notices
from storage.places import PLACE_COLUMNS, place_of, with_inherited
from storage.ratings import NewTitle, store_titles
from storage.rows import Event, NewEvent, NewNotice, PlaceRow, ProcessedEvent
from storage.schema import members, places
from storage.sqlite import Prepared, is_one_of

CompetitionStatus = Literal["open", "running", "over"]
CompetitionKind = Literal["cup", "league", "ladder"]
COMPETITION_KINDS: Final[tuple[CompetitionKind, ...]] = get_args(CompetitionKind)
_MAX_PLACES: Final = 1000


class AlreadyPaired(StorageError):
    """A slot of a competition that already has a game; `competition`, `slot`."""

    default = "paired-already"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionRow:
    """A competition without its events; `due_at` is when it is to be processed, `seed` its secret random seed."""

    id: str
    status: CompetitionStatus
    game_key: str
    place: int
    maker: int
    seed: str = field(repr=False)
    seed_hash: str
    revision: int
    due_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    kind: CompetitionKind = "cup"


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """The person behind an entrant number in the events of a competition; `person` is None for a computer.

    `place` is where they entered, with the event `joined_by`; `inside` is true until they leave; `rank` is their final
    rank.
    """

    number: int
    person: int | None
    place: int | None
    joined_by: str
    inside: bool = True
    rank: int | None = None


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


@dataclass(frozen=True, slots=True)
class CompetitionPlace:
    """A place that shows a competition: `message` shows `shown_revision`; `announced_rounds` were announced there."""

    competition: str
    place: PlaceRow
    revision: int
    message: str | None
    shown_revision: int | None
    announced_rounds: int
    due_at: datetime | None
    attempts: int
    gone: bool


class Competitions(Repository):
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
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            values = asdict(row) | {"revision": len(events)}
            if not await insert_if_new(connection, competitions, values):
                raise CodeTaken(competition=row.id)
            of = competition_events.c.competition
            await insert_events(connection, competition_events, of, row.id, 0, events, at, processed, moves=moves)
            await connection.execute(insert(competition_places).values(**_build_place_row(row.id, row.place, at)))
            self._database.emit_after_commit("competition", row.id)
            return await _to_single_row(connection, row.id)

    async def get(self, competition: str) -> CompetitionRow | None:
        """Return a competition, None if there is none with this id."""
        return await self._read_one(_COMPETITION, lambda row: CompetitionRow(**row), {"competition_id": competition})

    async def list_ids(self, after: str = "", limit: int = 100, kind: CompetitionKind = "cup") -> list[str]:
        """Return the ids of all competitions of a kind after a given id, in alphabetical order."""
        query = select(competitions.c.id).where(competitions.c.id > after).filter_by(kind=kind)
        query = query.order_by(competitions.c.id).limit(limit)
        return await self._read_column(query)

    async def events(self, competition: str, after: int = 0) -> list[Event]:
        """Return the events of a competition numbered above `after`, in order."""

        def build(row: RowMapping) -> Event:
            return Event(**{"game" if name == "competition" else name: value for name, value in row.items()})

        return await self._read_all(_EVENTS, build, {"competition_id": competition, "after": after})

    async def entrants(self, competition: str) -> list[EntrantRow]:
        """Return all entrants of a competition by number, including those who have left."""
        return await self._read_rows(_ENTRANTS, EntrantRow, {"competition_id": competition})

    async def paired_games(self, competition: str) -> dict[str, str]:
        """Return the games of a competition by slot."""
        return await self._read_pairs(_PAIRED_GAMES, {"competition_id": competition})

    async def commit(self, change: CompetitionChange) -> CompetitionRow:
        """Store a step of a competition and return the new row; Conflict, AlreadyProcessed, AlreadyPaired.

        All places that show it are scheduled for an update.
        """
        row, at = change.row, change.at
        values = {"status": row.status, "due_at": row.due_at, "ended_at": row.ended_at}
        query = update(competitions).filter_by(id=row.id, revision=row.revision)
        async with self._database.transaction() as connection:
            await mark_processed(connection, change.processed, at)
            moved = query.values(revision=row.revision + len(change.events), **values)
            if (await connection.execute(moved)).rowcount != 1:
                raise Conflict(row.id, row.revision)
            await insert_events(
                connection,
                competition_events,
                competition_events.c.competition,
                row.id,
                row.revision,
                change.events,
                at,
                change.processed,
                moves=change.moves,
            )
            for each in change.entrants:
                entry = asdict(each) | {"competition": row.id}
                await upsert(connection, entrants, ("competition", "number"), entry)
            for slot, game in change.games:
                paired = {"competition": row.id, "slot": slot, "game": game}
                if not await insert_if_new(connection, competition_games, paired):
                    raise AlreadyPaired(competition=row.id, slot=slot)
            await store_titles(connection, change.titles, at)
            if change.notices:
                await put_notices(connection, None, (), change.notices, at)
                self._database.emit_after_commit("notices")
            stale = update(competition_places).filter_by(competition=row.id)
            stale = stale.where(competition_places.c.gone.is_(False))
            await connection.execute(stale.values(due_at=func.coalesce(competition_places.c.due_at, at)))
            self._database.emit_after_commit("competition", row.id)
            return await _to_single_row(connection, row.id)

    async def list_due(self, now: datetime, limit: int = 100, kind: CompetitionKind = "cup") -> list[str]:
        """Return the competitions of a kind that are due, earliest first."""
        return await self._read_column(_DUE, {"until": now, "of_kind": kind, "limit": limit})

    async def next_due_at(self, kind: CompetitionKind = "cup") -> datetime | None:
        """Return when the next competition is due for processing or for showing, None if none is."""
        first = select(func.min(competitions.c.due_at)).where(competitions.c.due_at.is_not(None))
        first = first.where(competitions.c.kind == kind)
        shown = competition_places.join(competitions, competitions.c.id == competition_places.c.competition)
        second = select(func.min(competition_places.c.due_at)).select_from(shown)
        second = second.where(competition_places.c.due_at.is_not(None), competitions.c.kind == kind)
        async with self._database.read_snapshot() as connection:
            found = [(await connection.execute(query)).scalar_one() for query in (first, second)]
        return min((each for each in found if each is not None), default=None)

    async def postpone(self, competition: str, was: datetime | None, until: datetime | None) -> None:
        """Change when a competition is due, unless that has changed since it was read."""
        query = update(competitions).where(is_as_read(competitions.c.due_at, was)).filter_by(id=competition)
        await self._write(query.values(due_at=until))

    async def list_in_place(self, place: int, limit: int = 25, kind: CompetitionKind = "cup") -> list[CompetitionRow]:
        """Return the competitions shown in a place: first unfinished ones, newest first, then finished ones."""
        query = select(competitions).join(competition_places, competition_places.c.competition == competitions.c.id)
        query = query.where(competition_places.c.place == place, competitions.c.kind == kind)
        query = query.order_by(competitions.c.ended_at.is_not(None), competitions.c.created_at.desc()).limit(limit)
        return await self._read_rows(query, CompetitionRow)

    async def list_made_by(self, person: int, kind: CompetitionKind = "cup") -> list[CompetitionRow]:
        """Return the competitions of a kind that a person made, newest first."""
        query = select(competitions).filter_by(maker=person, kind=kind)
        query = query.order_by(competitions.c.created_at.desc())
        return await self._read_rows(query, CompetitionRow)

    async def private_place(self, person: int, platform: str) -> int | None:
        """Return the place of a person's private chat on the platform where they were seen last, None without one."""
        query = select(members.c.place).join(places, places.c.id == members.c.place)
        query = query.where(members.c.person == person, places.c.platform == platform, places.c.kind == "private")
        return await self._read_value(query.order_by(members.c.seen_at.desc()).limit(1))

    async def count_wins(self, person: int) -> dict[str, int]:
        """Return how many competitions a person has won, by game key."""
        query = select(competitions.c.game_key, func.count()).join(
            entrants, entrants.c.competition == competitions.c.id
        )
        query = query.where(entrants.c.person == person, entrants.c.rank == 1, competitions.c.kind == "cup")
        query = query.group_by(competitions.c.game_key)
        return await self._read_pairs(query)

    # Where competitions are shown.

    async def add_place(self, competition: str, place: int, at: datetime) -> bool:
        """Show a competition in a place with a new message; return whether it was not shown there yet."""
        # The old message is kept to be retired; an empty one records that there was one.
        none = case((competition_places.c.message.is_(None), competition_places.c.shown_revision))
        again = {"shown_revision": none, "due_at": at, "attempts": 0, "gone": False}
        where = (competition_places.c.competition == competition, competition_places.c.place == place)
        async with self._database.transaction() as connection:
            if await insert_if_new(connection, competition_places, _build_place_row(competition, place, at)):
                self._database.emit_after_commit("competition", competition)
                return True
            await connection.execute(update(competition_places).where(*where).values(**again))
            return False

    async def list_places(self, competition: str) -> list[CompetitionPlace]:
        """Return the places that show a competition, its host first."""
        return await self._read_all(_PLACES, _to_shown, {"competition_id": competition})

    async def list_due_places(
        self, now: datetime, limit: int = 100, platforms: Collection[str] | None = None, kind: CompetitionKind = "cup"
    ) -> list[CompetitionPlace]:
        """Return the places whose message of a competition of a kind is due, earliest first; None: all platforms."""
        query = _due_places(None if platforms is None else frozenset(platforms))
        return await self._read_all(query, _to_shown, {"until": now, "of_kind": kind, "limit": limit})

    async def record_shown(
        self, shown: CompetitionPlace, *, message: str | None, revision: int, announced_rounds: int, at: datetime
    ) -> None:
        """Record what a place shows of a competition.

        It stays due if the competition has changed meanwhile, or if it was made due again since it was read as `shown`.
        """
        newest = select(competitions.c.revision).filter_by(id=shown.competition)
        query = update(competition_places).where(*_match_place(shown))
        is_same = and_(
            is_as_read(competition_places.c.due_at, shown.due_at),
            competition_places.c.shown_revision.is_not_distinct_from(shown.shown_revision),
        )
        # A new message was requested while this one was written.
        is_requested = and_(competition_places.c.shown_revision.is_(None), ~is_same)
        async with self._database.transaction() as connection:
            now = (await connection.execute(newest.with_for_update(read=True))).scalar_one()
            values: dict[str, Any] = {"message": message, "announced_rounds": announced_rounds, "attempts": 0}
            values["shown_revision"] = case((is_requested, None), else_=revision)
            values["due_at"] = case((is_same, None), else_=at) if now <= revision else at
            await connection.execute(query.values(**values))

    async def record_failure(self, shown: CompetitionPlace, next_try: datetime | None) -> None:
        """Record that a place could not be updated and when to retry; None ends showing the competition there."""
        values: dict[str, Any] = {"due_at": next_try, "attempts": competition_places.c.attempts + 1}
        values |= {} if next_try is not None else {"gone": True, "message": None}
        await self._write(update(competition_places).where(*_match_place(shown)).values(**values))


_ENTRANT_COLUMNS: Final = (
    entrants.c.number,
    entrants.c.person,
    entrants.c.place,
    entrants.c.joined_by,
    entrants.c.inside,
    entrants.c.rank,
)
_ID: Final[BindParameter[str]] = bindparam("competition_id")
_COMPETITION: Final = Prepared(select(competitions).filter_by(id=_ID))
_EVENTS: Final = Prepared(
    select(competition_events)
    .where(competition_events.c.number > bindparam("after"))
    .filter_by(competition=_ID)
    .order_by(competition_events.c.number)
)
_ENTRANTS: Final = Prepared(select(*_ENTRANT_COLUMNS).where(entrants.c.competition == _ID).order_by(entrants.c.number))
_PAIRED_GAMES: Final = Prepared(select(competition_games.c.slot, competition_games.c.game).filter_by(competition=_ID))
_DUE: Final = Prepared(
    select(competitions.c.id)
    .where(competitions.c.due_at <= bindparam("until"))
    .filter_by(kind=bindparam("of_kind"))
    .order_by(competitions.c.due_at, competitions.c.id)
    .limit(bindparam("limit"))
)


def _build_places_query(*where: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    source = competition_places.join(competitions, competitions.c.id == competition_places.c.competition)
    source = source.join(places, places.c.id == competition_places.c.place)
    query = select(competition_places, competitions.c.revision, *PLACE_COLUMNS)
    query = query.select_from(with_inherited(source)).where(*where)
    host = competition_places.c.place != competitions.c.place
    return query.order_by(competition_places.c.due_at, host, competition_places.c.place)


_PLACES: Final = Prepared(_build_places_query(competition_places.c.competition == _ID).limit(_MAX_PLACES))


@cache
def _due_places(platforms: frozenset[str] | None) -> Prepared:
    query = _build_places_query(
        competition_places.c.due_at <= bindparam("until"),
        competitions.c.kind == bindparam("of_kind"),
        is_one_of(places.c.platform, platforms),
    )
    return Prepared(query.limit(bindparam("limit")))


def _build_place_row(competition: str, place: int, at: datetime) -> dict[str, Any]:
    values: dict[str, Any] = {"competition": competition, "place": place, "message": None, "shown_revision": None}
    return values | {"announced_rounds": 0, "due_at": at, "attempts": 0, "gone": False}


def _match_place(shown: CompetitionPlace) -> tuple[ColumnElement[bool], ...]:
    return (competition_places.c.competition == shown.competition, competition_places.c.place == shown.place.id)


def _to_shown(row: RowMapping) -> CompetitionPlace:
    names = ("message", "shown_revision", "announced_rounds", "due_at", "attempts", "gone")
    return CompetitionPlace(row["competition"], place_of(row), row["revision"], *(row[name] for name in names))


async def _to_single_row(connection: AsyncConnection, competition: str) -> CompetitionRow:
    query = select(competitions).filter_by(id=competition)
    return CompetitionRow(**(await connection.execute(query)).mappings().one())
