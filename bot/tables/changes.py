"""The row of a game after a step: a changed line or lobby."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from bot.tables.chance import TableDraws
from bot.tables.line import Line, Step
from engine import CHANCE
from engine.core import places_with_draw
from storage import GameRow, NewEvent, NewResult, OfferKind, Offers
from storage.competition_schema import COMPETITION_KINDS
from storage.schema import PEOPLE_POOL

COMPUTER_POOL: Final = "computer"
"""The pool of games against computers."""
TEAM_POOL: Final = "teams"
"""The pool of games in which a team has a seat: they are rated for teams only."""

MOVED_KEY: Final = "moved"
"""The key in `last_turn` of the revision at which the position last changed: offers alone make no button stale."""


PLANNED_KEY: Final = "planned"
"""The key in `last_turn` of the number of turns at the end that were played as planned."""


def planned_turns(row: GameRow) -> int:
    """Return how many of the last turns of a game were played as planned."""
    return int((row.last_turn or {}).get(PLANNED_KEY, 0))


def competition_kind(row: GameRow) -> str:
    """Return the kind of the competition that a game belongs to: a cup, unless it is known to be of another one."""
    kind = row.terms.cup_kind
    return kind if kind in COMPETITION_KINDS else "cup"


def last_moved_revision(row: GameRow) -> int:
    """Return the revision at which the position of a game last changed."""
    return int((row.last_turn or {}).get(MOVED_KEY, 0))


def step_events(steps: Sequence[Step], row: GameRow, draws: TableDraws | None, **extra: Any) -> tuple[NewEvent, ...]:
    """Return the events for steps; `extra` goes into the data of the first one.

    Without `draws` the steps contain no chance.
    """
    people = people_by_seat(row)
    events: list[NewEvent] = []
    for step in steps:
        data = step.to_json() | (draws.data(step.draw) if draws is not None else {}) | (extra if not events else {})
        events.append(NewEvent("action", data, None if step.auto or step.seat is None else people.get(step.seat)))
    return tuple(events)


def moved_row(
    row: GameRow, line: Line, now: datetime, steps: int, *, moved: Collection[int] | None = None, planned: int = 0
) -> GameRow:
    """Return the row of a game with its new line after some events; offers lapse, news are cleared.

    `moved` are the seats that have moved: an offer of a draw stays unless one of them still has to answer it. `planned`
    is how many of the last turns were planned.
    """
    state = line.state
    people = people_by_seat(row)
    mover = state.to_move if state.to_move != CHANCE else None
    changed = replace(
        row,
        position=line.position,
        last_turn={**line.to_json(), MOVED_KEY: row.revision + steps, **({PLANNED_KEY: planned} if planned else {})},
        offers=Offers() if moved is None or state.outcome is not None else _remaining_offers(row.offers, moved),
        reminder=None,
        turn=line.finished_turn_count,
        to_move=people.get(mover) if mover is not None else None,
    )
    if state.outcome is None:
        return changed
    return replace(changed, status="over", outcome=state.outcome.to_json(), ended_at=now)


def moving_seats(events: Sequence[NewEvent]) -> set[int] | None:
    """Return the seats that moved in the events of some steps; None if somebody left the game."""
    if any("why" in event.data for event in events):
        return None
    return {event.data["seat"] for event in events if "seat" in event.data and not event.data.get("auto")}


def _remaining_offers(offers: Offers, moved: Collection[int]) -> Offers:
    """Return the offers that stay after seats have moved: a draw that none of them still has to answer."""
    draw = offers.offer_of_kind(OfferKind.DRAW)
    return Offers(pending=(draw,)) if draw is not None and set(moved) <= set(draw.agreed) else Offers()


def ended_row(row: GameRow, now: datetime, reason: str, places: Sequence[int] = ()) -> GameRow:
    """Return the row of a game that the table ends; without places nobody has won or lost."""
    outcome: dict[str, Any] = {"reason": reason, "places": list(places)} if places else {"reason": reason}
    return replace(row, status="over", outcome=outcome, ended_at=now, to_move=None, offers=Offers(), reminder=None)


def deserted_places(row: GameRow, line: Line) -> tuple[int, ...]:
    """Return the places of a game in which only computers still play; empty while a person does.

    People who left keep the places with which they left.
    """
    state = line.state
    people = [entry for entry in row.seats if entry.computer is None and state.is_playing(entry.seat)]
    return () if people or state.outcome is not None else places_with_draw(row.seat_count, state.dropped)


def is_computer_due(row: GameRow) -> bool:
    """Return True if a computer is to move, or to answer an offer of a draw."""
    if row.status != "playing" or row.position is None:
        return False
    if row.to_move is None:
        return any(entry.computer is not None for entry in row.seats)
    return is_draw_unanswered(row)


def is_draw_unanswered(row: GameRow) -> bool:
    """Return True if a computer still has to answer an offer of a draw."""
    offer = row.offers.offer_of_kind(OfferKind.DRAW)
    return offer is not None and any(seat not in offer.agreed for seat in computer_seats(row))


def computer_seats(row: GameRow) -> list[int]:
    """Return the seats of a running game at which a computer still plays."""
    dropped = (row.position or {}).get("dropped", ())
    return [
        entry.seat
        for entry in row.seats
        if entry.computer is not None and entry.seat is not None and entry.seat not in dropped
    ]


def final_results(row: GameRow, line: Line) -> tuple[NewResult, ...]:
    """Return the result of every seat; empty before the end."""
    outcome = line.state.outcome
    if outcome is None:
        return ()
    return results_from_places(row, outcome.reason, outcome.places)


def results_from_places(row: GameRow, reason: str, places: Sequence[int]) -> tuple[NewResult, ...]:
    """Return the results for some places; a casual game, or one with a computer, is unrated."""
    people = people_by_seat(row)
    computer = any(entry.computer for entry in row.seats)
    rated = row.terms.rated and not computer
    pool = TEAM_POOL if row.terms.team is not None else COMPUTER_POOL if computer else PEOPLE_POOL
    return tuple(
        NewResult(seat, place, reason, people.get(seat), rated and seat not in row.course.unrated, pool)
        for seat, place in enumerate(places)
    )


def people_by_seat(row: GameRow) -> dict[int, int | None]:
    """Return the person at every seat of a game that has started."""
    return {entry.seat: entry.person for entry in row.seats if entry.seat is not None}
