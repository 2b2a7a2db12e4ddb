"""Storing a step of a game, whoever causes it; with its end the results and ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.context.context import Context
from bot.interface.refusals import Refused
from bot.services.clocks import clocked
from bot.services.ratings import OVERALL, after_game, rated_places, unrated
from bot.services.replaying import see_that_it_replays
from bot.tables.changes import computer_due
from bot.tables.line import Line
from bot.tables.table import Table
from storage import GameChange, GameRow, Moved, NewEvent, NewResult, ProcessedEvent, Rating


async def store_step(
    context: Context,
    table: Table,
    changed: GameRow,
    events: Sequence[NewEvent],
    *,
    line: Line | None = None,
    processed: ProcessedEvent | None = None,
    results: Sequence[NewResult] = (),
) -> GameRow:
    """Store a step from the table's row to the changed one and have boards brought up to date.

    Clocks are set, results rated. Refused if the game has moved on meanwhile, BrokenGame if its events do not lead to
    where it ends.
    """
    if results and table.row.status == "playing":
        await see_that_it_replays(context, table.row, table.playing.state)
    now = context.clock()
    ready = replace(clocked(table.row, changed, table.people, now), thinking=computer_due(changed))
    try:
        change = GameChange(game=ready, events=tuple(events), at=now, processed=processed)
        if results:
            async with context.store.transaction():
                rated, ratings = await _rated(context, table.row.game, tuple(results))
                stored = await context.store.commit(replace(change, results=rated, ratings=ratings))
        else:
            stored = await context.store.commit(change)
    except Moved as error:
        raise Refused("refusal.moved-on") from error
    if line is not None:
        context.lines.keep(stored, line)
    context.signals.changed(thinking=bool(stored.thinking))
    return stored


async def _rated(
    context: Context, game: str, results: tuple[NewResult, ...]
) -> tuple[tuple[NewResult, ...], tuple[Rating, ...]]:
    places = rated_places(results)
    if len(places) < 2:
        return tuple(replace(result, rated=False) for result in results), ()
    ratings: list[Rating] = []
    after: dict[int, Rating] = {}
    for key in (OVERALL, game):
        held = await context.store.ratings_for_update(list(places), key)
        before = {person: held.get(person) or unrated(person, key) for person in places}
        after = after_game(before, places)
        ratings += after.values()
    marked = [
        replace(result, mu=after[result.person].mu, sigma=after[result.person].sigma)
        if result.rated and result.person is not None
        else result
        for result in results
    ]
    return tuple(marked), tuple(ratings)
