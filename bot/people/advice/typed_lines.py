"""Typed lines: for the open board, a waiting game, or a private board."""

from collections.abc import Sequence
from typing import Final

from bot.boards.open_boards import find_open, play_typed_line_on_open_board, play_typed_line_privately
from bot.kernel.choices import NoSuchChoice, Question, click_paths, next_question
from bot.kernel.commandline import is_talk
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.presses import Press
from bot.kernel.refusals import engine_words
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table
from bot.kernel.texts import Speaker, Text
from bot.lobby.teams.commands import propose_text, takes_text
from bot.table import service as play
from bot.table.commands import load_current_table, play_text
from bot.table.game_lookup import find_answered_table, open_table, resolve_my_table
from engine import EngineError, State, games
from storage import GameBrief


async def move(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Play a typed line in the game that waits for the person."""
    text = values.get("move", "")
    if not values.get("game"):
        on_open = await play_typed_line_on_open_board(context, requester, text, talk=False)
        if on_open is not None:
            return on_open
        opened = await open_table(context, requester)
        if opened is not None and opened.row.is_playing:
            return await _play_or_propose(context, requester, opened, text)
        own = await context.store.games.list_for_person(requester.id)
        meant_instead = [brief for brief in own if brief.is_playing and brief.waiting]
        taught = await play_typed_line_privately(context, requester, text, meant_instead, talk=False)
        if taught is not None:
            return taught
        waiting = await _list_waiting(context, requester)
        if len(waiting) == 1 and waiting[0].game in games:
            # The usual case: they mean the only game that waits for them here.
            return await _play_or_propose(context, requester, await context.table(waiting[0].id), text)

    table = await resolve_my_table(context, requester, values.get("game"), "text", text, waiting=True, voting=True)
    return await _play_or_propose(context, requester, table, text)


async def press_text(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle a typed line after the choice of its game, or after a question about it."""
    return await _play_or_propose(context, requester, await load_current_table(context, pressed), pressed.rest)


async def play_typed_text(context: Context, requester: RequestContext, text: str) -> Reply:
    """Play a text as a line if it replies to a board, or a board is open, or one game waits."""
    answered = await find_answered_table(context, requester)
    if answered is not None:
        return await _play_or_propose(context, requester, answered, text)
    on_open = await play_typed_line_on_open_board(context, requester, text, talk=requester.request.message is None)
    if on_open is not None:
        return on_open
    opened = await open_table(context, requester)
    if opened is not None and _is_playing(opened, requester):
        if is_talk(opened.playing.state, text):
            return Reply(talk=True)
        return await _play_or_propose(context, requester, opened, text)
    waiting = await _list_waiting(context, requester)
    taught = await play_typed_line_privately(context, requester, text, waiting, talk=True, trees=True)
    if taught is not None:
        return taught
    tables = [await context.table(brief.id) for brief in waiting if brief.game in games]
    meant = [table for table in tables if not is_talk(table.playing.state, text)]
    if not meant:
        # No game here accepts it: it may be an invalid move in the lesson or the puzzle.
        slip = (
            await play_typed_line_privately(context, requester, text, waiting, talk=True, only=True, trees=True)
            if waiting
            else None
        )
        return slip or Reply(talk=True)
    if len(meant) == 1:
        return await _play_or_propose(context, requester, meant[0], text)
    return await move(context, requester, {"move": text})


async def _list_waiting(context: Context, requester: RequestContext) -> list[GameBrief]:
    """Return the games here that wait for the person's move."""
    own = await context.store.games.list_for_person(requester.id, place=requester.place.id)
    return [brief for brief in own if brief.is_playing and brief.to_move == requester.id]


async def _play_or_propose(context: Context, requester: RequestContext, table: Table, text: str) -> Reply:
    """Play a typed line, or propose it if a team is to move."""
    play = propose_text if takes_text(table, requester) else play_text
    return await play(context, requester, table, text)


def _is_playing(table: Table, requester: RequestContext) -> bool:
    """Return True if the person plays in a running game, or may propose a turn to the team that is to move."""
    if not table.row.is_playing:
        return False
    seat = table.seat_of(requester.id)
    return table.playing.state.is_playing(seat) if seat is not None else takes_text(table, requester)


MAX_CELLS_TRIED: Final = 6
"""Number of nearest cells to try as targets: the number of neighbours of a cell."""


def refused_cell_words(speaker: Speaker, state: State, asked: Question | None, cell: str) -> Text:
    """Return why a cell cannot be the answer to a question; empty if it can, or if no rule forbids it."""
    if asked is None or cell in click_paths(asked):
        return ()
    takes_target = any(action.source is None and action.target is not None for action in asked.actions)
    if asked.piece is not None or takes_target:
        error = _find_refusal(state, cell if asked.piece is None else f"{asked.piece} {cell}")
        return () if error is None else engine_words(speaker, state.game.key, error)
    if any(action.source == cell for action in state.legal_actions()):
        return speaker.say("ask.target.from", cell=cell)
    board = state.topology
    cells = board.cells(board.all)
    start = cells.index(cell)
    targets = sorted((index for index in range(len(cells)) if index != start), key=board.distances[start].__getitem__)
    found = [_find_refusal(state, f"{cell} {cells[target]}") for target in targets[:MAX_CELLS_TRIED]]
    errors = [error for error in found if error is not None]
    if not errors:
        return ()
    why = engine_words(speaker, state.game.key, errors[0])
    same = len({error.code for error in errors}) == 1
    # With different reasons, the one for the nearest target is an example.
    return why if same else speaker.say("cell.stuck", cell=cell, why=why)


def _find_refusal(state: State, text: str) -> EngineError | None:
    try:
        state.parse(text)
    except EngineError as error:
        return error
    return None


async def explain_cell(context: Context, requester: RequestContext, cell: str, path: Sequence[str]) -> Text:
    """Return why a cell cannot be clicked on the open board, after some answers; empty if no rule forbids it.

    Refused if it is not the requester's turn there.
    """
    state = await _open_position(context, requester)
    if state is None or cell not in state.topology.cells(state.topology.all):
        return ()
    return refused_cell_words(requester.speaker, state, _question_after(state, path), cell)


def _question_after(state: State, path: Sequence[str]) -> Question | None:
    """Return the question after some answers; the first one if they are invalid."""
    actions = state.legal_actions()
    try:
        asked = next_question(state, actions, path)
    except NoSuchChoice:
        asked = next_question(state, actions)
    return asked if isinstance(asked, Question) else None


async def _open_position(context: Context, requester: RequestContext) -> State | None:
    """Return the position on the open board, None if there is no board, or the board asks nothing."""
    board = requester.request.board
    if board is None or board.kind == "game":
        table = await open_table(context, requester)
        if table is None or not table.row.is_playing or table.entry_of(requester.id) is None:
            return None
        play.require_moving_seat(table, requester)
        return table.playing.state
    found = await find_open(context, requester)
    return None if found is None or not found.asks else found.line.state
