"""Previews of links to public pages in chats and on other sites: pictures of 1200 by 630, and oEmbed."""

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import Final

from bot.boards.puzzles.cards import goal_words
from bot.boards.puzzles.daily_cards import puzzle_line, seat_names
from bot.kernel.operations.settings import split_url
from bot.kernel.rulebook import rule_examples
from bot.kernel.texts import strip_styles
from bot.platforms.public.answers import NothingToShow
from bot.platforms.public.competition_pages import competition_words
from bot.platforms.public.pages import CachedPicture, Drawings, LinkWords, Visit
from bot.platforms.public.shown_games import PublicContent
from bot.platforms.public.solving import read_puzzle
from engine import games
from engine.record import FORGOTTEN_NAME
from render.charts import Chart
from render.games import pictures
from render.preview import HEIGHT, WIDTH, PreviewBoard, PreviewText, draw_preview, draw_table_preview
from storage import Json

CACHE_BYTES: Final = 16 * 1024 * 1024
MAX_AT_ONCE: Final = 1
MAX_WAITING: Final = 20
EMBED_CACHE_SECONDS: Final = 0
"""It is 0, since pages can be withdrawn: sites that embed a page must request it each time, as browsers do."""
SITE_NAME: Final = "Tavoliere"
_THUMBNAIL: Final = {"width": WIDTH, "height": HEIGHT}


class Previews:
    """Draws previews, with a separate limit and cache."""

    def __init__(self, content: PublicContent) -> None:
        self._content = content
        self._context = content.context
        self.drawings = Drawings(CACHE_BYTES, MAX_AT_ONCE, MAX_WAITING)

    async def picture(self, visit: Visit) -> CachedPicture:
        """Return the preview of a game's newest position; TooManyRequests."""
        allowed, speaker = visit.allowed, visit.speaker
        game = await self._content.game(allowed, speaker)
        line, names = game.table.playing, game.table.names
        text = self._text(game.voice.game_name(), strip_styles(game.state_text))
        draw = partial(draw_preview, PreviewBoard(line.state, line.shown_turn, names), text)
        key = allowed.page.id, allowed.revision, speaker.language, names
        return await self._draw(key, draw if game.table.row.game in pictures else None)

    def _text(self, title: str, words: str, label: str = "") -> PreviewText:
        """Return the text of a preview, with the site's name."""
        return PreviewText(title, words, label, f"{SITE_NAME} · {split_url(self._context.web_address).netloc}")

    async def competition(self, visit: Visit) -> CachedPicture:
        """Return the preview of a competition; NothingToShow, TooManyRequests."""
        speaker = visit.speaker
        competition = await self._content.competition(visit.allowed, visit.named("kind"))
        row, link = competition.row, competition_words(competition, visit.allowed.page.id, speaker)
        text = self._text(speaker.game_name(row.game_key), link.state, speaker.line(f"world.kind.{row.kind}"))
        draw = partial(draw_table_preview, example_board(row.game_key), text, link.rows, game=row.game_key)
        key = row.id, row.revision, self._content.consent.epoch, speaker.language
        return await self._draw(key, draw if row.game_key in pictures else None)

    async def puzzle(self, visit: Visit) -> CachedPicture:
        """Return the preview of a date's puzzle, without its solution; NothingToShow, TooManyRequests."""
        _, puzzle = read_puzzle(visit.named("date"), self._context.clock())
        speaker = visit.speaker
        if puzzle.game not in games or puzzle.game not in pictures:
            raise NothingToShow("unknown")
        line, names = puzzle_line(puzzle), seat_names(puzzle, speaker, speaker.line("daily.you"))
        goal = strip_styles(goal_words(speaker, puzzle, puzzle.goal))
        text = self._text(speaker.game_name(puzzle.game), goal, speaker.line("puzzle.caption"))
        board = PreviewBoard(line.state, line.shown_turn, names, puzzle.seat)
        return await self._draw(("puzzle", puzzle.id, speaker.language), partial(draw_preview, board, text))

    async def rules(self, visit: Visit) -> CachedPicture:
        """Return the preview of a game's rules: their first example; NothingToShow, TooManyRequests."""
        key, speaker = visit.named("game"), visit.speaker
        if key not in games or key not in pictures or not rule_examples(key):
            raise NothingToShow("unknown")
        voice = speaker.of(key)
        text = self._text(voice.game_name(), voice.line("tagline"), voice.line("world.kind.rules"))
        draw = partial(draw_table_preview, example_board(key), text, (), game=key)
        return await self._draw(("rules", key, speaker.language), draw)

    async def player(self, visit: Visit) -> CachedPicture:
        """Return the preview of a profile, with titles and ratings; NothingToShow, TooManyRequests."""
        player, speaker = await self._content.player(visit.allowed), visit.speaker
        rated = player.games_rated
        count = speaker.line("world.person.games", n=rated) if rated else speaker.line("world.person.none")
        text = self._text(player.person.name or FORGOTTEN_NAME, count, speaker.line("world.kind.person"))
        shown = [each.game_key for each in player.shown_ratings] or list(games)
        game = next((key for key in shown if key in pictures), None)
        key = text, player.preview_rows(speaker), player.emblems
        draw = None if game is None else partial(draw_table_preview, example_board(game), *key)
        return await self._draw(key, draw)

    async def _draw(self, key: Hashable, draw: Callable[[], Chart] | None) -> CachedPicture:
        async def draw_png() -> bytes | None:
            return None if draw is None else (await asyncio.to_thread(draw)).png

        return await self.drawings.get(key, draw_png)

    def embed(self, link: LinkWords, room: tuple[int, int]) -> Json:
        """Return the oEmbed response for a link: with a picture if it fits into `room`, or else only the link."""
        address = self._context.web_address
        embed: Json = {
            "version": "1.0",
            "type": "link",
            "title": f"{link.title} – {link.state}",
            "provider_name": SITE_NAME,
            "provider_url": f"{address}/g/",
            "cache_age": EMBED_CACHE_SECONDS,
        }
        if room[0] >= WIDTH and room[1] >= HEIGHT:
            embed |= {"type": "photo", "url": f"{address}{link.picture}", **_THUMBNAIL}
        return embed


def example_board(game: str) -> PreviewBoard:
    """Return the sample board of a game: that of its first example, or the start position."""
    if not rule_examples(game):
        return PreviewBoard(games[game].start(games[game].seats[0]))
    example = rule_examples(game)[0]
    return PreviewBoard(example.state, example.turn, example.names, example.viewer)


def page_named(address: str, url: str) -> tuple[str, str] | None:
    """Return the first part of the path of one of our pages, and the id after it; None for other addresses."""
    try:
        asked, ours = split_url(url), split_url(address)
    except ValueError:
        return None
    if (asked.scheme, asked.netloc) != (ours.scheme, ours.netloc):
        return None
    kind, _, page = asked.path.removeprefix("/").partition("/")
    return (kind, page) if asked.path == f"/{kind}/{page}" and page else None
