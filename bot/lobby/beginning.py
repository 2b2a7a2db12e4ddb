"""The start of a game: people's contributions to the lot, the lot itself, and the first actions of chance."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.tables.chance import IDS_KEY, draw_seats, draws_for, stored_contributions, with_contributions
from bot.tables.changes import moved_row, step_events
from bot.tables.line import Line, opening_line
from bot.tables.table import player_key, rotates_seats
from engine import games
from storage import GameRow, NewEvent, Seat


def with_entropy(row: GameRow, asker: RequestContext) -> GameRow:
    """Return the row of a lobby after a person has contributed what they can to the lot."""
    given = stored_contributions(row).after_action(asker.person.id, asker.request, row.id)
    return with_contributions(row, replace(given, done=given.done | {asker.person.id}))


def start_row(
    context: Context, row: GameRow, happened: int, finished: Collection[int], *, at_once: bool = False
) -> tuple[GameRow, list[NewEvent], Line]:
    """Return the row of a game that begins: seats drawn by lot, and the first actions of chance.

    `happened` is the number of earlier events in the same step, `finished` are the people who have finished a game of
    this kind before. `at_once`: True if it has had no lobby.
    """
    order = row.terms.order
    rotated = rotates_seats(row)
    given = stored_contributions(row)
    lot = [(at, given.ids[person]) for at, entry in enumerate(row.seats) if (person := entry.person or 0) in given.ids]
    seats = _assign_seats(row.seats, order) if rotated else draw_seats(row, [each for _, each in lot])
    seated = tuple(replace(entry, seat=seat) for entry, seat in zip(row.seats, seats, strict=True))
    now = context.clock()
    ready = replace(row, seats=seated, status="playing", started_at=now, seat_count=len(seated))
    ready = replace(ready, terms=replace(row.terms, rotated=rotated)) if order else ready
    new = [entry.seat for entry in seated if entry.person is not None and entry.person not in finished]
    newcomers = frozenset(seat for seat in new if seat is not None)
    ready = replace(ready, course=replace(row.course, at_once=at_once, newcomers=newcomers))
    state = games[row.game].start(len(seated), row.options)
    given = given.by_seat({entry.person: entry.seat for entry in seated if entry.person and entry.seat is not None})
    draws = draws_for(ready, given)
    line, steps = opening_line(state, draws)
    ready = with_contributions(ready, given, line)
    taken = [] if rotated or row.chance is None else [[seats[at], each] for at, each in lot]
    data = {"seats": list(seats), **({IDS_KEY: taken} if taken else {})}
    events = [NewEvent("started", data), *step_events(steps, ready, draws)]
    return moved_row(ready, line, now, happened + len(events)), events, line


def _assign_seats(entries: Sequence[Seat], order: Sequence[int]) -> tuple[int, ...]:
    """Return the seats of entries in a given order; those with the same key take theirs in turn."""
    free = list(enumerate(order))
    seats = []
    for entry in entries:
        place = next(place for place in free if place[1] == player_key(entry))
        free.remove(place)
        seats.append(place[0])
    return tuple(seats)
