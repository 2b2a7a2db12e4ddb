"""Alarms of games (reminders, deadlines, invitations that expire) and the heartbeats of the program."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import select, update

from storage.agreements import read_terms, terms_to_json
from storage.database import upsert
from storage.games import BRIEF_COLUMNS, read_briefs
from storage.repository import Repository
from storage.rows import GameBrief
from storage.schema import games, pulses


class GameAlarms(Repository):
    """Queries and commands for alarms."""

    async def list_due(self, now: datetime, limit: int = 100) -> list[GameBrief]:
        """Return the games whose alarm is due, earliest first."""
        query = select(*BRIEF_COLUMNS).where(games.c.alarm_at.is_not(None), games.c.alarm_at <= now)
        async with self._database.read_snapshot() as connection:
            return await read_briefs(connection, query.order_by(games.c.alarm_at, games.c.id).limit(limit))

    async def lock_heartbeat(self, name: str) -> datetime | None:
        """Lock a heartbeat for the transaction of this task and return its time, None if there was none."""
        async with self._database.transaction() as connection:
            query = select(pulses.c.at).where(pulses.c.name == name).with_for_update()
            at: datetime | None = (await connection.execute(query)).scalar_one_or_none()
            return at

    async def record_heartbeat(self, name: str, now: datetime) -> datetime | None:
        """Record a heartbeat of the program and return the time of the previous one, None if there was none."""
        async with self._database.transaction() as connection:
            before = await self.lock_heartbeat(name)
            await upsert(connection, pulses, ("name",), {"name": name, "at": now})
        return before

    async def disable(self, game: str, *, set_aside: int | None = None) -> None:
        """Clear the alarm and deadline of a game unconditionally and set it aside because of one of its events."""
        async with self._database.transaction() as connection:
            values: dict[str, Any] = {"alarm_at": None, "deadline": None}
            if set_aside is not None:
                query = select(games.c.terms).where(games.c.id == game).with_for_update()
                terms, course = read_terms((await connection.execute(query)).scalar_one_or_none())
                values["terms"] = terms_to_json(terms, replace(course, set_aside=set_aside))
            await connection.execute(update(games).where(games.c.id == game).values(**values))
            self._database.change_rows(game)
            self._database.emit_after_commit("table", game)
