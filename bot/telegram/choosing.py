"""Choosing by taps on a keyboard that everybody in a chat shares: the meaning of a tap, and the next question."""

from typing import Final

import structlog
from telegram import CallbackQuery
from telegram.error import BadRequest, TelegramError

from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.requests import Request, TryLater
from bot.language.texts import Speaker, strip_styles
from bot.telegram.adapter import CLAIM_RETRY_SECONDS
from bot.telegram.answers import MAX_ALERT_LENGTH, TelegramAnswers
from bot.telegram.cells import ANSWER_MARK, CELL_PRESS, read_answers, read_button
from bot.telegram.decode import shown_keyboard
from bot.telegram.errors import OLD_QUERY, mentions
from bot.telegram.inline import chat_of
from bot.telegram.keyboards import Keyboard
from bot.telegram.layout import choice_keyboard, is_board
from bot.telegram.markup import truncate, utf16_length
from bot.telegram.partial_choices import BoardTap, PartialChoices, Reachability, partial_choice
from bot.telegram.rate_limits import CallKind
from storage import StorageError

MAX_KEYBOARD_ATTEMPTS: Final = 300
"""Maximum attempts to restore the buttons of a choice: more than a database is usually unavailable."""
MAX_KEYBOARD_WAIT_SECONDS: Final = 2.0
"""Maximum seconds to wait for other buttons if one more tap would do as well."""

log = structlog.get_logger(__name__)


class Choosing:
    """Continues partial choices, on boards in chats and in inline messages."""

    def __init__(self, answers: TelegramAnswers) -> None:
        self._answers = answers
        self._adapter = answers.adapter
        self._store = answers.store
        self.halves = PartialChoices(answers.store, answers.ephemeral.clock)

    async def interpret_tap(self, query: CallbackQuery, spot: BoardTap, pressed: Press, voice: Speaker) -> str | None:
        """Return the payload that a tap means after earlier ones, None if it is answered already."""
        half = await self.halves.find(spot, pressed)
        name = pressed.path[-1] if pressed.path else ""
        carried = half.press_for(name) if half is not None else None
        if carried is not None:
            return carried
        within = half.in_column(name) if half is not None else None
        if within is not None and await self.halves.store(spot, within):
            await self.reply(
                query, truncate(voice.line("key.column", column=name, choices=within.names), MAX_ALERT_LENGTH)
            )
            return None
        if pressed.deed != CELL_PRESS:
            return str(pressed)
        if half is None and self._adapter.outbox.is_waiting(spot.chat, str(spot.message)):
            late = self._answers.waiting_words(spot.chat, CallKind.KEYBOARD, voice)
            await self.reply(query, join_alerts(voice.line("key.changing"), late))
        elif half is None:
            await self.reply(query, voice.line("key.first"))
        else:
            named = _labels(query)
            choices = [named.get(each, each) for each in half.names]
            said = voice.line("key.other", name=named.get(name, name), choices=choices)
            await self.reply(query, truncate(said, MAX_ALERT_LENGTH))
        return None

    async def ask_rest(
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
        """Ask for the rest of a partial choice: only in words if its buttons are shown, otherwise with new buttons."""
        answers, said = read_answers(card), strip_styles(card.text)
        half = partial_choice(answers)
        wait = self._adapter.budget.seconds_to_wait(spot.chat, CallKind.KEYBOARD)
        reach = half.reach(shown) if half is not None else Reachability.NOT
        there = reach is Reachability.AT_ONCE or (reach is Reachability.BY_COLUMN and wait > MAX_KEYBOARD_WAIT_SECONDS)
        if half is not None and there and await self.halves.store(spot, half):
            if half.names == list(pressed.path[-1:]):  # the confirmation is asked where it was tapped
                await self.reply(query, join_alerts(said, voice.line("key.again", name=half.names[0])))
                return
            await self.reply(query, _with_answers(said, answers.labels, voice, half.is_in_view(shown)))
            return
        if not await self.halves.forget(spot):
            # With other buttons beside it, a remembered choice would give their taps another meaning.
            await self.reply(query, voice.line("key.first"))
            return
        await self.reply(query, join_alerts(said, self._answers.waiting_words(spot.chat, CallKind.KEYBOARD, voice)))
        await self._put_choices(request, spot, shown, card, asked)

    async def _put_choices(
        self, request: Request, spot: BoardTap, shown: Keyboard | None, card: Card, asked: Press
    ) -> None:
        """Change only the buttons of the pressed message: the board is drawn once a turn."""
        keyboard = choice_keyboard(card, shown)
        place, number = request.place, spot.message
        tried = done = False

        async def work() -> None:
            nonlocal tried, done
            if not done:
                async with self._adapter.message_lock(place, number):
                    moved_on = await self._has_moved_on(asked)
                    if moved_on and not tried:
                        return  # the board shows it, or will: these buttons are outdated
                    if not moved_on:
                        tried = True  # set first: perhaps only the response gets lost
                        await self._adapter.put_keyboard(place, number, keyboard)
                    done = True
            if self._store.is_shared and await self._has_moved_on(asked):
                # Another process may have changed the message at the same time.
                await self._adapter.restore_board(place, number, asked.revision or 0, board=is_board(shown))

        await self._adapter.outbox.put(chat_of(place), str(number), CallKind.KEYBOARD, work, most=MAX_KEYBOARD_ATTEMPTS)

    async def _has_moved_on(self, asked: Press) -> bool:
        """Return True if a game has changed since a press's revision; TryLater while that is unknown."""
        try:
            return await self._store.games.revision(asked.game or "") != asked.revision
        except StorageError as error:
            # It may have changed just before the outage, and a newer board may be shown already.
            raise TryLater(CLAIM_RETRY_SECONDS) from error

    async def reply(
        self, query: CallbackQuery, text: str | None = None, *, alert: bool = False, url: str | None = None
    ) -> None:
        """Answer a callback query: only once, and not too late; `url` is a link to the bot to open."""
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


def join_alerts(said: str, late: str) -> str:
    """Return a text with the announced wait, which is never cut."""
    return (
        f"{truncate(said, MAX_ALERT_LENGTH - utf16_length(late) - 1)}\n{late}"
        if late
        else truncate(said, MAX_ALERT_LENGTH)
    )


def _labels(query: CallbackQuery) -> dict[str, str]:
    """Return the labels of the tapped board's buttons by what they name: kinds and dice have no names for people."""
    buttons = [button for row in shown_keyboard(query.message) or () for button in row]
    named = ((read_button(button.get("callback_data")), str(button["text"])) for button in buttons)
    return {read.path[-1]: label.removeprefix(ANSWER_MARK) for read, label in named if read is not None and read.path}


def _with_answers(said: str, labels: list[str], voice: Speaker, all_in_view: bool) -> str:
    """Return a question with its answers, or how to give one if they do not fit into an answer to a callback query."""
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
