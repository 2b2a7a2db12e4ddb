"""Previews of links to public pages in chats and on other sites: pictures of 1200 by 630, and oEmbed."""

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from bot.core.context import Context
from bot.language.texts import Speaker, strip_styles
from bot.operations.urls import split_url
from bot.public.answers import NothingToShow
from bot.public.competition_heads import CompetitionHead, competition_head
from bot.public.consent import Allowed, Consent
from bot.public.drawings import CachedPicture, Drawings
from bot.public.pages import page_title
from bot.public.puzzle_days import puzzle_of, read_day
from bot.public.shown_competitions import ShownCompetitions
from bot.public.shown_games import ShownGame, ShownGames
from bot.public.shown_players import read_player
from bot.puzzles.cards import goal_words
from bot.puzzles.daily_cards import puzzle_scene
from bot.rulebook import rule_examples
from engine import games
from engine.record_fields import FORGOTTEN_NAME
from render.charts import Chart
from render.games import pictures
from render.preview import HEIGHT, WIDTH, draw_preview
from render.table_preview import draw_table_preview
from storage import CompetitionKind, CompetitionRow

CACHE_BYTES: Final = 16 * 1024 * 1024
MAX_AT_ONCE: Final = 1
MAX_WAITING: Final = 20
EMBED_CACHE_SECONDS: Final = 0
"""0, because pages can be withdrawn: sites that embed a page must ask each time, as browsers do."""
_THUMBNAIL: Final = {"width": WIDTH, "height": HEIGHT}


@dataclass(frozen=True, slots=True)
class LinkWords:
    """The words of a link: the title and the state of its page, and the path of its picture."""

    title: str
    state: str
    picture: str


class Previews:
    """Draws previews, with a limit and a cache of their own."""

    def __init__(self, context: Context, consent: Consent, games: ShownGames, shown: ShownCompetitions) -> None:
        self._context = context
        self._consent = consent
        self._games = games
        self._shown = shown
        self.drawings = Drawings(CACHE_BYTES, MAX_AT_ONCE, MAX_WAITING)

    async def picture(self, allowed: Allowed, speaker: Speaker) -> CachedPicture:
        """Return the preview of a game's newest position; TooManyRequests."""
        game = await self._games.read(allowed)
        names = game.names(speaker)
        key = allowed.page.id, allowed.revision, speaker.language, names
        return await self._draw(key, self._game_drawer(game, speaker))

    def _game_drawer(self, game: ShownGame, speaker: Speaker) -> Callable[[], Chart] | None:
        row, line = game.table.row, game.table.playing
        if row.game not in pictures:
            return None
        title = speaker.of(row.game).line("name")
        words = strip_styles(game.state_text(speaker))
        return partial(draw_preview, line.state, line.shown_turn, game.names(speaker), title, words)

    async def competition(self, kind: CompetitionKind, allowed: Allowed, speaker: Speaker) -> CachedPicture:
        """Return the preview of a competition; NothingToShow, TooManyRequests."""
        row, head = await self._head(kind, allowed, speaker)
        title = speaker.of(row.game_key).line("name")
        words = f"{speaker.line(f'world.kind.{kind}')} · {head.state}"
        key = allowed.page.id, row.revision, self._consent.epoch, speaker.language
        return await self._draw(key, partial(draw_table_preview, title, words, head.rows))

    async def puzzle(self, day: str, speaker: Speaker) -> CachedPicture:
        """Return the preview of a date's puzzle, without its solution; NothingToShow, TooManyRequests."""
        date = read_day(day)
        puzzle = puzzle_of(date, self._context.clock()) if date is not None else None
        if puzzle is None or puzzle.game not in games or puzzle.game not in pictures:
            raise NothingToShow("unknown")
        scene = puzzle_scene(puzzle, speaker)
        title, words = speaker.of(puzzle.game).line("name"), strip_styles(goal_words(speaker, puzzle, puzzle.goal))
        line, names = scene.line, scene.names
        draw = partial(draw_preview, line.state, line.shown_turn, names, title, words, viewer=puzzle.seat)
        return await self._draw(("puzzle", puzzle.id, speaker.language), draw)

    async def rules(self, key: str, speaker: Speaker) -> CachedPicture:
        """Return the preview of a game's rules: their first example; NothingToShow, TooManyRequests."""
        if key not in games or key not in pictures or not rule_examples(key):
            raise NothingToShow("unknown")
        example, voice = rule_examples(key)[0], speaker.of(key)
        state, names, viewer = example.state, example.names, example.viewer
        title, words = voice.line("name"), voice.line("tagline")
        draw = partial(draw_preview, state, example.turn, names, title, words, viewer=viewer)
        return await self._draw(("rules", key, speaker.language), draw)

    async def player(self, allowed: Allowed, speaker: Speaker) -> CachedPicture:
        """Return the preview of a profile, with titles and ratings; NothingToShow, TooManyRequests."""
        player = await read_player(self._context, allowed)
        key = player.person.name or FORGOTTEN_NAME, player.preview_words(speaker), player.preview_rows(speaker)
        return await self._draw(key, partial(draw_table_preview, *key))

    async def words_of_player(self, allowed: Allowed, speaker: Speaker) -> LinkWords:
        """Return the words of a link to a profile; NothingToShow."""
        player = await read_player(self._context, allowed)
        picture = f"/p/{allowed.page.id}/preview.png?r={player.games_rated}"
        return LinkWords(player.person.name or FORGOTTEN_NAME, player.preview_words(speaker), picture)

    async def _draw(self, key: Hashable, draw: Callable[[], Chart] | None) -> CachedPicture:
        async def draw_png() -> bytes | None:
            return None if draw is None else (await asyncio.to_thread(draw)).png

        return await self.drawings.get(key, draw_png)

    async def _head(
        self, kind: CompetitionKind, allowed: Allowed, speaker: Speaker
    ) -> tuple[CompetitionRow, CompetitionHead]:
        competition = await self._shown.read(allowed, kind)
        return competition.row, competition_head(competition, speaker)

    async def words_of_game(self, allowed: Allowed, speaker: Speaker) -> LinkWords:
        """Return the words of a link to a game."""
        game = await self._games.read(allowed)
        picture = f"/g/{game.page}/preview.png?r={allowed.revision}"
        return LinkWords(page_title(game, speaker), strip_styles(game.state_text(speaker)), picture)

    async def words_of_competition(self, kind: CompetitionKind, allowed: Allowed, speaker: Speaker) -> LinkWords:
        """Return the words of a link to a competition; NothingToShow."""
        row, head = await self._head(kind, allowed, speaker)
        return LinkWords(head.heading, head.state, f"/{kind}/{allowed.page.id}/preview.png?r={row.revision}")

    def embed(self, link: LinkWords, room: tuple[int, int]) -> dict[str, Any]:
        """Return the oEmbed response for a link: a picture if it fits into `room`, else only the link."""
        address = self._context.web_address
        embed: dict[str, Any] = {
            "version": "1.0",
            "type": "link",
            "title": f"{link.title} – {link.state}",
            "provider_name": "Tavoliere",
            "provider_url": f"{address}/g/",
            "cache_age": EMBED_CACHE_SECONDS,
        }
        if room[0] >= WIDTH and room[1] >= HEIGHT:
            embed |= {"type": "photo", "url": f"{address}{link.picture}", **_THUMBNAIL}
        return embed


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
