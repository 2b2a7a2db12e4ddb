"""Puzzles from games played here: made offline, and offered to people who did not play in them."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.core.context import Context
from bot.play.replaying import line_of_play
from bot.puzzles.goals import puzzle_goals
from bot.puzzles.making import puzzles_in
from bot.puzzles.puzzle import Puzzle, puzzles_of, read_puzzle
from bot.puzzles.service import find_nearest
from bot.tables.table import BrokenGame
from engine import CHANCE, EngineError, State, games
from storage import PlayedPuzzle, Store

_MAX_CANDIDATES = 40
"""Number of newest puzzles among which the one nearest to a person's level is chosen."""


async def make_puzzles(store: Store, code: str) -> list[Puzzle]:
    """Return the new puzzles in a finished game; empty if it cannot be replayed."""
    row = await store.games.get(code)
    if row is None or row.game not in puzzle_goals or row.rules_version != games[row.game].rules_version:
        return []
    try:
        texts = [event.data["action"] for event in line_of_play(await store.games.events(code))]
        line = list(positions(games[row.game].start(row.seat_count, row.options), texts))
    except (BrokenGame, EngineError):
        return []
    last = puzzle_goals[row.game].last_turns
    return list(puzzles_in([line if last is None else line[-last:]], puzzles_of(row.game)))


def positions(state: State, texts: list[str]) -> Iterator[State]:
    """Yield the positions at the beginning of each turn, from a number on; EngineError."""
    before = -1
    for text in texts:
        if state.to_move not in (None, CHANCE) and state.turn != before:
            before = state.turn
            yield state
        state = state.advance(state.read(text))


async def next_played_puzzle(context: Context, person: int, game: str | None) -> Puzzle | None:
    """Return the puzzle at somebody's level that they have not begun, None if there is none."""
    stored = await context.store.played_puzzles.list_untried(person, game, _MAX_CANDIDATES)
    found = [puzzle for each in stored if (puzzle := read_played(each.data)) is not None]
    return await find_nearest(context, person, found) if found else None


async def find_played_puzzle(context: Context, person: int, name: str) -> Puzzle | None:
    """Return the puzzle with an id; None where there is none, or somebody has played in its game."""
    stored = await context.store.played_puzzles.get(name, person)
    return read_played(stored.data) if stored is not None else None


def read_played(data: Mapping[str, Any]) -> Puzzle | None:
    """Return a puzzle as it is stored, None where it cannot be read any more."""
    try:
        return read_puzzle(data)
    except (EngineError, KeyError, TypeError, ValueError):
        return None


def to_stored(puzzle: Puzzle, code: str) -> PlayedPuzzle:
    """Return a puzzle as it is stored, with the game that it comes from."""
    return PlayedPuzzle(puzzle.id, code, puzzle.game, puzzle.to_json())
