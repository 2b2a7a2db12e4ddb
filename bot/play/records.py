"""The record of a stored game, and its positions after some of its turns."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.core.context import Context
from bot.play.replaying import line_of_play, replay_steps
from bot.tables.chance import read_ids, stored_contributions
from bot.tables.line import Line
from bot.tables.table import Table, broken_event
from engine import Turn
from engine.record import DrawIds, InvalidRecord, Joining, NewChain, Record, TableResult
from engine.record_fields import make_names_distinct
from storage import Event


@asynccontextmanager
async def export_record(context: Context, table: Table) -> AsyncIterator[Record]:
    """Yield the record of a game that has started; BrokenGame if it turns out inside that it cannot be replayed."""
    async with replay_steps(context, table.row) as events:
        actions = line_of_play(events)
        try:
            yield _build_record(table, actions, next((event for event in events if event.kind == "started"), None))
        except InvalidRecord as error:
            if error.code != "broken-action":
                raise
            raise broken_event(table.row.id, actions[error.params["number"] - 1].number) from error


async def turns_of(context: Context, table: Table) -> list[Turn]:
    """Return the turns of a game that has started; BrokenGame if they cannot be replayed."""
    async with export_record(context, table) as record:
        return list(record.turns())


async def shown_turns_of(context: Context, table: Table) -> list[Turn]:
    """Return the turns of a game up to the one that its board shows; BrokenGame if they cannot be replayed."""
    return select_shown_turns(table, await turns_of(context, table))


def select_shown_turns(table: Table, turns: Sequence[Turn]) -> list[Turn]:
    """Return those of a game's turns that its board shows: not one in which only dice have been rolled."""
    return list(turns[: table.playing.shown_turn_number])


def _build_record(table: Table, actions: list[Event], started: Event | None) -> Record:
    """Return the record of a game; it includes the seed once the game is over."""
    row = table.row
    drawn = [(int(event.data["draw"]), event) for event in actions if event.data.get("draw") is not None]
    lot = [(0, started)] if started is not None else []
    taken = [DrawIds(number, ids) for number, event in [*lot, *drawn] if (ids := read_ids(event.data))]
    chains = [
        NewChain(*chain) for chain in stored_contributions(row).chains if chain[1] <= max([0, *(n for n, _ in drawn)])
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
        seed=row.seed if row.status == "over" else None,
        started=row.started_at.date().isoformat() if row.started_at else "",
        result=table_result(table),
        ended=row.ended_at.date().isoformat() if row.ended_at else "",
        version=1 if row.chance is None else 2,
        taken=tuple(taken) if row.chance is not None else (),
        chains=tuple(chains),
    )


def table_result(table: Table) -> TableResult | None:
    """Return how the table ended a game, None if the rules did or it goes on."""
    if table.row.status != "over" or table.playing.state.outcome is not None:
        return None
    return "agreement" if (table.row.outcome or {}).get("reason") == "agreement" else "abandoned"


def may_be_tried(table: Table) -> bool:
    """Return True if lines may be tried out in a game; after its end they always may."""
    return table.line is not None and (table.row.terms.tries or table.row.status == "over")


def line_after_turns(line: Line, turns: list[Turn], at: int) -> Line:
    """Return the line of a game after `at` turns."""
    if at == 0:
        return Line(turns[0].before) if turns else line
    return Line(turns[at - 1].after, finished=turns[at - 1])
