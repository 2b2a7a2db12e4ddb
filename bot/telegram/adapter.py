"""Boards on Telegram: sent, edited, retired, each call within the chat's budget."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

import structlog
from cachetools import FIFOCache
from telegram import (
    Bot,
    InlineKeyboardMarkup,
    InputFile,
    InputMediaAnimation,
    InputMediaPhoto,
    Message,
)
from telegram.error import BadRequest, ChatMigrated, RetryAfter, TelegramError

from bot.interface.cards import Animation, Card, Picture
from bot.interface.requests import GameLink, Place, TryLater, Undeliverable
from bot.language.texts import Span, Speaker, Texts, join
from bot.telegram.call_queue import CallQueue
from bot.telegram.card_shaping import edit_target, fit_caption, reply_arguments, with_picture_in_words, without_handles
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
from bot.telegram.layout import keyboard
from bot.telegram.markup import MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, NO_PREVIEW, html
from bot.telegram.mini_app import MiniApp
from bot.telegram.pictures import PictureStore
from bot.telegram.rate_limits import CallBudget, CallKind
from storage import StorageError, Store

CLAIM_RETRY_SECONDS: Final = 1.0
"""After how many seconds to look again at a chat that another process serves."""
CONNECT_WAIT_SECONDS: Final = 5.0
"""How many seconds to wait while there is no connection yet."""
MESSAGE_CACHE_SIZE: Final = 2000
PARSE_MODE: Final = "HTML"
SUPERGROUP_PREFIX: Final = "-100"
"""How the ids of chats begin whose messages have addresses (https://core.telegram.org/api/links#message-links)."""

log = structlog.get_logger(__name__)


class TelegramAdapter:
    """What the program asks of Telegram; `bot` says who is logged in, None if nobody is yet."""

    platform = PLATFORM
    replies_are_public: Literal[True] = True

    def __init__(
        self,
        store: Store,
        texts: Texts,
        bot: Callable[[], Bot | None],
        *,
        language: str,
        clock: Callable[[], datetime],
        moved: Callable[[], None] = lambda: None,
        store_chat: int | None = None,
        app: MiniApp | None = None,
    ) -> None:
        """Make it; `moved` is called when boards are due because of what the adapter has found.

        `store_chat` is where pictures for inline messages are uploaded. `app` opens boards in the Mini App.
        """
        self._store = store
        self._texts = texts
        self._bot = bot
        self._language = language
        self._clock = clock
        self._app = app
        self.moved = moved
        self.budget = CallBudget(clock, partial(store.peer_count, PLATFORM))
        self.outbox = CallQueue(self.budget)
        self.pictures = PictureStore(self.budget, store_chat, clock)
        self.inline_keyboards: FIFOCache[str, InlineKeyboardMarkup] = FIFOCache(MESSAGE_CACHE_SIZE)
        """What inline messages show that this process has changed: presses there do not tell."""
        self._changing: WeakValueDictionary[tuple[str, int], asyncio.Lock] = WeakValueDictionary()
        self._files: FIFOCache[str, str] = FIFOCache(MESSAGE_CACHE_SIZE)
        self._pictures: FIFOCache[tuple[int, int], str] = FIFOCache(MESSAGE_CACHE_SIZE)
        self._boards: FIFOCache[tuple[int, int], bool] = FIFOCache(MESSAGE_CACHE_SIZE)

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Show a card as a new message, as an answer to the one that it is about, and return its id."""
        if inline_id(place.channel) is not None:
            if card.headline is None:
                raise Undeliverable("forbidden")  # it would take the board's place
            await self.edit(place, INLINE_MESSAGE, card)
            return INLINE_MESSAGE
        answering = int(card.about) if card.about is not None else None
        chat, at_play = chat_of(place), card.headline is not None and card.headline.status == "playing"
        warns = at_play and self.budget.is_low(chat)
        if warns:
            card = replace(card, text=join([card.text, self.speaker(place).say("busy")]))
        sent = await self.post(place, card, CallKind.BOARD, answering=answering)
        self._boards[sent.chat.id, sent.message_id] = True
        if warns:
            self.budget.note_warned(chat)
        return str(sent.message_id)

    def has_sent_board(self, chat: int, message: int) -> bool:
        """Say whether a message is a board that this process has sent, among the newest; such are for all."""
        return (chat, message) in self._boards

    async def post(
        self, place: Place, card: Card, kind: CallKind, *, answering: int | None = None, silent: bool | None = None
    ) -> Message:
        """Show a card as a new message, perhaps as an answer to one; without a sound where it calls nobody."""
        card = fit_caption(without_handles(card))
        called = await self.mentioned_users(card)
        calls = bool(called) or any(span.handle for span in card.text)
        where: dict[str, Any] = {
            "chat_id": int(place.channel),
            "reply_markup": self._keyboard(place, card),
            "disable_notification": not calls if silent is None else silent,
            "parse_mode": PARSE_MODE,
            **reply_arguments(place, answering),
        }
        async with self._calling(place, kind) as bot:
            if card.file is not None:
                document = InputFile(card.file.content, card.file.name)
                caption = html(card.text, called, MAX_CAPTION_LENGTH)
                return await bot.send_document(document=document, caption=caption, **where)
            if card.picture is not None:
                try:
                    return await self._send_photo(bot, card, card.picture, called, where)
                except BadRequest as error:
                    if not mentions(error, NO_PHOTOS):
                        raise
                card = self._without_picture(place, card)
                self.budget.acquire(int(place.channel), kind)
            said = html(card.text, called, MAX_TEXT_LENGTH) or "…"
            return await bot.send_message(text=said, link_preview_options=NO_PREVIEW, **where)

    def is_edit_only(self, channel: str) -> bool:
        """Say whether a channel is an inline message."""
        return inline_id(channel) is not None

    def game_link(self, code: str) -> GameLink | None:
        """Return the address that opens a private chat with us, from which a game is joined or looked at."""
        bot = self._bot()
        return GameLink(f"https://t.me/{bot.username}?start={code}") if bot is not None else None

    def address(self, place: Place, message: str) -> str | None:
        """Return the address by which members of a supergroup come to a message; no other chats have such."""
        number = place.channel.removeprefix(SUPERGROUP_PREFIX)
        return f"https://t.me/c/{number}/{message}" if number != place.channel else None

    async def edit(self, place: Place, message: str, card: Card) -> None:
        """Show a card in place of the one that the message shows; edits call nobody."""
        await self._change(place, message, card, CallKind.BOARD)

    async def edit_low_priority(self, place: Place, message: str, card: Card) -> None:
        """Edit what nobody waits for, where a chat's budget has room left over."""
        await self._change(place, message, card, CallKind.SPARE)

    async def _change(self, place: Place, message: str, card: Card, kind: CallKind) -> None:
        self.outbox.drop(chat_of(place), message)
        where: dict[str, Any] = {**edit_target(place, int(message)), "reply_markup": self._keyboard(place, card)}
        if inline_id(place.channel) is not None:
            await self._edit_inline(place, card, where)
            return
        card = fit_caption(card)
        called = await self.mentioned_users(card)
        async with self.message_lock(place, int(message)), self._calling(place, kind) as bot:
            if card.picture is not None:
                await self._edit_photo(bot, card, card.picture, called, where)
                return
            await self._edit_words(bot, card, called, where)

    async def _edit_words(self, bot: Bot, card: Card, called: dict[int, int], where: dict[str, Any]) -> None:
        said = html(card.text, called, MAX_TEXT_LENGTH) or "…"
        try:
            await bot.edit_message_text(text=said, parse_mode=PARSE_MODE, link_preview_options=NO_PREVIEW, **where)
        except BadRequest as error:
            if not mentions(error, NO_TEXT):
                raise
            caption = html(card.text, called, MAX_CAPTION_LENGTH)
            await bot.edit_message_caption(caption=caption, parse_mode=PARSE_MODE, **where)

    async def _edit_inline(self, place: Place, card: Card, where: dict[str, Any]) -> None:
        """Show a card in an inline message: by a picture that is uploaded elsewhere before, else in words."""
        bot = self._bot()
        if bot is None:
            raise TryLater(CONNECT_WAIT_SECONDS)
        called = await self.mentioned_users(card)
        file = await self.pictures.file_of(bot, card, await self._close_by(card)) if card.picture else None
        if file is None:
            card = with_picture_in_words(card)
        async with self.message_lock(place, int(INLINE_MESSAGE)), self._calling(place, CallKind.BOARD) as bot:
            if file is not None:
                caption = html(card.text, called, MAX_CAPTION_LENGTH)
                media = InputMediaPhoto(file, caption=caption, parse_mode=PARSE_MODE)
                await bot.edit_message_media(media=media, **where)
            else:
                await self._edit_words(bot, card, called, where)
            self._keep_keyboard(place, where["reply_markup"])

    async def _close_by(self, card: Card) -> list[int]:
        """Return the people at the table of a card by their Telegram ids, the player to move first."""
        shown = card.headline
        if shown is None:
            return []
        mover = [shown.sitting[shown.mover].person] if shown.mover is not None else []
        people = [person for person in (*mover, *(each.person for each in shown.sitting)) if person is not None]
        known = await self._store.people.identities_of_many(people)
        users = {each.person: int(each.user) for each in known if each.platform == PLATFORM}
        return [users[person] for person in dict.fromkeys(people) if person in users]

    def _keep_keyboard(self, place: Place, markup: InlineKeyboardMarkup | None) -> None:
        if markup is None:
            self.inline_keyboards.pop(place.channel, None)
        else:
            self.inline_keyboards[place.channel] = markup

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or the whole message."""
        self.outbox.drop(chat_of(place), message)
        if inline_id(place.channel) is not None:
            await self.put_keyboard(place, int(message), None, CallKind.SPARE)
            return
        chat, number = int(place.channel), int(message)
        if remove:
            # Too old to be taken away: then its buttons go.
            with suppress(Undeliverable):
                async with self._calling(place, None) as bot:
                    await bot.delete_message(chat, number)
                    return
        async with self.message_lock(place, number):
            await self.put_keyboard(place, number, None, CallKind.SPARE)

    def seconds_to_retire(self, place: Place, *, remove: bool) -> float:
        """Return in how many seconds an old message in a place can be retired, 0 for now."""
        alone = inline_id(place.channel) is not None
        return 0.0 if remove and not alone else self.budget.seconds_to_wait(chat_of(place), CallKind.SPARE)

    def message_lock(self, place: Place, message: int) -> asyncio.Lock:
        """Return what to hold while a message is changed, so that what is newest comes last."""
        return self._changing.setdefault((place.channel, message), asyncio.Lock())

    async def put_keyboard(
        self, place: Place, message: int, markup: InlineKeyboardMarkup | None, kind: CallKind = CallKind.KEYBOARD
    ) -> None:
        """Give a message other buttons; to be called while `changing` is held."""
        async with self._calling(place, kind) as bot:
            await bot.edit_message_reply_markup(**edit_target(place, message), reply_markup=markup)
            if inline_id(place.channel) is not None:
                self._keep_keyboard(place, markup)

    async def restore_board(self, place: Place, message: int, revision: int, *, board: bool) -> None:
        """Have a message to which we gave the buttons of a revision show again what it should; TryLater.

        `board` says that it was a board, which loses its buttons if it is none any more.
        """
        try:
            async with self._store.lock(f"chat {PLATFORM} {place.channel}") as ours:
                if not ours:
                    raise TryLater(CLAIM_RETRY_SECONDS)
                found = await self._store.surfaces.find_by_message(PLATFORM, place.channel, str(message))
                number, at = str(message), self._clock()
                # Asked in one go: this process itself may be showing a new board, and retiring this one.
                if found is not None and await self._store.surfaces.record_overwritten(found.id, number, revision, at):
                    self.moved()
                elif board:
                    async with self.message_lock(place, message):
                        await self.put_keyboard(place, message, None, CallKind.SPARE)
        except StorageError as error:
            raise TryLater(CLAIM_RETRY_SECONDS) from error

    async def react(self, place: Place, message: int, emoji: str, kind: CallKind) -> None:
        """Show a reaction below a message; Undeliverable where there may be none, TryLater."""
        async with self._calling(place, kind) as bot:
            await bot.set_message_reaction(int(place.channel), message, emoji)

    async def remove(self, place: Place, message: int) -> None:
        """Take a message away."""
        async with self._calling(place, None) as bot:
            await bot.delete_message(int(place.channel), message)

    async def private_chat(self, user: str) -> Place:
        """Return the private chat with somebody; only sending tells whether they have let us write to them."""
        return Place(PLATFORM, user, kind="private")

    async def mentioned_users(self, card: Card) -> dict[int, int]:
        """Return the ids on Telegram of the people whom a card calls, by person."""
        called: dict[int, int] = {}
        for person in card.calls:
            for identity in await self._store.people.identities(person):
                if identity.platform == PLATFORM:
                    called[person] = int(identity.user)
        return called

    def speaker(self, place: Place) -> Speaker:
        """Return who speaks to all in a place."""
        return self._texts.speaker(place.language or self._language).of(PLATFORM)

    def _keyboard(self, place: Place, card: Card) -> InlineKeyboardMarkup | None:
        bot = self._bot()
        link = f"https://t.me/{bot.username}?start=" if bot is not None else ""
        shares = bot is not None and bool(bot.bot.supports_inline_queries)
        speaker = self.speaker(place)
        opens = None if self._app is None else self._app.button(place, card, speaker, bot.bot if bot else None)
        return keyboard(card, speaker, link, shares=shares, inline=inline_id(place.channel) is not None, opens=opens)

    async def _send_photo(
        self, bot: Bot, card: Card, picture: Picture, called: dict[int, int], where: dict[str, Any]
    ) -> Message:
        digest = hashlib.sha256(picture.png).hexdigest()
        caption = html(card.text, called, MAX_CAPTION_LENGTH)
        moving = picture.animation
        if moving is not None:
            # Where there may be no animations, the picture at rest tells the same.
            with suppress(BadRequest):
                return await bot.send_animation(animation=InputFile(moving.gif, moving.name), caption=caption, **where)
            self.budget.acquire(where["chat_id"], CallKind.BOARD)
        sent = await bot.send_photo(photo=self._file(digest, picture, attach=False), caption=caption, **where)
        self._remember(sent, digest)
        return sent

    async def _edit_photo(
        self, bot: Bot, card: Card, picture: Picture, called: dict[int, int], where: dict[str, Any]
    ) -> None:
        caption = html(card.text, called, MAX_CAPTION_LENGTH)
        if picture.animation is not None and await self._edit_animation(bot, picture.animation, caption, where):
            return
        digest = hashlib.sha256(picture.png).hexdigest()
        if self._pictures.get((where["chat_id"], where["message_id"])) == digest:
            await bot.edit_message_caption(caption=caption, parse_mode=PARSE_MODE, **where)
            return
        media = InputMediaPhoto(self._file(digest, picture, attach=True), caption=caption, parse_mode=PARSE_MODE)
        edited = await bot.edit_message_media(media=media, **where)
        if isinstance(edited, Message):
            self._remember(edited, digest)

    async def _edit_animation(self, bot: Bot, moving: Animation, caption: str, where: dict[str, Any]) -> bool:
        """Show an animation in place of what a message shows; False where there may be none."""
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

    def _file(self, digest: str, picture: Picture, *, attach: bool) -> str | InputFile:
        """Return a picture as Telegram knows it, or as something to send if it does not."""
        return self._files.get(digest) or InputFile(picture.png, picture.name, attach=attach)

    def _remember(self, message: Message, digest: str) -> None:
        if message.photo:
            self._files[digest] = message.photo[-1].file_id
            self._pictures[message.chat.id, message.message_id] = digest

    def _without_picture(self, place: Place, card: Card) -> Card:
        alt = card.picture.alt if card.picture is not None else ""
        note = self.speaker(place).say("missing.photos")
        return replace(card, picture=None, text=join([card.text, (Span(alt),), note], "\n\n"))

    @asynccontextmanager
    async def _calling(self, place: Place, kind: CallKind | None) -> AsyncIterator[Bot]:
        """Give the bot for calls of a kind to a place (None does not count); Undeliverable, TryLater."""
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
            await self._store.places.move_channel(PLATFORM, place.channel, str(error.new_chat_id), self._clock())
            self.moved()
            raise TryLater(0.0) from error
        except TelegramError as error:
            if mentions(error, NOT_MODIFIED):
                return
            if mentions(error, LOST_FILE):
                self._files.clear()
                self.pictures.forget()
                raise TryLater(1.0) from error
            raise translate_telegram_error(error) from error
