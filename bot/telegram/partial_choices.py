"""Partial choices: taps of an action that is not settled yet, remembered so that the keyboard need not change."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from cachetools import FIFOCache

from bot.core.question_cards import column_name
from bot.interface.presses import Press
from bot.operations.clock import Times
from bot.telegram.cells import CELL_PRESS, ChoiceAnswers, read_button, row_name
from bot.telegram.decode import PLATFORM
from bot.telegram.keyboards import Keyboard, list_presses
from bot.telegram.rate_limits import Chat
from storage import StorageError, Store

CHOICE_CACHE_SIZE: Final = 4000
CHOICE_LIFETIME: Final = timedelta(minutes=10)
"""Time for which processes remember an abandoned partial choice."""
CLEANUP_INTERVAL_SECONDS: Final = 3600.0
MAX_TAP_AGE_SECONDS: Final = 30.0
"""Seconds after which a tap stores no partial choice any more: Telegram waits longer for a response."""
_KEY_PREFIX: Final = "half:"


@dataclass(frozen=True, slots=True)
class BoardTap:
    """A board in a chat, and the user who taps on it: partial choices are per person.

    `tap` is Telegram's id of the tap, `since` its time by the monotonic clock.
    """

    chat: Chat
    message: int
    user: int
    tap: str = field(default="", compare=False)
    since: float = field(default_factory=time.monotonic, compare=False)

    @property
    def name(self) -> str:
        """The key in the store."""
        return f"{_KEY_PREFIX}{self.chat}:{self.message}:{self.user}"


class Reachability(Enum):
    """True if the answers to a question can be tapped on a shown keyboard."""

    NOT = "not"
    BY_COLUMN = "by column"
    """All can, some by their column and then their row, with one more tap."""
    AT_ONCE = "at once"


@dataclass(frozen=True, slots=True)
class PartialChoice:
    """The next taps in a game at a revision: each answer's name, and its payload."""

    game: str
    revision: int
    answers: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """The names of the answers: cells, kinds of action, actions; cells in place of their columns."""
        columns = {column_name(name) for name in self._cells}
        return [name for name in self.answers if name not in columns]

    def press_for(self, name: str) -> str | None:
        """Return the payload of the answer that a tap names, None if there is none or several match."""
        if name in self.answers:
            return self.answers[name]
        cells = self._cells
        if len({column_name(cell) for cell in cells}) != 1:
            return None
        return next((self.answers[cell] for cell in cells if row_name(cell) == name), None)

    def in_column(self, column: str) -> PartialChoice | None:
        """Return the rest of the choice after its column, None if the column is empty."""
        left = {cell: self.answers[cell] for cell in self._cells if column_name(cell) == column}
        return PartialChoice(self.game, self.revision, left) if left else None

    def reach(self, shown: Keyboard | None) -> Reachability:
        """Return whether all answers can be tapped on a keyboard."""
        there = set(_choices_on_keyboard(shown, self.game))
        columns = {column_name(cell) for cell in self._cells}
        asked = columns & self.answers.keys()
        later = [name for name in self.names if name not in there]
        if not later:
            return Reachability.AT_ONCE
        if any(name not in self._cells or row_name(name) not in there for name in later):
            return Reachability.NOT
        if len(columns) == 1 or (asked and all(column_name(name) in asked & there for name in later)):
            return Reachability.AT_ONCE
        return Reachability.BY_COLUMN if columns <= there else Reachability.NOT

    def is_in_view(self, shown: Keyboard | None) -> bool:
        """Say whether each answer has a button of its own on a keyboard."""
        return set(self.names) <= set(_choices_on_keyboard(shown, self.game))

    @property
    def _cells(self) -> list[str]:
        return [name for name in self.answers if row_name(name) and column_name(name).isalpha()]


class PartialChoices:
    """The partial choice of each person on each board.

    It becomes invalid when the game changes. With several processes it is in the store: Telegram delivers the taps of
    one person one after the other, the next when the one before is answered with success (a queue for each person in
    tdlib/telegram-bot-api, WebhookActor.cpp), and a tap is answered once it is stored here.
    """

    def __init__(self, store: Store, clock: Times) -> None:
        self._store = store
        self._clock = clock
        self._known: FIFOCache[BoardTap, PartialChoice] = FIFOCache(CHOICE_CACHE_SIZE)
        self._missing: FIFOCache[str, str] = FIFOCache(CHOICE_CACHE_SIZE)
        """The last tap that found nothing stored, by key of board and person."""
        self._tidied: float | None = None

    async def find(self, spot: BoardTap, pressed: Press) -> PartialChoice | None:
        """Return a person's partial choice on a board, if it has the game and revision of a press."""
        try:
            found = await self._load(spot) if self._store.is_shared else self._known.get(spot)
        except StorageError:
            return None  # the request cannot be handled now, and its reply says so
        if found is None or (found.game, found.revision) != (pressed.game, pressed.revision):
            return None
        return found

    async def store(self, spot: BoardTap, half: PartialChoice) -> bool:
        """Store a person's partial choice on a board; return False if that fails."""
        if not self._store.is_shared:
            self._known[spot] = half
            return True
        if time.monotonic() - spot.since > MAX_TAP_AGE_SECONDS:
            # Telegram may have delivered the tap again, to another process, and others after it.
            return False
        now = self._clock()
        record = {"tap": spot.tap, "at": now.isoformat(), "game": half.game, "revision": half.revision}
        record["answers"] = dict(half.answers)
        self._missing.pop(spot.name, None)
        try:
            await self._store.key_values.set(PLATFORM, spot.name, record)
            await self._delete_expired(now)
        except StorageError:
            return False
        return True

    async def forget(self, spot: BoardTap) -> bool:
        """Delete a person's partial choice on a board, settled or abandoned; return False if that fails."""
        if not self._store.is_shared:
            self._known.pop(spot, None)
            return True
        if self._missing.get(spot.name) == spot.tap:
            return True  # this very tap found nothing; the next one comes after its answer
        try:
            if await self._store.key_values.get(PLATFORM, spot.name) is not None:
                await self._store.key_values.set(PLATFORM, spot.name, None)
        except StorageError:
            return False
        return True

    async def _load(self, spot: BoardTap) -> PartialChoice | None:
        stored = await self._store.key_values.get(PLATFORM, spot.name)
        if stored is None:
            self._missing[spot.name] = spot.tap
        # A redelivered tap must not be taken for the answer to its own question.
        if (
            stored is None
            or stored["tap"] == spot.tap
            or self._clock() - datetime.fromisoformat(stored["at"]) > CHOICE_LIFETIME
        ):
            return None
        return PartialChoice(stored["game"], stored["revision"], stored["answers"])

    async def _delete_expired(self, now: datetime) -> None:
        """Delete abandoned choices now and then."""
        seconds = self._clock.monotonic()
        if self._tidied is not None and seconds - self._tidied < CLEANUP_INTERVAL_SECONDS:
            return
        self._tidied = seconds
        for name, stored in (await self._store.key_values.get_with_prefix(PLATFORM, _KEY_PREFIX)).items():
            if now - datetime.fromisoformat(stored["at"]) > CHOICE_LIFETIME:
                await self._store.key_values.set(PLATFORM, name, None)


def partial_choice(answers: ChoiceAnswers) -> PartialChoice | None:
    """Return the choice that a question leaves open, None if its answers are not remembered."""
    asked = answers.asked
    if asked is None or asked.game is None or not answers.goes_on:
        return None
    return PartialChoice(asked.game, asked.revision, answers.presses)


def _choices_on_keyboard(shown: Keyboard | None, game: str) -> Iterable[str]:
    """Yield the names on a keyboard's buttons for choosing in a game."""
    for data in list_presses(shown):
        read = read_button(data)
        if read is not None and read.game == game and read.deed in (CELL_PRESS, "c", "p") and read.path:
            yield read.path[-1]
