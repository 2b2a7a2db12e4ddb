"""Which buttons work where the bot is no member: by what they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.discord.tree import EVERYWHERE
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import PUZZLE_ANSWER, PUZZLE_WAY, TRY, TRY_WAY, BrokenPress, read_press
from bot.presenters.asking import LESSON, PRIVATE

SOLO: Final = ("choose", "new", "solo", "show", "resign!", "keep", "text", "words", "share")
"""What belongs to a game against the computer, besides choosing a move."""
PUZZLES: Final = (PUZZLE_ANSWER, PUZZLE_WAY)
ALONE: Final = EVERYWHERE | {"example", "lesson", "unplan", LESSON, TRY, TRY_WAY, PRIVATE, *PUZZLES, *SOLO}
"""The deeds of buttons that work where nothing but answers can be shown; most are named like the commands."""
OF_CHANNELS: Final = frozenset({"leaders", "close", "set"})
"""The deeds that belong to a channel of its own, with those who manage it: nothing pretends to be one."""


def works_alone(press: str) -> bool:
    """Say whether a press works where nothing but answers can be shown."""
    return _deed(press) in ALONE


def works_as_guest(press: str) -> bool:
    """Say whether a press works where boards are shown with what presses bring."""
    return (deed := _deed(press)) != "" and deed not in OF_CHANNELS


def fitting(card: Card, works: Callable[[str], bool]) -> Card:
    """Return a card without the buttons that do not work."""
    rows = [kept for row in card.rows if (kept := _row(row, works))]
    return replace(card, rows=tuple(rows))


def _row(row: Row, works: Callable[[str], bool]) -> Row | None:
    if isinstance(row, Menu):
        return row if all(works(option.press) for option in row.options) else None
    kept: tuple[Button, ...] = tuple(button for button in row if works(button.press))
    return kept or None


def _deed(press: str) -> str:
    try:
        return read_press(press).deed
    except BrokenPress:
        return ""
