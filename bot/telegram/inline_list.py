"""The list shown while a person types the bot's name in any chat: games to challenge to, and their own games."""

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
)
from telegram import User as Account
from telegram.error import TelegramError

from bot.interface.requests import Front, Place, Request
from bot.language.texts import Span, Speaker, Text, strip_styles
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.daily_cards import teaser_words
from bot.telegram.adapter import PARSE_MODE
from bot.telegram.answers import TelegramAnswers
from bot.telegram.decode import HELP_PARAMETER, PLATFORM, PUZZLE_LINK_PREFIX, name_of, user_of
from bot.telegram.inline import InlineOffer
from bot.telegram.inline_games import InlineGames
from bot.telegram.markup import NO_PREVIEW, format_html, truncate
from engine import games
from storage import read_code
from storage.plain_text import make_plain

MAX_RESULTS: Final = 50
MAX_OWN_GAMES: Final = 20
MAX_TITLE_LENGTH: Final = 64

log = structlog.get_logger(__name__)


class InlineList:
    """Lists results, and handles the chosen one; nothing of a list is cached, by Telegram neither."""

    def __init__(self, front: Front, answers: TelegramAnswers, brought: InlineGames) -> None:
        self._front = front
        self._answers = answers
        self._games = brought

    async def answer_query(self, query: InlineQuery) -> None:
        """Answer with the results that match the text after the bot's name; further typing queries again."""
        bot = self._answers.bot()
        if bot is None:
            return
        voice = self._answers.speaker(query.from_user.language_code)
        found = await self.results(query.from_user, make_plain(query.query).strip(), voice, bot.token)
        button = InlineQueryResultsButton(
            truncate(voice.line("inline.private"), MAX_TITLE_LENGTH), start_parameter=HELP_PARAMETER
        )
        try:
            await bot.answer_inline_query(query.id, found[:MAX_RESULTS], cache_time=0, is_personal=True, button=button)
        except TelegramError as error:
            log.info("list-not-shown", reason=error.message)

    async def on_chosen(self, result: ChosenInlineResult) -> None:
        """Show the offered game in the message that a person has posted, before anybody presses."""
        message, (what, *_) = result.inline_message_id, result.result_id.split(":")
        if message is not None and not what.startswith(PUZZLE_LINK_PREFIX):
            account = result.from_user
            await self._games.show_game(message, InlineOffer(what, account.id), user_of(account))

    async def results(self, account: Account, typed: str, voice: Speaker, token: str) -> list[InlineQueryResultArticle]:
        """Return the results for a person: a game by its code, their own games, any installed game."""
        shared = await self.by_code(account, typed, voice, token)
        if shared is not None:
            return [shared]
        request = self._request(account)
        known = await self._front.complete(request, "play", "game", {"game": typed})
        mine = await self._front.complete(request, "replay", "code", {"code": typed})
        challenges = [self.challenge(account, each.value, voice, token) for each in known]
        own = [
            self._article(account, each.value, each.label, voice.line("inline.own"), (Span(each.label),), voice, token)
            for each in mine[:MAX_OWN_GAMES]
        ]
        # With typed text it is one of the games; otherwise challenges come first.
        return [*challenges, *self.puzzle(typed, voice), *own]

    def puzzle(self, typed: str, voice: Speaker) -> list[InlineQueryResultArticle]:
        """Return the puzzle of the day, which each reader opens in private, unless something else was typed."""
        bot, title = self._answers.bot(), voice.line("inline.puzzle")
        if bot is None or typed.casefold() not in title.casefold():
            return []
        # The time zone of a chat that the bot is not in is unknown.
        day = self._answers.ephemeral.clock().date()
        puzzle = puzzle_on(day)
        leads = InlineKeyboardButton(
            voice.line("button.puzzle.try"), url=f"https://t.me/{bot.username}?start={PUZZLE_LINK_PREFIX}{puzzle.id}"
        )
        said = teaser_words(puzzle, day.isoformat(), voice)
        shown = InputTextMessageContent(format_html(said), parse_mode=PARSE_MODE, link_preview_options=NO_PREVIEW)
        about = truncate(strip_styles(said).partition("\n")[0], MAX_TITLE_LENGTH)
        markup = InlineKeyboardMarkup([[leads]])
        return [InlineQueryResultArticle(f"{PUZZLE_LINK_PREFIX}{puzzle.id}", title, shown, markup, description=about)]

    async def by_code(
        self, account: Account, typed: str, voice: Speaker, token: str
    ) -> InlineQueryResultArticle | None:
        """Return the game with a typed code, None if there is none, or they may not see it."""
        code = read_code(typed) if typed else None
        row = await self._games.find_game(code) if code is not None else None
        if row is None or row.game not in games or await self._games.refuse_to_see(user_of(account), row.id):
            return None
        title = f"{voice.of(row.game).line('name')} · {row.id}"
        label = voice.line("inline.join" if row.status == "lobby" else "inline.show")
        return self._article(
            account, row.id, title, voice.line("inline.own"), (Span(title, bold=True),), voice, token, label
        )

    def challenge(self, account: Account, key: str, voice: Speaker, token: str) -> InlineQueryResultArticle:
        """Return a challenge to a game that anybody may accept."""
        game_voice = voice.of(key)
        said = self._games.challenge(key, name_of(account), voice)
        return self._article(
            account,
            key,
            game_voice.line("name"),
            game_voice.line("tagline"),
            said,
            voice,
            token,
            voice.line("inline.join"),
        )

    def _article(
        self,
        account: Account,
        what: str,
        title: str,
        about: str,
        said: Text,
        voice: Speaker,
        token: str,
        label: str | None = None,
    ) -> InlineQueryResultArticle:
        shown = InputTextMessageContent(format_html(said), parse_mode=PARSE_MODE, link_preview_options=NO_PREVIEW)
        markup = self._games.markup(what, account.id, token, label or voice.line("inline.show"), voice)
        return InlineQueryResultArticle(what, truncate(title, MAX_TITLE_LENGTH), shown, markup, description=about)

    def _request(self, account: Account) -> Request:
        """Return a request as if from the private chat: the actual chat is unknown."""
        return Request("", user_of(account), Place(PLATFORM, str(account.id), kind="private"))
