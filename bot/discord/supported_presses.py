"""Which buttons work where the bot is no member: by what they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.core.question_cards import LESSON_CHOICE, PRIVATE_CHOICE
from bot.discord.tree import USER_INSTALL_COMMANDS
from bot.interface.cards import Button, Card, Menu, Row
from bot.interface.presses import PUZZLE_ANSWER, PUZZLE_CONTROL, TRY_ANSWER, TRY_CONTROL, BrokenPress, read_press

SOLO_GAME_PRESSES: Final = ("choose", "new", "solo", "show", "resign!", "keep", "text", "words", "share")
"""What belongs to a game against the computer, besides choosing a move."""
PUZZLE_PRESSES: Final = (PUZZLE_ANSWER, PUZZLE_CONTROL)
ANSWER_ONLY_PRESSES: Final = USER_INSTALL_COMMANDS | {
    "example",
    "lesson",
    "unplan",
    LESSON_CHOICE,
    TRY_ANSWER,
    TRY_CONTROL,
    PRIVATE_CHOICE,
    *PUZZLE_PRESSES,
    *SOLO_GAME_PRESSES,
}
"""The kinds of buttons that work where only answers can be shown; most are named like the commands."""
CHANNEL_PRESSES: Final = frozenset({"leaders", "close", "set"})
"""The deeds that belong to a channel of its own, with those who manage it: nothing pretends to be one."""


def works_in_answers(press: str) -> bool:
    """Say whether a press works where only answers can be shown."""
    return _deed(press) in ANSWER_ONLY_PRESSES


def works_as_guest(press: str) -> bool:
    """Say whether a press works where boards are shown with what presses bring."""
    return (deed := _deed(press)) != "" and deed not in CHANNEL_PRESSES


def without_unsupported(card: Card, works: Callable[[str], bool]) -> Card:
    """Return a card without the buttons that do not work."""
    rows = [buttons for row in card.rows if (buttons := _row(row, works))]
    return replace(card, rows=tuple(rows))


def _row(row: Row, works: Callable[[str], bool]) -> Row | None:
    if isinstance(row, Menu):
        return row if all(works(option.press) for option in row.options) else None
    buttons: tuple[Button, ...] = tuple(button for button in row if works(button.press))
    return buttons or None


def _deed(press: str) -> str:
    try:
        return read_press(press).deed
    except BrokenPress:
        return ""
