"""What was confirmed is there, however the program ended."""

import signal
import sqlite3
from contextlib import closing

from storage import GameRow, ProcessedEvent, Store
from storage.addresses import database_file
from tests.durability.process import Life
from tests.storage.player import main
from tests.support.present import present
from tests.support.stores import START, make_place, some_people, store_game

KILLS = 3


async def play_until_killed(address: str, code: str, confirmations: int) -> int:
    """Run a player, kill it after so many confirmations, and return the last revision it confirmed."""
    player = await Life.start(main, address, code)
    for _ in range(confirmations):
        assert await player.stdout.readline()
    player.kill()
    # What it still wrote before it died was confirmed too.
    rest = await player.stdout.read()
    assert await player.ended() == -signal.SIGKILL
    last = rest.rpartition(b"\n")[0].split()
    return int(last[-1]) if last else confirmations


async def whole(store: Store, code: str) -> GameRow:
    """Return the game, after checking that row, events and handled events agree."""
    game = present(await store.games.get(code))
    numbers = list(range(1, game.revision + 1))
    events = await store.games.events(code)
    assert [event.number for event in events] == numbers
    assert [event.data["step"] for event in events] == numbers
    assert game.position == {"step": game.revision}
    for number in numbers:
        assert await store.processed_events.get("web", f"{number}") == ProcessedEvent("web", f"{number}")
    assert await store.processed_events.get("web", f"{game.revision + 1}") is None
    (post,) = await store.posts.list_for_game(code)
    assert post.due_at is not None
    return game


async def test_a_killed_program_loses_nothing_that_it_confirmed(address: str) -> None:
    async with await Store.open(address) as store:
        place = await make_place(store)
        game = await store_game(store, place, await some_people(store, "Ada", "Bob"))
        await store.posts.add(game.id, place.id, START)
    reached = 0
    for kill in range(KILLS):
        confirmed = await play_until_killed(address, game.id, 3 + 4 * kill)
        async with await Store.open(address) as store:
            now = await whole(store, game.id)
        # Perhaps one step more than we were told of: it died between storing and saying so.
        assert max(confirmed, reached + 1) <= now.revision
        reached = now.revision
    file = database_file(address)
    if file is not None:
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
