"""The record of a game out of what is stored of it."""

from __future__ import annotations

from bot.house import House
from bot.services.tables import Company, Table
from engine.record import Joining, Record


async def record_of(house: House, table: Table) -> Record:
    """Return the record of a game that has started; the seed is in it once the game is over."""
    actions = tuple(event.data["action"] for event in await house.store.events(table.row.id) if event.kind == "action")
    row = table.row
    return Record(
        game=row.game,
        game_id=row.id,
        rules_version=row.rules_version,
        options=row.options,
        names=table.names,
        actions=actions,
        joined=joinings(table),
        seed_hash=row.seed_hash,
        seed=row.seed if row.status == "over" else None,
        started=row.started_at.date().isoformat() if row.started_at else "",
        ended=row.ended_at.date().isoformat() if row.ended_at else "",
    )


def joinings(company: Company) -> tuple[Joining, ...]:
    """Return who joined by which event, in the order of joining, with the seats that the lot gave."""
    return tuple(Joining(entry.joined_by or "", entry.seat) for entry in company.brief.seats if entry.seat is not None)
