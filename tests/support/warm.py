"""What each process of the program reads, compiles and draws first, done once where others are forked from this one.

Catalogues, statements and the pictures of the lobby take longer than most tests that start the program. Importing this
module does it; tests of the start itself have a process of their own.
"""

import asyncio
import gc
import tempfile
from collections.abc import Hashable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final
from unittest import mock

from cachetools import LRUCache

import bot.cli.serve
from bot.platforms.web import boards
from engine import games
from render import Drawing, animation
from render.pool import Painter
from storage import Store, utc_now
from tests.bot.party import Party
from tests.support.present import present

THEMES: Final = ("light", "dark")
draw_thumbnail = cache(animation.draw_thumbnail)
PICTURES: Final[LRUCache[Hashable, Drawing]] = LRUCache(128)


class WarmPainter(Painter):
    """A painter that has the pictures which were drawn before its process was forked."""

    def __init__(self) -> None:
        super().__init__()
        self._cache = PICTURES


async def play_in_passing(folder: Path) -> None:
    """Begin a game on a new database, and draw what a lobby shows: most words and statements are used then."""
    async with await Store.open(folder / "warm.db") as store, WarmPainter() as painter:
        people = Party(store, draw=painter.draw)
        await people.say("anna", "/play annuvin computer:1 board:square")
        await people.say("anna", "/help")
        now = utc_now()
        shown = [await people.front.view_thumbnail(game, theme) for game, theme in product(games, THEMES)]
        shown += [await people.front.view_puzzle(now.date(), theme) for theme in THEMES]
        for each in shown:
            draw_thumbnail(present(each).png, boards.THUMBNAIL_PX)
        for language in people.front.context.texts.languages:
            people.front.context.speaker(language).day(now)
        await people.front.close()


def warm_up() -> None:
    """Do all of it, and have the collector leave alone what is there."""
    mock.patch.object(bot.cli.serve, "Painter", WarmPainter).start()
    mock.patch.object(boards, "draw_thumbnail", draw_thumbnail).start()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play_in_passing(Path(folder)))
    gc.collect()
    gc.freeze()


warm_up()
