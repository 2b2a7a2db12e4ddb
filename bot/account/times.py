"""Where somebody or a channel is, when people sleep, and when they are on holiday."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from zoneinfo import available_timezones

from bot.account.holidays import go_on_holiday
from bot.core.context import Context
from bot.core.notice_routes import DEFAULT_DIGEST_HOUR, DIGEST_HOUR_SETTING
from bot.core.preferences import AUTOMATIC, CHANNEL, OFF
from bot.core.request_context import RequestContext
from bot.delivery.notices import reroute_notices
from bot.interface.refusals import Refused
from bot.language.rich_text import Text
from bot.language.texts import Speaker
from bot.puzzles.daily import TIMEZONE_SETTING, zone_of
from storage import PlaceRow

QUIET: Final = "quiet"
HOLIDAY: Final = "holiday"
DIGEST: Final = "digest"
LAST_HOUR: Final = 23

_HOURS_PATTERN: Final = re.compile(r"(\d{1,2})\s*-\s*(\d{1,2})")


async def store_times(context: Context, asker: RequestContext, values: Mapping[str, str]) -> RequestContext:
    """Store what was said of somebody's times and return them; Refused for what cannot be understood."""
    stored: dict[str, Any] = {}
    if values.get(TIMEZONE_SETTING):
        stored[TIMEZONE_SETTING] = resolve_timezone(values[TIMEZONE_SETTING])
    if values.get(QUIET):
        stored[QUIET] = _read_hours(values[QUIET])
    if values.get(DIGEST):
        stored[DIGEST_HOUR_SETTING] = _read_hour(values[DIGEST])
    if stored:
        person = await context.store.people.change_settings(asker.person.id, stored) or asker.person
        asker = replace(asker, person=person)
        await reroute_notices(context, person)
    if values.get(HOLIDAY):
        asker = replace(asker, person=await go_on_holiday(context, asker, int(values[HOLIDAY])))
    return asker


def times_words(speaker: Speaker, known: Mapping[str, Any]) -> list[Text]:
    """Return what is known of somebody's times."""
    quiet, until = known.get(QUIET), known.get("holiday_until")
    hours = f"{quiet[0]}-{quiet[1]}" if quiet else speaker.line("settings.none.quiet")
    return [
        speaker.say("settings.timezone", value=known.get(TIMEZONE_SETTING) or speaker.line("settings.none.timezone")),
        speaker.say("settings.digest", value=f"{known.get(DIGEST_HOUR_SETTING, DEFAULT_DIGEST_HOUR)}:00"),
        speaker.say("settings.quiet", value=hours),
        speaker.say("settings.holiday", value=speaker.day(datetime.fromisoformat(until)) if until else "–"),
    ]


def place_times_words(speaker: Speaker, place: PlaceRow, whose: str, hour: int | None) -> list[Text]:
    """Return the time zone of a place, and of a channel the hour at which the day's puzzle comes, None for never."""
    zone = speaker.say("settings.place-timezone", value=zone_of(place), whose=whose)
    if whose != CHANNEL:
        return [zone]
    value = speaker.line("daily.never") if hour is None else f"{hour}:00"
    return [zone, speaker.say("settings.daily", value=value)]


def _read_hour(text: str) -> int:
    if not text.isdecimal() or int(text) > LAST_HOUR:
        raise Refused("refusal.no-hour", value=text[:20])
    return int(text)


def _read_hours(text: str) -> list[int] | None:
    if text.lower() in (OFF, AUTOMATIC):
        return None
    match = _HOURS_PATTERN.fullmatch(text)
    if match is None or not all(int(hour) < 24 for hour in match.groups()):
        raise Refused("refusal.no-hours", value=text[:20])
    return [int(match[1]), int(match[2])]


def resolve_timezone(text: str) -> str | None:
    """Return the time zone that somebody means, None for none of their own; Refused where there is no such."""
    if text.lower() in (OFF, AUTOMATIC):
        return None
    wanted = text.replace(" ", "_").lower()
    for name in sorted(available_timezones()):
        if wanted in (name.lower(), name.lower().rpartition("/")[2]):
            return name
    raise Refused("refusal.no-timezone", value=text[:40])
