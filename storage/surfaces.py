"""The places that show games, and what delivery has to do there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Integer, Text, bindparam, case, cast, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import BROKEN_JSON, AnySelect, Json, RowData, Undecodable, Utc, to_json
from storage.database import Repository, insert_if_new
from storage.errors import NoSuchGame
from storage.message_schema import Notice, Surface, notices, surfaces
from storage.notices import mark_delivered
from storage.places import PLACE_COLUMNS, place_of, select_waiting, with_inherited
from storage.schema import game_places, games, identities, members, places, seats
from storage.sqlite import Prepared


class PlayersHere(NamedTuple):
    """How many of a game's players were ever seen in a place, and one of them."""

    number: int
    one: int | None


@dataclass(frozen=True, slots=True)
class SurfaceWithNotices:
    """A surface with the notices of its game, oldest first, as delivery needs it, all read at one moment.

    `on_platform` are those people of the notices whom a message there can mention. `to_move` is the person whose turn
    it was then. `is_only_open` says that no other place can show its game at present. `players_here` are those of its
    players who were ever seen there.
    """

    surface: Surface
    notices: tuple[Notice, ...]
    on_platform: frozenset[int]
    to_move: int | None
    is_only_open: bool
    players_here: PlayersHere


@dataclass(frozen=True, slots=True)
class DueBoard:
    """A surface that is due at a time, and its chat.

    `revision` is the revision of its game that made it due, None if something else did.
    """

    surface: int
    platform: str
    channel: str
    due_at: datetime
    revision: int | None = None

    def to_json(self) -> list[Any]:
        """Return the JSON of a notification to other processes."""
        return [self.surface, self.platform, self.channel, self.due_at.timestamp(), self.revision]

    @classmethod
    def from_json(cls, fields: Sequence[Any]) -> DueBoard:
        """Return the due board of another process's notification."""
        surface, platform, channel, due_at, revision = fields[:5]
        return cls(surface, platform, channel, datetime.fromtimestamp(due_at, UTC), revision)


OPEN: Final = (surfaces.gone.is_(False), surfaces.waiting.is_(False))
CHAT: Final = (places.platform, places.channel)
"""The columns that identify the chat of a place."""
_BATCH_SIZE: Final = 1000
_NOTICE_COLUMNS: Final = tuple(field.name for field in fields(Notice))


def _build_query() -> AnySelect:
    source = surfaces.table.join(games).join(places, places.id == surfaces.place)
    query = select(surfaces, games.revision, *PLACE_COLUMNS).select_from(with_inherited(source))
    return query.order_by(surfaces.id)


# Built once: building a query takes longer than executing it.
_SURFACES: Final = _build_query()
_SURFACE: Final = _SURFACES.where(surfaces.id == bindparam("surface"))
_FIND_SURFACE: Final = Prepared(_SURFACE)


def _build_query_with_notices() -> AnySelect:
    other = surfaces.alias("other")
    others = select(other.id).where(other.id != surfaces.id)
    others = others.filter_by(game=surfaces.game, gone=False, waiting=False)
    theirs = [notices[name].label(f"notice_{name}") for name in _NOTICE_COLUMNS]
    query = _SURFACE.outerjoin_from(_SURFACE.get_final_froms()[0], notices, notices.game == surfaces.game)
    known = select(identities.person).filter_by(person=notices.person, platform=places.platform)
    here = (members.place == surfaces.place, seats.game == surfaces.game, seats.seat.is_not(None))
    players = {
        name: select(count(members.person)).join(seats, seats.person == members.person).where(*here)
        for name, count in (("players_here", func.count), ("player_here", func.max))
    }
    query = query.add_columns(
        games.to_move, others.exists().label("has_others"), known.exists().label("on_platform"), *theirs
    )
    query = query.add_columns(*(each.scalar_subquery().label(name) for name, each in players.items()))
    return query.order_by(notices.id)


_SURFACE_WITH_NOTICES: Final = Prepared(_build_query_with_notices())


def _read_stale_messages(stored: list[Any]) -> dict[str, int | None]:
    """Return the messages to be retired with their revisions (older rows have none); invalid values are skipped."""
    found: dict[str, int | None] = {}
    for entry in stored:
        match entry:
            case str():
                found[entry] = None
            case [str(message), (int() | None) as revision]:
                found[message] = revision
    return found


def _to_stored(stale_messages: Mapping[str, int | None]) -> list[list[str | int | None]]:
    return [[message, revision] for message, revision in stale_messages.items()]


def to_surface(row: RowData) -> Surface:
    """Return the surface of a database row; if the id of its message is lost, it has none and is due a new one."""
    own = {name: row[name] for name in _OWN_COLUMNS}
    if type(own["message"]) is Undecodable:
        own |= {"message": None, "shown_revision": None, "announced_turn": None}
    if own["extra_messages"] == BROKEN_JSON:
        own["extra_messages"] = {}
    own["stale_messages"] = _read_stale_messages(own["stale_messages"])
    return Surface(place=place_of(row), **own)


_OWN_COLUMNS: Final = tuple(field.name for field in fields(Surface) if field.name != "place")

_UPDATE_SURFACE: Final = update(surfaces).filter_by(id=bindparam("surface"))
# With several processes the game is locked before its surface, as a commit does: a revision read without the lock
# could be an old one, and an outdated board would count as current.
_CURRENT_REVISION: Final = (
    select(games.revision).filter_by(id=bindparam("of_game")).with_for_update(read=True).cte("game_now")
)
_REVISION_NOW: Final = select(_CURRENT_REVISION.c.revision).scalar_subquery()
_AT_PARAMETER: Final = bindparam("at", type_=Utc())


def _is_as_before(name: str) -> Any:
    column = surfaces[name]
    return column.is_not_distinct_from(bindparam(f"{name}_before", type_=column.type))


_NEW: Final = {
    name: bindparam(f"new_{name}", type_=surfaces[name].type)
    for name in ("message", "shown_revision", "announced_turn", "stale_messages")
}
_WRITE_IF_SAME: Final = Prepared(
    _UPDATE_SURFACE.where(
        *map(_is_as_before, ("message", "shown_revision", "announced_turn")),
        # A board whose edit was requested while one was on its way is due since then.
        or_(surfaces.shown_revision.is_not(None), _is_as_before("due_at")),
        cast(surfaces.stale_messages, Text) == bindparam("stale_before", type_=Text()),
    )
    .filter_by(gone=False)
    .values(
        **_NEW,
        attempts=0,
        due_at=case(
            (bindparam("new_shown_revision", type_=Integer()) >= _REVISION_NOW, bindparam("then", type_=Utc())),
            else_=_AT_PARAMETER,
        ),
    )
    .returning(surfaces.due_at)
)
_RETIRES_LATER: Final = Prepared(
    _UPDATE_SURFACE.where(*OPEN, surfaces.announced_turn.is_not(None))
    .filter_by(shown_revision=_REVISION_NOW)
    .values(attempts=0, due_at=_AT_PARAMETER)
)


def _build_shown_change(
    now: Surface, known: Surface, revision: int, message: str, turn: int, at: datetime, later: datetime
) -> Surface:
    """Return a surface whose message shows a revision; retiring old messages is due later.

    `now` is the surface as it is stored, `known` as it was read before the message was written. Its `due_at` is when it
    is due once it shows the current revision.
    """
    stale_messages = {old: shown for old, shown in now.stale_messages.items() if old != message}
    if now.message is not None and now.message != message:
        stale_messages[now.message] = now.shown_revision
    # A new message was requested while the old one was edited, which does not fulfil the request.
    wanted = now.announced_turn is None and now.message == message
    # An edit was requested after the message was written: it shows the revision, but not what goes with it now.
    outdated = (
        now.message is not None
        and now.shown_revision is None
        and (known.shown_revision is not None or now.due_at != known.due_at)
    )
    return replace(
        now,
        message=message,
        shown_revision=None if outdated else revision,
        announced_turn=None if wanted else turn,
        stale_messages=stale_messages,
        attempts=0,
        due_at=at if wanted or outdated else later if stale_messages else None,
    )


def _build_retired_change(known: Surface, messages: Collection[str], at: datetime) -> Surface:
    """Return a surface once old messages have been retired."""
    stale_messages = {old: shown for old, shown in known.stale_messages.items() if old not in messages}
    due_at = at if stale_messages or known.announced_turn is None else None
    return replace(known, stale_messages=stale_messages, attempts=0, due_at=due_at)


async def _update_known_surface(
    connection: AsyncConnection, known: Surface, at: datetime, after: Surface
) -> Surface | None:
    """Update a surface that was read before and return it; None if it has changed since.

    It is due `at` a time unless it is done.
    """
    before = {
        f"{name}_before": getattr(known, name) for name in ("message", "shown_revision", "announced_turn", "due_at")
    }
    stale_before = to_json(_to_stored(known.stale_messages))
    new = {f"new_{name}": getattr(after, name) for name in _NEW} | {
        "new_stale_messages": _to_stored(after.stale_messages)
    }
    others = {"surface": known.id, "of_game": known.game, "stale_before": stale_before, "then": after.due_at, "at": at}
    row = (await _WRITE_IF_SAME.rows(connection, before | new | others)).one_or_none()
    return None if row is None else replace(after, due_at=row[0])


async def _update_stored_surface(
    connection: AsyncConnection, known: Surface, at: datetime, change_of: Callable[[Surface], Surface]
) -> Surface | None:
    """Apply a change to a surface as it is stored now; None if there is no such surface.

    It is due `at` a time unless it is done.
    """
    now = await _read_locked(connection, known.id)
    if now is None or now.gone:
        return now
    after = change_of(now)
    is_current = after.shown_revision is not None and after.shown_revision >= now.revision
    return await _write_surface(connection, replace(after, due_at=after.due_at if is_current else at))


async def _read_locked(connection: AsyncConnection, surface: int) -> Surface | None:
    """Return a surface whose game cannot change before this transaction ends."""
    # On SQLite nobody else can write now. The game is locked first, as in a commit: a revision read without the lock
    # could be an old one.
    if connection.dialect.name != "sqlite":
        mine = select(surfaces.game).filter_by(id=surface).scalar_subquery()
        await connection.execute(select(games.id).filter_by(id=mine).with_for_update(read=True))
        await connection.execute(select(surfaces.id).filter_by(id=surface).with_for_update())
    row = (await _FIND_SURFACE.rows(connection, {"surface": surface})).mappings().one_or_none()
    return None if row is None else to_surface(row)


async def _write_surface(connection: AsyncConnection, surface: Surface) -> Surface:
    names = ("message", "shown_revision", "announced_turn", "extra_messages", "attempts", "due_at")
    values = {name: getattr(surface, name) for name in names}
    values["stale_messages"] = _to_stored(surface.stale_messages)
    await connection.execute(update(surfaces).filter_by(id=surface.id).values(values))
    return surface


_SURFACE_OF_MESSAGE: Final = Prepared(
    _SURFACES.where(
        places.platform == bindparam("at_platform"),
        places.channel == bindparam("at_channel"),
        surfaces.message == bindparam("shown"),
    ).limit(1)
)
_SURFACES_OF_GAME: Final = Prepared(_SURFACES.where(surfaces.game == bindparam("game"), *OPEN).limit(_BATCH_SIZE))
_DUE_BOARDS: Final = select(surfaces.id.label("surface"), *CHAT, surfaces.due_at).join(
    places, places.id == surfaces.place
)


async def due_boards_of(connection: AsyncConnection, *where: Any) -> tuple[DueBoard, ...]:
    """Return the due boards among the surfaces that fulfil some conditions."""
    return tuple(DueBoard(*row) for row in (await connection.execute(_DUE_BOARDS.where(*where))).all())


class Surfaces(Repository):
    """Queries and commands for surfaces."""

    async def add(self, game: str, place: int, at: datetime) -> Surface:
        """Show a game in a place with a new message, also if it is shown there already; NoSuchGame."""
        key = {"game": game, "place": place}
        async with self._transaction() as connection:
            status = await self._read_value(select(games.status).filter_by(id=game).with_for_update(read=True))
            if status is None:
                raise NoSuchGame(game=game)
            await insert_if_new(connection, game_places, {**key, "live": status != "over"})
            self._emit("shown", (place, game))
            if not await insert_if_new(connection, surfaces, {**key, "stale_messages": [], "due_at": at}):
                again = {"announced_turn": None, "attempts": 0, "gone": False, "waiting": False, "due_at": at}
                await connection.execute(update(surfaces).filter_by(**key).values(**again))
            mine = (surfaces.game == game, surfaces.place == place)
            added = (await self._read_all(_SURFACES.where(*mine), to_surface))[0]
            self._emit_due(added, at)
            return added

    def _emit_due(self, surface: Surface, at: datetime) -> None:
        board = DueBoard(surface.id, surface.place.platform, surface.place.channel, at)
        self._emit("due", (board,))

    async def list_for_game(self, game: str) -> list[Surface]:
        """Return the writable surfaces of a game (not gone, not waiting), oldest first."""
        return await self._read_all(_SURFACES_OF_GAME, to_surface, {"game": game})

    async def get(self, surface: int) -> Surface | None:
        """Return a surface, gone or not; None if there is no such surface."""
        return await self._read_one(_FIND_SURFACE, to_surface, {"surface": surface})

    async def get_with_notices(self, surface: int) -> SurfaceWithNotices | None:
        """Return a surface, gone or not, with everything that delivery needs; None if there is no such surface."""
        rows = await self._read_all(_SURFACE_WITH_NOTICES, lambda row: row, {"surface": surface})
        if not rows:
            return None
        first, with_notices = rows[0], [row for row in rows if row["notice_id"] is not None]
        return SurfaceWithNotices(
            to_surface(first),
            tuple(Notice(*(row[f"notice_{name}"] for name in _NOTICE_COLUMNS)) for row in with_notices),
            on_platform=frozenset(row["notice_person"] for row in with_notices if row["on_platform"]),
            to_move=first["to_move"],
            is_only_open=not first["has_others"],
            players_here=PlayersHere(first["players_here"], first["player_here"]),
        )

    async def find_by_message(self, platform: str, channel: str, message: str) -> Surface | None:
        """Return the surface that a message shows, None if it shows none any more."""
        message_in = {"at_platform": platform, "at_channel": channel, "shown": message}
        return await self._read_one(_SURFACE_OF_MESSAGE, to_surface, message_in)

    async def count_due(self, now: datetime) -> int:
        """Return the number of surfaces that are due."""
        return int(await self._read_value(select(func.count(surfaces.id)).where(surfaces.due_at <= now)) or 0)

    async def list_due(
        self, until: datetime, limit: int = 1000, platforms: Collection[str] | None = None
    ) -> list[DueBoard]:
        """Return the surfaces that are due up to a time.

        The longest due come first; None means all platforms.
        """
        query = _DUE_BOARDS.where(surfaces.due_at <= until).order_by(surfaces.due_at, surfaces.id).limit(limit)
        if platforms is not None:
            query = query.where(places.platform.in_(platforms))
        return await self._read_rows(query, DueBoard)

    async def next_due_at(self) -> datetime | None:
        """Return when the next surface is due, None if none is."""
        return await self._read_value(select(func.min(surfaces.due_at)).where(surfaces.due_at.is_not(None)))

    async def record_shown(
        self,
        known: Surface,
        *,
        revision: int,
        message: str,
        turn: int,
        at: datetime,
        later: datetime | None = None,
        notices: Collection[Notice] = (),
        route: str | None = None,
    ) -> Surface | None:
        """Record that a message shows a revision and announced a turn, and return the surface, None if there is none.

        `notices` are those that it has delivered, by this `route` if none was decided before.

        `known` is the surface as it was read before sending. `turn` stays equal while the message is to be edited and
        differs when a new message is due. A message that differs from the one before retires that one. The surface
        stays due if the game has moved on meanwhile, if old messages are to be retired, or if a new message was
        requested while the old one was edited; if only retiring is left, it is due `later`.
        """

        def change_of(now: Surface) -> Surface:
            return _build_shown_change(now, known, revision, message, turn, at, later or at)

        change = change_of(known)
        async with self._transaction() as connection:
            # The game is locked before its notices, as a step does.
            surface = await _update_known_surface(connection, known, at, change)
            surface = surface or await _update_stored_surface(connection, known, at, change_of)
            await mark_delivered(connection, notices, at, route=route, place=known.place.id)
            return surface

    async def record_overwritten(self, surface: int, message: str, revision: int, at: datetime) -> bool:
        """Record that the message of a surface shows an earlier revision again; False if it has another message now."""
        mine = update(surfaces).filter_by(id=surface, message=message)
        due = func.coalesce(surfaces.due_at, at)
        async with self._transaction():
            self._emit("due")
            return bool(await self._write(mine.values(shown_revision=revision, due_at=due)))

    async def record_orphan(self, surface: int, message: str, revision: int, at: datetime) -> bool:
        """Retire a message that showed a revision but was not recorded in time; False if the surface shows it."""
        async with self._transaction() as connection:
            known = await _read_locked(connection, surface)
            if known is None or known.gone:
                return True
            if known.message == message:
                return False
            stale_messages = {**known.stale_messages, message: revision}
            due = known.due_at if known.due_at is not None and known.due_at < at else at
            await _write_surface(connection, replace(known, stale_messages=stale_messages, due_at=due))
            self._emit("due")
            return True

    async def record_retired(self, known: Surface, messages: Collection[str], at: datetime) -> Surface | None:
        """Record that old messages have lost their buttons or are gone; return the surface, None if there is none.

        `known` is the surface as it was read or written before.
        """
        async with self._database.write_autocommit() as connection:
            noted = await _update_known_surface(connection, known, at, _build_retired_change(known, messages, at))
        if noted is not None:
            return noted
        async with self._transaction() as connection:
            return await _update_stored_surface(
                connection, known, at, lambda now: _build_retired_change(now, messages, at)
            )

    async def record_extra_message(
        self, surface: int, subject: str, message: str | None, at: datetime, *, retire: bool = True
    ) -> Surface | None:
        """Store the message about a subject beside a board; None ends it.

        The buttons of the message before it are removed later, unless `retire` is False. Returns the surface, None if
        there is no such surface.
        """
        async with self._transaction() as connection:
            known = await _read_locked(connection, surface)
            if known is None or known.gone:
                return known
            stale_messages, extra_messages = dict(known.stale_messages), dict(known.extra_messages)
            before = extra_messages.pop(subject, None)
            if retire and before not in (None, message):
                stale_messages[str(before)] = None
            if message is not None:
                extra_messages[subject] = message
            due = known.due_at
            if due is None and stale_messages:
                due = at
                self._emit_due(known, at)
            after = replace(known, stale_messages=stale_messages, extra_messages=extra_messages, due_at=due)
            return await _write_surface(connection, after)

    async def record_failure(self, surface: int, next_try: datetime) -> None:
        """Record that delivery failed and when to retry."""
        mine = update(surfaces).where(*OPEN).filter_by(id=surface)
        await self._write(mine.values(attempts=surfaces.attempts + 1, due_at=next_try))

    async def schedule_retirement(self, surface: Surface, at: datetime) -> bool:
        """Set when old messages are retired, and return whether it was set; False if the surface is out of date."""
        values = {"surface": surface.id, "of_game": surface.game, "at": at}
        async with self._database.write_autocommit() as connection:
            return await _RETIRES_LATER.count(connection, values) == 1

    async def close(self, surface: int) -> None:
        """Record that nothing can be shown in this place any more."""
        values: Json = {"gone": True, "due_at": None, "attempts": 0, "message": None}
        values |= {"stale_messages": [], "extra_messages": {}}
        await self._write(update(surfaces).filter_by(id=surface).values(**values))

    async def block(self, surface: int) -> None:
        """Record that nothing may be shown in this place at present; `unblock` retries it."""
        mine = update(surfaces).where(*OPEN).filter_by(id=surface)
        await self._write(mine.values(waiting=True, due_at=None, attempts=0))

    async def unblock(self, platform: str, group: str | None, at: datetime) -> int:
        """Retry what waits in a group, or on the whole platform (None); return the number of surfaces."""
        found = await self._read_column(select_waiting(surfaces, platform, group, guest=False))
        if not found:
            return 0  # as a rule: then nothing is to be written
        async with self._transaction():
            self._emit("due")
            again = update(surfaces).where(surfaces.id.in_(found)).filter_by(waiting=True)
            return await self._write(again.values(waiting=False, due_at=at))
