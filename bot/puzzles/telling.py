"""What is said of a puzzle: keys of sentences with their parameters, for a speaker of its game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.language.texts import Parameter
from bot.puzzles.puzzle import Puzzle
from engine import State


@dataclass(frozen=True, slots=True)
class PuzzleSentence:
    """The key of a sentence and its parameters: `n` chooses the plural, a tuple is a turn that is told in words."""

    key: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


def goal_sentence(puzzle: Puzzle) -> PuzzleSentence:
    """Return what is to be reached, in one sentence."""
    goal = puzzle.goal
    if goal.turns == 0:
        key = f"puzzle.goal.{goal.kind}-proven"
        return PuzzleSentence(key)
    key = f"puzzle.goal.{goal.kind}"
    return PuzzleSentence(key, {"n": goal.turns})


def reason_sentence(puzzle: Puzzle, first: Sequence[str]) -> PuzzleSentence:
    """Return why the first turn is right, and how that is known."""
    goal, move = puzzle.goal, tuple(first)
    if goal.turns == 0:
        key = f"puzzle.reason.{goal.kind}-proven"
        return PuzzleSentence(key, {"move": move})
    key = f"puzzle.reason.{goal.kind}"
    n = goal.amount or goal.turns
    return PuzzleSentence(key, {"move": move, "n": n, "size": puzzle.size})


def hint_sentence(state: State, turn: Sequence[str], number: int) -> tuple[PuzzleSentence, tuple[str, ...]]:
    """Return the n-th hint for a turn, and the cells to mark: about where, where to, all of it."""
    action = state.read(turn[0])
    names = state.topology.names
    if number == 1 and action.source is not None:
        key = "puzzle.hint.from"
        return PuzzleSentence(key, {"cell": action.source}), (action.source,)
    if number == 1 and action.target is not None:
        letter = action.target[0]
        key = "puzzle.hint.letter"
        return PuzzleSentence(key, {"letter": letter}), tuple(name for name in names if name[0] == letter)
    if number == 2 and action.target is not None:
        key = "puzzle.hint.to"
        return PuzzleSentence(key, {"cell": action.target}), (action.target,)
    if number < 3:
        key = "puzzle.hint.still"
        return PuzzleSentence(key), ()
    key = "puzzle.hint.turn"
    cells = tuple(cell for cell in (action.source, action.target) if cell is not None)
    return PuzzleSentence(key, {"move": tuple(turn)}), cells
