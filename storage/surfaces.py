"""The places that show games, and what delivery has to do there."""

from collections.abc import Collection
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import bindparam, func, select, update

from storage.database import insert_if_new
from storage.errors import NoSuchGame
from storage.notices import mark_delivered
from storage.prepared import Prepared, is_one_of
from storage.repository import Repository
from storage.rows import Notice
from storage.schema import game_places, games, places, surfaces
from storage.surface_data import DueBoard, PlayersHere, Surface, SurfaceWithNotices
from storage.surface_rows import (
    FIND_SURFACE,
    OPEN,
    RETIRES_LATER,
    SURFACE_WITH_NOTICES,
    Change,
    build_retired_change,
    build_shown_change,
    read_locked,
    read_surfaces,
    surfaces_query,
    to_notice,
    to_surface,
    update_known_surface,
    update_stored_surface,
    write_surface,
)

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
            query = select(games.c.status).where(games.c.id == game).with_for_update(read=True)
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
        await self._write(update(surfaces).where(surfaces.c.id == surface, *OPEN).values(**values))

    async def schedule_retirement(self, surface: Surface, at: datetime) -> bool:
        """Set when old messages are retired, and return whether it was set; False if the surface is out of date."""
        values = {"surface": surface.id, "of_game": surface.game, "at": at}
        async with self._database.write_autocommit() as connection:
            return await RETIRES_LATER.count(connection, values) == 1

    async def close(self, surface: int) -> None:
        """Record that nothing can be shown in this place any more."""
        values: dict[str, Any] = {"gone": True, "due_at": None, "attempts": 0, "message": None}
        values |= {"stale_messages": [], "extra_messages": {}}
        await self._write(update(surfaces).where(surfaces.c.id == surface).values(**values))

    async def block(self, surface: int) -> None:
        """Record that nothing may be shown in this place at present; `unblock` retries it."""
        values: dict[str, Any] = {"waiting": True, "due_at": None, "attempts": 0}
        await self._write(update(surfaces).where(surfaces.c.id == surface, *OPEN).values(**values))

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
