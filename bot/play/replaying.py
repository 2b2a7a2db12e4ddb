"""Replaying the events of a game, with errors that name the broken event."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog

from bot.core.context import Context
from bot.operations.outages import describe_outage
from bot.tables.line import Line, follow_action
from bot.tables.table import BrokenGame, Table, broken_event, name_broken_event, translate_errors
from engine import State, games
from storage import Event, GameRow

log = structlog.get_logger(__name__)


def line_of_play(events: Iterable[Event]) -> list[Event]:
    """Return the action events that were not undone, in order.

    `events` are all from the first on; BrokenGame names the first that is missing or unreadable.
    """
    played: list[Event] = []
    for number, event in enumerate(events, start=1):
        if event.number != number:
            raise broken_event(event.game, number)
        with name_broken_event(event.game, number):
            if event.kind == "undo":
                while played and played[-1].number > event.data["to"]:
                    played.pop()
            elif event.kind == "action":
                played.append(replace(event, data={**event.data, "action": str(event.data["action"])}))
    return played


def line_after(row: GameRow, actions: Iterable[Event]) -> Line:
    """Return the line of a game after actions of its line of play; BrokenGame names the one that cannot be played."""
    line = Line(games[row.game].start(row.seat_count, row.options))
    for event in actions:
        with name_broken_event(row.id, event.number):
            line = follow_action(line, event.data["action"])
    return line


def state_after(row: GameRow, events: Sequence[Event]) -> State:
    """Return the state after all events of a game, faster than `line_after`; BrokenGame."""
    state = games[row.game].start(row.seat_count, row.options)
    for event in line_of_play(events):
        with name_broken_event(row.id, event.number):
            state = state.advance(state.read(event.data["action"]))
    return state


async def table_after(context: Context, table: Table, revision: int) -> Table:
    """Return a table at an earlier revision; BrokenGame if its events do not allow that, or under other rules."""
    row = table.row
    if revision >= row.revision:
        return table
    if row.rules_version != games[row.game].rules_version:
        raise broken_event(row.id, revision)
    with name_broken_event(row.id, revision):
        events = (await context.store.games.events(row.id))[:revision]
        line = line_after(row, line_of_play(events))
    # Before its last event, a game that is over now was running.
    return replace(table, row=replace(row, revision=revision, status="playing"), line=line)


@asynccontextmanager
async def replay_steps(context: Context, row: GameRow) -> AsyncIterator[list[Event]]:
    """Yield the events of a game; an inconsistency found inside is logged and sets the game aside: BrokenGame.

    A game that is over stays as it is: nothing more can be done with it.
    """
    with translate_errors(row.id):
        events = await context.store.games.events(row.id)
    try:
        if len(events) < row.revision and [event.number for event in events] == list(range(1, len(events) + 1)):
            raise broken_event(row.id, len(events) + 1)
        yield events
    except BrokenGame as broken:
        log.error("broken-game", **broken.params, reason=describe_outage(broken))
        if row.status == "playing":
            await context.store.alarms.disable(row.id, set_aside=broken.params.get("number", row.revision))
        raise


async def check_replays(context: Context, row: GameRow, state: State) -> None:
    """Check before a game ends that its events lead to its position, so that no damage affects ratings; BrokenGame."""
    if row.rules_version != games[row.game].rules_version:
        return  # played under older rules: it goes on from its position
    async with replay_steps(context, row) as events:
        if len(events) <= row.revision and state_after(row, events) != state:
            raise BrokenGame("broken-game", game=row.id)
