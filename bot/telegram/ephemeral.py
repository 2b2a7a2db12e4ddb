"""Answers to one person in a group: they go away by themselves, and nobody else can press their buttons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.interface.requests import Place, TryLater, Undeliverable
from bot.operations.outages import log_outage
from bot.telegram.adapter import TelegramAdapter
from bot.telegram.decode import PLATFORM
from storage import StorageError, Store

SENTENCE_LIFETIME: Final = timedelta(seconds=30)
"""How long a sentence stays."""
CARD_LIFETIME: Final = timedelta(minutes=5)
"""How long something stays that is longer, or has buttons."""
FILE_LIFETIME: Final = timedelta(hours=1)
"""How long a file stays."""
MAX_SLEEP_SECONDS: Final = 60.0
ORPHAN_AGE: Final = timedelta(minutes=2)
"""What has stayed so much too long was left by a process that is gone."""
_KEY_PREFIX: Final = "passing:"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EphemeralMessage:
    """A message for one person: who it is for, on Telegram, and until when it stays."""

    chat: int
    message: int
    owner: int
    until: datetime
    noted: bool = True

    @property
    def note(self) -> str:
        """The name under which it is noted."""
        return f"{_KEY_PREFIX}{self.chat}:{self.message}"


class EphemeralMessages:
    """Remembers such messages, over a restart too, and takes them away in time."""

    def __init__(self, store: Store, adapter: TelegramAdapter, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._adapter = adapter
        self.clock = clock
        self._known: dict[tuple[int, int], EphemeralMessage] = {}
        self._changed = asyncio.Event()

    async def restore(self) -> None:
        """Find those again that an earlier process left; where several work together, those that nobody took away."""
        late = self.clock() - ORPHAN_AGE if self._store.is_shared else None
        for name, value in (await self._store.key_values.get_with_prefix(PLATFORM, _KEY_PREFIX)).items():
            chat, message = map(int, name.removeprefix(_KEY_PREFIX).split(":"))
            until = datetime.fromisoformat(value["until"])
            if late is None or until < late:
                self._known[chat, message] = EphemeralMessage(chat, message, value["owner"], until)

    async def add(self, chat: int, message: int, owner: int, stay: timedelta) -> None:
        """Have a message go away after a time."""
        ephemeral = EphemeralMessage(chat, message, owner, self.clock() + stay)
        self._known[chat, message] = ephemeral
        value = {"owner": owner, "until": ephemeral.until.isoformat()}
        self._changed.set()
        try:
            await self._store.key_values.set(PLATFORM, ephemeral.note, value)
        except StorageError:
            # Known here, it goes away unless the program ends before.
            self._known[chat, message] = replace(ephemeral, noted=False)
            log.warning("ephemeral-message-not-noted", chat=chat)

    def owner(self, chat: int, message: int) -> int | None:
        """Return whom a message is for, None for one that is for all."""
        ephemeral = self._known.get((chat, message))
        return None if ephemeral is None else ephemeral.owner

    async def find_owner(self, chat: int, message: int) -> int | None:
        """Return whom a message is for that this process or another has sent, None for one that is for all."""
        if (chat, message) in self._known or not self._store.is_shared or self._adapter.has_sent_board(chat, message):
            return self.owner(chat, message)
        try:
            noted = await self._store.key_values.get(PLATFORM, f"{_KEY_PREFIX}{chat}:{message}")
        except StorageError:
            return None  # whatever is wanted cannot be done now, as they are told
        return None if noted is None else int(noted["owner"])

    async def remove_expired(self) -> float:
        """Take away those whose time has come; return in how many seconds the next one's comes."""
        for ephemeral in sorted(self._known.values(), key=lambda ephemeral: ephemeral.until):
            left = (ephemeral.until - self.clock()).total_seconds()
            if left > 0:
                return min(left, MAX_SLEEP_SECONDS)
            try:
                await self._remove(ephemeral)
            except StorageError:
                raise
            except Exception:
                # Whatever it is: it is tried again later, and those after it go now.
                log.exception("ephemeral-message-failed", chat=ephemeral.chat)
                self._known[ephemeral.chat, ephemeral.message] = replace(ephemeral, until=self.clock() + ORPHAN_AGE)
        return MAX_SLEEP_SECONDS

    async def run(self) -> None:
        """Take them away as their time comes, for ever."""
        while True:
            self._changed.clear()
            try:
                if self._store.is_shared:
                    await self.restore()
                pause = await self.remove_expired()
            except StorageError as error:
                log_outage(log, "ephemeral-messages-wait-for-the-database", error)
                pause = MAX_SLEEP_SECONDS
            except Exception:
                log.exception("ephemeral-message-loop-failed")
                pause = MAX_SLEEP_SECONDS
            try:
                async with asyncio.timeout(pause):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _remove(self, ephemeral: EphemeralMessage) -> None:
        async with self._store.lock(f"{PLATFORM} {ephemeral.note}") as ours:
            # Another process may have found it late, and taken it away or be about to.
            asked = ours and ephemeral.noted and self._store.is_shared
            if not ours or (asked and await self._store.key_values.get(PLATFORM, ephemeral.note) is None):
                del self._known[ephemeral.chat, ephemeral.message]
                return
            await self._take_away(ephemeral)

    async def _take_away(self, ephemeral: EphemeralMessage) -> None:
        try:
            await self._adapter.remove(Place(PLATFORM, str(ephemeral.chat)), ephemeral.message)
        except TryLater as error:
            self._known[ephemeral.chat, ephemeral.message] = replace(ephemeral, until=self.clock() + _pause(error))
            return
        except Undeliverable as error:
            log.debug("ephemeral-message-gone", chat=ephemeral.chat, reason=error.reason)
        del self._known[ephemeral.chat, ephemeral.message]
        await self._store.key_values.set(PLATFORM, ephemeral.note, None)


def _pause(error: TryLater) -> timedelta:
    return timedelta(seconds=error.seconds if error.seconds is not None else MAX_SLEEP_SECONDS)
