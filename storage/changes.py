"""StoredGames as they are written: created, and changed one step at a time, each step in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

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
from storage.driver import Prepared
from storage.errors import AlreadyProcessed, CodeTaken, Conflict, NoSuchGame, Planned
from storage.events import event_rows, insert_events, mark_processed
from storage.games import GAME_COLUMNS, GameReader, read_seats, to_game
from storage.notices import put_notices
from storage.rows import GameChange, GameRow, NewEvent, NewGame, NewResult, ProcessedEvent, Rating, Seat
from storage.schema import analysis_boards, events, game_places, games, places, ratings, results, seats, surfaces
from storage.surface_data import DueBoard
from storage.surface_rows import CHAT
from storage.team_rounds import turn_rounds

_CHANGEABLE_COLUMNS: Final = (
    "status", "place", "options", "rules_version", "seat_count", "turn", "position", "last_turn", "to_move",
    "deadline", "alarm_at", "outcome", "thinking", "started_at", "ended_at", "chance",
)  # fmt: skip
"""The columns that a change may set, besides `terms` and `offers`; the rest never changes or follows from it."""

# Made once: making a statement takes longer than carrying it out.
_NOW_PARAMETER: Final = bindparam("now", type_=Utc())
_MOVER_CHANGED: Final = or_(
    games.c.to_move.is_distinct_from(bindparam("moves", type_=games.c.to_move.type)), games.c.turn != bindparam("then")
)
_STEP_STATEMENT: Final = (
    update(games)
    .where(games.c.id == bindparam("of_game"), games.c.revision == bindparam("before"))
    .values(waiting_since=case((_MOVER_CHANGED, _NOW_PARAMETER), else_=games.c.waiting_since))
    .returning(*GAME_COLUMNS)
)
_UNCOUNTED: Final = ("place", "to_move", "deadline", "alarm_at")
"""The columns that change without an event, too: by a link, a standstill, a channel that gets another id."""
_UPDATE_GAME: Final = Prepared(_STEP_STATEMENT)
_STEP_AS_READ: Final = Prepared(
    _STEP_STATEMENT.where(
        *(games.c[name].is_not_distinct_from(bindparam(f"was_{name}", type_=games.c[name].type)) for name in _UNCOUNTED)
    )
)
# Where delivery has failed and waits, it goes on waiting; not where only old messages wait to be retired.
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


_COMMA: Final = ","
_END: Final = ";"
_SEATED: Final = ("number", "state", "seat", "person")
"""What is compared of the seats: a link changes the person, without an event."""


def _insert_of_events(join: str) -> Any:
    """Return what adds events of a game and says who sits there, and whether anybody has planned anything.

    `join` is what the database calls the function that joins texts.
    """
    nothing, comma, end = (literal_column(f"'{text}'", String) for text in ("", _COMMA, _END))
    first, *rest = (func.coalesce(cast(seats.c[name], String), nothing) for name in _SEATED)
    entry: ColumnElement[str] = first
    for part in rest:
        entry = entry.concat(comma).concat(part)
    of_game = literal_column("events.game", String)  # of the row that is inserted
    seated = select(getattr(func, join)(entry, end)).where(seats.c.game == of_game).scalar_subquery()
    planned = select(analysis_boards.c.id).where(analysis_boards.c.game == of_game, analysis_boards.c.planned).exists()
    return insert(events).returning(seated.label("seated"), planned.label("planned"))


_EVENTS: Final = {"sqlite": _insert_of_events("group_concat"), "postgresql": _insert_of_events("string_agg")}
_EVENT: Final = {dialect: Prepared(statement) for dialect, statement in _EVENTS.items()}


class StoredGames(GameReader):
    """The verbs that write games."""

    async def create(
        self, game: NewGame, at: datetime, *, happened: Sequence[NewEvent] = (), processed: ProcessedEvent | None = None
    ) -> GameRow:
        """Store a new game with its first events and return it; AlreadyProcessed, CodeTaken."""
        async with self._database.transaction() as connection:
            if processed is not None:
                await mark_processed(connection, processed, at)
            code = await _insert_game(connection, game, len(happened), at)
            await insert_events(connection, events, events.c.game, code, 0, happened, at, processed)
            await _insert_seats(connection, code, game.seats, live=True)
            await connection.execute(insert(game_places).values(place=game.place, game=code, live=True))
            row = (await connection.execute(select(*GAME_COLUMNS).where(games.c.id == code))).mappings().one()
            made = to_game(row, await read_seats(connection, code))
            self._database.emit_after_commit("game", made)
            self._database.emit_after_commit("shown", (game.place, code))
            return made

    async def commit(self, change: GameChange) -> GameRow:
        """Store a step of a game and return the game as it is now; Moved, AlreadyProcessed, NoSuchGame.

        Either all of it is stored when this returns, as safely as the database can, or nothing.
        """
        if not change.events:
            raise ValueError("a change without an event could not be told from none")
        try:
            return await self._commit(change)
        except (Conflict, AlreadyProcessed):
            # The later writer reads again.
            self._database.memory.forget_table(change.game.id)
            raise

    async def _commit(self, change: GameChange) -> GameRow:
        game, at = change.game, change.at
        live = game.status != "over"
        async with self._database.transaction() as connection:
            if change.processed is not None:
                await mark_processed(connection, change.processed, at)
            row = await _update_game(connection, change)
            beside = await _insert_events(connection, change)
            if change.before is not None and beside.seated != _seated(change.before.seats):
                raise Conflict(game.id, game.revision)
            if change.unplanned and beside.planned:
                raise Planned(game=game.id)
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
            stored = to_game(row, taken)
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
    game, steps, at = change.game, len(change.events), change.at
    values: dict[str, Any] = {name: getattr(game, name) for name in _CHANGEABLE_COLUMNS}
    values["terms"] = terms_to_json(game.terms, game.course)
    values["offers"] = offers_to_json(game.offers, game.reminder)
    values |= {"revision": game.revision + steps, "updated_at": at, "of_game": game.id, "before": game.revision}
    values |= {"moves": game.to_move, "then": game.turn, "now": at}
    if change.before is not None:
        values |= {f"was_{name}": getattr(change.before, name) for name in _UNCOUNTED}
    step = _UPDATE_GAME if change.before is None else _STEP_AS_READ
    row = (await step.rows(connection, values)).mappings().one_or_none()
    if row is None:
        now = (await connection.execute(select(games.c.revision).where(games.c.id == game.id))).scalar_one_or_none()
        if now is None:
            raise NoSuchGame(game=game.id)
        raise Conflict(game.id, now)
    return row


class _Beside(NamedTuple):
    """What stands beside a game at its step: who sits there, and whether anybody has planned anything."""

    seated: frozenset[str]
    planned: bool


async def _insert_events(connection: AsyncConnection, change: GameChange) -> _Beside:
    """Add the events of a step and return what stands beside the game: looked at in one statement."""
    game = change.game
    rows = event_rows(events.c.game, game.id, game.revision, change.events, change.at, change.processed)
    dialect = connection.dialect.name
    if len(rows) == 1:
        found = (await _EVENT[dialect].rows(connection, rows[0])).one()
    else:
        found = (await connection.execute(_EVENTS[dialect], rows)).all()[-1]
    return _Beside(frozenset((found.seated or "").split(_END)) - {""}, bool(found.planned))


def _seated(taken: Sequence[Seat]) -> frozenset[str]:
    """Return who sits where as `_insert_events` finds it."""
    return frozenset(
        _COMMA.join("" if part is None else str(part) for part in (getattr(each, name) for name in _SEATED))
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
