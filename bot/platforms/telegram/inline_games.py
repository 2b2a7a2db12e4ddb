"""Games of inline messages, each created once, by the first press or the chosen result.

Guest mode: if the bot is mentioned in any chat, it receives the message and may answer with one new message.

The same holds for a reply to such a message (https://core.telegram.org/bots/features#guest-bots). New messages notify
people, unlike edits, so they can announce a turn where the bot is no member. Guest mode exists since Bot API 10.0
(https://core.telegram.org/bots/api#answerguestquery).
"""

import re
from functools import partial
from typing import Final

import structlog
from telegram import (
    ChosenInlineResult,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InlineQuery,
    InlineQueryResultArticle,
    InlineQueryResultsButton,
    InputTextMessageContent,
    Message,
    User as Account,
)
from telegram.error import TelegramError

from bot.boards.puzzles.daily_cards import teaser_words
from bot.boards.puzzles.puzzle import puzzle_on
from bot.kernel.presses import press
from bot.kernel.requests import Place, Reply, Request, User
from bot.kernel.texts import Span, Speaker, Text, join, strip_styles
from bot.platforms.app import Tavoliere
from bot.platforms.telegram.adapter import PARSE_MODE
from bot.platforms.telegram.answers import TelegramAnswers
from bot.platforms.telegram.calls import CallKind
from bot.platforms.telegram.decode import (
    HELP_PARAMETER,
    PLATFORM,
    PUZZLE_LINK_PREFIX,
    name_of,
    replied_message,
    shown_keyboard,
    user_of,
)
from bot.platforms.telegram.layout import (
    INLINE_MESSAGE,
    InlineOffer,
    called_chat,
    chat_of,
    encode_offer,
    inline_place,
    is_inline,
)
from bot.platforms.telegram.markup import NO_PREVIEW, format_html, list_presses, read_button, truncate
from engine import games
from storage import GameBrief, PlaceRow, Post, read_code
from storage.addresses import make_plain

MAX_RESULTS: Final = 50
MAX_OWN_GAMES: Final = 20
MAX_TITLE_LENGTH: Final = 64
_GUEST_KEY_PREFIX: Final = "guest:"

log = structlog.get_logger(__name__)


class InlineGames:
    """Shows games in chats that the bot is not in: answers inline queries and mentions. Results are not cached."""

    def __init__(self, front: Tavoliere, answers: TelegramAnswers) -> None:
        self._front = front
        self._answers = answers
        self._store = answers.store

    async def show_game(self, message: str, offered: InlineOffer, user: User | None) -> tuple[GameBrief | None, Reply]:
        """Show the game that a message offers, and return it, or None and the refusal.

        `user` is the person who posted the message, with Telegram's current data; None if another person pressed first.
        """
        poster = user or await self._last_known_user(offered.user)
        if offered.what not in games:
            return await self._show(message, offered.what, poster)
        row = await self._place(message, poster)
        request = Request(event=f"i{message}", user=poster, place=inline_place(message))
        reply = await self._front.command(request, "play", {"game": offered.what})
        found = await self._store.games.list_in_place(row.id)
        return (found[0] if found else None), reply

    async def _show(self, message: str, code: str, poster: User) -> tuple[GameBrief | None, Reply]:
        """Show an existing game in a message."""
        game = await self._store.games.get(code)
        if game is None:
            return None, Reply()
        refused = await self._front.refuse_to_see(_request_alone(poster), game.id)
        if refused is not None:
            return None, refused
        place = await self._place(message, poster)
        if place.id not in {post.place.id for post in await self._store.posts.list_for_game(game.id)}:
            await self._store.posts.add(game.id, place.id, self._front.context.clock())
        return game, Reply()

    async def _place(self, message: str, user: User) -> PlaceRow:
        """Return the place of a message; its language is that of the person who posted it."""
        where = inline_place(message)
        language = self._front.context.texts.supported(user.language)
        return await self._store.places.get_or_create(where.platform, where.channel, language=language)

    async def _last_known_user(self, user: int) -> User:
        """Return a user as stored, with only the id if they are unknown."""
        number = str(user)
        known = await self._store.people.identities_with_prefix(PLATFORM, number)
        found = next((each for each in known if each.user_id == number), None)
        return User(PLATFORM, number, number) if found is None else User(PLATFORM, number, found.name, found.language)

    async def answer_query(self, query: InlineQuery) -> None:
        """Answer with the results that match the text after the bot's name; more typing sends another query."""
        bot = self._answers.bot()
        if bot is None:
            return
        found = await self.results(query.from_user, make_plain(query.query).strip())
        label = truncate(self._answers.voice(query.from_user).line("inline.private"), MAX_TITLE_LENGTH)
        button = InlineQueryResultsButton(label, start_parameter=HELP_PARAMETER)
        try:
            await bot.answer_inline_query(query.id, found[:MAX_RESULTS], cache_time=0, is_personal=True, button=button)
        except TelegramError as error:
            log.info("list-not-shown", reason=error.message)

    async def on_chosen(self, result: ChosenInlineResult) -> None:
        """Show the offered game in a newly posted message, before the first press."""
        message, (what, *_) = result.inline_message_id, result.result_id.split(":")
        if message is not None and not what.startswith(PUZZLE_LINK_PREFIX):
            account = result.from_user
            await self.show_game(message, InlineOffer(what, account.id), user_of(account))

    async def results(self, account: Account, typed: str) -> list[InlineQueryResultArticle]:
        """Return the results for a person: a game by its code, their own games, any installed game."""
        shared = await self.by_code(account, typed)
        if shared is not None:
            return [shared]
        request = _request_alone(user_of(account))
        known = await self._front.complete(request, "play", "game", {"game": typed})
        playing = await self._front.complete(request, "replay", "code", {"code": typed})
        challenges = [self.challenge(account, each.value) for each in known]
        own = [
            self._game(account, each.value, each.label, (Span(each.label),), "inline.show")
            for each in playing[:MAX_OWN_GAMES]
        ]
        # Challenges come first; typed text filters all results.
        return [*challenges, *self.puzzle(account, typed), *own]

    def puzzle(self, account: Account, typed: str) -> list[InlineQueryResultArticle]:
        """Return the puzzle of the day, to be opened in private; empty if the typed text does not match it."""
        voice = self._answers.voice(account)
        title = voice.line("inline.puzzle")
        # The time zone of a chat that the bot is not in is unknown.
        day = self._front.context.clock().date()
        puzzle = puzzle_on(day)
        name = f"{PUZZLE_LINK_PREFIX}{puzzle.id}"
        link = self._answers.adapter.game_link(name)
        if link is None or typed.casefold() not in title.casefold():
            return []
        said = teaser_words(puzzle, day.isoformat(), voice)
        about = truncate(strip_styles(said).partition("\n")[0], MAX_TITLE_LENGTH)
        markup = InlineKeyboardMarkup([[InlineKeyboardButton(voice.line("button.puzzle.try"), url=link.address)]])
        return [InlineQueryResultArticle(name, title, _content(said), markup, description=about)]

    async def by_code(self, account: Account, typed: str) -> InlineQueryResultArticle | None:
        """Return the game with a typed code, None if there is none or the person may not see it."""
        code = read_code(typed) if typed else None
        row = await self._store.games.get(code) if code is not None else None
        if row is None or row.game not in games:
            return None
        if await self._front.refuse_to_see(_request_alone(user_of(account)), row.id) is not None:
            return None
        title = f"{self._answers.voice(account).game_name(row.game)} · {row.id}"
        label = "inline.join" if row.is_lobby else "inline.show"
        return self._game(account, row.id, title, (Span(title, bold=True),), label)

    def challenge(self, account: Account, key: str) -> InlineQueryResultArticle:
        """Return a challenge to a game that anybody may accept."""
        voice = self._answers.voice(account)
        of_game = voice.of(key)
        name, tagline = of_game.game_name(), of_game.line("tagline")
        who = Span(name_of(account), bold=True)
        said = join([voice.say("inline.challenge", who=who, game=Span(name, bold=True)), of_game.say("tagline")])
        rules = InlineKeyboardButton(voice.line("button.rules"), callback_data=press("rules", None, 0, key))
        return self._article(account, key, name, tagline, said, "inline.join", rules)

    def _game(self, account: Account, code: str, title: str, said: Text, label: str) -> InlineQueryResultArticle:
        return self._article(account, code, title, self._answers.voice(account).line("inline.own"), said, label)

    def _article(
        self,
        account: Account,
        what: str,
        title: str,
        about: str,
        said: Text,
        label: str,
        *others: InlineKeyboardButton,
    ) -> InlineQueryResultArticle:
        # Without a button, we would never receive the id of a message without a game.
        offer = encode_offer(what, account.id, self._answers.adapter.require_bot().token)
        button = InlineKeyboardButton(self._answers.voice(account).line(label), callback_data=offer)
        markup = InlineKeyboardMarkup([[button, *others]])
        return InlineQueryResultArticle(
            what, truncate(title, MAX_TITLE_LENGTH), _content(said), markup, description=about
        )

    async def answer_mention(self, message: Message) -> None:
        """Answer a mention: play its move on the replied-to board, show that board, or offer a game."""
        bot, account = self._answers.bot(), message.from_user
        if bot is None or account is None or account.is_bot or message.guest_query_id is None:
            return
        voice = self._answers.voice(account)
        typed, named_us = re.subn(rf"@{re.escape(bot.username)}\b", " ", message.text or "", flags=re.IGNORECASE)
        typed = make_plain(typed).strip().removeprefix("/play").strip()
        code = self._shown_game(message) or read_code(typed)
        row = await self._store.games.get(code) if code is not None else None
        found: InlineQueryResultArticle | None = None
        if not named_us and (row is None or not typed):
            return  # people talk to each other below one of our messages
        if row is not None:
            if typed and read_code(typed) != row.id:
                reply = await self._play(message, account, row.id, typed, is_mentioned=bool(named_us))
                if reply.talk:
                    return
                if reply.card is not None:
                    await self._send_text(message, reply.card.text, voice)
                    return
            found = await self.by_code(account, row.id)
        else:
            named = self._front.context.game_names.find(typed) if typed else ()
            if len(named) == 1 and named[0] in games:
                found = self.challenge(account, named[0])
        if found is None:
            listing = voice.listing([voice.game_name(key) for key in games])
            said = voice.say("guest.help", bot=Span(bot.name, code=True), games=listing)
            await self._send_text(message, said, voice)
            return
        sent = await self._send(message, found)
        if sent is not None:
            await self.show_game(sent, InlineOffer(found.id, account.id), user_of(account))
            if row is not None:
                await self._retire_previous_board(message, row.id, sent)

    def _shown_game(self, message: Message) -> str | None:
        """Return the code of the game in the replied-to message, None if it is none of ours."""
        carried = map(read_button, list_presses(shown_keyboard(replied_message(message))))
        return next((read.game for read in carried if read is not None and read.game), None)

    async def _play(self, message: Message, account: Account, code: str, typed: str, *, is_mentioned: bool) -> Reply:
        """Play a typed move, or a reply to a board that does not name us if it is a line of play by the player to move.

        A repeated update plays it once.
        """
        event, user = f"g{message.guest_query_id}", user_of(account)
        if is_mentioned:
            return await self._front.command(_request_alone(user, event), "move", {"game": code, "move": typed})
        shown = await self._inline_posts(code)
        if not shown:
            return Reply(talk=True)
        request = Request(event, user, Place(PLATFORM, shown[-1].place.channel), ids="counted")
        return await self._front.typed_text(request, typed)

    async def _inline_posts(self, code: str) -> list[Post]:
        """Return the boards of a game in inline messages."""
        posts = await self._store.posts.list_for_game(code)
        return [each for each in posts if is_inline(each.place)]

    async def _send_text(self, message: Message, said: Text, voice: Speaker) -> None:
        await self._send(message, InlineQueryResultArticle("said", voice.line("inline.show"), _content(said)))

    async def _send(self, message: Message, shown: InlineQueryResultArticle) -> str | None:
        """Answer a mention and return the new message's id, None if it was answered before or is too old."""
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
        """Take the buttons off the chat's previous board of the game, if known, since the new one has them."""
        note, new = f"{_GUEST_KEY_PREFIX}{message.chat.id}:{code}", inline_place(sent).channel
        noted = await self._store.key_values.get(PLATFORM, note)
        await self._store.key_values.set(PLATFORM, note, {"channel": new})
        others = [each for each in await self._inline_posts(code) if each.place.channel != new]
        old = [each for each in others if noted is not None and each.place.channel == noted["channel"]]
        if not old and self._shown_game(message) == code and len(others) == 1:
            # The replied-to message is unknown, but there is only one other board.
            old = others
        adapter = self._answers.adapter
        for post in old:
            place = Place(PLATFORM, post.place.channel)
            adapter.budget.alias(chat_of(place), called_chat(message))
            await self._store.posts.close(post.id)
            work = partial(adapter.retire, place, INLINE_MESSAGE, remove=False)
            await adapter.outbox.put(place.channel, "retired", CallKind.SPARE, work)


def _request_alone(user: User, event: str = "") -> Request:
    """Return a request in a person's private chat, since the actual chat is unknown."""
    return Request(event, user, Place(PLATFORM, user.id, kind="private"), ids="counted")


def _content(said: Text) -> InputTextMessageContent:
    return InputTextMessageContent(format_html(said), parse_mode=PARSE_MODE, link_preview_options=NO_PREVIEW)
