"""Acting at a table: who may, what follows, and that it is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply, Request
from bot.play.draws import contributions_of, load_draws
from bot.play.plans import StepWithPlans, apply_plans, is_answerable, may_be_planned
from bot.play.rated_games import course_after_leaving
from bot.play.replaying import check_replays
from bot.play.steps import store_step
from bot.tables.broken import BrokenGame
from bot.tables.chance import with_contributions
from bot.tables.changes import (
    deserted_places,
    ended_row,
    final_results,
    moved_row,
    moving_seats,
    results_from_places,
    step_events,
)
from bot.tables.line import Line, play_line
from bot.tables.table import Table
from engine import Action
from storage import GameRow, NewEvent, Planned, ProcessedEvent

DESERTED_REASON: Final = "deserted"
"""The reason of the end of a game that all people have left."""


def playing_seat(table: Table, asker: RequestContext) -> int:
    """Return the seat that somebody plays at a table; Refused if the game has not started, is over or not theirs."""
    if table.row.status == "lobby":
        raise Refused("refusal.not-started", code=table.row.id)
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    seat = table.seat_of(asker.person.id)
    if seat is None:
        table = table.in_language(asker.mine)
        players = [table.name_span(at) for at in range(table.row.seat_count)]
        raise Refused("refusal.not-your-game", who=asker.mine.listing(players))
    if seat in table.playing.state.dropped:
        raise Refused("refusal.you-left")
    return seat


def moving_seat(table: Table, asker: RequestContext) -> int:
    """Return the seat of somebody whose move it is; Refused as `playing_seat`, or if it is somebody else's."""
    seat = playing_seat(table, asker)
    if table.mover is None or seat != table.mover:
        who = table.in_language(asker.mine).name_span(table.mover) if table.mover is not None else "?"
        raise Refused("refusal.not-your-turn", who=who)
    return seat


async def play_actions(
    context: Context, asker: RequestContext, table: Table, actions: Sequence[Action], answer: Callable[[Table], Reply]
) -> Reply:
    """Play legal actions of the seat to move, with all that follows by itself, and return the answer.

    `answer` makes it from the table as it is then. Refused if the game has moved on meanwhile.
    """
    given = contributions_of(table, table.mover, asker.request)
    draws = await load_draws(context, table, given)
    line, steps = play_line(table.playing, actions, draws)
    events = step_events(steps, table.row, draws)
    table = replace(table, row=with_contributions(table.row, given, line))
    row = moved_row(table.row, line, context.clock(), len(events), moved=moving_seats(events))
    after = replace(table, brief=row, row=replace(row, revision=table.row.revision + len(events)), line=line)
    reply = answer(after)
    await commit_line(context, table, line, events, asker.receipt(reply))
    return reply


async def drop_seat(
    context: Context,
    table: Table,
    seat: int,
    why: str,
    processed: ProcessedEvent | None = None,
    request: Request | None = None,
) -> None:
    """Take a seat out of a game for the reason `why`; `request` is that of the leaver. Refused if it moved on.

    What chance does then takes what they give with it.
    """
    given = contributions_of(table, seat, request)
    draws = await load_draws(context, table, given)
    line, steps = play_line(table.playing, [Action.drop(seat)], draws)
    course = await course_after_leaving(context, table, seat, why)
    table = replace(table, row=with_contributions(replace(table.row, course=course), given, line))
    await commit_line(context, table, line, step_events(steps, table.row, draws, why=why), processed)


async def commit_line(
    context: Context, table: Table, line: Line, events: tuple[NewEvent, ...], processed: ProcessedEvent | None
) -> None:
    """Store a step of play, with the planned turns that answer it. Refused if it has moved on.

    Where only computers are left the table ends the game.
    """
    step = StepWithPlans(line, events)
    planned = may_be_planned(table.row) and is_answerable(table, line)
    try:
        # As a rule nobody has planned anything, and nobody's plans are looked at.
        await _store_step(context, table, step, processed, unplanned=planned)
        return
    except Planned:
        pass
    try:
        async with context.store.transaction():
            await _store_step(context, table, await apply_plans(context, table, step), processed)
    except BrokenGame:
        # Setting it aside was undone with the transaction.
        await check_replays(context, table.row, table.playing.state)
        raise


async def _store_step(
    context: Context, table: Table, found: StepWithPlans, processed: ProcessedEvent | None, *, unplanned: bool = False
) -> GameRow:
    line, events = found.line, found.events
    changed = moved_row(
        table.row, line, context.clock(), len(events), moved=moving_seats(events), planned=found.planned
    )
    results = final_results(table.row, line)
    places = deserted_places(changed, line)
    if places:
        events = (*events, NewEvent("ended", {"reason": DESERTED_REASON}))
        changed = ended_row(changed, context.clock(), DESERTED_REASON, places)
        results = results_from_places(table.row, DESERTED_REASON, places)
    return await store_step(
        context,
        table,
        changed,
        events,
        line=line,
        processed=processed,
        results=results,
        extra_notices=found.notices,
        unplanned=unplanned,
    )
