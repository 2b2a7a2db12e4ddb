"""Boards to try lines out on: reading, playing and storing them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.play.plans import MAX_TREES_PER_PERSON
from bot.play.records import line_after_turns, may_be_tried, turns_of
from bot.play.replaying import line_of_play, replay_steps
from bot.tables.line import Line
from bot.tables.table import BrokenGame, Table
from bot.tables.tree import MAX_NODES, UNKNOWN_LENGTH, AnalysisTree, TreeFull, position_digest, read_tree, root_at
from engine import CHANCE, Action, EngineError, games
from storage import Conflict, StoredTree, TooManyTrees

RETENTION: Final = timedelta(days=7)
"""Time for which a tree is stored after its game has ended and it was last used."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Trial:
    """A person's board to try lines out on: the game's table, the stored tree, the tree and the line so far.

    `lapsed`: True if lines are gone because the game went back to before they begin. `stopped` is why plans have
    stopped, if that is still to be reported.
    """

    table: Table
    stored_tree: StoredTree
    tree: AnalysisTree
    line: Line
    lapsed: bool = False
    stopped: str = ""

    @property
    def waits_for_chance(self) -> bool:
        """True if dice are to be thrown, or something is to be dealt."""
        return self.line.state.to_move == CHANCE

    @property
    def at_root(self) -> bool:
        """True if nothing has been tried here yet: the position is the game's."""
        return not self.tree.begun and self.tree.here in self.tree.roots


def check_may_be_tried(table: Table) -> None:
    """Raise Refused if the game has not started, or is running without lines to try out."""
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    if not may_be_tried(table):
        raise Refused("refusal.try-off")


async def open_board(context: Context, asker: RequestContext, table: Table, number: int | None = None) -> Trial:
    """Return the asker's board at a game's current position, or at the one after `number` of its turns.

    If the tried line is the one that was played, the board continues it.
    """
    check_may_be_tried(table)
    trial = await _read_tree(context, asker, table)
    tree = trial.tree
    if table.row.rules_version != games[table.row.game].rules_version:
        return _with_tree(trial, tree.at_root(root_at(table.playing, UNKNOWN_LENGTH)))
    every = await turns_of(context, table)
    turns, line = every, table.playing
    if number is not None and 0 <= number < len(every):
        turns, line = every[:number], line_after_turns(table.playing, every, number)
    actions = [action.text for turn in turns for action in turn.actions]
    reached = tree.node_reached(actions)
    if reached is not None:
        return _with_tree(trial, tree.at_node(reached))
    return _with_tree(trial, tree.at_root(root_at(line, len(actions))))


async def continue_board(context: Context, asker: RequestContext, table: Table) -> Trial | None:
    """Return the asker's board where they left it, None if there is none (any more)."""
    check_may_be_tried(table)
    trial = await _read_tree(context, asker, table)
    return trial if trial.stored_tree.id is not None and trial.tree.roots else None


def play_actions(trial: Trial, actions: Sequence[Action]) -> Trial:
    """Return the board after actions of the player to move, or of chance; Refused if the tree is full."""
    try:
        tree, line = trial.tree.after_actions(trial.line, actions)
    except TreeFull as error:
        raise Refused("refusal.try-full", most=MAX_NODES) from error
    return replace(trial, tree=tree, line=line)


def go_to_node(trial: Trial, tree: AnalysisTree) -> Trial:
    """Return the board with another tree, at its current node."""
    return _with_tree(trial, tree)


async def store_board(
    context: Context, asker: RequestContext, trial: Trial, answer: Callable[[Trial], Reply], *, plans: bool = False
) -> tuple[Trial, Reply]:
    """Store a board and return it with the reply, which `answer` makes from the stored state.

    `plans`: True if it adds a plan, for which the game must not have changed. Refused if the game or the board has
    changed, or if there is no room for another.
    """
    updated_tree = replace(trial.stored_tree, tree=trial.tree.to_json(), planned=trial.tree.planned)
    reply = answer(replace(trial, stored_tree=replace(updated_tree, revision=updated_tree.revision + 1)))
    try:
        stored = await context.store.trees.store(
            updated_tree,
            context.clock(),
            MAX_TREES_PER_PERSON,
            asker.receipt(reply),
            game_at=trial.table.row.revision if plans else None,
        )
    except Conflict as error:
        raise Refused("refusal.moved-on") from error
    except TooManyTrees as error:
        raise Refused("refusal.try-many", most=MAX_TREES_PER_PERSON) from error
    return replace(trial, stored_tree=stored), reply


async def drop_board(context: Context, asker: RequestContext, trial: Trial, reply: Reply) -> None:
    """Delete everything that the asker has tried out in a game; Refused if it has changed."""
    try:
        await context.store.trees.delete(trial.stored_tree, context.clock(), asker.receipt(reply))
    except Conflict as error:
        raise Refused("refusal.moved-on") from error


async def _read_tree(context: Context, asker: RequestContext, table: Table) -> Trial:
    """Return what the asker has tried out in a game, without what has lapsed."""
    row = table.row
    stored_tree = await context.store.trees.get(asker.person.id, row.id) or StoredTree(asker.person.id, row.id)
    tree = read_tree(stored_tree.tree)
    gone, stopped = await find_lapsed_roots(context, table, tree), tree.stopped
    tree = replace(tree.without_roots(gone), checked=row.revision, stopped="")
    if not tree.roots:
        return Trial(
            table,
            stored_tree,
            AnalysisTree(last=tree.last, checked=row.revision, guesses=tree.guesses),
            table.playing,
            bool(gone),
            stopped,
        )
    try:
        line = tree.line(table.game)
    except EngineError as error:
        # Stored under other rules: nothing of it can be played any more.
        log.warning("analysis-board-unreadable", game=row.id, reason=str(error))
        return Trial(table, stored_tree, AnalysisTree(checked=row.revision), table.playing, lapsed=True)
    return Trial(table, stored_tree, tree, line, bool(gone), stopped)


async def find_lapsed_roots(context: Context, table: Table, tree: AnalysisTree) -> list[int]:
    """Return the roots of a tree that are not positions of the game any more, since moves were taken back."""
    row = table.row
    if tree.checked == row.revision or row.rules_version != games[row.game].rules_version:
        return []
    counted = {number: root for number, root in tree.roots.items() if root.at != UNKNOWN_LENGTH}
    if not counted:
        return []
    try:
        async with replay_steps(context, row) as events:
            found = _position_digests(
                table, [event.data["action"] for event in line_of_play(events)], {root.at for root in counted.values()}
            )
    except BrokenGame:
        return []  # the game cannot be replayed
    return [number for number, root in counted.items() if found.get(root.at) != root.digest]


def _position_digests(table: Table, actions: Sequence[str], wanted: Collection[int]) -> dict[int, str]:
    """Return the digests of the wanted positions, by the number of actions that lead to them."""
    state = table.game.start(table.row.seat_count, table.row.options)
    found = {0: position_digest(state)} if 0 in wanted else {}
    for number, text in enumerate(actions, start=1):
        state = state.advance(state.read(text))
        if number in wanted:
            found[number] = position_digest(state)
    return found


def _with_tree(trial: Trial, tree: AnalysisTree) -> Trial:
    return replace(trial, tree=tree, line=tree.line(trial.table.game))
