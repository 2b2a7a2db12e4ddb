"""What each process of the program reads, compiles and draws first, done once where others are forked from this one.

Catalogues, statements and tiles of pictures take longer than most tests that start the program. Importing this module
does it; tests of the start itself have a process of their own.
"""

import asyncio
import gc
import tempfile
from itertools import product
from pathlib import Path

from engine import games
from render.pool import Painter
from render.theme import THEMES
from storage import Store
from tests.bot.party import Party


async def play_in_passing(folder: Path) -> None:
    """Begin a game on a new database, and draw what all games look like: most words and statements are used then."""
    async with await Store.open(folder / "warm.db") as store, Painter() as painter:
        people = Party(store, draw=painter.draw)
        await people.say("anna", "/play annuvin computer:1")
        await people.say("anna", "/help")
        for game, theme in product(games, THEMES):
            await people.front.view_thumbnail(game, theme)
        await people.front.close()


def warm_up() -> None:
    """Do all of it, and have the collector leave alone what is there."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play_in_passing(Path(folder)))
    gc.collect()
    gc.freeze()


warm_up()
