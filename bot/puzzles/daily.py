"""The daily puzzle of a place: when it is due by the place's clock, and switching it on and off."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.core.context import Context
from storage import Daily, PlaceRow

TIMEZONE_SETTING: Final = "timezone"
"""The setting with the time zone of a person or a place."""
HOUR_SETTING: Final = "hour"
DEFAULT_HOUR: Final = 9
UTC_NAME: Final = "UTC"
MAX_MESSAGE_AGE: Final = timedelta(days=3)
"""Maximum age of messages that are still brought up to date."""


@dataclass(frozen=True, slots=True)
class Today:
    """A place's local date, when its message is due on it, and when the next one is."""

    date: date
    due_at: datetime
    next_at: datetime


def zone_of(place: PlaceRow) -> str:
    """Return the time zone of a place: the one chosen there, in private that of the person, or UTC."""
    chosen = place.effective.get(TIMEZONE_SETTING) or place.settings.get(f"own_{TIMEZONE_SETTING}")
    return str(chosen) if chosen and _load_timezone(chosen) is not None else UTC_NAME


def today_at(place: PlaceRow, hour: int, now: datetime) -> Today:
    """Return what date it is in a place, and when its message comes if it comes at an hour.

    An hour that the clocks leave out comes when it would have been; one that they repeat, the first time.
    """
    zone = _load_timezone(zone_of(place))
    local = now.astimezone(zone)
    today, at = local.date(), time(min(max(hour, 0), 23))

    def due(day: date) -> datetime:
        return datetime.combine(day, at, zone).astimezone(now.tzinfo)

    return Today(today, due(today), due(today + timedelta(days=1)))


async def switch_on(context: Context, place: PlaceRow, hour: int | None) -> Daily:
    """Switch the daily puzzle on in a place, at the previous hour if none is given, and return the hour.

    Where the hour is past today, today's comes at once, unless it was there already.
    """
    before = await context.store.daily.get(place.id)
    chosen = hour if hour is not None else before.hour if before is not None else DEFAULT_HOUR
    async with context.store.transaction():
        await context.store.daily.switch_on(place.id, chosen, context.clock())
    context.signals.wake("daily")
    return Daily(place, chosen, context.clock())


async def switch_off(context: Context, place: PlaceRow) -> None:
    """Switch the daily puzzle off; the current message keeps its question until the next one would have come."""
    await context.store.daily.switch_off(place.id)
    context.signals.wake("daily")


async def set_zone(context: Context, place: PlaceRow, zone: str | None) -> PlaceRow:
    """Store the time zone of a place, None for the default, and reschedule what is due there."""
    async with context.store.transaction():
        changed = await context.store.places.change_settings(place.id, {TIMEZONE_SETTING: zone}) or place
        await context.store.daily.reschedule(changed, context.clock())
    context.signals.wake("daily")
    return changed


async def schedule_edits(context: Context) -> None:
    """Have current messages brought up to date after people changed their names."""
    now = context.clock()
    await context.store.daily.mark_messages_due(None, now - MAX_MESSAGE_AGE, now)
    context.signals.wake("daily")


def _load_timezone(name: object) -> ZoneInfo | None:
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
