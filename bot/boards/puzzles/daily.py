"""The daily puzzle of a place: its schedule by the place's clock, switching it on and off, its job, and streaks."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

import structlog

from bot.boards.puzzles.puzzle import puzzle_on
from bot.kernel.cards import Card
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.post_kinds import DueWorker
from bot.kernel.preferences import OFF, ON
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.texts import join
from bot.kernel.time_zones import load_time_zone
from storage import Daily, PlaceRow, StorageError

TIMEZONE_SETTING: Final = "timezone"
"""The setting with the time zone of a person or a place."""
HOUR_SETTING: Final = "hour"
DAILY_PARAMETER: Final = "daily"
SWITCHES: Final = (ON, OFF)
LAST_HOUR: Final = 23
DEFAULT_HOUR: Final = 9
MAX_MESSAGE_AGE: Final = timedelta(days=3)
"""Maximum age of messages that are still updated."""


@dataclass(frozen=True, slots=True)
class Today:
    """A place's local date, the time of its message, and the time of the next one."""

    date: date
    due_at: datetime
    next_at: datetime


def zone_of(place: PlaceRow) -> tzinfo:
    """Return the time zone of a place: its own setting, in private the person's, otherwise UTC."""
    return load_time_zone(place.effective.get(TIMEZONE_SETTING) or place.settings.get(f"own_{TIMEZONE_SETTING}"))


def today_at(place: PlaceRow, hour: int, now: datetime) -> Today:
    """Return the date in a place, and when its message is due at a given hour.

    If the clocks skip the hour, the message comes at the time without the change; if they repeat it, the first time.
    """
    zone = zone_of(place)
    local = now.astimezone(zone)
    today, at = local.date(), time(min(max(hour, 0), LAST_HOUR))

    def due(day: date) -> datetime:
        return datetime.combine(day, at, zone).astimezone(now.tzinfo)

    return Today(today, due(today), due(today + timedelta(days=1)))


async def switch_on(context: Context, place: PlaceRow, hour: int | None) -> int:
    """Switch the daily puzzle on in a place, at the previous hour if none is given, and return the hour.

    If today's hour is past, today's message is due at once, unless it was sent already.
    """
    before = place.daily_hour
    chosen = hour if hour is not None else before if before is not None else DEFAULT_HOUR
    await context.store.daily.switch_on(place.id, chosen, context.clock())
    context.signals.wake("daily")
    return chosen


async def set_zone(context: Context, place: PlaceRow, zone: str | None) -> PlaceRow:
    """Store the time zone of a place, None for the default, and reschedule its daily puzzle."""
    async with context.store.transaction():
        changed = await context.store.places.change_settings(place.id, {TIMEZONE_SETTING: zone}) or place
        await context.store.daily.reschedule(changed, context.clock())
    context.signals.wake("daily")
    return changed


async def schedule_edits(context: Context) -> None:
    """Schedule updates of the current messages, after people changed their names."""
    now = context.clock()
    await context.store.daily.mark_since(now - MAX_MESSAGE_AGE, now)


def is_about_daily(values: Values) -> bool:
    """Return True if a command is about the daily puzzle: to switch it on or off, or to change its hour."""
    return bool(values.get(DAILY_PARAMETER) or values.get(HOUR_SETTING))


async def switch_daily(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Switch the daily puzzle on or off, or change its hour, for people who manage the place."""
    if requester.request.nonmember:
        raise Refused("refusal.no-daily-here")
    if values.get(DAILY_PARAMETER) == OFF:
        # The current message keeps its question until the time of the next one.
        await context.store.daily.switch_off(requester.place.id)
        return requester.answer("daily.switched-off")
    hour = values.get(HOUR_SETTING)
    chosen = await switch_on(context, requester.place, int(hour) if hour else None)
    zone, speaker = str(zone_of(requester.place)), requester.speaker
    said = [
        speaker.say("daily.switched-on", hour=f"{chosen}:00", zone=zone),
        speaker.say("daily.switched-on.zone"),
    ]
    return Reply(Card(join(said)))


FAILURE_PAUSE: Final = timedelta(minutes=10)
"""Time before retrying a place whose message could not be promised."""

log = structlog.get_logger(__name__)


class DailyPuzzles(DueWorker):
    """Promises the posts of the daily puzzle."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("daily"), "daily")

    async def _next_due_at(self) -> datetime | None:
        return await self._store.daily.next_due_at(tuple(self._context.adapters))

    async def _run_due(self) -> bool:
        due = await self._store.daily.list_due(self._clock(), tuple(self._context.adapters))
        for daily in due:
            await self._promise_message(daily)
        return bool(due)

    async def _promise_message(self, daily: Daily) -> None:
        """Promise today's message to a place if it is due; parallel processes promise the same message."""
        store, place, now = self._store, daily.place.id, self._clock()
        try:
            today = today_at(daily.place, daily.hour, now)
            if now < today.due_at:
                await store.daily.postpone(place, daily.due_at, today.due_at)
                return
            puzzle, date = puzzle_on(today.date), today.date.isoformat()
            if await store.daily.promise(place, date, puzzle.id, now, today.next_at):
                log.info("daily-scheduled", platform=daily.place.platform, place=place, date=date)
        except StorageError:
            raise
        except Exception:
            # One unreadable row must not block all others.
            log.exception("daily-failed", place=place)
            await store.daily.postpone(place, daily.due_at, now + FAILURE_PAUSE)


FREE_DAYS_PER_MONTH: Final = 2
"""Number of dates in a calendar month that may be missed without ending a streak."""
_MAX_GAP_DAYS: Final = 3 * FREE_DAYS_PER_MONTH + 2
"""Number of missed dates after which a streak has ended in any case."""


@dataclass(frozen=True, slots=True)
class Streak:
    """The number of solved dates in a row, now and at best; forgiven missed dates do not count."""

    now: int = 0
    best: int = 0


def count_streak(days: Iterable[date], today: date) -> Streak:
    """Return the streak of solved dates; it does not end before today is over."""
    best = length = 0
    left_out: Counter[tuple[int, int]] = Counter()
    last: date | None = None
    for day in sorted(set(days)):
        if last is not None:
            left_out.update(_months_between(last, day))
        if last is None or max(left_out.values(), default=0) > FREE_DAYS_PER_MONTH:
            length = 0
            left_out.clear()
        length, last = length + 1, day
        best = max(best, length)
    if last is None:
        return Streak()
    left_out.update(_months_between(last, today))
    return Streak(length if max(left_out.values(), default=0) <= FREE_DAYS_PER_MONTH else 0, best)


def _months_between(last: date, following: date) -> Iterator[tuple[int, int]]:
    """Yield the months of the dates between two dates, at most enough of them to end any streak."""
    for number in range(1, min((following - last).days, _MAX_GAP_DAYS)):
        day = last + timedelta(days=number)
        yield day.year, day.month
