"""What needs the others' consent: a draw, taking back, giving up together, a pause, more time, a seat for another.

An offer is stored with the game: it survives restarts, says who has agreed, and lapses when the game moves on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from bot.house import Asker, House
from bot.refusals import Refused
from bot.requests import Reply
from bot.services import changes
from bot.services.changes import results_by
from bot.services.line import Line
from bot.services.play import playing_seat
from bot.services.steps import store_step
from bot.services.tables import Table
from bot.services.undo import undone
from engine.core import places_with_draw
from storage import GameRow, Handled, Json, NewEvent, NewResult

DRAW: Final = "draw"
UNDO: Final = "undo"
TOGETHER: Final = "together"
PAUSE: Final = "pause"
WAIT: Final = "wait"
SEAT: Final = "seat"
KINDS: Final = (DRAW, UNDO, TOGETHER, PAUSE, WAIT, SEAT)

ABSENT: Final = timedelta(days=1)
"""After so long without a move somebody else may offer to play on."""

DECLINED: Final = "declined"
ACCEPTED: Final = "accepted"
"""Where it lies on the table what was turned down and by whom, or agreed to, until the game moves on."""
NEWS: Final = (DECLINED, ACCEPTED)


async def offer(house: House, asker: Asker, table: Table, kind: str, reply: Reply, **data: Any) -> None:
    """Make an offer, or agree to the same one that lies there; it is carried out once everybody agrees."""
    known = table.row.offers.get(kind)
    if known is not None:
        await agree(house, asker, table, kind, reply)
        return
    seat = table.seat_of(asker.person.id)
    lying: Json = {"by": seat, "agreed": [] if seat is None else [seat], "at": table.row.revision + 1, **data}
    event = NewEvent("offer", {"what": kind, **data}, asker.person.id)
    await _put(house, table, kind, lying, event, asker.receipt(reply))


async def agree(house: House, asker: Asker, table: Table, kind: str, reply: Reply) -> None:
    """Agree to an offer; Refused if there is none any more, or the person has agreed already."""
    seat = playing_seat(table, asker)
    lying = _lying(table, kind)
    if seat in lying["agreed"]:
        raise Refused("refusal.agreed-already")
    if seat == lying.get("seat"):
        raise Refused("refusal.not-yours-to-agree")
    agreed = {**lying, "agreed": [*lying["agreed"], seat]}
    event = NewEvent("agree", {"what": kind}, asker.person.id)
    await _put(house, table, kind, agreed, event, asker.receipt(reply))


async def refuse(house: House, asker: Asker, table: Table, kind: str, reply: Reply) -> None:
    """Turn an offer down, or take one's own back; either lies on the table for everybody to see."""
    seat = playing_seat(table, asker)
    news = {"by": seat, "what": kind, "own": _lying(table, kind)["by"] == seat}
    offers = {**_without(table.row.offers, kind), DECLINED: news}
    event = NewEvent("refuse", {"what": kind}, asker.person.id)
    await store_step(
        house, table, replace(table.row, offers=offers), [event], line=table.line, handled=asker.receipt(reply)
    )


async def computers_answer(house: House, table: Table, unwilling: int | None) -> None:
    """Have the computers agree to a draw, or the one that is unwilling decline it and say so."""
    lying = _lying(table, DRAW)
    if unwilling is None:
        seats = [seat for seat in changes.computers_of(table.row) if seat not in lying["agreed"]]
        agreed = {**lying, "agreed": [*lying["agreed"], *seats]}
        await _put(house, table, DRAW, agreed, NewEvent("agree", {"what": DRAW, "seats": seats}), None)
        return
    offers = _without(table.row.offers, DRAW)
    row = replace(table.row, offers={**offers, DECLINED: {"by": unwilling, "what": DRAW}})
    await store_step(house, table, row, [NewEvent("refuse", {"what": DRAW, "seat": unwilling})], line=table.line)


def is_absent(house: House, table: Table) -> bool:
    """Say whether the player on the move has not moved for long, or is gone for good."""
    person = table.people.get(table.person_at(table.mover) or 0)
    waited = house.clock() - table.row.waiting_since >= ABSENT
    return person is not None and (waited or not person.name)


def check_absent(house: House, table: Table) -> None:
    """Refuse to give away the seat on the move, unless its player is absent."""
    if not is_absent(house, table):
        raise Refused("refusal.nobody-absent")
    if SEAT in table.row.offers:
        raise Refused("refusal.somebody-was-faster")


def settles(table: Table, kind: str, seat: int, about: int | None = None) -> bool:
    """Say whether all agree to an offer once this seat does; `about` is the seat that is to change hands."""
    lying = table.row.offers.get(kind, {"agreed": []})
    return kind != WAIT and not missing(table, kind, {"seat": about, **lying, "agreed": [*lying["agreed"], seat]})


def missing(table: Table, kind: str, lying: Mapping[str, Any]) -> list[int]:
    """Return the seats whose consent an offer still lacks: all that play but those that have agreed.

    A computer always agrees, since nothing is rated then, but thinks about a draw; the seat that is to change hands
    is not asked.
    """
    state = table.playing.state
    asked = [seat for seat in range(table.row.seat_count) if state.is_playing(seat) and seat != lying.get("seat")]
    if kind == WAIT:
        asked = [seat for seat in asked if seat != table.mover]
    left = [seat for seat in asked if seat not in lying["agreed"]]
    return left if kind == DRAW else [seat for seat in left if table.person_at(seat) is not None]


def _lying(table: Table, kind: str) -> Json:
    lying: Json | None = table.row.offers.get(kind) if kind in KINDS else None
    if lying is None:
        raise Refused("refusal.no-offer")
    return lying


def _without(offers: Mapping[str, Any], kind: str) -> Json:
    """Return what else lies there but an offer, without older news."""
    return {name: value for name, value in offers.items() if name not in (kind, *NEWS)}


@dataclass(frozen=True, slots=True)
class _Agreed:
    """What an offer comes to: the changed game, its line, what happened, and the results if that was the end."""

    row: GameRow
    line: Line | None
    event: NewEvent
    results: tuple[NewResult, ...] = ()


async def _put(house: House, table: Table, kind: str, lying: Json, event: NewEvent, handled: Handled | None) -> None:
    """Store an offer with who has agreed, or carry it out if that is everybody."""
    if kind == WAIT or missing(table, kind, lying):
        row = replace(table.row, offers={**_without(table.row.offers, kind), kind: lying})
        await store_step(house, table, row, [event], line=table.line, handled=handled)
        return
    done = await _carried_out(house, table, kind, lying)
    events = [event, done.event]
    await store_step(house, table, done.row, events, line=done.line, handled=handled, results=done.results)


async def _carried_out(house: House, table: Table, kind: str, lying: Json) -> _Agreed:
    row, line = table.row, table.line
    rest = _without(row.offers, kind)
    if kind == UNDO:
        back, line, event = await undone(house, table, lying["to"], 2)
        return _Agreed(replace(back, offers={ACCEPTED: {"what": kind, "by": lying["by"]}}), line, event)
    if kind == PAUSE:
        paused = not row.terms.get("paused")
        if not paused:
            rest = {**rest, ACCEPTED: {"what": kind, "by": lying["by"]}}
        changed = replace(row, terms={**row.terms, "paused": paused}, offers=rest, deadline=None)
        return _Agreed(changed, line, NewEvent("paused", {"on": paused}))
    if kind == SEAT:
        return _seat_changed(table, lying)
    if kind == DRAW:
        places = places_with_draw(row.seat_count, table.playing.state.dropped)
        over = ended(house, row, "agreement", places)
        return _Agreed(over, line, NewEvent("ended", {"reason": "agreement"}), results_by(row, "agreement", places))
    return _Agreed(ended(house, row, "abandoned"), line, NewEvent("ended", {"reason": "abandoned"}))


def ended(house: House, row: GameRow, reason: str, places: Sequence[int] = ()) -> GameRow:
    """Return the row of a game that the table ends now; without places nobody has won or lost."""
    return changes.ended(row, house.clock(), reason, places)


def _seat_changed(table: Table, lying: Json) -> _Agreed:
    """Return the game with another person, or a computer, in a seat; for both of them it counts no more."""
    seat, person, computer = lying["seat"], lying.get("person"), lying.get("computer")
    seats = tuple(
        replace(entry, person=person, computer=computer) if entry.seat == seat else entry for entry in table.row.seats
    )
    unrated = sorted({*table.row.terms.get("unrated", []), seat})
    to_move = person if table.mover == seat else table.row.to_move
    news = {ACCEPTED: {"what": SEAT, "by": seat}}
    row = replace(table.row, seats=seats, to_move=to_move, offers=news, terms={**table.row.terms, "unrated": unrated})
    data = {"seat": seat} if computer is None else {"seat": seat, "computer": computer}
    return _Agreed(row, table.line, NewEvent("seat-taken", data, person))
