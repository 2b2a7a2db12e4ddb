"""What links to our pages look like in chats and on other sites: pictures of 1200 by 630, and oEmbed."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from bot.core.context import Context
from bot.language.texts import Speaker, plain
from bot.public.consent import Allowed
from bot.public.drawings import CachedPicture, Drawings
from bot.public.pages import page_title
from bot.public.shown_games import ShownGame, ShownGames
from render.games import pictures
from render.preview import HEIGHT, WIDTH, draw_preview

CACHE_BYTES: Final = 16 * 1024 * 1024
MAX_AT_ONCE: Final = 1
MAX_WAITING: Final = 20
EMBED_CACHE_SECONDS: Final = 300
_THUMBNAIL: Final = {"width": WIDTH, "height": HEIGHT}


class Previews:
    """Draws previews: fewer at a time than boards, and cached apart from them."""

    def __init__(self, context: Context, games: ShownGames) -> None:
        self._context = context
        self._games = games
        self.drawings = Drawings(CACHE_BYTES, MAX_AT_ONCE, MAX_WAITING)

    async def picture(self, allowed: Allowed, speaker: Speaker) -> CachedPicture:
        """Return the preview of a game as it stands; TooManyRequests."""
        game = await self._games.read(allowed)
        names = game.names(speaker)
        key = allowed.page.id, allowed.revision, speaker.language, names

        async def draw() -> bytes | None:
            return await self._draw(game, speaker)

        return await self.drawings.get(key, draw)

    async def _draw(self, game: ShownGame, speaker: Speaker) -> bytes | None:
        row, line = game.table.row, game.table.playing
        if row.game not in pictures:
            return None
        title = speaker.of(row.game).line("name")
        words = plain(game.state_text(speaker))
        drawn = partial(draw_preview, line.state, line.shown_turn, game.names(speaker), title, words)
        return (await asyncio.to_thread(drawn)).png

    async def embed(self, allowed: Allowed, speaker: Speaker, room: tuple[int, int]) -> dict[str, Any]:
        """Return what oEmbed tells of a game: its picture where there is `room` for it, else a link."""
        game = await self._games.read(allowed)
        address = self._context.web_address
        picture = f"{address}/g/{game.page}/preview.png?r={allowed.revision}"
        embed: dict[str, Any] = {
            "version": "1.0",
            "type": "link",
            "title": f"{page_title(game, speaker)} – {plain(game.state_text(speaker))}",
            "provider_name": "Tavoliere",
            "provider_url": f"{address}/g/",
            "cache_age": EMBED_CACHE_SECONDS,
        }
        if room[0] >= WIDTH and room[1] >= HEIGHT:
            embed |= {"type": "photo", "url": picture, **_THUMBNAIL}
        return embed


def page_named(address: str, url: str) -> str | None:
    """Return the id of the game's page that an address names, None for any other."""
    try:
        asked, ours = urlsplit(url), urlsplit(address)
    except ValueError:
        return None
    if (asked.scheme, asked.netloc) != (ours.scheme, ours.netloc):
        return None
    _, _, page = asked.path.partition("/g/")
    return page if asked.path == f"/g/{page}" and page else None
