"""Finding the private board that a person means: the open one, otherwise the one that they used last."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import Final

from bot.boards.board import NoSuchBoard, PrivateBoard, play_typed, show_step
from bot.boards.lessons import LessonBoard
from bot.boards.puzzle_boards import PuzzleBoard
from bot.boards.tries import TrialBoard
from bot.kernel.cards import Button
from bot.kernel.context import Context
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import BoardPost, Reply
from bot.table.game_lookup import check_may_see, is_any_newer
from engine import EngineError
from storage import Attempt, GameBrief, Lesson, read_code

KINDS: Final[Mapping[BoardPost, type[PrivateBoard]]] = {
    kind.kind: kind for kind in (LessonBoard, PuzzleBoard, TrialBoard)
}


async def find_open(context: Context, requester: RequestContext) -> PrivateBoard | None:
    """Return the private board that the requester has open; None if there is none, or it is over."""
    opened = requester.request.board
    if opened is None or opened.kind == "game":
        return None
    kind = KINDS[opened.kind]
    code = read_code(opened.code) if kind is TrialBoard else opened.code
    if code is None or (kind is TrialBoard and not await context.store.games.get(code)):
        return None
    try:
        board = await kind.load(context, requester, code)
    except NoSuchBoard:
        return None
    if isinstance(board, TrialBoard):
        await check_may_see(context, requester, board.table)
        return board
    return board if board.asks or board.rests else None


async def find_current(
    context: Context, requester: RequestContext, waiting: Sequence[GameBrief], *, trees: bool = False
) -> PrivateBoard | None:
    """Return the board for which typed text is meant: one of a person's lessons, or their last attempt at a puzzle.

    It is the one used last, here or (in private) in any place, unless a game has begun to wait since. With `trees`, in
    private it may also be a board for trying lines.
    """
    store, private = context.store, requester.place.kind == "private"
    lessons = await store.lessons.list_for_person(requester.id)
    attempt = await store.puzzles.get_last_attempt(requester.id)
    learned = next((row for row in lessons if row.step and (private or row.place == requester.place.id)), None)
    tried = attempt if attempt is not None and (private or attempt.place == requester.place.id) else None
    rows: list[Lesson | Attempt] = [row for row in (tried, learned) if row is not None]
    rows.sort(key=lambda row: row.touched_at, reverse=True)
    for tree in await store.trees.list_for_person(requester.id, limit=1) if trees and private else ():
        if (used_at := tree.touched_at) is None or (rows and used_at <= rows[0].touched_at):
            break
        if not is_any_newer(waiting, used_at):
            with suppress(Refused, EngineError):  # its game is not playable any more
                return await TrialBoard.load(context, requester, tree.game)
    for row in rows:
        if is_any_newer(waiting, row.touched_at):
            return None
        with suppress(Refused):
            board = (
                PuzzleBoard.read(context, requester, row)
                if isinstance(row, Attempt)
                else LessonBoard.read(context, requester, row)
            )
            if board.asks or board.rests:
                return None if board.rests and waiting else board
    return None


@asynccontextmanager
async def _wait_for(
    context: Context, find: Callable[[], Awaitable[PrivateBoard | None]]
) -> AsyncIterator[PrivateBoard | None]:
    """Yield the board that `find` returns; one with low priority lets boards of games go first."""
    board = await find()
    is_low = board is not None and board.low_priority
    async with context.low_priority.turn() if is_low else nullcontext() as has_waited:
        # An earlier text of the same person may have been handled meanwhile.
        yield await find() if has_waited else board


async def play_typed_line_on_open_board(
    context: Context, requester: RequestContext, text: str, *, talk: bool
) -> Reply | None:
    """Play a text as a line on the private board that the requester has open; None if there is none with a question.

    `talk`: True if the text may be just talk; the reply then has the flag.
    """
    async with _wait_for(context, partial(find_open, context, requester)) as board:
        return None if board is None else await play_typed(board, text, talk=talk) or Reply(talk=True)


async def play_typed_line_privately(
    context: Context,
    requester: RequestContext,
    text: str,
    waiting: Sequence[GameBrief],
    *,
    talk: bool,
    only: bool = False,
    trees: bool = False,
) -> Reply | None:
    """Play a text as a line on the private board that the requester used last; None if it is not meant for one.

    `waiting` are the games for which the text may be meant instead; `only`: True if none of them accepts it; `talk`:
    True if it may be just talk. `trees` is as in `find_current`.
    """
    async with _wait_for(context, partial(find_current, context, requester, waiting, trees=trees)) as board:
        has_waiting = bool(waiting) and not only
        return None if board is None else await play_typed(board, text, has_waiting=has_waiting, talk=talk)


async def show_hint_on_open_board(context: Context, requester: RequestContext) -> Reply | None:
    """Give a hint on the private board that the requester has open; None if there is none with a question."""
    async with _wait_for(context, partial(find_open, context, requester)) as board:
        return None if board is None else await _show_hint(board)


async def show_private_hint(context: Context, requester: RequestContext) -> Reply | Button | None:
    """Give a hint on the requester's puzzle or lesson that was used last; None if there is no such board.

    If a game of theirs went on since, with any seat to move, only return the button for that hint.
    """
    games = await context.store.games.list_for_person(requester.id)
    async with _wait_for(context, partial(find_current, context, requester, ())) as board:
        if board is None or not board.asks:
            return None
        touched_at = board.stored.touched_at
        if touched_at and is_any_newer([brief for brief in games if brief.is_playing], touched_at):
            return board.button(f"button.hint.{board.kind}", "hint")
        return await _show_hint(board)


async def _show_hint(board: PrivateBoard) -> Reply | None:
    step = await board.suggest()
    return None if step is None else await show_step(step)
