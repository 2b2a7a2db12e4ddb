"""A person's times: time zone, quiet hours, digest, and holidays, which move deadlines."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from bot.core.context import Context
from bot.core.notice_routes import DEFAULT_DIGEST_HOUR, DIGEST_HOUR_SETTING
from bot.core.preferences import AUTOMATIC, OFF
from bot.core.request_context import RequestContext
from bot.delivery.notices import reroute_notices
from bot.interface.refusals import Refused
from bot.language.texts import Text
from bot.language.time_zones import load_time_zone, read_time_zone
from bot.play.service import store_step
from bot.puzzles.daily import TIMEZONE_SETTING
from bot.tables.table import BrokenGame
from storage import NewEvent, Person

MAX_HOLIDAY_DAYS_PER_YEAR: Final = 30


async def go_on_holiday(context: Context, asker: RequestContext, days: int) -> None:
    """Stop a person's clocks for some days from now (0: start them again).

    Refused if too few of the year's holidays are left.
    """
    now, settings = context.clock(), asker.person.settings
    year = str(now.year)
    used: dict[str, int] = dict(settings.get("holiday_used", {}))
    began = datetime.fromisoformat(settings["holiday_until"]) if settings.get("holiday_until") else now
    given_back = max(0, (began - now).days)
    left = MAX_HOLIDAY_DAYS_PER_YEAR - used.get(year, 0) + given_back
    if days > left:
        raise Refused("refusal.no-holidays-left", left=left, most=MAX_HOLIDAY_DAYS_PER_YEAR)
    until = now + timedelta(days=days)
    changes = {
        "holiday_until": until.isoformat() if days else None,
        "holiday_used": {year: used.get(year, 0) - given_back + days},
    }
    person = await context.store.people.change_settings(asker.person.id, changes) or asker.person
    await _move_deadlines(context, person, until - max(began, now))


async def _move_deadlines(context: Context, person: Person, by: timedelta) -> None:
    """Move the deadlines of the games in which a person is to move; skip games that change meanwhile."""
    for brief in await context.store.games.list_for_person(person.id):
        if brief.to_move != person.id or brief.deadline is None:
            continue
        try:
            table = await context.table(brief.id)
        except BrokenGame:
            continue
        if table.row.deadline is None or table.row.to_move != person.id:
            continue
        row = replace(table.row, deadline=table.row.deadline + by)
        try:
            await store_step(context, table, row, [NewEvent("holiday", {}, person.id)], line=table.line)
        except Refused:
            continue


QUIET: Final = "quiet"
HOLIDAY: Final = "holiday"
DIGEST: Final = "digest"
LAST_HOUR: Final = 23

_HOURS_PATTERN: Final = re.compile(r"(\d{1,2})\s*-\s*(\d{1,2})")


async def store_times(context: Context, asker: RequestContext, values: Mapping[str, str]) -> None:
    """Store the given times of a person; Refused for what cannot be parsed."""
    stored: dict[str, Any] = {}
    if values.get(TIMEZONE_SETTING):
        stored[TIMEZONE_SETTING] = resolve_timezone(values[TIMEZONE_SETTING])
    if values.get(QUIET):
        stored[QUIET] = _read_hours(values[QUIET])
    if values.get(DIGEST):
        stored[DIGEST_HOUR_SETTING] = int(values[DIGEST])
    if stored:
        person = await context.store.people.change_settings(asker.person.id, stored) or asker.person
        await reroute_notices(context, person)
    if values.get(HOLIDAY):
        await go_on_holiday(context, asker, int(values[HOLIDAY]))


def current_times(known: Mapping[str, Any], now: datetime) -> dict[str, str]:
    """Return a person's times by the names of the parameters that set them."""
    quiet, until = known.get(QUIET), known.get("holiday_until")
    left = datetime.fromisoformat(until) - now if until else timedelta()
    return {
        TIMEZONE_SETTING: known.get(TIMEZONE_SETTING) or "",
        DIGEST: str(known.get(DIGEST_HOUR_SETTING, DEFAULT_DIGEST_HOUR)),
        QUIET: f"{quiet[0]}-{quiet[1]}" if quiet else "",
        HOLIDAY: str(max(0, -(-left // timedelta(days=1)))),
    }


def times_words(asker: RequestContext, values: Mapping[str, str], now: datetime) -> list[Text]:
    """Return what time it is in a time zone among settings, and until when a person's clocks stand still."""
    said, until = list[Text](), asker.person.settings.get("holiday_until")
    if values.get(TIMEZONE_SETTING):
        zone = load_time_zone(values[TIMEZONE_SETTING])
        said.append(asker.mine.say("settings.time", zone=str(zone), time=f"{now.astimezone(zone):%H:%M}"))
    if HOLIDAY in values and until and datetime.fromisoformat(until) > now:
        said.append(asker.mine.say("settings.holiday", until=asker.mine.day(datetime.fromisoformat(until))))
    return said


def _read_hours(text: str) -> list[int] | None:
    if text.lower() in (OFF, AUTOMATIC):
        return None
    match = _HOURS_PATTERN.fullmatch(text)
    if match is None or not all(int(hour) < 24 for hour in match.groups()):
        raise Refused("refusal.no-hours", value=text[:20], field=QUIET)
    return [int(match[1]), int(match[2])]


def resolve_timezone(text: str) -> str | None:
    """Return the time zone that a text names, None for none of their own; Refused if there is no such zone."""
    if text.lower() in (OFF, AUTOMATIC):
        return None
    name = read_time_zone(text)
    if name is None:
        raise Refused("refusal.no-timezone", value=text[:40], field=TIMEZONE_SETTING)
    return name
