"""Updates: what people type and press goes to the program, and what it answers is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import structlog
from telegram import Bot, CallbackQuery, ChatMember, Message, Update
from telegram.error import BadRequest, TelegramError

from bot.commands import PARAMETERS
from bot.entry.commandline import parse_command
from bot.interface.cards import Card
from bot.interface.presses import BrokenPress, Press, read_press
from bot.interface.refusals import Refused
from bot.interface.requests import Front, Place, Reply, Request, TryLater, Undeliverable
from bot.language.game_names import GameNames
from bot.language.rich_text import plain
from bot.language.texts import Speaker, Texts
from bot.telegram.adapter import MENDING, TelegramAdapter
from bot.telegram.budget import Kind
from bot.telegram.decode import (
    PLATFORM,
    TypedLine,
    answered,
    command_of,
    is_command,
    mention_of,
    place_of,
    request_of_message,
    request_of_tap,
    thread_of,
)
from bot.telegram.ephemeral import FILE, LONG, SHORT, EphemeralMessages
from bot.telegram.errors import OLD_QUERY, says
from bot.telegram.layout import DOMAIN, NOTHING, choosing, is_board, is_choosing
from bot.telegram.markup import cut, units
from bot.telegram.welcome import Welcome
from storage import StorageError, Store

MOST_ALERT: Final = 200
MANAGED: Final = frozenset({"settings", "set", "close"})
"""Commands and deeds of buttons that some may do who manage a group, and others may not."""
OUTLASTING: Final = 300
"""How often to try to put the buttons of a choice right: for longer than a database is usually away."""
START: Final = "start"

log = structlog.get_logger(__name__)


class TelegramDispatcher:
    """Takes updates, lets the program carry them out, and shows its answers."""

    def __init__(
        self,
        front: Front,
        adapter: TelegramAdapter,
        ephemeral: EphemeralMessages,
        welcome: Welcome,
        store: Store,
        texts: Texts,
        bot: Callable[[], Bot | None],
        *,
        language: str,
    ) -> None:
        self._front = front
        self._adapter = adapter
        self._ephemeral = ephemeral
        self._welcome = welcome
        self._store = store
        self._texts = texts
        self._names = GameNames(texts)
        self._bot = bot
        self._language = language

    async def handle(self, update: Update) -> None:
        """Carry an update out; return when its work is stored and its answer shown, or waits for the budget."""
        if update.callback_query is not None:
            await self._tapped(update.callback_query)
        elif update.message is not None:
            await self._said(update.message)
        elif update.my_chat_member is not None:
            await self._welcome.changed(update.my_chat_member)

    # What is typed.

    async def _said(self, message: Message) -> None:
        if message.migrate_to_chat_id is not None:
            await self._welcome.moved(message.chat.id, message.migrate_to_chat_id)
            return
        if message.migrate_from_chat_id is not None:
            await self._welcome.moved(message.migrate_from_chat_id, message.chat.id)
            return
        account, bot = message.from_user, self._bot()
        if bot is None or not message.text:
            return
        line = command_of(message, bot.username)
        if line is None and (is_command(message) or not _for_us(message, bot)):
            return
        if account is None or account.is_bot or message.sender_chat is not None:
            # An administrator in disguise is nobody in particular, so nobody whose seat it could be.
            if account is not None and line is not None:
                card = Card(self._voice(account.language_code).say("anonymous"))
                await self._tell(place_of(message.chat, thread_of(message)), card, message, account.id)
            return
        command = self._names.commands.get(line.command, line.command) if line is not None else ""
        manager = command in MANAGED and await self._manages(message, account.id)
        request = request_of_message(message, account, manager=manager)
        if line is None:
            reply = await self._front.typed(request, message.text)
        else:
            reply = await self._commanded(request, line, message)
        await self._answer(request, reply, message, account.id)

    async def _commanded(self, request: Request, line: TypedLine, message: Message) -> Reply:
        if line.command == START:
            if line.rest:
                return await self._front.command(request, "join", {"code": line.rest[:20]})
            return await self._front.command(request, "help", {})
        try:
            name, values = parse_command(line.text, PARAMETERS, self._names)
        except Refused:
            # Said again by the program, which words what is wrong.
            return await self._front.typed(request, line.text)
        people = list(line.people)
        other = answered(message)
        if other is not None and other.from_user is not None and not other.from_user.is_bot:
            people.append(mention_of(other.from_user))
        wanted = next((each.name for each in PARAMETERS[name] if each.kind == "people"), None)
        if wanted is not None and people:
            values[wanted] = " ".join([*filter(None, [values.get(wanted)]), *people])
        return await self._front.command(request, name, values)

    async def _answer(self, request: Request, reply: Reply, message: Message, owner: int) -> None:
        """Show the answer to something typed: to all, or as an answer that goes away again."""
        card = reply.card
        on_board = card is not None and await self._is_on_board(card, request.place)
        if card is None or on_board:
            return
        if on_board is None:
            # In words alone: buttons would stay below the board when it has long moved on.
            card = Card(card.text)
        if reply.secret and request.place.kind == "group":
            said = "apart" if await self._write_to(request, card) else "secret"
            await self._tell(request.place, Card(self._voice(request.user.language).say(said)), message, owner)
        elif reply.apart and await self._write_to(request, card):
            await self._tell(request.place, Card(self._voice(request.user.language).say("apart")), message, owner)
        elif reply.private:
            await self._tell(request.place, card, message, owner)
        else:
            await self._post(request.place, card, f"say:{message.message_id}")

    # What is pressed.

    async def _tapped(self, query: CallbackQuery) -> None:
        message, data = query.message, query.data
        if message is None or data is None or data == NOTHING:
            await self._reply(query)
            return
        owner = await self._ephemeral.whose(message.chat.id, message.message_id)
        if owner not in (None, query.from_user.id):
            await self._reply(query, self._voice(query.from_user.language_code).line("not-yours"), alert=True)
            return
        manager = await self._manages(message, query.from_user.id) if _deed(data) in MANAGED else False
        request = request_of_tap(query, message, manager=manager)
        reply = await self._front.press(request, data)
        card = reply.card
        if card is None:
            await self._reply(query)
            return
        if reply.secret and request.place.kind == "group":
            kept = await self._write_to(request, card)
            voice = self._voice(query.from_user.language_code)
            await self._reply(query, voice.line("apart" if kept else "secret"), alert=not kept)
            return
        said = cut(plain(card.text), MOST_ALERT)
        asked = is_choosing(card)
        if asked is not None and asked.revision == read_press(data).revision and _deed(data) in ("c", "p"):
            await self._reply(query, said)
            await self._put_choices(request, message, card, asked)
            return
        if reply.update and await self._is_own(message):
            await self._reply(query)
            await self._change(request.place, message.message_id, card)
            return
        if asked is not None and await self._is_on_board(card, request.place) is not False:
            await self._reply(query, said)
            return
        if not reply.private:
            await self._reply(query)
            await self._post(request.place, card, f"tap:{query.id}")
            return
        if reply.apart and await self._write_to(request, card):
            await self._reply(query, self._voice(query.from_user.language_code).line("apart"))
            return
        bare = not card.rows and card.picture is None and card.file is None
        if reply.update or (bare and units(plain(card.text)) <= MOST_ALERT):
            await self._reply(query, said, alert=not reply.update)
            return
        await self._reply(query)
        await self._tell(request.place, card, message, query.from_user.id)

    async def _reply(self, query: CallbackQuery, text: str | None = None, *, alert: bool = False) -> None:
        """Answer a press: it can be done once, and not too late."""
        bot = self._bot()
        if bot is None:
            return
        try:
            await bot.answer_callback_query(query.id, text, show_alert=alert)
        except BadRequest as error:
            if not says(error, OLD_QUERY):
                log.error("press-not-answered", reason=error.message)
        except TelegramError as error:
            log.warning("press-not-answered", reason=error.message)

    async def _put_choices(self, request: Request, message: object, card: Card, asked: Press) -> None:
        """Change the buttons of the pressed message alone: the board is drawn once a turn."""
        shown = message.reply_markup if isinstance(message, Message) else None
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

    # How answers are shown.

    async def _tell(self, place: Place, card: Card, message: object, owner: int) -> None:
        """Show a card to one person: where others look on too, it goes away by itself."""
        answering = message.message_id if isinstance(message, Message) else None
        chat = int(place.channel)
        stay = LONG if card.rows or card.picture or units(plain(card.text)) > MOST_ALERT else SHORT
        stay = FILE if card.file is not None else stay
        passes = place.kind == "group"

        async def work() -> None:
            sent = await self._adapter.post(
                place, card, Kind.NOTE, answering=answering if place.kind == "group" else None, silent=passes
            )
            if passes:
                await self._ephemeral.add(chat, sent.message_id, owner, stay)

        await self._adapter.outbox.put(chat, f"tell:{owner}:{answering}", Kind.NOTE, work)

    async def _write_to(self, request: Request, card: Card) -> bool:
        """Show a card in the private chat with whoever asks in a group; False if there is none."""
        if request.place.kind != "group":
            return False
        place = Place(PLATFORM, request.user.id, kind="private", language=request.user.language)
        try:
            await self._adapter.post(place, card, Kind.NOTE)
        except (Undeliverable, TryLater) as error:
            log.info("not-in-private", reason=str(error))
            return False
        return True

    async def _post(self, place: Place, card: Card, name: str) -> None:
        """Show a card to all."""

        async def work() -> None:
            await self._adapter.post(place, card, Kind.NOTE)

        await self._adapter.outbox.put(int(place.channel), name, Kind.NOTE, work)

    async def _change(self, place: Place, message: int, card: Card) -> None:
        """Show a card in the place of one that is for one person."""

        async def work() -> None:
            await self._adapter.edit(place, str(message), card)

        await self._adapter.outbox.put(int(place.channel), str(message), Kind.KEYBOARD, work)

    async def _is_on_board(self, card: Card, place: Place) -> bool | None:
        """Say whether a card asks what the board of its game asks anyway, in the same chat; None if nobody can know."""
        asked = is_choosing(card)
        if asked is None or asked.game is None:
            return False
        try:
            shown = await self._store.surfaces(asked.game)
        except StorageError:
            return None
        here = (place.platform, place.channel, place.thread)
        return any((each.place.platform, each.place.channel, each.place.thread) == here for each in shown)

    async def _is_own(self, message: object) -> bool:
        """Say whether a message is an answer to somebody rather than a board for all, be it a board of long ago."""
        if not isinstance(message, Message):
            return False
        if message.chat.type != message.chat.PRIVATE:
            return await self._ephemeral.whose(message.chat.id, message.message_id) is not None
        try:
            found = await self._store.find_surface(PLATFORM, str(message.chat.id), str(message.message_id))
        except StorageError:
            return False
        return found is None and not is_board(message.reply_markup)

    async def _manages(self, message: object, account: int) -> bool:
        """Say whether somebody manages a group, as Telegram says now."""
        bot = self._bot()
        chat = getattr(message, "chat", None)
        if bot is None or chat is None or chat.type == chat.PRIVATE:
            return False
        try:
            member = await bot.get_chat_member(chat.id, account)
        except TelegramError as error:
            log.warning("member-unknown", chat=chat.id, reason=error.message)
            return False
        return member.status in (ChatMember.OWNER, ChatMember.ADMINISTRATOR)

    def _voice(self, language: str | None) -> Speaker:
        return self._texts.speaker(self._texts.supported(language) or self._language).of(DOMAIN)


def _for_us(message: Message, bot: Bot) -> bool:
    """Say whether something that is no command is meant for us: in private all is, in groups answers to us."""
    if message.chat.type == message.chat.PRIVATE:
        return True
    other = answered(message)
    return other is not None and other.from_user is not None and other.from_user.id == bot.id


def _deed(data: str) -> str:
    try:
        return read_press(data).deed
    except BrokenPress:
        return ""
