"""Plans: tried or typed lines that are played automatically, and withdrawing them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.boards.board import TURN_SEPARATOR, BoardStep, open_board, show, show_step
from bot.boards.tries import TrialBoard, split_code_and_moves
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, engine_words
from bot.interface.requests import Reply
from bot.play.game_lookup import load_table_by_code, resolve_my_table
from bot.play.service import require_playing_seat
from bot.tables.table import Table
from engine import EngineError

_IF_PATTERN: Final = re.compile(r"\s*\b(?:if|se)\b\s+", re.IGNORECASE)
_THEN_PATTERN: Final = re.compile(r"\s*[,:]?\s*\b(?:then|allora)\b\s+", re.IGNORECASE)


async def plan(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Plan answers to the opponent's turns, typed as `if … then …`; without a line, show the plans."""
    code, typed = await split_code_and_moves(context, values)
    if code:
        table = await load_table_by_code(context, asker, code)
    else:
        table = await resolve_my_table(context, asker, None, lambda brief: press("plan", brief.id, brief.revision))
    if not typed.strip():
        return await open_plan(context, asker, table)
    seat, pairs = require_playing_seat(table, asker), _read_lines(typed)
    start = board = await TrialBoard.begin(context, asker, table)
    if table.mover == seat:
        raise Refused("refusal.plan-your-turn")
    for lines in pairs:
        board = board.at(board.tree.at_node(start.tree.here))
        try:
            for text in lines:
                board = board.after_typed(text)
        except EngineError as error:
            # All or nothing: a refusal must not leave some of the plans in place.
            return await show(context, asker, start, [engine_words(asker.mine, table.row.game, error)])
        board = await board.with_plan(context, asker)
    return await show_step(context, asker, BoardStep(board, [asker.mine.say("plan.made")]))


async def open_plan(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Open the asker's board at the end of their plan in a game; in the current position if there is none."""
    board = await TrialBoard.beside(context, asker, table)
    if board.tree.plans:
        return await open_board(context, asker, board.at(board.tree.at_node(board.tree.plans[-1])))
    if not board.tree.roots:
        board = await TrialBoard.begin(context, asker, table)
    return await open_board(context, asker, board, [asker.mine.say("plan.about")])


async def press_unplan(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that withdraws all plans in a game."""
    board = await TrialBoard.load(context, asker, pressed.game or "")
    if not board.tree.planned:
        # They may just have been played.
        return replace(await show(context, asker, board, [asker.mine.say("plan.nothing")]), update=False)
    return await open_board(context, asker, board.at(board.tree.without_plans()), [asker.mine.say("plan.off")])


def _read_lines(typed: str) -> list[list[str]]:
    """Return the typed plan lines, each with both players' turns in order; Refused for an invalid line."""
    found = []
    for part in filter(None, (each.strip() for each in typed.split(TURN_SEPARATOR))):
        turns = []
        for pair in _IF_PATTERN.split(part)[1:]:
            theirs, *mine = _THEN_PATTERN.split(pair)
            if len(mine) != 1 or not theirs.strip() or not mine[0].strip():
                raise Refused("refusal.plan-line")
            turns += [theirs.strip(" ,"), mine[0].strip(" ,")]
        if not turns or _IF_PATTERN.split(part)[0].strip():
            raise Refused("refusal.plan-line")
        found.append(turns)
    if not found:
        raise Refused("refusal.plan-line")
    return found
