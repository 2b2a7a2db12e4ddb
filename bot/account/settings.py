"""The settings of a person, and those of a place that its managers choose."""

from collections.abc import Mapping
from typing import Any, Final

from bot.account.form import FOR, FORM, find_missing, resolve_place
from bot.account.times import DIGEST, HOLIDAY, QUIET, resolve_timezone, store_times
from bot.core.context import Context
from bot.core.form_presses import confirm_change, open_form, reload_asker
from bot.core.notice_routes import ROUTE_SETTING
from bot.core.permissions import Right
from bot.core.preferences import (
    ALLOWED_GAMES,
    CHANNEL,
    ME,
    ME_HERE,
    OFF,
    PREFERENCES,
    PUZZLES,
    SERVER,
)
from bot.core.request_context import RequestContext
from bot.delivery.notices import reroute_notices, set_channel_route
from bot.entry.commandline import NOTHING
from bot.interface.forms import VALUE_SEPARATOR
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.puzzles.daily import DAILY_PARAMETER, TIMEZONE_SETTING, set_zone, switch_off, switch_on
from engine import games
from storage import PlaceRow

_OF_PLACES: Final = (ALLOWED_GAMES, DAILY_PARAMETER)
"""Settings that are no preferences, and that only places have."""


async def settings(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Change the named settings, and show the form of all.

    Without `for`, a setting that nobody can have personally changes the channel's; a time zone changes the person's,
    unless `for` names the channel or the server.
    """
    (changes, whose), given = _read_changes(values), set(values)
    if asker.request.user.anonymous and any(values.get(name) for name in (QUIET, DIGEST, HOLIDAY)):
        raise Refused("refusal.anonymous")
    place, of_place = await resolve_place(context, asker, whose), whose in (CHANNEL, SERVER)
    if any(values.get(name) for name in _OF_PLACES) and not of_place:
        raise Refused("refusal.not-personal")
    stored = _read_stored(context, asker, place, whose, changes)
    if values.get(ALLOWED_GAMES):
        stored[ALLOWED_GAMES] = _read_games(values[ALLOWED_GAMES])
    if of_place and values.get(TIMEZONE_SETTING):
        await set_zone(context, place, resolve_timezone(values[TIMEZONE_SETTING]))
        values = {name: value for name, value in values.items() if name != TIMEZONE_SETTING}
    if hour := values.get(DAILY_PARAMETER):
        await (switch_off(context, place) if hour == OFF else switch_on(context, place, int(hour)))
    await store_times(context, asker, values)
    if stored:
        await _store(context, asker, whose, place, stored)
    if given - {FOR}:
        if not context.is_private_place(asker.place):
            return await confirm_change(context, asker, FORM, whose, given)
        asker = await reload_asker(context, asker)
    return await open_form(context, asker, FORM, {FOR: whose})


def _read_changes(values: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the preferences that are to change, by their names, and whose settings are meant."""
    changes = {name: values[name] for name in PREFERENCES if values.get(name)}
    personal = all(PREFERENCES[name].personal for name in changes) and not any(map(values.get, _OF_PLACES))
    return changes, values.get(FOR, ME if personal else CHANNEL)


def _read_stored(
    context: Context, asker: RequestContext, place: PlaceRow, whose: str, changes: Mapping[str, str]
) -> dict[str, Any]:
    """Return what is to be stored of some preferences; Refused for one that cannot be set here."""
    missing = find_missing(context, asker, place)
    for name in changes:
        if not PREFERENCES[name].fits(whose):
            raise Refused("refusal.not-personal")
        if name in missing:
            raise Refused(missing[name])
    if changes and whose == ME_HERE and asker.request.place.kind == "private":
        raise Refused("refusal.no-channel-here")
    return {PREFERENCES[name].key: PREFERENCES[name].stored_values.get(value) for name, value in changes.items()}


def _read_games(text: str) -> list[str] | None:
    chosen = [] if text == NOTHING else text.split(VALUE_SEPARATOR)
    return None if set(chosen) >= set(games) else chosen


def right_for_command(values: Mapping[str, str]) -> Right | None:
    """Return the right that the command needs: what holds for everybody in a place is changed by its managers."""
    if _read_changes(values)[1] not in (CHANNEL, SERVER):
        return None
    return Right.DEPENDS if FORM.is_asked_for(values) else Right.MANAGER


async def _store(
    context: Context, asker: RequestContext, whose: str, place: PlaceRow, stored: Mapping[str, Any]
) -> None:
    if whose == ME_HERE:
        await set_channel_route(context, asker, stored[ROUTE_SETTING])
    elif whose == ME:
        person = await context.store.people.change_settings(asker.person.id, stored) or asker.person
        if ROUTE_SETTING in stored:
            await reroute_notices(context, person)
        if PUZZLES in stored and stored[PUZZLES] is not True:
            await context.store.played_puzzles.withdraw(person.id)
    else:
        await context.store.places.change_settings(place.id, stored)
