"""Presses of buttons: interpreted, handled, and answered immediately and only once."""

import re
from typing import Final

from telegram import CallbackQuery, MaybeInaccessibleMessage, Message

from bot.core.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.interface.cards import Card
from bot.interface.presses import OPEN_PUZZLE, Press
from bot.interface.requests import Front, Reply, Request
from bot.language.texts import Speaker, strip_styles
from bot.telegram.answers import MAX_ALERT_LENGTH, TelegramAnswers
from bot.telegram.cells import CELL_PRESS, NO_ACTION_PRESS, read_button
from bot.telegram.choosing import Choosing, join_alerts
from bot.telegram.comments import Comments
from bot.telegram.decode import ANONYMOUS_ADMINISTRATOR, PUZZLE_LINK_PREFIX, request_of_tap, shown_keyboard
from bot.telegram.inline import encode_payload, tapped_chat
from bot.telegram.layout import find_choice_press
from bot.telegram.markup import utf16_length
from bot.telegram.partial_choices import BoardTap
from bot.telegram.rate_limits import CallKind

_PAYLOAD_PATTERN: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{64 - len(PUZZLE_LINK_PREFIX)}}}")
"""Payloads that fit into a link to a private chat, after its prefix."""


class Taps:
    """Passes presses of buttons to the program, and shows its replies."""

    def __init__(self, front: Front, answers: TelegramAnswers, comments: Comments, choosing: Choosing) -> None:
        self._front = front
        self._answers = answers
        self._comments = comments
        self._choosing = choosing

    async def handle_tap(self, query: CallbackQuery) -> None:
        """Handle a press; return when its work is stored and its reply shown, or queued for the rate limit."""
        message, data = query.message, query.data
        if message is None or data is None or data == NO_ACTION_PRESS:
            await self._choosing.reply(query)
            return
        # Inline messages in this chat share its limit.
        self._answers.adapter.budget.alias(tapped_chat(query), message.chat.id)
        spot = BoardTap(message.chat.id, message.message_id, query.from_user.id, query.id)
        voice = self._answers.speaker(query.from_user.language_code)
        owner = await self._answers.ephemeral.find_owner(message)
        # Telegram says who presses, also if they wrote anonymously.
        if owner not in (None, query.from_user.id, ANONYMOUS_ADMINISTRATOR):
            await self._choosing.reply(query, voice.line("not-yours"), alert=True)
            return
        pressed, answers = read_button(data), False
        if pressed is not None and pressed.deed in (CELL_PRESS, PUBLIC_CHOICE, PRIVATE_CHOICE):
            meant = await self._choosing.interpret_tap(query, spot, pressed, voice)
            if meant is None:
                return
            answers = meant != str(pressed)
            data, pressed = meant, read_button(meant)
        request = request_of_tap(query, message, await self._comments.place(message))
        late = self._answers.waiting_words(message.chat.id, CallKind.BOARD, voice)
        reply = await self._front.press(request, data)
        if reply.card is None or (answers and find_choice_press(reply.card) is None):
            await self._choosing.halves.forget(spot)
        await self._show(query, message, spot, request, pressed, reply, voice, late)

    async def _show(
        self,
        query: CallbackQuery,
        message: MaybeInaccessibleMessage,
        spot: BoardTap,
        request: Request,
        pressed: Press | None,
        reply: Reply,
        voice: Speaker,
        late: str,
    ) -> None:
        """Answer a press, and show what does not fit into the answer."""
        card, place, answers = reply.card, request.place, self._answers
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
        said = strip_styles(card.text)
        if reply.stale and pressed is not None and pressed.game is not None:
            waits = await answers.waiting_board_words(place, pressed.game, voice)
            await self._choosing.reply(query, join_alerts(said, waits), alert=True)
            return
        asked = find_choice_press(card)
        if asked is not None and pressed is not None and pressed.deed in (PUBLIC_CHOICE, PRIVATE_CHOICE):
            if asked.revision == pressed.revision:
                shown = shown_keyboard(message)
                await self._choosing.ask_rest(query, shown, spot, request, card, asked, pressed, voice)
                return
            await self._choosing.halves.forget(spot)
        if reply.update and (_can_show(message, card) if not reply.private else await answers.is_own(message)):
            await self._choosing.reply(query, answers.waiting_words(message.chat.id, CallKind.KEYBOARD, voice) or None)
            await answers.edit(place, message.message_id, card, request)
            return
        if asked is not None and await answers.is_on_board(card, place) is not False:
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
        if reply.apart and place.kind == "group" and (link := self._link(reply.link)):
            await self._choosing.reply(query, url=link)
            return
        bare = not card.rows and card.picture is None and card.file is None
        if reply.update or (bare and utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._choosing.reply(query, join_alerts(said, late if reply.update else ""), alert=not reply.update)
            return
        await self._choosing.reply(query, note)
        await answers.show_to_one(place, card, message, query.from_user.id, request)

    def _link(self, press: str) -> str | None:
        """Return the link that shows in the private chat what a press shows, None without one."""
        pressed = read_button(press)
        return self._private_link(pressed) if pressed is not None else None

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
