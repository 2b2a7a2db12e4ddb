"""Which of the platforms' events were handled, so that a repeated one does nothing twice."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Part, insert_new
from storage.errors import AlreadyHandled
from storage.rows import Handled
from storage.schema import handled_events


class HandledEvents(Part):
    """The verbs about events of the platforms."""

    async def handled(self, platform: str, event: str) -> Handled | None:
        """Return what was stored when an event was handled, None if it was not."""
        async with self._database.asking() as connection:
            return await _find(connection, platform, event)

    async def mark_handled(self, handled: Handled, at: datetime) -> None:
        """Note that an event that changes no game was handled; AlreadyHandled."""
        async with self._database.writing() as connection:
            await mark(connection, handled, at)

    async def forget_handled(self, before: datetime) -> int:
        """Forget the events handled before a time and return how many there were."""
        async with self._database.writing() as connection:
            return (await connection.execute(delete(handled_events).where(handled_events.c.at < before))).rowcount


async def mark(connection: AsyncConnection, handled: Handled, at: datetime) -> None:
    """Note within a transaction that an event was handled; AlreadyHandled."""
    values = {"platform": handled.platform, "event": handled.event, "reply": handled.reply, "at": at}
    if not await insert_new(connection, handled_events, values):
        known = await _find(connection, handled.platform, handled.event)
        raise AlreadyHandled(handled.platform, handled.event, known.reply if known else None)


async def _find(connection: AsyncConnection, platform: str, event: str) -> Handled | None:
    where = (handled_events.c.platform == platform, handled_events.c.event == event)
    row = (await connection.execute(select(handled_events).where(*where))).mappings().one_or_none()
    return None if row is None else Handled(row["platform"], row["event"], row["reply"])
