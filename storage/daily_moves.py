"""What comes once a day, where a channel gets another id: it goes on there, but no message of before can be changed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.daily_schema import dailies, daily_messages


async def close_messages_in(connection: AsyncConnection, place: int) -> None:
    """Note that a place has other messages now: what was sent there cannot be changed any more."""
    sent = (daily_messages.c.place == place, daily_messages.c.message.is_not(None))
    await connection.execute(update(daily_messages).where(*sent).values(closed=True, due_at=None))


async def transfer_dailies(connection: AsyncConnection, place: int, into: int) -> None:
    """Give what comes to one place once a day to another, which keeps its own where both have some."""
    known: Any = select(dailies.c.place).where(dailies.c.place == into)
    await connection.execute(delete(dailies).where(dailies.c.place == place, known.exists()))
    known = select(daily_messages.c.date).where(daily_messages.c.place == into)
    twice = (daily_messages.c.place == place, daily_messages.c.date.in_(known))
    await connection.execute(delete(daily_messages).where(*twice))
    for table in (dailies, daily_messages):
        await connection.execute(update(table).where(table.c.place == place).values(place=into))
