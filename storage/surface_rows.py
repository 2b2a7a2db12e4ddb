"""Surfaces as they are read: their rows with the game's revision and the place, alone or with the game's notices."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from sqlalchemy import RowMapping, Select, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import BROKEN_JSON, Undecodable
from storage.places import inherited_columns, to_place, with_inherited
from storage.prepared import Prepared
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


def to_stored(retiring: dict[str, int | None]) -> list[list[str | int | None]]:
    return [[message, revision] for message, revision in retiring.items()]


def known_revisions(retiring: dict[str, int | None]) -> dict[str, int]:
    return {message: revision for message, revision in retiring.items() if revision is not None}


def to_notice(row: RowMapping) -> Notice:
    return Notice(**{name: row[f"notice_{name}"] for name in _NOTICE})


def to_surface(row: RowMapping) -> Surface:
    place = {name: row[_PLACE + name] for name in _OF_PLACE}
    retiring = _retiring(row["retiring"])
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
        retiring=tuple(retiring),
        shown_then=known_revisions(retiring),
        beside={about: each for about, each in row["beside"].items() if row["beside"] != BROKEN_JSON},
        due_at=row["due_at"],
        attempts=row["attempts"],
        gone=row["gone"],
        waiting=row["waiting"],
    )
