"""Preview of an invitation for a visitor who has opened its link and has no name here yet."""

from bot.language.texts import Speaker
from bot.play.card_parts import headline
from bot.tables.table import Table
from bot.web.present import Json, headline_to_json, table_to_json
from engine import games
from storage import Store, read_code


async def invitation_to_json(store: Store, speaker: Speaker, code: str) -> Json | None:
    """Return the game that a code invites to, with who invites or who plays; None if the code leads to none."""
    read = read_code(code)
    found = None if read is None else await store.games.get_with_people(read)
    if found is None:
        return None
    row, people = found
    if row.game not in games or (row.status == "over" and row.started_at is None):
        return None
    table = table_to_json(headline_to_json(headline(Table(row, people, row=row, line=None))), None, speaker)
    voice, starter = speaker.of(row.game), people.get(row.starter)
    return {
        "game": row.game,
        "title": table["title"],
        "about": voice.line("tagline"),
        "status": row.status,
        "names": [starter.name] if row.status == "lobby" and starter is not None else table["names"],
    }
