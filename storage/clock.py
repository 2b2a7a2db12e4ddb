"""The shared heartbeat, and how stored times are moved after the clock was set or the program was not running.

The mappings below list the time columns that are moved then, besides the clocks of games; a test lists all others.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    String,
    and_,
    case,
    cast,
    func,
    insert,
    literal,
    not_,
    select,
    type_coerce,
    update,
)

from storage.agreements import read_terms, terms_to_json
from storage.columns import BROKEN_JSON, UNKNOWN_TIME, Condition, Json, Utc
from storage.database import Database, Repository
from storage.games import StoredGames
from storage.message_schema import BOARD, MONTH, notices, posts
from storage.notices import DIGEST_KIND
from storage.posts import OPEN
from storage.schema import (
    ClockMove,
    GameBrief,
    GameRow,
    clock_moves,
    events,
    games,
    key_values,
    metadata,
    people,
    places,
    pulses,
)


class GameAlarms(Repository):
    """Queries and commands for alarms."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._games = StoredGames(database)

    async def list_due(self, now: datetime, limit: int = 100) -> list[GameBrief]:
        """Return the games whose alarm is due, earliest first."""
        due = (games.alarm_at.is_not(None), games.alarm_at <= now)
        return await self._games.list_briefs(*due, order=(games.alarm_at, games.id), limit=limit)

    async def lock_heartbeat(self, name: str) -> datetime | None:
        """Lock a heartbeat for the transaction of this task and return its time, None if there was none."""
        async with self._transaction():
            at = await self._read_value(select(pulses.at).filter_by(name=name).with_for_update())
            if at == UNKNOWN_TIME:
                # Unreadable: the program has run at least until the newest event.
                at = await self._read_value(select(func.max(events.at)))
            return at

    async def record_heartbeat(self, name: str, now: datetime) -> datetime | None:
        """Record a heartbeat of the program and return the time of the previous one, None if there was none."""
        async with self._transaction():
            before = await self.lock_heartbeat(name)
            await self._upsert(pulses, {"name": name, "at": now})
        return before

    async def set_deadline(self, row: GameRow, deadline: datetime | None, alarm_at: datetime | None) -> bool:
        """Set the deadline of a running turn without a step; False if the game has moved on, or its clock was set."""
        same = (games.deadline.is_not_distinct_from(row.deadline), games.alarm_at.is_not_distinct_from(row.alarm_at))
        values = {"deadline": deadline, "alarm_at": alarm_at}
        async with self._transaction():
            is_set = bool(await self._update(games, values, *same, id=row.id, revision=row.revision))
            if is_set:
                self._emit("table", row.id)
            return is_set

    async def disable(self, game: str, *, set_aside: int | None = None) -> None:
        """Clear the alarm and deadline of a game unconditionally and set it aside because of one of its events."""
        async with self._transaction():
            values: Json = {"alarm_at": None, "deadline": None}
            if set_aside is not None:
                held = select(games.terms).filter_by(id=game).with_for_update()
                terms, progress = read_terms(await self._read_value(held))
                values["terms"] = terms_to_json(terms, replace(progress, set_aside=set_aside))
            await self._update(games, values, id=game)
            self._emit("table", game)


Columns = Mapping[str, tuple[str, ...]]
"""Names of columns by the names of their tables."""

DURATIONS: Final[Columns] = {
    "team_sides": ("closes_at", "changed_at"),
    "posts": ("due_at",),
    "notices": ("due_at",),
    "webhooks": ("failing_since", "due_at"),
    "bans": ("until",),
    "link_codes": ("expires_at",),
    "form_drafts": ("expires_at",),
    "interaction_tokens": ("made_at",),
}
"""Ends and beginnings of durations (clocks, limits, retries, leases): moved to keep the remaining time."""
RETENTIONS: Final[Columns] = {
    "processed_events": ("at",),
    "notices": ("made_at",),
    "analysis_boards": ("touched_at",),
}
"""Beginnings of retention periods of days: moved only by a day or more, because the tables are large."""
LOOKS: Final[Columns] = {"competitions": ("due_at",), "dailies": ("due_at",)}
"""When a calendar is checked next: at once if the clock was set back, since the check finds the next date again."""
DATES: Final[Columns] = {"notices": ("due_at",), "posts": ("due_at",)}
"""Calendar times of digests and months: moved back by whole days if the clock was set back, never forward."""
MOVED_VALUES: Final = {"passing:": "until", "half:": "at", "launch.": "at"}
"""Prefixes of the names of platforms' values, and the key of the time in them that is moved."""
HOLIDAY_SETTING: Final = "holiday_until"
"""The setting with the end of a person's holiday: moved with the deadlines that the holiday has postponed."""

MAX_LIVE_TIME: Final = timedelta(days=1)
"""Maximum duration of a turn of a live game."""
MIN_RETENTION_MOVE: Final = timedelta(days=1)
MIN_SHOWN_MOVE: Final = timedelta(minutes=10)
"""Minimum difference from which boards with a clock are shown again, with the new deadline and the reason."""
SHOWN_SPREAD_SECONDS: Final = 600
"""Seconds over which these boards are spread."""
_DAY_SECONDS: Final = 86_400
_TEXT_SECONDS: Final = 19
"""Characters of a time in SQLite up to its whole seconds."""


class StoredClock(Repository):
    """Queries and commands that move stored times with the clock."""

    async def server_time(self) -> datetime:
        """Return the time of the database server, which all processes share; PostgreSQL only."""
        now: datetime = (await self._read_column(select(type_coerce(func.clock_timestamp(), Utc))))[0]
        return now

    async def list_moves(self, after: int = 0) -> list[ClockMove]:
        """Return the moves with numbers above `after`, in order."""
        return await self._list(ClockMove, clock_moves.number > after, order=["number"])

    async def move(self, seconds: int, since: datetime, now: datetime) -> int:
        """Move all stored durations by some seconds and return the number of games whose clocks were moved.

        `since` is the last time before the difference, `now` the time after it.
        """
        by = timedelta(seconds=seconds)
        async with self._transaction():
            added = insert(clock_moves).values(at=since, seconds=seconds).returning(clock_moves.number)
            number = await self._read_value(added)
            moved = await self._postpone_games(by, is_counted=True)
            await self._move_columns(DURATIONS, seconds)
            if abs(by) >= MIN_RETENTION_MOVE:
                await self._move_columns(RETENTIONS, seconds)
            if seconds < 0:
                for column in _columns_in(LOOKS):
                    await self._write(update(column.table).where(column > now).values({column: now}))
                await self._move_columns(DATES, -(-seconds // _DAY_SECONDS * _DAY_SECONDS), dates=True)
            await self._move_values(by)
            await self._move_holidays(by, since)
            if abs(by) >= MIN_SHOWN_MOVE:
                await self._show_again(now)
            self._emit("bans")
            self._emit("moved", (number, seconds))
        return len(moved)

    async def shift_live(self, by: timedelta, now: datetime) -> None:
        """Move the clocks of live games by a difference too small for any other clock."""
        # Selected by alarm, which has an index: an alarm is due at its deadline at the latest, or held only shortly.
        until = now + MAX_LIVE_TIME
        async with self._transaction():
            for game in await self._postpone_games(by, games.alarm_at <= until, games.deadline <= until, is_live=True):
                self._emit("table", game)

    async def hold(self, by: timedelta, installed: Collection[str]) -> None:
        """Move the clocks of games that are not installed: no one can play them."""
        async with self._transaction():
            for game in await self._postpone_games(by, games.game.not_in(installed)):
                self._emit("table", game)

    async def _postpone_games(
        self, by: timedelta, *where: Condition, is_live: bool = False, is_counted: bool = False
    ) -> list[str]:
        """Move the alarms and deadlines of the games that fulfil some conditions, and return the ids of the games.

        `is_live`: only of live games. `is_counted`: a game with a deadline stores by how much it was moved during the
        turn.
        """
        query = (
            select(games.id, games.alarm_at, games.deadline, games.terms)
            .where(games.alarm_at.is_not(None), *where)
            .with_for_update()
        )
        moved = []
        for game, alarm_at, deadline, stored in await self._read(query):
            terms, progress = read_terms(stored)
            if UNKNOWN_TIME in (alarm_at, deadline) or (is_live and not terms.is_live):
                continue  # storing UNKNOWN_TIME would set a time in the past
            values: Json = {"alarm_at": alarm_at + by}
            if deadline is not None:
                # A turn whose alarm was held at its deadline gets its time back.
                values = {"alarm_at": min(alarm_at, deadline) + by, "deadline": deadline + by}
                if is_counted and stored != BROKEN_JSON:
                    seconds = progress.moved_seconds + int(by.total_seconds())
                    values["terms"] = terms_to_json(terms, replace(progress, moved_seconds=seconds))
            await self._update(games, values, id=game)
            moved.append(game)
        return moved

    async def _move_columns(self, columns: Columns, seconds: int, *, dates: bool = False) -> None:
        """Move times by whole seconds; only the notices of digests and the posts of months are `dates`."""
        of_calendar = {
            notices.due_at: notices.kind == DIGEST_KIND,
            posts.due_at: and_(posts.kind == MONTH, posts.message.is_(None)),
        }
        # One column at a time, because large tables have a partial index of the rows with a time in it.
        for column in _columns_in(columns):
            query = update(column.table).where(column.is_not(None))
            if column in of_calendar:
                query = query.where(of_calendar[column] if dates else not_(of_calendar[column]))
            await self._write(query.values({column: self._add_seconds(column, seconds)}))

    def _add_seconds(self, column: ColumnElement[Any], seconds: int | ColumnElement[int]) -> Any:
        """Return a time some whole seconds later; an unreadable one stays unchanged."""
        if not self._database.is_sqlite:
            return column + func.make_interval(0, 0, 0, 0, 0, 0, seconds)
        text = cast(column, String)
        modifier = cast(literal(seconds) if isinstance(seconds, int) else seconds, String).concat(" seconds")
        whole = func.strftime("%Y-%m-%d %H:%M:%S", func.substr(text, 1, _TEXT_SECONDS), modifier, type_=String)
        return func.coalesce(whole.concat(func.substr(text, _TEXT_SECONDS + 1, type_=String)), text)

    async def _move_values(self, by: timedelta) -> None:
        """Move the times in named values."""
        for prefix, key in MOVED_VALUES.items():
            query = select(key_values).where(func.substr(key_values.name, 1, len(prefix)) == prefix)
            for platform, name, value in await self._read(query.with_for_update()):
                at = value.get(key)
                # One of these values holds a UNIX time.
                later = at + int(by.total_seconds()) if isinstance(at, int) else _later_text(at, by)
                if later is not None:
                    await self._update(key_values, {"value": {**value, key: later}}, platform=platform, name=name)

    async def _move_holidays(self, by: timedelta, since: datetime) -> None:
        """Move the ends of holidays that were not over at `since`."""
        query = select(people.id, people.settings).where(cast(people.settings, String).contains(f'"{HOLIDAY_SETTING}"'))
        for person, settings in await self._read(query.with_for_update()):
            until = settings.get(HOLIDAY_SETTING)
            later = _later_text(until, by)
            if later is not None and datetime.fromisoformat(str(until)) > since:
                await self._update(people, {"settings": {**settings, HOLIDAY_SETTING: later}}, id=person)

    async def _show_again(self, now: datetime) -> None:
        """Schedule the boards of games with a clock to be shown with the moved deadline, spread over some minutes.

        Places where the bot is not a member are updated with the next press.
        """
        timed = select(games.id).where(games.alarm_at.is_not(None), games.deadline.is_not(None))
        own = select(places.id).filter_by(id=posts.place, guest=False).exists()
        due = self._add_seconds(type_coerce(literal(now, Utc), Utc), posts.id % SHOWN_SPREAD_SECONDS)
        seen = case((posts.shown_revision > 0, posts.shown_revision - 1), else_=posts.shown_revision)
        await self._update(
            posts,
            {"due_at": func.coalesce(posts.due_at, due), "shown_revision": seen},
            posts.game.in_(timed),
            own,
            posts.message.is_not(None),
            *OPEN,
            kind=BOARD,
        )


def _columns_in(columns: Columns) -> Iterator[Column[Any]]:
    return (metadata.tables[table].columns[name] for table, names in columns.items() for name in names)


def _later_text(text: object, by: timedelta) -> str | None:
    """Return a moved ISO 8601 time, None for anything else."""
    try:
        return (datetime.fromisoformat(text) + by).isoformat() if isinstance(text, str) else None
    except (ValueError, OverflowError):
        return None
