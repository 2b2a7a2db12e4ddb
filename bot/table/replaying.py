"""Replay the events of a game, with errors that name the broken event, and build its record."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal

import structlog

from bot.kernel.context import Context
from bot.kernel.line import Line, follow_action, read_contributions, read_ids
from bot.kernel.operations.listening import describe_outage
from bot.kernel.table import BrokenGame, Table, broken_event, name_broken_event, start_state, translate_errors
from bot.table.clocks import TIME_GIVEN, TIME_IMPORTED
from engine import State, Turn, games
from engine.record import (
    DrawIds,
    InvalidRecord,
    Joining,
    NewChain,
    Record,
    RecordedClock,
    TableResult,
    UsedTime,
    make_names_distinct,
)
from storage import Event, GameRow

log = structlog.get_logger(__name__)


def line_of_play(events: Iterable[Event]) -> list[Event]:
    """Return the action events that were not taken back, in order.

    `events` begin with the first event; BrokenGame names the first missing or unreadable one.
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
    """Return a game's line after actions of its line of play; BrokenGame names an action that cannot be played."""
    line = Line(start_state(row))
    for event in actions:
        with name_broken_event(row.id, event.number):
            line = follow_action(line, event.data["action"])
    return line


async def counted_line(context: Context, table: Table) -> Line:
    """Return the line of a running game with its turns counted, by a replay for games of older versions."""
    if table.playing.turns is not None:
        return table.playing
    async with replay_steps(context, table.row) as events:
        return line_after(table.row, line_of_play(events))


async def table_after(context: Context, table: Table, revision: int) -> Table:
    """Return a table at an earlier revision; BrokenGame if its events are broken, or its rules have changed since."""
    row = table.row
    if revision >= row.revision:
        return table
    if row.rules_version != games[row.game].rules_version:
        raise broken_event(row.id, revision)
    with name_broken_event(row.id, revision):
        events = (await context.store.games.events(row.id))[:revision]
        line = line_after(row, line_of_play(events))
    # A finished game was running before its last event.
    return replace(table, row=replace(row, revision=revision, status="playing"), line=line)


@asynccontextmanager
async def replay_steps(context: Context, row: GameRow) -> AsyncIterator[list[Event]]:
    """Yield the events of a game; a BrokenGame raised inside is logged, sets the game aside, and is raised again.

    A finished game is not set aside.
    """
    with translate_errors(row.id):
        events = await context.store.games.events(row.id)
    try:
        if len(events) < row.revision and [event.number for event in events] == list(range(1, len(events) + 1)):
            raise broken_event(row.id, len(events) + 1)
        yield events
    except BrokenGame as broken:
        log.error("broken-game", **broken.params, reason=describe_outage(broken))
        if row.is_playing:
            await context.store.alarms.disable(row.id, set_aside=broken.params.get("number", row.revision))
        raise


async def check_replays(context: Context, row: GameRow, state: State) -> None:
    """Raise BrokenGame unless a game's events lead to its position: before its end, damage must not affect ratings."""
    if row.rules_version != games[row.game].rules_version:
        return  # begun under older rules: it continues from its position and cannot be replayed
    async with replay_steps(context, row) as events:
        if len(events) <= row.revision and line_after(row, line_of_play(events)).state != state:
            raise BrokenGame("broken-game", game=row.id)


@asynccontextmanager
async def export_record(context: Context, table: Table) -> AsyncIterator[Record]:
    """Yield the record of a started game; BrokenGame, also raised inside, if it cannot be replayed."""
    async with replay_steps(context, table.row) as events:
        actions = line_of_play(events)
        try:
            started = next((event for event in events if event.kind == "started"), None)
            record = _build_record(table, actions, started)
            yield replace(record, clock=_recorded_clock(table.row), times=tuple(_used_times(table.row, events)))
        except InvalidRecord as error:
            if error.code != "broken-action":
                raise
            raise broken_event(table.id, actions[error.params["number"] - 1].number) from error


async def turns_of(context: Context, table: Table) -> list[Turn]:
    """Return the turns of a started game; BrokenGame if they cannot be replayed."""
    async with export_record(context, table) as record:
        return list(record.turns())


async def shown_turns_of(context: Context, table: Table) -> list[Turn]:
    """Return the turns of a game up to the turn that its board shows; BrokenGame if they cannot be replayed."""
    return select_shown_turns(table, await turns_of(context, table))


def select_shown_turns(table: Table, turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns of a game that its board shows: without a turn in which only dice were rolled."""
    shown = table.playing.shown_turn
    return list(turns[: shown.number if shown is not None else table.playing.state.turn])


def _build_record(table: Table, actions: list[Event], started: Event | None) -> Record:
    """Return the record of a game; it includes the seed once the game is over."""
    row = table.row
    drawn = [(int(event.data["draw"]), event) for event in actions if event.data.get("draw") is not None]
    lot = [(0, started)] if started is not None else []
    taken = [DrawIds(number, ids) for number, event in [*lot, *drawn] if (ids := read_ids(event.data))]
    chains = [
        NewChain(*chain)
        for chain in read_contributions(row.chance).chains
        if chain[1] <= max([0, *(n for n, _ in drawn)])
    ]
    table = table.in_language(None)
    return Record(
        game=row.game,
        game_id=row.id,
        rules_version=row.rules_version,
        options=row.options,
        names=make_names_distinct(table.names),
        actions=tuple(event.data["action"] for event in actions),
        joined=tuple(Joining(entry.joined_by or "", entry.seat) for entry in row.seats if entry.seat is not None),
        rematch_of=(row.terms.rematch_of or "") if row.terms.rotated else "",
        cup=row.terms.cup or "",
        seed_hash=row.seed_hash,
        seed=row.seed if row.is_over else None,
        started=row.started_at.date().isoformat() if row.started_at else "",
        result=table_result(table),
        ended=row.ended_at.date().isoformat() if row.ended_at else "",
        version=1 if row.chance is None else 2,
        taken=tuple(taken) if row.chance is not None else (),
        chains=tuple(chains),
    )


def _recorded_clock(row: GameRow) -> RecordedClock | None:
    """Return the clock of a game whose times are recorded: a live game, or one with a reserve; otherwise None."""
    terms = row.terms
    if not terms.is_live and not terms.reserve:
        return None
    return RecordedClock(terms.clock or 0, terms.reserve or 0, terms.increment)


def _used_times(row: GameRow, events: Sequence[Event]) -> Iterator[UsedTime]:
    """Yield the times that the seats have used and were given, in the order of the events."""
    for event in events if _recorded_clock(row) is not None else ():
        if event.kind == TIME_IMPORTED:
            yield UsedTime(event.data["seat"], event.data["used"], event.data["what"])
        elif "used" in event.data:
            has_left = "why" in event.data and event.data["seat"] == event.data["charged"]
            kind: Literal["turn", "part"] = "turn" if event.kind == "action" and not has_left else "part"
            yield UsedTime(event.data["charged"], event.data["used"], kind)
        elif event.kind == TIME_GIVEN:
            yield UsedTime(event.data["seat"], event.data["seconds"] * 1000, "given")


def table_result(table: Table) -> TableResult | None:
    """Return how a game was ended other than by its rules; None if the rules ended it, or it is not over."""
    if not table.row.is_over or table.playing.state.outcome is not None:
        return None
    # Agreed and claimed ends are both draws.
    return "agreement" if (table.row.outcome or {}).get("reason") in ("agreement", "claimed") else "abandoned"


def may_be_tried(table: Table) -> bool:
    """Return True if lines may be tried out in a game; always after its end."""
    return table.line is not None and (table.row.terms.tries or table.row.is_over)


def line_after_turns(line: Line, turns: list[Turn], at: int) -> Line:
    """Return the line of a game after `at` turns."""
    if at == 0:
        return Line(turns[0].before) if turns else line
    return Line(turns[at - 1].after, finished=turns[at - 1])
