"""Presses of buttons: what they mean, carried out, and answered at once and only once."""

from __future__ import annotations

import re
from typing import Final

from telegram import CallbackQuery, MaybeInaccessibleMessage, Message

from bot.interface.presses import PUZZLE, Press
from bot.interface.requests import Front, Reply, Request
from bot.language.rich_text import plain
from bot.language.texts import Speaker
from bot.presenters.asking import PRIVATE, PUBLIC
from bot.telegram.answers import MOST_ALERT, TelegramAnswers
from bot.telegram.budget import Kind
from bot.telegram.cells import KEY, NOTHING, reading
from bot.telegram.choosing import Choosing, both
from bot.telegram.comments import Comments
from bot.telegram.decode import MANAGED, OPENS, request_of_tap
from bot.telegram.halves import Spot
from bot.telegram.inline import tapped_chat
from bot.telegram.layout import is_choosing
from bot.telegram.markup import units

_LINKED: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{64 - len(OPENS)}}}")
"""What an address that opens a private chat can hold besides what it begins with."""


class Taps:
    """Takes presses of buttons, lets the program carry them out, and shows its answers."""

    def __init__(self, front: Front, answers: TelegramAnswers, comments: Comments, choosing: Choosing) -> None:
        self._front = front
        self._answers = answers
        self._comments = comments
        self._choosing = choosing

    async def tapped(self, query: CallbackQuery) -> None:
        """Carry a press out; return when its work is stored and its answer shown, or waits for the budget."""
        message, data = query.message, query.data
        if message is None or data is None or data == NOTHING:
            await self._choosing.reply(query)
            return
        # What was put into this chat through us elsewhere shares its limit.
        self._answers.adapter.budget.same(tapped_chat(query), message.chat.id)
        spot = Spot(message.chat.id, message.message_id, query.from_user.id, query.id)
        voice = self._answers.voice(query.from_user.language_code)
        owner = await self._answers.ephemeral.whose(message.chat.id, message.message_id)
        if owner not in (None, query.from_user.id):
            await self._choosing.reply(query, voice.line("not-yours"), alert=True)
            return
        pressed, answers = reading(data), False
        if pressed is not None and pressed.deed in (KEY, PUBLIC, PRIVATE):
            meant = await self._choosing.meant(query, spot, pressed, voice)
            if meant is None:
                return
            answers = meant != str(pressed)
            data, pressed = meant, reading(meant)
        managed = pressed is not None and pressed.deed in MANAGED
        manager = await self._answers.manages(message, query.from_user.id) if managed else False
        request = request_of_tap(query, message, await self._comments.place(message), manager=manager)
        late = self._answers.waits(message.chat.id, Kind.BOARD, voice)
        reply = await self._front.press(request, data)
        if reply.card is None or (answers and is_choosing(reply.card) is None):
            await self._choosing.halves.forget(spot)
        await self._show(query, message, spot, request, pressed, reply, voice, late)

    async def _show(
        self,
        query: CallbackQuery,
        message: MaybeInaccessibleMessage,
        spot: Spot,
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
            kept = await answers.write_to(request, card)
            if not kept and pressed is not None and (link := self._link(pressed)):
                await self._choosing.reply(query, url=link)
                return
            await self._choosing.reply(query, voice.line("apart" if kept else "secret"), alert=not kept)
            return
        said = plain(card.text)
        asked = is_choosing(card)
        if asked is not None and pressed is not None and pressed.deed in (PUBLIC, PRIVATE):
            if asked.revision == pressed.revision:
                shown = message.reply_markup if isinstance(message, Message) else None
                await self._choosing.go_on(query, shown, spot, request, card, asked, pressed, voice)
                return
            await self._choosing.halves.forget(spot)
        if reply.update and await answers.is_own(message):
            await self._choosing.reply(query, answers.waits(message.chat.id, Kind.KEYBOARD, voice) or None)
            await answers.change(place, message.message_id, card)
            return
        if asked is not None and await answers.is_on_board(card, place) is not False:
            await self._choosing.reply(query, both(said, late))
            return
        note = answers.waits(message.chat.id, Kind.NOTE, voice) or None
        if not reply.private:
            await self._choosing.reply(query, note)
            await answers.post(place, card, f"tap:{query.id}")
            return
        if reply.apart and await answers.write_to(request, card):
            await self._choosing.reply(query, voice.line("apart"))
            return
        bare = not card.rows and card.picture is None and card.file is None
        if reply.update or (bare and units(said) <= MOST_ALERT):
            await self._choosing.reply(query, both(said, late if reply.update else ""), alert=not reply.update)
            return
        await self._choosing.reply(query, note)
        await answers.tell(place, card, message, query.from_user.id)

    def _link(self, pressed: Press) -> str | None:
        """Return the address that leads whoever has never written to us to the puzzle of a press; None for others."""
        bot = self._answers.bot()
        if bot is None or pressed.deed != PUZZLE or not _LINKED.fullmatch(pressed.rest):
            return None
        return f"https://t.me/{bot.username}?start={OPENS}{pressed.rest}"
