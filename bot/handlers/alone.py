"""What somebody types, or asks a hint for, where they have a board of their own: a lesson or a puzzle."""

from __future__ import annotations

from collections.abc import Sequence

from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers import learning, puzzling
from bot.interface.requests import Reply
from bot.services.puzzles import PuzzleBoard
from storage import GameBrief


async def typed_here(
    context: Context, asker: Asker, text: str, waiting: Sequence[GameBrief], *, talk: bool, only: bool = False
) -> Reply | None:
    """Take a text as a line of play on the board of somebody's own that they have used last; None if it is for none.

    `waiting` are the games that it may be for instead, `only`: none of them takes it; `talk`: it may be just talk.
    """
    board = await _puzzle_here(context, asker, waiting)
    if board is not None:
        async with context.leisure.turn() as waited:
            if waited:
                # What they typed just before may have come first.
                board = await _puzzle_here(context, asker, waiting)
            if board is not None:
                return await puzzling.typed_on(context, asker, board, text, waiting, talk=talk, only=only)
    return await learning.typed_here(context, asker, text, waiting, talk=talk, only=only)


async def hint_here(context: Context, asker: Asker) -> Reply | None:
    """Give a hint on the board of somebody's own that they have used last; None if there is none."""
    mine = [brief for brief in await context.store.games_of(asker.person.id) if brief.status == "playing"]
    board = await _puzzle_here(context, asker, [brief for brief in mine if brief.waiting])
    if board is not None:
        async with context.leisure.turn() as waited:
            if waited:
                board = await _puzzle_here(context, asker, [brief for brief in mine if brief.waiting])
            if board is not None:
                return await puzzling.hint_on(context, asker, board)
    return await learning.hint_here(context, asker)


async def _puzzle_here(context: Context, asker: Asker, waiting: Sequence[GameBrief]) -> PuzzleBoard | None:
    """Return the puzzle that something is for, unless a lesson was used since."""
    board = await puzzling.board_here(context, asker, waiting)
    if board is None:
        return None
    lessons = await context.store.lessons_of(asker.person.id)
    used = next((each.touched_at for each in lessons if each.step), None)
    return board if used is None or used <= board.attempt.touched_at else None
