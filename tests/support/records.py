"""Records of games that are played here."""

from bot.core.context import Context
from bot.play.records import export_record
from bot.tables.table import Table
from engine.record import Record


async def record_of(context: Context, table: Table) -> Record:
    """Return the record of a game that has started; BrokenGame if one of its events is missing or unreadable."""
    async with export_record(context, table) as record:
        return record
