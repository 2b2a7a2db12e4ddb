"""The settings of a person, and those of a place that its managers choose."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from bot.account.form import FOR, FORM, resolve_place
from bot.account.times import DIGEST, HOLIDAY, QUIET, resolve_timezone, store_times
from bot.core.context import Context
from bot.core.form_presses import confirm_change, open_form
from bot.core.notice_routes import ROUTE_SETTING
from bot.core.permissions import Right
from bot.core.preferences import (
    ALLOWED_GAMES,
    CHANNEL,
    ME,
    ME_HERE,
    NEED_ADDRESS,
    OFF,
    PREFERENCES,
    PUZZLES,
    SERVER,
    SOUND,
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
    place = await resolve_place(context, asker, whose)
    if any(values.get(name) for name in _OF_PLACES) and whose not in (CHANNEL, SERVER):
        raise Refused("refusal.not-personal")
    if values.get(TIMEZONE_SETTING) and whose in (CHANNEL, SERVER):
        place = await set_zone(context, place, resolve_timezone(values[TIMEZONE_SETTING]))
        values = {name: value for name, value in values.items() if name != TIMEZONE_SETTING}
        asker = await _with_place(context, asker)
    if values.get(ALLOWED_GAMES):
        await store_place_settings(context, place, {ALLOWED_GAMES: _read_games(values[ALLOWED_GAMES])})
        asker = await _with_place(context, asker)
    if values.get(DAILY_PARAMETER):
        hour = values[DAILY_PARAMETER]
        await (switch_off(context, place) if hour == OFF else switch_on(context, place, int(hour)))
    asker = await store_times(context, asker, values)
    if changes:
        asker, place = await change_settings(context, asker, whose, place, changes)
    if given - {FOR} and not context.is_private_place(asker.place):
        return await confirm_change(context, asker, FORM, whose, given)
    return await open_form(context, asker, FORM, {FOR: whose})


def _read_changes(values: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the preferences that are to change, by their names, and whose settings are meant."""
    changes = {name: values[name] for name in PREFERENCES if values.get(name)}
    personal = all(PREFERENCES[name].personal for name in changes) and not any(map(values.get, _OF_PLACES))
    return changes, values.get(FOR, ME if personal else CHANNEL)


def _read_games(text: str) -> list[str] | None:
    chosen = [] if text == NOTHING else text.split(VALUE_SEPARATOR)
    return None if set(chosen) >= set(games) else chosen


async def _with_place(context: Context, asker: RequestContext) -> RequestContext:
    return replace(asker, place=await context.store.places.get(asker.place.id) or asker.place)


def opens_form(values: Mapping[str, str]) -> bool:
    """Return True if nothing is to change."""
    return not set(values) - {FOR}


def right_for_command(values: Mapping[str, str]) -> Right | None:
    """Return the right that the command needs: what holds for everybody in a place is changed by its managers."""
    if _read_changes(values)[1] not in (CHANNEL, SERVER):
        return None
    return Right.DEPENDS if opens_form(values) else Right.MANAGER


async def change_settings(
    context: Context, asker: RequestContext, whose: str, place: PlaceRow, changes: Mapping[str, str]
) -> tuple[RequestContext, PlaceRow]:
    """Store settings; return the asker with the new settings, and the place. Refused if the asker may not."""
    stored: dict[str, Any] = {}
    for name, value in changes.items():
        preference = PREFERENCES.get(name)
        if preference is None or value not in preference.values:
            raise Refused("refusal.stale")
        if not preference.fits(whose):
            raise Refused("refusal.not-personal")
        if name == "threads" and not asker.request.place.threads:
            raise Refused("refusal.no-threads")
        if name == SOUND and not context.sends_silently(place.platform):
            raise Refused("refusal.no-sound")
        if name in NEED_ADDRESS and not context.web_address:
            raise Refused("refusal.no-public-address")
        stored[preference.key] = preference.stored_values.get(value)
    if whose == ME_HERE:
        if asker.request.place.kind == "private":
            raise Refused("refusal.no-channel-here")
        return replace(asker, person=await set_channel_route(context, asker, stored[ROUTE_SETTING])), place
    if whose == ME:
        person = await context.store.people.change_settings(asker.person.id, stored) or asker.person
        if ROUTE_SETTING in stored:
            await reroute_notices(context, person)
        if PUZZLES in stored and stored[PUZZLES] is not True:
            await context.store.played_puzzles.withdraw(person.id)
        mine = context.person_language(person) or asker.ours.language
        return replace(asker, person=person, mine=context.speaker(mine, asker.request.user.platform)), place
    changed = await store_place_settings(context, place, stored)
    here = await context.store.places.get(asker.place.id) or asker.place
    return replace(asker, place=here, ours=context.place_speaker(here)), changed


async def store_place_settings(context: Context, place: PlaceRow, stored: Mapping[str, Any]) -> PlaceRow:
    """Store settings of a place."""
    return await context.store.places.change_settings(place.id, stored) or place
