"""`tavoliere import`: import the records of finished games into the database."""

from argparse import Namespace
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Final

from bot.cli.console import OK, PROBLEM, CommandFailed, Console, Subcommand, argument
from bot.cli.database import hide_password, migrated_store
from bot.cli.files import DATA_FOLDER
from bot.cli.records import describe_problem, read_record
from bot.kernel import table as changes
from bot.kernel.line import SeedContributions, Step, dump_ids, read_contributions, replay_line, with_contributions
from bot.kernel.names import clean_name
from bot.kernel.table import computer_level, deserted_places, moved_row, results_from_places
from bot.table.clocks import TIME_IMPORTED, TimeControl
from bot.table.service import DESERTED_REASON
from engine import CHANCE, games
from engine.core import places_with_draw
from engine.record import InvalidRecord, Record, verify
from storage import CodeTaken, GameChange, GameRow, Json, NewEvent, NewGame, Seat, Store, Terms, utc_now
from storage.addresses import read_code
from storage.agreements import dump_fields

PLATFORM = "record"
"""The platform of the people and the place of imported games; no one can act as these people."""


class NotImportable(Exception):
    """A record that cannot be imported: `unfinished`, `start`, `code` or `nobody`."""


async def import_record(store: Store, record: Record, now: datetime) -> GameRow:
    """Store a finished game, for replay and export; it is unrated.

    Raises NotImportable for a game that is not finished, has another start position, no valid code, or only computers;
    InvalidRecord if its chance was not fair; CodeTaken if the game is stored already.
    """
    state = record.last_state()
    if state.outcome is None and record.result is None:
        raise NotImportable("unfinished")
    if record.start is not None:
        raise NotImportable("start")
    if read_code(record.game_id) != record.game_id:
        raise NotImportable("code")
    levels = [computer_level(name) for name in record.names]
    if None not in levels:
        raise NotImportable("nobody")
    verify(record)
    started, ended = _read_date(record.started, now), _read_date(record.ended, now)
    place = await store.places.get_or_create(PLATFORM, "imported", None, None, "group", "")
    people = {
        seat: await store.people.identify(PLATFORM, _user_id(record, seat), clean_name(record.names[seat]), at=now)
        for seat in range(record.seats)
        if levels[seat] is None
    }
    joined = {joining.seat: (number, joining.event) for number, joining in enumerate(record.joined)}
    seats = tuple(
        Seat(number, "joined", seat, people[seat].id, None, record.names[seat], event)
        if seat in people
        else Seat(number, "joined", seat, computer=levels[seat], joined_by=event)
        for seat, (number, event) in sorted(joined.items(), key=lambda item: item[1])
    )
    terms = Terms(rated=False)
    if (clock := record.clock) is not None:
        terms = TimeControl(clock.turn or None, clock.reserve or None, clock.increment).apply(terms)
    if record.rematch_of:
        terms = replace(terms, rematch_of=record.rematch_of, rotated=True)
    if record.cup:
        terms = replace(terms, cup=record.cup, rotated=True)
    new = NewGame(
        id=record.game_id,
        game=record.game,
        place=place.id,
        starter=next((entry.person for entry in seats if entry.person is not None), next(iter(people.values())).id),
        rules_version=record.rules_version,
        seat_count=record.seats,
        seats=seats,
        options=dict(record.options),
        terms=terms,
        seed=record.seed or "",
        seed_hash=record.seed_hash or "",
        chance=None
        if record.version == 1
        else dump_fields(
            SeedContributions(chains=tuple((chain.seat, chain.draw, chain.top) for chain in record.chains))
        ),
    )
    async with store.transaction():
        row = await store.games.create(new, started, happened=[NewEvent("imported", {"seats": record.seats})])
        return await store.games.commit(_finished_row(row, record, started, ended))


def _finished_row(row: GameRow, record: Record, started: datetime, ended: datetime) -> GameChange:
    line = replay_line(games[record.game].start(record.seats, record.options), record.actions)
    seats = [entry.seat for entry in row.seats]
    events = [NewEvent("started", {"seats": seats, **_contributed_ids(record, 0)}), *_action_events(record)]
    for each in record.times:
        events.append(NewEvent(TIME_IMPORTED, {"seat": each.seat, "used": each.milliseconds, "what": each.kind}))
    ready = with_contributions(replace(row, status="playing", started_at=started), read_contributions(row.chance), line)
    over = replace(moved_row(ready, line, ended, len(events)), status="over", ended_at=ended)
    if line.state.outcome is not None:
        results = results_from_places(over, line.state.outcome.reason, line.state.outcome.places)
    elif record.result == "agreement":
        places = places_with_draw(record.seats, line.state.dropped)
        over = replace(over, outcome={"reason": "agreement", "places": list(places)}, to_move=None)
        results = results_from_places(over, "agreement", places)
    elif places := deserted_places(over, line):
        over = changes.ended_row(over, ended, DESERTED_REASON, places)
        results = results_from_places(over, DESERTED_REASON, places)
    else:
        over = replace(over, outcome={"reason": "abandoned"}, to_move=None)
        results = ()
    return GameChange(game=over, events=tuple(events), at=ended, results=results)


def _action_events(record: Record) -> list[NewEvent]:
    events, draws = [], 0
    state = record.first_state()
    for action, after in record.replay():
        chance = state.to_move == CHANCE and not action.is_drop
        draws += chance
        seat = action.value if action.is_drop else None if chance else state.to_move
        data = Step(action, seat, draws if chance else None).to_json()
        events.append(NewEvent("action", data | (_contributed_ids(record, draws) if chance else {})))
        state = after
    return events


def _contributed_ids(record: Record, draw: int) -> Json:
    """Return the contributed ids of a draw, as stored in its event; empty if there are none."""
    return dump_ids(next((took.ids for took in record.taken if took.draw == draw), ()))


def _user_id(record: Record, seat: int) -> str:
    """Return the user id of a seat: its name, which several records have in common, unless two seats share it."""
    name = record.names[seat]
    return name if record.names.count(name) == 1 else f"{name}#{seat}"


def _read_date(day: str, now: datetime) -> datetime:
    """Return noon of a record's date, or now if it has none."""
    try:
        return datetime.combine(date.fromisoformat(day), time(12), UTC)
    except ValueError:
        return now


async def _import_all(options: Namespace, console: Console) -> int:
    """Import every record, or print why not; return 1 if one was refused."""
    store, result = None, OK
    async with AsyncExitStack() as stack:
        for name in options.records:
            try:
                record = read_record(name, console)
                if store is None:
                    store = await stack.enter_async_context(migrated_store(console))
                await _import_one(store, name, record, console)
            except CommandFailed as failure:
                if failure.code != PROBLEM:
                    raise
                console.complain(failure.key, **failure.params)
                result = PROBLEM
    if result == OK:
        console.say("import.done", place=hide_password(console.settings))
    return result


async def _import_one(store: Store, name: str, record: Record, console: Console) -> None:
    try:
        row = await import_record(store, record, utc_now())
    except NotImportable as error:
        raise CommandFailed(f"import.{error}", file=name) from None
    except CodeTaken:
        raise CommandFailed("import.taken", file=name, id=record.game_id) from None
    except InvalidRecord as error:
        raise CommandFailed("file.bad-record", file=name, reason=describe_problem(error, console)) from None
    console.say("import.one", file=name, id=row.id)


SUBCOMMANDS: Final = {
    "import": Subcommand(
        _import_all, (argument("records", about="record-file", nargs="+", metavar="FILE"), DATA_FOLDER)
    )
}
