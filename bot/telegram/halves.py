"""Half-made choices: what was tapped of an action that is not settled yet, so that the keyboard need not change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from cachetools import FIFOCache
from telegram import InlineKeyboardMarkup

from bot.interface.presses import Press
from bot.presenters.asking import column_of
from bot.telegram.cells import KEY, Answers, reading, row_of
from storage import Store

MOST_REMEMBERED: Final = 4000


class Reach(Enum):
    """Whether the answers to a question can be tapped on a keyboard that is shown already."""

    NOT = "not"
    BY_COLUMN = "by column"
    """All can, some by their column and then their row, which is a tap more."""
    AT_ONCE = "at once"


@dataclass(frozen=True, slots=True)
class HalfChoice:
    """What can be tapped next in a game at a revision: what each answer names, and what it carries."""

    game: str
    revision: int
    answers: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """What the answers name: cells, kinds of action, actions; columns for their cells."""
        columns = {column_of(name) for name in self._cells}
        return [name for name in self.answers if name not in columns]

    def meant(self, name: str) -> str | None:
        """Return what a tap carries that names something, None if that is no answer or leaves several open."""
        if name in self.answers:
            return self.answers[name]
        cells = self._cells
        if len({column_of(cell) for cell in cells}) != 1:
            return None
        return next((self.answers[cell] for cell in cells if row_of(cell) == name), None)

    def within(self, column: str) -> HalfChoice | None:
        """Return what is left of the choice when its column is known, None if there is nothing in it."""
        left = {cell: self.answers[cell] for cell in self._cells if column_of(cell) == column}
        return HalfChoice(self.game, self.revision, left) if left else None

    def reach(self, shown: InlineKeyboardMarkup | None) -> Reach:
        """Say whether all answers can be tapped on a keyboard."""
        there = set(_named_on(shown, self.game))
        columns = {column_of(cell) for cell in self._cells}
        asked = columns & self.answers.keys()
        later = [name for name in self.names if name not in there]
        if not later:
            return Reach.AT_ONCE
        if any(name not in self._cells or row_of(name) not in there for name in later):
            return Reach.NOT
        if len(columns) == 1 or (asked and all(column_of(name) in asked & there for name in later)):
            return Reach.AT_ONCE
        return Reach.BY_COLUMN if columns <= there else Reach.NOT

    @property
    def _cells(self) -> list[str]:
        return [name for name in self.answers if row_of(name) and column_of(name).isalpha()]


class HalfChoices:
    """Remembers the half-made choice of each board, where one process takes all taps.

    It is as good as forgotten when the game moves on. Whose it is need not be known: nobody else's taps are taken.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: FIFOCache[tuple[int, int], HalfChoice] = FIFOCache(MOST_REMEMBERED)

    async def of(self, chat: int, message: int, pressed: Press) -> HalfChoice | None:
        """Return the half-made choice on a board as it was when a button of it was made."""
        if self._store.shared:
            # Another process may have taken the tap before, or missed it: there each answer says all by itself.
            return None
        found = self._known.get((chat, message))
        if found is None or (found.game, found.revision) != (pressed.game, pressed.revision):
            return None
        return found

    async def keep(self, chat: int, message: int, half: HalfChoice) -> None:
        """Remember the half-made choice on a board."""
        self._known[chat, message] = half

    async def forget(self, chat: int, message: int) -> None:
        """Forget the half-made choice on a board: it is settled, or goes on with other buttons."""
        self._known.pop((chat, message), None)


def half_of(answers: Answers) -> HalfChoice | None:
    """Return what a question leaves open, None if it is none whose answers are kept."""
    asked = answers.asked
    if asked is None or asked.game is None or not answers.goes_on:
        return None
    return HalfChoice(asked.game, asked.revision, answers.presses)


def _named_on(shown: InlineKeyboardMarkup | None, game: str) -> Iterable[str]:
    """Yield what the buttons of a keyboard name that are about choosing in a game."""
    for row in shown.inline_keyboard if shown is not None else ():
        for button in row:
            read = reading(button.callback_data)
            if read is not None and read.game == game and read.deed in (KEY, "c", "p") and read.path:
                yield read.path[-1]
