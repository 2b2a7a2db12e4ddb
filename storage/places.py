"""Places: channels, threads and private chats, the people seen there, and chats that Telegram migrates."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Label,
    RowMapping,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_schema import competition_places, competitions, entrants
from storage.database import Repository, insert_if_new, upsert
from storage.passes import open_places
from storage.people import merge_settings, to_person
from storage.puzzle_schema import attempt_places
from storage.rows import Person, PlaceRow, utc_now
from storage.schema import (
    bans,
    dailies,
    daily_messages,
    game_places,
    games,
    members,
    monthly_messages,
    notice_choices,
    notices,
    people,
    places,
    surfaces,
    webhooks,
)
from storage.settings_data import PLACE_SETTINGS, check_declared, read_place_settings
from storage.sqlite import Prepared
from storage.team_rounds import move_teams

BAN: Final = "ban"
KICK: Final = "kick"
MUTE: Final = "mute"
"""Banned for good, banned for a while, not allowed to speak."""


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban of a `person` and of all identities of a `browser` (matched by the prefix of their ids).

    `browser` is empty if unknown, `person` is None once forgotten, `until` is None if the ban has no end.
    """

    kind: str
    browser: str
    person: int | None
    until: datetime | None

    def holds_for(self, person: int | None, browsers: Collection[str]) -> bool:
        """Return whether the ban applies to a person or to one of their browsers."""
        return (person is not None and person == self.person) or (self.browser != "" and self.browser in browsers)


_BAN_COLUMNS: Final = [bans.c[name] for name in ("kind", "browser", "person", "until")]


class Bans(Repository):
    """Queries and commands for bans; each applies to a person and to one browser, until a time or for good."""

    async def add(
        self, place: int, kind: str, person: int, browsers: Collection[str], until: datetime | None, at: datetime
    ) -> None:
        """Ban a person and all their browsers from a place, replacing earlier bans of this kind."""
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("bans")
            await connection.execute(
                delete(bans).where(_matches_anybody([person], browsers)).filter_by(place=place, kind=kind)
            )
            values: dict[str, Any] = {"place": place, "kind": kind, "person": person, "until": until, "made_at": at}
            for browser in sorted(browsers) or [""]:
                await connection.execute(insert(bans).values(**values, browser=browser))

    async def remove(self, place: int, kind: str, people: Collection[int], browsers: Collection[str]) -> bool:
        """Delete the bans of some people or browsers in a place; return False if there were none."""
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("bans")
            query = delete(bans).where(_matches_anybody(people, browsers)).filter_by(place=place, kind=kind)
            return bool((await connection.execute(query)).rowcount)

    async def list_in_place(self, place: int, now: datetime) -> list[Ban]:
        """Return the bans in effect in a place, oldest first."""
        query = select(*_BAN_COLUMNS).where(bans.c.place == place, or_(bans.c.until.is_(None), bans.c.until > now))
        return await self._read_rows(query.order_by(bans.c.id), Ban)

    async def delete_expired(self, before: datetime) -> None:
        """Delete the bans that ended before a time."""
        await self._write(delete(bans).where(bans.c.until <= before))


def _matches_anybody(people: Collection[int], browsers: Collection[str]) -> ColumnElement[bool]:
    return or_(bans.c.person.in_(people), bans.c.browser.in_([browser for browser in browsers if browser]))


async def move_competitions(connection: AsyncConnection, place: int, into: int) -> None:
    """Transfer all competitions and entries of a place to another."""
    known = select(competition_places.c.competition).filter_by(place=into)
    twice = (competition_places.c.place == place, competition_places.c.competition.in_(known))
    await connection.execute(delete(competition_places).where(*twice))
    for table in (competition_places, competitions, entrants):
        await connection.execute(update(table).filter_by(place=place).values(place=into))


async def close_messages_in(connection: AsyncConnection, place: int) -> None:
    """Record that the old messages of a place can no longer be edited."""
    sent = (daily_messages.c.place == place, daily_messages.c.message.is_not(None))
    await connection.execute(update(daily_messages).where(*sent).values(closed=True, due_at=None))


async def transfer_dailies(connection: AsyncConnection, place: int, into: int) -> None:
    """Transfer the daily and monthly messages of a place to another, which keeps its own where both have some."""
    known: Any = select(dailies.c.place).filter_by(place=into)
    await connection.execute(delete(dailies).where(known.exists()).filter_by(place=place))
    known = select(daily_messages.c.date).filter_by(place=into)
    twice = (daily_messages.c.place == place, daily_messages.c.date.in_(known))
    await connection.execute(delete(daily_messages).where(*twice))
    known = select(monthly_messages.c.month).filter_by(place=into)
    twice = (monthly_messages.c.place == place, monthly_messages.c.month.in_(known))
    await connection.execute(delete(monthly_messages).where(*twice))
    for table in (dailies, daily_messages, monthly_messages):
        await connection.execute(update(table).filter_by(place=place).values(place=into))


_PARENT_CHANNEL: Final = places.alias("parent_channel")
_WHOLE_GROUP: Final = places.alias("whole_group")

LAST_SEEN_RESOLUTION: Final = timedelta(hours=1)
"""Precision of "last seen", so that not every word anyone says causes a write."""


PUBLIC_SETTING: Final = "public"
"""The setting that is repeated in a column of its own."""
OWN_LANGUAGE: Final = "own_language"
"""The setting under which a place's first language is stored: it holds until somebody chooses another."""
_SEEN_AT: Final = Prepared(
    select(members.c.seen_at).filter_by(place=bindparam("of_place"), person=bindparam("of_person"))
)
_SEEN_AMONG: Final = (
    select(members.c.person)
    .where(members.c.person.in_(bindparam("ids", expanding=True)))
    .filter_by(place=bindparam("of_place"))
)


class Places(Repository):
    """Queries and commands for places."""

    async def get_or_create(
        self,
        platform: str,
        channel: str,
        thread: str | None = None,
        group: str | None = None,
        kind: Literal["group", "private"] = "group",
        title: str = "",
        *,
        guest: bool = False,
        at: datetime | None = None,
        language: str | None = None,
    ) -> PlaceRow:
        """Return a place, new or with its current group, kind and title (an empty title keeps the old one).

        `guest` says that the bot is no member there; once it becomes one, everything shown there is due.
        `language` is what a new place speaks until somebody chooses its language.
        """
        key = {"platform": platform, "channel": channel, "thread": thread or ""}
        where = [places.c[name] == value for name, value in key.items()]
        known = await self._read_one(_PLACE_IN_CHANNEL, to_place, key)
        if known is not None and is_place_unchanged(known, group, kind, title, guest=guest):
            return known
        async with self._database.transaction() as connection:
            if known is None:
                news: dict[str, Any] = {"kind": kind, "group_id": group, "title": title, "guest": guest}
                own = {} if language is None else {OWN_LANGUAGE: language}
                await insert_if_new(connection, places, key | news | {"settings": own})
            else:
                news = {"kind": kind, "group_id": group or known.group, "title": title or known.title}
                await connection.execute(update(places).where(*where).values(**news, guest=guest))
                if known.guest and not guest:
                    self._database.emit_after_commit("due")
                    await open_places(connection, [known.id], at or utc_now())
                self._database.emit_after_commit("place", known.id)
            written = await _read(connection, _PLACE_IN_CHANNEL, key)
        assert written is not None  # noqa: S101 - it was written in this very transaction
        return written

    async def get(self, place: int) -> PlaceRow | None:
        """Return a place, None if there is no such."""
        return await self._read_one(_PLACE, to_place, {"place": place})

    async def change_settings(self, place: int, changes: Mapping[str, Any]) -> PlaceRow | None:
        """Change some settings of a place (None deletes one) and return the place, None if there is no such place."""
        check_declared(changes, PLACE_SETTINGS)
        query = select(places).filter_by(id=place).with_for_update()
        async with self._database.transaction() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
            if row is None:
                return None
            settings = merge_settings(read_place_settings(place, row["settings"]), changes)
            values = {"settings": settings, "public": settings.get(PUBLIC_SETTING) is True or None}
            await connection.execute(update(places).filter_by(id=place).values(values))
            self._database.emit_after_commit("place", place)
            return await _read(connection, _PLACE, {"place": place})

    async def record_seen(self, place: int, person: int, at: datetime) -> None:
        """Record that a person was seen in a place, to the hour."""
        before: datetime | None = await self._read_value(_SEEN_AT, {"of_place": place, "of_person": person})
        if before is not None and at - before < LAST_SEEN_RESOLUTION:
            return
        async with self._database.transaction() as connection:
            values = {"place": place, "person": person, "seen_at": at}
            await upsert(connection, members, ("place", "person"), values)
            self._database.emit_after_commit("seen", (place, person))

    async def filter_seen(self, place: int, people: Collection[int]) -> set[int]:
        """Return those of some people who were ever seen in a place."""
        return set(await self._read_column(_SEEN_AMONG, {"of_place": place, "ids": list(people)}))

    async def move_channel(self, platform: str, old: str, new: str, at: datetime) -> None:
        """Record that a channel has got another id: its games, settings and people move there, its messages do not.

        If the new id is known already, both are joined, and the settings of the old one win. Boards of unfinished games
        are shown again. Does nothing if there is no such channel.
        """
        async with self._database.transaction() as connection:
            self._database.change_all_rows()
            self._database.emit_after_commit("people")
            self._database.emit_after_commit("due")
            query = select(places).filter_by(platform=platform, channel=old).with_for_update()
            for row in (await connection.execute(query)).mappings().all():
                same = (places.c.platform == platform, places.c.channel == new, places.c.thread == row["thread"])
                other = (await connection.execute(select(places.c.id).where(*same))).scalar_one_or_none()
                await close_messages_in(connection, row["id"])
                if other is not None:
                    await _join(connection, other, row["id"])
                group = new if row["group_id"] == old else row["group_id"]
                values = {"channel": new, "group_id": group}
                await connection.execute(update(places).filter_by(id=row["id"]).values(**values))
                mine = (surfaces.c.place == row["id"], surfaces.c.gone.is_(False))
                lost: dict[str, Any] = {
                    "message": None,
                    "stale_messages": [],
                    "extra_messages": {},
                    "announced_turn": None,
                    "attempts": 0,
                    "due_at": None,
                    "waiting": False,
                }
                await connection.execute(update(surfaces).where(*mine).values(**lost))
                live = select(game_places.c.game).where(game_places.c.live).filter_by(place=row["id"])
                await connection.execute(update(surfaces).where(*mine, surfaces.c.game.in_(live)).values(due_at=at))

    async def members(self, place: int, limit: int = 200) -> list[Person]:
        """Return the people seen in a place, last seen first."""
        query = select(people).join(members, members.c.person == people.c.id).where(members.c.place == place)
        query = query.where(people.c.merged_into.is_(None))
        query = query.order_by(members.c.seen_at.desc(), people.c.id).limit(limit)
        return await self._read_all(query, to_person)


def is_place_unchanged(known: PlaceRow, group: str | None, kind: str, title: str, *, guest: bool = False) -> bool:
    """Return whether what a platform says about a place equals what is stored."""
    return (
        guest == known.guest and kind == known.kind and group in (None, "", known.group) and title in ("", known.title)
    )


async def _join(connection: AsyncConnection, place: int, into: int) -> None:
    """Transfer everything of one place to another, which keeps its own where both have some."""
    shown = select(game_places.c.game).filter_by(place=place)
    moved = (games.c.id.in_(shown), games.c.place == place)
    await connection.execute(update(games).where(*moved).values(place=into))
    for table, key in (
        (members, "person"),
        (notice_choices, "person"),
        (game_places, "game"),
        (surfaces, "game"),
        (attempt_places, "attempt"),
    ):
        known = select(table.c[key]).where(table.c.place == into)
        twice = (table.c.place == place, table.c[key].in_(known))
        await connection.execute(delete(table).where(*twice))
        await connection.execute(update(table).filter_by(place=place).values(place=into))
    await transfer_dailies(connection, place, into)
    await move_competitions(connection, place, into)
    await connection.execute(update(webhooks).filter_by(place=place).values(place=into))
    await move_teams(connection, place, into)
    there = select(game_places.c.game).filter_by(place=into)
    conditions = (notices.c.game.in_(there), notices.c.place == place)
    await connection.execute(update(notices).where(*conditions).values(place=into))
    # Deleting the row would search all games for references: it is kept under a name that no channel has.
    empty: dict[str, Any] = {"channel": f"moved-{place}", "group_id": None, "settings": {}, "public": None}
    await connection.execute(update(places).filter_by(id=place).values(**empty))


async def _read(connection: AsyncConnection, query: Prepared, key: Mapping[str, Any]) -> PlaceRow | None:
    row = (await query.rows(connection, key)).mappings().one_or_none()
    return None if row is None else to_place(row)


def inherited_columns(prefix: str = "") -> tuple[Label[Any], Label[Any]]:
    """Return the columns of inherited settings, for a query from `with_inherited`."""
    return (_PARENT_CHANNEL.c.settings.label(f"{prefix}of_channel"), _WHOLE_GROUP.c.settings.label(f"{prefix}of_group"))


_PREFIX: Final = "place_"
PLACE_COLUMNS: Final = (*(column.label(_PREFIX + column.name) for column in places.c), *inherited_columns(_PREFIX))
"""What `place_of` reads: the columns of a place beside those of other tables, for a query from `with_inherited`."""
_OF_PLACE: Final = tuple(label.name.removeprefix(_PREFIX) for label in PLACE_COLUMNS)


def place_of(row: RowMapping) -> PlaceRow:
    """Return the place in a database row with `PLACE_COLUMNS`."""
    return to_place({name: row[_PREFIX + name] for name in _OF_PLACE})


def with_inherited(source: FromClause) -> FromClause:
    """Return a source of place rows joined with the places whose settings they inherit."""
    for known, channel in ((_PARENT_CHANNEL, places.c.channel), (_WHOLE_GROUP, places.c.group_id)):
        same = (known.c.platform == places.c.platform, known.c.channel == channel, known.c.thread == "")
        source = source.outerjoin(known, and_(*same, known.c.id != places.c.id))
    return source


_SELECT_PLACES: Final = select(places, *inherited_columns()).select_from(with_inherited(places))
_PLACE: Final = Prepared(_SELECT_PLACES.where(places.c.id == bindparam("place")))
_PLACE_IN_CHANNEL: Final = Prepared(
    _SELECT_PLACES.where(*(places.c[name] == bindparam(name) for name in ("platform", "channel", "thread")))
)


def to_place(row: RowMapping | Mapping[str, Any]) -> PlaceRow:
    """Return the place of a database row."""
    return PlaceRow(
        row["id"],
        row["platform"],
        row["channel"],
        row["thread"] or None,
        row["group_id"],
        row["kind"],
        row["title"],
        read_place_settings(row["id"], row["settings"]),
        read_place_settings(row["id"], {**(row.get("of_group") or {}), **(row.get("of_channel") or {})}),
        bool(row["guest"]),
    )
