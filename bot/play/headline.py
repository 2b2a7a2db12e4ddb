"""A game in one line, as data: who sits there and how it stands."""

from __future__ import annotations

from bot.interface.cards import Headline, SeatHeadline
from bot.language.rich_text import Text
from bot.language.texts import Speaker
from bot.tables.chance import stored_contributions
from bot.tables.changes import last_moved_revision
from bot.tables.lobby import awaited_people
from bot.tables.table import Table
from storage import GameRow, Seat


def headline(table: Table) -> Headline:
    """Return the headline of a game, whatever language it is told in."""
    row = table.row
    entries = sorted(
        (entry for entry in row.seats if entry.state in ("joined", "invited")),
        key=lambda entry: (entry.seat if entry.seat is not None else len(row.seats), entry.number),
    )
    places = (row.outcome or {}).get("places", ())
    seated = [entry.seat for entry in entries]
    return Headline(
        row.id,
        row.game,
        row.status,
        row.revision,
        last_moved_revision(row),
        tuple(_sitting(table, entry) for entry in entries),
        seated.index(table.mover) if table.mover is not None and table.mover in seated else None,
        tuple(at for at, seat in enumerate(seated) if seat is not None and seat < len(places) and places[seat] == 1),
        _heads(row),
        awaited_people(row),
        row.course.rematch or None,
    )


def _heads(row: GameRow) -> dict[int, str]:
    """Return what the next link of everybody has to open who can give one now; by person, before the start and after.

    Who has no chain there can begin one: for them it is empty.
    """
    if row.chance is None or row.status == "over":
        return {}
    given, heads = stored_contributions(row), dict[int, str]()
    for entry in row.seats:
        who = entry.person if row.status == "lobby" else entry.seat
        if entry.person is not None and entry.state == "joined" and who is not None and given.accepts_link(who):
            heads[entry.person] = given.heads.get(who, "")
    return heads


def _sitting(table: Table, entry: Seat) -> SeatHeadline:
    if entry.computer is None:
        return SeatHeadline(table.entry_name(entry), entry.person)
    return SeatHeadline("", None, entry.computer, table.computer_number(entry))


def seed_hash_words(row: GameRow, voice: Speaker) -> Text:
    """Return the hash of a game's seed, which can be seen before anybody joins and until the game is over."""
    return voice.say("lobby.seal", seal=row.seed_hash) if row.seed_hash else ()
