"""Records of games that are played here."""

from bot.kernel.context import Context
from bot.kernel.table import Table
from bot.table.replaying import export_record
from engine.record import Record


async def record_of(context: Context, table: Table) -> Record:
    """Return the record of a game that has started; BrokenGame if one of its events is missing or unreadable."""
    async with export_record(context, table) as record:
        return record
