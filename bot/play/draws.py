"""What draws are made of when somebody acts: what they give themselves, and what was drawn before."""

from __future__ import annotations

from bot.core.context import Context
from bot.interface.requests import Request
from bot.tables.chance import TableDraws, draws_for, stored_contributions
from bot.tables.contributions import SeedContributions
from bot.tables.table import Table


def contributions_of(table: Table, seat: int | None, request: Request | None) -> SeedContributions:
    """Return what has been given to the chance of a game after a seat has acted; nothing new without a request."""
    given = stored_contributions(table.row)
    if table.row.chance is None or seat is None:
        return given
    return given.after_action(seat, request, table.row.id) if request is not None else given.after_no_contribution(seat)


async def load_draws(context: Context, table: Table, given: SeedContributions) -> TableDraws:
    """Return the draws of a game under way; what was drawn before it was taken back is drawn as it was then."""
    again = table.row.chance is not None and table.playing.draws < given.drawn
    return draws_for(table.row, given, await context.store.games.events(table.row.id) if again else ())
