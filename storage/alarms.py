"""Alarms of games (reminders, deadlines, invitations that expire) and the heartbeats of the program."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update

from storage.agreements import read_terms, terms_to_json
from storage.columns import UNKNOWN_TIME
from storage.database import upsert
from storage.games import BRIEF_COLUMNS, read_briefs
from storage.repository import Repository
from storage.rows import GameBrief
from storage.schema import games, pulses
from storage.team_rounds import postpone_rounds


class GameAlarms(Repository):
    """Queries and commands for alarms."""

    async def list_due(self, now: datetime, limit: int = 100) -> list[GameBrief]:
        """Return the games whose alarm is due, earliest first."""
        query = select(*BRIEF_COLUMNS).where(games.c.alarm_at.is_not(None), games.c.alarm_at <= now)
        async with self._database.read_snapshot() as connection:
            return await read_briefs(connection, query.order_by(games.c.alarm_at, games.c.id).limit(limit))

    async def record_heartbeat(self, name: str, now: datetime) -> datetime | None:
        """Record a heartbeat of the program and return the time of the previous one, None if there was none."""
        query = select(pulses.c.at).where(pulses.c.name == name).with_for_update()
        async with self._database.transaction() as connection:
            before: datetime | None = (await connection.execute(query)).scalar_one_or_none()
            await upsert(connection, pulses, ("name",), {"name": name, "at": now})
        return before

    async def last_heartbeat(self, name: str) -> datetime | None:
        """Return the time of the last heartbeat, None if there was none."""
        at: datetime | None = await self._read_value(select(pulses.c.at).where(pulses.c.name == name))
        return at

    async def postpone(self, by: timedelta, besides: Collection[str] = ()) -> int:
        """Move all alarms and deadlines of unfinished games by a time span and return the number of games changed.

        Games of the kinds in `besides` are not changed.
        """
        query = select(games.c.id, games.c.alarm_at, games.c.deadline).where(games.c.alarm_at.is_not(None))
        if besides:
            query = query.where(games.c.game.not_in(besides))
        async with self._database.transaction() as connection:
            rows = (await connection.execute(query.with_for_update())).all()
            for game, alarm_at, deadline in rows:
                if UNKNOWN_TIME in (alarm_at, deadline):
                    continue  # written down, it would be a time that is long over
                values = {"alarm_at": alarm_at + by, "deadline": deadline + by if deadline else None}
                await connection.execute(update(games).where(games.c.id == game).values(**values))
                self._database.emit_after_commit("table", game)
            if not besides:
                await postpone_rounds(connection, by)
        return len(rows)

    async def disable(self, game: str, *, set_aside: int | None = None) -> None:
        """Clear the alarm and deadline of a game unconditionally and set it aside because of one of its events."""
        async with self._database.transaction() as connection:
            values: dict[str, Any] = {"alarm_at": None, "deadline": None}
            if set_aside is not None:
                query = select(games.c.terms).where(games.c.id == game).with_for_update()
                terms, course = read_terms((await connection.execute(query)).scalar_one_or_none())
                values["terms"] = terms_to_json(terms, replace(course, set_aside=set_aside))
            await connection.execute(update(games).where(games.c.id == game).values(**values))
            self._database.emit_after_commit("table", game)
