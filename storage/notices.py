"""Notices to people and the routes by which they want to get them; a stored notice outlasts a restart."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, and_, bindparam, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository, insert_if_new, upsert
from storage.rows import NewNotice, Notice, PastNotice
from storage.schema import members, notice_choices, notices, places
from storage.sqlite import Prepared

_SELECT_NOTICES_OF_GAME: Final = Prepared(select(notices).filter_by(game=bindparam("of")).order_by(notices.c.id))
_DUE_NOTICES: Final = Prepared(
    select(notices)
    .where(notices.c.due_at <= bindparam("until"))
    .order_by(notices.c.due_at, notices.c.id)
    .limit(bindparam("limit"))
)
_RECORD_DELIVERED: Final = Prepared(
    update(notices).filter_by(
        id=bindparam("notice"), person=bindparam("of"), kind=bindparam("of_kind"), subject=bindparam("about")
    )
)
_UNDECIDED_COLUMNS: Final[dict[str, Any]] = {
    "route": None,
    "place": None,
    "due_at": None,
    "attempts": 0,
    "delivered_at": None,
}


class Notices(Repository):
    """Queries and commands for notices.

    A command changes the notice that was read and no other: SQLite gives the id of a deleted one to the next.
    """

    async def promise(
        self, game: str | None, past: Sequence[PastNotice], promised: Sequence[NewNotice], at: datetime
    ) -> None:
        """Delete the outdated notices of a game and add new ones, one for each person and subject."""
        async with self._database.transaction() as connection:
            await put_notices(connection, game, past, promised, at)
            if any(each.due_at is not None for each in promised):
                self._database.emit_after_commit("notices")

    async def list_for_game(self, game: str) -> list[Notice]:
        """Return the notices of a game, oldest first, including delivered ones."""
        return await self._read_all(_SELECT_NOTICES_OF_GAME, _to_notice, {"of": game})

    async def list_for_person(self, person: int, route: str, limit: int = 1000) -> list[Notice]:
        """Return the notices of a person by one route, delivered or not, oldest first."""
        query = select(notices).filter_by(person=person, route=route).order_by(notices.c.id)
        return await self._read_all(query.limit(limit), _to_notice)

    async def get(self, notice: int) -> Notice | None:
        """Return a notice, None if there is none (any more)."""
        return await self._read_one(select(notices).filter_by(id=notice), _to_notice)

    async def list_due(self, now: datetime, limit: int = 100) -> list[Notice]:
        """Return the due notices, earliest first."""
        return await self._read_all(_DUE_NOTICES, _to_notice, {"until": now, "limit": limit})

    async def next_due_at(self) -> datetime | None:
        """Return when the next notice is due, None if none is."""
        query = select(func.min(notices.c.due_at)).where(notices.c.due_at.is_not(None))
        return await self._read_value(query)

    async def record_route(
        self, notice: Notice, route: str, *, place: int | None = None, due_at: datetime | None = None
    ) -> bool:
        """Record the route and the place of a notice; False if they were decided before, or the notice is outdated."""
        where = (*_match(notice), notices.c.route.is_(None), notices.c.delivered_at.is_(None))
        values = {"route": route, "place": place, "due_at": due_at}
        return await self._write(update(notices).where(*where).values(**values)) == 1

    async def wait_for_board(self, notice: Notice) -> None:
        """Record that a notice waits for a board that delivers it."""
        where = (*_match(notice), notices.c.route.is_(None))
        await self._write(update(notices).where(*where).values(due_at=None))

    async def reroute(self, notice: Notice, route: str, place: int | None, due_at: datetime) -> None:
        """Change the route of a notice."""
        values = {"route": route, "place": place, "due_at": due_at, "attempts": 0}
        where = (*_match(notice), notices.c.delivered_at.is_(None))
        await self._write(update(notices).where(*where).values(**values))

    async def record_delivered(
        self, delivered: Collection[Notice], at: datetime, *, route: str | None = None, place: int | None = None
    ) -> None:
        """Record that notices were delivered, with their route and place if these were not decided before."""
        async with self._database.transaction() as connection:
            await mark_delivered(connection, delivered, at, route=route, place=place)

    async def record_failure(self, notice: Notice, next_try: datetime) -> None:
        """Record that delivering a notice failed and when to retry."""
        values = {"attempts": notices.c.attempts + 1, "due_at": next_try}
        where = (*_match(notice), notices.c.delivered_at.is_(None))
        await self._write(update(notices).where(*where).values(**values))

    async def postpone(self, notice: Notice, due_at: datetime | None) -> None:
        """Change when a notice is due; None deletes it."""
        async with self._database.transaction() as connection:
            if due_at is None:
                await connection.execute(delete(notices).where(*_match(notice)))
                return
            values = {"attempts": 0, "due_at": due_at}
            await connection.execute(update(notices).where(*_match(notice)).values(**values))

    async def reopen(
        self, at: datetime, *, game: str | None = None, place: int | None = None, person: int | None = None
    ) -> int:
        """Reset the routes of undelivered notices so that they are decided again; return the number of notices.

        These are the notices of a game, in a place or anywhere, or all of a person.
        """
        where = [notices.c.delivered_at.is_(None), notices.c.kind != DIGEST_KIND]
        if game is not None:
            where += [notices.c.game == game, or_(notices.c.place == place, notices.c.place.is_(None))]
        if person is not None:
            where.append(notices.c.person == person)
        values = {**_UNDECIDED_COLUMNS, "due_at": at}
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("notices")
            return (await connection.execute(update(notices).where(*where).values(**values))).rowcount

    async def delete_before(self, before: datetime) -> int:
        """Delete the delivered notices made before a time and return their number."""
        where = (notices.c.made_at < before, notices.c.delivered_at.is_not(None))
        return await self._write(delete(notices).where(*where))

    async def last_seen_in(self, person: int, among: Collection[int]) -> dict[int, datetime]:
        """Return when a person was last seen in each of some places."""
        query = select(members.c.place, members.c.seen_at)
        query = query.where(members.c.place.in_(among)).filter_by(person=person)
        return await self._read_pairs(query)

    async def set_choice(self, place: int, person: int, route: str | None) -> None:
        """Set the route by which a person gets notices from a place; None means their default."""
        async with self._database.transaction() as connection:
            if route is None:
                where = (notice_choices.c.place == place, notice_choices.c.person == person)
                await connection.execute(delete(notice_choices).where(*where))
                return
            values = {"place": place, "person": person, "route": route}
            await upsert(connection, notice_choices, ("place", "person"), values)

    async def choices(self, person: int) -> dict[tuple[str, str], str]:
        """Return the routes that a person chose for channels, by platform and channel."""
        query = select(places.c.platform, places.c.channel, notice_choices.c.route)
        query = query.join(places, places.c.id == notice_choices.c.place).where(notice_choices.c.person == person)
        async with self._database.read_autocommit() as connection:
            return {(platform, channel): route for platform, channel, route in (await connection.execute(query)).all()}


DIGEST_KIND: Final = "digest"
"""The kind of the notice that stands for a person's next digest."""


async def mark_delivered(
    connection: AsyncConnection,
    delivered: Collection[Notice],
    at: datetime,
    *,
    route: str | None = None,
    place: int | None = None,
) -> None:
    """Record within a transaction that notices were delivered; see `record_delivered`."""
    values: dict[str, Any] = {"delivered_at": at, "due_at": None}
    if route is not None:
        values |= {"route": route, "place": place}
    for each in sorted(delivered, key=lambda notice: notice.id):
        key = {"notice": each.id, "of": each.person, "of_kind": each.kind, "about": each.subject}
        await _RECORD_DELIVERED.count(connection, key | values)


async def put_notices(
    connection: AsyncConnection,
    game: str | None,
    past: Sequence[PastNotice],
    promised: Sequence[NewNotice],
    at: datetime,
) -> None:
    """Delete the outdated notices of a game and add new ones, within a transaction."""
    if game is not None and past:
        given = {
            f"{name}{at}": value
            for at, each in enumerate(past)
            for name, value in _get_past_notice_columns(each).items()
        }
        statement = _build_past_notice_delete(tuple(tuple(_get_past_notice_columns(each)) for each in past))
        await statement.count(connection, given | {"of_game": game})
    for each in promised:
        values = {"person": each.person, "kind": each.kind, "subject": each.subject, "game": game}
        await insert_if_new(
            connection, notices, values | {"attempts": 0, "made_at": at, "due_at": each.due_at, "route": each.route}
        )


async def transfer_notices(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the notices and choices of a person to another, who keeps their own where both have some."""
    for table, keys in ((notices, ("kind", "subject")), (notice_choices, ("place",))):
        mine = table.alias("kept")
        same = select(mine.c.person).where(*(mine.c[key] == table.c[key] for key in keys)).filter_by(person=remaining)
        await connection.execute(delete(table).where(same.exists()).filter_by(person=gone))
        await connection.execute(update(table).filter_by(person=gone).values(person=remaining))


def _match(notice: Notice) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that only this notice meets."""
    columns = notices.c
    return (
        columns.id == notice.id,
        columns.person == notice.person,
        columns.kind == notice.kind,
        columns.subject == notice.subject,
    )


def _get_past_notice_columns(past: PastNotice) -> dict[str, Any]:
    """Return the column values that identify outdated notices."""
    said = {"kind": past.kind, "subject": past.subject, "person": past.person}
    return {name: value for name, value in said.items() if value is not None}


@lru_cache(maxsize=256)
def _build_past_notice_delete(said: tuple[tuple[str, ...], ...]) -> Prepared:
    """Return the statement that deletes outdated notices of a game, each identified by some columns."""
    each = [and_(*(notices.c[name] == bindparam(f"{name}{at}") for name in names)) for at, names in enumerate(said)]
    return Prepared(delete(notices).where(or_(*each)).filter_by(game=bindparam("of_game")))


def _to_notice(row: RowMapping) -> Notice:
    return Notice(**row)
