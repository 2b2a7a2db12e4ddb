"""The append-only events of games and competitions, and the processed events of the platforms."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from sqlalchemy import and_, bindparam, func, or_, select

# For SQLite too, as in storage/database.py.
from sqlalchemy.dialects.postgresql import insert as insert_unless_conflict

from storage.columns import AnySelect, Json, Values
from storage.database import Repository, pick
from storage.errors import AlreadyProcessed, Stranger
from storage.message_schema import notice_choices
from storage.people import is_identity_unchanged, to_person
from storage.places import (
    BAN,
    KICK,
    LAST_SEEN_RESOLUTION,
    PARENT_CHANNEL,
    PLACE_COLUMNS,
    is_place_unchanged,
    place_of,
    with_inherited,
)
from storage.rows import EventOrigin, NewEvent, RequestSource
from storage.schema import (
    ProcessedEvent,
    bans,
    game_places,
    identities,
    members,
    people,
    places,
    processed_events,
)
from storage.sqlite import Prepared


def build_event_rows(
    owner: Values, revision: int, happened: Sequence[NewEvent], at: datetime, processed: ProcessedEvent | None
) -> list[Json]:
    """Return the rows of events to be appended after the first `revision` ones of a game or a competition.

    `owner` are the columns that all of them share, with the id of the game or the competition.
    """
    cause = f"{processed.platform}:{processed.event}" if processed is not None else None
    return [
        {**asdict(event), **owner, "number": number, "at": at, "cause": event.cause or cause}
        for number, event in enumerate(happened, start=revision + 1)
    ]


class ProcessedEvents(Repository):
    """Queries and commands for processed events of the platforms."""

    async def resolve_source(
        self, event: str, origin: EventOrigin, at: datetime, game: str | None = None
    ) -> RequestSource | None:
        """Return the author and the place of an event; None if either is new or has changed and must be stored first.

        `game` is the game that the event is about, if it is about one.
        """
        keys = {"platform": origin.platform, "event": event, "user": origin.user}
        place = {"channel": origin.channel, "thread": origin.thread or "", "game": game or ""}
        row = await self._read_one(_SELECT_SOURCE, dict, keys | place)
        if row is None:
            return None
        where = place_of(row)
        is_same_person = is_identity_unchanged(
            row["identity_name"], row["identity_language"], origin.name, origin.language
        )
        is_same_place = is_place_unchanged(where, origin.group, origin.kind, origin.title, guest=origin.guest)
        if not (is_same_person and is_same_place) or at - row["seen_at"] >= LAST_SEEN_RESOLUTION:
            return None
        processed = None if row["event"] is None else ProcessedEvent(origin.platform, event, row["reply"])
        return RequestSource(to_person(row), where, processed, row["can_dm"], row["is_game_here"], row["channel_route"])

    async def get(self, platform: str, event: str) -> ProcessedEvent | None:
        """Return a processed event with its stored reply, None if it was not processed."""
        return await self._find(ProcessedEvent, platform=platform, event=event)

    async def delete_before(self, before: datetime) -> int:
        """Delete the events processed before a time and return their number."""
        return await self._delete(processed_events, processed_events.at < before)


class AnsweringRepository(Repository):
    """A part of the store with commands that answer events of the platforms."""

    @asynccontextmanager
    async def _answering(self, processed: ProcessedEvent | None, at: datetime) -> AsyncIterator[None]:
        """Open a transaction that records that an event was processed.

        Raises AlreadyProcessed, and Stranger if its author has changed or was banned.
        """
        async with self._transaction():
            if processed is not None:
                values: Json = pick(processed, ("platform", "event", "reply")) | {"at": at}
                if (doer := processed.doer) is None:
                    is_new = await self._insert_if_new(processed_events, values)
                else:
                    values |= {"user": doer.user, "person": doer.person, "of_place": doer.place}
                    is_new = await self._write(_MARK_PROCESSED, values) == 1
                if not is_new:
                    raise await self._find_obstacle(processed)
            yield

    async def _find_obstacle(self, processed: ProcessedEvent) -> AlreadyProcessed | Stranger:
        """Return why an event could not be recorded as processed."""
        platform, event, doer = processed.platform, processed.event, processed.doer
        known = await self._find(ProcessedEvent, platform=platform, event=event)
        if known is not None or doer is None:
            return AlreadyProcessed(platform, event, known.reply if known else None)
        owner = await self._read_value(select(identities.person).filter_by(platform=platform, user_id=doer.user))
        return Stranger(platform=platform, user=doer.user, banned=owner == doer.person)


def _build_source_query() -> AnySelect:
    """Return the query for everything known about the origin of an event."""
    platform: Any = bindparam("platform")
    there = and_(places.channel == bindparam("channel"), places.thread == bindparam("thread"))
    found = (
        identities.table.join(people)
        .join(places, and_(places.platform == platform, there))
        .join(members, and_(members.place == places.id, members.person == people.id))
    )
    before = and_(processed_events.platform == platform, processed_events.event == bindparam("event"))
    shown = and_(game_places.place == places.id, game_places.game == bindparam("game"))
    whole_channel = func.coalesce(PARENT_CHANNEL.id, places.id)
    chosen = and_(notice_choices.place == whole_channel, notice_choices.person == people.id)
    query = select(
        people,
        identities.name.label("identity_name"),
        identities.language.label("identity_language"),
        identities.can_dm,
        *PLACE_COLUMNS,
        members.seen_at,
        processed_events.event,
        processed_events.reply,
        game_places.game.is_not(None).label("is_game_here"),
        func.coalesce(notice_choices.route, "").label("channel_route"),
    )
    found = with_inherited(found.outerjoin(processed_events, before).outerjoin(game_places, shown))
    query = query.select_from(found.outerjoin(notice_choices, chosen))
    return query.where(identities.platform == platform, identities.user_id == bindparam("user"))


_SELECT_SOURCE: Final = Prepared(_build_source_query())


def _build_mark_statement() -> Any:
    """Return the statement that records a processed event, provided its author is still this person and not banned."""
    columns = processed_events.table.c
    values = [bindparam(column.name, type_=column.type) for column in columns]
    barred = (
        select(bans.id)
        .filter_by(place=bindparam("of_place"), person=identities.person)
        .where(
            or_(bans.kind == BAN, bans.kind == KICK),
            or_(bans.until.is_(None), bans.until > bindparam("at", type_=columns.at.type)),
        )
    )
    doer = select(*values).where(
        identities.platform == bindparam("platform"),
        identities.user_id == bindparam("user"),
        identities.person == bindparam("person"),
        ~barred.exists(),
    )
    # Locked until the end of the transaction, for which merging or forgetting the person waits.
    doer = doer.select_from(identities).with_for_update(read=True, of=identities)
    return insert_unless_conflict(processed_events).from_select(columns.keys(), doer).on_conflict_do_nothing()


_MARK_PROCESSED: Final = Prepared(_build_mark_statement())
