"""What a person, and those who manage a place, can choose: the language and the theme of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from bot.artist import THEMES
from bot.cards import Button, Card, Menu
from bot.house import Asker, House
from bot.presses import Press, press
from bot.refusals import Refused
from bot.requests import Reply
from bot.texts import Speaker, join

ME: Final = "me"
CHANNEL: Final = "channel"
LANGUAGES: Final = ("en", "it")
AUTOMATIC: Final = "auto"


async def settings(house: House, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Change what is named, or show what is set with menus to change it."""
    whose = values.get("for", ME)
    changes = {name: values[name] for name in ("language", "theme") if values.get(name)}
    if changes:
        asker = await change(house, asker, whose, changes)
    return Reply(settings_card(asker, whose), private=True)


async def press_set(house: House, asker: Asker, pressed: Press) -> Reply:
    """A setting chosen from a menu, or the other half of the settings asked for."""
    whose, *rest = pressed.path or ("",)
    if whose not in (ME, CHANNEL) or len(rest) not in (0, 2):
        raise Refused("refusal.stale")
    if rest:
        asker = await change(house, asker, whose, {rest[0]: rest[1]})
    return Reply(settings_card(asker, whose), private=True, update=True)


async def change(house: House, asker: Asker, whose: str, changes: Mapping[str, str]) -> Asker:
    """Store settings and return the asker as they are spoken to from now on; Refused where they may not."""
    allowed = {"language": (*LANGUAGES, AUTOMATIC), "theme": (*THEMES, AUTOMATIC)}
    for name, value in changes.items():
        if value not in allowed.get(name, ()):
            raise Refused("refusal.stale")
    stored: dict[str, Any] = {name: None if value == AUTOMATIC else value for name, value in changes.items()}
    if whose == CHANNEL:
        if not may_manage(asker):
            raise Refused("refusal.not-manager")
        place = await house.store.set_place_settings(asker.place.id, stored) or asker.place
        return replace(asker, place=place, ours=house.speaker(house.place_language(place)))
    person = await house.store.set_person_settings(asker.person.id, stored) or asker.person
    mine = person.settings.get("language") or person.language or asker.ours.language
    return replace(asker, person=person, mine=house.speaker(mine))


def may_manage(asker: Asker) -> bool:
    """Say whether somebody may change what holds for all in a place."""
    return asker.request.user.manager or asker.request.place.kind == "private"


def settings_card(asker: Asker, whose: str) -> Card:
    """Return what is set, with a menu for each setting."""
    speaker = asker.mine
    known = asker.person.settings if whose == ME else asker.place.settings
    language = known.get("language", AUTOMATIC)
    theme = known.get("theme", AUTOMATIC)
    parts = [
        speaker.say(f"settings.{whose}"),
        speaker.say("settings.language", value=speaker.line(f"language.{language}")),
        speaker.say("settings.theme", value=speaker.line(f"theme.{theme}")),
    ]
    rows = [
        _menu(speaker, whose, "language", (*LANGUAGES, AUTOMATIC)),
        _menu(speaker, whose, "theme", (*THEMES, AUTOMATIC)),
    ]
    other = CHANNEL if whose == ME else ME
    button = Button(speaker.line(f"button.settings.{other}"), press("set", None, 0, other))
    return Card(join(parts), rows=(*rows, (button,)))


def _menu(speaker: Speaker, whose: str, name: str, values: tuple[str, ...]) -> Menu:
    options = [Button(speaker.line(f"{name}.{value}"), press("set", None, 0, whose, name, value)) for value in values]
    return Menu(speaker.line(f"settings.choose-{name}"), tuple(options))
