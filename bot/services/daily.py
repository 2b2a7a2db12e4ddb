"""The puzzle that comes to a place once a day: when that is by the place's own clock, and switching it on and off."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.context.context import Context
from storage import Daily, PlaceRow

TIMEZONE: Final = "timezone"
"""Kept under this name: the time zone of a person, or of a place."""
HOUR: Final = "hour"
USUAL_HOUR: Final = 9
UTC_NAME: Final = "UTC"
OLDEST: Final = timedelta(days=3)
"""How old messages may be that are compared with what they should show."""


@dataclass(frozen=True, slots=True)
class Today:
    """A place's own date, when its message is due on it, and when that of the next date is."""

    date: date
    due_at: datetime
    next_at: datetime


def zone_of(place: PlaceRow) -> str:
    """Return the time zone of a place: the one chosen there, in private that of the person, or UTC."""
    chosen = place.effective.get(TIMEZONE) or place.settings.get(f"own_{TIMEZONE}")
    return str(chosen) if chosen and _zone(chosen) is not None else UTC_NAME


def today_in(place: PlaceRow, hour: int, now: datetime) -> Today:
    """Return what date it is in a place, and when its message comes if it comes at an hour.

    An hour that the clocks leave out comes when it would have been; one that they repeat, the first time.
    """
    zone = _zone(zone_of(place))
    local = now.astimezone(zone)
    today, at = local.date(), time(min(max(hour, 0), 23))

    def due(day: date) -> datetime:
        return datetime.combine(day, at, zone).astimezone(now.tzinfo)

    return Today(today, due(today), due(today + timedelta(days=1)))


async def switch_on(context: Context, place: PlaceRow, hour: int | None) -> Daily:
    """Have today's puzzle come to a place, at the hour that it had before if none is named, and return that.

    Where the hour is past today, today's comes at once, unless it was there already.
    """
    before = await context.store.daily(place.id)
    chosen = hour if hour is not None else before.hour if before is not None else USUAL_HOUR
    async with context.store.transaction():
        await context.store.switch_daily(place.id, chosen, context.clock())
    context.signals.dailies.set()
    return Daily(place, chosen, context.clock())


async def switch_off(context: Context, place: PlaceRow) -> None:
    """Have no more of them come; what stands there keeps its question until the next one would have come."""
    await context.store.drop_daily(place.id)
    context.signals.dailies.set()


async def set_zone(context: Context, place: PlaceRow, zone: str | None) -> PlaceRow:
    """Keep the time zone of a place, None for the usual one, and look anew when things are due there."""
    async with context.store.transaction():
        changed = await context.store.set_place_settings(place.id, {TIMEZONE: zone}) or place
        await context.store.dailies_look_again(changed, context.clock())
    context.signals.dailies.set()
    return changed


async def show_anew(context: Context) -> None:
    """Have what stands in places compared with what it should show, since people are called otherwise now."""
    now = context.clock()
    await context.store.stir_dailies(None, now - OLDEST, now)
    context.signals.dailies.set()


def _zone(name: object) -> ZoneInfo | None:
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
