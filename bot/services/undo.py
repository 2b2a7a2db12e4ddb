"""Taking moves back: which event to go back to, and what the game is then.

Dice and deals stay as they fell: the k-th draw of a game is always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.house import House
from bot.refusals import Refused
from bot.services.broken import naming
from bot.services.changes import moved_row
from bot.services.line import Line
from bot.services.replaying import line_after, line_of_play, replaying
from bot.services.tables import Table
from engine import games
from storage import Event, GameRow, NewEvent


@dataclass(frozen=True, slots=True)
class Back:
    """A way back: to just after event `to`, undoing the last so many actions; `free` needs nobody's consent."""

    to: int
    free: bool


async def way_back(house: House, table: Table, seat: int) -> Back:
    """Return how a seat can take something back: the last action of its unfinished turn freely, else its last turn.

    Refused if it has done nothing yet, or if somebody has left the game since.
    """
    turns: list[tuple[int, Event]] = []
    async with replaying(house, table.row) as events:
        actions = line_of_play(events)
        state = games[table.row.game].start(table.row.seat_count, table.row.options)
        for event in actions:
            turns.append((state.turn, event))
            with naming(event.game, event.number):
                state = state.advance(state.read(event.data["action"]))
    if table.mover == seat and table.playing.acted:
        return Back(_own(actions, seat)[-1].number - 1, free=True)
    own = {event.number for event in _own(actions, seat)}
    mine = [(turn, event) for turn, event in turns if event.number in own]
    if not mine:
        raise Refused("refusal.nothing-to-undo")
    first = next(event for turn, event in mine if turn == mine[-1][0])
    if any(event.number > first.number and event.data["action"].startswith("drop ") for event in actions):
        raise Refused("refusal.undo-past-leaving")
    return Back(first.number - 1, free=False)


async def undone(house: House, table: Table, to: int, steps: int) -> tuple[GameRow, Line, NewEvent]:
    """Return the row and line of a game after going back to an event, and the event that says so.

    `steps` is the number of events that are stored with it, itself included.
    """
    async with replaying(house, table.row) as events:
        line = line_after(table.row, [event for event in line_of_play(events) if event.number <= to])
    row = moved_row(replace(table.row, deadline=None), line, house.clock(), steps)
    return row, line, NewEvent("undo", {"to": to})


def _own(actions: Sequence[Event], seat: int) -> list[Event]:
    """Return what the player of a seat did, without what followed by itself."""
    return [
        event
        for event in actions
        if event.data.get("seat") == seat
        and not event.data.get("auto")
        and not event.data["action"].startswith("drop ")
    ]
