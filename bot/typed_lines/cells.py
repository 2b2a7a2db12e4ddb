"""Why a cell of the board that is open before somebody cannot be used, as the typed move would be refused."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.entry.choices import NoSuchChoice, Question, next_question
from bot.entry.refused_cells import RefusedCell, refused_cell
from bot.explore import commands as trying
from bot.interface.refusals import engine_words
from bot.language.rich_text import Text
from bot.language.texts import Speaker
from bot.learn import commands as learning
from bot.play import service as play
from bot.play.game_lookup import open_table
from bot.puzzles import commands as puzzling
from engine import State


async def explain_cell(context: Context, asker: RequestContext, cell: str, path: Sequence[str]) -> Text:
    """Return why a cell cannot be pressed on the open board, after some answers; nothing where no rule forbids it.

    Refused where it is not the asker's turn there.
    """
    state = await _open_position(context, asker)
    if state is None or cell not in state.topology.cells(state.topology.all):
        return ()
    refused = refused_cell(state, _asked(state, path), cell)
    return () if refused is None else cell_words(asker.mine, state.game.key, cell, refused)


def cell_words(speaker: Speaker, game: str, cell: str, refused: RefusedCell) -> Text:
    """Return the sentence for a cell that cannot be used."""
    if refused.error is None:
        return speaker.say("ask.target.from", cell=cell)
    why = engine_words(speaker, game, refused.error)
    return why if refused.kind == "rule" else speaker.say("cell.stuck", cell=cell, why=why)


def _asked(state: State, path: Sequence[str]) -> Question | None:
    """Return what is asked after some answers; what is asked first where they lead nowhere."""
    facts, actions = state.game.facts, state.legal_actions()
    try:
        asked = next_question(facts, actions, path)
    except NoSuchChoice:
        asked = next_question(facts, actions)
    return asked if isinstance(asked, Question) else None


async def _open_position(context: Context, asker: RequestContext) -> State | None:
    """Return the position on the open board, None where none is, or nothing is asked there."""
    board = asker.request.board
    if board is None or board.kind == "game":
        table = await open_table(context, asker)
        if table is None or table.row.status != "playing" or table.entry_of(asker.person.id) is None:
            return None
        play.moving_seat(table, asker)
        return table.playing.state
    if board.kind == "lesson":
        lesson = await learning.own_lesson(context, asker, board.code)
        return None if lesson is None else lesson.line.state
    if board.kind == "puzzle":
        puzzle = await puzzling.own_board(context, asker, board.code)
        return None if puzzle is None else puzzle.line.state
    trial = await trying.own_trial(context, asker, board.code)
    return None if trial is None or trial.waits_for_chance else trial.line.state
