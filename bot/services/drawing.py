"""What draws are made of when somebody acts: what they give themselves, and what was drawn before."""

from __future__ import annotations

from bot.context.context import Context
from bot.interface.requests import Request
from bot.tables.chance import TableDraws, draws_for, given_in
from bot.tables.given import Given
from bot.tables.table import Table


def given_by(table: Table, seat: int | None, request: Request | None) -> Given:
    """Return what has been given to the chance of a game after a seat has acted; nothing new without a request."""
    given = given_in(table.row)
    if table.row.chance is None or seat is None:
        return given
    return given.acted(seat, request, table.row.id) if request is not None else given.passed(seat)


async def draws_of(context: Context, table: Table, given: Given) -> TableDraws:
    """Return the draws of a game under way; what was drawn before it was taken back is drawn as it was then."""
    again = table.row.chance is not None and table.playing.draws < given.drawn
    return draws_for(table.row, given, await context.store.events(table.row.id) if again else ())
