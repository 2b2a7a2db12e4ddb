"""Notices to people, and the routes that people choose for them; a stored notice survives a restart."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Final

from sqlalchemy import Integer, Text, and_, bindparam, delete, func, or_, select, update

from storage.columns import Json, Utc
from storage.database import Repository, given, pick
from storage.message_schema import NewNotice, Notice, notice_choices, notices
from storage.rows import PastNotice
from storage.schema import members, places
from storage.sqlite import Prepared

HERE: Final = "here"
"""The route of a notice that a post in its place delivers."""
PRIVATE: Final = "private"
"""The route of a notice that a message in a private chat delivers."""
DIGEST_KIND: Final = "digest"
"""The kind of the notice that schedules a person's next digest."""

_KEY: Final = ("id", "person", "kind", "subject")
_RECORD_DELIVERED: Final = Prepared(
    update(notices)
    .filter_by(**{name: bindparam(f"of_{name}") for name in _KEY})
    .values(
        delivered_at=bindparam("at", type_=Utc()),
        due_at=None,
        route=func.coalesce(notices.route, bindparam("here", type_=Text())),
        place=func.coalesce(notices.place, bindparam("at_place", type_=Integer())),
    )
)


class Notices(Repository):
    """Queries and commands for notices.

    Commands identify a notice by more than its id, because SQLite reuses the ids of deleted notices.
    """

    async def promise(
        self, game: str | None, past: Sequence[PastNotice], promised: Sequence[NewNotice], at: datetime
    ) -> None:
        """Delete the outdated notices of a game and add new ones, one for each person and subject."""
        async with self._transaction():
            if game is not None and past:
                known = [given(**asdict(each)) for each in past]
                values = {f"{name}{at}": value for at, each in enumerate(known) for name, value in each.items()}
                statement = _build_past_notice_delete(tuple(map(tuple, known)))
                await self._write(statement, values | {"of_game": game})
            for each in promised:
                await self._insert_if_new(notices, asdict(each) | {"game": game, "attempts": 0, "made_at": at})
            if any(each.due_at is not None for each in promised):
                self._emit("notices")

    async def list_for_game(self, game: str) -> list[Notice]:
        """Return the notices of a game, oldest first, including delivered ones."""
        return await self._list(Notice, game=game, order=["id"])

    async def list_for_person(self, person: int, route: str, limit: int = 1000) -> list[Notice]:
        """Return the notices of a person by one route, delivered or not, oldest first."""
        return await self._list(Notice, person=person, route=route, order=["id"], limit=limit)

    async def find(self, person: int, kind: str, subject: str) -> Notice | None:
        """Return a person's notice about a subject, None if there is none."""
        return await self._find(Notice, person=person, kind=kind, subject=subject)

    async def list_due(self, now: datetime, limit: int = 100) -> list[Notice]:
        """Return the due notices, earliest first."""
        return await self._list(Notice, notices.due_at <= now, order=["due_at", "id"], limit=limit)

    async def next_due_at(self) -> datetime | None:
        """Return when the next notice is due, None if none is."""
        return await self._read_earliest(notices.due_at)

    async def record_route(
        self, notice: Notice, route: str, *, place: int | None = None, due_at: datetime | None = None
    ) -> bool:
        """Record the route and the place of a notice; False if they were decided before, or the notice is outdated."""
        decided = {"route": route, "place": place, "due_at": due_at}
        return await self._update(notices, decided, **pick(notice, _KEY), route=None, delivered_at=None) == 1

    async def wait_for_post(self, notice: Notice) -> None:
        """Record that a notice waits for a post that delivers it."""
        await self._update(notices, {"due_at": None}, **pick(notice, _KEY), route=notice.route)

    async def reroute(self, notice: Notice, route: str, place: int | None, due_at: datetime) -> None:
        """Change the route of a notice."""
        decided = {"route": route, "place": place, "due_at": due_at, "attempts": 0}
        await self._update(notices, decided, **pick(notice, _KEY), delivered_at=None)

    async def record_delivered(self, delivered: Collection[Notice], at: datetime, *, place: int | None = None) -> None:
        """Record that notices were delivered; with a `place`, by a message there, and undecided ones get `HERE`."""
        values: Json = {"at": at, "here": None if place is None else HERE, "at_place": place}
        async with self._transaction():
            for each in sorted(delivered, key=lambda notice: notice.id):
                await self._write(_RECORD_DELIVERED, pick(each, _KEY, "of_") | values)

    async def record_failure(self, notice: Notice, next_try: datetime) -> None:
        """Record that delivering a notice failed and when to retry."""
        failed = {"attempts": notices.attempts + 1, "due_at": next_try}
        await self._update(notices, failed, **pick(notice, _KEY), delivered_at=None)

    async def postpone(self, notice: Notice, due_at: datetime | None) -> None:
        """Change when a notice is due; None deletes it."""
        if due_at is None:
            await self._delete(notices, **pick(notice, _KEY))
        else:
            await self._update(notices, {"attempts": 0, "due_at": due_at}, **pick(notice, _KEY))

    async def reopen(
        self, at: datetime, *, game: str | None = None, place: int | None = None, person: int | None = None
    ) -> int:
        """Reset the routes of undelivered notices so that they are decided again; return the number of notices.

        They are the notices of a game in a place or without one, or all notices of a person.
        """
        where = [notices.kind != DIGEST_KIND]
        if game is not None:
            where.append(or_(notices.place == place, notices.place.is_(None)))
        again = {"route": None, "place": None, "attempts": 0, "due_at": at}
        async with self._transaction():
            self._emit("notices")
            theirs = given(game=game, person=person)
            return await self._update(notices, again, *where, delivered_at=None, **theirs)

    async def delete_before(self, before: datetime) -> int:
        """Delete the delivered notices made before a time and return their number."""
        return await self._delete(notices, notices.made_at < before, notices.delivered_at.is_not(None))

    async def last_seen_in(self, person: int, among: Collection[int]) -> dict[int, datetime]:
        """Return when a person was last seen in each of some places."""
        return await self._read_pairs(
            select(members.place, members.seen_at).where(members.place.in_(among)).filter_by(person=person)
        )

    async def set_choice(self, place: int, person: int, route: str | None) -> None:
        """Set the route by which a person gets notices from a place; None means their default."""
        key = {"place": place, "person": person}
        if route is None:
            await self._delete(notice_choices, **key)
        else:
            await self._upsert(notice_choices, {**key, "route": route})

    async def choices(self, person: int) -> dict[tuple[str, str], str]:
        """Return the routes that a person chose for channels, by platform and channel."""
        query = select(places.platform, places.channel, notice_choices.route).join(places).filter_by(person=person)
        return {(platform, channel): route for platform, channel, route in await self._read(query)}


@lru_cache(maxsize=256)
def _build_past_notice_delete(known: tuple[tuple[str, ...], ...]) -> Prepared:
    """Return the statement that deletes outdated notices of a game, each identified by some columns."""
    each = [and_(*(notices[name] == bindparam(f"{name}{at}") for name in names)) for at, names in enumerate(known)]
    return Prepared(delete(notices).where(or_(*each)).filter_by(game=bindparam("of_game")))
