"""Whose consent an offer still lacks."""

from __future__ import annotations

from bot.tables.table import Table
from storage import Offer, OfferKind


def missing_seats(table: Table, offer: Offer) -> list[int]:
    """Return the seats whose consent an offer still lacks: all that play but those that have agreed.

    A computer always agrees, since nothing is rated then, but thinks about a draw; the seat that is to change hands
    is not asked.
    """
    state = table.playing.state
    asked = [seat for seat in range(table.row.seat_count) if state.is_playing(seat) and seat != offer.seat]
    if offer.kind == OfferKind.WAIT:
        asked = [seat for seat in asked if seat != table.mover]
    left = [seat for seat in asked if seat not in offer.agreed]
    return left if offer.kind == OfferKind.DRAW else [seat for seat in left if table.person_at(seat) is not None]


def asked_people(table: Table, offer: Offer) -> list[int]:
    """Return the people who are to answer an offer; nobody where only computers are asked."""
    people = [table.person_at(seat) for seat in missing_seats(table, offer)]
    return [person for person in people if person is not None]
