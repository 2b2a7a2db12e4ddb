"""The messages that come once a day or a month in a place: the daily puzzle, the month of a channel."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import RowMapping, Select, Table, and_, bindparam, case, delete, func, or_, select, update

from storage.columns import is_as_read
from storage.database import Repository, insert_if_new, upsert
from storage.places import PLACE_COLUMNS, place_of, with_inherited
from storage.puzzle_schema import attempt_places, attempts
from storage.rows import PlaceRow
from storage.schema import IS_OPEN, dailies, daily_messages, game_places, monthly_messages, places, results, surfaces
from storage.sqlite import Prepared, is_one_of

_BATCH_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class Daily:
    """A place's subscription to the puzzle of the day, at a local hour; `due_at` is when it is processed next."""

    place: PlaceRow
    hour: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class DailyMessage:
    """The message of one date in one place; `message` is None until it was sent.

    `shown` identifies its content. `past` means that a later message was sent, or that none will follow. `closed` means
    that it needs no further updates.
    """

    id: int
    place: PlaceRow
    date: str
    puzzle: str
    message: str | None
    shown: str | None
    posted_at: datetime | None
    shown_at: datetime | None
    due_at: datetime | None
    attempts: int
    waiting: bool
    closed: bool
    past: bool


class DailyMessages(Repository):
    """Queries and commands for daily messages."""

    async def get(self, place: int) -> Daily | None:
        """Return the subscription of a place, None if it has none."""
        return await self._read_one(_build_daily_query().where(dailies.c.place == place), _to_daily)

    async def switch_on(self, place: int, hour: int, due_at: datetime) -> None:
        """Subscribe a place to the daily message at an hour; `due_at` is when it is processed first."""
        async with self._database.transaction() as connection:
            await upsert(connection, dailies, ("place",), {"place": place, "hour": hour, "due_at": due_at})

    async def switch_off(self, place: int) -> None:
        """End the subscription of a place; its last message closes when the next one would have come."""
        async with self._database.transaction() as connection:
            query = select(dailies.c.due_at).filter_by(place=place).with_for_update()
            ends: datetime | None = (await connection.execute(query)).scalar_one_or_none()
            if ends is None:
                return
            await connection.execute(delete(dailies).filter_by(place=place))
            sent = (daily_messages.c.place == place, daily_messages.c.message.is_not(None))
            await connection.execute(update(daily_messages).where(*sent, *IS_OPEN).values(due_at=ends))

    async def reschedule(self, place: PlaceRow, at: datetime) -> None:
        """Reschedule the subscriptions of a place and of all places that inherit its settings."""
        theirs = or_(places.c.id == place.id, places.c.channel == place.channel, places.c.group_id == place.channel)
        meant = select(places.c.id).where(theirs).filter_by(platform=place.platform)
        await self._write(update(dailies).where(dailies.c.place.in_(meant)).values(due_at=at))

    async def list_due(self, now: datetime, platforms: Collection[str], limit: int = 200) -> list[Daily]:
        """Return the due subscriptions of some platforms, earliest first."""
        return await self._read_all(_due_dailies(frozenset(platforms)), _to_daily, {"until": now, "limit": limit})

    async def next_due_at(self, platforms: Collection[str]) -> datetime | None:
        """Return when a subscription or a message of some platforms is due next, None if none is."""
        nearest = list[datetime]()
        async with self._database.read_autocommit() as connection:
            for query in _next_due(frozenset(platforms)):
                found = (await query.rows(connection, {})).scalar_one_or_none()
                nearest += [] if found is None else [found]
        return min(nearest, default=None)

    async def promise_message(self, place: int, date: str, puzzle: str, at: datetime, next_at: datetime) -> bool:
        """Store the promise of a date's message in a place and when it is due again; False if it was promised before.

        A later message also counts as such a promise: the message of an earlier date is never sent afterwards.
        """
        values = {"place": place, "date": date, "puzzle": puzzle, "posted_at": at, "due_at": at, "attempts": 0}
        here = daily_messages.c.place == place
        async with self._database.transaction() as connection:
            going = update(dailies).filter_by(place=place).values(due_at=next_at)
            if (await connection.execute(going)).rowcount != 1:
                return False
            late = (here, daily_messages.c.date < date, daily_messages.c.message.is_(None))
            await connection.execute(delete(daily_messages).where(*late))
            newest = (await connection.execute(select(func.max(daily_messages.c.date)).where(here))).scalar_one()
            if newest is not None and newest > date:
                return False
            return await insert_if_new(connection, daily_messages, values)

    async def postpone(self, place: int, due_at: datetime) -> None:
        """Set when the subscription of a place is processed next."""
        await self._write(update(dailies).filter_by(place=place).values(due_at=due_at))

    async def get_message(self, message: int) -> DailyMessage | None:
        """Return a message by its number, None if there is none."""
        return await self._read_one(_select_daily().where(daily_messages.c.id == message), _to_daily_message)

    async def list_messages(self, place: int, limit: int = 10) -> list[DailyMessage]:
        """Return the messages of a place, the newest first."""
        query = _select_daily().where(daily_messages.c.place == place).order_by(daily_messages.c.date.desc())
        return await self._read_all(query.limit(limit), _to_daily_message)

    async def list_due_messages(
        self, now: datetime, platforms: Collection[str], limit: int = 200
    ) -> list[tuple[int, str]]:
        """Return the numbers and platforms of the messages that are due."""
        found = await self._read_pairs(_due_messages(frozenset(platforms)), {"until": now, "limit": limit})
        return list(found.items())

    async def record_posted(self, message: int, sent: str, shown: str, at: datetime) -> None:
        """Record that a message was sent and what it shows; earlier ones in the place become due for closing."""
        async with self._database.transaction() as connection:
            mine = daily_messages.c.id == message
            values: dict[str, Any] = {"message": sent, "shown": shown, "posted_at": at, "shown_at": at}
            values |= {"due_at": None, "attempts": 0, "waiting": False}
            row = (await connection.execute(select(daily_messages).where(mine))).mappings().one_or_none()
            if row is None:
                return
            await connection.execute(update(daily_messages).where(mine).values(**values))
            before = (daily_messages.c.place == row["place"], daily_messages.c.date < row["date"], *IS_OPEN)
            await connection.execute(update(daily_messages).where(*before).values(due_at=at))

    async def record_shown(self, message: DailyMessage, shown: str, at: datetime) -> None:
        """Record what a message shows now; it stays due if it was marked due again since it was read."""
        stirred = case((is_as_read(daily_messages.c.due_at, message.due_at), None), else_=daily_messages.c.due_at)
        await self._put(message.id, shown=shown, shown_at=at, due_at=stirred, attempts=0)

    async def record_unchanged(self, message: DailyMessage) -> None:
        """Record that a message is up to date, unless it was marked due again since it was read."""
        stirred = case((is_as_read(daily_messages.c.due_at, message.due_at), None), else_=daily_messages.c.due_at)
        await self._put(message.id, due_at=stirred, attempts=0)

    async def postpone_message(self, message: int, due_at: datetime) -> None:
        """Set when a message is processed next."""
        await self._put(message, due_at=due_at)

    async def record_failure(self, message: int, attempts: int, next_try: datetime) -> None:
        """Record that sending or editing a message failed, how often in a row, and when to retry."""
        await self._put(message, attempts=attempts, due_at=next_try)

    async def close_message(self, message: int, shown: str | None, at: datetime) -> None:
        """Close a message: it shows its solution, or it is gone (None)."""
        values: dict[str, Any] = {} if shown is None else {"shown": shown, "shown_at": at}
        await self._put(message, closed=True, due_at=None, attempts=0, **values)

    async def delete_unsent(self, message: int) -> None:
        """Delete a message that was not sent and will not be."""
        where = (daily_messages.c.id == message, daily_messages.c.message.is_(None))
        await self._write(delete(daily_messages).where(*where))

    async def block_message(self, message: int) -> None:
        """Record that nothing may be written where a message is; `unblock_messages` retries it."""
        await self._put(message, waiting=True, due_at=None, attempts=0)

    async def unblock_messages(self, platform: str, group: str | None, at: datetime) -> int:
        """Retry what was blocked in a group, or on the whole platform (None); return how many messages and places."""
        where = [places.c.platform == platform]
        if group is not None:
            where.append(places.c.group_id == group)
        query = select(daily_messages.c.id).join(places, places.c.id == daily_messages.c.place)
        waiting = await self._read_column(query.where(daily_messages.c.waiting, *where).limit(_BATCH_SIZE))
        if not waiting:
            return 0
        change = update(daily_messages).where(daily_messages.c.id.in_(waiting))
        return await self._write(change.values(waiting=False, due_at=at))

    async def end(self, place: int) -> None:
        """Record that a place is gone and gets no more messages."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(dailies).filter_by(place=place))
            gone = {"closed": True, "waiting": False, "due_at": None}
            await connection.execute(update(daily_messages).filter_by(place=place).values(**gone))

    async def mark_messages_due(self, puzzle: str | None, since: datetime, at: datetime) -> None:
        """Mark the messages of a puzzle that somebody worked on since a time as due; None means every puzzle."""
        going: list[Any] = [daily_messages.c.message.is_not(None), *IS_OPEN]
        if puzzle is not None:
            there = select(attempt_places.c.place).join(attempts, attempts.c.id == attempt_places.c.attempt)
            there = there.where(attempts.c.puzzle == puzzle, attempts.c.touched_at >= since)
            going += [daily_messages.c.puzzle == puzzle, daily_messages.c.place.in_(there)]
        else:
            going.append(daily_messages.c.posted_at >= since)
        # A message whose retry is later is processed then.
        idle = or_(daily_messages.c.due_at.is_(None), daily_messages.c.due_at <= at)
        await self._write(update(daily_messages).where(*going, idle).values(due_at=at))

    async def last_shown_at(self, platform: str, channel: str) -> datetime | None:
        """Return when a daily message was last sent or edited in a channel or its threads."""
        query = select(func.max(daily_messages.c.shown_at)).join(places, places.c.id == daily_messages.c.place)
        return await self._read_value(query.where(places.c.platform == platform, places.c.channel == channel))

    async def are_boards_due(self, platform: str, channel: str, now: datetime) -> bool:
        """Return whether a board of a channel is due now."""
        query = select(surfaces.c.id).join(places, places.c.id == surfaces.c.place)
        query = query.where(surfaces.c.due_at <= now, places.c.platform == platform, places.c.channel == channel)
        return bool(await self._read_column(query.limit(1)))

    async def _put(self, message: int, **values: Any) -> None:
        where = (daily_messages.c.id == message, daily_messages.c.closed.is_(False))
        await self._write(update(daily_messages).where(*where).values(**values))


def _build_daily_query() -> Select[*tuple[Any, ...]]:
    source = dailies.join(places, places.c.id == dailies.c.place)
    return select(dailies, *PLACE_COLUMNS).select_from(with_inherited(source))


@cache
def _due_dailies(platforms: frozenset[str]) -> Prepared:
    query = _build_daily_query().where(dailies.c.due_at <= bindparam("until"))
    query = query.where(is_one_of(places.c.platform, platforms)).order_by(dailies.c.due_at, dailies.c.place)
    return Prepared(query.limit(bindparam("limit")))


@cache
def _due_messages(platforms: frozenset[str]) -> Prepared:
    query = select(daily_messages.c.id, places.c.platform).join(places, places.c.id == daily_messages.c.place)
    due = (daily_messages.c.due_at <= bindparam("until"), daily_messages.c.closed.is_(False))
    query = query.where(*due, is_one_of(places.c.platform, platforms))
    return Prepared(query.order_by(daily_messages.c.due_at, daily_messages.c.id).limit(bindparam("limit")))


@cache
def _next_due(platforms: frozenset[str]) -> tuple[Prepared, Prepared]:
    def first(table: Table) -> Prepared:
        query = select(table.c.due_at).join(places, places.c.id == table.c.place)
        query = query.where(table.c.due_at.is_not(None), is_one_of(places.c.platform, platforms))
        return Prepared(query.order_by(table.c.due_at).limit(1))

    return first(dailies), first(daily_messages)


def _select_daily() -> Select[*tuple[Any, ...]]:
    source = daily_messages.join(places, places.c.id == daily_messages.c.place)
    later, going = daily_messages.alias("later"), select(dailies.c.place)
    next_one = select(later.c.id).where(
        later.c.place == daily_messages.c.place, later.c.date > daily_messages.c.date, later.c.message.is_not(None)
    )
    past = or_(next_one.exists(), ~going.where(dailies.c.place == daily_messages.c.place).exists()).label("past")
    return select(daily_messages, past, *PLACE_COLUMNS).select_from(with_inherited(source))


def _to_daily(row: RowMapping) -> Daily:
    return Daily(place_of(row), row["hour"], row["due_at"])


def _to_daily_message(row: RowMapping) -> DailyMessage:
    own = {column.name: row[column.name] for column in daily_messages.c}
    return DailyMessage(**{**own, "place": place_of(row), "past": bool(row["past"])})


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
        query = _select_monthly().where(monthly_messages.c.place == place, monthly_messages.c.month == month)
        return await self._read_one(query, _to_monthly_message)

    async def list_due(self, now: datetime, platforms: Collection[str], limit: int = 200) -> list[MonthlyMessage]:
        """Return the due messages of some platforms, earliest first."""
        query = _select_monthly().where(monthly_messages.c.due_at <= now, places.c.platform.in_(platforms))
        query = query.order_by(monthly_messages.c.due_at, monthly_messages.c.place).limit(limit)
        return await self._read_all(query, _to_monthly_message)

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


def _select_monthly() -> Select[*tuple[Any, ...]]:
    source = with_inherited(monthly_messages.join(places, places.c.id == monthly_messages.c.place))
    return select(monthly_messages, *PLACE_COLUMNS).select_from(source)


def _to_monthly_message(row: RowMapping) -> MonthlyMessage:
    names = ("month", "message", "promised_at", "due_at", "attempts")
    return MonthlyMessage(place_of(row), *(row[name] for name in names))
