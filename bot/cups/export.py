"""A whole competition to take away: its events with their times, names, and the records of its games."""

from __future__ import annotations

from contextlib import suppress

from bot.competitions.events import from_json
from bot.competitions.export import CupFile
from bot.core.context import Context
from bot.cups.service import Cup
from bot.interface.refusals import Refused
from bot.play.records import export_record
from engine import EngineError


async def export_cup_file(context: Context, cup: Cup) -> CupFile:
    """Return the file of a competition; its seed, from which those of its games follow, once nothing is at play."""
    records: dict[str, str] = {}
    going = cup.stands.stage != "over"
    for *_, game in cup.stands.games():
        if game.id is None:
            continue
        # A game that cannot be read is left out: the rest is no worse for it.
        with suppress(Refused, EngineError):
            table = await context.table(game.id)
            going = going or table.row.status != "over"
            async with export_record(context, table) as record:
                records[game.id] = record.to_text()
    events = await context.store.competitions.events(cup.row.id)
    dated_events = tuple((each.at, from_json(each.kind, each.data)) for each in events[: cup.row.revision])
    names = {number: cup.name(number) for number in cup.stands.entrants}
    return CupFile(names, dated_events, None if going else cup.row.seed, records)
