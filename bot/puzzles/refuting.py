"""Refutations of wrong turns: the reply, or the throw, after which the goal cannot be reached."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.language.texts import Parameter
from bot.puzzles import proving
from bot.puzzles.proving import WholeTurn, WinProver, captured_count, capturing_throw, value_of, whole_turns
from bot.puzzles.puzzle import WINNING_GOALS, Goal
from bot.words.teller import search_order
from engine import State
from engine.budget import Budget

_DRAW_VALUE: Final = 0.5


@dataclass(frozen=True, slots=True)
class PuzzleSentence:
    """The key of a sentence and its parameters: `n` chooses the plural, a tuple is a turn that is told in words."""

    key: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refutation(PuzzleSentence):
    """What a wrong turn overlooks, and the reply that shows it."""

    reply: tuple[str, ...] = ()


def find_refutation(before: State, goal: Goal, wrong: WholeTurn) -> Refutation:
    """Return the refutation of a turn that does not reach the (remaining) goal."""
    seat = before.to_move or 0
    if goal.kind == "most":
        return Refutation("puzzle.overlooked.fewer", {"n": captured_count(before, wrong.actions), "most": goal.amount})
    if goal.kind == "safe":
        return _thrown(wrong.after, seat)
    if wrong.after.outcome is not None:
        return Refutation("puzzle.overlooked.over")
    if goal.turns == 0:
        return _valued(wrong.after, seat)
    if goal.kind not in WINNING_GOALS:
        return _fastest_loss(wrong.after, goal.turns)
    if goal.turns == 1:
        return Refutation("puzzle.overlooked.not-yet")
    return _best_parry(wrong.after, seat, goal.turns - 1)


def _thrown(after: State, seat: int) -> Refutation:
    found = capturing_throw(after, seat, Budget(proving.MAX_POSITIONS))
    if found is None:
        return Refutation("puzzle.overlooked.over")
    roll, capture = found
    dice = roll.text.partition(" ")[2]
    return Refutation("puzzle.overlooked.thrown", {"dice": dice, "move": (capture.text,)}, (roll.text, capture.text))


def _valued(after: State, seat: int) -> Refutation:
    """Return the reply that leaves the solver the lowest value."""
    budget = Budget(proving.MAX_POSITIONS)
    prover = after.game.prover
    settled = prover.settle(after, budget) if prover is not None and after.game.oracle is None else {}
    values: list[tuple[float, tuple[str, ...]]] = [
        (proof.values[seat], (action.text,)) for action, proof in settled.items()
    ]
    if not values:
        values = [
            (value, way.texts) for way in whole_turns(after) if (value := value_of(way.after, seat, budget)) is not None
        ]
    value, reply = min(values, key=lambda each: each[0])
    key = "puzzle.overlooked.loses" if value < _DRAW_VALUE else "puzzle.overlooked.draws"
    return Refutation(key, {"reply": reply}, reply)


def _fastest_loss(after: State, most: int) -> Refutation:
    """Return the opponent's fastest win."""
    for turns in range(1, most + 1):
        for way in proving.turns_reaching(after, Goal("win", turns), Budget(proving.MAX_POSITIONS)):
            if way.reaches:
                return Refutation("puzzle.overlooked.lost", {"n": turns, "reply": way.texts}, way.texts)
    return Refutation("puzzle.overlooked.over")


def _best_parry(after: State, seat: int, turns: int) -> Refutation:
    """Return a reply that wins for the opponent, otherwise the likeliest one after which no win is left in time."""
    wins = WinProver(seat, Budget(proving.MAX_POSITIONS))
    first: WholeTurn | None = None
    for way in _likeliest(after):
        outcome = way.after.outcome
        if outcome is not None and outcome.winner == after.to_move:
            return Refutation("puzzle.overlooked.lost", {"n": 1, "reply": way.texts}, way.texts)
        if first is None and wins.is_won_after(way.after, turns) is False:
            first = way
    if first is None:
        return Refutation("puzzle.overlooked.over")
    return Refutation("puzzle.overlooked.parried", {"n": turns, "reply": first.texts}, first.texts)


def _likeliest(state: State) -> Iterator[WholeTurn]:
    """Yield the ways to play a turn, in the order of a search."""
    places = {action: place for place, action in enumerate(search_order(state))}
    yield from sorted(whole_turns(state), key=lambda way: places.get(way.actions[0], len(places)))
