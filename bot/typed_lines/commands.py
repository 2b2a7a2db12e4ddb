"""Typed lines: for the board that is open, a game that waits, or a private board."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.boards.open_boards import play_typed_line_on_open_board, play_typed_line_privately
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.entry.talk import is_talk
from bot.interface.presses import Press, press
from bot.interface.requests import Reply
from bot.play.commands import load_current_table, play_text
from bot.play.game_lookup import find_answered_table, is_any_newer, open_table, resolve_my_table
from bot.tables.table import Table
from bot.teams.commands import propose_text, takes_text
from engine import games
from storage import GameBrief, WaitingGame


async def move(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Play a typed line in the game that waits for the person."""
    text = values.get("move", "").strip()
    if not values.get("game"):
        on_open = await play_typed_line_on_open_board(context, asker, text, talk=False)
        if on_open is not None:
            return on_open
        opened = await open_table(context, asker)
        if opened is not None and opened.row.status == "playing":
            return await _play_or_propose(context, asker, opened, text)
        waiting, touched_at = await context.store.games.list_typed_targets(asker.person.id, asker.place.id)
        if len(waiting) == 1 and waiting[0].game in games and not _is_used_since(touched_at, waiting):
            # The usual case: whatever else they play, this is the game they mean.
            return await _play_or_propose(context, asker, await context.table(waiting[0].id), text)
        mine = [
            brief for brief in await context.store.games.list_for_person(asker.person.id) if brief.status == "playing"
        ]
        taught = await play_typed_line_privately(
            context, asker, text, [brief for brief in mine if brief.waiting], talk=False
        )
        if taught is not None:
            return taught

    def again(brief: GameBrief) -> str:
        typed = Press("text", brief.id, brief.revision, text)
        return str(typed) if typed.fits else press("show", brief.id, brief.revision)

    table = await resolve_my_table(context, asker, values.get("game"), again, waiting=True, voting=True)
    return await _play_or_propose(context, asker, table, text)


async def press_text(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a typed line whose game was asked for, or that goes on with what was typed."""
    return await _play_or_propose(context, asker, await load_current_table(context, pressed), pressed.rest)


async def play_typed_text(context: Context, asker: RequestContext, text: str) -> Reply:
    """Play a text as a line if it replies to a board, or a board is open, or one game waits."""
    answered = await find_answered_table(context, asker)
    if answered is not None:
        return await _play_or_propose(context, asker, answered, text)
    on_open = await play_typed_line_on_open_board(context, asker, text, talk=asker.request.message is None)
    if on_open is not None:
        return on_open
    opened = await open_table(context, asker)
    if opened is not None and _is_playing(opened, asker):
        if is_talk(opened.playing.state, text):
            return Reply(talk=True)
        return await _play_or_propose(context, asker, opened, text)
    waiting, touched_at = await context.store.games.list_typed_targets(asker.person.id, asker.place.id)
    # A private board is meant unless a game has begun to wait since.
    if _is_used_since(touched_at, waiting):
        taught = await play_typed_line_privately(context, asker, text, waiting, touched_at, talk=True)
        if taught is not None:
            return taught
    tables = [await context.table(brief.id) for brief in waiting if brief.game in games]
    meant = [table for table in tables if not is_talk(table.playing.state, text)]
    if not meant:
        # No game here accepts it: it may be a mistake in the lesson, or in the puzzle.
        slip = (
            await play_typed_line_privately(context, asker, text, waiting, touched_at, talk=True, only=True)
            if waiting
            else None
        )
        return slip or Reply(talk=True)
    if len(meant) == 1:
        return await _play_or_propose(context, asker, meant[0], text)
    return await move(context, asker, {"move": text})


def _is_used_since(touched_at: datetime | None, waiting: Sequence[WaitingGame]) -> bool:
    """Return True if the person has used a private board since the games began to wait for them."""
    return touched_at is not None and not is_any_newer(waiting, touched_at)


async def _play_or_propose(context: Context, asker: RequestContext, table: Table, text: str) -> Reply:
    """Play a typed line, or propose it if a team is to move."""
    play = propose_text if takes_text(table, asker) else play_text
    return await play(context, asker, table, text)


def _is_playing(table: Table, asker: RequestContext) -> bool:
    """Return True if the person plays in a running game, or may propose a turn to the team that is to move."""
    if table.row.status != "playing":
        return False
    seat = table.seat_of(asker.person.id)
    return table.playing.state.is_playing(seat) if seat is not None else takes_text(table, asker)
