"""Make puzzles from games of the computers, each with one first turn that reaches its goal, proven.

Levels 3 to 5 play each other with a small part of their usual effort (`_EFFORTS`), after openings of two to eight
random actions. From the positions at which a turn begins those are taken that have one turn that reaches a goal while
every other does not (`bot/puzzles/proving.py`); in which that turn is not merely the only one that captures; which no
symmetry makes of a puzzle that is there already; and whose turn level 2 plays at none of three attempts
(`tools/puzzle_attempts.py`). What is cheap to find out is asked first. Where a game is decided by a blow, its last
turns are played otherwise as well, after a random one: that is often a mistake to punish. A puzzle's tree has all turns
that are right later on, and the answer that leaves the fewest of them.

Usage: `python -m tools.make_puzzles [GAME ...] [--wanted N] [--first SEED] [--place FOLDER]`. It goes on where the
files are: puzzles that are there stay. With the engine compiled (`make compiled`) it is several times faster as
`PYTHONPATH=out/compiled:. python -P -m tools.make_puzzles`.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from bot.puzzles import proving
from bot.puzzles.proving import WholeTurn, turns_reaching
from bot.puzzles.puzzle import WINNING_GOALS, Goal, Puzzle, RightTurn
from engine import CHANCE, State, games
from engine.budget import Budget
from engine.search import players
from tools.puzzle_attempts import ATTEMPTS, is_within_the_line, plays
from tools.puzzle_goals import AT_MOST, GOALS, LAST_TURNS, MAX_WAYS, OPTIONS, SEATS
from tools.puzzle_symmetry import bare, id_of

PLACE: Final = Path(__file__).resolve().parent.parent / "bot" / "puzzles"
WANTED: Final = {"annuvin": 365, "real-queen": 365, "fagocitare": 365, "uomo-nero": 120, "vedova-nera": 120}
_EFFORTS: Final = {3: 0.3, 4: 0.03, 5: 0.001}
"""The share of each level's iterations with which it plays."""
_SHARES: Final = {"real-queen": 0.05, "fagocitare": 0.03}
"""What part of that is enough where a hundred positions have to be looked at for one puzzle."""
_PUZZLES_PER_GAME: Final = 3
"""How many puzzles are taken from one game at most."""
_APART: Final = 7
"""How many turns lie between them at least."""
_MAX_TURNS: Final = 300
_MAX_RIGHT_TURNS: Final = 24
"""With more right turns later on than this a puzzle is left: any turn would do."""
_MAX_PROOF_POSITIONS: Final = 60_000
"""Positions that a proof may take, so that all of them can be proven again in minutes."""
_MAX_REPLIES: Final = 150
"""So many answers of the opponent are compared at most."""


def played(key: str, seed: int) -> Iterator[State]:
    """Yield the positions at which a turn begins in one game of the computers."""
    rng = random.Random(f"puzzles {key} {seed}")
    game = games[key]
    seats = rng.choice(SEATS.get(key, (2,)))
    options = {name: rng.choice(OPTIONS.get(key, {}).get(name, option.values)) for name, option in game.options.items()}
    levels: list[int] = [rng.choice((3, 4, 5)) for _ in range(seats)]
    yield from _played_on(game.start(seats, options), levels, rng.randrange(2, 9), seed, rng)


def _played_on(state: State, levels: Sequence[int], opening: int, seed: int, rng: random.Random) -> Iterator[State]:
    """Yield the positions at which a turn begins from one on; turns before the number `opening` are random."""
    key, before = state.game.key, -1
    while state.to_move is not None and state.turn < _MAX_TURNS:
        if state.to_move == CHANCE:
            state = state.advance(state.sample_chance(rng))
            continue
        if state.turn != before:
            yield state
        before = state.turn
        if state.turn < opening:
            state = state.advance(state.random_action(rng))
            continue
        level = levels[state.to_move or 0]
        effort = _EFFORTS[level] * _SHARES.get(key, 1.0)
        state = state.advance(players[key].choose(state, level, seed, effort=effort))


def lines(key: str, seed: int) -> Iterator[list[State]]:
    """Yield the positions of one game in which puzzles are looked for, then those of the game played on otherwise."""
    whole = list(played(key, seed))
    last = LAST_TURNS.get(key)
    if last is None:
        yield whole
        return
    yield whole[-last:]
    rng = random.Random(f"otherwise {key} {seed}")
    for state in whole[-2 * last : -1]:
        levels: list[int] = [rng.choice((3, 4, 5)) for _ in range(state.seats)]
        yield list(islice(_played_on(state, levels, state.turn + 1, seed, rng), 1, 1 + last))


def made_from(state: State, enough: Collection[str] = ()) -> Puzzle | None:
    """Return the puzzle at a position, None if it is none; of some kinds there are enough."""
    for goal in GOALS[state.game.key](state):
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


def main() -> None:
    """Add puzzles to the files of the games asked for, until each has as many as are wanted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(WANTED)}")
    parser.add_argument("--wanted", type=int, help="how many of each (those that the program has)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game that is played")
    parser.add_argument("--place", type=Path, default=PLACE, help="the folder of the files")
    arguments = parser.parse_args()
    for key in arguments.games or WANTED:
        extend(arguments.place / f"{key}.json", key, arguments.wanted or WANTED[key], arguments.first)


def extend(path: Path, key: str, wanted: int, seed: int) -> None:
    """Add puzzles of a game to a file until it has so many."""
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    known = {entry["id"] for entry in entries}
    while len(entries) < wanted:
        seed += 1
        here: dict[tuple[str, ...], tuple[int, int]] = {}
        positions = ((number, each) for number, line in enumerate(lines(key, seed)) for each in line)
        for number, each in positions:
            if len(here) >= _PUZZLES_PER_GAME or len(entries) >= wanted:
                break
            # The same again a few turns later is not another.
            if any(each.turn - turn < _APART for turn, line in here.values() if line == number):
                continue
            kinds = [entry["goal"][0] for entry in entries]
            most = AT_MOST.get(key, {})
            puzzle = made_from(bare(each), [kind for kind in most if kinds.count(kind) >= most[kind] * wanted])
            if puzzle is None or puzzle.id in known or puzzle.tree[0].play in here:
                continue
            here[puzzle.tree[0].play] = each.turn, number
            known.add(puzzle.id)
            entries.append(puzzle.to_json())
            write(path, entries)
            print(key, seed, len(entries), puzzle.goal, puzzle.motif, puzzle.difficulty, file=sys.stderr, flush=True)


def write(path: Path, entries: Sequence[dict[str, Any]]) -> None:
    """Write puzzles, one a line."""
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
