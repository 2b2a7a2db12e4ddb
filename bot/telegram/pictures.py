"""Pictures for messages that take no uploads: sent once to another chat, then reused by their file id.

That is a chat in the operator's settings, otherwise the private chat with one of the players, where it is deleted at
once: the file id stays valid.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import structlog
from cachetools import FIFOCache, TLRUCache
from telegram import Bot, InputFile
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

from bot.interface.cards import Card
from bot.interface.requests import TryLater
from bot.telegram.decode import PLATFORM
from bot.telegram.errors import retry_after
from bot.telegram.rate_limits import CallBudget, CallKind

FILE_CACHE_SIZE: Final = 2000
CHAT_COOLDOWN_SECONDS: Final = 600.0
"""Seconds for which a chat that rejected a picture is skipped."""

log = structlog.get_logger(__name__)


class PictureStore:
    """The file ids of uploaded pictures; `chat` is the operator's, None without one."""

    def __init__(self, budget: CallBudget, chat: int | None, clock: Callable[[], float]) -> None:
        """Create the store; `clock` returns seconds that cannot be set."""
        self._budget = budget
        self._chat = chat
        self._files: FIFOCache[str, str] = FIFOCache(FILE_CACHE_SIZE)
        self._closed: TLRUCache[int, bool, float] = TLRUCache(
            FILE_CACHE_SIZE, lambda *_: _[2] + CHAT_COOLDOWN_SECONDS, clock
        )

    def forget(self) -> None:
        """Forget all file ids: one was invalid."""
        self._files.clear()

    async def file_of(self, bot: Bot, card: Card, people: Sequence[int]) -> str | None:
        """Return the file id of a card's picture, None if no chat accepts it; TryLater.

        `people` are those whose private chats may be used.
        """
        if card.picture is None:
            return None
        digest = hashlib.sha256(card.picture.png).hexdigest()
        if digest in self._files:
            return self._files[digest]
        for chat in [*([self._chat] if self._chat is not None else []), *people]:
            if chat in self._closed:
                continue
            self._budget.acquire(chat, CallKind.BOARD)
            try:
                sent = await bot.send_photo(
                    chat, InputFile(card.picture.png, card.picture.name), disable_notification=True
                )
            except RetryAfter as error:
                self._budget.pause(chat, retry_after(error))
                raise TryLater(retry_after(error)) from error
            except (BadRequest, Forbidden) as error:
                # Permanent: we may not write there, or pictures are not allowed.
                level = log.warning if chat == self._chat else log.debug
                level("picture-not-taken", chat=chat, reason=error.message)
                self._closed[chat] = True
                continue
            except NetworkError as error:
                raise TryLater from error
            if not sent.photo:
                log.warning("answer-not-readable", platform=PLATFORM, call="send_photo", reason="no photo")
                raise TryLater
            if chat != self._chat:
                with suppress(TelegramError):
                    await bot.delete_message(chat, sent.message_id)
            self._files[digest] = sent.photo[-1].file_id
            return self._files[digest]
        return None
