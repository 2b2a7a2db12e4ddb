"""The record of a game out of what is stored of it."""

from __future__ import annotations

from bot.house import House
from bot.services.tables import Company, Table
from bot.services.undo import line_of_play
from engine.record import Joining, Record, TableResult


async def record_of(house: House, table: Table) -> Record:
    """Return the record of a game that has started; the seed is in it once the game is over."""
    actions = tuple(event.data["action"] for event in line_of_play(await house.store.events(table.row.id)))
    row = table.row
    table = table.spoken(None)
    return Record(
        game=row.game,
        game_id=row.id,
        rules_version=row.rules_version,
        options=row.options,
        names=table.names,
        actions=actions,
        joined=joinings(table),
        rematch_of=row.terms.get("rematch_of", "") if row.terms.get("rotated") else "",
        seed_hash=row.seed_hash,
        seed=row.seed if row.status == "over" else None,
        started=row.started_at.date().isoformat() if row.started_at else "",
        result=table_result(table),
        ended=row.ended_at.date().isoformat() if row.ended_at else "",
    )


def table_result(table: Table) -> TableResult | None:
    """Return how the table ended a game, None where the rules did or it goes on."""
    if table.row.status != "over" or table.playing.state.outcome is not None:
        return None
    return "agreement" if (table.row.outcome or {}).get("reason") == "agreement" else "abandoned"


def joinings(company: Company) -> tuple[Joining, ...]:
    """Return who joined by which event, in the order of joining, with the seats that the lot gave."""
    return tuple(Joining(entry.joined_by or "", entry.seat) for entry in company.brief.seats if entry.seat is not None)
