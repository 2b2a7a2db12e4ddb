"""Where games are shown, and what delivery still has to do there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, Select, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import BROKEN_JSON, Undecodable
from storage.database import StorePart, insert_new
from storage.errors import NoSuchGame
from storage.places import inherited_columns, to_place, with_inherited
from storage.rows import Surface
from storage.schema import game_places, games, places, surfaces

_PLACE: Final = "place_"
_MOST: Final = 1000


class Surfaces(StorePart):
    """The verbs about surfaces."""

    async def add_surface(self, game: str, place: int, at: datetime) -> Surface:
        """Have a game shown in a place by a new message, also where it is shown already; NoSuchGame."""
        async with self._database.writing() as connection:
            query = select(games.c.status).where(games.c.id == game).with_for_update(read=True)
            status = (await connection.execute(query)).scalar_one_or_none()
            if status is None:
                raise NoSuchGame(game=game)
            await insert_new(connection, game_places, {"place": place, "game": game, "live": status != "over"})
            self._database.tell("shown", (place, game))
            values: dict[str, Any] = {"game": game, "place": place, "retiring": [], "beside": {}}
            values |= {"attempts": 0, "gone": False, "waiting": False, "due_at": at}
            where = (surfaces.c.game == game, surfaces.c.place == place)
            if not await insert_new(connection, surfaces, values):
                again = {"announced_turn": None, "attempts": 0, "gone": False, "waiting": False, "due_at": at}
                await connection.execute(update(surfaces).where(*where).values(**again))
            return (await _read(connection, *where))[0]

    async def surfaces(self, game: str) -> list[Surface]:
        """Return the surfaces of a game that can be written to: not gone, and not waiting; the oldest first."""
        async with self._database.asking() as connection:
            return await _read(connection, surfaces.c.game == game, *_OPEN)

    async def surface(self, surface: int) -> Surface | None:
        """Return a surface, gone or not; None if there is no such."""
        async with self._database.asking() as connection:
            return await _read_one(connection, surface)

    async def find_surface(self, platform: str, channel: str, message: str) -> Surface | None:
        """Return the surface that a message shows, None if it shows none (any more)."""
        where = (places.c.platform == platform, places.c.channel == channel, surfaces.c.message == message)
        async with self._database.asking() as connection:
            found = await _read(connection, *where)
        return found[0] if found else None

    async def due_count(self, now: datetime) -> int:
        """Return for how many surfaces something is to be done now."""
        query = select(func.count()).select_from(surfaces).where(surfaces.c.due_at <= now)
        async with self._database.asking() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def hasten_surfaces(self, after: datetime, at: datetime) -> int:
        """Have what is due later than a time done at another, and return for how many surfaces that was so."""
        query = update(surfaces).where(surfaces.c.due_at > after).values(due_at=at)
        async with self._database.writing() as connection:
            return (await connection.execute(query)).rowcount

    async def due_chats(
        self, now: datetime, limit: int = 1000, platforms: Collection[str] | None = None
    ) -> list[tuple[int, str, str]]:
        """Return the ids of surfaces that something is to be done for, with their platforms and channels.

        What has waited longest comes first; None is all platforms.
        """
        query = _DUE_CHATS if platforms is None else _DUE_CHATS.where(places.c.platform.in_(platforms))
        async with self._database.asking() as connection:
            found = await connection.execute(query.limit(limit), {"now": now})
            return [(surface, platform, channel) for surface, platform, channel in found]

    async def next_due(self, after: datetime | None = None) -> datetime | None:
        """Return when the next surface is due, later than a time if one is given; None if nothing is to be done."""
        later = surfaces.c.due_at.is_not(None) if after is None else surfaces.c.due_at > after
        query = select(func.min(surfaces.c.due_at)).where(later)
        async with self._database.asking() as connection:
            due: datetime | None = (await connection.execute(query)).scalar_one()
        return due

    async def surface_shown(
        self, surface: int, *, revision: int, message: str, turn: int, at: datetime
    ) -> Surface | None:
        """Note that a message shows a revision and announced a turn; return the surface, None if there is no such.

        `turn` is any number that stays while the message is to be edited and differs when a new one is due.
        A message other than before makes that one retire. The surface stays due if the game has moved on meanwhile,
        old messages are to be retired, or a new message was asked for while the old one was edited.
        """
        async with self._database.writing() as connection:
            known = await _locked(connection, surface)
            if known is None or known.gone:
                return known
            retiring = {old: known.shown_then.get(old) for old in known.retiring if old != message}
            if known.message is not None and known.message != message:
                retiring[known.message] = known.shown_revision
            # Asked for anew while an old message was being edited: that edit is no answer.
            wanted = known.announced_turn is None and known.message == message
            values: dict[str, Any] = {"message": message, "shown_revision": revision}
            values["announced_turn"] = None if wanted else turn
            done = revision >= known.revision and not retiring and not wanted
            values |= {"attempts": 0, "due_at": None if done else at}
            return await _write(connection, known, values, retiring)

    async def surface_overwritten(self, surface: int, message: str, revision: int, at: datetime) -> bool:
        """Note that the message of a surface shows a revision of before again; False if it has another one by now."""
        values = {"shown_revision": revision, "due_at": func.coalesce(surfaces.c.due_at, at)}
        where = (surfaces.c.id == surface, surfaces.c.message == message)
        async with self._database.writing() as connection:
            return (await connection.execute(update(surfaces).where(*where).values(**values))).rowcount == 1

    async def surface_left_behind(self, surface: int, message: str, revision: int, at: datetime) -> bool:
        """Have a message retired that showed a revision but was not noted in time; False if the surface shows it."""
        async with self._database.writing() as connection:
            known = await _locked(connection, surface)
            if known is None or known.gone:
                return True
            if known.message == message:
                return False
            retiring = {**{old: known.shown_then.get(old) for old in known.retiring}, message: revision}
            due = known.due_at if known.due_at is not None and known.due_at < at else at
            await _write(connection, known, {"due_at": due}, retiring)
            return True

    async def surface_retired(self, surface: int, message: str, at: datetime) -> Surface | None:
        """Note that an old message has lost its buttons, or is gone; return the surface, None if there is no such."""
        async with self._database.writing() as connection:
            known = await _locked(connection, surface)
            if known is None or known.gone:
                return known
            retiring = {old: known.shown_then.get(old) for old in known.retiring if old != message}
            done = known.shown_revision == known.revision and known.announced_turn is not None and not retiring
            due = None if done else at
            return await _write(connection, known, {"attempts": 0, "due_at": due}, retiring)

    async def put_beside(self, surface: int, subject: str, message: str | None, at: datetime) -> Surface | None:
        """Note which message about a subject stands beside a board; None: it is past, and its buttons are to go.

        Returns the surface, None if there is no such.
        """
        async with self._database.writing() as connection:
            known = await _locked(connection, surface)
            if known is None or known.gone:
                return known
            retiring = {old: known.shown_then.get(old) for old in known.retiring}
            beside = {about: old for about, old in known.beside.items() if about != subject}
            if subject in known.beside and known.beside[subject] != message:
                retiring[known.beside[subject]] = None
            if message is not None:
                beside[subject] = message
            due = at if known.due_at is None and retiring else known.due_at
            return await _write(connection, known, {"beside": beside, "due_at": due}, retiring)

    async def surface_failed(self, surface: int, next_try: datetime) -> None:
        """Note that delivery failed and when to try again."""
        values = {"attempts": surfaces.c.attempts + 1, "due_at": next_try}
        async with self._database.writing() as connection:
            await connection.execute(update(surfaces).where(surfaces.c.id == surface, *_OPEN).values(**values))

    async def surface_retires_later(self, surface: int, at: datetime) -> None:
        """Note when to retire old messages, unless the surface is out of date; due at once if its game moves on."""
        async with self._database.writing() as connection:
            known = await _locked(connection, surface)
            if known is None or known.gone or known.waiting or known.announced_turn is None:
                return
            if known.shown_revision == known.revision:
                await connection.execute(_CHANGED.values(attempts=0, due_at=at), {"surface": surface})

    async def surface_gone(self, surface: int) -> None:
        """Note that nothing can be shown in this place any more."""
        values: dict[str, Any] = {"gone": True, "due_at": None, "attempts": 0, "message": None}
        values |= {"retiring": [], "beside": {}}
        async with self._database.writing() as connection:
            await connection.execute(update(surfaces).where(surfaces.c.id == surface).values(**values))

    async def surface_waits(self, surface: int) -> None:
        """Note that nothing may be shown in this place at present; `reopen_surfaces` has it tried again."""
        values: dict[str, Any] = {"waiting": True, "due_at": None, "attempts": 0}
        async with self._database.writing() as connection:
            await connection.execute(update(surfaces).where(surfaces.c.id == surface, *_OPEN).values(**values))

    async def reopen_surfaces(self, platform: str, group: str | None, at: datetime) -> int:
        """Have what waits in a group of a platform (in all of it, if None) tried again; return how many do."""
        where = [places.c.platform == platform, places.c.guest.is_(False)]
        if group is not None:
            where.append(places.c.group_id == group)
        waiting = surfaces.join(places, places.c.id == surfaces.c.place)
        query = select(surfaces.c.id).select_from(waiting).where(surfaces.c.waiting, *where)
        async with self._database.asking() as connection:
            found = (await connection.execute(query.limit(_MOST))).scalars().all()
        if not found:
            return 0  # as a rule: then nothing is to be written
        change = update(surfaces).where(surfaces.c.id.in_(found), surfaces.c.waiting)
        async with self._database.writing() as connection:
            return (await connection.execute(change.values(waiting=False, due_at=at))).rowcount


def _query() -> Select[*tuple[Any, ...]]:
    theirs = [column.label(_PLACE + column.name) for column in places.c]
    source = surfaces.join(games, games.c.id == surfaces.c.game).join(places, places.c.id == surfaces.c.place)
    return select(surfaces, games.c.revision, *theirs, *inherited_columns(_PLACE)).select_from(with_inherited(source))


# Made once: making a query takes longer than carrying it out.
_SURFACES: Final = _query()
_SURFACE: Final = _SURFACES.where(surfaces.c.id == bindparam("surface"))
_CHANGED: Final = update(surfaces).where(surfaces.c.id == bindparam("surface"))
_OPEN: Final = (surfaces.c.gone.is_(False), surfaces.c.waiting.is_(False))
_DUE_CHATS: Final = (
    select(surfaces.c.id, places.c.platform, places.c.channel)
    .join(places, places.c.id == surfaces.c.place)
    .where(surfaces.c.due_at <= bindparam("now"))
    .order_by(surfaces.c.due_at, surfaces.c.id)
)
_OF_PLACE: Final = (*places.c.keys(), *(label.name.removeprefix(_PLACE) for label in inherited_columns(_PLACE)))


async def _read(connection: AsyncConnection, *where: Any) -> list[Surface]:
    query = _SURFACES.where(*where).order_by(surfaces.c.id).limit(_MOST)
    return [_to_surface(row) for row in (await connection.execute(query)).mappings()]


async def _read_one(connection: AsyncConnection, surface: int) -> Surface | None:
    row = (await connection.execute(_SURFACE, {"surface": surface})).mappings().one_or_none()
    return None if row is None else _to_surface(row)


async def _locked(connection: AsyncConnection, surface: int) -> Surface | None:
    """Return a surface whose game cannot move on before this transaction ends."""
    # On SQLite nobody else can write by now. The game first: a commit locks in this order too, and a revision read
    # without the lock could be an old one.
    if connection.dialect.name != "sqlite":
        mine = select(surfaces.c.game).where(surfaces.c.id == surface).scalar_subquery()
        await connection.execute(select(games.c.id).where(games.c.id == mine).with_for_update(read=True))
        await connection.execute(select(surfaces.c.id).where(surfaces.c.id == surface).with_for_update())
    return await _read_one(connection, surface)


async def _write(
    connection: AsyncConnection, known: Surface, values: dict[str, Any], retiring: dict[str, int | None]
) -> Surface:
    """Write values into a surface, and the messages that are to be retired with the revisions that they show."""
    stored = [[message, revision] for message, revision in retiring.items()]
    await connection.execute(_CHANGED, {"surface": known.id} | values | {"retiring": stored})
    changed: dict[str, Any] = {**values, "retiring": tuple(retiring), "shown_then": _known(retiring)}
    return replace(known, **changed)


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


def _known(retiring: dict[str, int | None]) -> dict[str, int]:
    return {message: revision for message, revision in retiring.items() if revision is not None}


def _to_surface(row: RowMapping) -> Surface:
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
        shown_then=_known(retiring),
        beside={about: each for about, each in row["beside"].items() if row["beside"] != BROKEN_JSON},
        due_at=row["due_at"],
        attempts=row["attempts"],
        gone=row["gone"],
        waiting=row["waiting"],
    )
