"""Typed text and hints for games and for private boards: lessons, puzzles and lines to try out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.entry.talk import is_talk
from bot.explore import commands as trying
from bot.interface.cards import Button
from bot.interface.presses import Press, press
from bot.interface.requests import Reply
from bot.learn import commands as learning
from bot.learn.cards import HINT as LESSON_HINT
from bot.learn.service import find_current_lesson
from bot.play.commands import load_current_table, play_text
from bot.play.game_lookup import find_answered_table, is_any_newer, open_table, resolve_my_table
from bot.puzzles import commands as puzzling
from bot.puzzles.cards import HINT as PUZZLE_HINT
from bot.puzzles.cards import control_button
from bot.puzzles.service import PuzzleBoard
from bot.tables.table import Table
from bot.teams.commands import propose_text, takes_text
from engine import games
from storage import GameBrief, WaitingGame


async def play_typed_line_privately(
    context: Context,
    asker: RequestContext,
    text: str,
    waiting: Sequence[GameBrief | WaitingGame],
    *,
    talk: bool,
    only: bool = False,
) -> Reply | None:
    """Play a text as a line on the asker's private board that was used last; None if it is not meant for one.

    `waiting` are the games that it may be meant for instead; `only`: True if none of them accepts it; `talk`: True if
    it may be just talk.
    """
    board = await _find_current_puzzle(context, asker, waiting)
    if board is not None:
        async with context.low_priority.turn() as waited:
            if waited:
                # What they typed just before may have been handled first.
                board = await _find_current_puzzle(context, asker, waiting)
            if board is not None:
                elsewhere = bool(waiting) and not only
                return await puzzling.play_typed_line(context, asker, board, text, elsewhere=elsewhere, talk=talk)
    return await learning.play_typed_line_in_lesson(context, asker, text, waiting, talk=talk, only=only)


async def play_typed_line_on_open_board(
    context: Context, asker: RequestContext, text: str, *, talk: bool
) -> Reply | None:
    """Play a text as a line on the private board that the asker has open; None if there is none with a question.

    `talk`: True if it may be just talk, which the reply then says.
    """
    board = asker.request.board
    if board is None or board.kind == "game":
        return None
    spoken = Reply(talk=True)
    if board.kind == "lesson":
        lesson = await learning.find_open_lesson(context, asker, board.code)
        if lesson is None:
            return None
        if not lesson.asks:
            return await learning.answer_between_steps(context, asker, lesson, text, talk=talk) or spoken
        return await learning.play_typed_line(context, asker, lesson, text, elsewhere=False, talk=talk) or spoken
    if board.kind == "try":
        trial = await trying.find_own_trial(context, asker, board.code)
        if trial is None:
            return None
        return await trying.play_typed_line(context, asker, trial, text, talk=talk) or spoken
    async with context.low_priority.turn():
        puzzle = await puzzling.own_board(context, asker, board.code)
        if puzzle is None:
            return None
        return await puzzling.play_typed_line(context, asker, puzzle, text, elsewhere=False, talk=talk) or spoken


async def show_hint_on_open_board(context: Context, asker: RequestContext) -> Reply | None:
    """Give a hint on the private board that the asker has open; None if there is none with a question."""
    board = asker.request.board
    if board is None or board.kind == "game":
        return None
    if board.kind == "lesson":
        lesson = await learning.find_own_lesson(context, asker, board.code)
        return None if lesson is None else await learning.show_hint(context, asker, lesson)
    if board.kind == "try":
        trial = await trying.find_own_trial(context, asker, board.code)
        return None if trial is None else await trying.show_hint(context, asker, trial)
    async with context.low_priority.turn():
        puzzle = await puzzling.own_board(context, asker, board.code)
        return None if puzzle is None else await puzzling.show_hint(context, asker, puzzle)


@dataclass(frozen=True, slots=True)
class PrivateHint:
    """A hint on the asker's private board that was used last: the reply if it is meant, the button to ask for it."""

    reply: Reply | None
    button: Button


async def show_private_hint(context: Context, asker: RequestContext) -> PrivateHint | None:
    """Give a hint on the asker's puzzle or lesson that was used last, unless a game of theirs went on since.

    It does not matter whose turn it is there. None if there is no such board.
    """
    mine = [brief for brief in await context.store.games.list_for_person(asker.person.id) if brief.status == "playing"]
    puzzle = await _find_current_puzzle(context, asker, ())
    if puzzle is None:
        lesson = await find_current_lesson(context, asker, ())
        if lesson is None:
            return None
        reply = (
            None if is_any_newer(mine, lesson.lesson.touched_at) else await learning.show_hint(context, asker, lesson)
        )
        return PrivateHint(
            reply,
            Button(
                asker.mine.line("button.hint.lesson"),
                press("lesson", str(lesson.lesson.id), lesson.lesson.revision, LESSON_HINT),
            ),
        )
    button = control_button(puzzle, asker.mine, "button.hint.puzzle", PUZZLE_HINT)
    if is_any_newer(mine, puzzle.attempt.touched_at):
        return PrivateHint(None, button)
    async with context.low_priority.turn() as waited:
        if waited:
            # What they typed just before may have been handled first.
            puzzle = await _find_current_puzzle(context, asker, ())
        return None if puzzle is None else PrivateHint(await puzzling.show_hint(context, asker, puzzle), button)


async def _find_current_puzzle(
    context: Context, asker: RequestContext, waiting: Sequence[GameBrief | WaitingGame]
) -> PuzzleBoard | None:
    """Return the puzzle that a text is meant for, unless a lesson was used since."""
    board = await puzzling.find_current_board(context, asker, waiting)
    if board is None:
        return None
    lessons = await context.store.lessons.list_for_person(asker.person.id)
    used = next((each.touched_at for each in lessons if each.step), None)
    return board if used is None or used <= board.attempt.touched_at else None


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
        taught = await play_typed_line_privately(context, asker, text, waiting, talk=True)
        if taught is not None:
            return taught
    tables = [await context.table(brief.id) for brief in waiting if brief.game in games]
    meant = [table for table in tables if not is_talk(table.playing.state, text)]
    if not meant:
        # No game here accepts it: it may be a mistake in the lesson, or in the puzzle.
        slip = await play_typed_line_privately(context, asker, text, waiting, talk=True, only=True) if waiting else None
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
