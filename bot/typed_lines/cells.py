"""Clicks on cells of the page's board: the question they answer, or the rule that forbids them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bot.boards.open_boards import find_open
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.entry.choices import NoSuchChoice, Question, click_paths, next_question
from bot.interface.refusals import engine_words
from bot.language.texts import Speaker, Text
from bot.play import service as play
from bot.play.game_lookup import open_table
from engine import Action, EngineError, State

MAX_CELLS_TRIED: Final = 6
"""Number of nearest cells to which a move of the piece is tried: as many as a cell has neighbours."""


@dataclass(frozen=True, slots=True)
class RefusedCell:
    """Why a cell cannot be chosen.

    `kind` is "rule" if a rule forbids it; "stuck" if its piece cannot move (`error` is for the nearest target);
    "leads-on" if its piece can move by a click on the target cell.
    """

    kind: Literal["rule", "stuck", "leads-on"]
    error: EngineError | None = None


def refused_cell(state: State, asked: Question | None, cell: str) -> RefusedCell | None:
    """Return why a cell cannot be the answer to a question; None if it can, or no rule says why not."""
    if asked is None or cell in click_paths(asked):
        return None
    if asked.piece is not None:
        return _parse_as_refused(state, f"{asked.piece} {cell}")
    if any(action.source is None and action.target is not None for action in _actions(asked)):
        return _parse_as_refused(state, cell)
    return _refused_source(state, cell)


def _actions(asked: Question) -> list[Action]:
    return [action for entry in asked.entries for action in entry.actions]


def _parse_as_refused(state: State, text: str) -> RefusedCell | None:
    try:
        state.parse(text)
    except EngineError as error:
        return RefusedCell("rule", error)
    return None


def _refused_source(state: State, cell: str) -> RefusedCell | None:
    """Return why nothing can move from a cell: the common reason for the nearest targets, or the first."""
    if any(action.source == cell for action in state.legal_actions()):
        return RefusedCell("leads-on")
    board = state.topology
    cells = board.cells(board.all)
    start = cells.index(cell)
    targets = sorted((index for index in range(len(cells)) if index != start), key=board.distances[start].__getitem__)
    found = [_parse_as_refused(state, f"{cell} {cells[target]}") for target in targets[:MAX_CELLS_TRIED]]
    errors = [each.error for each in found if each is not None and each.error is not None]
    if not errors:
        return None
    same = len({error.code for error in errors}) == 1
    return RefusedCell("rule" if same else "stuck", errors[0])


async def explain_cell(context: Context, asker: RequestContext, cell: str, path: Sequence[str]) -> Text:
    """Return why a cell cannot be clicked on the open board, after some answers; empty if no rule forbids it.

    Refused if it is not the asker's turn there.
    """
    state = await _open_position(context, asker)
    if state is None or cell not in state.topology.cells(state.topology.all):
        return ()
    refused = refused_cell(state, _question_after(state, path), cell)
    return () if refused is None else cell_words(asker.mine, state.game.key, cell, refused)


def cell_words(speaker: Speaker, game: str, cell: str, refused: RefusedCell) -> Text:
    """Return the sentence for a cell that cannot be used."""
    if refused.error is None:
        return speaker.say("ask.target.from", cell=cell)
    why = engine_words(speaker, game, refused.error)
    return why if refused.kind == "rule" else speaker.say("cell.stuck", cell=cell, why=why)


def _question_after(state: State, path: Sequence[str]) -> Question | None:
    """Return the question after some answers; the first one if they are invalid."""
    actions = state.legal_actions()
    try:
        asked = next_question(state, actions, path)
    except NoSuchChoice:
        asked = next_question(state, actions)
    return asked if isinstance(asked, Question) else None


async def _open_position(context: Context, asker: RequestContext) -> State | None:
    """Return the position on the open board, None if there is none, or nothing is asked there."""
    board = asker.request.board
    if board is None or board.kind == "game":
        table = await open_table(context, asker)
        if table is None or table.row.status != "playing" or table.entry_of(asker.person.id) is None:
            return None
        play.require_moving_seat(table, asker)
        return table.playing.state
    found = await find_open(context, asker)
    return None if found is None or not found.asks else found.line.state
