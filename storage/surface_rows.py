"""Surfaces as rows: read with their game, place and notices; what was shown is recorded against the row as read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Integer, RowMapping, Select, Text, bindparam, case, cast, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import BROKEN_JSON, Undecodable, Utc, to_json
from storage.driver import Prepared
from storage.places import inherited_columns, to_place, with_inherited
from storage.rows import Notice
from storage.schema import games, notices, places, surfaces
from storage.surface_data import Surface

_PLACE: Final = "place_"
CHAT: Final = (places.c.platform, places.c.channel)
"""What says which chat a place is in."""
_BATCH: Final = 1000


def _query() -> Select[*tuple[Any, ...]]:
    theirs = [column.label(_PLACE + column.name) for column in places.c]
    source = surfaces.join(games, games.c.id == surfaces.c.game).join(places, places.c.id == surfaces.c.place)
    return select(surfaces, games.c.revision, *theirs, *inherited_columns(_PLACE)).select_from(with_inherited(source))


# Made once: making a query takes longer than carrying it out.
_SURFACES: Final = _query()
_SURFACE: Final = _SURFACES.where(surfaces.c.id == bindparam("surface"))
_ONE: Final = Prepared(_SURFACE)
_NOTICE: Final = tuple(field.name for field in fields(Notice))


def _query_with_notices() -> Select[*tuple[Any, ...]]:
    other = surfaces.alias("other")
    open_now = (other.c.gone.is_(False), other.c.waiting.is_(False))
    others = select(other.c.id).where(other.c.game == surfaces.c.game, other.c.id != surfaces.c.id, *open_now).exists()
    theirs = [notices.c[name].label(f"notice_{name}") for name in _NOTICE]
    query = _SURFACE.outerjoin_from(_SURFACE.get_final_froms()[0], notices, notices.c.game == surfaces.c.game)
    return query.add_columns(others.label("has_others"), *theirs).order_by(notices.c.id)


SURFACE_WITH_NOTICES: Final = Prepared(_query_with_notices())

_OF_PLACE: Final = (*places.c.keys(), *(label.name.removeprefix(_PLACE) for label in inherited_columns(_PLACE)))


async def read_surfaces(connection: AsyncConnection, *where: Any) -> list[Surface]:
    query = _SURFACES.where(*where).order_by(surfaces.c.id).limit(_BATCH)
    return [to_surface(row) for row in (await connection.execute(query)).mappings()]


async def read_surface(connection: AsyncConnection, surface: int) -> Surface | None:
    row = (await _ONE.rows(connection, {"surface": surface})).mappings().one_or_none()
    return None if row is None else to_surface(row)


def _retiring(stored: list[Any]) -> dict[str, int | None]:
    """Return what is to be retired; once it was written without revisions. What is neither is passed over."""
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
    return Notice(**{name: row[f"notice_{name}"] for name in _NOTICE})


def to_surface(row: RowMapping) -> Surface:
    place = {name: row[_PLACE + name] for name in _OF_PLACE}
    stale_messages = _retiring(row["stale_messages"])
    # Where nobody can know which message it was, there is none: the board is shown by a new one.
    lost = type(row["message"]) is Undecodable
    return Surface(
        id=row["id"],
        game=row["game"],
        place=to_place(place),
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
_CHANGED: Final = update(surfaces).where(surfaces.c.id == bindparam("surface"))
# Where several processes write, the game is locked before its surface, as a commit does: a revision read without the
# lock could be an old one, and a board that is behind would count as up to date.
_GAME_NOW: Final = (
    select(games.c.revision).where(games.c.id == bindparam("of_game")).with_for_update(read=True).cte("game_now")
)
_REVISION_NOW: Final = select(_GAME_NOW.c.revision).scalar_subquery()
_AT: Final = bindparam("at", type_=Utc())


_WRITE_IF_SAME: Final = Prepared(
    update(surfaces)
    .where(
        surfaces.c.id == bindparam("surface"),
        surfaces.c.gone.is_(False),
        surfaces.c.message.is_not_distinct_from(bindparam("message_before", type_=surfaces.c.message.type)),
        surfaces.c.shown_revision.is_not_distinct_from(bindparam("shown_before", type_=Integer())),
        surfaces.c.announced_turn.is_not_distinct_from(bindparam("turn_before", type_=Integer())),
        cast(surfaces.c.stale_messages, Text) == bindparam("retiring_before", type_=Text()),
    )
    .values(
        message=bindparam("shown_by", type_=surfaces.c.message.type),
        shown_revision=bindparam("shows", type_=Integer()),
        announced_turn=bindparam("announces", type_=Integer()),
        stale_messages=bindparam("retires", type_=surfaces.c.stale_messages.type),
        attempts=0,
        due_at=case((bindparam("shows", type_=Integer()) >= _REVISION_NOW, bindparam("then", type_=Utc())), else_=_AT),
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
    .values(attempts=0, due_at=_AT)
)


class Change(NamedTuple):
    """What a surface is to hold; due until it shows what its game has come to, and then if something is left to do."""

    message: str | None
    shown_revision: int | None
    announced_turn: int | None
    stale_messages: dict[str, int | None]
    due_then: datetime | None


def after_showing(known: Surface, revision: int, message: str, turn: int, at: datetime, later: datetime) -> Change:
    """Return what a surface is to hold once a message shows a revision; what is left to be retired is due later."""
    stale_messages = {old: known.shown_then.get(old) for old in known.stale_messages if old != message}
    if known.message is not None and known.message != message:
        stale_messages[known.message] = known.shown_revision
    # Asked for anew while an old message was being edited: that edit is no answer.
    wanted = known.announced_turn is None and known.message == message
    due_then = at if wanted else later if stale_messages else None
    return Change(message, revision, None if wanted else turn, stale_messages, due_then)


def after_retiring(known: Surface, messages: Collection[str], at: datetime) -> Change:
    """Return what a surface is to hold once old messages have retired."""
    stale_messages = {old: known.shown_then.get(old) for old in known.stale_messages if old not in messages}
    due_then = at if stale_messages or known.announced_turn is None else None
    return Change(known.message, known.shown_revision, known.announced_turn, stale_messages, due_then)


async def note(
    connection: AsyncConnection, known: Surface, at: datetime, change_of: Callable[[Surface], Change]
) -> Surface | None:
    """Change a surface that was read before; where it is another one by now, what is stored is changed.

    It is due `at` a time unless it is done. Returns it as it is then, None if there is no such.
    """
    noted = await note_if_same(connection, known, at, change_of(known))
    return noted if noted is not None else await note_as_it_is(connection, known, at, change_of)


async def note_if_same(connection: AsyncConnection, known: Surface, at: datetime, change: Change) -> Surface | None:
    """Change a surface that was read before, in one statement; None where it is another one by now."""
    before = {old: known.shown_then.get(old) for old in known.stale_messages}
    parameters = {
        "surface": known.id,
        "of_game": known.game,
        "message_before": known.message,
        "shown_before": known.shown_revision,
        "turn_before": known.announced_turn,
        "retiring_before": to_json(to_stored(before)),
        "shown_by": change.message,
        "shows": change.shown_revision,
        "announces": change.announced_turn,
        "retires": to_stored(change.stale_messages),
        "then": change.due_then,
        "at": at,
    }
    row = (await _WRITE_IF_SAME.rows(connection, parameters)).one_or_none()
    return None if row is None else _changed(known, change, row[0])


async def note_as_it_is(
    connection: AsyncConnection, known: Surface, at: datetime, change_of: Callable[[Surface], Change]
) -> Surface | None:
    """Change a surface as it is stored by now; None if there is no such."""
    now = await read_locked(connection, known.id)
    if now is None or now.gone:
        return now
    change = change_of(now)
    is_current = change.shown_revision is not None and change.shown_revision >= now.revision
    after = _changed(now, change, change.due_then if is_current else at)
    names = ("message", "shown_revision", "announced_turn", "attempts", "due_at")
    return await write_surface(connection, now, {name: getattr(after, name) for name in names}, change.stale_messages)


def _changed(known: Surface, change: Change, due_at: datetime | None) -> Surface:
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
    """Return a surface whose game cannot move on before this transaction ends."""
    # On SQLite nobody else can write by now. The game first: a commit locks in this order too, and a revision read
    # without the lock could be an old one.
    if connection.dialect.name != "sqlite":
        mine = select(surfaces.c.game).where(surfaces.c.id == surface).scalar_subquery()
        await connection.execute(select(games.c.id).where(games.c.id == mine).with_for_update(read=True))
        await connection.execute(select(surfaces.c.id).where(surfaces.c.id == surface).with_for_update())
    return await read_surface(connection, surface)


async def write_surface(
    connection: AsyncConnection, known: Surface, values: dict[str, Any], stale_messages: dict[str, int | None]
) -> Surface:
    """Write values into a surface, and the messages that are to be retired with the revisions that they show."""
    await connection.execute(_CHANGED, {"surface": known.id} | values | {"stale_messages": to_stored(stale_messages)})
    changed: dict[str, Any] = {
        **values,
        "stale_messages": tuple(stale_messages),
        "shown_then": known_revisions(stale_messages),
    }
    return replace(known, **changed)
