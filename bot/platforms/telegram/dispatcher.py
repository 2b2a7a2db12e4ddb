"""Handling of updates: passes typed text and presses to the program and shows its replies."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Final

import structlog
from telegram import Bot, Message, Update

from bot.boards.puzzles.cards import open_puzzle_press
from bot.kernel.cards import ANSWER, Card
from bot.kernel.commandline import parse_command
from bot.kernel.operations.limits import WorkQueues
from bot.kernel.operations.listening import log_outage
from bot.kernel.operations.tasks import WorkCounter
from bot.kernel.presses import (
    OPEN_PUZZLE,
    PUZZLE_ANSWER,
    PUZZLE_CONTROL,
    TRY_ANSWER,
    TRY_CONTROL,
    answered_form,
    private_board,
)
from bot.kernel.refusals import Refused
from bot.kernel.requests import Reply, Request
from bot.people.help.commands import BEGIN_PRESS
from bot.platforms.app import PARAMETERS, Tavoliere
from bot.platforms.telegram.answers import TelegramAnswers
from bot.platforms.telegram.calls import CallKind
from bot.platforms.telegram.choosing import Taps, find_place
from bot.platforms.telegram.decode import (
    HELP_PARAMETER,
    PLATFORM,
    PUZZLE_LINK_PREFIX,
    TypedLine,
    is_anonymous_administrator,
    is_command,
    mention_of,
    read_command,
    replied_message,
    replied_player,
    request_of_message,
    shown_keyboard,
)
from bot.platforms.telegram.inline_games import InlineGames
from bot.platforms.telegram.layout import read_payload
from bot.platforms.telegram.markup import list_presses, read_button
from bot.platforms.telegram.menu import on_membership_changed
from storage import StorageError
from storage.addresses import make_plain

log = structlog.get_logger(__name__)

START_COMMAND: Final = "start"
SLOW_COMMANDS: Final = frozenset(
    {
        "hint",
        "hinted",
        "analyse",
        "analysed",
        "better",
        "replay",
        "film",
        "sheet",
        "try",
        TRY_ANSWER,
        TRY_CONTROL,
        OPEN_PUZZLE,
        PUZZLE_ANSWER,
        PUZZLE_CONTROL,
    },
)
"""Commands and presses whose replies may take seconds to compute; each person has a separate lane for them."""


class TelegramDispatcher:
    """Passes updates to the program and shows its replies."""

    def __init__(self, front: Tavoliere, answers: TelegramAnswers) -> None:
        self._front = front
        self._answers = answers
        self._names = front.context.game_names
        self._inline = InlineGames(front, answers)
        self._taps = Taps(front, answers, self._inline)
        self._lanes = WorkQueues(1)
        self._work = WorkCounter()
        self.wait_until_idle = self._work.wait_until_idle

    def lane(self, update: Update) -> Hashable:
        """Return the lane of an update; updates of one lane are handled one after the other."""
        chat = update.effective_chat
        number: Hashable = chat.id if chat is not None else 0
        deed, who, bot = "", update.effective_user, self._answers.bot()
        if update.inline_query is not None and who is not None:
            return "list", who.id
        pressed = update.callback_query or update.chosen_inline_result
        if pressed is not None and pressed.inline_message_id is not None:
            number = pressed.inline_message_id
        elif update.guest_message is not None:
            number = "guest", number
        if update.callback_query is not None:
            read = read_button(update.callback_query.data)
            deed = read.deed if read is not None else ""
        elif update.message is not None and bot is not None:
            line = read_command(update.message, bot.username)
            deed = self._names.commands.get(line.command, line.command) if line is not None else ""
        return (number, who.id) if deed in SLOW_COMMANDS and who is not None else number

    async def handle(self, update: Update) -> None:
        """Handle an update when its lane is free; failures are logged and not retried, since they would recur.

        Returns when its result is stored and its reply is shown, or queued for the rate limit.
        """
        try:
            with self._work.working(), self._front.context.arrivals.arriving():
                async with self._lanes.turn(self.lane(update)):
                    await self._handle(update)
        except Exception:
            log.exception("update-failed", update=update.update_id)

    async def _handle(self, update: Update) -> None:
        if update.callback_query is not None:
            await self._taps.handle_tap(update.callback_query)
        elif update.message is not None:
            await self._answer_text(update.message)
        elif update.my_chat_member is not None:
            await on_membership_changed(self._front, self._answers, update.my_chat_member)
        else:
            # From chats that the bot is not in.
            try:
                if update.inline_query is not None:
                    await self._inline.answer_query(update.inline_query)
                elif update.chosen_inline_result is not None:
                    await self._inline.on_chosen(update.chosen_inline_result)
                elif update.guest_message is not None:
                    await self._inline.answer_mention(update.guest_message)
            except StorageError as error:
                # The requester repeats the query; the first press creates the chosen game.
                log_outage(log, "not-heard-without-the-database", error)

    # Typed messages.

    async def _answer_text(self, message: Message) -> None:
        if message.migrate_to_chat_id is not None:
            await self._move_group(message.chat.id, message.migrate_to_chat_id)
            return
        if message.migrate_from_chat_id is not None:
            await self._move_group(message.migrate_from_chat_id, message.chat.id)
            return
        if message.forum_topic_reopened is not None or message.general_forum_topic_unhidden is not None:
            await self._front.is_reopened(PLATFORM, str(message.chat.id))
            return
        account, bot = message.from_user, self._answers.bot()
        if bot is None or not message.text:
            return
        line = read_command(message, bot.username)
        if line is None and (is_command(message) or not _is_for_bot(message, bot)):
            return
        nameless = account is None or account.is_bot or message.sender_chat is not None
        if account is None or (nameless and line is None):
            return
        request = request_of_message(message, account, await find_place(self._answers.store, message))
        if nameless and not is_anonymous_administrator(message):
            # A channel cannot have a seat, and an anonymous administrator can only give commands.
            card = Card(self._answers.voice(account).say("anonymous"))
            await self._answers.show_to_one(request, card, message)
            return
        presses = [*list_presses(shown_keyboard(replied_message(message)))]
        request = replace(request, board=private_board(presses))
        form = next((found for each in presses if (found := answered_form(each)) is not None), None)
        if line is not None:
            reply = await self._run_command(request, line, message)
        elif form is not None:
            reply = await self._front.fill(request, form, {ANSWER: message.text})
        else:
            reply = await self._front.typed_text(request, message.text)
        await self._answer(request, reply, message)

    async def _move_group(self, old: int, new: int) -> None:
        """Keep the games of a group whose id has changed."""
        log.info("group-moved", before=old, after=new)
        context = self._front.context
        await context.store.places.move_channel(PLATFORM, str(old), str(new), context.clock())

    async def _run_command(self, request: Request, line: TypedLine, message: Message) -> Reply:
        if line.command == START_COMMAND:
            payload = make_plain(line.rest)
            if request.place.kind == "private":
                await self._answers.adapter.show_menu_button(message.chat.id, request.user.language)
            if payload.startswith(PUZZLE_LINK_PREFIX):
                return await self._front.press(
                    request, open_puzzle_press(payload.removeprefix(PUZZLE_LINK_PREFIX)[:40])
                )
            carried = read_payload(payload)
            if carried is not None:
                return await self._front.press(request, carried)
            if payload and payload != HELP_PARAMETER:
                return await self._front.command(request, "join", {"code": payload[:20]})
            return await self._front.press(request, BEGIN_PRESS)
        try:
            name, values = parse_command(line.text, PARAMETERS, self._names)
        except Refused:
            # The program parses it again, and replies with the error.
            return await self._front.typed_text(request, line.text)
        lists = [each.name for each in PARAMETERS[name] if each.kind == "people"]
        values |= {each: line.named(values[each]) for each in lists if each in values}
        other = replied_player(message)
        if other is not None and lists:
            values[lists[0]] = f"{values.get(lists[0], '')} {mention_of(other)}".strip()
        return await self._front.command(request, name, values)

    async def _answer(self, request: Request, reply: Reply, message: Message) -> None:
        """Show the reply to a typed message: to everybody, or as an ephemeral message."""
        card, answers, place = reply.card, self._answers, request.place
        asked = replied_message(message) if reply.update else None
        if card is not None and asked is not None and await answers.is_own(asked):
            await answers.edit(place, str(asked.message_id), card, request)
            return
        voice = self._front.context.speaker(request.user.language, PLATFORM)
        if card is None and place.kind == "private":
            # In a private chat, the text was meant for the bot.
            if reply.talk:
                await answers.show_to_one(request, Card(voice.say("no-move")), message)
            else:
                await answers.react(place, message, CallKind.SPARE)
            return
        on_board = card is not None and await answers.is_on_board(card, place)
        if card is None or on_board:
            return
        if on_board is None:
            # Text only: buttons would outlive the board's position.
            card = Card(card.text)
        if place.kind == "group" and (reply.secret or reply.apart):
            if await answers.send_in_private(request, card):
                # The message in the private chat notifies them.
                if not await answers.react(place, message, CallKind.NOTE):
                    await answers.show_to_one(request, Card(voice.say("apart")), message)
                return
            if reply.secret or reply.link:
                await answers.show_to_one(request, answers.secret_card(voice, reply.link), message)
                return
        if reply.private:
            await answers.show_to_one(request, card, message)
        else:
            await answers.post(place, card, f"say:{message.message_id}")


def _is_for_bot(message: Message, bot: Bot) -> bool:
    """Return True if text that is no command is meant for us: always in private, in groups if it is a reply to us."""
    if message.chat.type == message.chat.PRIVATE:
        return True
    other = replied_message(message)
    return other is not None and other.from_user is not None and other.from_user.id == bot.id
