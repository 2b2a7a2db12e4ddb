"""The daily puzzle of a place: when it is due by the place's clock, and switching it on and off."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from bot.core.context import Context
from bot.core.preferences import OFF, ON
from bot.core.request_context import RequestContext
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import join
from bot.language.time_zones import load_time_zone
from storage import Daily, PlaceRow

TIMEZONE_SETTING: Final = "timezone"
"""The setting with the time zone of a person or a place."""
HOUR_SETTING: Final = "hour"
DAILY_PARAMETER: Final = "daily"
SWITCHES: Final = (ON, OFF)
LAST_HOUR: Final = 23
DEFAULT_HOUR: Final = 9
MAX_MESSAGE_AGE: Final = timedelta(days=3)
"""Maximum age of messages that are still brought up to date."""


@dataclass(frozen=True, slots=True)
class Today:
    """A place's local date, when its message is due on it, and when the next one is."""

    date: date
    due_at: datetime
    next_at: datetime


def zone_of(place: PlaceRow) -> tzinfo:
    """Return the time zone of a place: the one chosen there, in private that of the person, or UTC."""
    return load_time_zone(place.effective.get(TIMEZONE_SETTING) or place.settings.get(f"own_{TIMEZONE_SETTING}"))


def today_at(place: PlaceRow, hour: int, now: datetime) -> Today:
    """Return what date it is in a place, and when its message comes if it comes at an hour.

    An hour that the clocks leave out comes when it would have been; one that they repeat, the first time.
    """
    zone = zone_of(place)
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
    await context.store.daily.mark_due(None, now - MAX_MESSAGE_AGE, now)


def is_about_daily(values: Mapping[str, str]) -> bool:
    """Say whether a command is meant to switch it on or off, or to change its hour."""
    return bool(values.get(DAILY_PARAMETER) or values.get(HOUR_SETTING))


async def switch_daily(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Switch it on or off, or have it come at another hour, for those who manage the place."""
    if asker.request.nonmember:
        raise Refused("refusal.no-daily-here")
    if values.get(DAILY_PARAMETER) == OFF:
        await switch_off(context, asker.place)
        return Reply(Card(asker.mine.say("daily.switched-off")), private=True)
    hour = values.get(HOUR_SETTING)
    if hour and int(hour) > LAST_HOUR:
        raise Refused("refusal.no-hour", value=hour)
    daily = await switch_on(context, asker.place, int(hour) if hour else None)
    zone = str(zone_of(asker.place))
    said = [asker.mine.say("daily.switched-on", hour=f"{daily.hour}:00", zone=zone)]
    said.append(asker.mine.say("daily.switched-on.zone"))
    return Reply(Card(join(said)), private=True)
