"""A process that plays a game until it is killed, for test_durability.py."""

import sys
from dataclasses import replace

from storage import GameChange, NewEvent, ProcessedEvent, Store, utc_now


async def main(address: str, code: str) -> None:
    """Change the game again and again, and print each revision once it is confirmed."""
    async with await Store.open(address) as store:
        game = await store.games.get(code)
        while game is not None:
            number = game.revision + 1
            change = GameChange(
                game=replace(game, position={"step": number}),
                events=(NewEvent("action", {"step": number}),),
                at=utc_now(),
                processed=ProcessedEvent("web", f"{number}"),
            )
            game = await store.games.commit(change)
            sys.stdout.write(f"{game.revision}\n")
            sys.stdout.flush()
