"""What comes to a place once a day: promised before it is sent, sent once, kept up to date, and closed in the end."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, Select, case, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.daily_schema import IS_OPEN, dailies, daily_messages
from storage.database import Repository, insert_if_new, upsert
from storage.places import inherited_columns, to_place, with_inherited
from storage.puzzle_schema import attempt_places, attempts
from storage.rows import PlaceRow
from storage.schema import places, surfaces

_PLACE_PREFIX: Final = "place_"
_BATCH_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class Daily:
    """That today's puzzle comes to a place, at an hour of its own day; `due_at` is when it is looked at next."""

    place: PlaceRow
    hour: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class DailyMessage:
    """The message of one date in one place; `message` is None until it was sent.

    `shown` stands for the words that it shows. `past`: the one of a later date has come, or none will. `closed`:
    nothing will be done for it any more.
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
    """The verbs about what comes once a day."""

    async def get(self, place: int) -> Daily | None:
        """Return what comes to a place once a day, None if nothing does."""
        async with self._database.read_autocommit() as connection:
            row = (await connection.execute(_dailies().where(dailies.c.place == place))).mappings().one_or_none()
        return None if row is None else _to_daily(row)

    async def switch_on(self, place: int, hour: int, due_at: datetime) -> None:
        """Have the day's message come to a place at an hour, looked at for the first time when it is due."""
        async with self._database.transaction() as connection:
            await upsert(connection, dailies, ("place",), {"place": place, "hour": hour, "due_at": due_at})

    async def switch_off(self, place: int) -> None:
        """Have no more messages come to a place; what stands there is closed when the next one would have come."""
        async with self._database.transaction() as connection:
            query = select(dailies.c.due_at).where(dailies.c.place == place).with_for_update()
            ends: datetime | None = (await connection.execute(query)).scalar_one_or_none()
            if ends is None:
                return
            await connection.execute(delete(dailies).where(dailies.c.place == place))
            sent = (daily_messages.c.place == place, daily_messages.c.message.is_not(None))
            await connection.execute(update(daily_messages).where(*sent, *IS_OPEN).values(due_at=ends))

    async def reschedule(self, place: PlaceRow, at: datetime) -> None:
        """Have it looked at anew when the message comes to a place and to all that have their settings from it."""
        theirs = or_(places.c.id == place.id, places.c.channel == place.channel, places.c.group_id == place.channel)
        meant = select(places.c.id).where(places.c.platform == place.platform, theirs)
        async with self._database.transaction() as connection:
            await connection.execute(update(dailies).where(dailies.c.place.in_(meant)).values(due_at=at))

    async def hasten(self, after: datetime, at: datetime) -> None:
        """Have what is due later than a time looked at at another: the clock was set back."""
        async with self._database.transaction() as connection:
            for table in (dailies, daily_messages):
                await connection.execute(update(table).where(table.c.due_at > after).values(due_at=at))

    async def list_due(self, now: datetime, platforms: Collection[str], limit: int = 200) -> list[Daily]:
        """Return where it is time for the day's message, on some platforms, the longest due first."""
        query = _dailies().where(dailies.c.due_at <= now, places.c.platform.in_(platforms))
        async with self._database.read_autocommit() as connection:
            found = await connection.execute(query.order_by(dailies.c.due_at, dailies.c.place).limit(limit))
            return [_to_daily(row) for row in found.mappings()]

    async def next_due_at(self, platforms: Collection[str]) -> datetime | None:
        """Return when something is to be done next on some platforms, None if nothing is."""
        nearest = list[datetime]()
        async with self._database.read_autocommit() as connection:
            for table in (dailies, daily_messages):
                query = select(table.c.due_at).join(places, places.c.id == table.c.place)
                query = query.where(table.c.due_at.is_not(None), places.c.platform.in_(platforms))
                found = (await connection.execute(query.order_by(table.c.due_at).limit(1))).scalar_one_or_none()
                nearest += [] if found is None else [found]
        return min(nearest, default=None)

    async def promise_message(self, place: int, date: str, puzzle: str, at: datetime, next_at: datetime) -> bool:
        """Have the message of a date sent to a place, which is looked at again later; False if that was done before.

        So it was, too, where one of a later date is there. What was not sent on an earlier date never is.
        """
        values = {"place": place, "date": date, "puzzle": puzzle, "posted_at": at, "due_at": at, "attempts": 0}
        here = daily_messages.c.place == place
        async with self._database.transaction() as connection:
            going = update(dailies).where(dailies.c.place == place).values(due_at=next_at)
            if (await connection.execute(going)).rowcount != 1:
                return False
            late = (here, daily_messages.c.date < date, daily_messages.c.message.is_(None))
            await connection.execute(delete(daily_messages).where(*late))
            newest = (await connection.execute(select(func.max(daily_messages.c.date)).where(here))).scalar_one()
            if newest is not None and newest > date:
                return False
            return await insert_if_new(connection, daily_messages, values)

    async def postpone(self, place: int, due_at: datetime) -> None:
        """Have a place looked at again at a time."""
        async with self._database.transaction() as connection:
            await connection.execute(update(dailies).where(dailies.c.place == place).values(due_at=due_at))

    async def get_message(self, message: int) -> DailyMessage | None:
        """Return a message by its number, None if there is none."""
        async with self._database.read_autocommit() as connection:
            found = await _read(connection, _messages().where(daily_messages.c.id == message))
        return found[0] if found else None

    async def list_messages(self, place: int, limit: int = 10) -> list[DailyMessage]:
        """Return the messages of a place, the newest first."""
        query = _messages().where(daily_messages.c.place == place).order_by(daily_messages.c.date.desc()).limit(limit)
        async with self._database.read_autocommit() as connection:
            return await _read(connection, query)

    async def list_due_messages(
        self, now: datetime, platforms: Collection[str], limit: int = 200
    ) -> list[tuple[int, str]]:
        """Return the numbers of the messages that something is to be done for, with their platforms."""
        query = select(daily_messages.c.id, places.c.platform).join(places, places.c.id == daily_messages.c.place)
        query = query.where(daily_messages.c.due_at <= now, places.c.platform.in_(platforms))
        query = query.order_by(daily_messages.c.due_at, daily_messages.c.id).limit(limit)
        async with self._database.read_autocommit() as connection:
            return [(number, platform) for number, platform in (await connection.execute(query)).all()]

    async def record_posted(self, message: int, sent: str, shown: str, at: datetime) -> None:
        """Note that a message was sent and what it shows; those before it in its place are to be closed."""
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
        """Note what a message shows by now; it stays due if it was stirred since it was read."""
        stirred = case((daily_messages.c.due_at == message.due_at, None), else_=daily_messages.c.due_at)
        await self._put(message.id, shown=shown, shown_at=at, due_at=stirred, attempts=0)

    async def record_unchanged(self, message: DailyMessage) -> None:
        """Note that a message shows what it should, unless it was stirred since it was read."""
        stirred = case((daily_messages.c.due_at == message.due_at, None), else_=daily_messages.c.due_at)
        await self._put(message.id, due_at=stirred, attempts=0)

    async def postpone_message(self, message: int, due_at: datetime) -> None:
        """Have something done for a message at a time."""
        await self._put(message, due_at=due_at)

    async def record_failure(self, message: int, attempts: int, next_try: datetime) -> None:
        """Note that a message could not be sent or changed, for the how-manieth time, and when to try again."""
        await self._put(message, attempts=attempts, due_at=next_try)

    async def close_message(self, message: int, shown: str | None, at: datetime) -> None:
        """Note that nothing is to be done for a message any more; it shows its solution, or it is gone (None)."""
        values: dict[str, Any] = {} if shown is None else {"shown": shown, "shown_at": at}
        await self._put(message, closed=True, due_at=None, attempts=0, **values)

    async def delete_unsent(self, message: int) -> None:
        """Take away a message that was not sent, and is not to be any more."""
        where = (daily_messages.c.id == message, daily_messages.c.message.is_(None))
        async with self._database.transaction() as connection:
            await connection.execute(delete(daily_messages).where(*where))

    async def block_message(self, message: int) -> None:
        """Note that nothing may be written where a message is; `reopen_dailies` has it tried again."""
        await self._put(message, waiting=True, due_at=None, attempts=0)

    async def unblock_messages(self, platform: str, group: str | None, at: datetime) -> int:
        """Have what was barred in a group (on all of a platform, if None) tried again; return how much that is."""
        where = [places.c.platform == platform]
        if group is not None:
            where.append(places.c.group_id == group)
        query = select(daily_messages.c.id).join(places, places.c.id == daily_messages.c.place)
        async with self._database.read_autocommit() as connection:
            found = await connection.execute(query.where(daily_messages.c.waiting, *where).limit(_BATCH_SIZE))
            waiting = found.scalars().all()
        if not waiting:
            return 0
        change = update(daily_messages).where(daily_messages.c.id.in_(waiting))
        async with self._database.transaction() as connection:
            return (await connection.execute(change.values(waiting=False, due_at=at))).rowcount

    async def end(self, place: int) -> None:
        """Note that a place is gone: nothing comes there any more."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(dailies).where(dailies.c.place == place))
            gone = {"closed": True, "waiting": False, "due_at": None}
            await connection.execute(update(daily_messages).where(daily_messages.c.place == place).values(**gone))

    async def mark_messages_due(self, puzzle: str | None, since: datetime, at: datetime) -> None:
        """Have messages brought up to date where somebody was at the puzzle since a time; None is every puzzle."""
        going: list[Any] = [daily_messages.c.message.is_not(None), *IS_OPEN]
        if puzzle is not None:
            there = select(attempt_places.c.place).join(attempts, attempts.c.id == attempt_places.c.attempt)
            there = there.where(attempts.c.puzzle == puzzle, attempts.c.touched_at >= since)
            going += [daily_messages.c.puzzle == puzzle, daily_messages.c.place.in_(there)]
        else:
            going.append(daily_messages.c.posted_at >= since)
        # What is put off until later is looked at then.
        idle = or_(daily_messages.c.due_at.is_(None), daily_messages.c.due_at <= at)
        async with self._database.transaction() as connection:
            await connection.execute(update(daily_messages).where(*going, idle).values(due_at=at))

    async def last_shown_at(self, platform: str, channel: str) -> datetime | None:
        """Return when a day's message was last sent or changed in a channel, whichever thread it is in."""
        query = select(func.max(daily_messages.c.shown_at)).join(places, places.c.id == daily_messages.c.place)
        async with self._database.read_autocommit() as connection:
            found = await connection.execute(query.where(places.c.platform == platform, places.c.channel == channel))
            last: datetime | None = found.scalar_one()
        return last

    async def are_boards_due(self, platform: str, channel: str, now: datetime) -> bool:
        """Say whether a board of a channel is to be brought up to date now."""
        query = select(surfaces.c.id).join(places, places.c.id == surfaces.c.place)
        query = query.where(surfaces.c.due_at <= now, places.c.platform == platform, places.c.channel == channel)
        async with self._database.read_autocommit() as connection:
            return (await connection.execute(query.limit(1))).first() is not None

    async def _put(self, message: int, **values: Any) -> None:
        where = (daily_messages.c.id == message, daily_messages.c.closed.is_(False))
        async with self._database.transaction() as connection:
            await connection.execute(update(daily_messages).where(*where).values(**values))


def _dailies() -> Select[*tuple[Any, ...]]:
    theirs = [column.label(_PLACE_PREFIX + column.name) for column in places.c]
    source = dailies.join(places, places.c.id == dailies.c.place)
    return select(dailies, *theirs, *inherited_columns(_PLACE_PREFIX)).select_from(with_inherited(source))


def _messages() -> Select[*tuple[Any, ...]]:
    theirs = [column.label(_PLACE_PREFIX + column.name) for column in places.c]
    source = daily_messages.join(places, places.c.id == daily_messages.c.place)
    later, going = daily_messages.alias("later"), select(dailies.c.place)
    next_one = select(later.c.id).where(
        later.c.place == daily_messages.c.place, later.c.date > daily_messages.c.date, later.c.message.is_not(None)
    )
    past = or_(next_one.exists(), ~going.where(dailies.c.place == daily_messages.c.place).exists()).label("past")
    return select(daily_messages, past, *theirs, *inherited_columns(_PLACE_PREFIX)).select_from(with_inherited(source))


def _place_in(row: RowMapping) -> PlaceRow:
    of_place = (
        *places.c.keys(),
        *(label.name.removeprefix(_PLACE_PREFIX) for label in inherited_columns(_PLACE_PREFIX)),
    )
    return to_place({name: row[_PLACE_PREFIX + name] for name in of_place})


def _to_daily(row: RowMapping) -> Daily:
    return Daily(_place_in(row), row["hour"], row["due_at"])


async def _read(connection: AsyncConnection, query: Select[*tuple[Any, ...]]) -> list[DailyMessage]:
    own = [column.name for column in daily_messages.c if column.name != "place"]
    rows = (await connection.execute(query)).mappings().all()
    return [
        DailyMessage(**{name: row[name] for name in own}, place=_place_in(row), past=bool(row["past"])) for row in rows
    ]
