"""The message that a place gets when a month is over: promised before it is sent, and sent once."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, Select, and_, select, update

from storage.daily_schema import monthly_messages
from storage.database import insert_if_new
from storage.places import PLACE_COLUMNS, place_of, with_inherited
from storage.repository import Repository
from storage.rows import PlaceRow
from storage.schema import game_places, places, results


@dataclass(frozen=True, slots=True)
class MonthlyMessage:
    """The message of a month (`2026-05`) in a place; `message` is None until sent, `due_at` None once done."""

    place: PlaceRow
    month: str
    message: str | None
    promised_at: datetime
    due_at: datetime | None
    attempts: int


class MonthlyMessages(Repository):
    """Queries and commands for monthly messages."""

    async def list_unpromised(self, month: str, since: datetime, until: datetime) -> list[PlaceRow]:
        """Return the channels in which games ended within a time span and that have no promised message of a month."""
        played = select(game_places.c.place).join(results, results.c.game == game_places.c.game)
        played = played.where(results.c.ended_at >= since, results.c.ended_at < until)
        mine = and_(monthly_messages.c.place == places.c.id, monthly_messages.c.month == month)
        query = select(*PLACE_COLUMNS).select_from(with_inherited(places))
        query = query.where(places.c.id.in_(played), places.c.kind == "group", places.c.guest.is_(False))
        query = query.where(~select(monthly_messages.c.place).where(mine).exists()).order_by(places.c.id)
        return await self._read_all(query, place_of)

    async def promise(self, place: int, month: str, due_at: datetime, at: datetime) -> bool:
        """Store the promise of a month's message in a place and when it is due; False if it was promised before."""
        values = {"place": place, "month": month, "promised_at": at, "due_at": due_at, "attempts": 0}
        async with self._database.transaction() as connection:
            return await insert_if_new(connection, monthly_messages, values)

    async def get(self, place: int, month: str) -> MonthlyMessage | None:
        """Return the message of a month in a place, None if none was promised."""
        query = _build_message_query().where(monthly_messages.c.place == place, monthly_messages.c.month == month)
        return await self._read_one(query, _to_message)

    async def list_due(self, now: datetime, platforms: Collection[str], limit: int = 200) -> list[MonthlyMessage]:
        """Return the due messages of some platforms, earliest first."""
        query = _build_message_query().where(monthly_messages.c.due_at <= now, places.c.platform.in_(platforms))
        query = query.order_by(monthly_messages.c.due_at, monthly_messages.c.place).limit(limit)
        return await self._read_all(query, _to_message)

    async def next_due_at(self, platforms: Collection[str]) -> datetime | None:
        """Return when the next message of some platforms is due, None if none is."""
        query = select(monthly_messages.c.due_at).join(places, places.c.id == monthly_messages.c.place)
        query = query.where(monthly_messages.c.due_at.is_not(None), places.c.platform.in_(platforms))
        return await self._read_value(query.order_by(monthly_messages.c.due_at).limit(1))

    async def record_sent(self, place: int, month: str, message: str | None) -> None:
        """Record that a message was sent, or that none will be (None)."""
        await self._put(place, month, message=message, due_at=None)

    async def record_failure(self, place: int, month: str, attempts: int, next_try: datetime) -> None:
        """Record that sending a message failed, how often in a row, and when to retry."""
        await self._put(place, month, attempts=attempts, due_at=next_try)

    async def _put(self, place: int, month: str, **values: Any) -> None:
        where = (monthly_messages.c.place == place, monthly_messages.c.month == month)
        await self._write(update(monthly_messages).where(*where).values(**values))


def _build_message_query() -> Select[*tuple[Any, ...]]:
    source = with_inherited(monthly_messages.join(places, places.c.id == monthly_messages.c.place))
    return select(monthly_messages, *PLACE_COLUMNS).select_from(source)


def _to_message(row: RowMapping) -> MonthlyMessage:
    names = ("month", "message", "promised_at", "due_at", "attempts")
    return MonthlyMessage(place_of(row), *(row[name] for name in names))
