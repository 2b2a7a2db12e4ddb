"""Places (channels, threads and private chats), the people seen there, bans, and channels that get another id."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import FromClause, and_, bindparam, or_, select

from storage.columns import PLACE_SETTINGS, Json, RowData, Values, merge_settings, read_settings
from storage.competition_schema import competitions, entrants
from storage.database import Repository
from storage.key_values import InteractionPasses
from storage.message_schema import (
    DAILY,
    MONTH,
    dailies,
    notice_choices,
    notices,
    posts,
    webhooks,
)
from storage.people import to_person
from storage.puzzle_schema import attempt_places
from storage.rows import utc_now
from storage.schema import (
    Ban,
    Person,
    PlaceRow,
    bans,
    form_drafts,
    game_places,
    games,
    members,
    people,
    places,
    seats,
)
from storage.sqlite import Prepared
from storage.team_rounds import StoredRounds

BAN: Final = "ban"
KICK: Final = "kick"
MUTE: Final = "mute"
"""The kinds of bans: permanent, temporary, and not allowed to speak."""
LAST_SEEN_RESOLUTION: Final = timedelta(hours=1)
"""Resolution of "last seen" times, so that not every message causes a write."""
PUBLIC_SETTING: Final = "public"
"""The setting that is also stored in a separate column."""
OWN_LANGUAGE: Final = "own_language"
"""The setting with a place's initial language, in effect until a person chooses another."""

PARENT_CHANNEL: Final = places.alias("parent_channel")
_WHOLE_GROUP: Final = places.alias("whole_group")
_DAILY: Final = dailies.alias("place_daily")


class Bans(Repository):
    """Queries and commands for bans; each applies to a person and to one browser, until a time or permanently."""

    async def add(
        self, place: int, kind: str, person: int, browsers: Collection[str], until: datetime | None, at: datetime
    ) -> None:
        """Ban a person and all their browsers from a place, replacing earlier bans of this kind."""
        async with self._transaction():
            await self.remove(place, kind, [person], browsers)
            values: Json = {"place": place, "kind": kind, "person": person, "until": until, "made_at": at}
            await self._insert(bans, [{**values, "browser": each} for each in sorted(browsers) or [""]])

    async def remove(self, place: int, kind: str, people: Collection[int], browsers: Collection[str]) -> bool:
        """Delete the bans of some people or browsers in a place; return False if there were none."""
        theirs = or_(bans.person.in_(people), bans.browser.in_([browser for browser in browsers if browser]))
        async with self._transaction():
            self._emit("bans")
            return bool(await self._delete(bans, theirs, place=place, kind=kind))

    async def list_in_place(self, place: int, now: datetime) -> list[Ban]:
        """Return the bans in effect in a place, oldest first."""
        in_effect = or_(bans.until.is_(None), bans.until > now)
        return await self._list(Ban, in_effect, place=place, order=[bans.id])

    async def delete_expired(self, before: datetime) -> None:
        """Delete the bans that ended before a time."""
        await self._delete(bans, bans.until <= before)


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

        `guest` says that the bot is not a member there; once it becomes a member, everything shown there is due.
        `language` is the initial language of a new place.
        """
        key = {"platform": platform, "channel": channel, "thread": thread or ""}
        known = await self._read_one(_PLACE_IN_CHANNEL, place_of, key)
        if known is not None and is_place_unchanged(known, group, kind, title, guest=guest):
            return known
        news: Json = {"kind": kind, "group_id": group, "title": title, "guest": guest}
        async with self._transaction():
            if known is None:
                own = {} if language is None else {OWN_LANGUAGE: language}
                await self._insert_if_new(places, key | news | {"settings": own})
            else:
                news |= {"group_id": group or known.group, "title": title or known.title}
                await self._update(places, news, **key)
                if known.guest and not guest:
                    self._emit("due")
                    await InteractionPasses(self._database).open_places([known.id], at or utc_now())
                self._emit("place", known.id)
            return (await self._read_all(_PLACE_IN_CHANNEL, place_of, key))[0]

    async def get(self, place: int) -> PlaceRow | None:
        """Return a place, None if there is no such place."""
        return await self._read_one(_PLACE, place_of, {"place": place})

    async def change_settings(self, place: int, changes: Values) -> PlaceRow | None:
        """Change some settings of a place (None deletes one) and return the place, None if there is no such place."""
        async with self._transaction():
            held = select(places.settings).filter_by(id=place).with_for_update()
            for stored in await self._read_column(held):
                settings = merge_settings(read_settings("places", place, stored), changes, PLACE_SETTINGS)
                await self._update(
                    places, {"settings": settings, "public": settings.get(PUBLIC_SETTING) is True or None}, id=place
                )
                self._emit("place", place)
            return await self.get(place)

    async def record_seen(self, place: int, person: int, at: datetime) -> None:
        """Record that a person was seen in a place, to the hour."""
        key = {"place": place, "person": person}
        before: datetime | None = await self._read_value(_SEEN_AT, key)
        if before is not None and at - before < LAST_SEEN_RESOLUTION:
            return
        async with self._transaction():
            await self._upsert(members, {**key, "seen_at": at})
            self._emit("seen", (place, person))

    async def filter_seen(self, place: int, people: Collection[int]) -> set[int]:
        """Return the subset of people who were ever seen in a place."""
        return set(
            await self._read_column(select(members.person).where(members.person.in_(people)).filter_by(place=place))
        )

    async def players_seen(self, place: int, game: str) -> set[int]:
        """Return the people with a seat in a game who were ever seen in a place."""
        return {person for (person,) in await self._read(_PLAYERS_SEEN, {"place": place, "game": game})}

    async def move_channel(self, platform: str, old: str, new: str, at: datetime) -> None:
        """Record that a channel has got another id: its games, settings and people move, its messages do not.

        If the new id is known already, both are merged, and the settings of the old one win. Boards of unfinished games
        are shown again. Does nothing if there is no such channel.
        """
        async with self._transaction():
            self._change_everybody()
            self._emit("due")
            query = select(places.id, places.thread, places.group_id).filter_by(platform=platform, channel=old)
            for place, thread, group in await self._read(query.with_for_update()):
                same = select(places.id).filter_by(platform=platform, channel=new, thread=thread)
                other = await self._read_value(same)
                # The old messages can no longer be edited: posts that can still change are shown in new ones.
                sent = (posts.kind.in_([DAILY, MONTH]), posts.message.is_not(None))
                await self._update(posts, {"gone": True, "due_at": None}, *sent, place=place)
                if other is not None:
                    await self._join(other, place)
                await self._update(places, {"channel": new, "group_id": new if group == old else group}, id=place)
                shown = {"place": place, "gone": False}
                lost: Json = {"message": None, "announced": None, "stale_messages": [], "attempts": 0}
                subject = posts.game.is_not(None) | posts.competition.is_not(None)
                await self._update(posts, lost | {"waiting": False, "due_at": None}, subject, **shown)
                live = select(game_places.game).filter_by(place=place, live=True)
                going = select(competitions.id).where(competitions.status != "over").filter_by(id=posts.competition)
                # Posts that are just being sent to the old channel are due again: they are not shown in the new one.
                again = or_(posts.game.in_(live), going.exists(), posts.waiting, posts.due_at <= at)
                await self._update(posts, {"waiting": False, "due_at": at}, again, **shown)

    async def members(self, place: int, limit: int = 200) -> list[Person]:
        """Return the people seen in a place, last seen first."""
        return await self._read_all(
            select(people)
            .join(members)
            .filter_by(place=place)
            .filter_by(merged_into=None)
            .order_by(members.seen_at.desc(), people.id)
            .limit(limit),
            to_person,
        )

    async def _join(self, place: int, into: int) -> None:
        """Transfer everything of one place to another; of two rows with the same key the other's row stays."""
        shown = select(game_places.game).filter_by(place=place)
        await self._update(games, {"place": into}, games.id.in_(shown), place=place)
        for table in _OF_PLACE:
            await self._transfer(table, place, into, owner="place")
        await StoredRounds(self._database).move_teams(place, into)
        there = notices.game.in_(select(game_places.game).filter_by(place=into))
        await self._update(notices, {"place": into}, there, place=place)
        # Deleting the row would search all games for references: it stays, with an id that no channel has.
        empty: Json = {"channel": f"moved-{place}", "group_id": None, "settings": {}, "public": None}
        await self._update(places, empty, id=place)


def is_place_unchanged(known: PlaceRow, group: str | None, kind: str, title: str, *, guest: bool = False) -> bool:
    """Return whether a platform's data about a place equal the stored ones."""
    return (
        guest == known.guest and kind == known.kind and group in (None, "", known.group) and title in ("", known.title)
    )


_OF_PLACE: Final = (
    members,
    notice_choices,
    game_places,
    posts,
    attempt_places,
    dailies,
    competitions,
    entrants,
    webhooks,
    form_drafts,
)
"""The tables whose rows belong to a place."""


_PREFIX: Final = "place_"
_BESIDE: Final = {
    "of_channel": PARENT_CHANNEL.settings,
    "of_group": _WHOLE_GROUP.settings,
    "daily_hour": _DAILY.hour,
}
"""The columns of other rows that belong to a place."""
PLACE_COLUMNS: Final = tuple(
    column.label(_PREFIX + name) for name, column in [*places.table.c.items(), *_BESIDE.items()]
)
"""The columns that `place_of` reads, in a query from `with_inherited`: those of the place and of other tables."""


def place_of(row: RowData) -> PlaceRow:
    """Return the place in a database row with `PLACE_COLUMNS`."""
    own: Json = {name: row[_PREFIX + name] for name in (*places.table.c.keys(), *_BESIDE)}
    of_group = read_settings("places", own["id"], own["of_group"] or {})
    inherited = of_group | read_settings("places", own["id"], own["of_channel"] or {})
    return PlaceRow(
        own["id"],
        own["platform"],
        own["channel"],
        own["thread"] or None,
        own["group_id"],
        own["kind"],
        own["title"],
        read_settings("places", own["id"], own["settings"]),
        inherited,
        bool(own["guest"]),
        of_group,
        own["daily_hour"],
    )


def with_inherited(source: FromClause) -> FromClause:
    """Return a source of place rows joined with the places whose settings they inherit, and with `dailies`."""
    source = source.outerjoin(_DAILY, _DAILY.place == places.id)
    for known, channel in ((PARENT_CHANNEL, places.channel), (_WHOLE_GROUP, places.group_id)):
        same = (known.platform == places.platform, known.channel == channel, known.thread == "")
        source = source.outerjoin(known, and_(*same, known.id != places.id))
    return source


SELECT_PLACES: Final = select(*PLACE_COLUMNS).select_from(with_inherited(places.table))
"""The query for `place_of`."""
_PLACE: Final = Prepared(SELECT_PLACES.where(places.id == bindparam("place")))
_PLACE_IN_CHANNEL: Final = Prepared(
    SELECT_PLACES.where(*(places[name] == bindparam(name) for name in ("platform", "channel", "thread")))
)
_SEEN_AT: Final = Prepared(select(members.seen_at).filter_by(place=bindparam("place"), person=bindparam("person")))
_PLAYERS_SEEN: Final = Prepared(
    select(members.person)
    .join(seats, seats.person == members.person)
    .where(seats.game == bindparam("game"), members.place == bindparam("place"))
)
