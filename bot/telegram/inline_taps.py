"""Presses on inline messages: nothing can be sent there, so longer replies go to the private chat."""

import structlog
from telegram import CallbackQuery

from bot.core.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.interface.presses import Press
from bot.interface.requests import Front, Reply, Request
from bot.language.texts import Speaker, strip_styles
from bot.operations.outages import log_outage
from bot.telegram.answers import MAX_ALERT_LENGTH, TelegramAnswers
from bot.telegram.cells import CELL_PRESS, NO_ACTION_PRESS, read_button
from bot.telegram.choosing import Choosing, join_alerts
from bot.telegram.decode import HELP_PARAMETER, user_of
from bot.telegram.inline import (
    INLINE_MESSAGE,
    chat_of,
    decode_offer,
    encode_payload,
    inline_place,
    tapped_chat,
)
from bot.telegram.inline_games import InlineGames
from bot.telegram.layout import find_choice_press
from bot.telegram.markup import truncate, utf16_length
from bot.telegram.partial_choices import BoardTap
from bot.telegram.rate_limits import CallKind
from storage import StorageError

log = structlog.get_logger(__name__)


class InlineTaps:
    """Passes presses on inline messages to the program, and shows its replies."""

    def __init__(self, front: Front, answers: TelegramAnswers, choosing: Choosing, games: InlineGames) -> None:
        self._front = front
        self._answers = answers
        self._choosing = choosing
        self._games = games

    async def handle_tap(self, query: CallbackQuery, message: str) -> None:
        """Handle a press; return when its work is stored and its reply shown."""
        bot, data = self._answers.bot(), query.data
        if bot is None or data is None or data == NO_ACTION_PRESS:
            await self._choosing.reply(query)
            return
        place = inline_place(message)
        self._answers.adapter.budget.alias(chat_of(place), tapped_chat(query))
        voice = self._answers.speaker(query.from_user.language_code)
        brings = decode_offer(data, bot.token)
        if brings is not None:
            own = brings.user == query.from_user.id
            try:
                code, refused = await self._games.show_game(message, brings, user_of(query.from_user) if own else None)
                row = await self._games.find_game(code) if code is not None else None
            except StorageError as error:
                log_outage(log, "inline-press-without-the-database", error)
                await self._choosing.reply(
                    query, truncate(voice.line("refusal.unavailable"), MAX_ALERT_LENGTH), alert=True
                )
                return
            if row is None:
                said = strip_styles(refused.card.text) if refused.card is not None else voice.line("inline.gone")
                await self._choosing.reply(query, truncate(said, MAX_ALERT_LENGTH), alert=True)
                return
            if own or row.status != "lobby":
                await self._choosing.reply(query)
                return
            data = str(Press("join", row.id, row.revision))
        spot = BoardTap(chat_of(place), int(INLINE_MESSAGE), query.from_user.id, query.id)
        pressed, answers = read_button(data), False
        if pressed is not None and pressed.deed in (CELL_PRESS, PUBLIC_CHOICE, PRIVATE_CHOICE):
            meant = await self._choosing.interpret_tap(query, spot, pressed, voice)
            if meant is None:
                return
            answers = meant != str(pressed)
            data, pressed = meant, read_button(meant)
        request = Request(event=f"c{query.id}", user=user_of(query.from_user), place=place, undrawn=True)
        late = self._answers.waiting_words(spot.chat, CallKind.BOARD, voice)
        reply = await self._front.press(request, data)
        if reply.card is None or (answers and find_choice_press(reply.card) is None):
            await self._choosing.halves.forget(spot)
        await self._show(query, spot, request, pressed, reply, voice, late)

    async def _show(
        self,
        query: CallbackQuery,
        spot: BoardTap,
        request: Request,
        pressed: Press | None,
        reply: Reply,
        voice: Speaker,
        late: str,
    ) -> None:
        """Answer a press: with a short notification, the board's own buttons, or in private."""
        card = reply.card
        if card is None:
            await self._choosing.reply(query, late or None)
            return
        said, asked = strip_styles(card.text), find_choice_press(card)
        if reply.stale and pressed is not None and pressed.game is not None:
            waits = await self._answers.waiting_board_words(request.place, pressed.game, voice)
            await self._choosing.reply(query, join_alerts(said, waits), alert=True)
            return
        if asked is not None and pressed is not None and pressed.deed in (PUBLIC_CHOICE, PRIVATE_CHOICE):
            if asked.revision == pressed.revision:
                adapter = self._answers.adapter
                # The buttons may have been changed by another process.
                known = None if self._answers.store.is_shared else adapter.inline_keyboards.get(request.place.channel)
                await self._choosing.ask_rest(query, known, spot, request, card, asked, pressed, voice)
                return
            await self._choosing.halves.forget(spot)
            await self._choosing.reply(query, join_alerts(said, late))
            return
        bare = not card.rows and card.picture is None and card.file is None
        if not reply.secret and bare and (reply.update or utf16_length(said) <= MAX_ALERT_LENGTH):
            await self._choosing.reply(query, join_alerts(said, late if reply.update else ""), alert=not reply.update)
            return
        if await self._answers.send_in_private(request, card):
            await self._choosing.reply(query, voice.line("apart"))
            return
        bot, leads = self._answers.bot(), encode_payload(pressed) if pressed is not None else None
        if leads is None and reply.secret:
            leads = HELP_PARAMETER
        if bot is not None and leads is not None:
            await self._choosing.reply(query, url=f"https://t.me/{bot.username}?start={leads}")
        else:
            await self._choosing.reply(query, truncate(said, MAX_ALERT_LENGTH), alert=True)
