"""The card with the links to a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.interface.cards import Button, Card
from bot.interface.presses import press
from bot.interface.requests import GameLink
from bot.language.rich_text import Span
from bot.language.texts import Speaker, join
from storage import GameRow

_INTRODUCTIONS: Final = {"lobby": "share", "playing": "share.playing", "over": "share.over"}
"""What is said first, by how a game stands."""


def share_button(voice: Speaker, row: GameRow) -> Button:
    """Return the button that asks for the links to a game."""
    return Button(voice.line("button.share"), press("share", row.id, row.revision))


def share_card(row: GameRow, speaker: Speaker, ways: Mapping[str, GameLink], page: str | None = None) -> Card:
    """Return the links to a game by the platform that each leads to, and what to type where the bot is already.

    `page` is the address at which the world looks at it, if it may.
    """
    voice = speaker.of(row.game)
    parts = [voice.say(_INTRODUCTIONS[row.status], game=voice.line("name"))]
    typed = Span(f"/join {row.id}", code=True)
    for platform, way in sorted(ways.items()):
        # A name leads there; the address itself can be copied.
        name = Span(voice.line(f"share.{platform}"), bold=True, link=way.address)
        key = "share.link.typed" if way.typed else "share.link"
        said = {"typed": typed} if way.typed else {}
        parts.append(voice.say(key, platform=name, address=Span(way.address, code=True), **said))
    parts.append(voice.say("share.here", typed=typed))
    if page is not None:
        parts.append(voice.say("share.page", address=Span(page, code=True, link=page)))
    # With something to press it is a message, from which addresses can be copied, on platforms with fleeting ones, too.
    rules = Button(voice.line("button.rules"), press("rules", None, 0, row.game))
    return Card(join(parts), rows=((rules,),))
