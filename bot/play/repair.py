"""Repairing the stored position of a game from its events, if they lead to one beyond doubt."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.play.checking import SET_ASIDE, check_game, find_contradictions
from bot.play.clocks import with_deadline
from bot.play.replaying import line_after, line_of_play
from bot.tables.chance import SeedContributions
from bot.tables.changes import MOVED_KEY, is_computer_due, people_by_seat
from bot.tables.line import read_line
from bot.tables.table import DECODE_ERRORS
from engine import CHANCE, games
from storage import BROKEN_JSON, Event, GameChange, GameRow, NewEvent, Result, Store

REPAIR_EVENT: Final = "mended"
"""The kind of the event that is stored with a repaired position."""

_REPAIRABLE_FAULTS: Final = frozenset(
    {"unreadable", "no-position", "position", "last-turn", "turn", "mover", SET_ASIDE}
)
"""The findings that the events of a game may repair."""


async def plan_repair(store: Store, game: str, at: datetime) -> GameChange | None:
    """Return the change that repairs the position of a game; None if it needs none or none is possible."""
    if not {finding.what for finding in await check_game(store, game)} & _REPAIRABLE_FAULTS:
        return None
    try:
        row = await store.games.get(game)
        events, results = await store.games.events(game), await store.games.results_of(game)
    except DECODE_ERRORS:
        return None
    mended = rebuild_row(row, events, results) if row is not None else None
    if row is None or mended is None:
        return None
    # Nobody could play while it was damaged: the player to move gets all of their time again.
    mover = await store.people.get_many([mended.to_move] if mended.to_move is not None else [])
    mended = with_deadline(row, replace(mended, deadline=None), mover, at)
    return GameChange(game=mended, events=(NewEvent(REPAIR_EVENT),), at=at)


def rebuild_row(row: GameRow, events: Sequence[Event], results: Sequence[Result]) -> GameRow | None:
    """Return the row of a game rebuilt from its events; None unless everything is consistent then."""
    if row.status == "lobby":
        return None
    try:
        line = line_after(row, line_of_play(events))
        mover = line.state.to_move if row.status == "playing" else None
        mended = replace(
            row,
            position=line.position,
            last_turn={**line.to_json(), MOVED_KEY: row.revision + 1},
            turn=line.finished_turn_count,
            to_move=people_by_seat(row).get(mover) if mover is not None and mover != CHANCE else None,
            course=replace(row.course, set_aside=None),
        )
        if row.chance == BROKEN_JSON:
            # Pending contributions to the next draw are lost with it, but not which draws there were.
            drawn = [int(event.data["draw"]) for event in events if event.data.get("draw") is not None]
            mended = replace(mended, chance=SeedContributions(drawn=max([0, *drawn])).to_json())
        mended = replace(mended, thinking=is_computer_due(mended))
        return None if list(find_contradictions(mended, events, results)) else mended
    except DECODE_ERRORS:
        return None


async def read_damaged_row(store: Store, row: GameRow) -> GameRow:
    """Return the row of a damaged game that is to be ended: rebuilt, or otherwise without what cannot be read."""
    try:
        mended = rebuild_row(row, await store.games.events(row.id), ())
    except DECODE_ERRORS:
        mended = None
    return mended or _without_damaged_fields(row)


def _without_damaged_fields(row: GameRow) -> GameRow:
    """Return a row without its unreadable parts; its position stays if only the record is damaged."""
    if row.terms.damaged:
        row = replace(row, terms=replace(row.terms, unknown={}))
    if row.offers.damaged:
        row = replace(row, offers=replace(row.offers, unknown={}))
    if row.game not in games:
        return row  # while the game is not installed, nobody knows whether its position can be read
    try:
        read_line(games[row.game], row.position or {}, row.last_turn)
    except DECODE_ERRORS:
        return replace(row, position=None, last_turn=None)
    return row
