"""Writing games: creating one, and storing one step at a time, each in one transaction."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    String,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.agreements import GameProgress, offers_to_json, terms_to_json
from storage.codes import generate_code
from storage.columns import Utc
from storage.competition_moves import hasten_competition
from storage.database import insert_if_new, upsert
from storage.errors import CodeTaken, Conflict, NoSuchGame, Planned
from storage.events import build_event_rows, insert_events, mark_processed
from storage.games import GAME_COLUMNS, GameReader, read_seats, to_game
from storage.notices import put_notices
from storage.prepared import Prepared
from storage.rows import GameChange, GameRow, NewEvent, NewGame, NewResult, ProcessedEvent, Rating, Seat
from storage.schema import analysis_boards, events, game_places, games, places, ratings, results, seats, surfaces
from storage.surface_data import DueBoard
from storage.surface_rows import CHAT
from storage.team_rounds import turn_rounds

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
    .where(games.c.id == bindparam("of_game"), games.c.revision == bindparam("before"))
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
    .where(surfaces.c.game == bindparam("of_game"), surfaces.c.gone.is_(False), surfaces.c.waiting.is_(False))
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
    planned = select(analysis_boards.c.id).where(analysis_boards.c.game == of_game, analysis_boards.c.planned).exists()
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
                await connection.execute(delete(seats).where(seats.c.game == game.id))
                await _insert_seats(connection, game.id, game.seats, live=live)
                taken = await read_seats(connection, game.id)
            if not live:
                await connection.execute(update(game_places).where(game_places.c.game == game.id).values(live=False))
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
        now = (await connection.execute(select(games.c.revision).where(games.c.id == code))).scalar_one_or_none()
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
