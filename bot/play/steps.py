"""Storing a step of a game; at its end also the results and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.notices.changes import notice_changes
from bot.notices.urgent import with_urgent_notices
from bot.play.clocks import with_deadline
from bot.play.plans import plans_stopped_by, stop_reason
from bot.play.rated_games import with_unrated_reason
from bot.play.ratings import OVERALL_KEY, new_rating, rate_game, rated_places, rating_points
from bot.play.replaying import check_replays
from bot.tables.changes import is_computer_due
from bot.tables.line import Line
from bot.tables.table import Table
from storage import Conflict, GameChange, GameRow, NewEvent, NewNotice, NewResult, ProcessedEvent, Rating


async def store_step(
    context: Context,
    table: Table,
    changed: GameRow,
    events: Sequence[NewEvent],
    *,
    line: Line | None = None,
    processed: ProcessedEvent | None = None,
    results: Sequence[NewResult] = (),
    extra_notices: Sequence[NewNotice] = (),
    unplanned: bool = False,
) -> GameRow:
    """Store a step from the table's row to the changed one and have boards brought up to date.

    Sets the clocks, rates the results, stops plans that no longer fit, and adds `extra_notices`. Raises Refused if the
    game has moved on meanwhile, BrokenGame if its events do not lead to where it ends and, with `unplanned`, Planned
    if somebody has planned an answer to it.
    """
    if results and table.row.status == "playing":
        await check_replays(context, table.row, table.playing.state)
    if results:
        changed = await with_unrated_reason(context, changed)
    now = context.clock()
    ready = replace(with_deadline(table.row, changed, table.people, now), thinking=is_computer_due(changed))
    try:
        promised = notice_changes(table, ready, line, events, now)
        new = await with_urgent_notices(context, ready, events, (*promised.new, *extra_notices), now)
        reason = stop_reason(table, ready, events)
        change = GameChange(
            game=ready,
            before=None if table.row.unread else table.row,
            unplanned=unplanned and reason is None,
            events=tuple(events),
            at=now,
            processed=processed,
            past=promised.past,
            promised=new,
        )
        if results or reason is not None:
            async with context.store.transaction():
                if reason is not None:
                    new = (*new, *await plans_stopped_by(context, table, events, reason))
                    change = replace(change, promised=new)
                if results:
                    rated = await _rate_results(context, ready, tuple(results))
                    ended = replace(ready, course=replace(ready.course, points=rated.points))
                    change = replace(change, game=ended, results=rated.results, ratings=rated.ratings)
                stored = await context.store.games.commit(change)
        else:
            stored = await context.store.games.commit(change)
    except Conflict as error:
        raise Refused("refusal.moved-on") from error
    if line is not None:
        context.lines.keep(stored, line)

    def stir() -> None:
        context.signals.notify_changed(thinking=bool(stored.thinking))
        if stored.terms.cup is not None and stored.status == "over":
            context.signals.wake("competition")
        if any(each.due_at is not None for each in new):
            context.signals.wake("notices")

    # Only then is it there to be shown.
    context.store.afterwards(stir)
    return stored


@dataclass(frozen=True, slots=True)
class _Rated:
    """What a game's results come to: ratings, and by seat what the one in this game was worth before and is now."""

    results: tuple[NewResult, ...]
    ratings: tuple[Rating, ...] = ()
    points: Mapping[int, tuple[int, int]] = field(default_factory=dict)


async def _rate_results(context: Context, row: GameRow, results: tuple[NewResult, ...]) -> _Rated:
    places, game = rated_places(results), row.game
    if len(places) < 2 or row.course.uncounted is not None:
        return _Rated(tuple(replace(result, rated=False) for result in results))
    ratings: list[Rating] = []
    before: dict[int, Rating] = {}
    after: dict[int, Rating] = {}
    for key in (OVERALL_KEY, game):
        held = await context.store.ratings.lock_for_update(list(places), key)
        before = {person: held.get(person) or new_rating(person, key) for person in places}
        after = rate_game(before, places)
        ratings += after.values()
    marked = [
        replace(result, mu=after[result.person].mu, sigma=after[result.person].sigma)
        if result.rated and result.person is not None
        else result
        for result in results
    ]
    points = {
        result.seat: (rating_points(before[result.person]), rating_points(after[result.person]))
        for result in marked
        if result.rated and result.person is not None
    }
    return _Rated(tuple(marked), tuple(ratings), points)
