"""All that the store can do with puzzles from games played here, called once."""

from sqlalchemy import insert

from storage import PlayedPuzzle, Store
from storage.puzzle_schema import played_puzzles, puzzle_sources
from storage.puzzles import PUZZLES_SETTING
from tests.support.stores import START

DATA = {
    "id": "annuvin-played",
    "position": {"game": "annuvin"},
    "goal": ["win", 1],
    "tree": [["b1-b2"]],
    "size": 1,
    "difficulty": 1,
    "motif": "corner",
}
PUZZLE = PlayedPuzzle("annuvin-played", "", "annuvin", DATA)


async def fill_played_puzzles(store: Store, game: str) -> None:
    """Store a puzzle from a game, whether anybody has agreed to that or not."""
    async with store._database.transaction() as connection:
        await connection.execute(insert(puzzle_sources).values(game=game, looked_at=START))
        row = {"id": PUZZLE.id, "game": game, "game_key": PUZZLE.game_key, "data": PUZZLE.data, "made_at": START}
        await connection.execute(insert(played_puzzles).values(**row))


async def use_played_puzzles(store: Store, person: int, game: str) -> None:
    """Call what the store can do with such puzzles."""
    await store.people.change_settings(person, {PUZZLES_SETTING: True})
    await store.played_puzzles.list_sources(["annuvin"], 9)
    await store.played_puzzles.add(game, [PUZZLE], START)
    await store.played_puzzles.get(PUZZLE.id, person)
    await store.played_puzzles.list_untried(person, None, 9)
    await store.played_puzzles.list_untried(person, "annuvin", 9)
    await store.played_puzzles.withdraw(person)
