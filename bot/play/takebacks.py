"""Taking moves back: which event to go back to, and what the game is then.

Dice and deals stay as they fell: the k-th draw of a game is always the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.play.replaying import line_after, line_of_play, replay_steps
from bot.tables.broken import naming_event
from bot.tables.changes import moved_row
from bot.tables.line import Line
from bot.tables.table import Table
from engine import Action, games
from storage import Event, GameRow, NewEvent


@dataclass(frozen=True, slots=True)
class Takeback:
    """A way back: to just after event `to`, undoing the last so many actions; `free` needs nobody's consent."""

    to: int
    free: bool


@dataclass(frozen=True, slots=True)
class _Played:
    """An event of the line of play, its action, and how many turns were finished before it."""

    event: Event
    turn: int
    action: Action

    def is_of(self, seat: int) -> bool:
        """Say whether the player of a seat did it: neither did it follow by itself nor did they leave by it."""
        data = self.event.data
        return data.get("seat") == seat and not data.get("auto") and not self.action.is_drop


async def plan_takeback(context: Context, table: Table, seat: int) -> Takeback:
    """Return how a seat can take something back: the last action of its unfinished turn freely, else its last turn.

    Refused if it has done nothing yet, or if somebody has left the game since.
    """
    played: list[_Played] = []
    async with replay_steps(context, table.row) as events:
        state = games[table.row.game].start(table.row.seat_count, table.row.options)
        for event in line_of_play(events):
            with naming_event(event.game, event.number):
                played.append(_Played(event, state.turn, state.read(event.data["action"])))
                state = state.advance(played[-1].action)
    mine = [each for each in played if each.is_of(seat)]
    if table.mover == seat and table.playing.has_acted:
        return Takeback(mine[-1].event.number - 1, free=True)
    if not mine:
        raise Refused("refusal.nothing-to-undo")
    first = next(each.event for each in mine if each.turn == mine[-1].turn)
    if any(each.event.number > first.number and each.action.is_drop for each in played):
        raise Refused("refusal.undo-past-leaving")
    return Takeback(first.number - 1, free=False)


async def undo_to(context: Context, table: Table, to: int, steps: int) -> tuple[GameRow, Line, NewEvent]:
    """Return the row and line of a game after going back to an event, and the event that says so.

    `steps` is the number of events that are stored with it, itself included.
    """
    async with replay_steps(context, table.row) as events:
        line = line_after(table.row, [event for event in line_of_play(events) if event.number <= to])
    row = moved_row(replace(table.row, deadline=None), line, context.clock(), steps, moved=())
    return row, line, NewEvent("undo", {"to": to})
