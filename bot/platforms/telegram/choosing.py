"""Choosing by taps on a keyboard shared by a chat: the meaning of a tap, and the next question.

Presses of buttons are interpreted, handled, and answered immediately and only once.

No message can be sent below an inline message: replies that are too long for an alert go to the private chat.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import structlog
from cachetools import FIFOCache
from telegram import CallbackQuery, MaybeInaccessibleMessage, Message
from telegram.error import BadRequest, TelegramError

from bot.kernel.cards import Card
from bot.kernel.choices import column_name
from bot.kernel.operations.clock import Times
from bot.kernel.operations.listening import log_outage
from bot.kernel.presses import Press
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE, row_name
from bot.kernel.requests import Place, Reply, Request, TryLater
from bot.kernel.texts import Speaker, strip_styles
from bot.platforms.app import Tavoliere
from bot.platforms.telegram.adapter import CLAIM_RETRY_SECONDS
from bot.platforms.telegram.answers import MAX_ALERT_LENGTH, TelegramAnswers
from bot.platforms.telegram.calls import CallKind, Chat
from bot.platforms.telegram.client import OLD_QUERY, mentions
from bot.platforms.telegram.decode import (
    ANONYMOUS_ADMINISTRATOR,
    COMMENTS_THREAD_PREFIX,
    HELP_PARAMETER,
    PLATFORM,
    place_of,
    request_of_tap,
    shown_keyboard,
    thread_of,
    user_of,
)
from bot.platforms.telegram.inline_games import InlineGames
from bot.platforms.telegram.layout import (
    INLINE_MESSAGE,
    chat_of,
    choice_keyboard,
    decode_offer,
    find_choice_press,
    inline_place,
    is_board,
    tapped_chat,
)
from bot.platforms.telegram.markup import (
    ANSWER_MARK,
    CELL_PRESS,
    NO_ACTION_PRESS,
    Keyboard,
    list_presses,
    read_answers,
    read_button,
    truncate,
    utf16_length,
)
from storage import StorageError, Store

CHOICE_CACHE_SIZE: Final = 4000
CHOICE_LIFETIME: Final = timedelta(minutes=10)
"""Time for which an abandoned partial choice is stored."""
CLEANUP_INTERVAL_SECONDS: Final = 3600.0
MAX_TAP_AGE_SECONDS: Final = 30.0
"""Maximum age of a tap that stores a partial choice, in seconds; Telegram waits longer for a response."""
_KEY_PREFIX: Final = "half:"


CHOICE_PRESSES: Final = (PUBLIC_CHOICE, PRIVATE_CHOICE)


@dataclass(slots=True)
class Tap:
    """A tap on a button of a message: the request that it makes and, once it is handled, its meaning and the reply.

    `since` is its monotonic time in seconds, `late` the wait of the board's next change in words.
    """

    query: CallbackQuery
    request: Request
    message: str
    voice: Speaker
    pressed: Press | None = None
    reply: Reply = field(default_factory=Reply)
    late: str = ""
    since: float = field(default_factory=time.monotonic)

    @property
    def chat(self) -> Chat:
        """The rate limit key of its chat."""
        return chat_of(self.request.place)

    @property
    def key(self) -> str:
        """The key of its person's partial choice on the board."""
        return f"{_KEY_PREFIX}{self.chat}:{self.message}:{self.query.from_user.id}"


@dataclass(frozen=True, slots=True)
class PartialChoice:
    """The possible next taps in a game at a revision: the payload of each answer, by name."""

    game: str
    revision: int
    answers: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """The names of the answers (cells, kinds of action, actions), without columns whose cells are listed."""
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

    def is_reachable(self, shown: Keyboard | None, *, in_two_taps: bool) -> bool:
        """Return True if all answers can be tapped on a keyboard.

        `in_two_taps`: also if some need two taps, their column, then their row.
        """
        there = _choices_on_keyboard(shown, self.game)
        columns = {column_name(cell) for cell in self._cells}
        asked = columns & self.answers.keys()
        later = [name for name in self.names if name not in there]
        if any(name not in self._cells or row_name(name) not in there for name in later):
            return False
        if not later or len(columns) == 1 or (asked and all(column_name(name) in asked & there for name in later)):
            return True
        return in_two_taps and columns <= there

    @property
    def _cells(self) -> list[str]:
        return [name for name in self.answers if row_name(name) and column_name(name).isalpha()]


class PartialChoices:
    """The partial choice of each person on each board.

    A partial choice becomes invalid when the game changes. With several processes it is in the database: Telegram
    delivers a person's taps one after the other, the next when the previous one is answered with success (a queue for
    each person in tdlib/telegram-bot-api, WebhookActor.cpp), and we answer a tap after storing its choice.
    """

    def __init__(self, store: Store, clock: Times) -> None:
        self._store = store
        self._clock = clock
        self._known: FIFOCache[str, PartialChoice] = FIFOCache(CHOICE_CACHE_SIZE)
        self._tidied: float | None = None

    async def find(self, tap: Tap, pressed: Press) -> PartialChoice | None:
        """Return a person's partial choice on a board, if it has the game and revision of a press."""
        try:
            found = await self._load(tap) if self._store.is_shared else self._known.get(tap.key)
        except StorageError:
            return None  # the request cannot be handled now, and its reply says so
        if found is None or (found.game, found.revision) != (pressed.game, pressed.revision):
            return None
        return found

    async def store(self, tap: Tap, half: PartialChoice) -> bool:
        """Store a person's partial choice on a board; return False if that fails."""
        if not self._store.is_shared:
            self._known[tap.key] = half
            return True
        if time.monotonic() - tap.since > MAX_TAP_AGE_SECONDS:
            # Telegram may have delivered this tap again to another process, and later taps, too.
            return False
        now = self._clock()
        record = {"tap": tap.query.id, "at": now.isoformat(), "game": half.game, "revision": half.revision}
        record["answers"] = dict(half.answers)
        try:
            await self._store.key_values.set(PLATFORM, tap.key, record)
            await self._delete_expired(now)
        except StorageError:
            return False
        return True

    async def forget(self, tap: Tap) -> bool:
        """Delete a person's partial choice on a board; return False if that fails."""
        if not self._store.is_shared:
            self._known.pop(tap.key, None)
            return True
        try:
            if await self._store.key_values.get(PLATFORM, tap.key) is not None:
                await self._store.key_values.set(PLATFORM, tap.key, None)
        except StorageError:
            return False
        return True

    async def _load(self, tap: Tap) -> PartialChoice | None:
        stored = await self._store.key_values.get(PLATFORM, tap.key)
        # A redelivered tap must not be taken for the answer to its own question.
        if (
            stored is None
            or stored["tap"] == tap.query.id
            or self._clock() - datetime.fromisoformat(stored["at"]) > CHOICE_LIFETIME
        ):
            return None
        return PartialChoice(stored["game"], stored["revision"], stored["answers"])

    async def _delete_expired(self, now: datetime) -> None:
        """Delete abandoned choices, at most once per CLEANUP_INTERVAL_SECONDS."""
        seconds = self._clock.monotonic()
        if self._tidied is not None and seconds - self._tidied < CLEANUP_INTERVAL_SECONDS:
            return
        self._tidied = seconds
        for name, stored in (await self._store.key_values.get_with_prefix(PLATFORM, _KEY_PREFIX)).items():
            if now - datetime.fromisoformat(stored["at"]) > CHOICE_LIFETIME:
                await self._store.key_values.set(PLATFORM, name, None)


def _choices_on_keyboard(shown: Keyboard | None, game: str) -> set[str]:
    """Return the names on a keyboard's buttons for choosing in a game."""
    read = (each for each in map(read_button, list_presses(shown)) if each is not None and each.game == game)
    return {each.path[-1] for each in read if each.deed in (CELL_PRESS, *CHOICE_PRESSES) and each.path}


MAX_KEYBOARD_ATTEMPTS: Final = 300
"""Maximum attempts to restore the buttons of a choice; they last longer than the usual database outage."""
MAX_KEYBOARD_WAIT_SECONDS: Final = 2.0
"""Maximum seconds to wait for other buttons if one more tap has the same effect."""

log = structlog.get_logger(__name__)


def join_alerts(said: str, late: str) -> str:
    """Return a text, shortened if necessary, followed by the wait in words."""
    if not said or not late:
        return truncate(said or late, MAX_ALERT_LENGTH)
    return f"{truncate(said, MAX_ALERT_LENGTH - utf16_length(late) - 1)}\n{late}"


def _labels(query: CallbackQuery) -> dict[str, str]:
    """Return the labels of the tapped board's buttons by name, since names of kinds and dice are not readable."""
    buttons = [button for row in shown_keyboard(query.message) or () for button in row]
    named = ((read_button(button.get("callback_data")), str(button["text"])) for button in buttons)
    return {read.path[-1]: label.removeprefix(ANSWER_MARK) for read, label in named if read is not None and read.path}


def _with_answers(said: str, labels: list[str], voice: Speaker, all_in_view: bool) -> str:
    """Return a question with its answers, shortened to fit into an alert, or with a hint to tap a column first."""
    fitting = truncate(said, MAX_ALERT_LENGTH)
    listed = f"{fitting}\n{', '.join(labels)}"
    if utf16_length(listed) <= MAX_ALERT_LENGTH:
        return listed
    if not all_in_view:
        return join_alerts(said, voice.line("key.column-first"))
    shortened = (f"{fitting}\n{', '.join(labels[:count])} …" for count in range(len(labels) - 1, 0, -1))
    return next((each for each in shortened if utf16_length(each) <= MAX_ALERT_LENGTH), fitting)


async def find_place(store: Store, message: MaybeInaccessibleMessage) -> Place:
    """Return the place of a message; the comments below a channel's post are one.

    Telegram marks only replies to the post itself, but every message of a thread names the thread's first message. So
    the threads that are known to be comments are stored.
    """
    thread, values = thread_of(message), store.key_values
    key = f"{COMMENTS_THREAD_PREFIX}:{message.chat.id}:"
    with suppress(StorageError):  # the request cannot be handled now, and its reply says so
        if thread is not None and thread.startswith(COMMENTS_THREAD_PREFIX):
            name = key + thread.removeprefix(COMMENTS_THREAD_PREFIX)
            if await values.get(PLATFORM, name) is None:
                await values.set(PLATFORM, name, {})
        elif (
            thread is None
            and isinstance(message, Message)
            and (begun := message.message_thread_id) is not None
            and await values.get(PLATFORM, f"{key}{begun}") is not None
        ):
            thread = f"{COMMENTS_THREAD_PREFIX}{begun}"
    return place_of(message.chat, thread)


class Taps:
    """Passes presses of buttons to the program and shows its replies."""

    def __init__(self, front: Tavoliere, answers: TelegramAnswers, games: InlineGames) -> None:
        self._front = front
        self._answers = answers
        self._adapter = answers.adapter
        self._store = answers.store
        self._games = games
        self.halves = PartialChoices(answers.store, front.context.clock)

    async def handle_tap(self, query: CallbackQuery) -> None:
        """Handle a press; return when its result is stored and its reply is shown, or queued for the rate limit."""
        message, data, bot = query.message, query.data, self._answers.bot()
        if bot is None or data is None or data == NO_ACTION_PRESS:
            await self._reply(query)
        elif query.inline_message_id is not None:
            await self._handle_inline_tap(query, query.inline_message_id, data, bot.token)
        elif message is None:
            await self._reply(query)
        else:
            await self._handle_chat_tap(query, message, data)

    async def _handle_chat_tap(self, query: CallbackQuery, message: MaybeInaccessibleMessage, data: str) -> None:
        # Inline messages in this chat share its limit.
        self._adapter.budget.alias(tapped_chat(query), message.chat.id)
        owner, voice = await self._answers.ephemeral.find_owner(message), self._answers.voice(query.from_user)
        # Telegram names the person who presses, even if they wrote anonymously.
        if owner not in (None, query.from_user.id, ANONYMOUS_ADMINISTRATOR):
            await self._reply(query, voice.line("not-yours"), alert=True)
            return
        request = request_of_tap(query, await find_place(self._store, message), str(message.message_id))
        tap = Tap(query, request, str(message.message_id), voice)
        card = await self._press(tap, data)
        if card is not None:
            await self._show(tap, card, message)

    async def _handle_inline_tap(self, query: CallbackQuery, message: str, data: str, token: str) -> None:
        place, voice = inline_place(message), self._answers.voice(query.from_user)
        self._adapter.budget.alias(chat_of(place), tapped_chat(query))
        brings = decode_offer(data, token)
        if brings is not None:
            own = brings.user == query.from_user.id
            try:
                game, refused = await self._games.show_game(message, brings, user_of(query.from_user) if own else None)
            except StorageError as error:
                log_outage(log, "inline-press-without-the-database", error)
                await self._reply(query, voice.line("refusal.unavailable"), alert=True)
                return
            if game is None:
                said = strip_styles(refused.card.text) if refused.card is not None else voice.line("inline.gone")
                await self._reply(query, said, alert=True)
                return
            if own or not game.is_lobby:
                await self._reply(query)
                return
            data = str(Press("join", game.id, game.revision))
        tap = Tap(query, request_of_tap(query, place), INLINE_MESSAGE, voice)
        card = await self._press(tap, data)
        if card is not None:
            await self._show_inline(tap, card)

    async def _press(self, tap: Tap, data: str) -> Card | None:
        """Handle a press in the context of earlier ones; return the card to show, None if it is answered already."""
        pressed, answers = read_button(data), False
        if pressed is not None and pressed.deed in (CELL_PRESS, *CHOICE_PRESSES):
            meant = await self._interpret_tap(tap, pressed)
            if meant is None:
                return None
            answers = meant != str(pressed)
            data, pressed = meant, read_button(meant)
        tap.pressed, tap.late = pressed, self._answers.waiting_words(tap.chat, CallKind.BOARD, tap.voice)
        tap.reply = await self._front.press(tap.request, data)
        card = tap.reply.card
        if card is None or (answers and find_choice_press(card) is None):
            await self.halves.forget(tap)
        if card is None:
            await self._reply(tap.query, tap.late)
        return card

    async def _answer_on_board(self, tap: Tap, card: Card, shown: Keyboard | None) -> bool:
        """Answer a press on an old board, or one that leaves a choice open; return False for any other press."""
        pressed = tap.pressed
        if pressed is None:
            return False
        if tap.reply.stale and pressed.game:
            waits = await self._answers.waiting_board_words(tap.request.place, pressed.game, tap.voice)
            await self._reply(tap.query, strip_styles(card.text), waits, alert=True)
            return True
        asked = find_choice_press(card)
        if asked is None or pressed.deed not in CHOICE_PRESSES:
            return False
        if asked.revision == pressed.revision:
            await self._ask_rest(tap, shown, card, asked, pressed)
            return True
        await self.halves.forget(tap)
        return False

    async def _show(self, tap: Tap, card: Card, message: MaybeInaccessibleMessage) -> None:
        """Answer a press, and show a card that does not fit into the answer."""
        query, request, reply, answers = tap.query, tap.request, tap.reply, self._answers
        place, in_group = request.place, request.place.kind == "group"
        note = answers.waiting_words(tap.chat, CallKind.NOTE, tap.voice)
        if reply.secret and in_group:
            if not await self._show_in_private(tap, card, tap.pressed):
                await self._reply(query, note)
                await answers.show_to_one(request, answers.secret_card(tap.voice), message)
            return
        if await self._answer_on_board(tap, card, shown_keyboard(message)):
            return
        # A card for the private chat replaces no message in the group.
        replaces = reply.update and not (reply.link and in_group)
        if replaces and (_can_show(message, card) if not reply.private else await answers.is_own(message)):
            await self._reply(query, answers.waiting_words(tap.chat, CallKind.KEYBOARD, tap.voice))
            await answers.edit(place, tap.message, card, request)
            return
        said = strip_styles(card.text)
        if find_choice_press(card) is not None and await answers.is_on_board(card, place) is not False:
            await self._reply(query, said, tap.late)
            return
        if not reply.private:
            await self._reply(query, note)
            await answers.post(place, card, f"tap:{query.id}")
            return
        if reply.apart and in_group and await self._show_in_private(tap, card, read_button(reply.link)):
            return
        if replaces or (_is_bare(card) and utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._reply(query, said, tap.late if replaces else "", alert=not replaces)
            return
        await self._reply(query, note)
        await answers.show_to_one(request, card, message)

    async def _show_inline(self, tap: Tap, card: Card) -> None:
        """Answer a press on an inline message: with a notification, with the board's buttons, or in private."""
        query, reply, pressed, said = tap.query, tap.reply, tap.pressed, strip_styles(card.text)
        # Another process may have changed the buttons.
        channel = tap.request.place.channel
        shown = None if self._store.is_shared else self._adapter.inline_keyboards.get(channel)
        if await self._answer_on_board(tap, card, shown):
            return
        if find_choice_press(card) is not None and pressed is not None and pressed.deed in CHOICE_PRESSES:
            await self._reply(query, said, tap.late)
            return
        if not reply.secret and _is_bare(card) and (reply.update or utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._reply(query, said, tap.late if reply.update else "", alert=not reply.update)
            return
        if await self._show_in_private(tap, card, pressed):
            return
        help_link = self._adapter.game_link(HELP_PARAMETER)
        if reply.secret and help_link is not None:
            await self._reply(query, url=help_link.address)
        else:
            await self._reply(query, said, alert=True)

    async def _show_in_private(self, tap: Tap, card: Card, pressed: Press | None) -> bool:
        """Send a card to the private chat, or open the link that does the same as a press there; False without one."""
        if await self._answers.send_in_private(tap.request, card):
            await self._reply(tap.query, tap.voice.line("apart"))
            return True
        link = self._answers.private_link(pressed)
        if link is not None:
            await self._reply(tap.query, url=link)
        return link is not None

    async def _interpret_tap(self, tap: Tap, pressed: Press) -> str | None:
        """Return the payload of a tap in the context of earlier ones, None if the tap is answered already."""
        query, voice, half = tap.query, tap.voice, await self.halves.find(tap, pressed)
        name = pressed.path[-1] if pressed.path else ""
        carried = half.press_for(name) if half is not None else None
        if carried is not None:
            return carried
        within = half.in_column(name) if half is not None else None
        if within is not None and await self.halves.store(tap, within):
            await self._reply(query, voice.line("key.column", column=name, choices=within.names))
            return None
        if pressed.deed != CELL_PRESS:
            return str(pressed)
        if half is None and self._adapter.outbox.is_waiting(tap.chat, tap.message):
            late = self._answers.waiting_words(tap.chat, CallKind.KEYBOARD, voice)
            await self._reply(query, voice.line("key.changing"), late)
        elif half is None:
            await self._reply(query, voice.line("key.first"))
        else:
            named = _labels(query)
            choices = [named.get(each, each) for each in half.names]
            await self._reply(query, voice.line("key.other", name=named.get(name, name), choices=choices))
        return None

    async def _ask_rest(self, tap: Tap, shown: Keyboard | None, card: Card, asked: Press, pressed: Press) -> None:
        """Ask for the rest of a partial choice: in words if its buttons are shown, otherwise with new buttons."""
        query, answers, said = tap.query, read_answers(card), strip_styles(card.text)
        half = PartialChoice(asked.game, asked.revision, answers.presses) if answers.goes_on else None
        wait = self._adapter.budget.seconds_to_wait(tap.chat, CallKind.KEYBOARD)
        there = half is not None and half.is_reachable(shown, in_two_taps=wait > MAX_KEYBOARD_WAIT_SECONDS)
        if half is not None and there and await self.halves.store(tap, half):
            if half.names == list(pressed.path[-1:]):  # the same button confirms
                await self._reply(query, said, tap.voice.line("key.again", name=half.names[0]))
            else:
                all_in_view = set(half.names) <= _choices_on_keyboard(shown, half.game)
                await self._reply(query, _with_answers(said, answers.labels, tap.voice, all_in_view))
            return
        if not await self.halves.forget(tap):
            # A remembered choice would change the meaning of taps on the new buttons.
            await self._reply(query, tap.voice.line("key.first"))
            return
        await self._reply(query, said, self._answers.waiting_words(tap.chat, CallKind.KEYBOARD, tap.voice))
        await self._put_choices(tap, choice_keyboard(card, shown), asked, board=is_board(shown))

    async def _put_choices(self, tap: Tap, keyboard: Keyboard, asked: Press, *, board: bool) -> None:
        """Change only the buttons of the pressed message; its board is drawn once per turn."""
        place, message = tap.request.place, tap.message
        tried = done = False

        async def work() -> None:
            nonlocal tried, done
            if not done:
                async with self._adapter.message_lock(place, message):
                    moved_on = await self._has_moved_on(asked)
                    if moved_on and not tried:
                        return  # these buttons are outdated: the board shows the change, or will
                    if not moved_on:
                        tried = True  # set first, since only the response may get lost
                        await self._adapter.put_keyboard(place, message, keyboard)
                    done = True
            if self._store.is_shared and await self._has_moved_on(asked):
                # Another process may have changed the message at the same time.
                await self._adapter.restore_board(place, message, asked.revision, board=board)

        await self._adapter.outbox.put(tap.chat, message, CallKind.KEYBOARD, work, most=MAX_KEYBOARD_ATTEMPTS)

    async def _has_moved_on(self, asked: Press) -> bool:
        """Return True if a game has changed since a press's revision; TryLater if that is unknown."""
        try:
            return await self._store.games.revision(asked.game) != asked.revision
        except StorageError as error:
            # The game may have changed just before the outage, and a newer board may be shown already.
            raise TryLater(CLAIM_RETRY_SECONDS) from error

    async def _reply(
        self, query: CallbackQuery, said: str = "", late: str = "", *, alert: bool = False, url: str | None = None
    ) -> None:
        """Answer a callback query, which must happen only once and in time.

        `late` is the wait in words, below the text; `url` is a link to the bot to open.
        """
        bot, text = self._answers.bot(), join_alerts(said, late) or None
        if bot is None:
            return
        try:
            await bot.answer_callback_query(query.id, text, show_alert=alert, url=url)
        except BadRequest as error:
            if not mentions(error, OLD_QUERY):
                log.error("press-not-answered", reason=error.message)
        except TelegramError as error:
            log.warning("press-not-answered", reason=error.message)


def _can_show(message: MaybeInaccessibleMessage, card: Card) -> bool:
    """Return True if an edit can turn a message into a card: a picture cannot be removed."""
    return isinstance(message, Message) and (card.picture is not None or message.text is not None)


def _is_bare(card: Card) -> bool:
    """Return True if a card is only text."""
    return not card.rows and card.picture is None and card.file is None
