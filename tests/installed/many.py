"""A program that a test runs with more games on the path than a list of Discord has room for: what is shown then."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from bot.kernel.cards import MAX_PRESS_BYTES, Card, Menu
from bot.kernel.presses import press, read_press
from bot.kernel.requests import Place
from bot.kernel.texts import Texts
from bot.platforms.app import COMMANDS
from bot.platforms.discord.commands import command_payloads
from bot.platforms.discord.layout import message_parts
from bot.platforms.telegram.layout import build_keyboard
from engine.games import games
from storage import Store
from tests.bot.party import Party, buttons, card, labelled, words
from tests.fakes.discord.commands import check_commands
from tests.fakes.discord.messages import MAX_COMPONENTS, MAX_TEXT_CHARACTERS
from tests.fakes.discord.parts import walk

TEXTS = Texts()


def registered() -> list[dict[str, Any]]:
    """Return the commands as Discord gets them; ApiError if it would not take them."""
    payload = command_payloads(TEXTS)
    check_commands(payload)
    return payload


def fits(shown: Card) -> None:
    """See that Discord and Telegram take a card."""
    parts = list(walk(message_parts(shown).view.components))
    assert sum(len(part.get("content", "")) for part in parts) <= MAX_TEXT_CHARACTERS
    assert len(parts) <= MAX_COMPONENTS
    build_keyboard(shown, TEXTS.speaker("en"))
    for row in shown.rows:
        assert len(row.options if isinstance(row, Menu) else row) <= (25 if isinstance(row, Menu) else 5)
    assert all(len(each.press.encode()) <= MAX_PRESS_BYTES for each in buttons(shown))


async def picked(people: Party, first: Card, deed: str) -> list[str]:
    """Return the games that can be picked, page after page."""
    found: list[str] = []
    while True:
        fits(first)
        read = [read_press(each.press) for each in buttons(first)]
        found += [each.path[0] for each in read if each.deed == deed and not each.path[0].isdecimal()]
        if not any(each.label == "Next" for each in buttons(first)):
            return found
        first = card(await people.press("anna", labelled(first, "Next")))


async def seen(store: Store) -> dict[str, Any]:
    """Return what somebody sees who looks for a game."""
    people = Party(store)
    people.managers.add("anna")
    fits(card(await people.say("anna", "/help")))
    completed = await people.complete("anna", "play", "game", game="heap 27")
    first = await people.complete("anna", "play", "game", game="")
    options = await people.complete("anna", "play", "size", size="")
    settings = card(await people.say("anna", "/settings for:channel"))
    fits(settings)
    asked = card(await people.press("anna", press("form", None, 0, "settings", "1", "g", "w:channel")))
    toggled = [each.press.rpartition("~")[2] for each in buttons(asked) if "~" in each.press]
    await people.press("anna", press("form", None, 0, "settings", "1", "g", "w:channel", "g:~heap-30"))
    refused = words(await people.say("anna", "/play heap-30 @bruno"))
    solo = await picked(people, card(await people.say("anna", "/play computer:3")), "solo")
    await people.say("anna", "/play heap-29 computer:1", place=Place("web", "anna", kind="private"))
    speaker = TEXTS.speaker("en")
    size = next(each for each in COMMANDS["play"].parameters if each.name == "size")
    found = {
        "new": await picked(people, card(await people.press("anna", press("choose"))), "new"),
        "solo": solo,
        "rules": await picked(people, card(await people.say("anna", "/rules")), "rules"),
        "learn": await picked(people, card(await people.say("anna", "/learn")), "learn"),
        "puzzle": words(await people.say("anna", "/puzzle heap-1")),
        "completed": [each.value for each in completed],
        "first": len(first),
        "options": {each.value: each.label for each in options},
        "toggled": toggled,
        "refused": refused,
        "going on": words(await people.say("anna", "/games")),
        "size": COMMANDS["play"].parameter_description(speaker, size),
        "one size": COMMANDS["play"].parameter_description(speaker, size, "heap-1"),
    }
    await people.front.close()
    return found


async def main() -> None:
    """Print what is seen and what is registered."""
    async with await Store.open(Path(sys.argv[1])) as store:
        found = await seen(store)
    found |= {"games": list(games), "registered": registered()}
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main())
