"""Plans: turns that answer the opponent's automatically, stored in one transaction with the turn they answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.context import Context
from bot.core.notice_routes import NoticeKind
from bot.play.replaying import line_of_play
from bot.tables.changes import people_by_seat, step_events
from bot.tables.line import Line, Step, play_line
from bot.tables.table import BrokenGame, Table
from bot.tables.tree import AnalysisTree, read_tree
from engine import EngineError, IllegalAction, games
from storage import GameRow, NewEvent, NewNotice, StoredTree

STOPPED_PLAYER_LEFT: Final = "left"
STOPPED_ILLEGAL_TURN: Final = "illegal"
STOPPED_GAME_OVER: Final = "over"
STOPPED_TAKEBACK: Final = "undo"
_STOP_REASONS: Final = {"offer": "offer", "paused": "pause", "seat-taken": "seat"}
"""Reason for stopping plans, by kind of event."""
PLAN_CAUSE: Final = "plan"


@dataclass(frozen=True, slots=True)
class StepWithPlans:
    """A step of a game with the planned turns that follow it: its line, its events, the number of planned turns.

    `notices` go to the people whose plans have stopped.
    """

    line: Line
    events: tuple[NewEvent, ...]
    planned: int = 0
    notices: tuple[NewNotice, ...] = ()


def may_be_planned(row: GameRow) -> bool:
    """Return True if turns may be planned in a game: running, for two, without dice, under the current rules."""
    game = games.get(row.game)
    if game is None or row.status != "playing" or row.seat_count != 2 or row.rules_version != game.rules_version:
        return False
    return row.terms.tries and not game.has_chance(row.seat_count, row.options)


async def apply_plans(context: Context, table: Table, step: StepWithPlans) -> StepWithPlans:
    """Return a step of a game with the planned turns that follow it; call it in the step's transaction.

    A plan that the game has left, or that cannot be played, is deleted and its owner notified.
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
    return await _play_plans(context, row, step, stored, actions)


async def _play_plans(
    context: Context, row: GameRow, found: StepWithPlans, stored: Sequence[StoredTree], actions: list[str]
) -> StepWithPlans:
    trees = {each.person: read_tree(each.tree) for each in stored}
    people = people_by_seat(row)
    stopped = {person: STOPPED_ILLEGAL_TURN for person, tree in trees.items() if not tree.planned}
    line, events, count = found.line, list(found.events), 0
    while True:
        mover = people.get(line.state.to_move) if line.state.to_move is not None else None
        for person, tree in trees.items():
            stands = tree.current_node(actions)
            trees[person] = tree.remaining_plans(stands[0] if stands is not None else None)
            if tree.planned and not trees[person].planned and person == mover:
                stopped[person] = STOPPED_PLAYER_LEFT
        turn = _planned_turn(trees.get(mover), actions) if mover is not None else None
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
    await _store_trees(context, stored, trees, stopped)
    notices = () if over else _stop_notices(context, row, row.revision + len(events), stopped)
    return StepWithPlans(line, tuple(events), count, notices)


def stop_reason(table: Table, changed: GameRow, events: Sequence[NewEvent]) -> str | None:
    """Return why a step of a game stops the plans in it, None if they go on."""
    if not may_be_planned(table.row):
        return None
    if changed.status == "over":
        return STOPPED_GAME_OVER
    if any(event.kind == "undo" for event in events) and changed.turn < table.row.turn:
        return STOPPED_TAKEBACK
    return next((_STOP_REASONS[event.kind] for event in events if event.kind in _STOP_REASONS), None)


async def plans_stopped_by(
    context: Context, table: Table, events: Sequence[NewEvent], reason: str
) -> tuple[NewNotice, ...]:
    """Delete all plans in a game, in the transaction of what stops them; return the notices for their owners."""
    stored = await context.store.trees.list_plans(table.row.id)
    trees = {each.person: read_tree(each.tree).without_plans() for each in stored}
    stopped = {} if reason == STOPPED_GAME_OVER else dict.fromkeys(trees, reason)
    await _store_trees(context, stored, trees, stopped)
    return _stop_notices(context, table.row, table.row.revision + len(events), stopped)


async def _store_trees(
    context: Context, stored: Sequence[StoredTree], trees: dict[int, AnalysisTree], stopped: dict[int, str]
) -> None:
    for each in stored:
        tree = replace(trees[each.person], stopped=stopped.get(each.person, ""))
        if tree.to_json() != each.tree:
            changed = replace(each, tree=tree.to_json(), planned=tree.planned)
            # Nobody has touched the board: what is typed goes on meaning the game.
            await context.store.trees.store(changed, each.touched_at or context.clock(), MAX_TREES_PER_PERSON)


def _stop_notices(context: Context, row: GameRow, revision: int, stopped: dict[int, str]) -> tuple[NewNotice, ...]:
    now = context.clock()
    return tuple(
        NewNotice(person, NoticeKind.PLAN, f"{row.id}:{revision}:{reason}", now) for person, reason in stopped.items()
    )


def _planned_turn(tree: AnalysisTree | None, actions: Sequence[str]) -> tuple[str, ...] | None:
    """Return the planned turn at the game's position, without its actions that were already forced."""
    stands = tree.current_node(actions) if tree is not None else None
    if tree is None or stands is None:
        return None
    number, begun = stands
    planned = tree.plan_after(number)
    if planned is None or tree.nodes[planned].play[: len(begun)] != begun:
        return None
    return tree.nodes[planned].play[len(begun) :]


def _follow_turn(line: Line, texts: Sequence[str]) -> tuple[Line, tuple[Step, ...]]:
    """Return the line after a planned turn, with its steps; raises the engine's errors if it cannot be played."""
    left, steps = list(texts), list[Step]()
    while left:
        line, done = play_line(line, [line.state.read(left[0])], None)
        for step in done:
            if left and step.action.text != left.pop(0):
                raise IllegalAction("not-allowed")
        steps += done
    return line, tuple(steps)


MAX_TREES_PER_PERSON: Final = 40
"""Maximum number of games in which one person may have tried lines out."""
