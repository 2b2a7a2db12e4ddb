"""Checks of stored games: replaying the events of a game must lead to its row."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from bot.kernel.line import EARLIER_KEY, TURNS_KEY, Line, SeedContributions, draws_for, read_ids, read_line
from bot.kernel.table import (
    DECODE_ERRORS,
    MOVED_KEY,
    BrokenGame,
    final_results,
    is_computer_due,
    people_by_seat,
    start_state,
)
from bot.table.clocks import with_deadline, without_deadline
from bot.table.replaying import line_after, line_of_play
from engine import EngineError, InvalidOption, fair, games
from engine.core import Json
from engine.turn import without_history
from storage import BROKEN_JSON, Event, GameChange, GameRow, NewEvent, Result, Store
from storage.agreements import dump_fields
from storage.database import iterate_pages

SET_ASIDE: Final = "set-aside"
"""The finding for a game that was set aside although its events can be replayed."""
NOT_INSTALLED: Final = "not-installed"
"""The finding for a game that cannot be replayed because it is not installed; it is no fault."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction between a game and its events: `what` is the end of a key `check.…`, `detail` is the location."""

    what: str
    detail: str = ""


async def check_games(store: Store) -> AsyncIterator[tuple[str, tuple[Finding, ...]]]:
    """Yield the id of every game in a store with its findings."""
    async for game in iterate_pages(store.games.list_ids):
        yield game, await check_game(store, game)


async def check_game(store: Store, game: str) -> tuple[Finding, ...]:
    """Return the findings for a game; none if its events lead to its row."""
    try:
        row = await store.games.get(game)
        if row is None:
            return ()
        events = await store.games.events(game)
        results = await store.games.results_of(game)
        posts = await store.posts.list_for_game(game)
        found = list(find_contradictions(row, events, results))
    except (ValueError, TypeError, LookupError) as error:
        # A value in the row is invalid JSON, an invalid time or seed, or has another type.
        return (Finding("unreadable", type(error).__name__),)
    ahead = [post for post in posts if (post.shown_revision or 0) > row.revision]
    if ahead:
        found.append(Finding("shown-too-new", str(ahead[0].shown_revision)))
    return tuple(found)


def find_contradictions(row: GameRow, events: Sequence[Event], results: Sequence[Result]) -> Iterator[Finding]:
    """Yield the contradictions between a row and its events and results."""
    agreements = row.terms.damaged or row.offers.damaged
    if agreements or BROKEN_JSON in (row.position, row.last_turn, row.options, row.outcome, row.chance):
        yield Finding("unreadable", "JSON")
        return
    if row.unread:
        yield Finding("unreadable", ", ".join(row.unread))
        return
    unread = [event.number for event in events if event.data == BROKEN_JSON]
    if unread:
        yield Finding("broken-event", f"{unread[0]}: JSON")
        return
    numbers = [event.number for event in events]
    if numbers != list(range(1, len(events) + 1)) or row.revision != len(events):
        yield Finding("revision", f"{row.revision} / {len(events)}")
    if fair.hash_seed(row.seed) != row.seed_hash and row.seed:
        yield Finding("seed")
    if row.game not in games:
        yield Finding(NOT_INSTALLED, row.game)
        return
    try:
        start_state(row)
    except InvalidOption as error:
        yield Finding("unreadable", str(error)[:120])
        return
    except EngineError:
        pass  # an open game may have too few seats yet
    if row.position is None:
        if row.is_playing:
            yield Finding("no-position")
        return
    try:
        line = line_after(row, line_of_play(events))
    except BrokenGame as error:
        number, cause = error.params["number"], error.__cause__
        if cause is None:
            yield Finding("missing-event", str(number))
        else:
            yield Finding("broken-event", f"{number}: {cause}"[:120])
        return
    except DECODE_ERRORS as error:
        yield Finding("no-replay", str(error)[:120])
        return
    if row.is_playing and row.progress.set_aside is not None:
        yield Finding(SET_ASIDE)
    yield from _compare_row(row, line)
    yield from _check_chance(row, events)
    yield from _check_results(row, line, results)


def _compare_row(row: GameRow, line: Line) -> Iterator[Finding]:
    """Yield the contradictions between a row and the line that its events lead to."""
    if line.state.to_json() != row.position:
        yield Finding("position")
    last = row.last_turn if isinstance(row.last_turn, dict) else {}
    if not _matches_last_turn(line.to_json(), last):
        yield Finding("last-turn")
    # An older version did not count the turn when a person who was not to move left and so ended the game.
    if row.turn not in (line.finished_turn_count, line.state.turn):
        yield Finding("turn", f"{row.turn} / {line.finished_turn_count}")
    mover = line.state.to_move
    if row.is_playing:
        person = people_by_seat(row).get(mover) if mover is not None else None
        if person != row.to_move:
            yield Finding("mover")
        if line.state.outcome is not None:
            yield Finding("status", row.status)
    elif row.is_over and line.state.outcome is None and row.outcome is None:
        yield Finding("status", row.status)
    if line.state.outcome is not None and row.outcome != line.state.outcome.to_json():
        yield Finding("outcome")


def _matches_last_turn(line: Json, stored: Json) -> bool:
    """Return True if stored data matches the last turn of a line, and has no earlier turns that the line lacks.

    Games from older versions have no or fewer earlier turns and no turn counts of seats, but the history of the
    position before each turn.
    """
    uncounted = () if TURNS_KEY in stored else (TURNS_KEY,)
    replayed, known = (
        {
            name: _without_history(value)
            for name, value in data.items()
            if name not in (MOVED_KEY, EARLIER_KEY, *uncounted)
        }
        for data in (line, stored)
    )
    turns, stored_turns = (_earlier_turns(data.get(EARLIER_KEY)) for data in (line, stored))
    return replayed == known and stored_turns == turns[len(turns) - len(stored_turns) :]


def _without_history(turn: Any) -> Any:
    """Return a stored turn without the history of the position before it; anything else unchanged."""
    before = turn.get("before") if isinstance(turn, dict) else None
    if not isinstance(before, dict) or not isinstance(before.get("extra"), dict):
        return turn
    return {**turn, "before": without_history(before)}


def _earlier_turns(earlier: Any) -> Any:
    """Return the turns before the last one; for invalid data, a value that matches no line."""
    if earlier is None:
        return []
    return earlier.get("turns") if isinstance(earlier, dict) and isinstance(earlier.get("turns"), list) else [None]


def _check_chance(row: GameRow, events: Sequence[Event]) -> Iterator[Finding]:
    """Yield a finding if a roll or deal does not follow from the seed."""
    if not row.seed:
        return
    draws = draws_for(row, earlier=events)
    state = start_state(row)
    for event in line_of_play(events):
        number = event.data.get("draw")
        if number is not None and (
            draws.ids_for_draw(int(number)) != read_ids(event.data)
            or state.sample_chance(draws(int(number))).text != event.data["action"]
        ):
            yield Finding("chance", str(number))
            return
        state = state.advance(state.read(event.data["action"]))


def _check_results(row: GameRow, line: Line, results: Sequence[Result]) -> Iterator[Finding]:
    if not row.is_over:
        if results:
            yield Finding("results")
        return
    expected = [(result.seat, result.place_number, result.reason) for result in final_results(row, line)]
    if line.state.outcome is not None and [(r.seat, r.place_number, r.reason) for r in results] != expected:
        yield Finding("results")


REPAIR_EVENT: Final = "mended"
"""The kind of the event that is stored with a repaired position."""

_REPAIRABLE_FAULTS: Final = frozenset(
    {"unreadable", "no-position", "position", "last-turn", "turn", "mover", SET_ASIDE}
)
"""The findings that may be repaired from the events of a game."""


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
    # No one could play while it was damaged: the player to move gets the full time again.
    mover = await store.people.get_many([mended.to_move] if mended.to_move is not None else [])
    row, mended = replace(row, deadline=None), without_deadline(mended)
    if mended.terms.has_clock:
        mended = with_deadline(row, mended, mover, at, acted_at=at, delay=timedelta())
    return GameChange(game=mended, events=(NewEvent(REPAIR_EVENT),), at=at)


def rebuild_row(row: GameRow, events: Sequence[Event], results: Sequence[Result]) -> GameRow | None:
    """Return the row of a game rebuilt from its events; None if the result is not consistent."""
    if row.is_lobby:
        return None
    try:
        line = line_after(row, line_of_play(events))
        mover = line.state.to_move if row.is_playing else None
        mended = replace(
            row,
            position=line.position,
            last_turn={**line.to_json(), MOVED_KEY: row.revision + 1},
            turn=line.finished_turn_count,
            to_move=people_by_seat(row).get(mover) if mover is not None else None,
            progress=replace(row.progress, set_aside=None),
        )
        if row.chance == BROKEN_JSON:
            # Pending contributions to the next draw are lost, but not the past draws.
            drawn = [int(event.data["draw"]) for event in events if event.data.get("draw") is not None]
            mended = replace(mended, chance=dump_fields(SeedContributions(drawn=max([0, *drawn]))))
        mended = replace(mended, thinking=is_computer_due(mended))
        return None if list(find_contradictions(mended, events, results)) else mended
    except DECODE_ERRORS:
        return None


async def read_damaged_row(store: Store, row: GameRow) -> GameRow:
    """Return the row of a damaged game that is to be ended: rebuilt if possible, otherwise without unreadable parts."""
    try:
        mended = rebuild_row(row, await store.games.events(row.id), ())
    except DECODE_ERRORS:
        mended = None
    if mended is not None:
        return mended
    if row.terms.damaged:
        row = replace(row, terms=replace(row.terms, unknown={}))
    if row.offers.damaged:
        row = replace(row, offers=replace(row.offers, unknown={}))
    if row.game not in games:
        return row  # readability of the position is unknown while the game is not installed
    try:
        read_line(games[row.game], row.position or {}, row.last_turn)
    except DECODE_ERRORS:
        return replace(row, position=None, last_turn=None)
    return row  # only the record is damaged
