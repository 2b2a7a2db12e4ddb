"""Steps of a game as they are stored: what a changed line or lobby means for its row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.services.line import Line, Step
from bot.services.tables import Table
from engine import CHANCE
from storage import GameChange, GameRow, Handled, NewEvent, NewResult


def step_events(steps: Sequence[Step], row: GameRow, **extra: Any) -> tuple[NewEvent, ...]:
    """Return the events for steps; what else is to be said of the first one goes into its data."""
    people = seated(row)
    events: list[NewEvent] = []
    for step in steps:
        data = step.to_json() | (extra if not events else {})
        events.append(NewEvent("action", data, None if step.auto or step.seat is None else people.get(step.seat)))
    return tuple(events)


def moved_row(row: GameRow, line: Line, now: datetime) -> GameRow:
    """Return the row of a game with the line it has come to."""
    state = line.state
    people = seated(row)
    mover = state.to_move if state.to_move != CHANCE else None
    changed = replace(
        row,
        position=state.to_json(),
        last_turn=line.to_json(),
        turn=state.turn,
        to_move=people.get(mover) if mover is not None else None,
    )
    if state.outcome is None:
        return changed
    return replace(changed, status="over", outcome=state.outcome.to_json(), ended_at=now)


def results_of(row: GameRow, line: Line) -> tuple[NewResult, ...]:
    """Return how every seat came out; nothing before the end."""
    outcome = line.state.outcome
    if outcome is None:
        return ()
    people = seated(row)
    rated = not any(entry.computer for entry in row.seats)
    return tuple(
        NewResult(seat, place, outcome.reason, people.get(seat), rated) for seat, place in enumerate(outcome.places)
    )


def seated(row: GameRow) -> dict[int, int | None]:
    """Return the person at every seat of a game that has started."""
    return {entry.seat: entry.person for entry in row.seats if entry.seat is not None}


def play_change(
    table: Table, line: Line, events: tuple[NewEvent, ...], now: datetime, handled: Handled | None
) -> GameChange:
    """Return the step that brings a table to a line."""
    return GameChange(
        game=moved_row(table.row, line, now),
        events=events,
        at=now,
        handled=handled,
        results=results_of(table.row, line),
    )
