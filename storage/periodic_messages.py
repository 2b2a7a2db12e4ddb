"""The messages that come once a day or a month in a place: the daily puzzle, the month of a channel."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import case, delete, func, or_, select, update

from storage.columns import AnySelect, Json, is_as_read
from storage.database import Repository, insert_if_new, upsert
from storage.message_schema import (
    Daily,
    DailyMessage,
    MonthlyMessage,
    dailies,
    daily_messages,
    monthly_messages,
    surfaces,
)
from storage.places import PLACE_COLUMNS, SELECT_PLACES, place_of, select_waiting, with_inherited, with_place
from storage.puzzle_schema import attempt_places, attempts
from storage.schema import DeclaredTable, PlaceRow, game_places, places, results

_IS_OPEN: Final[Json] = {"closed": False, "waiting": False}
"""What a message has that still needs updates."""


def _select_with_place(table: DeclaredTable, *more: Any) -> AnySelect:
    source = with_inherited(table.table.join(places, places.id == table.place))
    return select(table, *more, *PLACE_COLUMNS).select_from(source)


def _select_daily_messages() -> AnySelect:
    later = daily_messages.alias("later")
    next_one = select(later.id).where(later.date > daily_messages.date, later.message.is_not(None))
    next_one = next_one.filter_by(place=daily_messages.place)
    going = select(dailies.place).filter_by(place=daily_messages.place)
    return _select_with_place(daily_messages, or_(next_one.exists(), ~going.exists()).label("past"))


_DAILIES: Final = _select_with_place(dailies)
_DAILY_MESSAGES: Final = _select_daily_messages()
_MONTHLY_MESSAGES: Final = _select_with_place(monthly_messages)


class DailyMessages(Repository):
    """Queries and commands for daily messages."""

    async def get(self, place: int) -> Daily | None:
        """Return the subscription of a place, None if it has none."""
        return await self._read_one(_DAILIES.where(dailies.place == place), with_place(Daily))

    async def switch_on(self, place: int, hour: int, due_at: datetime) -> None:
        """Subscribe a place to the daily message at an hour; `due_at` is when it is processed first."""
        async with self._transaction() as connection:
            await upsert(connection, dailies, {"place": place, "hour": hour, "due_at": due_at})

    async def switch_off(self, place: int) -> None:
        """End the subscription of a place; its last message closes when the next one would have come."""
        sent = update(daily_messages).where(daily_messages.message.is_not(None)).filter_by(place=place, **_IS_OPEN)
        async with self._transaction():
            ended = delete(dailies).filter_by(place=place).returning(dailies.due_at)
            for ends in await self._read_column(ended):
                await self._write(sent.values(due_at=ends))

    async def reschedule(self, place: PlaceRow, at: datetime) -> None:
        """Reschedule the subscriptions of a place and of all places that inherit its settings."""
        theirs = or_(places.id == place.id, places.channel == place.channel, places.group_id == place.channel)
        meant = select(places.id).where(theirs).filter_by(platform=place.platform)
        await self._write(update(dailies).where(dailies.place.in_(meant)).values(due_at=at))

    async def list_due(self, now: datetime, platforms: Collection[str], limit: int = 200) -> list[Daily]:
        """Return the due subscriptions of some platforms, earliest first."""
        query = _DAILIES.where(dailies.due_at <= now, places.platform.in_(platforms))
        return await self._read_all(query.order_by(dailies.due_at, "place").limit(limit), with_place(Daily))

    async def next_due_at(self, platforms: Collection[str]) -> datetime | None:
        """Return when a subscription or a message of some platforms is due next, None if none is."""
        first = [await self._read_value(_select_next(table, platforms)) for table in (dailies, daily_messages)]
        return min([each for each in first if each is not None], default=None)

    async def promise_message(self, place: int, date: str, puzzle: str, at: datetime, next_at: datetime) -> bool:
        """Store the promise of a date's message in a place and when it is due again; False if it was promised before.

        A later message also counts as such a promise: the message of an earlier date is never sent afterwards.
        """
        values = {"place": place, "date": date, "puzzle": puzzle, "posted_at": at, "due_at": at}
        sent = daily_messages
        async with self._transaction() as connection:
            if not await self._write(update(dailies).filter_by(place=place).values(due_at=next_at)):
                return False
            await self._write(delete(daily_messages).where(sent.date < date).filter_by(place=place, message=None))
            newest = await self._read_value(select(func.max(sent.date)).where(sent.place == place))
            if newest is not None and newest > date:
                return False
            return await insert_if_new(connection, daily_messages, values)

    async def postpone(self, place: int, due_at: datetime) -> None:
        """Set when the subscription of a place is processed next."""
        await self._write(update(dailies).filter_by(place=place).values(due_at=due_at))

    async def get_message(self, message: int) -> DailyMessage | None:
        """Return a message by its number, None if there is none."""
        return await self._read_one(_DAILY_MESSAGES.where(daily_messages.id == message), with_place(DailyMessage))

    async def list_messages(self, place: int, limit: int = 10) -> list[DailyMessage]:
        """Return the messages of a place, the newest first."""
        query = _DAILY_MESSAGES.where(daily_messages.place == place).order_by(daily_messages.date.desc())
        return await self._read_all(query.limit(limit), with_place(DailyMessage))

    async def list_due_messages(
        self, now: datetime, platforms: Collection[str], limit: int = 200
    ) -> list[tuple[int, str]]:
        """Return the numbers and platforms of the messages that are due."""
        due = (daily_messages.due_at <= now, daily_messages.closed.is_(False), places.platform.in_(platforms))
        query = select(daily_messages.id, places.platform).join(places)
        query = query.where(*due).order_by(daily_messages.due_at, daily_messages.id).limit(limit)
        return list((await self._read_pairs(query)).items())

    async def record_posted(self, message: int, sent: str, shown: str, at: datetime) -> None:
        """Record that a message was sent and what it shows; earlier ones in the place become due for closing."""
        values: Json = {"message": sent, "shown": shown, "posted_at": at, "shown_at": at}
        values |= {"due_at": None, "attempts": 0, "waiting": False}
        columns = (daily_messages.place, daily_messages.date)
        async with self._transaction():
            change = update(daily_messages).filter_by(id=message).values(values).returning(*columns)
            for place, date in await self._read(change):
                earlier = update(daily_messages).where(daily_messages.date < date).filter_by(place=place, **_IS_OPEN)
                await self._write(earlier.values(due_at=at))

    async def record_shown(self, message: DailyMessage, shown: str, at: datetime) -> None:
        """Record what a message shows now; it stays due if it was marked due again since it was read."""
        await self._put(message.id, shown=shown, shown_at=at, due_at=_done(message), attempts=0)

    async def record_unchanged(self, message: DailyMessage) -> None:
        """Record that a message is up to date, unless it was marked due again since it was read."""
        await self._put(message.id, due_at=_done(message), attempts=0)

    async def postpone_message(self, message: int, due_at: datetime) -> None:
        """Set when a message is processed next."""
        await self._put(message, due_at=due_at)

    async def record_failure(self, message: int, attempts: int, next_try: datetime) -> None:
        """Record that sending or editing a message failed, how often in a row, and when to retry."""
        await self._put(message, attempts=attempts, due_at=next_try)

    async def close_message(self, message: int, shown: str | None, at: datetime) -> None:
        """Close a message: it shows its solution, or it is gone (None)."""
        values: Json = {} if shown is None else {"shown": shown, "shown_at": at}
        await self._put(message, closed=True, due_at=None, attempts=0, **values)

    async def delete_unsent(self, message: int) -> None:
        """Delete a message that was not sent and will not be."""
        await self._write(delete(daily_messages).filter_by(id=message, message=None))

    async def block_message(self, message: int) -> None:
        """Record that nothing may be written where a message is; `unblock_messages` retries it."""
        await self._put(message, waiting=True, due_at=None, attempts=0)

    async def unblock_messages(self, platform: str, group: str | None, at: datetime) -> int:
        """Retry what was blocked in a group, or on the whole platform (None); return how many messages and places."""
        waiting = await self._read_column(select_waiting(daily_messages, platform, group))
        if not waiting:
            return 0
        change = update(daily_messages).where(daily_messages.id.in_(waiting))
        return await self._write(change.values(waiting=False, due_at=at))

    async def end(self, place: int) -> None:
        """Record that a place is gone and gets no more messages."""
        async with self._transaction():
            await self._write(delete(dailies).filter_by(place=place))
            gone = update(daily_messages).filter_by(place=place)
            await self._write(gone.values(closed=True, waiting=False, due_at=None))

    async def mark_messages_due(self, puzzle: str | None, since: datetime, at: datetime) -> None:
        """Mark the messages of a puzzle that somebody worked on since a time as due; None means every puzzle."""
        # A message whose retry is later is processed then.
        idle = or_(daily_messages.due_at.is_(None), daily_messages.due_at <= at)
        going = update(daily_messages).where(daily_messages.message.is_not(None), idle).filter_by(**_IS_OPEN)
        if puzzle is not None:
            there = select(attempt_places.place).join(attempts)
            there = there.where(attempts.touched_at >= since).filter_by(puzzle=puzzle)
            going = going.where(daily_messages.place.in_(there)).filter_by(puzzle=puzzle)
        else:
            going = going.where(daily_messages.posted_at >= since)
        await self._write(going.values(due_at=at))

    async def last_shown_at(self, platform: str, channel: str) -> datetime | None:
        """Return when a daily message was last sent or edited in a channel or its threads."""
        there = daily_messages.place.in_(_select_channel(platform, channel))
        return await self._read_value(select(func.max(daily_messages.shown_at)).where(there))

    async def are_boards_due(self, platform: str, channel: str, now: datetime) -> bool:
        """Return whether a board of a channel is due now."""
        there = surfaces.place.in_(_select_channel(platform, channel))
        return bool(await self._read_column(select(surfaces.id).where(surfaces.due_at <= now, there).limit(1)))

    async def _put(self, message: int, **values: Any) -> None:
        await self._write(update(daily_messages).filter_by(id=message, closed=False).values(**values))


def _done(message: DailyMessage) -> Any:
    """Return when a message is due next that is as it should be: only if it was marked due since it was read."""
    return case((is_as_read(daily_messages.due_at, message.due_at), None), else_=daily_messages.due_at)


def _select_next(table: DeclaredTable, platforms: Collection[str]) -> Any:
    query = select(table.due_at).join(places, places.id == table.place)
    query = query.where(table.due_at.is_not(None), places.platform.in_(platforms))
    return query.order_by(table.due_at).limit(1)


def _select_channel(platform: str, channel: str) -> Any:
    return select(places.id).filter_by(platform=platform, channel=channel)


class MonthlyMessages(Repository):
    """Queries and commands for monthly messages."""

    async def list_unpromised(self, month: str, since: datetime, until: datetime) -> list[PlaceRow]:
        """Return the channels in which games ended within a time span and that have no promised message of a month."""
        played = select(game_places.place).join(results, results.game == game_places.game)
        played = played.where(results.ended_at >= since, results.ended_at < until)
        promised = select(monthly_messages.place).filter_by(place=places.id, month=month)
        query = SELECT_PLACES.where(places.id.in_(played), places.kind == "group", places.guest.is_(False))
        return await self._read_all(query.where(~promised.exists()).order_by(places.id), place_of)

    async def promise(self, place: int, month: str, due_at: datetime, at: datetime) -> bool:
        """Store the promise of a month's message in a place and when it is due; False if it was promised before."""
        values = {"place": place, "month": month, "promised_at": at, "due_at": due_at}
        async with self._transaction() as connection:
            return await insert_if_new(connection, monthly_messages, values)

    async def get(self, place: int, month: str) -> MonthlyMessage | None:
        """Return the message of a month in a place, None if none was promised."""
        query = _MONTHLY_MESSAGES.where(monthly_messages.place == place, monthly_messages.month == month)
        return await self._read_one(query, with_place(MonthlyMessage))

    async def list_due(self, now: datetime, platforms: Collection[str], limit: int = 200) -> list[MonthlyMessage]:
        """Return the due messages of some platforms, earliest first."""
        query = _MONTHLY_MESSAGES.where(monthly_messages.due_at <= now, places.platform.in_(platforms))
        query = query.order_by(monthly_messages.due_at, monthly_messages.place).limit(limit)
        return await self._read_all(query, with_place(MonthlyMessage))

    async def next_due_at(self, platforms: Collection[str]) -> datetime | None:
        """Return when the next message of some platforms is due, None if none is."""
        return await self._read_value(_select_next(monthly_messages, platforms))

    async def record_sent(self, place: int, month: str, message: str | None) -> None:
        """Record that a message was sent, or that none will be (None)."""
        await self._put(place, month, message=message, due_at=None)

    async def record_failure(self, place: int, month: str, attempts: int, next_try: datetime) -> None:
        """Record that sending a message failed, how often in a row, and when to retry."""
        await self._put(place, month, attempts=attempts, due_at=next_try)

    async def _put(self, place: int, month: str, **values: Any) -> None:
        await self._write(update(monthly_messages).filter_by(place=place, month=month).values(**values))
