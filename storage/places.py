"""Places where people talk, and who was seen there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import RowMapping, select, update

from storage.database import Part, insert_new, upsert
from storage.people import changed, to_person
from storage.rows import Person, PlaceRow
from storage.schema import members, people, places

SEEN_EVERY: Final = timedelta(hours=1)
"""How exactly it is known when somebody was last seen: not every word anybody says is a write."""


class Places(Part):
    """The verbs about places."""

    async def place(
        self,
        platform: str,
        channel: str,
        thread: str | None = None,
        group: str | None = None,
        kind: Literal["group", "private"] = "group",
        title: str = "",
    ) -> PlaceRow:
        """Return a place, new or with the group, kind and title it has now (an empty title keeps the old one)."""
        key = {"platform": platform, "channel": channel, "thread": thread or ""}
        where = [places.c[name] == value for name, value in key.items()]
        async with self._database.reading() as connection:
            row = (await connection.execute(select(places).where(*where))).mappings().one_or_none()
        if row is not None:
            known = to_place(row)
            news: dict[str, Any] = {"kind": kind, "group_id": group or known.group, "title": title or known.title}
            if news == {name: row[name] for name in news}:
                return known
        async with self._database.writing() as connection:
            if row is None:
                news = {"kind": kind, "group_id": group, "title": title}
                await insert_new(connection, places, key | news | {"settings": {}})
            else:
                await connection.execute(update(places).where(*where).values(**news))
            return to_place((await connection.execute(select(places).where(*where))).mappings().one())

    async def place_by_id(self, place: int) -> PlaceRow | None:
        """Return a place, None if there is no such."""
        async with self._database.reading() as connection:
            row = (await connection.execute(select(places).where(places.c.id == place))).mappings().one_or_none()
        return None if row is None else to_place(row)

    async def set_place_settings(self, place: int, changes: Mapping[str, Any]) -> PlaceRow | None:
        """Change some settings of a place (None takes one away) and return the place, None if there is no such."""
        query = select(places).where(places.c.id == place).with_for_update()
        async with self._database.writing() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
            if row is None:
                return None
            settings = changed(row["settings"], changes)
            await connection.execute(update(places).where(places.c.id == place).values(settings=settings))
            return to_place({**row, "settings": settings})

    async def seen(self, place: int, person: int, at: datetime) -> None:
        """Note that somebody was seen in a place, to the hour."""
        query = select(members.c.seen_at).where(members.c.place == place, members.c.person == person)
        async with self._database.reading() as connection:
            before: datetime | None = (await connection.execute(query)).scalar_one_or_none()
        if before is not None and at - before < SEEN_EVERY:
            return
        async with self._database.writing() as connection:
            values = {"place": place, "person": person, "seen_at": at}
            await upsert(connection, members, ("place", "person"), values)

    async def members(self, place: int, limit: int = 200) -> list[Person]:
        """Return the people seen in a place, the last seen first."""
        query = select(people).join(members, members.c.person == people.c.id).where(members.c.place == place)
        query = query.order_by(members.c.seen_at.desc(), people.c.id).limit(limit)
        async with self._database.reading() as connection:
            return [to_person(row) for row in (await connection.execute(query)).mappings()]


def to_place(row: RowMapping | Mapping[str, Any]) -> PlaceRow:
    """Return a row of places as plain data."""
    return PlaceRow(
        row["id"],
        row["platform"],
        row["channel"],
        row["thread"] or None,
        row["group_id"],
        row["kind"],
        row["title"],
        row["settings"],
    )
