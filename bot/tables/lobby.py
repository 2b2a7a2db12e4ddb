"""A lobby: who is in, who sits where without a lot, and for whom its start waits."""

from __future__ import annotations

from bot.tables.chance import stored_contributions
from engine import games
from engine.fair import CHAIN
from storage import GameRow, Seat


def joined_seats(row: GameRow) -> list[Seat]:
    """Return the entries of those who are in, in the order of joining."""
    return [entry for entry in row.seats if entry.state == "joined"]


def player_key(entry: Seat) -> int:
    """Return what tells who plays there: the person, or the level of a computer, as a negative number."""
    return entry.person or (-int(entry.computer) if entry.computer is not None else 0)


def rotates_seats(row: GameRow) -> bool:
    """Say whether those who are in have their seats from the game that is played again, without a lot."""
    return sorted(row.terms.order) == sorted(map(player_key, joined_seats(row)))


def awaited_people(row: GameRow) -> tuple[int, ...]:
    """Return the people whose part in the lot a full lobby waits for.

    Who joins on the page commits to a number of their own choosing, or to none: if they know the seed, they know what
    comes of it. So those who were in before give something afterwards that nobody could know.
    """
    inside = joined_seats(row)
    chained = [entry.number for entry in inside if (entry.joined_by or "").startswith(CHAIN)]
    if row.status != "lobby" or row.chance is None or not chained or len(inside) < row.seat_count:
        return ()
    facts = games[row.game].facts if row.game in games else None
    if facts is None or (rotates_seats(row) and not facts.rolls and not facts.deals):
        return ()  # nothing is drawn at its start
    before = [entry.person for entry in inside if entry.number < chained[-1] and entry.person is not None]
    done = stored_contributions(row).done
    return tuple(person for person in before if person not in done)


def starting_by_hand(row: GameRow) -> tuple[int, ...]:
    """Return those of the awaited people who have no page that begins by itself."""
    chained = {entry.person for entry in row.seats if (entry.joined_by or "").startswith(CHAIN)}
    return tuple(person for person in awaited_people(row) if person not in chained)
