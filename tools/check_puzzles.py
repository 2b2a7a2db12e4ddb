"""Prove every puzzle again: one first turn that reaches the goal, the tree, that no two are the same, and the line.

The line is that level 2 plays the first turn at none of its attempts (`bot/boards/puzzles/making.py`). What level 3
finds goes into the first difficulty alone, and is not asked again. It takes some minutes; with the engine compiled
(`make compiled`) it is faster as `PYTHONPATH=out/compiled:. python -P -m tools.check_puzzles`.

Usage: `python -m tools.check_puzzles [GAME ...] [--count N]`.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from bot.boards.puzzles import proving, puzzle as calendar
from bot.boards.puzzles.making import bare, id_of, is_within_the_line
from bot.boards.puzzles.proving import WholeTurn, proven_ways
from bot.boards.puzzles.puzzle import WINNING_GOALS, Goal, Puzzle, RightTurn, puzzle_by_id, puzzles_of
from engine import EngineError, State, games
from engine.budget import Budget
from engine.winning import WinProver


def find_faults(puzzle: Puzzle) -> Iterator[str]:
    """Yield what is wrong with one puzzle, a sentence each."""
    try:
        yield from _faults(puzzle)
    except EngineError as error:
        yield f"it cannot be played: {error}"


def _faults(puzzle: Puzzle) -> Iterator[str]:
    state = puzzle.state()
    goal = puzzle.goal
    if goal.kind not in ("win", "home", "hold", "most", "safe"):
        yield f"unknown goal {goal.kind}"
        return
    if id_of(state) != puzzle.id or bare(state) != state:
        yield f"the id should be {id_of(state)}"
    if len(puzzle.tree) != 1:
        yield f"{len(puzzle.tree)} first turns in the tree"
        return
    budget = Budget(proving.MAX_POSITIONS)
    found = list(proven_ways(state, goal, budget))
    right = [turn for turn in found if turn.reaches]
    if any(turn.reaches is None for turn in found) or budget.is_over:
        yield "not proven"
    elif len(right) != 1:
        yield f"{len(right)} first turns reach the goal"
    elif right[0].after != play_actions(state, puzzle.tree[0].play):
        yield f"{' '.join(right[0].texts)} is right, not {' '.join(puzzle.tree[0].play)}"
    else:
        yield from _empty(state, goal, right[0], found)
        yield from _tree(state, puzzle.tree, goal, budget)
        if is_within_the_line(state, right[0].after):
            yield "level 2 finds it"


def _empty(state: State, goal: Goal, right: WholeTurn, found: Sequence[WholeTurn]) -> Iterator[str]:
    """Yield what makes a puzzle none although one turn alone is right."""
    taken = proving.captured_count(state, right.actions)
    if taken and sum(proving.captured_count(state, turn.actions) > 0 for turn in found) == 1:
        yield "it is the only turn that takes anything"
    if goal.kind == "most" and taken != goal.amount:
        yield f"it takes {taken}, not {goal.amount}"
    if goal.kind in WINNING_GOALS and goal.turns > 1:
        wins = WinProver(state.to_move or 0, Budget(proving.MAX_POSITIONS))
        if wins.is_won(state, goal.turns - 1) is not False:
            yield f"the game can be won within {goal.turns - 1}"


def _tree(state: State, tree: Sequence[RightTurn], goal: Goal, budget: Budget) -> Iterator[str]:
    """Yield what is wrong with turns that are said to be right, and with what follows them."""
    for each in tree:
        played = " ".join(each.play)
        if goal.kind not in WINNING_GOALS or goal.turns < 2:
            if each.reply or each.tree:
                yield f"something follows {played}"
            continue
        here = play_actions(state, each.play)
        if not each.reply or here.to_move == state.to_move:
            yield f"nothing answers {played}"
            continue
        there = play_actions(here, each.reply)
        if not proving.is_over(here, there) or there.to_move != state.to_move:
            yield f"the answer to {played} is no turn"
            continue
        left = goal.after(1)
        right = [turn.after for turn in proven_ways(there, left, budget) if turn.reaches]
        later = [turn for turn in right if turn.outcome is None]
        if not right:
            yield f"after {played} and its answer the goal is out of reach"
        elif {turn.key() for turn in later} != {play_actions(there, further.play).key() for further in each.tree}:
            yield f"other turns are right after {played} and its answer"
        else:
            yield from _tree(there, each.tree, left, budget)


def play_actions(state: State, texts: Sequence[str]) -> State:
    """Return the state after actions; the errors of `State.read` where they cannot be."""
    for text in texts:
        state = state.advance(state.read(text))
    return state


def of_list() -> Iterator[str]:
    """Yield what is wrong with the calendar."""
    ids = calendar.list_puzzles()
    yield from (f"{name}: twice in the calendar" for name, count in Counter(ids).items() if count > 1)
    yield from (f"{name}: in the calendar, but there is no such puzzle" for name in ids if puzzle_by_id(name) is None)


def main() -> int:
    """Print what is wrong, and a line for each game; return 1 if anything is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="which games (all)")
    parser.add_argument("--count", type=int, default=None, help="how many of each at most")
    arguments = parser.parse_args()
    wrong = list(of_list())
    for key in arguments.games or games:
        began, chosen = time.monotonic(), list(puzzles_of(key).values())[: arguments.count]
        for puzzle in chosen:
            wrong += [f"{puzzle.id}: {fault}" for fault in find_faults(puzzle)]
        kinds = Counter(puzzle.goal.kind for puzzle in chosen)
        summary = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        print(f"{key}: {len(chosen)} puzzles ({summary}) in {time.monotonic() - began:.0f} s", flush=True)
    print("\n".join(wrong) or "All are right.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
