"""The rows of surfaces: read with their game, place and notices; updates are checked against the row as read."""

from collections.abc import Callable, Collection
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Integer, RowMapping, Select, Text, bindparam, case, cast, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import BROKEN_JSON, Undecodable, Utc, to_json
from storage.places import PLACE_COLUMNS, place_of, with_inherited
from storage.prepared import Prepared
from storage.rows import Notice
from storage.schema import games, identities, members, notices, places, seats, surfaces
from storage.surface_data import Surface

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
_UPDATE_SURFACE: Final = update(surfaces).where(surfaces.c.id == bindparam("surface"))
# With several processes the game is locked before its surface, as a commit does: a revision read without the lock
# could be an old one, and an outdated board would count as current.
_CURRENT_REVISION: Final = (
    select(games.c.revision).where(games.c.id == bindparam("of_game")).with_for_update(read=True).cte("game_now")
)
_REVISION_NOW: Final = select(_CURRENT_REVISION.c.revision).scalar_subquery()
_AT_PARAMETER: Final = bindparam("at", type_=Utc())


_WRITE_IF_SAME: Final = Prepared(
    update(surfaces)
    .where(
        surfaces.c.id == bindparam("surface"),
        surfaces.c.gone.is_(False),
        surfaces.c.message.is_not_distinct_from(bindparam("message_before", type_=surfaces.c.message.type)),
        surfaces.c.shown_revision.is_not_distinct_from(bindparam("shown_before", type_=Integer())),
        surfaces.c.announced_turn.is_not_distinct_from(bindparam("turn_before", type_=Integer())),
        # A board whose edit was requested while one was on its way is due since then.
        or_(
            surfaces.c.shown_revision.is_not(None),
            surfaces.c.due_at.is_not_distinct_from(bindparam("due_before", type_=Utc())),
        ),
        cast(surfaces.c.stale_messages, Text) == bindparam("retiring_before", type_=Text()),
    )
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
    .where(
        surfaces.c.id == bindparam("surface"),
        *OPEN,
        surfaces.c.announced_turn.is_not(None),
        surfaces.c.shown_revision == _REVISION_NOW,
    )
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
        mine = select(surfaces.c.game).where(surfaces.c.id == surface).scalar_subquery()
        await connection.execute(select(games.c.id).where(games.c.id == mine).with_for_update(read=True))
        await connection.execute(select(surfaces.c.id).where(surfaces.c.id == surface).with_for_update())
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
