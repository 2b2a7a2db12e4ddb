"""Answers to one person in a group: they go away by themselves, and nobody else can press their buttons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.outages import log_outage
from bot.requests import Place, TryLater, Undeliverable
from bot.telegram.adapter import TelegramAdapter
from bot.telegram.decode import PLATFORM
from storage import StorageError, Store

SHORT: Final = timedelta(seconds=30)
"""How long a sentence stays."""
LONG: Final = timedelta(minutes=5)
"""How long something stays that is longer, or has buttons."""
FILE: Final = timedelta(hours=1)
"""How long a file stays."""
IDLE: Final = 60.0
LATE: Final = timedelta(minutes=2)
"""What has stayed so much too long was left by a process that is gone."""
_NOTE: Final = "passing:"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Passing:
    """A message for one person: who it is for, on Telegram, and until when it stays."""

    chat: int
    message: int
    owner: int
    until: datetime
    noted: bool = True

    @property
    def note(self) -> str:
        """The name under which it is noted."""
        return f"{_NOTE}{self.chat}:{self.message}"


class PassingMessages:
    """Remembers such messages, over a restart too, and takes them away in time."""

    def __init__(self, store: Store, adapter: TelegramAdapter, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._adapter = adapter
        self._clock = clock
        self._known: dict[tuple[int, int], Passing] = {}
        self._changed = asyncio.Event()

    async def restore(self) -> None:
        """Find those again that an earlier process left; where several work together, those that nobody took away."""
        late = self._clock() - LATE if self._store.shared else None
        for name, value in (await self._store.notes(PLATFORM, _NOTE)).items():
            chat, message = map(int, name.removeprefix(_NOTE).split(":"))
            until = datetime.fromisoformat(value["until"])
            if late is None or until < late:
                self._known[chat, message] = Passing(chat, message, value["owner"], until)

    async def add(self, chat: int, message: int, owner: int, stay: timedelta) -> None:
        """Have a message go away after a time."""
        passing = Passing(chat, message, owner, self._clock() + stay)
        self._known[chat, message] = passing
        value = {"owner": owner, "until": passing.until.isoformat()}
        self._changed.set()
        try:
            await self._store.set_note(PLATFORM, passing.note, value)
        except StorageError:
            # Known here, it goes away unless the program ends before.
            self._known[chat, message] = replace(passing, noted=False)
            log.warning("passing-message-not-noted", chat=chat)

    def owner(self, chat: int, message: int) -> int | None:
        """Return whom a message is for, None for one that is for all."""
        passing = self._known.get((chat, message))
        return None if passing is None else passing.owner

    async def whose(self, chat: int, message: int) -> int | None:
        """Return whom a message is for that this process or another has sent, None for one that is for all."""
        if (chat, message) in self._known or not self._store.shared:
            return self.owner(chat, message)
        try:
            noted = await self._store.note(PLATFORM, f"{_NOTE}{chat}:{message}")
        except StorageError:
            return None  # whatever is wanted cannot be done now, as they are told
        return None if noted is None else int(noted["owner"])

    async def sweep(self) -> float:
        """Take away those whose time has come; return in how many seconds the next one's comes."""
        for passing in sorted(self._known.values(), key=lambda passing: passing.until):
            left = (passing.until - self._clock()).total_seconds()
            if left > 0:
                return min(left, IDLE)
            await self._remove(passing)
        return IDLE

    async def run(self) -> None:
        """Take them away as their time comes, for ever."""
        while True:
            self._changed.clear()
            try:
                if self._store.shared:
                    await self.restore()
                pause = await self.sweep()
            except StorageError as error:
                log_outage(log, "passing-messages-wait-for-the-database", error)
                pause = IDLE
            try:
                async with asyncio.timeout(pause):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _remove(self, passing: Passing) -> None:
        async with self._store.claimed(f"{PLATFORM} {passing.note}") as ours:
            # Another process may have found it late, and taken it away or be about to.
            asked = ours and passing.noted and self._store.shared
            if not ours or (asked and await self._store.note(PLATFORM, passing.note) is None):
                del self._known[passing.chat, passing.message]
                return
            await self._take_away(passing)

    async def _take_away(self, passing: Passing) -> None:
        try:
            await self._adapter.remove(Place(PLATFORM, str(passing.chat)), passing.message)
        except TryLater as error:
            self._known[passing.chat, passing.message] = replace(passing, until=self._clock() + _pause(error))
            return
        except Undeliverable as error:
            log.debug("passing-message-gone", chat=passing.chat, reason=error.reason)
        del self._known[passing.chat, passing.message]
        await self._store.set_note(PLATFORM, passing.note, None)


def _pause(error: TryLater) -> timedelta:
    return timedelta(seconds=error.seconds if error.seconds is not None else IDLE)
