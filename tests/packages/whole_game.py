"""A program that a test runs with a package on the path: somebody plays its game against the computer to the end.

What was seen goes to the output as JSON. Pictures are drawn and moves are found by worker processes.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from bot.kernel.requests import Place
from bot.thinking.thinkers import SearchPool
from engine import games
from render.pool import Painter
from storage import Store
from tests.bot.party import Party
from tests.support.present import present

ALONE = Place("web", "anna", kind="private")


async def play_game(store: Store, painter: Painter, game: str, options: str) -> dict[str, Any]:
    """Play a game in which the person always does the first thing that is legal."""
    people = Party(store, draw=painter.draw, thinkers=SearchPool(1))
    await people.say("anna", f"/play {game} computer:3 {options}", place=ALONE)
    pictures, own = list[int](), 0
    while True:
        await people.settle()
        row = present(await store.games.get(people.code))
        picture = present(people.newest.card.picture)
        pictures.append(len(picture.png))
        if row.status != "playing":
            break
        own += 1
        action = games[game].load(present(row.position)).legal_actions()[0]
        await people.say("anna", f"/move {action.text}", place=ALONE)
    text = people.newest.text
    await people.front.close()
    found = {"outcome": row.outcome, "turns": row.turn, "own": own, "pictures": pictures}
    return {**found, "text": text, "alt": picture.alt}


async def main() -> None:
    """Play the game that the arguments name: `DATABASE GAME OPTIONS`."""
    database, game, options = sys.argv[1:]
    async with await Store.open(Path(database)) as store, Painter() as painter:
        print(json.dumps(await play_game(store, painter, game, options)))


if __name__ == "__main__":
    asyncio.run(main())
