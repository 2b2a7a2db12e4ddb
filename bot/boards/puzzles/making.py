"""Making puzzles: positions in which exactly one turn reaches a goal, proven, and that turn is not obvious.

A turn is obvious if it is the only one that captures, or if level 2 of the computer players plays it in one of three
attempts. The attempts have fixed seeds, so the result is the same while the level stays the same. Cheap checks come
first. A puzzle's tree has all right turns after the first one, and the answer that leaves the fewest of them.
"""

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from bot.boards.puzzles import proving
from bot.boards.puzzles.goals import puzzle_goals
from bot.boards.puzzles.goals.common import MAX_WAYS
from bot.boards.puzzles.proving import WholeTurn
from bot.boards.puzzles.puzzle import WINNING_GOALS, Goal, Puzzle, RightTurn, TurnTexts, puzzles_of, read_puzzle
from bot.boards.puzzles.service import find_nearest
from bot.kernel.context import Context
from bot.kernel.line import position_without_history
from bot.kernel.table import BrokenGame, start_state
from bot.table.replaying import line_of_play
from engine import CHANCE, EngineError, State, games
from engine.budget import Budget
from engine.core import Json
from engine.search import players
from engine.topology import Topology, list_symmetries
from storage import Store

ATTEMPTS: Final = (1, 2, 3)
"""The seeds of a level's attempts: it plays with noise, and may find or miss a turn."""
_LINE: Final = 2
"""The level that must not find a puzzle's first turn."""


def is_within_the_line(state: State, after: State) -> bool:
    """Return True if level 2 plays, in one of the attempts, the turn that leads to the position `after`."""
    return any(plays(state, _LINE, after))


def plays(state: State, level: int, after: State) -> Iterator[bool]:
    """Yield for each attempt whether the level plays the turn that leads to the position `after`."""
    for seed in ATTEMPTS:
        played = state
        for action in players[state.game.key].turn(state, level, seed):
            played = played.advance(action)
        yield played.key() == after.key()


_LEFT_OUT: Final = frozenset({"extra", "outcome", "game"})


@lru_cache
def images(topology: Topology) -> tuple[Mapping[str, str], ...]:
    """Return the rotations and reflections of a board, as mappings of cell names."""
    names = topology.names
    return tuple({names[cell]: names[there] for cell, there in enumerate(each)} for each in list_symmetries(topology))


def canonical(state: State) -> str:
    """Return a text that is equal for positions equal under symmetry, with the seat to move as the first seat."""
    position = {name: value for name, value in state.to_json().items() if name not in _LEFT_OUT}
    seats, mover = state.seats, state.to_move or 0
    if seats == 2 and mover == 1:
        position = {
            name: value[::-1] if isinstance(value, list) and len(value) == seats and name != "dice" else value
            for name, value in position.items()
        } | {"to_move": 0}
    return min(
        json.dumps({name: _turned(value, image, 0) for name, value in position.items()}, sort_keys=True)
        for image in images(state.topology)
    )


def id_of(state: State) -> str:
    """Return the id of the puzzle at a position: its game, and a hash that symmetry does not change."""
    return f"{state.game.key}-{hashlib.sha256(canonical(state).encode()).hexdigest()[:10]}"


def bare(state: State) -> State:
    """Return the position without its history."""
    return state.game.load(position_without_history(state))


def _turned(value: Any, image: Mapping[str, str], depth: int) -> Any:
    if isinstance(value, str):
        return image.get(value, value)
    if isinstance(value, dict):
        return {image.get(name, name): _turned(each, image, depth) for name, each in sorted(value.items())}
    if not isinstance(value, list):
        return value
    items = [_turned(each, image, depth + 1) for each in value]
    # A list at the top is ordered by seats, unless it is a list of cells or of pieces.
    counted = depth == 0 and not all(isinstance(each, dict) for each in value)
    return items if counted and not all(isinstance(each, str) for each in value) else sorted(items, key=json.dumps)


MAX_PUZZLES_PER_GAME: Final = 3
"""Maximum number of puzzles from one game."""
MIN_TURNS_APART: Final = 7
"""Minimum number of turns between puzzles from the same line."""
_MAX_RIGHT_TURNS: Final = 24
"""Maximum number of right turns after the first one; with more, almost any turn would be right."""
_MAX_PROOF_POSITIONS: Final = 60_000
"""Maximum number of positions of a proof, so that all puzzles can be proven again in minutes."""
_MAX_REPLIES: Final = 150
"""Maximum number of compared answers of the opponent."""


def puzzles_in(
    lines: Iterable[Iterable[State]], known: Collection[str], enough: Callable[[], Collection[str]] = tuple
) -> Iterator[Puzzle]:
    """Yield the new puzzles at positions of one game, in the given lines; `known` has the ids of known puzzles.

    `enough` returns the kinds of goals that have enough puzzles.
    """
    here: dict[TurnTexts, tuple[int, int]] = {}
    for number, line in enumerate(lines):
        for state in line:
            if len(here) >= MAX_PUZZLES_PER_GAME:
                return
            # A few turns later it is probably the same puzzle.
            if any(state.turn - turn < MIN_TURNS_APART for turn, other in here.values() if other == number):
                continue
            puzzle = made_from(bare(state), enough())
            if puzzle is not None and puzzle.id not in known and puzzle.tree[0].play not in here:
                here[puzzle.tree[0].play] = state.turn, number
                yield puzzle


def append_puzzles(folder: Path, found: Iterable[Puzzle]) -> None:
    """Add puzzles to the files of their games in a folder, in the form that the program reads; keep the old ones."""
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
    """Return the puzzle at a position, None if there is none; skip the kinds of goals in `enough`."""
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
    """Return every way to play the turn if exactly one reaches the goal; otherwise return early with an empty list."""
    found = list[WholeTurn]()
    right = 0
    for way in proving.proven_ways(state, goal, budget):
        right += way.reaches is True
        if way.reaches is None or right > 1:
            return []
        found.append(way)
    return found


def _is_obvious(state: State, right: WholeTurn, found: Sequence[WholeTurn]) -> bool:
    """Return True if the turn is the only one that captures, or if there are fewer than four ways."""
    taking = sum(proving.captured_count(state, way.actions) > 0 for way in found)
    return len(found) < 4 or (taking == 1 and proving.captured_count(state, right.actions) > 0)


def _branch(way: WholeTurn, goal: Goal, budget: Budget) -> RightTurn | None:
    """Return a right turn with the tree after it, None if the tree is too large or no answer keeps the game going."""
    if goal.kind not in WINNING_GOALS or goal.turns < 2:
        return RightTurn(way.texts)
    left, prover = goal.after(1), way.after.game.prover
    answers = []
    for number, reply in enumerate(proving.whole_turns(way.after)):
        if number >= _MAX_REPLIES:
            break
        if reply.after.outcome is not None:
            continue
        wins = prover.wins(reply.after, 1, budget).values() if left.turns == 1 and prover is not None else ()
        if count := sum(map(bool, wins)):
            answers.append((False, count, number, reply, list[WholeTurn]()))
            continue
        found = [each for each in proving.proven_ways(reply.after, left, budget) if each.reaches]
        quick = any(each.after.outcome is not None for each in found)
        answers.append((quick and left.turns > 1, len(found), number, reply, found))
    if not answers:
        return None  # every answer ends the game
    _, count, _, reply, found = min(answers, key=lambda each: each[:3])
    later = [each for each in found if each.after.outcome is None]
    if count > _MAX_RIGHT_TURNS and left.turns > 1:
        return None
    trees = [tree for each in later if (tree := _branch(each, left, budget)) is not None]
    return RightTurn(way.texts, reply.texts, tuple(trees)) if len(trees) == len(later) else None


def _puzzle(
    state: State, goal: Goal, tree: RightTurn, right: WholeTurn, found: Sequence[WholeTurn], size: int
) -> Puzzle:
    takes = proving.captured_count(state, right.actions)
    known = sum(plays(state, 3, right.after)) / len(ATTEMPTS)
    choice = min(1, math.log2(len(found)) / 9)
    further = min(2, max(0, goal.turns - 1)) if goal.kind in WINNING_GOALS else 0
    hard = 10 + 35 * (1 - known) + 12.5 * further + 10 * (not takes) + 20 * choice
    return Puzzle(
        id=id_of(state),
        game=state.game.key,
        seats=state.seats,
        position={name: value for name, value in position_without_history(state).items() if name != "outcome"},
        seat=state.to_move or 0,
        goal=goal,
        tree=(tree,),
        size=size,
        difficulty=round(hard),
        motif=_motif(state, goal, right, takes),
    )


def _motif(state: State, goal: Goal, right: WholeTurn, takes: int) -> str:
    """Return the motif of the first turn as a word."""
    if goal.kind in ("most", "safe", "hold", "home"):
        return goal.kind
    if any(state.game.facts.is_weighty(action) for action in right.actions):
        return "weighty"
    if takes:
        return "capture"
    after = right.after
    ways = itertools.islice(proving.whole_turns(after), MAX_WAYS if after.outcome is None else 0)
    if any(proving.captured_count(after, way.actions) for way in ways):
        return "daring"
    return "quiet"


_MAX_CANDIDATES = 40
"""Number of newest puzzles among which the one nearest to a person's level is chosen."""


async def make_puzzles(store: Store, code: str) -> list[Puzzle]:
    """Return the new puzzles in a finished game; empty if it cannot be replayed."""
    row = await store.games.get(code)
    if row is None or row.game not in puzzle_goals or row.rules_version != games[row.game].rules_version:
        return []
    try:
        texts = [event.data["action"] for event in line_of_play(await store.games.events(code))]
        line = list(positions(start_state(row), texts))
    except (BrokenGame, EngineError):
        return []
    last = puzzle_goals[row.game].last_turns
    return list(puzzles_in([line if last is None else line[-last:]], puzzles_of(row.game)))


def positions(state: State, texts: list[str]) -> Iterator[State]:
    """Yield the position at the beginning of each turn, without turns of chance; EngineError."""
    before = -1
    for text in texts:
        if state.to_move not in (None, CHANCE) and state.turn != before:
            before = state.turn
            yield state
        state = state.advance(state.read(text))


async def next_played_puzzle(context: Context, person: int, game: str | None) -> Puzzle | None:
    """Return a puzzle at a person's level, from games played here, that they have not tried; None if there is none."""
    stored = await context.store.played_puzzles.list_untried(person, game, _MAX_CANDIDATES)
    found = [puzzle for each in stored if (puzzle := read_played(each.data)) is not None]
    return await find_nearest(context, person, found)


def read_played(data: Json) -> Puzzle | None:
    """Return a stored puzzle, None if it is unreadable."""
    try:
        return read_puzzle(data)
    except (EngineError, KeyError, TypeError, ValueError):
        return None
