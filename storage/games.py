"""Reading games (positions, lists, events, results), and the analyses of finished games."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    RowMapping,
    Select,
    and_,
    bindparam,
    case,
    func,
    null,
    select,
    text,
    type_coerce,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.agreements import read_offers, read_terms
from storage.columns import UNKNOWN_TIME, Undecodable
from storage.database import upsert
from storage.people import people_by_id, to_person
from storage.prepared import Prepared
from storage.puzzle_schema import attempts
from storage.repository import Repository
from storage.rows import Event, GameBrief, GameRow, Json, Person, Result, Seat, Standing
from storage.schema import analyses, events, game_places, games, lessons, people, ratings, results, seats

BRIEF_COLUMNS: Final = [games.c[field.name] for field in fields(GameBrief) if field.name in games.c]
_IS_LIVE: Final = "games.status <> 'over'"
"""A literal, as in its partial index: SQLite would not use the index with a bound parameter."""
GAME_COLUMNS: Final = [games.c[field.name] for field in fields(GameRow) if field.name in games.c]
_PERSON_FIELDS: Final = tuple(field.name for field in fields(Person))
_SEAT: Final = tuple(field.name for field in fields(Seat))


def _build_games_query() -> Select[*tuple[Any, ...]]:
    """Return the query for the games of a person."""
    person = bindparam("of", type_=Integer())
    invited = and_(games.c.status == "lobby", seats.c.state == "invited")
    rank = case((games.c.to_move == person, 0), (invited, 1), else_=2)
    query = select(*BRIEF_COLUMNS, (rank < 2).label("waiting")).join(seats, seats.c.game == games.c.id)
    query = query.where(seats.c.person == person, seats.c.live, seats.c.state != "declined")
    return query.order_by(rank, games.c.waiting_since, games.c.id)


# Built once: building a query takes longer than executing it.
_SELECT_GAMES_OF_PERSON: Final = _build_games_query()
_SELECT_SEATS_OF_GAMES: Final = (
    select(seats).where(seats.c.game.in_(bindparam("of_games", expanding=True))).order_by(seats.c.game, seats.c.number)
)
_SELECT_GAME: Final = select(*GAME_COLUMNS).where(games.c.id == bindparam("game"))
_SELECT_SEATS: Final = Prepared(select(seats).where(seats.c.game == bindparam("game")).order_by(seats.c.number))
_SELECT_SEATS_WITH_PEOPLE: Final = Prepared(
    select(
        *GAME_COLUMNS,
        *(column.label(f"seat_{column.name}") for column in seats.c),
        *(people.c[name].label(f"person_{name}") for name in _PERSON_FIELDS),
    )
    .select_from(games.outerjoin(seats, seats.c.game == games.c.id).outerjoin(people, people.c.id == seats.c.person))
    .where(games.c.id == bindparam("game"))
    .order_by(seats.c.number)
)


def _build_targets_query() -> CompoundSelect[*tuple[Any, ...]]:
    """Return the query for the games that a person may mean by a typed line."""
    person, place = bindparam("of", type_=Integer()), bindparam("of_place", type_=Integer())
    at = games.c.waiting_since.type
    mine = select(games.c.id, games.c.game, games.c.waiting_since, type_coerce(null(), at).label("touched_at"))
    mine = mine.join(seats, and_(seats.c.game == games.c.id, seats.c.person == person))
    mine = mine.join(game_places, and_(game_places.c.game == games.c.id, game_places.c.place == place))
    mine = mine.where(seats.c.live, game_places.c.live, seats.c.state != "declined")
    mine = mine.where(games.c.status == "playing", games.c.to_move == person)
    own = [
        select(null(), null(), null(), select(func.max(table.c.touched_at)).where(*where).scalar_subquery())
        for table, where in (
            (attempts, [attempts.c.person == person]),
            (lessons, [lessons.c.person == person, lessons.c.step != ""]),
        )
    ]
    return union_all(mine, *own).order_by("waiting_since", "id")


_THINKING: Final = Prepared(
    select(games.c.id, games.c.starter)
    .where(games.c.thinking)
    .order_by(
        func.row_number().over(partition_by=games.c.starter, order_by=(games.c.waiting_since, games.c.id)),
        games.c.waiting_since,
        games.c.id,
    )
    .limit(bindparam("limit"))
)
_WAITING_HERE: Final = Prepared(_build_targets_query())


GameWithPeople = tuple[GameRow, dict[int, Person]]
"""A game, and the people in its seats by id."""


@dataclass(frozen=True, slots=True)
class WaitingGame:
    """A game that waits for a person's move, and since when."""

    id: str
    game: str
    waiting_since: datetime


class GameReader(Repository):
    """Queries for games."""

    async def get(self, game: str) -> GameRow | None:
        """Return a game, None if there is none with this id."""
        async with self._database.read_snapshot() as connection:
            return await read_game(connection, game)

    async def get_with_people(self, game: str) -> GameWithPeople | None:
        """Return a game and the people in its seats by id, None if there is no such game.

        The cache answers as far as it can; `commit` checks again what is decided by it.
        """
        cache = self._database.readable_cache
        if cache is not None and (known := cache.get_game(game)) is not None:
            seated = {seat.person for seat in known.seats if seat.person is not None}
            return known, await people_by_id(self._database, seated)
        with self._database.reading() as reading:
            async with self._database.read_autocommit() as connection:
                found = (await _SELECT_SEATS_WITH_PEOPLE.rows(connection, {"game": game})).mappings().all()
            if not found:
                return None
            taken = tuple(_to_seat(each, "seat_") for each in found if each["seat_number"] is not None)
            row = to_game({column.name: found[0][column.name] for column in GAME_COLUMNS}, taken)
            around = [to_person(each, "person_") for each in found if each["person_id"] is not None]
            reading.keep([row, *around])
        return row, {person.id: person for person in around}

    async def revision(self, game: str) -> int | None:
        """Return the number of events of a game, None if there is no such game."""
        query = select(games.c.revision).where(games.c.id == game)
        revision: int | None = await self._read_value(query)
        return revision

    async def list_ids(self, after: str = "", limit: int = 100) -> list[str]:
        """Return the ids of all games after a given id, in alphabetical order."""
        query = select(games.c.id).where(games.c.id > after).order_by(games.c.id).limit(limit)
        return await self._read_column(query)

    async def count_by_status(self) -> dict[str, int]:
        """Return the number of unfinished games by status."""
        query = select(games.c.status, func.count()).where(text(_IS_LIVE)).group_by(games.c.status)
        found = await self._read_pairs(query)
        return {status: found.get(status, 0) for status in ("lobby", "playing")}

    async def count_live_by_kind(self) -> dict[str, int]:
        """Return the number of unfinished games by kind."""
        query = select(games.c.game, func.count()).where(text(_IS_LIVE)).group_by(games.c.game)
        return await self._read_pairs(query)

    async def is_kind_known(self, kind: str) -> bool:
        """Return whether a kind of game has unfinished games or ratings."""
        going_on = select(games.c.id).where(text(_IS_LIVE), games.c.game == kind).limit(1)
        rated = select(ratings.c.person).where(ratings.c.game_key == kind).limit(1)
        async with self._database.read_snapshot() as connection:
            found = [(await connection.execute(query)).first() for query in (going_on, rated)]
        return any(found)

    async def list_thinking(self, limit: int = 1000) -> list[tuple[str, int]]:
        """Return the games in which a computer is to act, and who started them, one game of each person in turn.

        Of each person the game that has waited longest comes first, and so do the people.
        """
        return list((await self._read_pairs(_THINKING, {"limit": limit})).items())

    async def count_thinking(self) -> tuple[int, int, datetime | None]:
        """Return how many games wait for a computer, how many people started them, and since when the first waits."""
        counts = (func.count(), func.count(games.c.starter.distinct()), func.min(games.c.waiting_since))
        async with self._database.read_autocommit() as connection:
            found = (await connection.execute(select(*counts).where(games.c.thinking))).one()
        return int(found[0]), int(found[1]), found[2]

    async def list_for_person(self, person: int, limit: int = 100) -> list[GameBrief]:
        """Return the unfinished games of a person: those waiting for their move first, longest wait first.

        Then invitations to be answered, then the rest; declined games are left out.
        """
        async with self._database.read_snapshot() as connection:
            return await read_briefs(connection, _SELECT_GAMES_OF_PERSON.limit(limit), {"of": person})

    async def list_typed_targets(self, person: int, place: int) -> tuple[list[WaitingGame], datetime | None]:
        """Return the games in a place that wait for a person's move, and when they last used a board of their own.

        Such a board is a puzzle or a lesson; None if they never had one. The games are in the order of
        `list_for_person`.
        """
        async with self._database.read_autocommit() as connection:
            rows = (await _WAITING_HERE.rows(connection, {"of": person, "of_place": place})).all()
        touched = [row.touched_at for row in rows if row.id is None]
        found = [WaitingGame(row.id, row.game, row.waiting_since) for row in rows if row.id is not None]
        return found, max((at for at in touched if at is not None), default=None)

    async def list_in_place(self, place: int, limit: int = 100) -> list[GameBrief]:
        """Return the unfinished games shown in a place, newest first."""
        return await self._list_in_place(place, limit)

    async def list_lobbies(self, place: int, limit: int = 100) -> list[GameBrief]:
        """Return the games shown in a place that have not started, the newest first."""
        return await self._list_in_place(place, limit, games.c.status == "lobby")

    async def last_finished_in(self, place: int) -> str | None:
        """Return the id of the last finished game with a result shown in a place, None if there is none."""
        query = select(games.c.id).join(game_places, game_places.c.game == games.c.id)
        query = query.where(game_places.c.place == place, games.c.status == "over", games.c.position.is_not(None))
        query = query.order_by(games.c.ended_at.desc(), games.c.id).limit(1)
        return await self._read_value(query)

    async def _list_in_place(self, place: int, limit: int, *where: ColumnElement[bool]) -> list[GameBrief]:
        query = select(*BRIEF_COLUMNS).join(game_places, game_places.c.game == games.c.id)
        query = query.where(game_places.c.place == place, game_places.c.live, *where)
        query = query.order_by(games.c.created_at.desc(), games.c.id).limit(limit)
        async with self._database.read_snapshot() as connection:
            return await read_briefs(connection, query)

    async def events(self, game: str, after: int = 0) -> list[Event]:
        """Return the events of a game after a given number, in order."""
        query = select(events).where(events.c.game == game, events.c.number > after).order_by(events.c.number)
        return await self._read_rows(query, Event)

    async def results_of(self, game: str) -> list[Result]:
        """Return the results of a game by seat, none before its end."""
        query = select(results).where(results.c.game == game).order_by(results.c.seat)
        return await self._read_rows(query, Result)

    async def list_results_between(self, place: int, since: datetime, until: datetime) -> list[Result]:
        """Return the results of the games shown in a place that ended within a time span, in that order."""
        query = _filter_by_place(select(results), place, None)
        query = query.where(results.c.ended_at >= since, results.c.ended_at < until)
        query = query.order_by(results.c.ended_at, results.c.game, results.c.seat)
        return await self._read_rows(query, Result)

    async def standings(
        self, place: int, game_key: str | None = None, since: datetime | None = None, until: datetime | None = None
    ) -> list[Standing]:
        """Return the rated results of everyone in a place, of one game or of all: most wins first, then most draws."""
        query = _filter_by_place(build_standings_query(since, until), place, game_key)
        return await self._read_rows(query, Standing)

    async def ended_in(self, place: int, since: datetime, until: datetime, limit: int) -> list[str]:
        """Return the games shown in a place that ended within a time span, newest first."""
        query = select(results.c.game, func.max(results.c.ended_at)).group_by(results.c.game)
        query = _filter_by_place(query, place, None).where(results.c.ended_at >= since, results.c.ended_at < until)
        query = query.order_by(func.max(results.c.ended_at).desc(), results.c.game).limit(limit)
        return await self._read_column(query)


async def read_game(connection: AsyncConnection, game: str) -> GameRow | None:
    """Return a game within a transaction, None if there is no such game."""
    row = (await connection.execute(_SELECT_GAME, {"game": game})).mappings().one_or_none()
    if row is None:
        return None
    return to_game(row, await read_seats(connection, game))


def to_game(row: RowMapping | Mapping[str, Any], taken: tuple[Seat, ...]) -> GameRow:
    """Return a game from its row of GAME_COLUMNS and its seats."""
    return GameRow(**_read_brief_values(row, taken), seats=taken)


async def read_seats(connection: AsyncConnection, game: str) -> tuple[Seat, ...]:
    """Return the seats of a game within a transaction."""
    return tuple(map(_to_seat, (await _SELECT_SEATS.rows(connection, {"game": game})).mappings()))


def build_standings_query(since: datetime | None, until: datetime | None) -> Select[*tuple[Any, ...]]:
    """Return the base query for standings of rated results, within a time span if given."""
    counts = [
        func.count().filter(results.c.mark == mark).label(name)
        for mark, name in (("win", "wins"), ("draw", "draws"), ("loss", "losses"))
    ]
    query = select(results.c.person, people.c.name, func.count().label("played"), *counts)
    query = query.join(people, people.c.id == results.c.person).where(results.c.rated)
    if since is not None:
        query = query.where(results.c.ended_at >= since)
    if until is not None:
        query = query.where(results.c.ended_at < until)
    query = query.group_by(results.c.person, people.c.name)
    return query.order_by(counts[0].desc(), counts[1].desc(), counts[2], results.c.person)


def _filter_by_place(query: Select[*tuple[Any, ...]], place: int, game_key: str | None) -> Select[*tuple[Any, ...]]:
    query = query.join(game_places, game_places.c.game == results.c.game).where(game_places.c.place == place)
    return query if game_key is None else query.where(results.c.game_key == game_key)


async def read_briefs(
    connection: AsyncConnection, query: Select[*tuple[Any, ...]], parameters: Mapping[str, Any] | None = None
) -> list[GameBrief]:
    """Return the game briefs that a query finds, with their seats."""
    rows = (await connection.execute(query, parameters)).mappings().all()
    taken = await _read_seats_of_games(connection, [row["id"] for row in rows])
    return [
        GameBrief(**_read_brief_values(row, theirs), seats=theirs)
        for row in rows
        for theirs in [taken.get(row["id"], ())]
    ]


async def _read_seats_of_games(connection: AsyncConnection, ids: Collection[str]) -> dict[str, tuple[Seat, ...]]:
    if not ids:
        return {}
    found: dict[str, tuple[Seat, ...]] = {}
    for row in (await connection.execute(_SELECT_SEATS_OF_GAMES, {"of_games": list(ids)})).mappings():
        found[row["game"]] = (*found.get(row["game"], ()), _to_seat(row))
    return found


def _read_brief_values(row: RowMapping | Mapping[str, Any], taken: tuple[Seat, ...]) -> dict[str, Any]:
    terms, course = read_terms(row["terms"])
    offers, reminder = read_offers(row["offers"])
    values = {**row, "terms": terms, "course": course, "offers": offers, "reminder": reminder}
    unread = [name for name, value in values.items() if value is UNKNOWN_TIME or type(value) is Undecodable]
    for seat in taken:
        is_level = seat.computer is None or seat.computer.isdecimal()
        if not is_level or Undecodable in (type(seat.state), type(seat.computer), type(seat.joined_by)):
            unread.append("seats")
    return {**values, "unread": tuple(unread)} if unread else values


def _to_seat(row: RowMapping, prefix: str = "") -> Seat:
    return Seat(*(row[prefix + name] for name in _SEAT))


class Analyses(Repository):
    """Queries and commands for analyses; a game has at most one."""

    async def get(self, game: str) -> Json | None:
        """Return the analysis of a game, None if there is none."""
        query = select(analyses.c.found).where(analyses.c.game == game)
        return await self._read_value(query)

    async def store(self, game: str, found: Json, at: datetime) -> None:
        """Store the analysis of a game, replacing an earlier one."""
        async with self._database.transaction() as connection:
            await upsert(connection, analyses, ("game",), {"game": game, "found": found, "made_at": at})
