"""Ephemeral replies to one person in a group: they are deleted after a while, and only that person can press them."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog
from telegram import MaybeInaccessibleMessage

from bot.interface.requests import Place, TryLater, Undeliverable
from bot.operations.clock import Times
from bot.operations.outages import log_outage
from bot.operations.tasks import is_set_within
from bot.telegram.adapter import TelegramAdapter
from bot.telegram.decode import PLATFORM, shown_keyboard
from bot.telegram.layout import is_board
from storage import StorageError, Store

SENTENCE_LIFETIME: Final = timedelta(seconds=30)
"""Lifetime of a sentence."""
CARD_LIFETIME: Final = timedelta(minutes=5)
"""Lifetime of a longer text, or of one with buttons."""
FILE_LIFETIME: Final = timedelta(hours=1)
"""Lifetime of a file."""
MAX_SLEEP_SECONDS: Final = 60.0
ORPHAN_AGE: Final = timedelta(minutes=2)
"""A message that is overdue for this time was left by a process that is gone."""
_KEY_PREFIX: Final = "passing:"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EphemeralMessage:
    """A message for one person: its owner's Telegram id, and until when it stays, in seconds that cannot be set."""

    chat: int
    message: int
    owner: int
    until: float
    noted: bool = True

    @property
    def note(self) -> str:
        """The key under which it is stored."""
        return f"{_KEY_PREFIX}{self.chat}:{self.message}"


class EphemeralMessages:
    """Stores ephemeral messages, so that they survive a restart, and deletes them in time."""

    def __init__(self, store: Store, adapter: TelegramAdapter, clock: Times) -> None:
        self._store = store
        self._adapter = adapter
        self.clock = clock
        self._known: dict[tuple[int, int], EphemeralMessage] = {}
        self._changed = asyncio.Event()

    async def restore(self) -> None:
        """Load the messages that an earlier process left; with peer processes, only overdue ones."""
        late = self.clock() - ORPHAN_AGE if self._store.is_shared else None
        for name, value in (await self._store.key_values.get_with_prefix(PLATFORM, _KEY_PREFIX)).items():
            chat, message = map(int, name.removeprefix(_KEY_PREFIX).split(":"))
            until = datetime.fromisoformat(value["until"])
            if late is None or until < late:
                left = min(until - self.clock(), FILE_LIFETIME).total_seconds()
                known = EphemeralMessage(chat, message, value["owner"], self.clock.monotonic() + left)
                self._known[chat, message] = known

    async def add(self, chat: int, message: int, owner: int, stay: timedelta) -> None:
        """Delete a message after a time."""
        ephemeral = EphemeralMessage(chat, message, owner, self.clock.monotonic() + stay.total_seconds())
        self._known[chat, message] = ephemeral
        value = {"owner": owner, "until": (self.clock() + stay).isoformat()}
        self._changed.set()
        try:
            await self._store.key_values.set(PLATFORM, ephemeral.note, value)
        except StorageError:
            # Known only to this process: it is deleted unless the program stops before.
            self._known[chat, message] = replace(ephemeral, noted=False)
            log.warning("ephemeral-message-not-noted", chat=chat)

    def owner(self, chat: int, message: int) -> int | None:
        """Return the owner of a message, None for one for everybody."""
        ephemeral = self._known.get((chat, message))
        return None if ephemeral is None else ephemeral.owner

    async def find_owner(self, message: MaybeInaccessibleMessage) -> int | None:
        """Return the owner of a message sent by any process, None for one for everybody, such as a board."""
        chat, number = message.chat.id, message.message_id
        if (chat, number) in self._known or not self._store.is_shared or is_board(shown_keyboard(message)):
            return self.owner(chat, number)
        try:
            noted = await self._store.key_values.get(PLATFORM, f"{_KEY_PREFIX}{chat}:{number}")
        except StorageError:
            return None  # the request cannot be handled now, and its reply says so
        return None if noted is None else int(noted["owner"])

    async def remove_expired(self) -> float:
        """Delete expired messages; return the seconds until the next expiry."""
        for ephemeral in sorted(self._known.values(), key=lambda ephemeral: ephemeral.until):
            left = ephemeral.until - self.clock.monotonic()
            if left > 0:
                return min(left, MAX_SLEEP_SECONDS)
            try:
                await self._remove(ephemeral)
            except StorageError:
                raise
            except Exception:
                # Catch everything: it is retried later, and the others are deleted now.
                log.exception("ephemeral-message-failed", chat=ephemeral.chat)
                self._put_off(ephemeral, ORPHAN_AGE.total_seconds())
        return MAX_SLEEP_SECONDS

    async def run(self) -> None:
        """Delete messages as they expire, forever."""
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
            await is_set_within(self._changed, pause)

    async def _remove(self, ephemeral: EphemeralMessage) -> None:
        async with self._store.lock(f"{PLATFORM} {ephemeral.note}") as ours:
            # Another process may have found it overdue, and deleted it or be about to.
            asked = ours and ephemeral.noted and self._store.is_shared
            if not ours or (asked and await self._store.key_values.get(PLATFORM, ephemeral.note) is None):
                del self._known[ephemeral.chat, ephemeral.message]
                return
            await self._delete_message(ephemeral)

    async def _delete_message(self, ephemeral: EphemeralMessage) -> None:
        try:
            await self._adapter.remove(Place(PLATFORM, str(ephemeral.chat)), ephemeral.message)
        except TryLater as error:
            self._put_off(ephemeral, error.seconds if error.seconds is not None else MAX_SLEEP_SECONDS)
            return
        except Undeliverable as error:
            log.debug("ephemeral-message-gone", chat=ephemeral.chat, reason=error.reason)
        del self._known[ephemeral.chat, ephemeral.message]
        await self._store.key_values.set(PLATFORM, ephemeral.note, None)

    def _put_off(self, ephemeral: EphemeralMessage, seconds: float) -> None:
        until = self.clock.monotonic() + seconds
        self._known[ephemeral.chat, ephemeral.message] = replace(ephemeral, until=until)
