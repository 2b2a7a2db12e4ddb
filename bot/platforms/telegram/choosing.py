"""Choosing by taps on a keyboard shared by a chat: the meaning of a tap, and the next question.

Presses of buttons are interpreted, handled, and answered immediately and only once.

No message can be sent below an inline message: replies that are too long for an alert go to the private chat.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import structlog
from cachetools import FIFOCache
from telegram import CallbackQuery, MaybeInaccessibleMessage, Message
from telegram.error import BadRequest, TelegramError

from bot.kernel.cards import Card
from bot.kernel.choices import column_name
from bot.kernel.operations.clock import Times
from bot.kernel.operations.listening import log_outage
from bot.kernel.presses import OPEN_PUZZLE, Press
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
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
    PUZZLE_LINK_PREFIX,
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
    encode_payload,
    find_choice_press,
    inline_place,
    is_board,
    tapped_chat,
)
from bot.platforms.telegram.markup import (
    ANSWER_MARK,
    CELL_PRESS,
    NO_ACTION_PRESS,
    ChoiceAnswers,
    Keyboard,
    list_presses,
    read_answers,
    read_button,
    row_name,
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


@dataclass(frozen=True, slots=True)
class BoardTap:
    """A board in a chat, and the user who taps on it: partial choices are per person.

    `tap` is Telegram's id of the tap, `since` its monotonic time in seconds.
    """

    chat: Chat
    message: int
    user: int
    tap: str = field(default="", compare=False)
    since: float = field(default_factory=time.monotonic, compare=False)

    @property
    def name(self) -> str:
        """The key in the store."""
        return f"{_KEY_PREFIX}{self.chat}:{self.message}:{self.user}"


class Reachability(Enum):
    """Whether the answers to a question can be tapped on a shown keyboard."""

    NOT = "not"
    BY_COLUMN = "by column"
    """All can be tapped, but some need two taps: their column, then their row."""
    AT_ONCE = "at once"


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

    def reach(self, shown: Keyboard | None) -> Reachability:
        """Return how far all answers can be tapped on a keyboard."""
        there = set(_choices_on_keyboard(shown, self.game))
        columns = {column_name(cell) for cell in self._cells}
        asked = columns & self.answers.keys()
        later = [name for name in self.names if name not in there]
        if not later:
            return Reachability.AT_ONCE
        if any(name not in self._cells or row_name(name) not in there for name in later):
            return Reachability.NOT
        if len(columns) == 1 or (asked and all(column_name(name) in asked & there for name in later)):
            return Reachability.AT_ONCE
        return Reachability.BY_COLUMN if columns <= there else Reachability.NOT

    def is_in_view(self, shown: Keyboard | None) -> bool:
        """Return True if each answer has its own button on a keyboard."""
        return set(self.names) <= set(_choices_on_keyboard(shown, self.game))

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
        self._known: FIFOCache[BoardTap, PartialChoice] = FIFOCache(CHOICE_CACHE_SIZE)
        self._missing: FIFOCache[str, str] = FIFOCache(CHOICE_CACHE_SIZE)
        """The last tap for which no choice was stored, by key of board and person."""
        self._tidied: float | None = None

    async def find(self, spot: BoardTap, pressed: Press) -> PartialChoice | None:
        """Return a person's partial choice on a board, if it has the game and revision of a press."""
        try:
            found = await self._load(spot) if self._store.is_shared else self._known.get(spot)
        except StorageError:
            return None  # the request cannot be handled now, and its reply says so
        if found is None or (found.game, found.revision) != (pressed.game, pressed.revision):
            return None
        return found

    async def store(self, spot: BoardTap, half: PartialChoice) -> bool:
        """Store a person's partial choice on a board; return False if that fails."""
        if not self._store.is_shared:
            self._known[spot] = half
            return True
        if time.monotonic() - spot.since > MAX_TAP_AGE_SECONDS:
            # Telegram may have delivered this tap again to another process, and later taps, too.
            return False
        now = self._clock()
        record = {"tap": spot.tap, "at": now.isoformat(), "game": half.game, "revision": half.revision}
        record["answers"] = dict(half.answers)
        self._missing.pop(spot.name, None)
        try:
            await self._store.key_values.set(PLATFORM, spot.name, record)
            await self._delete_expired(now)
        except StorageError:
            return False
        return True

    async def forget(self, spot: BoardTap) -> bool:
        """Delete a person's partial choice on a board; return False if that fails."""
        if not self._store.is_shared:
            self._known.pop(spot, None)
            return True
        if self._missing.get(spot.name) == spot.tap:
            return True  # this same tap found none stored, and the next tap comes after its answer
        try:
            if await self._store.key_values.get(PLATFORM, spot.name) is not None:
                await self._store.key_values.set(PLATFORM, spot.name, None)
        except StorageError:
            return False
        return True

    async def _load(self, spot: BoardTap) -> PartialChoice | None:
        stored = await self._store.key_values.get(PLATFORM, spot.name)
        if stored is None:
            self._missing[spot.name] = spot.tap
        # A redelivered tap must not be taken for the answer to its own question.
        if (
            stored is None
            or stored["tap"] == spot.tap
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


def partial_choice(answers: ChoiceAnswers) -> PartialChoice | None:
    """Return the partial choice of a question, None if its answers are not remembered."""
    asked = answers.asked
    if asked is None or asked.game is None or not answers.goes_on:
        return None
    return PartialChoice(asked.game, asked.revision, answers.presses)


def _choices_on_keyboard(shown: Keyboard | None, game: str) -> Iterable[str]:
    """Yield the names on a keyboard's buttons for choosing in a game."""
    for data in list_presses(shown):
        read = read_button(data)
        if read is not None and read.game == game and read.deed in (CELL_PRESS, "c", "p") and read.path:
            yield read.path[-1]


MAX_KEYBOARD_ATTEMPTS: Final = 300
"""Maximum attempts to restore the buttons of a choice; they last longer than the usual database outage."""
MAX_KEYBOARD_WAIT_SECONDS: Final = 2.0
"""Maximum seconds to wait for other buttons if one more tap has the same effect."""

log = structlog.get_logger(__name__)


def join_alerts(said: str, late: str) -> str:
    """Return a text, shortened if necessary, followed by the wait in words."""
    return (
        f"{truncate(said, MAX_ALERT_LENGTH - utf16_length(late) - 1)}\n{late}"
        if late
        else truncate(said, MAX_ALERT_LENGTH)
    )


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
    for at, label in enumerate(labels):
        longer = f"{fitting}{', ' if at else chr(10)}{label}"
        if utf16_length(longer) > MAX_ALERT_LENGTH - 2:
            return f"{fitting} …" if at else fitting
        fitting = longer
    return fitting


THREAD_CACHE_SIZE: Final = 2000


class Comments:
    """Register of the threads of a group that are comments below a channel's post.

    Telegram marks only replies to the post itself, but every message of a thread names the thread's first message.
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


_PAYLOAD_PATTERN: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{64 - len(PUZZLE_LINK_PREFIX)}}}")
"""Payloads that fit into a link to a private chat, after the prefix."""


@dataclass(frozen=True, slots=True)
class _Handled:
    """A handled press: its meaning, the reply, and the wait of the board's next change in words."""

    query: CallbackQuery
    spot: BoardTap
    request: Request
    pressed: Press | None
    reply: Reply
    voice: Speaker
    late: str


class Taps:
    """Passes presses of buttons to the program and shows its replies."""

    def __init__(self, front: Tavoliere, answers: TelegramAnswers, comments: Comments, games: InlineGames) -> None:
        self._front = front
        self._answers = answers
        self._adapter = answers.adapter
        self._store = answers.store
        self._comments = comments
        self._games = games
        self.halves = PartialChoices(answers.store, front.context.clock)

    async def handle_tap(self, query: CallbackQuery) -> None:
        """Handle a press; return when its result is stored and its reply is shown, or queued for the rate limit."""
        message, data = query.message, query.data
        if query.inline_message_id is not None:
            await self._handle_inline_tap(query, query.inline_message_id)
            return
        if message is None or data is None or data == NO_ACTION_PRESS:
            await self._reply(query)
            return
        # Inline messages in this chat share its limit.
        self._answers.adapter.budget.alias(tapped_chat(query), message.chat.id)
        owner = await self._answers.ephemeral.find_owner(message)
        # Telegram names the person who presses, even if they wrote anonymously.
        if owner not in (None, query.from_user.id, ANONYMOUS_ADMINISTRATOR):
            voice = self._answers.speaker(query.from_user.language_code)
            await self._reply(query, voice.line("not-yours"), alert=True)
            return
        spot = BoardTap(message.chat.id, message.message_id, query.from_user.id, query.id)
        request = request_of_tap(query, message, await self._comments.place(message))
        handled = await self._press(query, spot, request, data)
        if handled is not None:
            await self._show(handled, message)

    async def _handle_inline_tap(self, query: CallbackQuery, message: str) -> None:
        bot, data = self._answers.bot(), query.data
        if bot is None or data is None or data == NO_ACTION_PRESS:
            await self._reply(query)
            return
        place = inline_place(message)
        self._answers.adapter.budget.alias(chat_of(place), tapped_chat(query))
        brings = decode_offer(data, bot.token)
        if brings is not None:
            voice, own = self._answers.speaker(query.from_user.language_code), brings.user == query.from_user.id
            try:
                code, refused = await self._games.show_game(message, brings, user_of(query.from_user) if own else None)
                row = await self._store.games.get(code) if code is not None else None
            except StorageError as error:
                log_outage(log, "inline-press-without-the-database", error)
                await self._alert(query, voice.line("refusal.unavailable"))
                return
            if row is None:
                said = strip_styles(refused.card.text) if refused.card is not None else voice.line("inline.gone")
                await self._alert(query, said)
                return
            if own or row.status != "lobby":
                await self._reply(query)
                return
            data = str(Press("join", row.id, row.revision))
        spot = BoardTap(chat_of(place), int(INLINE_MESSAGE), query.from_user.id, query.id)
        request = Request(event=f"c{query.id}", user=user_of(query.from_user), place=place, undrawn=True)
        handled = await self._press(query, spot, request, data)
        if handled is not None:
            await self._show_inline(handled)

    async def _press(self, query: CallbackQuery, spot: BoardTap, request: Request, data: str) -> _Handled | None:
        """Handle a press in the context of earlier ones; None if it is answered already."""
        voice = self._answers.speaker(query.from_user.language_code)
        pressed, answers = read_button(data), False
        if pressed is not None and pressed.deed in (CELL_PRESS, PUBLIC_CHOICE, PRIVATE_CHOICE):
            meant = await self._interpret_tap(query, spot, pressed, voice)
            if meant is None:
                return None
            answers = meant != str(pressed)
            data, pressed = meant, read_button(meant)
        late = self._answers.waiting_words(spot.chat, CallKind.BOARD, voice)
        reply = await self._front.press(request, data)
        if reply.card is None or (answers and find_choice_press(reply.card) is None):
            await self.halves.forget(spot)
        return _Handled(query, spot, request, pressed, reply, voice, late)

    async def _alert(self, query: CallbackQuery, said: str) -> None:
        await self._reply(query, truncate(said, MAX_ALERT_LENGTH), alert=True)

    async def _answer_on_board(self, handled: _Handled, card: Card, shown: Keyboard | None) -> bool:
        """Answer a press on an old board, or one that leaves a choice open; return False for any other press."""
        query, pressed, said = handled.query, handled.pressed, strip_styles(card.text)
        if pressed is None:
            return False
        if handled.reply.stale and pressed.game is not None:
            waits = await self._answers.waiting_board_words(handled.request.place, pressed.game, handled.voice)
            await self._reply(query, join_alerts(said, waits), alert=True)
            return True
        asked = find_choice_press(card)
        if asked is None or pressed.deed not in (PUBLIC_CHOICE, PRIVATE_CHOICE):
            return False
        if asked.revision == pressed.revision:
            await self._ask_rest(query, shown, handled.spot, handled.request, card, asked, pressed, handled.voice)
            return True
        await self.halves.forget(handled.spot)
        return False

    async def _show(self, handled: _Handled, message: MaybeInaccessibleMessage) -> None:
        """Answer a press, and show a card that does not fit into the answer."""
        query, request, reply, voice, late = handled.query, handled.request, handled.reply, handled.voice, handled.late
        card, place, answers, pressed = reply.card, request.place, self._answers, handled.pressed
        if card is None:
            await self._reply(query, late or None)
            return
        if reply.secret and place.kind == "group":
            if await answers.send_in_private(request, card):
                await self._reply(query, voice.line("apart"))
            elif pressed is not None and (link := self._private_link(pressed)):
                await self._reply(query, url=link)
            else:
                await self._reply(query, answers.waiting_words(message.chat.id, CallKind.NOTE, voice) or None)
                await answers.show_to_one(place, answers.secret_card(voice), message, query.from_user.id)
            return
        if await self._answer_on_board(handled, card, shown_keyboard(message)):
            return
        # A card for the private chat replaces no message in the group.
        replaces = reply.update and not (reply.link and place.kind == "group")
        if replaces and (_can_show(message, card) if not reply.private else await answers.is_own(message)):
            await self._reply(query, answers.waiting_words(message.chat.id, CallKind.KEYBOARD, voice) or None)
            await answers.edit(place, message.message_id, card, request)
            return
        said = strip_styles(card.text)
        if find_choice_press(card) is not None and await answers.is_on_board(card, place) is not False:
            await self._reply(query, join_alerts(said, late))
            return
        note = answers.waiting_words(message.chat.id, CallKind.NOTE, voice) or None
        if not reply.private:
            await self._reply(query, note)
            await answers.post(place, card, f"tap:{query.id}")
            return
        if reply.apart and await answers.send_in_private(request, card):
            await self._reply(query, voice.line("apart"))
            return
        linked = read_button(reply.link)
        if reply.apart and place.kind == "group" and linked is not None and (link := self._private_link(linked)):
            await self._reply(query, url=link)
            return
        if replaces or (_is_bare(card) and utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._reply(query, join_alerts(said, late if replaces else ""), alert=not replaces)
            return
        await self._reply(query, note)
        await answers.show_to_one(place, card, message, query.from_user.id, request)

    async def _show_inline(self, handled: _Handled) -> None:
        """Answer a press on an inline message: with a notification, with the board's buttons, or in private."""
        query, reply, pressed, late = handled.query, handled.reply, handled.pressed, handled.late
        card, answers, channel = reply.card, self._answers, handled.request.place.channel
        if card is None:
            await self._reply(query, late or None)
            return
        # Another process may have changed the buttons.
        shown = None if answers.store.is_shared else answers.adapter.inline_keyboards.get(channel)
        if await self._answer_on_board(handled, card, shown):
            return
        said = strip_styles(card.text)
        if (
            find_choice_press(card) is not None
            and pressed is not None
            and pressed.deed in (PUBLIC_CHOICE, PRIVATE_CHOICE)
        ):
            await self._reply(query, join_alerts(said, late))
            return
        if not reply.secret and _is_bare(card) and (reply.update or utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._reply(query, join_alerts(said, late if reply.update else ""), alert=not reply.update)
            return
        if await answers.send_in_private(handled.request, card):
            await self._reply(query, handled.voice.line("apart"))
            return
        leads = encode_payload(pressed) if pressed is not None else None
        if leads is None and reply.secret:
            leads = HELP_PARAMETER
        link = self._adapter.game_link(leads) if leads is not None else None
        if link is not None:
            await self._reply(query, url=link.address)
        else:
            await self._alert(query, said)

    def _private_link(self, pressed: Press) -> str | None:
        """Return the link that does the same as a press, in the private chat; it also works for new people.

        Returns None for presses that may not be in a link.
        """
        if pressed.deed == OPEN_PUZZLE:
            payload = f"{PUZZLE_LINK_PREFIX}{pressed.rest}" if _PAYLOAD_PATTERN.fullmatch(pressed.rest) else None
        else:
            payload = encode_payload(pressed)
        link = self._adapter.game_link(payload) if payload is not None else None
        return link.address if link is not None else None

    async def _interpret_tap(self, query: CallbackQuery, spot: BoardTap, pressed: Press, voice: Speaker) -> str | None:
        """Return the payload of a tap in the context of earlier ones, None if the tap is answered already."""
        half = await self.halves.find(spot, pressed)
        name = pressed.path[-1] if pressed.path else ""
        carried = half.press_for(name) if half is not None else None
        if carried is not None:
            return carried
        within = half.in_column(name) if half is not None else None
        if within is not None and await self.halves.store(spot, within):
            await self._reply(
                query, truncate(voice.line("key.column", column=name, choices=within.names), MAX_ALERT_LENGTH)
            )
            return None
        if pressed.deed != CELL_PRESS:
            return str(pressed)
        if half is None and self._adapter.outbox.is_waiting(spot.chat, str(spot.message)):
            late = self._answers.waiting_words(spot.chat, CallKind.KEYBOARD, voice)
            await self._reply(query, join_alerts(voice.line("key.changing"), late))
        elif half is None:
            await self._reply(query, voice.line("key.first"))
        else:
            named = _labels(query)
            choices = [named.get(each, each) for each in half.names]
            said = voice.line("key.other", name=named.get(name, name), choices=choices)
            await self._reply(query, truncate(said, MAX_ALERT_LENGTH))
        return None

    async def _ask_rest(
        self,
        query: CallbackQuery,
        shown: Keyboard | None,
        spot: BoardTap,
        request: Request,
        card: Card,
        asked: Press,
        pressed: Press,
        voice: Speaker,
    ) -> None:
        """Ask for the rest of a partial choice: in words if its buttons are shown, otherwise with new buttons."""
        answers, said = read_answers(card), strip_styles(card.text)
        half = partial_choice(answers)
        wait = self._adapter.budget.seconds_to_wait(spot.chat, CallKind.KEYBOARD)
        reach = half.reach(shown) if half is not None else Reachability.NOT
        there = reach is Reachability.AT_ONCE or (reach is Reachability.BY_COLUMN and wait > MAX_KEYBOARD_WAIT_SECONDS)
        if half is not None and there and await self.halves.store(spot, half):
            if half.names == list(pressed.path[-1:]):  # the same button confirms
                await self._reply(query, join_alerts(said, voice.line("key.again", name=half.names[0])))
                return
            await self._reply(query, _with_answers(said, answers.labels, voice, half.is_in_view(shown)))
            return
        if not await self.halves.forget(spot):
            # A remembered choice would change the meaning of taps on the new buttons.
            await self._reply(query, voice.line("key.first"))
            return
        await self._reply(query, join_alerts(said, self._answers.waiting_words(spot.chat, CallKind.KEYBOARD, voice)))
        await self._put_choices(request, spot, shown, card, asked)

    async def _put_choices(
        self, request: Request, spot: BoardTap, shown: Keyboard | None, card: Card, asked: Press
    ) -> None:
        """Change only the buttons of the pressed message; its board is drawn once per turn."""
        keyboard = choice_keyboard(card, shown)
        place, number = request.place, spot.message
        tried = done = False

        async def work() -> None:
            nonlocal tried, done
            if not done:
                async with self._adapter.message_lock(place, number):
                    moved_on = await self._has_moved_on(asked)
                    if moved_on and not tried:
                        return  # these buttons are outdated: the board shows the change, or will
                    if not moved_on:
                        tried = True  # set first, since only the response may get lost
                        await self._adapter.put_keyboard(place, number, keyboard)
                    done = True
            if self._store.is_shared and await self._has_moved_on(asked):
                # Another process may have changed the message at the same time.
                await self._adapter.restore_board(place, number, asked.revision or 0, board=is_board(shown))

        await self._adapter.outbox.put(chat_of(place), str(number), CallKind.KEYBOARD, work, most=MAX_KEYBOARD_ATTEMPTS)

    async def _has_moved_on(self, asked: Press) -> bool:
        """Return True if a game has changed since a press's revision; TryLater if that is unknown."""
        try:
            return await self._store.games.revision(asked.game or "") != asked.revision
        except StorageError as error:
            # The game may have changed just before the outage, and a newer board may be shown already.
            raise TryLater(CLAIM_RETRY_SECONDS) from error

    async def _reply(
        self, query: CallbackQuery, text: str | None = None, *, alert: bool = False, url: str | None = None
    ) -> None:
        """Answer a callback query, which must happen only once and in time; `url` is a link to the bot to open."""
        bot = self._answers.bot()
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
