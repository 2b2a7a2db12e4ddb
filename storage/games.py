"""Reading games (positions, lists, events, results), and the analyses of finished games."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, Final, get_args

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    RowMapping,
    Select,
    String,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal_column,
    null,
    or_,
    select,
    text,
    type_coerce,
    union_all,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.agreements import GameProgress, offers_to_json, read_offers, read_terms, terms_to_json
from storage.columns import UNKNOWN_TIME, Undecodable, Utc
from storage.competition_moves import hasten_competition
from storage.database import Repository, insert_if_new, upsert
from storage.errors import CodeTaken, Conflict, NoSuchGame, Planned
from storage.events import build_event_rows, insert_events, mark_processed
from storage.notices import put_notices
from storage.people import people_by_id, to_person
from storage.plain_text import generate_code
from storage.puzzle_schema import attempts
from storage.rows import (
    Event,
    GameBrief,
    GameChange,
    GameRow,
    GameStatus,
    Json,
    NewEvent,
    NewGame,
    NewResult,
    Person,
    ProcessedEvent,
    Rating,
    Result,
    Seat,
    Standing,
)
from storage.schema import (
    analyses,
    analysis_boards,
    events,
    game_places,
    games,
    lessons,
    people,
    places,
    ratings,
    results,
    seats,
    surfaces,
)
from storage.sqlite import Prepared
from storage.surfaces import CHAT, DueBoard
from storage.team_rounds import turn_rounds

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
_SELECT_SEATS: Final = Prepared(select(seats).filter_by(game=bindparam("game")).order_by(seats.c.number))
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
        query = select(games.c.revision).filter_by(id=game)
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
        going_on = select(games.c.id).where(text(_IS_LIVE)).filter_by(game=kind).limit(1)
        rated = select(ratings.c.person).filter_by(game_key=kind).limit(1)
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
        query = select(events).where(events.c.number > after).filter_by(game=game).order_by(events.c.number)
        return await self._read_rows(query, Event)

    async def results_of(self, game: str) -> list[Result]:
        """Return the results of a game by seat, none before its end."""
        query = select(results).filter_by(game=game).order_by(results.c.seat)
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


_STATUSES: Final = frozenset(get_args(GameStatus))


def _read_brief_values(row: RowMapping | Mapping[str, Any], taken: tuple[Seat, ...]) -> dict[str, Any]:
    terms, course = read_terms(row["terms"])
    offers, reminder = read_offers(row["offers"])
    values = {**row, "terms": terms, "course": course, "offers": offers, "reminder": reminder}
    unread = [name for name, value in values.items() if value is UNKNOWN_TIME or type(value) is Undecodable]
    if row["status"] not in _STATUSES:
        unread.append("status")
    for seat in taken:
        if Undecodable in (type(seat.state), type(seat.computer), type(seat.joined_by)):
            unread.append("seats")
    return {**values, "unread": tuple(unread)} if unread else values


def _to_seat(row: RowMapping, prefix: str = "") -> Seat:
    return Seat(*(row[prefix + name] for name in _SEAT))


class Analyses(Repository):
    """Queries and commands for analyses; a game has at most one."""

    async def get(self, game: str) -> Json | None:
        """Return the analysis of a game, None if there is none."""
        query = select(analyses.c.found).filter_by(game=game)
        return await self._read_value(query)

    async def store(self, game: str, found: Json, at: datetime) -> None:
        """Store the analysis of a game, replacing an earlier one."""
        async with self._database.transaction() as connection:
            await upsert(connection, analyses, ("game",), {"game": game, "found": found, "made_at": at})


_CHANGEABLE_COLUMNS: Final = (
    "status", "place", "options", "rules_version", "seat_count", "turn", "position", "last_turn", "to_move",
    "deadline", "alarm_at", "outcome", "thinking", "started_at", "ended_at", "chance",
)  # fmt: skip
"""The columns that a step may set, besides `terms` and `offers`; the others are constant or derived."""

_LONG_COLUMNS: Final = ("position", "last_turn", "chance")
"""The columns that a step sets and that are not read back: those of a long game take longest to decode."""

# Built once: building a statement takes longer than executing it.
_NOW_PARAMETER: Final = bindparam("now", type_=Utc())
_MOVER_CHANGED: Final = or_(
    games.c.to_move.is_distinct_from(bindparam("moves", type_=games.c.to_move.type)), games.c.turn != bindparam("then")
)
_STEP_STATEMENT: Final = (
    update(games)
    .filter_by(id=bindparam("of_game"), revision=bindparam("before"))
    .values(waiting_since=case((_MOVER_CHANGED, _NOW_PARAMETER), else_=games.c.waiting_since))
    .returning(*(column for column in GAME_COLUMNS if column.name not in _LONG_COLUMNS))
)
_COLUMNS_CHANGED_WITHOUT_EVENT: Final = ("place", "to_move", "deadline", "alarm_at")
"""Columns that can change without an event: by linking people, a standstill, or a channel that gets another id."""
_UPDATE_GAME: Final = Prepared(_STEP_STATEMENT)
_UPDATE_UNCHANGED_GAME: Final = Prepared(
    _STEP_STATEMENT.where(
        *(
            games.c[name].is_not_distinct_from(bindparam(f"was_{name}", type_=games.c[name].type))
            for name in _COLUMNS_CHANGED_WITHOUT_EVENT
        )
    )
)
# A failed delivery keeps its back-off; a surface that only waits to retire old messages becomes due at once.
_MARK_SURFACES_DUE: Final = Prepared(
    update(surfaces)
    .where(surfaces.c.gone.is_(False), surfaces.c.waiting.is_(False))
    .filter_by(game=bindparam("of_game"))
    .values(
        due_at=case(
            (and_(surfaces.c.attempts == 0, surfaces.c.due_at > _NOW_PARAMETER), _NOW_PARAMETER),
            else_=func.coalesce(surfaces.c.due_at, _NOW_PARAMETER),
        )
    )
    .returning(
        surfaces.c.id,
        *(select(column).where(places.c.id == surfaces.c.place).scalar_subquery() for column in CHAT),
        surfaces.c.due_at,
    )
)


_COLUMN_SEPARATOR: Final = ","
_SEAT_SEPARATOR: Final = ";"
_SEAT_COLUMNS: Final = ("number", "state", "seat", "person")
"""The columns of a seat that are compared before a step is stored: linking changes the person without an event."""


def _build_event_insert(join: str) -> Any:
    """Return the INSERT of game events that also returns the seats of the game and whether anyone has planned turns.

    `join` is the name of the database's string aggregation function.
    """
    nothing, comma, end = (literal_column(f"'{text}'", String) for text in ("", _COLUMN_SEPARATOR, _SEAT_SEPARATOR))
    first, *rest = (func.coalesce(cast(seats.c[name], String), nothing) for name in _SEAT_COLUMNS)
    entry: ColumnElement[str] = first
    for part in rest:
        entry = entry.concat(comma).concat(part)
    of_game = literal_column("events.game", String)  # of the row that is inserted
    seated = select(getattr(func, join)(entry, end)).where(seats.c.game == of_game).scalar_subquery()
    planned = select(analysis_boards.c.id).where(analysis_boards.c.planned).filter_by(game=of_game).exists()
    return insert(events).returning(seated.label("seated"), planned.label("planned"))


_INSERT_EVENTS: Final = {"sqlite": _build_event_insert("group_concat"), "postgresql": _build_event_insert("string_agg")}
_INSERT_ONE_EVENT: Final = {dialect: Prepared(statement) for dialect, statement in _INSERT_EVENTS.items()}


class StoredGames(GameReader):
    """Queries and commands that write games."""

    async def create(
        self, game: NewGame, at: datetime, *, happened: Sequence[NewEvent] = (), processed: ProcessedEvent | None = None
    ) -> GameRow:
        """Store a new game with its first events and return it; AlreadyProcessed, CodeTaken."""
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            code = await _insert_game(connection, game, len(happened), at)
            await insert_events(connection, events, events.c.game, code, 0, happened, at, processed)
            await _insert_seats(connection, code, game.seats, live=True)
            await connection.execute(insert(game_places).values(place=game.place, game=code, live=True))
            row = (await connection.execute(select(*GAME_COLUMNS).where(games.c.id == code))).mappings().one()
            made = to_game(row, await read_seats(connection, code))
            self._database.change_rows(rows=[made])
            self._database.emit_after_commit("game", made)
            self._database.emit_after_commit("shown", (game.place, code))
            return made

    async def commit(self, change: GameChange) -> GameRow:
        """Store a step of a game and return the new row; Conflict, AlreadyProcessed, NoSuchGame, Planned.

        The step is stored completely and durably when this returns, or not at all.
        """
        if not change.events:
            raise ValueError("a change without an event could not be told from none")
        game, at = change.game, change.at
        live = game.status != "over"
        async with self._database.transaction() as connection:
            await mark_processed(connection, change.processed, at)
            row = await _update_game(connection, change)
            await _insert_events(connection, change)
            taken = await read_seats(connection, game.id) if change.before is None else change.before.seats
            if not live or game.seats != taken:
                await connection.execute(delete(seats).filter_by(game=game.id))
                await _insert_seats(connection, game.id, game.seats, live=live)
                taken = await read_seats(connection, game.id)
            if not live:
                await connection.execute(update(game_places).filter_by(game=game.id).values(live=False))
                if game.terms.cup is not None:
                    await hasten_competition(connection, game.id, at)
                    self._database.emit_after_commit("competition", game.terms.cup)
            if game.terms.team is not None:
                await turn_rounds(connection, game, at)
                self._database.emit_after_commit("teams", game.id)
            await _insert_results(connection, game, change.results, at)
            await _put_ratings(connection, change.ratings)
            await put_notices(connection, game.id, change.past, change.promised, at)
            due = (await _MARK_SURFACES_DUE.rows(connection, {"of_game": game.id, "now": at})).all()
            stored = to_game({**row, **{name: getattr(game, name) for name in _LONG_COLUMNS}}, taken)
            self._database.change_rows(rows=[stored])
            self._database.emit_after_commit("game", stored)
            boards = tuple(
                DueBoard(surface, platform, channel, due_at, stored.revision)
                for surface, platform, channel, due_at in due
            )
            self._database.emit_after_commit("due", boards)
            if stored.thinking:
                self._database.emit_after_commit("thinking", game.id)
            if any(each.due_at is not None for each in change.promised):
                self._database.emit_after_commit("notices")
            return stored


async def _insert_game(connection: AsyncConnection, game: NewGame, revision: int, at: datetime) -> str:
    values = asdict(replace(game, seats=()))
    del values["seats"]
    values["terms"] = terms_to_json(game.terms, GameProgress())
    values |= {"status": "lobby", "revision": revision, "turn": 0, "position": None, "last_turn": None, "outcome": None}
    values |= {"waiting_since": at, "created_at": at, "updated_at": at}
    while True:
        code = game.id or generate_code()
        if await insert_if_new(connection, games, values | {"id": code}):
            return code
        if game.id:
            raise CodeTaken(game=code)


async def _update_game(connection: AsyncConnection, change: GameChange) -> RowMapping:
    """Store the row of a game and return it without its long columns; Conflict, NoSuchGame."""
    game, steps, at = change.game, len(change.events), change.at
    values: dict[str, Any] = {name: getattr(game, name) for name in _CHANGEABLE_COLUMNS}
    values["terms"] = terms_to_json(game.terms, game.course)
    values["offers"] = offers_to_json(game.offers, game.reminder)
    values |= {"revision": game.revision + steps, "updated_at": at, "of_game": game.id, "before": game.revision}
    values |= {"moves": game.to_move, "then": game.turn, "now": at}
    if change.before is not None:
        values |= {f"was_{name}": getattr(change.before, name) for name in _COLUMNS_CHANGED_WITHOUT_EVENT}
    step = _UPDATE_GAME if change.before is None else _UPDATE_UNCHANGED_GAME
    row = (await step.rows(connection, values)).mappings().one_or_none()
    if row is None:
        code = change.game.id
        now = (await connection.execute(select(games.c.revision).filter_by(id=code))).scalar_one_or_none()
        if now is None:
            raise NoSuchGame(game=code)
        raise Conflict(code, now)
    return row


async def _insert_events(connection: AsyncConnection, change: GameChange) -> None:
    """Insert the events of a step.

    Conflict if the seats are others than the step expects, Planned if it expects that nobody has planned.
    """
    game = change.game
    rows = build_event_rows(events.c.game, game.id, game.revision, change.events, change.at, change.processed)
    dialect = connection.dialect.name
    if len(rows) == 1:
        inserted = await _INSERT_ONE_EVENT[dialect].rows(connection, rows[0])
    else:
        inserted = await connection.execute(_INSERT_EVENTS[dialect], rows)
    found = inserted.all()[-1]
    if not _has_seats(change, found.seated):
        raise Conflict(game.id, game.revision)
    if change.unplanned and found.planned:
        raise Planned(game=game.id)


def _has_seats(change: GameChange, seated: str | None) -> bool:
    before = change.before
    return before is None or frozenset((seated or "").split(_SEAT_SEPARATOR)) - {""} == _format_seats(before.seats)


def _format_seats(taken: Sequence[Seat]) -> frozenset[str]:
    """Return the seats in the form in which the INSERT of events returns them."""
    return frozenset(
        _COLUMN_SEPARATOR.join(
            "" if part is None else str(part) for part in (getattr(each, name) for name in _SEAT_COLUMNS)
        )
        for each in taken
    )


async def _insert_seats(connection: AsyncConnection, game: str, taken: Sequence[Seat], *, live: bool) -> None:
    rows = [asdict(seat) | {"game": game, "live": live} for seat in taken]
    if rows:
        await connection.execute(insert(seats), rows)


async def _insert_results(connection: AsyncConnection, game: GameRow, ended: Sequence[NewResult], at: datetime) -> None:
    firsts = sum(result.place_number == 1 for result in ended)
    rows = [
        asdict(result)
        | {"game": game.id, "game_key": game.game, "ended_at": at}
        | {"mark": "loss" if result.place_number > 1 else "win" if firsts == 1 else "draw"}
        for result in ended
    ]
    if rows:
        await connection.execute(insert(results), rows)


async def _put_ratings(connection: AsyncConnection, changed: Sequence[Rating]) -> None:
    for rating in changed:
        await upsert(connection, ratings, ("person", "game_key", "pool"), asdict(rating))
