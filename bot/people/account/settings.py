"""The settings of a person, and the settings of a place, which its managers choose."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from bot.boards.puzzles.daily import DAILY_PARAMETER, LAST_HOUR, TIMEZONE_SETTING, set_zone, switch_on
from bot.kernel.cards import VALUE_SEPARATOR, Button
from bot.kernel.commandline import NOTHING, Parameter
from bot.kernel.context import Context
from bot.kernel.form_presses import confirm_change, open_form, reload_requester
from bot.kernel.forms import Field, Form, FormNotes, FormState, Values
from bot.kernel.permissions import Right
from bot.kernel.preferences import (
    ALLOWED_GAMES,
    AUTOMATIC,
    CHANNEL,
    DEFAULT_DIGEST_HOUR,
    DIGEST_HOUR_SETTING,
    ME,
    ME_HERE,
    MONTHLY,
    NEED_ADDRESS,
    OFF,
    ORIENTATION,
    PREFERENCES,
    PROFILE,
    PUBLIC,
    PUZZLES,
    ROUTE_SETTING,
    SCOPES,
    SERVER,
    SOUND,
    VOTES,
    allowed_games,
)
from bot.kernel.question_cards import make_button
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import BrokenGame
from bot.kernel.texts import Text
from bot.kernel.time_zones import load_time_zone, read_time_zone
from bot.table.notices import read_channel_route, reroute_notices, set_channel_route
from bot.table.service import store_step
from engine import games
from storage import Json, NewEvent, Person, PlaceRow

MAX_HOLIDAY_DAYS_PER_YEAR: Final = 30


async def go_on_holiday(context: Context, requester: RequestContext, days: int) -> None:
    """Stop a person's clocks for some days from now (0: start them again).

    Refused if too few of the year's holidays are left.
    """
    now, settings = context.clock(), requester.person.settings
    year = str(now.year)
    used, began = settings.get("holiday_used", {}).get(year, 0), _holiday_end(settings) or now
    given_back = max(0, (began - now).days)
    left = MAX_HOLIDAY_DAYS_PER_YEAR - used + given_back
    if days > left:
        raise Refused("refusal.no-holidays-left", left=left, most=MAX_HOLIDAY_DAYS_PER_YEAR)
    until = now + timedelta(days=days)
    changes = {
        "holiday_until": until.isoformat() if days else None,
        "holiday_used": {year: used - given_back + days},
    }
    person = await context.store.people.change_settings(requester.id, changes) or requester.person
    await _move_deadlines(context, person, until - max(began, now))


def _holiday_end(settings: Mapping[str, Any]) -> datetime | None:
    until = settings.get("holiday_until")
    return datetime.fromisoformat(until) if until else None


async def _move_deadlines(context: Context, person: Person, by: timedelta) -> None:
    """Move the deadlines of the games in which a person is to move; skip games that change meanwhile."""
    for brief in await context.store.games.list_for_person(person.id):
        if brief.to_move != person.id or brief.deadline is None or brief.terms.is_live:
            continue
        with suppress(BrokenGame, Refused):
            table = await context.table(brief.id)
            if table.row.deadline is not None and table.row.to_move == person.id:
                row = replace(table.row, deadline=table.row.deadline + by)
                await store_step(context, table, row, [NewEvent("holiday", {}, person.id)])


QUIET: Final = "quiet"
HOLIDAY: Final = "holiday"
DIGEST: Final = "digest"

_HOURS_PATTERN: Final = re.compile(r"(\d{1,2})\s*-\s*(\d{1,2})")


async def store_times(context: Context, requester: RequestContext, values: Values) -> None:
    """Store the given times of a person; Refused for values that cannot be parsed."""
    stored: Json = {}
    if zone := values.get(TIMEZONE_SETTING):
        stored[TIMEZONE_SETTING] = resolve_timezone(zone)
    if hours := values.get(QUIET):
        stored[QUIET] = _read_hours(hours)
    if hour := values.get(DIGEST):
        stored[DIGEST_HOUR_SETTING] = int(hour)
    if stored:
        person = await context.store.people.change_settings(requester.id, stored) or requester.person
        await reroute_notices(context, person)
    if days := values.get(HOLIDAY):
        await go_on_holiday(context, requester, int(days))


def current_times(known: Json, now: datetime) -> dict[str, str]:
    """Return a person's times by the names of the parameters that set them."""
    quiet, left = known.get(QUIET), (_holiday_end(known) or now) - now
    return {
        TIMEZONE_SETTING: known.get(TIMEZONE_SETTING) or "",
        DIGEST: str(known.get(DIGEST_HOUR_SETTING, DEFAULT_DIGEST_HOUR)),
        QUIET: f"{quiet[0]}-{quiet[1]}" if quiet else "",
        HOLIDAY: str(max(0, -(-left // timedelta(days=1)))),
    }


def times_words(requester: RequestContext, values: Values, now: datetime) -> list[Text]:
    """Return the local time in the time zone of the values, and the end of the person's holiday."""
    speaker, until, said = requester.speaker, _holiday_end(requester.person.settings), list[Text]()
    if values.get(TIMEZONE_SETTING):
        zone = load_time_zone(values[TIMEZONE_SETTING])
        said.append(speaker.say("settings.time", zone=str(zone), time=f"{now.astimezone(zone):%H:%M}"))
    if HOLIDAY in values and until is not None and until > now:
        said.append(speaker.say("settings.holiday", until=speaker.day(until)))
    return said


def _read_hours(text: str) -> list[int] | None:
    if text.lower() in (OFF, AUTOMATIC):
        return None
    match = _HOURS_PATTERN.fullmatch(text)
    if match is None or not all(int(hour) < 24 for hour in match.groups()):
        raise Refused("refusal.no-hours", value=text[:20], field=QUIET)
    return [int(match[1]), int(match[2])]


def resolve_timezone(text: str) -> str | None:
    """Return the time zone that a text names, None for the default; Refused if there is no such zone."""
    if text.lower() in (OFF, AUTOMATIC):
        return None
    name = read_time_zone(text)
    if name is None:
        raise Refused("refusal.no-timezone", value=text[:40], field=TIMEZONE_SETTING)
    return name


FOR: Final = "for"
_HOURS: Final = tuple(map(str, range(LAST_HOUR + 1)))
_HOLIDAYS: Final = tuple(map(str, (0, 1, 2, 3, 5, 7, 10, 14, 21, MAX_HOLIDAY_DAYS_PER_YEAR)))
_ZONE: Final = r".*/.*|(?i:utc|gmt)(?:[+-].*)?|[+-]\d.*"


async def _tell(context: Context, requester: RequestContext, state: FormState) -> FormNotes:
    whose, private = state.subject, requester.request.place.kind == "private"
    kind = "tab" if context.draws_for_readers(requester.place.platform) else "button"
    tabs = [
        Button(requester.speaker.line(f"{kind}.settings.{each}"), "" if each == whose else state.about(each).press())
        for each in SCOPES
        if each == whose or ((each != SERVER or has_server(requester)) and (each != ME_HERE or not private))
    ]
    buttons = [make_button(requester.speaker, "button.privacy", "privacy")] if whose == ME else []
    return FormNotes(times_words(requester, state.values, context.clock()), buttons, tabs)


async def _current(context: Context, requester: RequestContext, whose: str) -> Values:
    """Return the current values of all settings that have an effect in a scope.

    This avoids reading from the database where possible, because a window has to open at once.
    """
    here = requester.place
    place = replace(here, settings=here.of_group, inherited={}) if is_of_server(requester, whose) else here
    missing = find_missing(context, requester, place)
    known: Any = requester.person.settings if whose == ME else place.settings
    if whose == ME_HERE:
        known = {ROUTE_SETTING: await read_channel_route(context, requester)}
    fitting = {name: each for name, each in PREFERENCES.items() if each.fits(whose) and name not in missing}
    current = {name: each.chosen(known) for name, each in fitting.items()}
    if whose == ME:
        current |= current_times(known, context.clock())
    elif whose != ME_HERE:
        current[TIMEZONE_SETTING] = place.settings.get(TIMEZONE_SETTING) or ""
        current[ALLOWED_GAMES] = VALUE_SEPARATOR.join(allowed_games(place)) or NOTHING
    if whose == CHANNEL:
        current[DAILY_PARAMETER] = OFF if here.daily_hour is None else str(here.daily_hour)
    return current


def find_missing(context: Context, requester: RequestContext, place: PlaceRow) -> dict[str, str]:
    """Return the preferences that have no effect in a place, each with the key of the refusal that explains it."""
    missing = {} if context.web_address else dict.fromkeys(NEED_ADDRESS, "refusal.no-public-address")
    if not requester.request.place.threads:
        missing["threads"] = "refusal.no-threads"
    if not context.sends_silently(place.platform):
        missing[SOUND] = "refusal.no-sound"
    return missing


def is_of_server(requester: RequestContext, whose: str) -> bool:
    """Return True if a scope is the whole server or group, and that is not this place."""
    return whose == SERVER and has_server(requester)


def has_server(requester: RequestContext) -> bool:
    """Return True if a place belongs to a server or group with settings of its own."""
    place = requester.place
    return place.group is not None and (place.group != place.channel or place.thread is not None)


_SECTIONS: Final[Mapping[str, Sequence[str]]] = {
    "looks": ("language", "theme", ORIENTATION, "boards", "threads", "text"),
    "notices": (ROUTE_SETTING, "reminders", DIGEST, QUIET, SOUND, DAILY_PARAMETER, MONTHLY),
    "playing": ("challenges", "playing", ALLOWED_GAMES),
    "time": (TIMEZONE_SETTING, HOLIDAY),
    "privacy": (PROFILE, PUBLIC, VOTES, PUZZLES),
}
"""The settings in each section of the form, in their order."""
_FIELDS: Final = {
    field.name: field
    for field in (
        *(Field(name, Parameter(name, "choice", choices=each.values), AUTOMATIC) for name, each in PREFERENCES.items()),
        Field("z", Parameter(TIMEZONE_SETTING, "text", pattern=_ZONE, spaced=True)),
        Field("d", Parameter(DIGEST, "number", least=0, most=LAST_HOUR), offers=_HOURS, words="hour"),
        Field("q", Parameter(QUIET, "text", pattern=r"\d.*")),
        Field("h", Parameter(HOLIDAY, "number", least=0, most=MAX_HOLIDAY_DAYS_PER_YEAR), offers=_HOLIDAYS),
        Field("g", Parameter(ALLOWED_GAMES, "several", choices=tuple(games)), words="game"),
        Field("p", Parameter(DAILY_PARAMETER, "choice", choices=(OFF, *_HOURS)), words="daily"),
    )
}

FORM: Final = Form(
    command="settings",
    version=1,
    subject=Field("w", Parameter(FOR, "choice", choices=SCOPES), ME),
    fields=tuple(replace(_FIELDS[name], section=section) for section, names in _SECTIONS.items() for name in names),
    title=lambda voice, values: voice.say(f"settings.{values[FOR]}"),
    tell=_tell,
    current=_current,
)


_OF_PLACES: Final = (ALLOWED_GAMES, DAILY_PARAMETER)
"""Settings of places only; these are not preferences."""


async def settings(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Change the given settings, and show the form of all settings.

    Without `for`, a setting that no one can have personally changes the channel's; a time zone changes the person's,
    unless `for` names the channel or the server.
    """
    (changes, whose), given = _read_changes(values), set(values)
    if not given - {FOR}:
        return await open_form(context, requester, FORM, {FOR: whose})
    if requester.request.user.anonymous and not given.isdisjoint((QUIET, DIGEST, HOLIDAY)):
        raise Refused("refusal.anonymous")
    place, of_place = requester.place, whose in (CHANNEL, SERVER)
    if is_of_server(requester, whose):
        home = place.group or place.channel
        place = await context.store.places.get_or_create(place.platform, home, None, place.group)
    if not of_place and not given.isdisjoint(_OF_PLACES):
        raise Refused("refusal.not-personal")
    stored = _read_stored(context, requester, place, whose, changes)
    if chosen := values.get(ALLOWED_GAMES):
        listed = [] if chosen == NOTHING else chosen.split(VALUE_SEPARATOR)
        stored[ALLOWED_GAMES] = None if set(listed) >= set(games) else listed
    if of_place and (zone := values.get(TIMEZONE_SETTING)):
        await set_zone(context, place, resolve_timezone(zone))
        values = {name: value for name, value in values.items() if name != TIMEZONE_SETTING}
    if hour := values.get(DAILY_PARAMETER):
        off = hour == OFF
        await (context.store.daily.switch_off(place.id) if off else switch_on(context, place, int(hour)))
    await store_times(context, requester, values)
    if stored:
        await _store(context, requester, whose, place, stored)
    if not context.is_private_place(requester.place):
        return await confirm_change(context, requester, FORM, whose, given)
    requester = await reload_requester(context, requester)
    return await open_form(context, requester, FORM, {FOR: whose})


def _read_changes(values: Values) -> tuple[dict[str, str], str]:
    """Return the changed preferences by their names, and the scope of the change."""
    changes = {name: values[name] for name in PREFERENCES if values.get(name)}
    personal = all(PREFERENCES[name].personal for name in changes) and values.keys().isdisjoint(_OF_PLACES)
    return changes, values.get(FOR, ME if personal else CHANNEL)


def _read_stored(context: Context, requester: RequestContext, place: PlaceRow, whose: str, changes: Values) -> Json:
    """Return the stored form of changed preferences; Refused for one that cannot be set here."""
    missing = find_missing(context, requester, place)
    for name in changes:
        if not PREFERENCES[name].fits(whose):
            raise Refused("refusal.not-personal")
        if name in missing:
            raise Refused(missing[name])
    if changes and whose == ME_HERE and requester.request.place.kind == "private":
        raise Refused("refusal.no-channel-here")
    return {PREFERENCES[name].key: PREFERENCES[name].stored_values.get(value) for name, value in changes.items()}


def right_for_command(values: Values) -> Right | None:
    """Return the right that the command needs: settings of a place need a manager."""
    if _read_changes(values)[1] not in (CHANNEL, SERVER):
        return None
    return Right.DEPENDS if FORM.is_asked_for(values) else Right.MANAGER


async def _store(context: Context, requester: RequestContext, whose: str, place: PlaceRow, stored: Json) -> None:
    if whose == ME_HERE:
        await set_channel_route(context, requester, stored[ROUTE_SETTING])
    elif whose == ME:
        person = await context.store.people.change_settings(requester.id, stored) or requester.person
        if ROUTE_SETTING in stored:
            await reroute_notices(context, person)
        if PUZZLES in stored and stored[PUZZLES] is not True:
            await context.store.played_puzzles.withdraw(person.id)
    else:
        await context.store.places.change_settings(place.id, stored)
