"""The places that show games, and what delivery has to do there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Integer, RowMapping, Select, Text, bindparam, case, cast, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import BROKEN_JSON, Undecodable, Utc, to_json
from storage.database import Repository, insert_if_new
from storage.errors import NoSuchGame
from storage.notices import mark_delivered
from storage.places import PLACE_COLUMNS, place_of, with_inherited
from storage.rows import Notice, PlaceRow
from storage.schema import game_places, games, identities, members, notices, places, seats, surfaces
from storage.sqlite import Prepared, is_one_of


@dataclass(frozen=True, slots=True)
class Surface:
    """A place that shows a game, and how far delivery has come there.

    `message` shows `shown_revision` (both None before the first delivery) and announced the turn `announced_turn`.
    `stale_messages` are older messages whose buttons must be removed, `shown_then` their revisions as far as known.
    `extra_messages` are the messages beside the board, by subject. `due_at` is when it is processed next, None when all
    is done; `attempts` is the number of failures in a row. A `waiting` surface may not be written to at present:
    nothing happens there until its place is open again.
    """

    id: int
    game: str
    place: PlaceRow
    revision: int
    message: str | None = None
    shown_revision: int | None = None
    announced_turn: int | None = None
    stale_messages: tuple[str, ...] = ()
    shown_then: Mapping[str, int] = field(default_factory=dict)
    extra_messages: Mapping[str, str] = field(default_factory=dict)
    due_at: datetime | None = None
    attempts: int = 0
    gone: bool = False
    waiting: bool = False


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


CHAT: Final = (places.c.platform, places.c.channel)
"""The columns that identify the chat of a place."""
_BATCH_ROWS: Final = 1000


def _build_query() -> Select[*tuple[Any, ...]]:
    source = surfaces.join(games, games.c.id == surfaces.c.game).join(places, places.c.id == surfaces.c.place)
    return select(surfaces, games.c.revision, *PLACE_COLUMNS).select_from(with_inherited(source))


# Built once: building a query takes longer than executing it.
_SURFACES: Final = _build_query()
_SURFACE: Final = _SURFACES.where(surfaces.c.id == bindparam("surface"))
FIND_SURFACE: Final = Prepared(_SURFACE)
_NOTICE_COLUMNS: Final = tuple(field.name for field in fields(Notice))


def _build_query_with_notices() -> Select[*tuple[Any, ...]]:
    other = surfaces.alias("other")
    open_now = (other.c.gone.is_(False), other.c.waiting.is_(False))
    others = select(other.c.id).where(other.c.game == surfaces.c.game, other.c.id != surfaces.c.id, *open_now).exists()
    theirs = [notices.c[name].label(f"notice_{name}") for name in _NOTICE_COLUMNS]
    query = _SURFACE.outerjoin_from(_SURFACE.get_final_froms()[0], notices, notices.c.game == surfaces.c.game)
    known = select(identities.c.person).where(
        identities.c.person == notices.c.person, identities.c.platform == places.c.platform
    )
    here = (members.c.place == surfaces.c.place, seats.c.game == surfaces.c.game, seats.c.seat.is_not(None))
    players = {
        name: select(count(members.c.person)).join(seats, seats.c.person == members.c.person).where(*here)
        for name, count in (("players_here", func.count), ("player_here", func.max))
    }
    query = query.add_columns(games.c.to_move, others.label("has_others"), known.exists().label("on_platform"), *theirs)
    query = query.add_columns(*(each.scalar_subquery().label(name) for name, each in players.items()))
    return query.order_by(notices.c.id)


SURFACE_WITH_NOTICES: Final = Prepared(_build_query_with_notices())


async def read_surfaces(connection: AsyncConnection, *where: Any) -> list[Surface]:
    return [to_surface(row) for row in (await connection.execute(surfaces_query(*where))).mappings()]


def surfaces_query(*where: Any) -> Select[*tuple[Any, ...]]:
    return _SURFACES.where(*where).order_by(surfaces.c.id).limit(_BATCH_ROWS)


async def read_surface(connection: AsyncConnection, surface: int) -> Surface | None:
    row = (await FIND_SURFACE.rows(connection, {"surface": surface})).mappings().one_or_none()
    return None if row is None else to_surface(row)


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


def to_stored(stale_messages: dict[str, int | None]) -> list[list[str | int | None]]:
    return [[message, revision] for message, revision in stale_messages.items()]


def known_revisions(stale_messages: dict[str, int | None]) -> dict[str, int]:
    return {message: revision for message, revision in stale_messages.items() if revision is not None}


def to_notice(row: RowMapping) -> Notice:
    return Notice(**{name: row[f"notice_{name}"] for name in _NOTICE_COLUMNS})


def to_surface(row: RowMapping) -> Surface:
    stale_messages = _read_stale_messages(row["stale_messages"])
    # If the id of the message is lost, the board is shown by a new message.
    lost = type(row["message"]) is Undecodable
    return Surface(
        id=row["id"],
        game=row["game"],
        place=place_of(row),
        revision=row["revision"],
        message=None if lost else row["message"],
        shown_revision=None if lost else row["shown_revision"],
        announced_turn=None if lost else row["announced_turn"],
        stale_messages=tuple(stale_messages),
        shown_then=known_revisions(stale_messages),
        extra_messages={
            about: each for about, each in row["extra_messages"].items() if row["extra_messages"] != BROKEN_JSON
        },
        due_at=row["due_at"],
        attempts=row["attempts"],
        gone=row["gone"],
        waiting=row["waiting"],
    )


OPEN: Final = (surfaces.c.gone.is_(False), surfaces.c.waiting.is_(False))
_UPDATE_SURFACE: Final = update(surfaces).filter_by(id=bindparam("surface"))
# With several processes the game is locked before its surface, as a commit does: a revision read without the lock
# could be an old one, and an outdated board would count as current.
_CURRENT_REVISION: Final = (
    select(games.c.revision).filter_by(id=bindparam("of_game")).with_for_update(read=True).cte("game_now")
)
_REVISION_NOW: Final = select(_CURRENT_REVISION.c.revision).scalar_subquery()
_AT_PARAMETER: Final = bindparam("at", type_=Utc())


_WRITE_IF_SAME: Final = Prepared(
    update(surfaces)
    .where(
        surfaces.c.gone.is_(False),
        surfaces.c.message.is_not_distinct_from(bindparam("message_before", type_=surfaces.c.message.type)),
        surfaces.c.shown_revision.is_not_distinct_from(bindparam("shown_before", type_=Integer())),
        surfaces.c.announced_turn.is_not_distinct_from(bindparam("turn_before", type_=Integer())),
        or_(
            surfaces.c.shown_revision.is_not(None),
            surfaces.c.due_at.is_not_distinct_from(bindparam("due_before", type_=Utc())),
        ),
        cast(surfaces.c.stale_messages, Text) == bindparam("retiring_before", type_=Text()),
    )
    .filter_by(id=bindparam("surface"))
    .values(
        message=bindparam("shown_by", type_=surfaces.c.message.type),
        shown_revision=bindparam("shows", type_=Integer()),
        announced_turn=bindparam("announces", type_=Integer()),
        stale_messages=bindparam("retires", type_=surfaces.c.stale_messages.type),
        attempts=0,
        due_at=case(
            (bindparam("shows", type_=Integer()) >= _REVISION_NOW, bindparam("then", type_=Utc())), else_=_AT_PARAMETER
        ),
    )
    .returning(surfaces.c.due_at)
)
RETIRES_LATER: Final = Prepared(
    update(surfaces)
    .where(*OPEN, surfaces.c.announced_turn.is_not(None))
    .filter_by(id=bindparam("surface"), shown_revision=_REVISION_NOW)
    .values(attempts=0, due_at=_AT_PARAMETER)
)


class Change(NamedTuple):
    """New values of a surface. It stays due until it shows the current revision and nothing else is left to do."""

    message: str | None
    shown_revision: int | None
    announced_turn: int | None
    stale_messages: dict[str, int | None]
    due_then: datetime | None


def build_shown_change(
    now: Surface, known: Surface, revision: int, message: str, turn: int, at: datetime, later: datetime
) -> Change:
    """Return the new values of a surface whose message shows a revision; retiring old messages is due later.

    `now` is the surface as it is stored, `known` as it was read before the message was written.
    """
    stale_messages = {old: now.shown_then.get(old) for old in now.stale_messages if old != message}
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
    due_then = at if wanted or outdated else later if stale_messages else None
    return Change(message, None if outdated else revision, None if wanted else turn, stale_messages, due_then)


def build_retired_change(known: Surface, messages: Collection[str], at: datetime) -> Change:
    """Return the new values of a surface once old messages have been retired."""
    stale_messages = {old: known.shown_then.get(old) for old in known.stale_messages if old not in messages}
    due_then = at if stale_messages or known.announced_turn is None else None
    return Change(known.message, known.shown_revision, known.announced_turn, stale_messages, due_then)


async def update_known_surface(
    connection: AsyncConnection, known: Surface, at: datetime, change: Change
) -> Surface | None:
    """Update a surface that was read before and return it; None if it has changed since.

    It is due `at` a time unless it is done.
    """
    before = {old: known.shown_then.get(old) for old in known.stale_messages}
    parameters = {
        "surface": known.id,
        "of_game": known.game,
        "message_before": known.message,
        "shown_before": known.shown_revision,
        "turn_before": known.announced_turn,
        "due_before": known.due_at,
        "retiring_before": to_json(to_stored(before)),
        "shown_by": change.message,
        "shows": change.shown_revision,
        "announces": change.announced_turn,
        "retires": to_stored(change.stale_messages),
        "then": change.due_then,
        "at": at,
    }
    row = (await _WRITE_IF_SAME.rows(connection, parameters)).one_or_none()
    return None if row is None else _apply_change(known, change, row[0])


async def update_stored_surface(
    connection: AsyncConnection, known: Surface, at: datetime, change_of: Callable[[Surface], Change]
) -> Surface | None:
    """Apply a change to a surface as it is stored now; None if there is no such surface.

    It is due `at` a time unless it is done.
    """
    now = await read_locked(connection, known.id)
    if now is None or now.gone:
        return now
    change = change_of(now)
    is_current = change.shown_revision is not None and change.shown_revision >= now.revision
    after = _apply_change(now, change, change.due_then if is_current else at)
    names = ("message", "shown_revision", "announced_turn", "attempts", "due_at")
    return await write_surface(connection, now, {name: getattr(after, name) for name in names}, change.stale_messages)


def _apply_change(known: Surface, change: Change, due_at: datetime | None) -> Surface:
    message, revision, turn, stale_messages, _ = change
    return replace(
        known,
        message=message,
        shown_revision=revision,
        announced_turn=turn,
        stale_messages=tuple(stale_messages),
        shown_then=known_revisions(stale_messages),
        attempts=0,
        due_at=due_at,
    )


async def read_locked(connection: AsyncConnection, surface: int) -> Surface | None:
    """Return a surface whose game cannot change before this transaction ends."""
    # On SQLite nobody else can write now. The game is locked first, as in a commit: a revision read without the lock
    # could be an old one.
    if connection.dialect.name != "sqlite":
        mine = select(surfaces.c.game).filter_by(id=surface).scalar_subquery()
        await connection.execute(select(games.c.id).filter_by(id=mine).with_for_update(read=True))
        await connection.execute(select(surfaces.c.id).filter_by(id=surface).with_for_update())
    return await read_surface(connection, surface)


async def write_surface(
    connection: AsyncConnection, known: Surface, values: dict[str, Any], stale_messages: dict[str, int | None]
) -> Surface:
    """Write values into a surface, and the messages to be retired with their revisions."""
    await connection.execute(
        _UPDATE_SURFACE, {"surface": known.id} | values | {"stale_messages": to_stored(stale_messages)}
    )
    changed: dict[str, Any] = {
        **values,
        "stale_messages": tuple(stale_messages),
        "shown_then": known_revisions(stale_messages),
    }
    return replace(known, **changed)


_BATCH_SIZE: Final = 1000
# Built once: building a query takes longer than executing it.
_SURFACE_OF_MESSAGE: Final = Prepared(
    surfaces_query(
        places.c.platform == bindparam("at_platform"),
        places.c.channel == bindparam("at_channel"),
        surfaces.c.message == bindparam("shown"),
    )
)
_SURFACES_OF_GAME: Final = Prepared(surfaces_query(surfaces.c.game == bindparam("game"), *OPEN))


@cache
def _due_boards(platforms: frozenset[str] | None) -> Prepared:
    query = select(surfaces.c.id.label("surface"), places.c.platform, places.c.channel, surfaces.c.due_at)
    query = query.join(places, places.c.id == surfaces.c.place)
    query = query.where(surfaces.c.due_at <= bindparam("until"), is_one_of(places.c.platform, platforms))
    return Prepared(query.order_by(surfaces.c.due_at, surfaces.c.id).limit(bindparam("limit")))


class Surfaces(Repository):
    """Queries and commands for surfaces."""

    async def add(self, game: str, place: int, at: datetime) -> Surface:
        """Show a game in a place with a new message, also if it is shown there already; NoSuchGame."""
        async with self._database.transaction() as connection:
            query = select(games.c.status).filter_by(id=game).with_for_update(read=True)
            status = (await connection.execute(query)).scalar_one_or_none()
            if status is None:
                raise NoSuchGame(game=game)
            await insert_if_new(connection, game_places, {"place": place, "game": game, "live": status != "over"})
            self._database.emit_after_commit("shown", (place, game))
            values: dict[str, Any] = {"game": game, "place": place, "stale_messages": [], "extra_messages": {}}
            values |= {"attempts": 0, "gone": False, "waiting": False, "due_at": at}
            where = (surfaces.c.game == game, surfaces.c.place == place)
            if not await insert_if_new(connection, surfaces, values):
                again = {"announced_turn": None, "attempts": 0, "gone": False, "waiting": False, "due_at": at}
                await connection.execute(update(surfaces).where(*where).values(**again))
            added = (await read_surfaces(connection, *where))[0]
            self._database.emit_after_commit(
                "due", (DueBoard(added.id, added.place.platform, added.place.channel, at),)
            )
            return added

    async def list_for_game(self, game: str) -> list[Surface]:
        """Return the writable surfaces of a game (not gone, not waiting), oldest first."""
        return await self._read_all(_SURFACES_OF_GAME, to_surface, {"game": game})

    async def get(self, surface: int) -> Surface | None:
        """Return a surface, gone or not; None if there is no such surface."""
        return await self._read_one(FIND_SURFACE, to_surface, {"surface": surface})

    async def get_with_notices(self, surface: int) -> SurfaceWithNotices | None:
        """Return a surface, gone or not, with everything that delivery needs; None if there is no such surface."""
        rows = await self._read_all(SURFACE_WITH_NOTICES, lambda row: row, {"surface": surface})
        if not rows:
            return None
        first, with_notices = rows[0], [row for row in rows if row["notice_id"] is not None]
        return SurfaceWithNotices(
            to_surface(first),
            tuple(map(to_notice, with_notices)),
            on_platform=frozenset(row["notice_person"] for row in with_notices if row["on_platform"]),
            to_move=first["to_move"],
            is_only_open=not first["has_others"],
            players_here=PlayersHere(first["players_here"], first["player_here"]),
        )

    async def find_by_message(self, platform: str, channel: str, message: str) -> Surface | None:
        """Return the surface that a message shows, None if it shows none any more."""
        message_in = {"at_platform": platform, "at_channel": channel, "shown": message}
        return next(iter(await self._read_all(_SURFACE_OF_MESSAGE, to_surface, message_in)), None)

    async def count_due(self, now: datetime) -> int:
        """Return the number of surfaces that are due."""
        query = select(func.count()).select_from(surfaces).where(surfaces.c.due_at <= now)
        async with self._database.read_autocommit() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def list_due(
        self, until: datetime, limit: int = 1000, platforms: Collection[str] | None = None
    ) -> list[DueBoard]:
        """Return the surfaces that are due up to a time.

        The longest due come first; None means all platforms.
        """
        query = _due_boards(None if platforms is None else frozenset(platforms))
        return await self._read_rows(query, DueBoard, {"until": until, "limit": limit})

    async def next_due_at(self) -> datetime | None:
        """Return when the next surface is due, None if none is."""
        query = select(func.min(surfaces.c.due_at)).where(surfaces.c.due_at.is_not(None))
        return await self._read_value(query)

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

        def change_of(now: Surface) -> Change:
            return build_shown_change(now, known, revision, message, turn, at, later or at)

        change = change_of(known)
        async with self._database.transaction() as connection:
            # The game is locked before its notices, as a step does.
            surface = await update_known_surface(connection, known, at, change)
            surface = surface or await update_stored_surface(connection, known, at, change_of)
            await mark_delivered(connection, notices, at, route=route, place=known.place.id)
            return surface

    async def record_overwritten(self, surface: int, message: str, revision: int, at: datetime) -> bool:
        """Record that the message of a surface shows an earlier revision again; False if it has another message now."""
        values = {"shown_revision": revision, "due_at": func.coalesce(surfaces.c.due_at, at)}
        where = (surfaces.c.id == surface, surfaces.c.message == message)
        async with self._database.transaction() as connection:
            if (await connection.execute(update(surfaces).where(*where).values(**values))).rowcount == 0:
                return False
            self._database.emit_after_commit("due")
            return True

    async def record_orphan(self, surface: int, message: str, revision: int, at: datetime) -> bool:
        """Retire a message that showed a revision but was not recorded in time; False if the surface shows it."""
        async with self._database.transaction() as connection:
            known = await read_locked(connection, surface)
            if known is None or known.gone:
                return True
            if known.message == message:
                return False
            stale_messages = {**{old: known.shown_then.get(old) for old in known.stale_messages}, message: revision}
            due = known.due_at if known.due_at is not None and known.due_at < at else at
            await write_surface(connection, known, {"due_at": due}, stale_messages)
            self._database.emit_after_commit("due")
            return True

    async def record_retired(self, known: Surface, messages: Collection[str], at: datetime) -> Surface | None:
        """Record that old messages have lost their buttons or are gone; return the surface, None if there is none.

        `known` is the surface as it was read or written before.
        """
        async with self._database.write_autocommit() as connection:
            noted = await update_known_surface(connection, known, at, build_retired_change(known, messages, at))
        if noted is not None:
            return noted
        async with self._database.transaction() as connection:
            return await update_stored_surface(
                connection, known, at, lambda now: build_retired_change(now, messages, at)
            )

    async def record_extra_message(
        self, surface: int, subject: str, message: str | None, at: datetime, *, retire: bool = True
    ) -> Surface | None:
        """Store the message about a subject beside a board; None ends it.

        The buttons of the message before it are removed later, unless `retire` is False. Returns the surface, None if
        there is no such surface.
        """
        async with self._database.transaction() as connection:
            known = await read_locked(connection, surface)
            if known is None or known.gone:
                return known
            stale_messages = {old: known.shown_then.get(old) for old in known.stale_messages}
            extra_messages = {about: old for about, old in known.extra_messages.items() if about != subject}
            if retire and subject in known.extra_messages and known.extra_messages[subject] != message:
                stale_messages[known.extra_messages[subject]] = None
            if message is not None:
                extra_messages[subject] = message
            due = at if known.due_at is None and stale_messages else known.due_at
            if due != known.due_at:
                self._database.emit_after_commit(
                    "due", (DueBoard(known.id, known.place.platform, known.place.channel, at),)
                )
            return await write_surface(
                connection, known, {"extra_messages": extra_messages, "due_at": due}, stale_messages
            )

    async def record_failure(self, surface: int, next_try: datetime) -> None:
        """Record that delivery failed and when to retry."""
        values = {"attempts": surfaces.c.attempts + 1, "due_at": next_try}
        await self._write(update(surfaces).where(*OPEN).filter_by(id=surface).values(**values))

    async def schedule_retirement(self, surface: Surface, at: datetime) -> bool:
        """Set when old messages are retired, and return whether it was set; False if the surface is out of date."""
        values = {"surface": surface.id, "of_game": surface.game, "at": at}
        async with self._database.write_autocommit() as connection:
            return await RETIRES_LATER.count(connection, values) == 1

    async def close(self, surface: int) -> None:
        """Record that nothing can be shown in this place any more."""
        values: dict[str, Any] = {"gone": True, "due_at": None, "attempts": 0, "message": None}
        values |= {"stale_messages": [], "extra_messages": {}}
        await self._write(update(surfaces).filter_by(id=surface).values(**values))

    async def block(self, surface: int) -> None:
        """Record that nothing may be shown in this place at present; `unblock` retries it."""
        values: dict[str, Any] = {"waiting": True, "due_at": None, "attempts": 0}
        await self._write(update(surfaces).where(*OPEN).filter_by(id=surface).values(**values))

    async def unblock(self, platform: str, group: str | None, at: datetime) -> int:
        """Retry what waits in a group, or on the whole platform (None); return the number of surfaces."""
        where = [places.c.platform == platform, places.c.guest.is_(False)]
        if group is not None:
            where.append(places.c.group_id == group)
        waiting = surfaces.join(places, places.c.id == surfaces.c.place)
        query = select(surfaces.c.id).select_from(waiting).where(surfaces.c.waiting, *where)
        found = await self._read_column(query.limit(_BATCH_SIZE))
        if not found:
            return 0  # as a rule: then nothing is to be written
        change = update(surfaces).where(surfaces.c.id.in_(found), surfaces.c.waiting)
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("due")
            return (await connection.execute(change.values(waiting=False, due_at=at))).rowcount
