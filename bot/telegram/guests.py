"""Guest mode: a mention of the bot in any chat brings us the message, and one new message may answer it.

So does a reply to what we have posted so (https://core.telegram.org/bots/features#guest-bots). A new message notifies
people, unlike edits: it announces a turn where we are no member. Bot API 10.0 has it
(https://core.telegram.org/bots/api#answerguestquery).
"""

import re
from typing import Final

import structlog
from telegram import InlineQueryResultArticle, InputTextMessageContent, Message
from telegram.error import TelegramError

from bot.interface.requests import Front, Place, Reply, Request
from bot.language.texts import Span, Speaker, Text
from bot.telegram.adapter import PARSE_MODE
from bot.telegram.answers import TelegramAnswers
from bot.telegram.cells import read_button
from bot.telegram.decode import PLATFORM, replied_message, shown_keyboard, user_of
from bot.telegram.inline import INLINE_MESSAGE, InlineOffer, called_chat, chat_of, inline_id, inline_place
from bot.telegram.inline_games import InlineGames
from bot.telegram.inline_list import InlineList
from bot.telegram.keyboards import list_presses
from bot.telegram.markup import NO_PREVIEW, format_html
from bot.telegram.rate_limits import CallKind
from engine import games
from storage import read_code
from storage.plain_text import make_plain

_KEY_PREFIX: Final = "guest:"

log = structlog.get_logger(__name__)


class GuestMessages:
    """Answers mentions in chats that the bot is not in: with a board, a challenge, or the help."""

    def __init__(self, front: Front, answers: TelegramAnswers, brought: InlineGames, listed: InlineList) -> None:
        self._front = front
        self._answers = answers
        self._games = brought
        self._listed = listed
        self._store = answers.store

    async def answer_mention(self, message: Message) -> None:
        """Answer a mention: play its move on the replied-to board, show that board, or offer a game."""
        bot, account = self._answers.bot(), message.from_user
        if bot is None or account is None or account.is_bot or message.guest_query_id is None:
            return
        voice = self._answers.speaker(account.language_code)
        typed, named_us = re.subn(rf"@{re.escape(bot.username)}\b", " ", message.text or "", flags=re.IGNORECASE)
        typed = make_plain(typed).strip().removeprefix("/play").strip()
        code = self._shown_game(message) or read_code(typed)
        row = await self._games.find_game(code) if code is not None else None
        found: InlineQueryResultArticle | None = None
        if not named_us and (row is None or not typed):
            return  # people talk to each other below a message of ours
        if row is not None:
            if typed and read_code(typed) != row.id:
                reply = await (self._play_mention if named_us else self._play_reply)(message, row.id, typed)
                if reply.talk:
                    return
                if reply.card is not None:
                    await self._send_text(message, reply.card.text, voice)
                    return
            found = await self._listed.by_code(account, row.id, voice, bot.token)
        else:
            named = self._games.names.find(typed) if typed else ()
            if len(named) == 1 and named[0] in games:
                found = self._listed.challenge(account, named[0], voice, bot.token)
        if found is None:
            listing = voice.listing([voice.of(key).line("name") for key in games])
            await self._send_text(
                message, voice.say("guest.help", bot=Span(f"@{bot.username}", code=True), games=listing), voice
            )
            return
        sent = await self._send(message, found)
        if sent is not None:
            await self._games.show_game(sent, InlineOffer(found.id, account.id), user_of(account))
            if row is not None:
                await self._retire_previous_board(message, row.id, sent)

    def _shown_game(self, message: Message) -> str | None:
        """Return the code of the game in the replied-to message, None if it is none of ours."""
        carried = map(read_button, list_presses(shown_keyboard(replied_message(message))))
        return next((read.game for read in carried if read is not None and read.game is not None), None)

    async def _play_mention(self, message: Message, code: str, typed: str) -> Reply:
        """Play a typed move; a repeated update plays it once."""
        account = message.from_user
        assert account is not None  # noqa: S101 - seen to before
        place = Place(PLATFORM, str(account.id), kind="private")
        request = Request(f"g{message.guest_query_id}", user_of(account), place, ids="counted")
        return await self._front.command(request, "move", {"game": code, "move": typed})

    async def _play_reply(self, message: Message, code: str, typed: str) -> Reply:
        """Play a text without our name in reply to a board, if it is a line of play for the player to move."""
        account = message.from_user
        assert account is not None  # noqa: S101 - seen to before
        shown = [
            each.place
            for each in await self._store.posts.list_for_game(code)
            if inline_id(each.place.channel) is not None
        ]
        if not shown:
            return Reply(talk=True)
        request = Request(
            f"g{message.guest_query_id}", user_of(account), Place(PLATFORM, shown[-1].channel), ids="counted"
        )
        return await self._front.typed_text(request, typed)

    async def _send_text(self, message: Message, said: Text, voice: Speaker) -> None:
        shown = InputTextMessageContent(format_html(said), parse_mode=PARSE_MODE, link_preview_options=NO_PREVIEW)
        await self._send(message, InlineQueryResultArticle("said", voice.line("inline.show"), shown))

    async def _send(self, message: Message, shown: InlineQueryResultArticle) -> str | None:
        """Answer a mention and return the new message's id, None if it was answered before, or is too old."""
        bot = self._answers.bot()
        if bot is None or message.guest_query_id is None:
            return None
        try:
            sent = (await bot.answer_guest_query(message.guest_query_id, shown)).inline_message_id
        except TelegramError as error:
            log.info("call-not-answered", reason=error.message)
            return None
        # It is undocumented whether this counts towards the limit; later edits in that chat can wait.
        budget, chat = self._answers.adapter.budget, called_chat(message)
        budget.alias(chat_of(inline_place(sent)), chat)
        budget.count(chat)
        return sent

    async def _retire_previous_board(self, message: Message, code: str, sent: str) -> None:
        """Take the buttons off the chat's previous board of the game, as far as we know it: the new one has them."""
        note, new = f"{_KEY_PREFIX}{message.chat.id}:{code}", inline_place(sent).channel
        noted = await self._store.key_values.get(PLATFORM, note)
        await self._store.key_values.set(PLATFORM, note, {"channel": new})
        shown = [
            each for each in await self._store.posts.list_for_game(code) if inline_id(each.place.channel) is not None
        ]
        others = [each for each in shown if each.place.channel != new]
        old = [each for each in others if noted is not None and each.place.channel == noted["channel"]]
        if not old and self._shown_game(message) == code and len(others) == 1:
            # Nothing tells which message was replied to, but there is only one.
            old = others
        adapter = self._answers.adapter
        for post in old:
            place = Place(PLATFORM, post.place.channel)
            adapter.budget.alias(chat_of(place), called_chat(message))
            await self._store.posts.close(post.id)

            async def work(place: Place = place) -> None:
                await adapter.retire(place, INLINE_MESSAGE, remove=False)

            await adapter.outbox.put(place.channel, "retired", CallKind.SPARE, work)
