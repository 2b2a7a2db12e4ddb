"""Making puzzles: a position with one turn that reaches a goal while every other does not, proven, and not obvious.

Obvious is a turn that is merely the only one that captures, and one that level 2 plays at any of three attempts
(`bot/puzzles/computer_tries.py`). What is cheap to find out is asked first. A puzzle's tree has all turns that are
right later on, and the answer that leaves the fewest of them.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bot.puzzles import proving
from bot.puzzles.computer_tries import ATTEMPTS, is_within_the_line, plays
from bot.puzzles.goals import puzzle_goals
from bot.puzzles.goals.common import MAX_WAYS
from bot.puzzles.proving import WholeTurn, turns_reaching
from bot.puzzles.puzzle import WINNING_GOALS, Goal, Puzzle, RightTurn
from bot.puzzles.symmetry import bare, id_of
from engine import State
from engine.budget import Budget

MAX_PUZZLES_PER_GAME: Final = 3
"""How many puzzles are taken from one game at most."""
MIN_TURNS_APART: Final = 7
"""How many turns lie between them at least."""
_MAX_RIGHT_TURNS: Final = 24
"""With more right turns later on than this a puzzle is left: any turn would do."""
_MAX_PROOF_POSITIONS: Final = 60_000
"""Positions that a proof may take, so that all of them can be proven again in minutes."""
_MAX_REPLIES: Final = 150
"""So many answers of the opponent are compared at most."""


def puzzles_in(
    lines: Iterable[Iterable[State]], known: Collection[str], enough: Callable[[], Collection[str]] = tuple
) -> Iterator[Puzzle]:
    """Yield the puzzles at positions of one game, in the lines that are looked through: those not known by their id.

    `enough` returns the kinds of goals of which there are enough.
    """
    here: dict[tuple[str, ...], tuple[int, int]] = {}
    for number, line in enumerate(lines):
        for state in line:
            if len(here) >= MAX_PUZZLES_PER_GAME:
                return
            # The same again a few turns later is not another.
            if any(state.turn - turn < MIN_TURNS_APART for turn, other in here.values() if other == number):
                continue
            puzzle = made_from(bare(state), enough())
            if puzzle is not None and puzzle.id not in known and puzzle.tree[0].play not in here:
                here[puzzle.tree[0].play] = state.turn, number
                yield puzzle


def append_puzzles(folder: Path, found: Iterable[Puzzle]) -> None:
    """Add puzzles to the files of their games in a folder, in the form that the program reads; those there stay."""
    for puzzle in found:
        path = folder / f"{puzzle.game}.json"
        entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        if puzzle.id not in [entry["id"] for entry in entries]:
            write_puzzles(path, [*entries, puzzle.to_json()])


def write_puzzles(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write puzzles, one a line."""
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def made_from(state: State, enough: Collection[str] = ()) -> Puzzle | None:
    """Return the puzzle at a position, None if it is none; of some kinds there are enough."""
    for goal in puzzle_goals[state.game.key].find(state):
        if goal.kind in enough:
            continue
        budget = Budget(_MAX_PROOF_POSITIONS)
        found = _with_one_right(state, goal, budget)
        right = next((way for way in found if way.reaches), None)
        if right is None or _is_obvious(state, right, found) or is_within_the_line(state, right.after):
            continue
        if goal.kind == "most":
            goal = Goal("most", 1, proving.captured_count(state, right.actions))
        tree = _branch(right, goal, budget)
        if tree is not None and not budget.is_over:
            return _puzzle(state, goal, tree, right, found, budget.spent)
    return None


def _with_one_right(state: State, goal: Goal, budget: Budget) -> list[WholeTurn]:
    """Return every way to play the turn if exactly one reaches the goal, else nothing, as soon as that is seen."""
    found = list[WholeTurn]()
    right = 0
    for way in proving.proven_ways(state, goal, budget):
        right += way.reaches is True
        if way.reaches is None or right > 1:
            return []
        found.append(way)
    return found


def _is_obvious(state: State, right: WholeTurn, found: Sequence[WholeTurn]) -> bool:
    """Say whether the turn is the only one that takes anything, or there is little to choose from."""
    taking = (
        [way for way in found if proving.captured_count(state, way.actions)]
        if proving.captured_count(state, right.actions)
        else []
    )
    return len(found) < 4 or len(taking) == 1


def _branch(way: WholeTurn, goal: Goal, budget: Budget) -> RightTurn | None:
    """Return a right turn with what follows it, None if too much does."""
    if goal.kind not in WINNING_GOALS or goal.turns < 2:
        return RightTurn(way.texts)
    left = goal.with_fewer()
    answers = []
    for number, reply in enumerate(proving.whole_turns(way.after)):
        if number >= _MAX_REPLIES:
            break
        if reply.after.outcome is not None:
            continue
        if left.turns == 1 and (count := _winning_at_once(reply.after, budget)):
            answers.append((False, count, number, reply, list[WholeTurn]()))
            continue
        found = [each for each in turns_reaching(reply.after, left, budget) if each.reaches]
        quick = any(each.after.outcome is not None for each in found)
        answers.append((quick and left.turns > 1, len(found), number, reply, found))
    if not answers:
        return None  # every answer ends the game
    _, count, _, reply, found = min(answers, key=lambda each: each[:3])
    later = [each for each in found if each.after.outcome is None]
    if count > _MAX_RIGHT_TURNS and left.turns > 1:
        return None
    trees = [_branch(each, left, budget) for each in later]
    if any(tree is None for tree in trees):
        return None
    return RightTurn(way.texts, reply.texts, tuple(tree for tree in trees if tree is not None))


def _winning_at_once(state: State, budget: Budget) -> int:
    """Return how many actions win at once, as far as a game's prover says it."""
    prover = state.game.prover
    return sum(won or False for won in prover.wins(state, 1, budget).values()) if prover is not None else 0


def _puzzle(
    state: State, goal: Goal, tree: RightTurn, right: WholeTurn, found: Sequence[WholeTurn], size: int
) -> Puzzle:
    takes = proving.captured_count(state, right.actions)
    known = sum(plays(state, 3, right.after)) / len(ATTEMPTS)
    choice = min(1, math.log2(len(found)) / 9)
    hard = 10 + 35 * (1 - known) + 12.5 * min(2, goal.own_turns - 1) + 10 * (not takes) + 20 * choice
    position = {name: value for name, value in state.to_json().items() if name not in ("extra", "outcome")}
    return Puzzle(
        id=id_of(state),
        game=state.game.key,
        options=position.get("options", {}),
        seats=state.seats,
        position=position,
        seat=state.to_move or 0,
        goal=goal,
        tree=(tree,),
        size=size,
        difficulty=round(hard),
        motif=_motif(state, goal, right, takes),
    )


def _motif(state: State, goal: Goal, right: WholeTurn, takes: int) -> str:
    """Return what the first turn is of, in a word."""
    if goal.kind in ("most", "safe", "hold", "home"):
        return goal.kind
    if any(state.game.facts.is_weighty(action) for action in right.actions):
        return "weighty"
    if takes:
        return "capture"
    after = right.after
    if after.outcome is None and any(proving.captured_count(after, way.actions) for way in _few(after)):
        return "daring"
    return "quiet"


def _few(state: State) -> Iterator[WholeTurn]:
    for number, way in enumerate(proving.whole_turns(state)):
        if number >= MAX_WAYS:
            return
        yield way
