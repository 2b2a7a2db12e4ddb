"""Which turns are told of a game: all since somebody's last one, so that nothing happens unseen."""

from __future__ import annotations

from bot.tables.changes import planned_turns
from bot.tables.line import Line
from bot.tables.table import Table
from engine import Turn


def recent_turns(table: Table, reader: int | None = None) -> tuple[Turn, ...]:
    """Return the turns to tell of a game that has started, oldest first: those since the last one of a seat.

    The seat is the reader's; in what all see, that of the player to move. While a computer thinks, the message that
    notified the last person goes on: it repeats what it said and adds their turn and what followed. The last message
    has everything since the last turn of the player who has waited longest. The newest turn is always told,
    one under way as soon as its player has done something; planned ones together with what they answer.
    """
    line, mover = table.playing, table.mover
    finished = line.newest_turns
    if reader is not None and reader not in line.state.dropped:
        shown = line.turns_since(reader)
    elif mover is None:
        shown = max((line.turns_since(seat) for seat in _people(table)), key=len, default=())
    elif table.level_at(mover) is None:
        shown = line.turns_since(mover)
    else:
        last = next((turn.seat for turn in reversed(finished) if turn.seat in _people(table)), None)
        shown = finished if last is None else line.turns_since(last, back=2)
    if planned := planned_turns(table.row):
        shown = max(shown, finished[-planned - 1 :], key=len)
    return with_current_turn(line, shown)


def with_current_turn(line: Line, shown: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Return turns to tell with the newest one, which is always told: the last `Line.shown`."""
    shown = shown or line.newest_turns[-1:]
    return (*shown, line.begun) if line.begun is not None and (line.has_acted or not shown) else shown


def _people(table: Table) -> list[int]:
    """Return the seats that people play."""
    dropped = table.playing.state.dropped
    return [seat for seat in range(table.row.seat_count) if seat not in dropped and table.level_at(seat) is None]
