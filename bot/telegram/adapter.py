"""Boards on Telegram: sent, edited, retired, each call within the chat's rate limit."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final
from weakref import WeakValueDictionary

import structlog
from cachetools import FIFOCache
from telegram import (
    Bot,
    InputFile,
    InputMediaAnimation,
    InputMediaPhoto,
    Message,
)
from telegram.error import BadRequest, ChatMigrated, RetryAfter, TelegramError

from bot.core.places import read_called_users
from bot.interface.cards import Animation, Card, Picture
from bot.interface.requests import Adapter, GameLink, Membership, Place, TryLater, Undeliverable
from bot.language.texts import Speaker, Texts, join
from bot.operations.clock import Times
from bot.telegram.call_queue import CallQueue
from bot.telegram.card_shaping import (
    edit_target,
    fit_caption,
    reply_arguments,
    with_picture_in_words,
    without_handles,
    without_picture,
)
from bot.telegram.decode import PLATFORM
from bot.telegram.errors import (
    LOST_FILE,
    NO_ANIMATIONS,
    NO_PHOTOS,
    NO_TEXT,
    NOT_MODIFIED,
    mentions,
    retry_after,
    translate_telegram_error,
)
from bot.telegram.inline import INLINE_MESSAGE, chat_of, inline_id
from bot.telegram.keyboards import Keyboard, keyboard_arguments
from bot.telegram.layout import build_keyboard
from bot.telegram.markup import MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, NO_PREVIEW, format_html
from bot.telegram.members import read_membership
from bot.telegram.mini_app import MiniApp
from bot.telegram.pictures import PictureStore
from bot.telegram.rate_limits import CallBudget, CallKind
from storage import StorageError, Store

CLAIM_RETRY_SECONDS: Final = 1.0
"""Seconds before retrying a chat that another process serves."""
CONNECT_WAIT_SECONDS: Final = 5.0
"""Seconds to wait while there is no connection yet."""
REOPEN_INTERVAL_SECONDS: Final = 60.0
"""Minimum seconds between a refusal in a chat and the retry of what waits there, once a message is taken again."""
MESSAGE_CACHE_SIZE: Final = 2000
PARSE_MODE: Final = "HTML"
SUPERGROUP_PREFIX: Final = "-100"
"""Prefix of the ids of chats whose messages have links (https://core.telegram.org/api/links#message-links)."""

log = structlog.get_logger(__name__)


class _ChatMoved(Undeliverable):
    """A group has become the supergroup `channel`, where none of its messages can be changed any more."""

    def __init__(self, channel: str) -> None:
        super().__init__("message-gone")
        self.channel = channel


class TelegramAdapter(Adapter):
    """The adapter of Telegram; `bot` returns the bot that is logged in, None if there is none yet."""

    platform = PLATFORM
    replies_are_public = True
    knows_members = True
    has_message_links = True
    sends_silently = True

    def __init__(
        self,
        store: Store,
        texts: Texts,
        bot: Callable[[], Bot | None],
        *,
        language: str,
        clock: Times,
        moved: Callable[[], None] = lambda: None,
        reopened: Callable[[str], Awaitable[None]],
        store_chat: int | None = None,
        app: MiniApp | None = None,
    ) -> None:
        """Create the adapter; `moved` is called when the adapter's findings have made boards due.

        `reopened` is called with a group that has refused a message and takes one again: nobody tells us of what all
        its members may do.
        `store_chat` is the chat to which pictures for inline messages are uploaded. `app` opens boards in the Mini App.
        """
        self._store = store
        self._texts = texts
        self._bot = bot
        self._language = language
        self._clock = clock
        self._app = app
        self.moved = moved
        self._reopened = reopened
        self._refused_at: FIFOCache[str, float] = FIFOCache(MESSAGE_CACHE_SIZE)
        self.budget = CallBudget(clock.monotonic, partial(store.peer_count, PLATFORM))
        self.outbox = CallQueue(self.budget)
        self.pictures = PictureStore(self.budget, store_chat, clock.monotonic)
        self.inline_keyboards: FIFOCache[str, Keyboard] = FIFOCache(MESSAGE_CACHE_SIZE)
        """The keyboards of inline messages as this process last changed them: presses there do not include them."""
        self._changing: WeakValueDictionary[tuple[str, int], asyncio.Lock] = WeakValueDictionary()
        self._files: FIFOCache[str, str] = FIFOCache(MESSAGE_CACHE_SIZE)
        self._pictures: FIFOCache[tuple[int, int], str] = FIFOCache(MESSAGE_CACHE_SIZE)

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Send a card as a new message, as a reply to the one it is about, and return its id."""
        if inline_id(place.channel) is not None:
            if card.headline is None:
                raise Undeliverable("forbidden")  # it would replace the board
            await self.edit(place, INLINE_MESSAGE, card)
            return INLINE_MESSAGE
        answering = int(card.about) if card.about is not None else None
        chat, at_play = chat_of(place), card.headline is not None and card.headline.status == "playing"
        warns = at_play and self.budget.is_low(chat)
        if warns:
            card = replace(card, text=join([card.text, self.speaker(place).say("busy")]))
        sent = await self.post(place, card, CallKind.BOARD, answering=answering, follows=False)
        if warns:
            self.budget.note_warned(chat)
        return str(sent.message_id)

    async def post(
        self,
        place: Place,
        card: Card,
        kind: CallKind,
        *,
        answering: int | None = None,
        silent: bool | None = None,
        follows: bool = True,
    ) -> Message:
        """Send a card as a new message, perhaps as a reply; silently if it mentions nobody.

        `follows`: into the supergroup that a group has become; otherwise TryLater, since its place is another one now.
        """
        now, channel = self._clock.monotonic(), place.channel
        try:
            try:
                sent = await self._post(place, card, kind, answering=answering, silent=silent)
            except _ChatMoved as moved:
                # Nothing was sent to the old group.
                if not follows:
                    raise TryLater(0.0) from moved
                channel = moved.channel
                place = replace(place, channel=channel, group=channel)
                sent = await self._post(place, card, kind, answering=None, silent=silent)
        except Undeliverable as error:
            if error.reason == "forbidden":
                self._refused_at[channel] = now
            raise
        if now - self._refused_at.get(channel, now) >= REOPEN_INTERVAL_SECONDS:
            del self._refused_at[channel]
            await self._reopened(channel)
        return sent

    async def _post(
        self, place: Place, card: Card, kind: CallKind, *, answering: int | None, silent: bool | None
    ) -> Message:
        card = fit_caption(without_handles(card))
        called = await read_called_users(self._store, card, PLATFORM)
        calls = bool(called) or any(span.handle for span in card.text)
        where: dict[str, Any] = {
            "chat_id": int(place.channel),
            **keyboard_arguments(self._keyboard(place, card)),
            "disable_notification": place.quiet or not calls if silent is None else silent,
            "parse_mode": PARSE_MODE,
            **reply_arguments(place, answering),
        }
        async with self._call_bot(place, kind) as bot:
            if card.file is not None:
                document = InputFile(card.file.content, card.file.name)
                caption = format_html(card.text, called, MAX_CAPTION_LENGTH)
                return await bot.send_document(document=document, caption=caption, **where)
            if card.picture is not None:
                try:
                    return await self._send_photo(bot, card, card.picture, called, where)
                except BadRequest as error:
                    if not mentions(error, NO_PHOTOS):
                        raise
                card = without_picture(card, self.speaker(place))
                self.budget.acquire(int(place.channel), kind)
            said = format_html(card.text, called, MAX_TEXT_LENGTH) or "…"
            return await bot.send_message(text=said, link_preview_options=NO_PREVIEW, **where)

    def is_edit_only(self, channel: str) -> bool:
        """Return True if a channel is an inline message."""
        return inline_id(channel) is not None

    def game_link(self, code: str) -> GameLink | None:
        """Return the link that opens a private chat with the bot, where a game is joined or looked at."""
        bot = self._bot()
        return GameLink(f"https://t.me/{bot.username}{code and f'?start={code}'}") if bot is not None else None

    def address(self, place: Place, message: str) -> str | None:
        """Return the link by which members of a supergroup reach a message; other chats have none."""
        number = place.channel.removeprefix(SUPERGROUP_PREFIX)
        return f"https://t.me/c/{number}/{message}" if number != place.channel else None

    async def edit(self, place: Place, message: str, card: Card) -> None:
        """Replace a message's content by a card; edits mention nobody."""
        await self._edit_card(place, message, card, CallKind.BOARD)

    async def edit_low_priority(self, place: Place, message: str, card: Card) -> None:
        """Edit a message that nobody waits for, if the chat's rate limit has room to spare."""
        await self._edit_card(place, message, card, CallKind.SPARE)

    async def _edit_card(self, place: Place, message: str, card: Card, kind: CallKind) -> None:
        self.outbox.drop(chat_of(place), message)
        keyboard = self._keyboard(place, card)
        where = edit_target(place, int(message)) | keyboard_arguments(keyboard)
        if inline_id(place.channel) is not None:
            await self._edit_inline(place, card, keyboard, where)
            return
        card = fit_caption(card)
        called = await read_called_users(self._store, card, PLATFORM)
        async with self.message_lock(place, int(message)), self._call_bot(place, kind) as bot:
            if card.picture is not None:
                await self._edit_photo(bot, card, card.picture, called, where)
                return
            await self._edit_words(bot, card, called, where)

    async def _edit_words(self, bot: Bot, card: Card, called: dict[int, int], where: dict[str, Any]) -> None:
        said = format_html(card.text, called, MAX_TEXT_LENGTH) or "…"
        try:
            await bot.edit_message_text(text=said, parse_mode=PARSE_MODE, link_preview_options=NO_PREVIEW, **where)
        except BadRequest as error:
            if not mentions(error, NO_TEXT):
                raise
            caption = format_html(card.text, called, MAX_CAPTION_LENGTH)
            await bot.edit_message_caption(caption=caption, parse_mode=PARSE_MODE, **where)

    async def _edit_inline(self, place: Place, card: Card, keyboard: Keyboard | None, where: dict[str, Any]) -> None:
        """Show a card in an inline message: with a picture that was uploaded elsewhere before, otherwise in words."""
        bot = self._bot()
        if bot is None:
            raise TryLater(CONNECT_WAIT_SECONDS)
        called = await read_called_users(self._store, card, PLATFORM)
        file = await self.pictures.file_of(bot, card, await self._player_users(card)) if card.picture else None
        if file is None:
            card = with_picture_in_words(card)
        async with self.message_lock(place, int(INLINE_MESSAGE)), self._call_bot(place, CallKind.BOARD) as bot:
            if file is not None:
                caption = format_html(card.text, called, MAX_CAPTION_LENGTH)
                media = InputMediaPhoto(file, caption=caption, parse_mode=PARSE_MODE)
                await bot.edit_message_media(media=media, **where)
            else:
                await self._edit_words(bot, card, called, where)
            self._keep_keyboard(place, keyboard)

    async def _player_users(self, card: Card) -> list[int]:
        """Return the Telegram ids of the people at a card's table, the player to move first."""
        shown = card.headline
        if shown is None:
            return []
        mover = [shown.sitting[shown.mover].person] if shown.mover is not None else []
        people = [person for person in (*mover, *(each.person for each in shown.sitting)) if person is not None]
        known = await self._store.people.identities(*people)
        users = {each.person: int(each.user_id) for each in known if each.platform == PLATFORM}
        return [users[person] for person in dict.fromkeys(people) if person in users]

    def _keep_keyboard(self, place: Place, keyboard: Keyboard | None) -> None:
        if keyboard is None:
            self.inline_keyboards.pop(place.channel, None)
        else:
            self.inline_keyboards[place.channel] = keyboard

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or delete the whole message."""
        self.outbox.drop(chat_of(place), message)
        if inline_id(place.channel) is not None:
            await self.put_keyboard(place, int(message), None, CallKind.SPARE)
            return
        chat, number = int(place.channel), int(message)
        if remove:
            # If it is too old to be deleted, only its buttons are removed.
            with suppress(Undeliverable):
                async with self._call_bot(place, None) as bot:
                    await bot.delete_message(chat, number)
                    return
        async with self.message_lock(place, number):
            await self.put_keyboard(place, number, None, CallKind.SPARE)

    def seconds_to_retire(self, place: Place, *, remove: bool) -> float:
        """Return the seconds until an old message in a place can be retired, 0 for now."""
        alone = inline_id(place.channel) is not None
        return 0.0 if remove and not alone else self.budget.seconds_to_wait(chat_of(place), CallKind.SPARE)

    def message_lock(self, place: Place, message: int) -> asyncio.Lock:
        """Return the lock to hold while a message is changed, so that the newest content comes last."""
        return self._changing.setdefault((place.channel, message), asyncio.Lock())

    async def put_keyboard(
        self, place: Place, message: int, keyboard: Keyboard | None, kind: CallKind = CallKind.KEYBOARD
    ) -> None:
        """Replace a message's buttons; the caller must hold `message_lock`."""
        async with self._call_bot(place, kind) as bot:
            await bot.edit_message_reply_markup(**edit_target(place, message), **keyboard_arguments(keyboard))
            if inline_id(place.channel) is not None:
                self._keep_keyboard(place, keyboard)

    async def restore_board(self, place: Place, message: int, revision: int, *, board: bool) -> None:
        """Restore the content of a message that we gave the buttons of an old revision; TryLater.

        `board`: True if it was a board; it loses its buttons if it is none any more.
        """
        try:
            async with self._store.lock(f"chat {PLATFORM} {place.channel}") as ours:
                if not ours:
                    raise TryLater(CLAIM_RETRY_SECONDS)
                found = await self._store.posts.find_by_message(PLATFORM, place.channel, str(message))
                if found is not None:
                    await self._store.posts.record_late(found.id, str(message), revision, self._clock())
                    self.moved()
                elif board:
                    async with self.message_lock(place, message):
                        await self.put_keyboard(place, message, None, CallKind.SPARE)
        except StorageError as error:
            raise TryLater(CLAIM_RETRY_SECONDS) from error

    async def react(self, place: Place, message: int, emoji: str, kind: CallKind) -> None:
        """Set a reaction on a message; Undeliverable if none is allowed, TryLater."""
        async with self._call_bot(place, kind) as bot:
            await bot.set_message_reaction(int(place.channel), message, emoji)

    async def remove(self, place: Place, message: int) -> None:
        """Delete a message."""
        async with self._call_bot(place, None) as bot:
            await bot.delete_message(int(place.channel), message)

    async def private_chat(self, user: str) -> Place:
        """Return the private chat with a user; only sending tells whether we may write to them."""
        return Place(PLATFORM, user, kind="private")

    async def find_membership(self, place: Place, user: str) -> Membership | None:
        """Return somebody's membership in a group now, None for those who are no members (any more)."""
        try:
            async with self._call_bot(place, None) as bot:
                return await read_membership(bot, int(place.channel), int(user))
        except _ChatMoved as moved:
            raise TryLater(0.0) from moved

    def speaker(self, place: Place) -> Speaker:
        """Return the speaker of the language of a place."""
        return self._texts.speaker(place.language or self._language).of(PLATFORM)

    async def show_menu_button(self, chat: int, language: str | None) -> None:
        """Show the menu button of a private chat in its person's language; Telegram translates none by itself."""
        bot, spoken = self._bot(), self._texts.supported(language)
        if bot is None or self._app is None or spoken is None:
            return
        try:
            await bot.set_chat_menu_button(chat, self._app.menu_button(self._texts.speaker(spoken)))
        except TelegramError as error:
            log.info("menu-button-not-shown", reason=error.message)

    def opens_boards(self, place: Place) -> bool:
        """Say whether boards in a place have a way into the Mini App."""
        bot = self._bot()
        return self._app is not None and self._app.opens_boards(place, bot.bot if bot else None)

    def _keyboard(self, place: Place, card: Card) -> Keyboard | None:
        bot = self._bot()
        link = f"https://t.me/{bot.username}?start=" if bot is not None else ""
        shares = bot is not None and bool(bot.bot.supports_inline_queries)
        speaker = self.speaker(place)
        opens = None if self._app is None else self._app.button(place, card, speaker, bot.bot if bot else None)
        return build_keyboard(
            card, speaker, link, shares=shares, inline=inline_id(place.channel) is not None, opens=opens
        )

    async def _send_photo(
        self, bot: Bot, card: Card, picture: Picture, called: dict[int, int], where: dict[str, Any]
    ) -> Message:
        digest = hashlib.sha256(picture.png).hexdigest()
        caption = format_html(card.text, called, MAX_CAPTION_LENGTH)
        moving = picture.animation
        if moving is not None:
            # Where animations are not allowed, the still picture has the same content.
            with suppress(BadRequest):
                return await bot.send_animation(animation=InputFile(moving.gif, moving.name), caption=caption, **where)
            self.budget.acquire(where["chat_id"], CallKind.BOARD)
        sent = await bot.send_photo(photo=self._photo_input(digest, picture, attach=False), caption=caption, **where)
        self._remember(sent, digest)
        return sent

    async def _edit_photo(
        self, bot: Bot, card: Card, picture: Picture, called: dict[int, int], where: dict[str, Any]
    ) -> None:
        caption = format_html(card.text, called, MAX_CAPTION_LENGTH)
        if picture.animation is not None and await self._edit_animation(bot, picture.animation, caption, where):
            return
        digest = hashlib.sha256(picture.png).hexdigest()
        if self._pictures.get((where["chat_id"], where["message_id"])) == digest:
            await bot.edit_message_caption(caption=caption, parse_mode=PARSE_MODE, **where)
            return
        media = InputMediaPhoto(self._photo_input(digest, picture, attach=True), caption=caption, parse_mode=PARSE_MODE)
        edited = await bot.edit_message_media(media=media, **where)
        if isinstance(edited, Message):
            self._remember(edited, digest)

    async def _edit_animation(self, bot: Bot, moving: Animation, caption: str, where: dict[str, Any]) -> bool:
        """Replace a message's picture by an animation; return False if none is allowed."""
        key, digest = (where["chat_id"], where["message_id"]), hashlib.sha256(moving.gif).hexdigest()
        if self._pictures.get(key) == digest:
            await bot.edit_message_caption(caption=caption, parse_mode=PARSE_MODE, **where)
            return True
        file = InputFile(moving.gif, moving.name, attach=True)
        try:
            await bot.edit_message_media(
                media=InputMediaAnimation(file, caption=caption, parse_mode=PARSE_MODE), **where
            )
        except BadRequest as error:
            if not mentions(error, NO_ANIMATIONS):
                raise
            self.budget.acquire(where["chat_id"], CallKind.BOARD)
            return False
        self._pictures[key] = digest
        return True

    def _photo_input(self, digest: str, picture: Picture, *, attach: bool) -> str | InputFile:
        """Return a picture's file id, or the file if it was not uploaded yet."""
        return self._files.get(digest) or InputFile(picture.png, picture.name, attach=attach)

    def _remember(self, message: Message, digest: str) -> None:
        if message.photo:
            self._files[digest] = message.photo[-1].file_id
            self._pictures[message.chat.id, message.message_id] = digest

    @asynccontextmanager
    async def _call_bot(self, place: Place, kind: CallKind | None) -> AsyncIterator[Bot]:
        """Yield the bot for calls of a kind to a place (None does not count); Undeliverable, TryLater."""
        bot = self._bot()
        if bot is None:
            raise TryLater(CONNECT_WAIT_SECONDS)
        chat = chat_of(place)
        if kind is not None:
            self.budget.acquire(chat, kind)
        try:
            yield bot
        except RetryAfter as error:
            self.budget.pause(chat, retry_after(error))
            raise translate_telegram_error(error) from error
        except ChatMigrated as error:
            new = str(error.new_chat_id)
            await self._store.places.move_channel(PLATFORM, place.channel, new, self._clock())
            self.moved()
            raise _ChatMoved(new) from error
        except TelegramError as error:
            if mentions(error, NOT_MODIFIED):
                return
            if mentions(error, LOST_FILE):
                self._files.clear()
                self.pictures.forget()
                raise TryLater(1.0) from error
            raise translate_telegram_error(error) from error
