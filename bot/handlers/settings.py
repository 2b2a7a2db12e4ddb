"""What a person, and those who manage a place, can choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers.times import place_times_words, set_times, times_words, timezone_named
from bot.interface.cards import MOST_OPTIONS, Button, Card, Menu, Row
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker, join
from bot.notices.ways import WAY
from bot.presenters.asking import button_rows
from bot.services.daily import HOUR, TIMEZONE, set_zone
from bot.services.notices import choose_here, chosen_here, decide_anew
from bot.services.permits import allowed_games
from bot.services.preferences import CHANNEL, GAMES, ME, ME_HERE, PREFERENCES, SERVER, WHOSE
from engine import games
from storage import PlaceRow

GAME: Final = "game"
"""In a press: a game that is to be allowed, or no longer."""


async def settings(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Change what is named, or show what is set with menus to change it.

    What no person can have for themselves is meant for the channel, if it is not said for whom; a time zone is theirs
    unless it is said to be the channel's, or the server's.
    """
    changes = {name: values[name] for name in PREFERENCES if values.get(name)}
    personal = all(PREFERENCES[name].personal for name in changes)
    whose = values.get("for", ME if personal else CHANNEL)
    place = await place_meant(context, asker, whose)
    if values.get(TIMEZONE) and values.get("for") in (CHANNEL, SERVER):
        see_that_they_manage(asker)
        place = await set_zone(context, place, timezone_named(values[TIMEZONE]))
        values = {name: value for name, value in values.items() if name != TIMEZONE}
    asker = await set_times(context, asker, values)
    if changes:
        asker, place = await change(context, asker, whose, place, changes)
    return Reply(settings_card(asker, whose, place, await _here(context, asker, whose)), private=True)


async def press_set(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A setting chosen from a menu, or the settings of somebody else asked for."""
    whose, *rest = pressed.path or ("",)
    if whose not in WHOSE or len(rest) not in (0, 2):
        raise Refused("refusal.stale")
    place = await place_meant(context, asker, whose)
    if rest and rest[0] == GAME:
        place = await toggle(context, asker, whose, place, rest[1])
    elif rest:
        asker, place = await change(context, asker, whose, place, {rest[0]: rest[1]})
    return Reply(settings_card(asker, whose, place, await _here(context, asker, whose)), private=True, update=True)


async def _here(context: Context, asker: Asker, whose: str) -> Mapping[str, Any]:
    if whose == CHANNEL:
        daily = await context.store.daily(asker.place.id)
        return {} if daily is None else {HOUR: daily.hour}
    return {WAY: await chosen_here(context, asker)} if whose == ME_HERE else {}


async def place_meant(context: Context, asker: Asker, whose: str) -> PlaceRow:
    """Return the place whose settings are meant: this one, or that of the whole server or group."""
    here = asker.place
    if whose != SERVER or not has_server(asker):
        return here
    return await context.store.place(here.platform, here.group or here.channel, None, here.group)


async def change(
    context: Context, asker: Asker, whose: str, place: PlaceRow, changes: Mapping[str, str]
) -> tuple[Asker, PlaceRow]:
    """Store settings; return the asker as they are spoken to from now on, and the place; Refused where they may not."""
    stored: dict[str, Any] = {}
    for name, value in changes.items():
        preference = PREFERENCES.get(name)
        if preference is None or value not in preference.values:
            raise Refused("refusal.stale")
        if not preference.fits(whose):
            raise Refused("refusal.not-personal")
        if name == "threads" and not asker.request.place.threads:
            raise Refused("refusal.no-threads")
        stored[preference.key] = preference.kept.get(value)
    if whose == ME_HERE:
        if asker.request.place.kind == "private":
            raise Refused("refusal.no-channel-here")
        return replace(asker, person=await choose_here(context, asker, stored[WAY])), place
    if whose == ME:
        person = await context.store.set_person_settings(asker.person.id, stored) or asker.person
        if WAY in stored:
            await decide_anew(context, person)
        mine = person.settings.get("language") or person.language or asker.ours.language
        return replace(asker, person=person, mine=context.speaker(mine)), place
    changed = await keep(context, asker, place, stored)
    here = await context.store.place_by_id(asker.place.id) or asker.place
    return replace(asker, place=here, ours=context.speaker(context.place_language(here))), changed


async def toggle(context: Context, asker: Asker, whose: str, place: PlaceRow, game: str) -> PlaceRow:
    """Allow a game in a place, or no longer; Refused where the asker may not."""
    if game not in games or whose in (ME, ME_HERE):
        raise Refused("refusal.stale")
    before = allowed_games(place)
    after = [key for key in games if (key in before) != (key == game)]
    return await keep(context, asker, place, {GAMES: None if len(after) == len(games) else after})


async def keep(context: Context, asker: Asker, place: PlaceRow, stored: Mapping[str, Any]) -> PlaceRow:
    """Store settings of a place; Refused where the asker may not."""
    see_that_they_manage(asker)
    return await context.store.set_place_settings(place.id, stored) or place


def may_manage(asker: Asker) -> bool:
    """Say whether somebody may change what holds for all in a place."""
    return asker.request.user.manager or asker.request.place.kind == "private"


def see_that_they_manage(asker: Asker) -> None:
    """Raise Refused unless somebody may change what holds for all; it says how they could, where there is a way."""
    if may_manage(asker):
        return
    key = "refusal.not-manager"
    here = f"{key}.{asker.request.place.platform}"
    raise Refused(here if asker.mine.has(here) else key)


def has_server(asker: Asker) -> bool:
    """Say whether a place belongs to something larger with settings of its own."""
    place = asker.place
    return place.group is not None and (place.group != place.channel or place.thread is not None)


def settings_card(asker: Asker, whose: str, place: PlaceRow, here: Mapping[str, Any]) -> Card:
    """Return what is set, with a menu for each setting; `here` is what somebody, or this channel, has for it alone."""
    speaker = asker.mine
    known = {ME: asker.person.settings, ME_HERE: here}.get(whose, place.settings)
    parts = [speaker.say(f"settings.{whose}")]
    rows: list[Row] = []
    for name, preference in PREFERENCES.items():
        if not preference.fits(whose):
            continue
        if name == "threads" and not asker.request.place.threads:
            continue
        parts.append(speaker.say(f"settings.{name}", value=speaker.line(f"{name}.{preference.chosen(known)}")))
        rows.append(_menu(speaker, whose, name, preference.values))
    if whose not in (ME, ME_HERE):
        allowed = allowed_games(place)
        names = [speaker.of(key).line("name") for key in allowed]
        parts.append(speaker.say("settings.games", games=speaker.listing(names) if names else "–"))
        rows += _games_menus(speaker, whose, allowed)
        parts += place_times_words(speaker, place, whose, here.get(HOUR))
    elif whose == ME:
        parts += times_words(speaker, known)
    private = asker.request.place.kind == "private"
    others = [other for other in WHOSE if other != whose and (other != SERVER or has_server(asker))]
    others = [other for other in others if other != ME_HERE or not private]
    buttons = [Button(speaker.line(f"button.settings.{other}"), press("set", None, 0, other)) for other in others]
    if whose == ME:
        buttons.append(Button(speaker.line("button.privacy"), press("privacy")))
    return Card(join(parts), rows=(*rows, *button_rows(buttons)))


def _menu(speaker: Speaker, whose: str, name: str, values: tuple[str, ...]) -> Menu:
    options = [Button(speaker.line(f"{name}.{value}"), press("set", None, 0, whose, name, value)) for value in values]
    return Menu(speaker.line(f"settings.choose-{name}"), tuple(options))


def _games_menus(speaker: Speaker, whose: str, allowed: Sequence[str]) -> list[Menu]:
    """Return a menu of the games, or several where they are more than one has room for."""
    names = {key: speaker.of(key).line("name") for key in games}
    keys, about = list(names), speaker.line("settings.choose-games")
    menus = []
    for at in range(0, len(keys), MOST_OPTIONS):
        part = keys[at : at + MOST_OPTIONS]
        options = [
            Button(f"{'✓' if key in allowed else '✗'} {names[key]}", press("set", None, 0, whose, GAME, key))
            for key in part
        ]
        some = "" if len(part) == len(keys) else f" ({names[part[0]]} – {names[part[-1]]})"
        menus.append(Menu(about + some, tuple(options)))
    return menus
