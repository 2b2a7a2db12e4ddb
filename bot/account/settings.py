"""The settings of a person, and those of a place that its managers choose."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from bot.account.times import (
    DIGEST,
    HOLIDAY,
    QUIET,
    place_times_words,
    resolve_timezone,
    store_times,
    times_words,
)
from bot.core.allowed_games import allowed_games
from bot.core.context import Context
from bot.core.notice_routes import ROUTE_SETTING
from bot.core.permissions import Right
from bot.core.preferences import (
    ALLOWED_GAMES,
    CHANNEL,
    ME,
    ME_HERE,
    NEED_ADDRESS,
    PREFERENCES,
    PUZZLES,
    SCOPES,
    SERVER,
    SOUND,
)
from bot.core.question_cards import button_rows
from bot.core.request_context import RequestContext
from bot.delivery.notices import read_channel_route, reroute_notices, set_channel_route
from bot.interface.cards import MAX_OPTIONS, Button, Card, Menu, Row
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker, join
from bot.puzzles.daily import HOUR_SETTING, TIMEZONE_SETTING, set_zone
from engine import games
from storage import PlaceRow

GAME: Final = "game"
"""In a press: toggle whether a game is allowed."""


async def settings(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Change the named settings, or show all settings with menus to change them.

    Without `for`, a setting that nobody can have personally changes the channel's; a time zone changes the person's,
    unless `for` names the channel or the server.
    """
    changes, whose = _read_changes(values)
    if asker.request.user.anonymous and any(values.get(name) for name in (QUIET, DIGEST, HOLIDAY)):
        raise Refused("refusal.anonymous")
    place = await resolve_place(context, asker, whose)
    if values.get(TIMEZONE_SETTING) and values.get("for") in (CHANNEL, SERVER):
        place = await set_zone(context, place, resolve_timezone(values[TIMEZONE_SETTING]))
        values = {name: value for name, value in values.items() if name != TIMEZONE_SETTING}
    asker = await store_times(context, asker, values)
    if changes:
        asker, place = await change_settings(context, asker, whose, place, changes)
    return Reply(await _card(context, asker, whose, place), private=True)


def _read_changes(values: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the settings that are to change, by their names, and whose they are."""
    changes = {name: values[name] for name in PREFERENCES if values.get(name)}
    personal = all(PREFERENCES[name].personal for name in changes)
    return changes, values.get("for", ME if personal else CHANNEL)


def right_for_command(values: Mapping[str, str]) -> Right | None:
    """Return the right that the command needs: what holds for everybody in a place is changed by its managers."""
    changes, whose = _read_changes(values)
    if whose not in (CHANNEL, SERVER):
        return None
    return Right.MANAGER if changes or values.get(TIMEZONE_SETTING) else Right.DEPENDS


def right_for_press(pressed: Press) -> Right | None:
    """Return the right that a press needs: none to see the settings of a place."""
    whose, *rest = pressed.path or ("",)
    if whose not in (CHANNEL, SERVER):
        return None
    return Right.MANAGER if rest else Right.DEPENDS


async def press_set(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a setting chosen from a menu, or a request for the settings of another scope."""
    whose, *rest = pressed.path or ("",)
    if whose not in SCOPES or len(rest) not in (0, 2):
        raise Refused("refusal.stale")
    place = await resolve_place(context, asker, whose)
    if rest and rest[0] == GAME:
        place = await toggle_game(context, whose, place, rest[1])
    elif rest:
        asker, place = await change_settings(context, asker, whose, place, {rest[0]: rest[1]})
    return Reply(await _card(context, asker, whose, place), private=True, update=True)


async def _card(context: Context, asker: RequestContext, whose: str, place: PlaceRow) -> Card:
    here = await _channel_setting(context, asker, whose)
    without = set() if context.web_address else set(NEED_ADDRESS)
    without |= set() if asker.request.place.threads else {"threads"}
    without |= set() if context.sends_silently(place.platform) else {SOUND}
    return settings_card(asker, whose, place, here, now=context.clock(), without=without)


async def _channel_setting(context: Context, asker: RequestContext, whose: str) -> Mapping[str, Any]:
    if whose == CHANNEL:
        daily = await context.store.daily.get(asker.place.id)
        return {} if daily is None else {HOUR_SETTING: daily.hour}
    return {ROUTE_SETTING: await read_channel_route(context, asker)} if whose == ME_HERE else {}


async def resolve_place(context: Context, asker: RequestContext, whose: str) -> PlaceRow:
    """Return the place whose settings are meant: this one, or that of the whole server or group."""
    here = asker.place
    if whose != SERVER or not has_server(asker):
        return here
    return await context.store.places.get_or_create(here.platform, here.group or here.channel, None, here.group)


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


async def toggle_game(context: Context, whose: str, place: PlaceRow, game: str) -> PlaceRow:
    """Toggle whether a game is allowed in a place."""
    if game not in games or whose in (ME, ME_HERE):
        raise Refused("refusal.stale")
    before = allowed_games(place)
    after = [key for key in games if (key in before) != (key == game)]
    return await store_place_settings(context, place, {ALLOWED_GAMES: None if len(after) == len(games) else after})


async def store_place_settings(context: Context, place: PlaceRow, stored: Mapping[str, Any]) -> PlaceRow:
    """Store settings of a place."""
    return await context.store.places.change_settings(place.id, stored) or place


def has_server(asker: RequestContext) -> bool:
    """Return True if a place belongs to a server or group with settings of its own."""
    place = asker.place
    return place.group is not None and (place.group != place.channel or place.thread is not None)


def settings_card(
    asker: RequestContext,
    whose: str,
    place: PlaceRow,
    here: Mapping[str, Any],
    *,
    now: datetime,
    without: Collection[str],
) -> Card:
    """Return the card of the current settings, with a menu for each.

    `here` holds what is set for this channel alone, by the person or for everybody. `without` are the settings that
    have no effect here.
    """
    speaker = asker.mine
    known = {ME: asker.person.settings, ME_HERE: here}.get(whose, place.settings)
    parts = [speaker.say(f"settings.{whose}")]
    rows: list[Row] = []
    for name, preference in PREFERENCES.items():
        if name in without or not preference.fits(whose):
            continue
        parts.append(speaker.say(f"settings.{name}", value=speaker.line(f"{name}.{preference.chosen(known)}")))
        rows.append(_setting_menu(speaker, whose, name, preference.values))
    if whose not in (ME, ME_HERE):
        allowed = allowed_games(place)
        names = [speaker.of(key).line("name") for key in allowed]
        parts.append(speaker.say("settings.games", games=speaker.listing(names) if names else "–"))
        rows += _games_menus(speaker, whose, allowed)
        parts += place_times_words(speaker, place, whose, here.get(HOUR_SETTING), now)
    elif whose == ME:
        parts += times_words(speaker, known, now)
    private = asker.request.place.kind == "private"
    others = [other for other in SCOPES if other != whose and (other != SERVER or has_server(asker))]
    others = [other for other in others if other != ME_HERE or not private]
    buttons = [Button(speaker.line(f"button.settings.{other}"), press("set", None, 0, other)) for other in others]
    if whose == ME:
        buttons.append(Button(speaker.line("button.privacy"), press("privacy")))
    return Card(join(parts), rows=(*rows, *button_rows(buttons)))


def _setting_menu(speaker: Speaker, whose: str, name: str, values: tuple[str, ...]) -> Menu:
    options = [Button(speaker.line(f"{name}.{value}"), press("set", None, 0, whose, name, value)) for value in values]
    return Menu(speaker.line(f"settings.choose-{name}"), tuple(options))


def _games_menus(speaker: Speaker, whose: str, allowed: Sequence[str]) -> list[Menu]:
    """Return the menus of the games: several if they do not fit into one."""
    names = {key: speaker.of(key).line("name") for key in games}
    keys, about = list(names), speaker.line("settings.choose-games")
    menus = []
    for at in range(0, len(keys), MAX_OPTIONS):
        part = keys[at : at + MAX_OPTIONS]
        options = [
            Button(f"{'✓' if key in allowed else '✗'} {names[key]}", press("set", None, 0, whose, GAME, key))
            for key in part
        ]
        some = "" if len(part) == len(keys) else f" ({names[part[0]]} – {names[part[-1]]})"
        menus.append(Menu(about + some, tuple(options)))
    return menus
