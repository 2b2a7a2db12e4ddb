"""Which of the platforms' events were handled, so that a repeated one does nothing twice."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import BindParameter, RowMapping, Select, and_, bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import StorePart, insert_new
from storage.errors import AlreadyProcessed
from storage.people import says_nothing_new, to_identity, to_person
from storage.places import SEEN_EVERY, inherited_columns, is_as_told, to_place, with_inherited
from storage.rows import Arrival, ProcessedEvent
from storage.schema import identities, members, people, places, processed_events


class ProcessedEvents(StorePart):
    """The verbs about events of the platforms."""

    async def arrival(
        self,
        platform: str,
        event: str,
        *,
        user: str,
        name: str,
        language: str | None,
        channel: str,
        thread: str | None,
        group: str | None,
        kind: str,
        title: str,
        at: datetime,
        guest: bool = False,
    ) -> Arrival | None:
        """Return whom an event comes from and where; None if anything of that is new, and has to be stored first.

        It is what `handled`, `person_by_identity`, `place` and `seen` do where all is as they know it.
        """
        keys = {"platform": platform, "event": event, "user": user, "channel": channel, "thread": thread or ""}
        async with self._database.asking() as connection:
            row = (await connection.execute(_ARRIVAL, keys)).mappings().one_or_none()
        if row is None or row["seen_at"] is None or at - row["seen_at"] >= SEEN_EVERY:
            return None
        who = to_identity(_part(row, "identity_"))
        where = to_place(_part(row, "place_"))
        if not says_nothing_new(who, name, language) or not is_as_told(where, group, kind, title, guest=guest):
            return None
        processed = None if row["event"] is None else ProcessedEvent(platform, event, row["reply"])
        return Arrival(to_person(row), where, processed, who.writable)

    async def processed(self, platform: str, event: str) -> ProcessedEvent | None:
        """Return what was stored when an event was handled, None if it was not."""
        async with self._database.asking() as connection:
            return await _find(connection, platform, event)

    async def forget_processed(self, before: datetime) -> int:
        """Forget the events handled before a time and return how many there were."""
        async with self._database.writing() as connection:
            return (await connection.execute(delete(processed_events).where(processed_events.c.at < before))).rowcount


async def mark(connection: AsyncConnection, processed: ProcessedEvent, at: datetime) -> None:
    """Note within a transaction that an event was handled; AlreadyProcessed."""
    values = {"platform": processed.platform, "event": processed.event, "reply": processed.reply, "at": at}
    if not await insert_new(connection, processed_events, values):
        known = await _find(connection, processed.platform, processed.event)
        raise AlreadyProcessed(processed.platform, processed.event, known.reply if known else None)


async def _find(connection: AsyncConnection, platform: str, event: str) -> ProcessedEvent | None:
    where = (processed_events.c.platform == platform, processed_events.c.event == event)
    row = (await connection.execute(select(processed_events).where(*where))).mappings().one_or_none()
    return None if row is None else ProcessedEvent(row["platform"], row["event"], row["reply"])


def _arrival() -> Select[*tuple[Any, ...]]:
    """Return the one query for all that is known of where an event comes from."""
    platform: BindParameter[str] = bindparam("platform")
    there = and_(places.c.channel == bindparam("channel"), places.c.thread == bindparam("thread"))
    found = identities.join(people, people.c.id == identities.c.person)
    found = found.join(places, and_(places.c.platform == platform, there))
    found = found.join(members, and_(members.c.place == places.c.id, members.c.person == people.c.id))
    before = and_(processed_events.c.platform == platform, processed_events.c.event == bindparam("event"))
    source = with_inherited(found.outerjoin(processed_events, before))
    columns = (
        *people.c,
        *(column.label(f"identity_{column.name}") for column in identities.c),
        *(column.label(f"place_{column.name}") for column in places.c),
        *inherited_columns("place_"),
        members.c.seen_at,
        processed_events.c.event,
        processed_events.c.reply,
    )
    query = select(*columns).select_from(source)
    return query.where(identities.c.platform == platform, identities.c.user_id == bindparam("user"))


_ARRIVAL: Final = _arrival()


def _part(row: RowMapping, prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)}
