"""Presses of buttons: what they mean, carried out, and answered at once and only once."""

from __future__ import annotations

import re
from typing import Final

import structlog
from telegram import CallbackQuery, InlineKeyboardMarkup, MaybeInaccessibleMessage, Message
from telegram.error import BadRequest, TelegramError

from bot.interface.cards import Card
from bot.interface.presses import PUZZLE, Press
from bot.interface.requests import Front, Reply, Request, TryLater
from bot.language.rich_text import plain
from bot.language.texts import Speaker
from bot.presenters.asking import PRIVATE, PUBLIC
from bot.telegram.adapter import MENDING
from bot.telegram.answers import MOST_ALERT, TelegramAnswers
from bot.telegram.budget import Kind
from bot.telegram.cells import KEY, NOTHING, answers_of, reading
from bot.telegram.comments import Comments
from bot.telegram.decode import MANAGED, OPENS, request_of_tap
from bot.telegram.errors import OLD_QUERY, says
from bot.telegram.halves import HalfChoices, Reach, Spot, half_of
from bot.telegram.layout import choosing, is_board, is_choosing
from bot.telegram.markup import cut, units
from storage import StorageError

OUTLASTING: Final = 300
"""How often to try to put the buttons of a choice right: for longer than a database is usually away."""
LOOKS_ON: Final = 2.0
"""For how many seconds at most somebody is kept waiting for other buttons where a tap more would do as well."""

_LINKED: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{64 - len(OPENS)}}}")
"""What an address that opens a private chat can hold besides what it begins with."""

log = structlog.get_logger(__name__)


class Taps:
    """Takes presses of buttons, lets the program carry them out, and shows its answers."""

    def __init__(self, front: Front, answers: TelegramAnswers, comments: Comments) -> None:
        self._front = front
        self._answers = answers
        self._comments = comments
        self._adapter = answers.adapter
        self._store = answers.store
        self.halves = HalfChoices(answers.store, answers.ephemeral.clock)

    async def tapped(self, query: CallbackQuery) -> None:
        """Carry a press out; return when its work is stored and its answer shown, or waits for the budget."""
        message, data = query.message, query.data
        if message is None or data is None or data == NOTHING:
            await self._reply(query)
            return
        spot = Spot(message.chat.id, message.message_id, query.from_user.id, query.id)
        voice = self._answers.voice(query.from_user.language_code)
        owner = await self._answers.ephemeral.whose(message.chat.id, message.message_id)
        if owner not in (None, query.from_user.id):
            await self._reply(query, voice.line("not-yours"), alert=True)
            return
        pressed, answers = reading(data), False
        if pressed is not None and pressed.deed in (KEY, PUBLIC, PRIVATE):
            meant = await self._meant(query, spot, pressed, voice)
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
            await self.halves.forget(spot)
        await self._show(query, message, spot, request, pressed, reply, voice, late)

    async def _meant(self, query: CallbackQuery, spot: Spot, pressed: Press, voice: Speaker) -> str | None:
        """Return what a tap carries in the light of those before it, None where it is answered and no more."""
        half = await self.halves.of(spot, pressed)
        name = pressed.path[-1] if pressed.path else ""
        carried = half.meant(name) if half is not None else None
        if carried is not None:
            return carried
        within = half.within(name) if half is not None else None
        if within is not None and await self.halves.keep(spot, within):
            await self._reply(query, cut(voice.line("key.column", column=name, choices=within.names), MOST_ALERT))
            return None
        if pressed.deed != KEY:
            return str(pressed)
        if half is None:
            await self._reply(query, voice.line("key.first"))
        else:
            await self._reply(query, cut(voice.line("key.other", name=name, choices=half.names), MOST_ALERT))
        return None

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
            await self._reply(query, late or None)
            return
        if reply.secret and place.kind == "group":
            kept = await answers.write_to(request, card)
            if not kept and pressed is not None and (link := self._link(pressed)):
                await self._reply(query, link=link)
                return
            await self._reply(query, voice.line("apart" if kept else "secret"), alert=not kept)
            return
        said = plain(card.text)
        asked = is_choosing(card)
        if asked is not None and pressed is not None and pressed.deed in (PUBLIC, PRIVATE):
            if asked.revision == pressed.revision:
                await self._go_on(query, message, spot, request, card, asked, pressed, voice)
                return
            await self.halves.forget(spot)
        if reply.update and await answers.is_own(message):
            await self._reply(query, answers.waits(message.chat.id, Kind.KEYBOARD, voice) or None)
            await answers.change(place, message.message_id, card)
            return
        if asked is not None and await answers.is_on_board(card, place) is not False:
            await self._reply(query, _both(said, late))
            return
        note = answers.waits(message.chat.id, Kind.NOTE, voice) or None
        if not reply.private:
            await self._reply(query, note)
            await answers.post(place, card, f"tap:{query.id}")
            return
        if reply.apart and await answers.write_to(request, card):
            await self._reply(query, voice.line("apart"))
            return
        bare = not card.rows and card.picture is None and card.file is None
        if reply.update or (bare and units(said) <= MOST_ALERT):
            await self._reply(query, _both(said, late if reply.update else ""), alert=not reply.update)
            return
        await self._reply(query, note)
        await answers.tell(place, card, message, query.from_user.id)

    async def _go_on(
        self,
        query: CallbackQuery,
        message: MaybeInaccessibleMessage,
        spot: Spot,
        request: Request,
        card: Card,
        asked: Press,
        pressed: Press,
        voice: Speaker,
    ) -> None:
        """Ask for the rest of a half-made choice: by words alone where its buttons are there, else by other buttons."""
        shown = message.reply_markup if isinstance(message, Message) else None
        answers, said = answers_of(card), plain(card.text)
        half = half_of(answers)
        wait = self._adapter.budget.wait(spot.chat, Kind.KEYBOARD)
        reach = half.reach(shown) if half is not None else Reach.NOT
        there = reach is Reach.AT_ONCE or (reach is Reach.BY_COLUMN and wait > LOOKS_ON)
        if half is not None and there and await self.halves.keep(spot, half):
            if half.names == list(pressed.path[-1:]):  # whether it is meant is asked where it was tapped
                await self._reply(query, _both(said, voice.line("key.again", name=half.names[0])))
                return
            await self._reply(query, _shortened(said, answers.labels))
            return
        if not await self.halves.forget(spot):
            # With other buttons beside it, it would give their taps another meaning.
            await self._reply(query, voice.line("key.first"))
            return
        await self._reply(query, _both(said, self._answers.waits(spot.chat, Kind.KEYBOARD, voice)))
        await self._put_choices(request, shown, card, asked)

    async def _put_choices(
        self, request: Request, shown: InlineKeyboardMarkup | None, card: Card, asked: Press
    ) -> None:
        """Change the buttons of the pressed message alone: the board is drawn once a turn."""
        markup = choosing(card, shown)
        place, number = request.place, int(request.message or 0)
        tried = done = False

        async def work() -> None:
            nonlocal tried, done
            if not done:
                async with self._adapter.changing(place, number):
                    moved_on = await self._has_moved_on(asked)
                    if moved_on and not tried:
                        return  # the board shows it, or will: these buttons would be of yesterday
                    if not moved_on:
                        tried = True  # be it that only the answer gets lost
                        await self._adapter.put_keyboard(place, number, markup)
                    done = True
            if self._store.shared and await self._has_moved_on(asked):
                # Another process may have changed it at the same time.
                await self._adapter.mend(place, number, asked.revision or 0, board=is_board(shown))

        await self._adapter.outbox.put(int(place.channel), str(number), Kind.KEYBOARD, work, most=OUTLASTING)

    async def _has_moved_on(self, asked: Press) -> bool:
        """Say whether a game has moved on from what a press was about; TryLater while nobody can know."""
        try:
            return await self._store.revision_of(asked.game or "") != asked.revision
        except StorageError as error:
            # It may have done so just before the database went away, and a newer board may be shown already.
            raise TryLater(MENDING) from error

    def _link(self, pressed: Press) -> str | None:
        """Return the address that leads whoever has never written to us to the puzzle of a press; None for others."""
        bot = self._answers.bot()
        if bot is None or pressed.deed != PUZZLE or not _LINKED.fullmatch(pressed.rest):
            return None
        return f"https://t.me/{bot.username}?start={OPENS}{pressed.rest}"

    async def _reply(
        self, query: CallbackQuery, text: str | None = None, *, alert: bool = False, link: str | None = None
    ) -> None:
        """Answer a press, with words or by leading into the private chat: it can be done once, and not too late."""
        bot = self._answers.bot()
        if bot is None:
            return
        try:
            await bot.answer_callback_query(query.id, text, show_alert=alert, url=link)
        except BadRequest as error:
            if not says(error, OLD_QUERY):
                log.error("press-not-answered", reason=error.message)
        except TelegramError as error:
            log.warning("press-not-answered", reason=error.message)


def _both(said: str, late: str) -> str:
    """Return what is said, and how long what is shown takes: the latter whole, for it is wanted now."""
    return f"{cut(said, MOST_ALERT - units(late) - 1)}\n{late}" if late else cut(said, MOST_ALERT)


def _shortened(said: str, labels: list[str]) -> str:
    """Return a question and as many of its answers as fit into the answer to a press."""
    kept = cut(said, MOST_ALERT)
    for at, label in enumerate(labels):
        longer = f"{kept}{', ' if at else chr(10)}{label}"
        if units(longer) > MOST_ALERT - (2 if at + 1 < len(labels) else 0):
            return f"{kept} …" if at else kept
        kept = longer
    return kept
