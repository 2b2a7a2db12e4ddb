"""Actions at a table: permission, consequences, and storing a step with clocks, results, ratings and plans."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from bot.kernel.context import Context
from bot.kernel.line import (
    Line,
    Step,
    draws_for,
    play_line,
    read_contributions,
    with_contributions,
)
from bot.kernel.preferences import NoticeKind, Route
from bot.kernel.refusals import OutOfStep, Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Request
from bot.kernel.table import (
    BrokenGame,
    Table,
    deserted_places,
    ended_row,
    final_results,
    is_computer_due,
    moved_row,
    moving_seats,
    people_by_seat,
    results_from_places,
    step_events,
)
from bot.kernel.tree import AnalysisTree, read_tree
from bot.table.clocks import (
    DELIVERY_DELAY,
    MILLISECOND,
    SCREEN_DELAY,
    get_moving_seat,
    is_handed_on,
    read_used_time,
    stops_clock,
    with_deadline,
    without_deadline,
)
from bot.table.notices import notice_changes, with_urgent_notices
from bot.table.ratings import (
    progress_after_leaving,
    rate_results,
    with_unrated_reason,
)
from bot.table.replaying import check_replays, line_of_play
from engine import Action, EngineError, IllegalAction, games
from storage import (
    Conflict,
    GameChange,
    GameRow,
    NewEvent,
    NewNotice,
    NewResult,
    Planned,
    ProcessedEvent,
    StoredTree,
)

STOPPED_PLAYER_LEFT: Final = "left"
STOPPED_ILLEGAL_TURN: Final = "illegal"
STOPPED_GAME_OVER: Final = "over"
STOPPED_TAKEBACK: Final = "undo"
_STOP_REASONS: Final = {"offer": "offer", "paused": "pause", "seat-taken": "seat"}
"""Reason for stopping plans, by kind of event."""
PLAN_CAUSE: Final = "plan"


@dataclass(frozen=True, slots=True)
class StepWithPlans:
    """A step of a game including the planned turns that follow: line, events, and the number of planned turns.

    `notices` go to the people whose plans have stopped.
    """

    line: Line
    events: tuple[NewEvent, ...]
    planned: int = 0
    notices: tuple[NewNotice, ...] = ()


def may_be_planned(row: GameRow) -> bool:
    """Return True if turns may be planned in a game: it is running, for two, without chance, under current rules."""
    game = games.get(row.game)
    if game is None or not row.is_playing or row.seat_count != 2 or row.rules_version != game.rules_version:
        return False
    return row.terms.tries and not game.has_chance(row.seat_count, row.options)


async def apply_plans(context: Context, table: Table, step: StepWithPlans) -> StepWithPlans:
    """Return a step of a game extended by the planned turns that follow; call it in the step's transaction.

    A plan from which the game has deviated, or that cannot be played, is deleted and its owner notified.
    """
    row = table.row
    stored = await context.store.trees.list_plans(row.id)
    if not stored:
        return step
    try:
        actions = [event.data["action"] for event in line_of_play(await context.store.games.events(row.id))]
    except BrokenGame:
        return step
    actions += [event.data["action"] for event in step.events if event.kind == "action"]
    trees = {each.person: read_tree(each.tree) for each in stored}
    people = people_by_seat(row)
    stopped = {person: STOPPED_ILLEGAL_TURN for person, tree in trees.items() if not tree.planned}
    line, events, count = step.line, list(step.events), 0
    while True:
        mover = people.get(line.state.to_move) if line.state.to_move is not None else None
        turn: tuple[str, ...] | None = None
        for person, tree in trees.items():
            node = tree.current_node(actions)
            trees[person] = tree.remaining_plans(node[0] if node is not None else None)
            if tree.planned and not trees[person].planned and person == mover:
                stopped[person] = STOPPED_PLAYER_LEFT
            elif node is not None and person == mover:
                turn = trees[person].planned_turn(*node)
        if mover is None or turn is None:
            break
        try:
            line, steps = _follow_turn(line, turn)
        except EngineError:
            trees[mover], stopped[mover] = trees[mover].without_plans(), STOPPED_ILLEGAL_TURN
            break
        answers = row.revision + len(events)
        first, *rest = step_events(steps, row, None, plan=answers)
        events += [replace(first, cause=f"{PLAN_CAUSE}:{answers}"), *rest]
        actions += [step.action.text for step in steps]
        count += 1
    over = line.state.outcome is not None
    if over:
        trees = {person: tree.without_plans() for person, tree in trees.items()}
    notices = await _store_trees(context, row, row.revision + len(events), stored, trees, stopped)
    return StepWithPlans(line, tuple(events), count, () if over else notices)


def stop_reason(table: Table, changed: GameRow, events: Sequence[NewEvent]) -> str | None:
    """Return why a step of a game stops all plans in it, None if they continue."""
    if not may_be_planned(table.row):
        return None
    if changed.is_over:
        return STOPPED_GAME_OVER
    if any(event.kind == "undo" for event in events) and changed.turn < table.row.turn:
        return STOPPED_TAKEBACK
    return next((_STOP_REASONS[event.kind] for event in events if event.kind in _STOP_REASONS), None)


async def plans_stopped_by(
    context: Context, table: Table, events: Sequence[NewEvent], reason: str
) -> tuple[NewNotice, ...]:
    """Delete all plans in a game, in the transaction of the step that stops them; return their owners' notices."""
    stored = await context.store.trees.list_plans(table.id)
    trees = {each.person: read_tree(each.tree).without_plans() for each in stored}
    stopped = {} if reason == STOPPED_GAME_OVER else dict.fromkeys(trees, reason)
    return await _store_trees(context, table.row, table.row.revision + len(events), stored, trees, stopped)


async def _store_trees(
    context: Context,
    row: GameRow,
    revision: int,
    stored: Sequence[StoredTree],
    trees: Mapping[int, AnalysisTree],
    stopped: Mapping[int, str],
) -> tuple[NewNotice, ...]:
    """Store the changed trees of a game, with the reasons why plans have stopped; return their owners' notices."""
    now = context.clock()
    for each in stored:
        tree = replace(trees[each.person], stopped=stopped.get(each.person, ""))
        if tree.to_json() != each.tree:
            changed = replace(each, tree=tree.to_json(), planned=tree.planned)
            # With the old time of use: typed text still means the game, because no person has used the board.
            await context.store.trees.store(changed, each.touched_at or now, MAX_TREES_PER_PERSON)
    subjects = {person: f"{row.id}:{revision}:{reason}" for person, reason in stopped.items()}
    return tuple(NewNotice(person, NoticeKind.PLAN, subject, now) for person, subject in subjects.items())


def _follow_turn(line: Line, texts: Sequence[str]) -> tuple[Line, tuple[Step, ...]]:
    """Return the line after a planned turn, and its steps; raises the engine's errors if it cannot be played."""
    left, steps = list(texts), list[Step]()
    while left:
        line, done = play_line(line, [line.state.read(left[0])], None)
        for step in done:
            if left and step.action.text != left.pop(0):
                raise IllegalAction("not-allowed")
        steps += done
    return line, tuple(steps)


MAX_TREES_PER_PERSON: Final = 40
"""Maximum number of games in which a person may have an analysis board."""


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
    """Store a step from the table's row to the changed one, and make its boards due; without a `line` it is unchanged.

    Sets the clocks, rates the results, stops plans, and adds `extra_notices`. Raises Refused if the game has changed
    meanwhile; BrokenGame if its events do not lead to its final position; with `unplanned`, Planned if a person has
    planned a turn in the game.
    """
    before = table.row
    if results:
        if before.is_playing:
            await check_replays(context, before, table.playing.state)
        changed = await with_unrated_reason(context, changed)
    now = context.clock()
    line = line or table.line
    if changed.terms.team is not None:
        extra_notices = (*extra_notices, *await _team_notices(context, before, changed, len(events), now))
    if not changed.is_lobby:
        if changed.terms.has_clock:
            changed, events = _with_clocks(context, table, changed, events, now)
        else:
            changed = without_deadline(changed)
    ready = replace(changed, thinking=is_computer_due(changed))
    try:
        past, promised = notice_changes(table, ready, line, events, now)
        new = (*promised, *extra_notices)
        if ready.terms.has_clock:
            new = await with_urgent_notices(context, ready, events, new, now)
        reason = stop_reason(table, ready, events)
        change = GameChange(
            game=ready,
            before=None if before.unread else before,
            unplanned=unplanned and reason is None,
            events=tuple(events),
            at=now,
            processed=processed,
            past=tuple(past),
            promised=new,
        )
        if results or reason is not None:
            async with context.store.transaction():
                if reason is not None:
                    change = replace(change, promised=(*new, *await plans_stopped_by(context, table, events, reason)))
                if results:
                    rated = await rate_results(context, ready, results, [team.id for team in table.teams])
                    ended = replace(ready, progress=replace(ready.progress, points=rated.points))
                    change = replace(change, game=ended, results=rated.results, ratings=rated.ratings)
                stored = await context.store.games.commit(change)
        else:
            stored = await context.store.games.commit(change)
    except Conflict as error:
        is_same = error.params["revision"] == before.revision and before.terms.is_live
        raise (OutOfStep if is_same else Refused)("refusal.moved-on") from error
    context.arrivals.settle()
    if line is not None:
        context.lines.keep(stored, line)
    return stored


def _with_clocks(
    context: Context, table: Table, changed: GameRow, events: Sequence[NewEvent], now: datetime
) -> tuple[GameRow, Sequence[NewEvent]]:
    """Return the changed row of a game with its clocks, and the events with the time that the turn has taken.

    A request counts at its time of arrival. Refused if it arrived after the end of a live turn, which counts as over.
    """
    before, arrival = table.row, context.arrivals.current
    acted_at = now if arrival is None else context.arrivals.time_of(arrival)
    if before.is_playing and before.deadline is not None and acted_at > before.deadline:
        if before.terms.is_live and arrival is not None:
            raise Refused("refusal.time-is-up")
        acted_at = before.deadline  # the alarm that ends the turn may come late
    delay = timedelta()
    if changed.terms.is_live and (seat := get_moving_seat(changed)) is not None:
        mover, seen = get_moving_seat(before), changed.progress.on_screen
        if arrival is not None and mover is not None and changed.turn > before.turn:
            seen = seen | {mover} if arrival.on_screen else seen - {mover}
            changed = replace(changed, progress=replace(changed.progress, on_screen=seen))
        delay = SCREEN_DELAY if seat in seen else DELIVERY_DELAY
    ready = with_deadline(before, changed, table.people, now, acted_at=acted_at, delay=delay)
    used = read_used_time(before, acted_at) if before.terms.is_live or before.terms.reserve else None
    if used is None or not before.is_playing or changed.turn < before.turn or not stops_clock(before, changed):
        return ready, events
    data = {**events[0].data, "used": used // MILLISECOND, "charged": get_moving_seat(before)}
    return ready, (replace(events[0], data=data), *events[1:])


async def _team_notices(
    context: Context, before: GameRow, row: GameRow, steps: int, now: datetime
) -> tuple[NewNotice, ...]:
    """Return the private notices that a team's turn begins, for the people who have asked for them."""
    if not row.is_playing or row.to_move is None or not is_handed_on(before, row):
        return ()
    subject = f"{row.id}:{before.revision + steps}"
    called = await context.store.teams.called(row.id, row.to_move)
    return tuple(NewNotice(person, NoticeKind.TEAM, subject, now, Route.PRIVATE) for person in called)


async def play_on(
    context: Context,
    table: Table,
    actions: Sequence[Action],
    *,
    seat: int | None = None,
    request: Request | None = None,
    **extra: Any,
) -> tuple[Table, StepWithPlans]:
    """Return the step in which a seat, by default the seat to move, acts, and all following forced actions.

    The returned table is the table before the step, with the seat's contribution to chance by its `request`. `extra`
    goes into the data of the first event. Draws repeated after a takeback are the same as before.
    """
    row, given = table.row, read_contributions(table.row.chance)
    seat = table.mover if seat is None else seat
    if row.chance is not None and seat is not None:
        given = given.after_action(seat, request, row.id) if request is not None else given.after_no_contribution(seat)
    draws = None
    if table.playing.state.game.has_chance(row.seat_count, row.options):
        is_repeated = row.chance is not None and table.playing.draws < given.drawn
        draws = draws_for(row, given, await context.store.games.events(row.id) if is_repeated else ())
    line, steps = play_line(table.playing, actions, draws)
    step = StepWithPlans(line, step_events(steps, row, draws, **extra))
    return replace(table, row=with_contributions(row, given, line)), step


async def search_turn(context: Context, row: GameRow, level: int) -> tuple[str, ...]:
    """Return the canonical texts of the turn that a computer of a level plays in a running game; ThinkingFailed.

    Its choices depend, besides on the position, on a seed that no one can know in advance.
    """
    seed = int.from_bytes(hashlib.sha256(f"{row.seed} {row.revision}".encode()).digest()[:6])
    return await context.thinkers.turn(row.position or {}, level, seed, whose=row.starter, about=row.id)


DESERTED_REASON: Final = "deserted"
"""The reason of the end if all people have left a game."""


def require_playing_seat(table: Table, requester: RequestContext) -> int:
    """Return the requester's seat at a table; Refused if the game has not started, is over or not theirs."""
    table.check_unfinished()
    table.check_started()
    seat = table.seat_of(requester.id)
    if seat is None and table.teams:
        raise Refused("refusal.team-votes", code=table.id)
    if seat is None:
        players = table.in_language(requester.speaker).name_spans
        raise Refused("refusal.not-your-game", who=requester.speaker.listing(players))
    if seat in table.playing.state.dropped:
        raise Refused("refusal.you-left")
    return seat


def require_moving_seat(table: Table, requester: RequestContext) -> int:
    """Return the requester's seat if it is to move; Refused like `require_playing_seat`, or if it is not to move."""
    seat = require_playing_seat(table, requester)
    if seat != table.mover:
        raise Refused("refusal.not-your-turn", who=table.in_language(requester.speaker).name_span(table.mover))
    return seat


async def drop_seat(
    context: Context,
    table: Table,
    seat: int,
    why: str,
    processed: ProcessedEvent | None = None,
    request: Request | None = None,
) -> None:
    """Drop a seat from a game for the reason `why`; Refused if the game has changed.

    Later draws include the leaver's contribution to chance by their `request`.
    """
    table, step = await play_on(context, table, [Action.drop(seat)], seat=seat, request=request, why=why)
    progress = await progress_after_leaving(context, table, seat, why)
    table = replace(table, row=replace(table.row, progress=progress))
    await commit_line(context, table, step, processed)


async def commit_line(
    context: Context,
    table: Table,
    step: StepWithPlans,
    processed: ProcessedEvent | None,
    changed: GameRow | None = None,
    *,
    with_plans: bool = False,
) -> None:
    """Store a step of play, with the planned turns that follow it; Refused if the game has changed.

    `changed` is the row after the step, if the caller has made it already with `moved_row`; `with_plans`: the step
    already includes the planned turns. If only computers are left, the game is ended.
    """
    row, line, events, results = table.row, step.line, step.events, tuple[NewResult, ...]()
    if changed is None:
        moved = moving_seats(events)
        changed = moved_row(row, line, context.clock(), len(events), moved=moved, planned=step.planned)
    if line.state.outcome is not None:
        results = final_results(row, line)
    elif places := deserted_places(changed, line):
        events = (*events, NewEvent("ended", {"reason": DESERTED_REASON}))
        changed = ended_row(changed, context.clock(), DESERTED_REASON, places)
        results = results_from_places(row, DESERTED_REASON, places)
    ends_turn = line.state.outcome is not None or line.state.turn != table.playing.state.turn
    try:
        # Plans are rare: they are read only after this has raised Planned.
        await store_step(
            context,
            table,
            changed,
            events,
            line=line,
            processed=processed,
            results=results,
            extra_notices=step.notices,
            unplanned=ends_turn and not with_plans and may_be_planned(row),
        )
    except Planned:
        try:
            async with context.store.transaction():
                step = await apply_plans(context, table, step)
                await commit_line(context, table, step, processed, with_plans=True)
        except BrokenGame:
            # The rollback has undone setting the game aside: do it again.
            await check_replays(context, row, table.playing.state)
            raise
