"""Display of replies on Telegram: to everybody, temporarily to one person, in private, or as a reaction."""

import asyncio
import math
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog
from cachetools import FIFOCache
from telegram import MaybeInaccessibleMessage, Message, User
from telegram.constants import ReactionEmoji

from bot.kernel.advice import SearchFollower
from bot.kernel.cards import Card, row_buttons
from bot.kernel.post_kinds import MAX_SLEEP_SECONDS, DueWorker
from bot.kernel.presses import OPEN_PUZZLE, Press, private_board
from bot.kernel.requests import OpenBoard, Place, Request, TryLater, Undeliverable
from bot.kernel.texts import Span, Speaker, strip_styles
from bot.platforms.telegram.adapter import TelegramAdapter
from bot.platforms.telegram.calls import CallKind, Chat
from bot.platforms.telegram.decode import HELP_PARAMETER, PLATFORM, PUZZLE_LINK_PREFIX, shown_keyboard
from bot.platforms.telegram.layout import chat_of, encode_payload, find_choice_press, is_board
from bot.platforms.telegram.markup import read_button, utf16_length
from storage import PlaceRow, StorageError

SENTENCE_LIFETIME: Final = timedelta(seconds=30)
"""Lifetime of a short text without buttons."""
CARD_LIFETIME: Final = timedelta(minutes=5)
"""Lifetime of a longer text, or of one with buttons."""
FILE_LIFETIME: Final = timedelta(hours=1)
"""Lifetime of a file."""
ORPHAN_AGE: Final = timedelta(minutes=2)
"""Time after which an overdue message counts as left by a process that is gone."""
_KEY_PREFIX: Final = "passing:"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EphemeralMessage:
    """A message for one person: its owner's Telegram id, and its expiry; `noted`: True if it is stored."""

    chat: int
    message: int
    owner: int
    until: datetime
    noted: bool = True


def _key_of(chat: int, message: int) -> str:
    return f"{_KEY_PREFIX}{chat}:{message}"


class EphemeralMessages(DueWorker):
    """Stores ephemeral messages, so that a restart does not lose them, and deletes them when they expire."""

    def __init__(self, adapter: TelegramAdapter) -> None:
        super().__init__(adapter.context, asyncio.Event(), "telegram-ephemeral")
        self._adapter = adapter
        self._known: dict[str, EphemeralMessage] = {}
        """The messages by the keys under which they are stored."""

    async def restore(self) -> None:
        """Load the messages that an earlier process left; with peer processes, only overdue ones."""
        now = self._clock()
        for name, value in (await self._store.key_values.get_with_prefix(PLATFORM, _KEY_PREFIX)).items():
            until = datetime.fromisoformat(value["until"])
            if not self._store.is_shared or until < now - ORPHAN_AGE:
                chat, message = map(int, name.removeprefix(_KEY_PREFIX).split(":"))
                self._known[name] = EphemeralMessage(chat, message, value["owner"], min(until, now + FILE_LIFETIME))

    async def add(self, chat: int, message: int, owner: int, stay: timedelta) -> None:
        """Register a message to be deleted after a time."""
        name, until = _key_of(chat, message), self._clock() + stay
        self._known[name] = EphemeralMessage(chat, message, owner, until)
        self._wanted.set()
        try:
            await self._store.key_values.set(PLATFORM, name, {"owner": owner, "until": until.isoformat()})
        except StorageError:
            # Only this process knows it: it is not deleted if the program stops first.
            self._known[name] = EphemeralMessage(chat, message, owner, until, noted=False)
            log.warning("ephemeral-message-not-noted", chat=chat)

    def owner(self, chat: int, message: int) -> int | None:
        """Return the owner of a message, None if it is for everybody."""
        ephemeral = self._known.get(_key_of(chat, message))
        return None if ephemeral is None else ephemeral.owner

    async def find_owner(self, message: MaybeInaccessibleMessage) -> int | None:
        """Return the owner of a message sent by any process, None if it is for everybody, such as a board."""
        chat, number = message.chat.id, message.message_id
        owner = self.owner(chat, number)
        if owner is not None or not self._store.is_shared or is_board(shown_keyboard(message)):
            return owner
        try:
            noted = await self._store.key_values.get(PLATFORM, _key_of(chat, number))
        except StorageError:
            return None  # the request will fail, and its reply says so
        return None if noted is None else int(noted["owner"])

    async def _run_due(self) -> bool:
        if self._store.is_shared:
            await self.restore()
        now = self._clock()
        for name, ephemeral in list(self._known.items()):
            if ephemeral.until > now:
                continue
            try:
                await self._remove(name, ephemeral)
            except StorageError:
                raise
            except Exception:
                # Catch everything: it is retried later, and the other messages are deleted now.
                log.exception("ephemeral-message-failed", chat=ephemeral.chat)
                self._known[name] = replace(ephemeral, until=now + ORPHAN_AGE)
        return False

    async def _next_due_at(self) -> datetime | None:
        return min((each.until for each in self._known.values()), default=None)

    async def _remove(self, name: str, ephemeral: EphemeralMessage) -> None:
        values = self._store.key_values
        async with self._store.lock(f"{PLATFORM} {name}") as is_locked:
            # Another process may have found it overdue, and may have deleted it.
            asked = is_locked and ephemeral.noted and self._store.is_shared
            if is_locked and (not asked or await values.get(PLATFORM, name) is not None):
                try:
                    await self._adapter.remove(Place(PLATFORM, str(ephemeral.chat)), ephemeral.message)
                except TryLater as error:
                    wait = timedelta(seconds=error.seconds if error.seconds is not None else MAX_SLEEP_SECONDS)
                    self._known[name] = replace(ephemeral, until=self._clock() + wait)
                    return
                except Undeliverable as error:
                    log.debug("ephemeral-message-gone", chat=ephemeral.chat, reason=error.reason)
                await values.set(PLATFORM, name, None)
            del self._known[name]


MAX_ALERT_LENGTH: Final = 200
PRIVATE_BOARD_CACHE_SIZE: Final = 4000
_PAYLOAD_PATTERN: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{64 - len(PUZZLE_LINK_PREFIX)}}}")
"""Payloads that fit into a link to a private chat, after the prefix."""
NOTICEABLE_WAIT_SECONDS: Final = 1.0
"""Minimum wait in seconds that is shown to the person."""
SEEN_REACTION: Final = ReactionEmoji.OK_HAND_SIGN


class TelegramAnswers:
    """Shows the cards of replies."""

    def __init__(self, adapter: TelegramAdapter, ephemeral: EphemeralMessages, searches: SearchFollower) -> None:
        self.adapter = adapter
        self.ephemeral = ephemeral
        self._searches = searches
        self.store = adapter.context.store
        self.bot = adapter.bot
        self._private_boards: FIFOCache[tuple[str, OpenBoard], str] = FIFOCache(PRIVATE_BOARD_CACHE_SIZE)
        """The newest message of each private board, by its chat."""

    def voice(self, account: User) -> Speaker:
        """Return the speaker of an account's language."""
        return self.adapter.context.speaker(account.language_code, PLATFORM)

    def waiting_words(self, chat: Chat, kind: CallKind, voice: Speaker) -> str:
        """Return the wait of the next message to a chat in words, empty if there is none."""
        wait = self.adapter.budget.seconds_to_wait(chat, kind)
        if wait < NOTICEABLE_WAIT_SECONDS:
            return ""
        return voice.line("waits", n=math.ceil(wait), seconds=math.ceil(wait))

    async def waiting_board_words(self, place: Place, game: str, voice: Speaker) -> str:
        """Return the wait of a game's newest board in a place in words, empty if it is shown already."""
        late = self.waiting_words(chat_of(place), CallKind.BOARD, voice)
        if not late:
            return ""
        try:
            shown = await self.store.posts.list_for_game(game)
        except StorageError:
            return ""
        waiting = any(each.shown_revision != each.revision for each in shown if _is_here(each.place, place))
        return late if waiting else ""

    async def show_to_one(self, request: Request, card: Card, message: object) -> None:
        """Show a card to the person who has sent a message or pressed its button; in a group, for some time."""
        place, chat, owner = request.place, int(request.place.channel), int(request.user.id)
        in_group, answering = place.kind == "group", message.message_id if isinstance(message, Message) else None
        stay = (
            CARD_LIFETIME
            if card.rows or card.picture or utf16_length(strip_styles(card.text)) > MAX_ALERT_LENGTH
            else SENTENCE_LIFETIME
        )
        stay = FILE_LIFETIME if card.file is not None else stay

        async def work() -> None:
            sent = await self.adapter.post(
                place, card, CallKind.NOTE, answering=answering if in_group else None, silent=in_group
            )
            if in_group:
                await self.ephemeral.add(chat, sent.message_id, owner, stay)
            self._note_shown(request, place, card, str(sent.message_id))

        await self.adapter.outbox.put(chat, f"tell:{owner}:{answering}", CallKind.NOTE, work)

    def private_link(self, pressed: Press | None) -> str | None:
        """Return the link that does the same as a press, in the private chat; it also works for new people.

        None for presses that may not be in a link.
        """
        if pressed is None:
            return None
        if pressed.deed == OPEN_PUZZLE:
            payload = f"{PUZZLE_LINK_PREFIX}{pressed.rest}" if _PAYLOAD_PATTERN.fullmatch(pressed.rest) else None
        else:
            payload = encode_payload(pressed)
        link = self.adapter.game_link(payload) if payload is not None else None
        return link.address if link is not None else None

    def secret_card(self, voice: Speaker, press: str = "") -> Card:
        """Return a card that says that an answer is for a private chat that is not open yet, with a link to it.

        If `press` may be in a link, the link does the same as the press.
        """
        help_link = self.adapter.game_link(HELP_PARAMETER)
        address = self.private_link(read_button(press)) or (help_link.address if help_link is not None else None)
        return Card(voice.say("secret", chat=Span(voice.line("secret.chat"), bold=True, link=address)))

    async def send_in_private(self, request: Request, card: Card) -> bool:
        """Send a card to the private chat of a person who asks in a group; return False if that is not possible."""
        if request.place.kind != "group" or request.user.anonymous:
            return False
        place = Place(PLATFORM, request.user.id, kind="private", language=request.user.language)
        try:
            sent = await self.adapter.post(place, card, CallKind.NOTE)
        except (Undeliverable, TryLater) as error:
            log.info("private-answer-refused", reason=str(error))
            return False
        self._note_shown(request, place, card, str(sent.message_id))
        return True

    async def post(self, place: Place, card: Card, name: str) -> None:
        """Show a card to everybody."""
        work = partial(self.adapter.post, place, card, CallKind.NOTE)
        await self.adapter.outbox.put(int(place.channel), name, CallKind.NOTE, work)

    def _note_shown(self, request: Request, place: Place, card: Card, message: str) -> None:
        """Show the result of a search in place of the message that waits for it.

        Take the buttons off the previous message with the same private board: only the newest can be played on.
        """
        self._follow(request, place, card, message)
        board = private_board(button.press for row in card.rows for button in row_buttons(row))
        if board is None:
            return
        earlier = self._private_boards.get((place.channel, board))
        self._private_boards[place.channel, board] = message
        if earlier is not None:
            retire = partial(self.adapter.retire, place, earlier, remove=False)
            self.adapter.outbox.add(int(place.channel), earlier, CallKind.SPARE, retire)

    def _follow(self, request: Request, place: Place, card: Card, message: str) -> None:
        self._searches.follow((place.channel, message), request, card, partial(self.edit, place, message))

    async def edit(self, place: Place, message: str, card: Card, request: Request | None = None) -> None:
        """Replace the content of a message for one person by a card.

        `request` is the answered request, if the result of a search should replace the card.
        """
        if request is not None:
            self._searches.stop((place.channel, message))
            self._follow(request, place, card, message)
        work = partial(self.adapter.edit, place, message, card)
        await self.adapter.outbox.put(int(place.channel), message, CallKind.KEYBOARD, work)

    async def is_on_board(self, card: Card, place: Place) -> bool | None:
        """Return True if the board in the same chat asks the card's question; None if that is unknown."""
        asked = find_choice_press(card)
        if asked is None or not asked.game:
            return False
        try:
            shown = await self.store.posts.list_for_game(asked.game)
        except StorageError:
            return None
        return any(_is_here(each.place, place) for each in shown)

    async def is_own(self, message: object) -> bool:
        """Return True if a message is a reply to one person, and no board for everybody (not even an old one)."""
        if not isinstance(message, Message):
            return False
        if message.chat.type != message.chat.PRIVATE:
            return await self.ephemeral.find_owner(message) is not None
        try:
            found = await self.store.posts.find_by_message(PLATFORM, str(message.chat.id), str(message.message_id))
        except StorageError:
            return False
        return found is None and not is_board(shown_keyboard(message))

    async def react(self, place: Place, message: Message, kind: CallKind) -> bool:
        """React to a person's message instead of replying; return False if that is not possible."""
        try:
            await self.adapter.react(place, message.message_id, SEEN_REACTION, kind)
        except (Undeliverable, TryLater) as error:
            log.debug("reaction-not-set", chat=place.channel, reason=str(error))
            return False
        return True


def _is_here(row: PlaceRow, place: Place) -> bool:
    return (row.platform, row.channel, row.thread) == (place.platform, place.channel, place.thread)
