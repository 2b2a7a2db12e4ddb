"""Comments below the posts of a channel: threads of its discussion group, treated like topics."""

from contextlib import suppress
from typing import Final

from cachetools import FIFOCache
from telegram import MaybeInaccessibleMessage, Message

from bot.interface.requests import Place
from bot.telegram.decode import COMMENTS_THREAD_PREFIX, PLATFORM, place_of, thread_of
from storage import StorageError, Store

THREAD_CACHE_SIZE: Final = 2000


class Comments:
    """Register of the threads of a group that are comments below a channel's post.

    Telegram marks only replies to the post itself; every message of a thread names the message that began it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: FIFOCache[tuple[int, int], bool] = FIFOCache(THREAD_CACHE_SIZE)

    async def place(self, message: MaybeInaccessibleMessage) -> Place:
        """Return the place of a message."""
        thread = thread_of(message)
        if thread is not None and thread.startswith(COMMENTS_THREAD_PREFIX):
            await self._store_thread(message.chat.id, int(thread.removeprefix(COMMENTS_THREAD_PREFIX)))
        elif thread is None and isinstance(message, Message) and message.message_thread_id is not None:
            begun = message.message_thread_id
            if await self._is_known_thread(message.chat.id, begun):
                thread = f"{COMMENTS_THREAD_PREFIX}{begun}"
        return place_of(message.chat, thread)

    async def _store_thread(self, chat: int, post: int) -> None:
        if not self._known.get((chat, post)):
            with suppress(StorageError):
                await self._store.key_values.set(PLATFORM, f"{COMMENTS_THREAD_PREFIX}:{chat}:{post}", {})
            self._known[chat, post] = True

    async def _is_known_thread(self, chat: int, post: int) -> bool:
        known = self._known.get((chat, post))
        if known is None:
            try:
                known = (
                    await self._store.key_values.get(PLATFORM, f"{COMMENTS_THREAD_PREFIX}:{chat}:{post}") is not None
                )
            except StorageError:
                return False  # the request cannot be handled now, and its reply says so
            if known or not self._store.is_shared:
                self._known[chat, post] = known
        return known
