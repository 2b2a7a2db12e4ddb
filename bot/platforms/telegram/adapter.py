"""Boards on Telegram: sent, edited, retired, each call within the chat's rate limit.

Pictures for messages that accept no uploads are sent once to another chat, then reused by their file id.

The chat is set by the operator. Otherwise it is the private chat with one of the players, where the picture is deleted
at once; the file id stays valid.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Final
from weakref import WeakValueDictionary

import structlog
from cachetools import FIFOCache, TTLCache
from telegram import (
    Bot,
    ChatMember,
    InputFile,
    InputMediaAnimation,
    InputMediaPhoto,
    MenuButton,
    MenuButtonWebApp,
    Message,
    ReplyParameters,
    User,
    WebAppInfo,
)
from telegram.error import BadRequest, ChatMigrated, Forbidden, RetryAfter, TelegramError

from bot.kernel.app_sessions import AppSigner
from bot.kernel.cards import Card, Picture
from bot.kernel.preferences import read_called_users
from bot.kernel.requests import CONNECT_WAIT_SECONDS, Adapter, GameLink, Membership, Place, TryLater, Undeliverable
from bot.kernel.texts import Span, Speaker, Text, join, strip_styles
from bot.platforms.app import Tavoliere
from bot.platforms.telegram.calls import CallBudget, CallKind, CallQueue
from bot.platforms.telegram.client import (
    LOST_FILE,
    NO_ANIMATIONS,
    NO_PHOTOS,
    NO_TEXT,
    NOT_MODIFIED,
    mentions,
    retry_after,
    translate_telegram_error,
)
from bot.platforms.telegram.decode import COMMENTS_THREAD_PREFIX, PLATFORM, is_member
from bot.platforms.telegram.layout import INLINE_MESSAGE, build_keyboard, chat_of, inline_id, is_inline
from bot.platforms.telegram.markup import (
    MAX_CAPTION_LENGTH,
    NO_PREVIEW,
    Keyboard,
    KeyboardButton,
    format_html,
    keyboard_arguments,
    utf16_length,
)
from storage import Json, StorageError

CHAT_COOLDOWN_SECONDS: Final = 600.0
"""Seconds for which a chat that rejected a picture is skipped."""

log = structlog.get_logger(__name__)


def edit_target(place: Place, message: str) -> Json:
    """Return the arguments that identify the message to edit."""
    inline = inline_id(place.channel)
    if inline is not None:
        return {"inline_message_id": inline}
    return {"chat_id": int(place.channel), "message_id": int(message)}


def with_picture_in_words(card: Card, *notes: Text) -> Card:
    """Return a card with its picture replaced by the alt text, and notes below it."""
    if card.picture is None:
        return card
    return replace(card, picture=None, text=join([card.text, (Span(card.picture.alt),), *notes], "\n\n"))


def without_handles(card: Card) -> Card:
    """Return a card whose @names mention no one, unless the card should mention people."""
    if card.named or not any(span.handle for span in card.text):
        return card
    return replace(card, text=tuple(replace(span, handle=False) for span in card.text))


def reply_arguments(place: Place, answering: int | None) -> Json:
    """Return the arguments that send a message to a topic, or as a reply, or below a channel's post."""
    topic, given = place.thread or "", Json()
    if topic.startswith(COMMENTS_THREAD_PREFIX):
        # A reply to a comment also appears among the comments.
        answering = int(topic.removeprefix(COMMENTS_THREAD_PREFIX)) if answering is None else answering
    elif topic:
        given["message_thread_id"] = int(topic)
    if answering is not None:
        given["reply_parameters"] = ReplyParameters(answering, allow_sending_without_reply=True)
    return given


def fit_caption(card: Card) -> Card:
    """Return a card without its picture if its text is too long for a caption: the text matters more."""
    if card.picture is not None and utf16_length(strip_styles(card.text)) > MAX_CAPTION_LENGTH:
        return replace(card, picture=None)
    return card


PAGE_PATH: Final = "/app/telegram/"
NO_CHAT: Final = "0"
"""Placeholder in a link for a chat without a number."""


class MiniApp:
    """Opens the Mini App at a public `address`, and under the `name` given to BotFather, if any."""

    def __init__(self, address: str, name: str, signer: AppSigner) -> None:
        self._address = address.rstrip("/")
        self._name = name
        self._signer = signer

    def button(self, place: Place, card: Card, speaker: Speaker, bot: User) -> KeyboardButton | None:
        """Return the button that opens a card's game, None if the card shows no game or there is no link to it."""
        game = card.headline
        if game is None or game.status == "lobby":
            return None
        label = speaker.of(PLATFORM).line("button.app")
        if is_inline(place):
            place = replace(place, channel=NO_CHAT, thread=None, kind="group")
        if not self.opens_boards(place, bot):
            return None
        link = self._signer.sign_link(PLATFORM, place, game.code)
        if place.kind == "private":
            return {"text": label, "web_app": {"url": f"{self._address}{PAGE_PATH}?link={link}"}}
        return {"text": label, "url": f"{bot.link}{self._name and f'/{self._name}'}?startapp={link}"}

    def opens_boards(self, place: Place, bot: User) -> bool:
        """Return True if boards in a place can be opened in the app."""
        return place.kind == "private" or bool(self._name or bot.has_main_web_app)

    def menu_button(self, speaker: Speaker) -> MenuButton:
        """Return the menu button next to the input field in private chats."""
        label = speaker.of(PLATFORM).line("button.app.menu")
        return MenuButtonWebApp(label, WebAppInfo(f"{self._address}{PAGE_PATH}"))


NEVER_THERE: Final = ("user not found", "participant_id_invalid", "user_id_invalid")
"""Telegram's errors for people who have never been in a group, or for people whom the bot may not look up.

The latter if members are hidden and the bot is no administrator: teloxide issue 1349, tdlib issue 589.
"""
NOT_TOLD: Final = ("chat_admin_required", "member list is inaccessible")
"""Telegram's errors if only administrators may list the members of a group."""


MANAGER_STATUSES: Final = (ChatMember.OWNER, ChatMember.ADMINISTRATOR)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


CLAIM_RETRY_SECONDS: Final = 1.0
"""Seconds before retrying a chat that another process serves."""
REOPEN_INTERVAL_SECONDS: Final = 60.0
"""Minimum seconds from a refusal in a chat until an accepted message causes a retry of the blocked boards there."""
MESSAGE_CACHE_SIZE: Final = 2000
PARSE_MODE: Final = "HTML"
SUPERGROUP_PREFIX: Final = "-100"
"""Prefix of the ids of chats whose messages have links (https://core.telegram.org/api/links#message-links)."""


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
    limits_groups = True

    def __init__(
        self,
        tavoliere: Tavoliere,
        bot: Callable[[], Bot | None],
        *,
        store_chat: int | None = None,
        app: MiniApp | None = None,
    ) -> None:
        """Create the adapter.

        `store_chat` is the chat to which pictures for inline messages are uploaded. `app` opens boards in the Mini App.
        """
        self.tavoliere, self.context = tavoliere, tavoliere.context
        self._store, clock = self.context.store, self.context.clock
        self.bot = bot
        self._app = app
        self._refused_at: FIFOCache[str, float] = FIFOCache(MESSAGE_CACHE_SIZE)
        self.budget = CallBudget(clock.monotonic, partial(self._store.peer_count, PLATFORM))
        self.outbox = CallQueue(self.budget)
        self._store_chat = store_chat
        self._closed: TTLCache[int, bool] = TTLCache(MESSAGE_CACHE_SIZE, CHAT_COOLDOWN_SECONDS, clock.monotonic)
        """The chats that have rejected a picture lately."""
        self.inline_keyboards: FIFOCache[str, Keyboard] = FIFOCache(MESSAGE_CACHE_SIZE)
        """The keyboards of inline messages as this process last changed them: presses there do not include them."""
        self._changing: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._files: FIFOCache[str, str] = FIFOCache(MESSAGE_CACHE_SIZE)
        self._pictures: FIFOCache[tuple[int, int], str] = FIFOCache(MESSAGE_CACHE_SIZE)

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Send a card as a new message, as a reply to the one it is about, and return its id."""
        if is_inline(place):
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
        """Send a card as a new message, perhaps as a reply; silently if it mentions no one.

        `follows`: True to send it to the supergroup that the group has become; otherwise that raises TryLater, since
        the place has changed.
        """
        now, channel = self.context.clock.monotonic(), place.channel
        try:
            sent = await self._post(place, card, kind, answering=answering, silent=silent)
        except _ChatMoved as moved:
            # Nothing was sent to the old group.
            if not follows:
                raise TryLater(0.0) from moved
            return await self.post(
                replace(place, channel=moved.channel, group=moved.channel), card, kind, silent=silent
            )
        except Undeliverable as error:
            if error.reason == "forbidden":
                self._refused_at[channel] = now
            raise
        if now - self._refused_at.get(channel, now) >= REOPEN_INTERVAL_SECONDS:
            del self._refused_at[channel]
            # Telegram does not report changes of the permissions of all members.
            await self.tavoliere.is_reopened(PLATFORM, channel)
        return sent

    async def _post(
        self, place: Place, card: Card, kind: CallKind, *, answering: int | None, silent: bool | None
    ) -> Message:
        card = fit_caption(without_handles(card))
        called = await read_called_users(self._store, card, PLATFORM)
        calls = bool(called) or any(span.handle for span in card.text)
        where: Json = {
            "chat_id": int(place.channel),
            **keyboard_arguments(self._keyboard(place, card)),
            "disable_notification": place.quiet or not calls if silent is None else silent,
            "parse_mode": PARSE_MODE,
            **reply_arguments(place, answering),
        }
        caption = format_html(card.text, called, MAX_CAPTION_LENGTH)
        async with self._call_bot(place, kind) as bot:
            if card.file is not None:
                document = InputFile(card.file.content, card.file.name)
                return await bot.send_document(document=document, caption=caption, **where)
            if card.picture is not None:
                try:
                    return await self._send_photo(bot, card.picture, caption, where)
                except BadRequest as error:
                    if not mentions(error, NO_PHOTOS):
                        raise
                card = with_picture_in_words(card, self.speaker(place).say("missing.photos"))
                self.budget.acquire(int(place.channel), kind)
            said = format_html(card.text, called) or "…"
            return await bot.send_message(text=said, link_preview_options=NO_PREVIEW, **where)

    def is_edit_only(self, channel: str) -> bool:
        """Return True if a channel is an inline message."""
        return inline_id(channel) is not None

    def game_link(self, code: str) -> GameLink | None:
        """Return the link that opens a private chat with the bot, to join or see a game there."""
        bot = self.bot()
        return GameLink(f"{bot.link}{code and f'?start={code}'}") if bot is not None else None

    def address(self, place: Place, message: str) -> str | None:
        """Return the link to a message for members of a supergroup; None for other chats."""
        number = place.channel.removeprefix(SUPERGROUP_PREFIX)
        return f"https://t.me/c/{number}/{message}" if number != place.channel else None

    async def edit(self, place: Place, message: str, card: Card, *, urgent: bool = True) -> None:
        """Replace a message's content by a card; edits mention no one."""
        kind = CallKind.BOARD if urgent else CallKind.SPARE
        self.outbox.drop(chat_of(place), message)
        keyboard = self._keyboard(place, card)
        where = edit_target(place, message) | keyboard_arguments(keyboard)
        called, file = await read_called_users(self._store, card, PLATFORM), None
        if is_inline(place):
            # It takes no upload, and no edit of it is of low priority.
            kind = CallKind.BOARD
            file = await self._upload(card, card.picture) if card.picture is not None else None
            card = card if file is not None else with_picture_in_words(card)
        else:
            card = fit_caption(card)
        async with self.message_lock(place, message), self._call_bot(place, kind) as bot:
            caption = format_html(card.text, called, MAX_CAPTION_LENGTH)
            if file is not None:
                await bot.edit_message_media(media=InputMediaPhoto(file, caption, PARSE_MODE), **where)
            elif card.picture is not None:
                await self._edit_photo(bot, card.picture, caption, where)
            else:
                said = format_html(card.text, called) or "…"
                try:
                    await bot.edit_message_text(
                        text=said, parse_mode=PARSE_MODE, link_preview_options=NO_PREVIEW, **where
                    )
                except BadRequest as error:
                    if not mentions(error, NO_TEXT):
                        raise
                    await bot.edit_message_caption(caption=caption, parse_mode=PARSE_MODE, **where)
            if is_inline(place):
                self._keep_keyboard(place, keyboard)

    async def _upload(self, card: Card, picture: Picture) -> str | None:
        """Return the file id of a picture, None if no chat accepts it; TryLater."""
        digest = _digest(picture.png)
        if digest in self._files:
            return self._files[digest]
        for chat in [*([self._store_chat] if self._store_chat is not None else []), *await self._player_users(card)]:
            if chat in self._closed:
                continue
            async with self._call_bot(Place(PLATFORM, str(chat)), CallKind.BOARD) as bot:
                try:
                    sent = await bot.send_photo(chat, InputFile(picture.png, picture.name), disable_notification=True)
                except (BadRequest, Forbidden) as error:
                    # This is permanent: we may not write there, or pictures are not allowed.
                    level = log.warning if chat == self._store_chat else log.debug
                    level("picture-not-taken", chat=chat, reason=error.message)
                    self._closed[chat] = True
                    continue
                if not sent.photo:
                    log.warning("answer-not-readable", platform=PLATFORM, call="send_photo", reason="no photo")
                    raise TryLater
                if chat != self._store_chat:
                    with suppress(TelegramError):
                        await bot.delete_message(chat, sent.message_id)
                self._files[digest] = sent.photo[-1].file_id
                return self._files[digest]
        return None

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
        if remove and not is_inline(place):
            # If it is too old to be deleted, only its buttons are removed.
            with suppress(Undeliverable):
                await self.remove(place, int(message))
                return
        async with self.message_lock(place, message):
            await self.put_keyboard(place, message, None, CallKind.SPARE)

    def seconds_to_retire(self, place: Place, *, remove: bool) -> float:
        """Return the seconds until an old message in a place can be retired, 0 for now."""
        return 0.0 if remove and not is_inline(place) else self.budget.seconds_to_wait(chat_of(place), CallKind.SPARE)

    def message_lock(self, place: Place, message: str) -> asyncio.Lock:
        """Return the lock to hold while changing a message, so that the newest content is written last."""
        return self._changing.setdefault((place.channel, message), asyncio.Lock())

    async def put_keyboard(
        self, place: Place, message: str, keyboard: Keyboard | None, kind: CallKind = CallKind.KEYBOARD
    ) -> None:
        """Replace a message's buttons; the caller must hold `message_lock`."""
        async with self._call_bot(place, kind) as bot:
            await bot.edit_message_reply_markup(**edit_target(place, message), **keyboard_arguments(keyboard))
            if is_inline(place):
                self._keep_keyboard(place, keyboard)

    async def restore_board(self, place: Place, message: str, revision: int, *, board: bool) -> None:
        """Restore the content of a message after we gave it the buttons of an old revision; TryLater.

        `board`: True if it was a board; if it is no board any more, its buttons are removed.
        """
        try:
            async with self._store.lock(f"chat {PLATFORM} {place.channel}") as is_locked:
                if not is_locked:
                    raise TryLater(CLAIM_RETRY_SECONDS)
                found = await self._store.posts.find_by_message(PLATFORM, place.channel, message)
                if found is not None:
                    await self._store.posts.record_late(found, message, revision, self.context.clock())
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
        """Return the private chat with a user; whether we may write to them is known only after sending."""
        return Place(PLATFORM, user, kind="private")

    async def find_membership(self, place: Place, user: str) -> Membership | None:
        """Return a person's current membership in a group, None if they are no member (any more).

        "The method is only guaranteed to work for other users if the bot is an administrator in the chat"
        (getChatMember).
        """
        chat, account = int(place.channel), int(user)
        try:
            async with self._call_bot(place, None) as bot:
                try:
                    member = await bot.get_chat_member(chat, account)
                except BadRequest as error:
                    refused = mentions(error, *NOT_TOLD)
                    if not refused and not mentions(error, *NEVER_THERE):
                        raise
                    # Any bot may list the administrators of a group.
                    if account in [each.user.id for each in await bot.get_chat_administrators(chat)]:
                        return Membership(manager=True)
                    # Only as an administrator, which that list does not tell of a bot, it can look up other members.
                    if not refused and (await bot.get_chat_member(chat, bot.id)).status in MANAGER_STATUSES:
                        return None
                    raise Undeliverable("forbidden") from error
                return Membership(manager=member.status in MANAGER_STATUSES) if is_member(member) else None
        except _ChatMoved as moved:
            raise TryLater(0.0) from moved

    def speaker(self, place: Place) -> Speaker:
        """Return the speaker of the language of a place."""
        return self.context.speaker(place.language, PLATFORM)

    async def show_menu_button(self, chat: int, language: str | None) -> None:
        """Show the menu button of a private chat in its person's language, since Telegram does not translate it."""
        bot, spoken = self.bot(), self.context.texts.supported(language)
        if bot is None or self._app is None or spoken is None:
            return
        try:
            await bot.set_chat_menu_button(chat, self._app.menu_button(self.context.speaker(spoken)))
        except TelegramError as error:
            log.info("menu-button-not-shown", reason=error.message)

    def opens_boards(self, place: Place) -> bool:
        """Return True if boards in a place can be opened in the Mini App."""
        bot = self.bot()
        return self._app is not None and bot is not None and self._app.opens_boards(place, bot.bot)

    def require_bot(self) -> Bot:
        """Return the bot that is logged in; TryLater."""
        bot = self.bot()
        if bot is None:
            raise TryLater(CONNECT_WAIT_SECONDS)
        return bot

    def _keyboard(self, place: Place, card: Card) -> Keyboard | None:
        bot, speaker = self.require_bot(), self.speaker(place)
        return build_keyboard(
            card,
            speaker,
            f"{bot.link}?start=",
            shares=bool(bot.bot.supports_inline_queries),
            inline=is_inline(place),
            opens=None if self._app is None else self._app.button(place, card, speaker, bot.bot),
        )

    async def _send_photo(self, bot: Bot, picture: Picture, caption: str, where: Json) -> Message:
        moving = picture.animation
        if moving is not None:
            # Where animations are not allowed, the still picture has the same content.
            with suppress(BadRequest):
                return await bot.send_animation(animation=InputFile(moving.gif, moving.name), caption=caption, **where)
            self.budget.acquire(where["chat_id"], CallKind.BOARD)
        digest = _digest(picture.png)
        photo = self._files.get(digest) or InputFile(picture.png, picture.name)
        sent = await bot.send_photo(photo=photo, caption=caption, **where)
        self._remember(sent, digest)
        return sent

    async def _edit_photo(self, bot: Bot, picture: Picture, caption: str, where: Json) -> None:
        """Replace a message's picture by another, or by an animation where that is allowed."""
        moving = picture.animation
        if moving is not None:
            file = InputFile(moving.gif, moving.name, attach=True)
            try:
                await self._edit_media(bot, InputMediaAnimation(file, caption, PARSE_MODE), _digest(moving.gif), where)
            except BadRequest as error:
                if not mentions(error, NO_ANIMATIONS):
                    raise
                self.budget.acquire(where["chat_id"], CallKind.BOARD)
            else:
                return
        digest = _digest(picture.png)
        photo = self._files.get(digest) or InputFile(picture.png, picture.name, attach=True)
        await self._edit_media(bot, InputMediaPhoto(photo, caption, PARSE_MODE), digest, where)

    async def _edit_media(
        self, bot: Bot, media: InputMediaAnimation | InputMediaPhoto, digest: str, where: Json
    ) -> None:
        """Show a picture in a message; if that shows it already, change only its text and buttons."""
        key = (where["chat_id"], where["message_id"])
        if self._pictures.get(key) == digest:
            await bot.edit_message_caption(caption=media.caption, parse_mode=PARSE_MODE, **where)
            return
        edited = await bot.edit_message_media(media=media, **where)
        self._pictures[key] = digest
        if isinstance(edited, Message):
            self._remember(edited, digest)

    def _remember(self, message: Message, digest: str) -> None:
        if message.photo:
            self._files[digest] = message.photo[-1].file_id
            self._pictures[message.chat.id, message.message_id] = digest

    @asynccontextmanager
    async def _call_bot(self, place: Place, kind: CallKind | None) -> AsyncIterator[Bot]:
        """Yield the bot for a call of a kind to a place (None: not rate-limited); Undeliverable, TryLater."""
        bot, chat = self.require_bot(), chat_of(place)
        if kind is not None:
            self.budget.acquire(chat, kind)
        try:
            yield bot
        except RetryAfter as error:
            self.budget.pause(chat, retry_after(error))
            raise translate_telegram_error(error) from error
        except ChatMigrated as error:
            new = str(error.new_chat_id)
            await self._store.places.move_channel(PLATFORM, place.channel, new, self.context.clock())
            raise _ChatMoved(new) from error
        except TelegramError as error:
            if mentions(error, NOT_MODIFIED):
                return
            if mentions(error, LOST_FILE):
                self._files.clear()
                raise TryLater(1.0) from error
            raise translate_telegram_error(error) from error
