"""What comes to a place once a day or a month: subscriptions to the daily puzzle, and the promises of posts."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, func, or_, select, update

from storage.columns import AnySelect
from storage.database import Repository, upsert
from storage.message_schema import DAILY, MONTH, Daily, dailies, posts
from storage.places import PLACE_COLUMNS, SELECT_PLACES, place_of, with_inherited, with_place
from storage.posts import NewPost, Posts
from storage.puzzle_schema import attempt_places, attempts
from storage.schema import PlaceRow, game_places, places, results

_SENT: Final = posts.message.is_not(None)
_SOURCE: Final = with_inherited(dailies.table.join(places, places.id == dailies.place))
_DAILIES: Final[AnySelect] = select(dailies, *PLACE_COLUMNS).select_from(_SOURCE)


class Dailies(Repository):
    """Queries and commands for subscriptions to the daily puzzle, its posts and those of months."""

    async def get(self, place: int) -> Daily | None:
        """Return the subscription of a place, None if it has none."""
        return await self._read_one(_DAILIES.where(dailies.place == place), with_place(Daily))

    async def switch_on(self, place: int, hour: int, due_at: datetime) -> None:
        """Subscribe a place to the daily message at an hour; `due_at` is when it is processed first."""
        async with self._transaction() as connection:
            await upsert(connection, dailies, {"place": place, "hour": hour, "due_at": due_at})

    async def switch_off(self, place: int) -> None:
        """End the subscription of a place; its last message is solved when the next one would have come."""
        async with self._transaction():
            ended = delete(dailies).filter_by(place=place).returning(dailies.due_at)
            for ends in await self._read_column(ended):
                await Posts(self._database).mark_due(ends, _SENT, kind=DAILY, place=place)

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
        """Return when a subscription of some platforms is due next, None if none is."""
        query = select(func.min(dailies.due_at)).join(places)
        return await self._read_value(query.where(places.platform.in_(platforms)))

    async def promise(self, place: int, date: str, puzzle: str, at: datetime, next_at: datetime) -> bool:
        """Promise the post of a date and set when the subscription is due again; False if it was promised before.

        A later one also counts as such a promise: that of an earlier date is never sent afterwards.
        """
        earlier = delete(posts).where(posts.subject < date).filter_by(kind=DAILY, place=place, message=None)
        newest = select(func.max(posts.subject)).filter_by(kind=DAILY, place=place)
        async with self._transaction():
            if not await self._write(update(dailies).filter_by(place=place).values(due_at=next_at)):
                return False
            await self._write(earlier)
            if (await self._read_value(newest) or "") >= date:
                return False
            return await Posts(self._database).promise(NewPost(DAILY, f"{date}:{puzzle}", place, at))

    async def postpone(self, place: int, was: datetime, due_at: datetime) -> None:
        """Set when the subscription of a place is processed next, if that `was` as it was read."""
        await self._write(update(dailies).filter_by(place=place, due_at=was).values(due_at=due_at))

    async def is_past(self, place: int, date: str) -> bool:
        """Return whether a later post than that of a date was sent to a place, or none will follow."""
        later = select(posts.id).where(posts.subject > f"{date}~", _SENT).filter_by(kind=DAILY, place=place)
        going = select(dailies.place).filter_by(place=place)
        return bool(await self._read_value(select(or_(later.exists(), ~going.exists()))))

    async def hasten_earlier(self, place: int, date: str, at: datetime) -> None:
        """Have the posts of earlier dates in a place solved."""
        await Posts(self._database).mark_due(at, posts.subject < date, _SENT, kind=DAILY, place=place)

    async def end(self, place: int) -> None:
        """Record that a place is gone and gets no more messages."""
        await self._write(delete(dailies).filter_by(place=place))

    async def mark_due(self, puzzle: str | None, since: datetime, at: datetime) -> None:
        """Have the posts of a puzzle updated that somebody worked on since a time; None means every puzzle."""
        where: list[Any] = [posts.subject >= f"{since:%Y-%m-%d}"]
        if puzzle is not None:
            there = select(attempt_places.place).join(attempts)
            there = there.where(attempts.touched_at >= since).filter_by(puzzle=puzzle)
            where = [posts.subject.like(f"%:{puzzle}"), posts.place.in_(there)]
        # One whose edit comes later is edited then.
        where.append(or_(posts.due_at.is_(None), posts.due_at <= at))
        await Posts(self._database).mark_due(at, _SENT, *where, kind=DAILY)

    async def list_without_month(self, month: str, since: datetime, until: datetime) -> list[PlaceRow]:
        """Return the channels in which games ended within a time span and to which no post of a month was promised."""
        played = select(game_places.place).join(results, results.game == game_places.game)
        played = played.where(results.ended_at >= since, results.ended_at < until)
        promised = select(posts.id).filter_by(place=places.id, kind=MONTH, subject=month)
        query = SELECT_PLACES.where(places.id.in_(played), places.kind == "group", places.guest.is_(False))
        return await self._read_all(query.where(~promised.exists()).order_by(places.id), place_of)
