"""What somebody types, or asks a hint for, where they have a board of their own: a lesson, a puzzle or a try."""

from __future__ import annotations

from collections.abc import Sequence

from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers import learning, puzzling, trying
from bot.interface.requests import Reply
from bot.services.puzzles import PuzzleBoard
from storage import GameBrief, WaitingGame


async def typed_here(
    context: Context,
    asker: Asker,
    text: str,
    waiting: Sequence[GameBrief | WaitingGame],
    *,
    talk: bool,
    only: bool = False,
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
                elsewhere = bool(waiting) and not only
                return await puzzling.typed_on(context, asker, board, text, elsewhere=elsewhere, talk=talk)
    return await learning.typed_here(context, asker, text, waiting, talk=talk, only=only)


async def typed_on_open(context: Context, asker: Asker, text: str, *, talk: bool) -> Reply | None:
    """Take a text as a line of play on the private board that is open before somebody; None where none that asks is.

    `talk`: it may be just talk, which the reply then says.
    """
    board = asker.request.board
    if board is None or board.kind == "game":
        return None
    spoken = Reply(talk=True)
    if board.kind == "lesson":
        lesson = await learning.own_lesson(context, asker, board.code)
        if lesson is None:
            return None
        return await learning.typed_on(context, asker, lesson, text, elsewhere=False, talk=talk) or spoken
    if board.kind == "try":
        trial = await trying.own_trial(context, asker, board.code)
        if trial is None:
            return None
        return await trying.typed_on(context, asker, trial, text, talk=talk) or spoken
    async with context.leisure.turn():
        puzzle = await puzzling.own_board(context, asker, board.code)
        if puzzle is None:
            return None
        return await puzzling.typed_on(context, asker, puzzle, text, elsewhere=False, talk=talk) or spoken


async def hint_on_open(context: Context, asker: Asker) -> Reply | None:
    """Give a hint on the private board that is open before somebody; None where none that asks is."""
    board = asker.request.board
    if board is None or board.kind == "game":
        return None
    if board.kind == "lesson":
        lesson = await learning.own_lesson(context, asker, board.code)
        return None if lesson is None else await learning.hint_on(context, asker, lesson)
    if board.kind == "try":
        trial = await trying.own_trial(context, asker, board.code)
        return None if trial is None else await trying.hint_on(context, asker, trial)
    async with context.leisure.turn():
        puzzle = await puzzling.own_board(context, asker, board.code)
        return None if puzzle is None else await puzzling.hint_on(context, asker, puzzle)


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


async def _puzzle_here(
    context: Context, asker: Asker, waiting: Sequence[GameBrief | WaitingGame]
) -> PuzzleBoard | None:
    """Return the puzzle that something is for, unless a lesson was used since."""
    board = await puzzling.board_here(context, asker, waiting)
    if board is None:
        return None
    lessons = await context.store.lessons_of(asker.person.id)
    used = next((each.touched_at for each in lessons if each.step), None)
    return board if used is None or used <= board.attempt.touched_at else None
