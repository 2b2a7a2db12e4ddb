"""What is said of computers as players."""

from __future__ import annotations

from bot.interface.cards import Button, Card, Menu
from bot.interface.presses import press
from bot.language.texts import Speaker, join
from engine.search import LEVELS
from storage import GameBrief


def levels_card(speaker: Speaker, brief: GameBrief, deed: str) -> Card:
    """Return the question how strong a computer is to be that plays along."""
    buttons = tuple(Button(str(level), press(deed, brief.id, brief.revision, str(level))) for level in LEVELS)
    about = [speaker.say(f"computer.{level}") for level in LEVELS]
    return Card(join([speaker.say("computer.how-strong"), *about]), rows=(buttons,))


def levels_menu(speaker: Speaker, presses: dict[int, str]) -> Menu:
    """Return the menu that begins a game against the computer, by the press of each level."""
    options = tuple(Button(speaker.line(f"computer.{level}"), carried) for level, carried in presses.items())
    return Menu(speaker.line("computer.menu"), options)
