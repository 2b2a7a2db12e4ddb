"""Presses of buttons: interpreted, handled, and answered immediately and only once.

Into an inline message nothing can be sent: replies that are too long for its answer go to the private chat.
"""

import re
from dataclasses import dataclass
from typing import Final

import structlog
from telegram import CallbackQuery, MaybeInaccessibleMessage, Message

from bot.core.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.interface.cards import Card
from bot.interface.presses import OPEN_PUZZLE, Press
from bot.interface.requests import Front, Reply, Request
from bot.language.texts import Speaker, strip_styles
from bot.operations.outages import log_outage
from bot.telegram.answers import MAX_ALERT_LENGTH, TelegramAnswers
from bot.telegram.cells import CELL_PRESS, NO_ACTION_PRESS, read_button
from bot.telegram.choosing import Choosing, join_alerts
from bot.telegram.comments import Comments
from bot.telegram.decode import (
    ANONYMOUS_ADMINISTRATOR,
    HELP_PARAMETER,
    PUZZLE_LINK_PREFIX,
    request_of_tap,
    shown_keyboard,
    user_of,
)
from bot.telegram.inline import INLINE_MESSAGE, chat_of, decode_offer, encode_payload, inline_place, tapped_chat
from bot.telegram.inline_games import InlineGames
from bot.telegram.keyboards import Keyboard
from bot.telegram.layout import find_choice_press
from bot.telegram.markup import truncate, utf16_length
from bot.telegram.partial_choices import BoardTap
from bot.telegram.rate_limits import CallKind
from storage import StorageError

_PAYLOAD_PATTERN: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{64 - len(PUZZLE_LINK_PREFIX)}}}")
"""Payloads that fit into a link to a private chat, after its prefix."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Handled:
    """A press that was handled: what it meant, the reply, and how long the board's next change will have to wait."""

    query: CallbackQuery
    spot: BoardTap
    request: Request
    pressed: Press | None
    reply: Reply
    voice: Speaker
    late: str


class Taps:
    """Passes presses of buttons to the program, and shows its replies."""

    def __init__(
        self, front: Front, answers: TelegramAnswers, comments: Comments, choosing: Choosing, games: InlineGames
    ) -> None:
        self._front = front
        self._answers = answers
        self._comments = comments
        self._choosing = choosing
        self._games = games

    async def handle_tap(self, query: CallbackQuery) -> None:
        """Handle a press; return when its work is stored and its reply shown, or queued for the rate limit."""
        message, data = query.message, query.data
        if query.inline_message_id is not None:
            await self._handle_inline_tap(query, query.inline_message_id)
            return
        if message is None or data is None or data == NO_ACTION_PRESS:
            await self._choosing.reply(query)
            return
        # Inline messages in this chat share its limit.
        self._answers.adapter.budget.alias(tapped_chat(query), message.chat.id)
        owner = await self._answers.ephemeral.find_owner(message)
        # Telegram says who presses, also if they wrote anonymously.
        if owner not in (None, query.from_user.id, ANONYMOUS_ADMINISTRATOR):
            voice = self._answers.speaker(query.from_user.language_code)
            await self._choosing.reply(query, voice.line("not-yours"), alert=True)
            return
        spot = BoardTap(message.chat.id, message.message_id, query.from_user.id, query.id)
        request = request_of_tap(query, message, await self._comments.place(message))
        handled = await self._press(query, spot, request, data)
        if handled is not None:
            await self._show(handled, message)

    async def _handle_inline_tap(self, query: CallbackQuery, message: str) -> None:
        bot, data = self._answers.bot(), query.data
        if bot is None or data is None or data == NO_ACTION_PRESS:
            await self._choosing.reply(query)
            return
        place = inline_place(message)
        self._answers.adapter.budget.alias(chat_of(place), tapped_chat(query))
        brings = decode_offer(data, bot.token)
        if brings is not None:
            voice, own = self._answers.speaker(query.from_user.language_code), brings.user == query.from_user.id
            try:
                code, refused = await self._games.show_game(message, brings, user_of(query.from_user) if own else None)
                row = await self._games.find_game(code) if code is not None else None
            except StorageError as error:
                log_outage(log, "inline-press-without-the-database", error)
                await self._alert(query, voice.line("refusal.unavailable"))
                return
            if row is None:
                said = strip_styles(refused.card.text) if refused.card is not None else voice.line("inline.gone")
                await self._alert(query, said)
                return
            if own or row.status != "lobby":
                await self._choosing.reply(query)
                return
            data = str(Press("join", row.id, row.revision))
        spot = BoardTap(chat_of(place), int(INLINE_MESSAGE), query.from_user.id, query.id)
        request = Request(event=f"c{query.id}", user=user_of(query.from_user), place=place, undrawn=True)
        handled = await self._press(query, spot, request, data)
        if handled is not None:
            await self._show_inline(handled)

    async def _press(self, query: CallbackQuery, spot: BoardTap, request: Request, data: str) -> _Handled | None:
        """Carry out what a press means after earlier ones; None if it is answered already."""
        voice = self._answers.speaker(query.from_user.language_code)
        pressed, answers = read_button(data), False
        if pressed is not None and pressed.deed in (CELL_PRESS, PUBLIC_CHOICE, PRIVATE_CHOICE):
            meant = await self._choosing.interpret_tap(query, spot, pressed, voice)
            if meant is None:
                return None
            answers = meant != str(pressed)
            data, pressed = meant, read_button(meant)
        late = self._answers.waiting_words(spot.chat, CallKind.BOARD, voice)
        reply = await self._front.press(request, data)
        if reply.card is None or (answers and find_choice_press(reply.card) is None):
            await self._choosing.halves.forget(spot)
        return _Handled(query, spot, request, pressed, reply, voice, late)

    async def _alert(self, query: CallbackQuery, said: str) -> None:
        await self._choosing.reply(query, truncate(said, MAX_ALERT_LENGTH), alert=True)

    async def _answer_on_board(self, handled: _Handled, card: Card, shown: Keyboard | None) -> bool:
        """Answer a press on an old board, or one that leaves a choice open; False for every other one."""
        query, pressed, said = handled.query, handled.pressed, strip_styles(card.text)
        if pressed is None:
            return False
        if handled.reply.stale and pressed.game is not None:
            waits = await self._answers.waiting_board_words(handled.request.place, pressed.game, handled.voice)
            await self._choosing.reply(query, join_alerts(said, waits), alert=True)
            return True
        asked = find_choice_press(card)
        if asked is None or pressed.deed not in (PUBLIC_CHOICE, PRIVATE_CHOICE):
            return False
        if asked.revision == pressed.revision:
            await self._choosing.ask_rest(
                query, shown, handled.spot, handled.request, card, asked, pressed, handled.voice
            )
            return True
        await self._choosing.halves.forget(handled.spot)
        return False

    async def _show(self, handled: _Handled, message: MaybeInaccessibleMessage) -> None:
        """Answer a press, and show what does not fit into the answer."""
        query, request, reply, voice, late = handled.query, handled.request, handled.reply, handled.voice, handled.late
        card, place, answers, pressed = reply.card, request.place, self._answers, handled.pressed
        if card is None:
            await self._choosing.reply(query, late or None)
            return
        if reply.secret and place.kind == "group":
            if await answers.send_in_private(request, card):
                await self._choosing.reply(query, voice.line("apart"))
            elif pressed is not None and (link := self._private_link(pressed)):
                await self._choosing.reply(query, url=link)
            else:
                await self._choosing.reply(query, answers.waiting_words(message.chat.id, CallKind.NOTE, voice) or None)
                await answers.show_to_one(place, answers.secret_card(voice), message, query.from_user.id)
            return
        if await self._answer_on_board(handled, card, shown_keyboard(message)):
            return
        if reply.update and (_can_show(message, card) if not reply.private else await answers.is_own(message)):
            await self._choosing.reply(query, answers.waiting_words(message.chat.id, CallKind.KEYBOARD, voice) or None)
            await answers.edit(place, message.message_id, card, request)
            return
        said = strip_styles(card.text)
        if find_choice_press(card) is not None and await answers.is_on_board(card, place) is not False:
            await self._choosing.reply(query, join_alerts(said, late))
            return
        note = answers.waiting_words(message.chat.id, CallKind.NOTE, voice) or None
        if not reply.private:
            await self._choosing.reply(query, note)
            await answers.post(place, card, f"tap:{query.id}")
            return
        if reply.apart and await answers.send_in_private(request, card):
            await self._choosing.reply(query, voice.line("apart"))
            return
        linked = read_button(reply.link)
        if reply.apart and place.kind == "group" and linked is not None and (link := self._private_link(linked)):
            await self._choosing.reply(query, url=link)
            return
        if reply.update or (_is_bare(card) and utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._choosing.reply(query, join_alerts(said, late if reply.update else ""), alert=not reply.update)
            return
        await self._choosing.reply(query, note)
        await answers.show_to_one(place, card, message, query.from_user.id, request)

    async def _show_inline(self, handled: _Handled) -> None:
        """Answer a press on an inline message: with a short notification, the board's own buttons, or in private."""
        query, reply, pressed, late = handled.query, handled.reply, handled.pressed, handled.late
        card, answers, channel = reply.card, self._answers, handled.request.place.channel
        if card is None:
            await self._choosing.reply(query, late or None)
            return
        # The buttons may have been changed by another process.
        shown = None if answers.store.is_shared else answers.adapter.inline_keyboards.get(channel)
        if await self._answer_on_board(handled, card, shown):
            return
        said = strip_styles(card.text)
        if (
            find_choice_press(card) is not None
            and pressed is not None
            and pressed.deed in (PUBLIC_CHOICE, PRIVATE_CHOICE)
        ):
            await self._choosing.reply(query, join_alerts(said, late))
            return
        if not reply.secret and _is_bare(card) and (reply.update or utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._choosing.reply(query, join_alerts(said, late if reply.update else ""), alert=not reply.update)
            return
        if await answers.send_in_private(handled.request, card):
            await self._choosing.reply(query, handled.voice.line("apart"))
            return
        bot, leads = answers.bot(), encode_payload(pressed) if pressed is not None else None
        if leads is None and reply.secret:
            leads = HELP_PARAMETER
        if bot is not None and leads is not None:
            await self._choosing.reply(query, url=f"https://t.me/{bot.username}?start={leads}")
        else:
            await self._alert(query, said)

    def _private_link(self, pressed: Press) -> str | None:
        """Return the link that does what a press does in the private chat, also for people who have never been there.

        None for presses that no link may carry.
        """
        bot = self._answers.bot()
        if bot is None:
            return None
        if pressed.deed == OPEN_PUZZLE:
            payload = f"{PUZZLE_LINK_PREFIX}{pressed.rest}" if _PAYLOAD_PATTERN.fullmatch(pressed.rest) else None
        else:
            payload = encode_payload(pressed)
        return f"https://t.me/{bot.username}?start={payload}" if payload is not None else None


def _can_show(message: MaybeInaccessibleMessage, card: Card) -> bool:
    """Return True if a message can become a card: one with a picture stays one."""
    return isinstance(message, Message) and (card.picture is not None or message.text is not None)


def _is_bare(card: Card) -> bool:
    """Return True if a card is only text."""
    return not card.rows and card.picture is None and card.file is None
