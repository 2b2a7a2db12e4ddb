"""The export of a competition: its events with their times, names, and the records of its games."""

from contextlib import suppress
from typing import Any

from bot.competitions.file import CompetitionFile
from bot.competitions.file_types import FILE_TYPES
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.cards import Attachment, Button, Card
from bot.interface.presses import press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.matches.keeper import read_timed_event
from bot.matches.stored import StoredCompetition
from bot.play.records import export_record
from engine import EngineError
from engine.record_fields import make_names_distinct


async def export_competition(
    context: Context, asker: RequestContext, found: StoredCompetition[Any], *, programs: bool = False
) -> Reply:
    """Send a whole competition as a file, for people or for programs."""
    async with context.person_queue.turn(asker.person.id):
        whole = await _make_file(context, found)
        content = whole.json() if programs else whole.text()
    code, kind = found.row.id, found.row.kind
    file = Attachment(f"{kind}-{code}.{'json' if programs else 'txt'}", content.encode())
    other = Button(asker.mine.line("button.cup.json"), press(kind, None, 0, "json", code))
    words = asker.mine.say("cup.export.over" if whole.seed is not None else "cup.export.running", code=code)
    return Reply(Card(words, rows=() if programs else ((other,),), file=file), private=True)


async def _make_file(context: Context, found: StoredCompetition[Any]) -> CompetitionFile[Any]:
    """Return the file; with the seed only once no game is played, because the games' seeds follow from it."""
    form = FILE_TYPES[found.row.kind]
    events = await context.store.competitions.events(found.row.id)
    timed = tuple(read_timed_event(context, form.codec, each) for each in events[: found.row.revision])
    names = dict(zip(found.entries, make_names_distinct([found.name(number) for number in found.entries]), strict=True))
    records: dict[str, str] = {}
    going = found.row.status != "over"
    for game in form(names, timed).games():
        # Leave out games that cannot be read; the rest of the file is still valid.
        with suppress(Refused, EngineError):
            table = await context.table(game)
            going = going or table.row.status != "over"
            async with export_record(context, table) as record:
                records[game] = record.to_text()
    return form(names, timed, None if going else found.row.seed, records)
