"""What a wrong turn overlooks: the answer, or the throw, after which the goal is out of reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.language.texts import Parameter
from bot.puzzles import proving
from bot.puzzles.proving import WholeTurn, Wins, taken, throw_against, value_of, ways
from bot.puzzles.puzzle import WINNING, Goal
from bot.words.teller import as_searched
from engine import State
from engine.budget import Budget

_DRAW: Final = 0.5


@dataclass(frozen=True, slots=True)
class Overlooked:
    """What a wrong turn overlooks: the key of a sentence, its parameters, and the turns that follow the wrong one."""

    key: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    line: tuple[tuple[str, ...], ...] = ()


def overlooked(before: State, goal: Goal, wrong: WholeTurn) -> Overlooked:
    """Return what a turn overlooks that does not reach the goal (what is left of it)."""
    seat = before.to_move or 0
    if goal.kind == "most":
        key = "puzzle.overlooked.fewer"
        return Overlooked(key, {"n": taken(before, wrong.actions), "most": goal.amount})
    if goal.kind == "safe":
        return _thrown(wrong.after, seat)
    if wrong.after.outcome is not None:
        key = "puzzle.overlooked.over"
        return Overlooked(key)
    if goal.turns == 0:
        return _valued(wrong.after, seat)
    if goal.kind not in WINNING:
        return _lost(wrong.after, goal.turns)
    if goal.turns == 1:
        key = "puzzle.overlooked.not-yet"
        return Overlooked(key)
    return _parried(wrong.after, seat, goal.turns - 1)


def _thrown(after: State, seat: int) -> Overlooked:
    found = throw_against(after, seat, Budget(proving.ENOUGH))
    if found is None:
        key = "puzzle.overlooked.over"
        return Overlooked(key)
    roll, capture = found
    dice = roll.text.partition(" ")[2]
    key = "puzzle.overlooked.thrown"
    return Overlooked(key, {"dice": dice, "move": capture.text}, ((roll.text, capture.text),))


def _valued(after: State, seat: int) -> Overlooked:
    """Return the answer that leaves the least."""
    budget = Budget(proving.ENOUGH)
    prover = after.game.prover
    settled = prover.settle(after, budget) if prover is not None and after.game.oracle is None else {}
    values: list[tuple[float, tuple[str, ...]]] = [
        (proof.values[seat], (action.text,)) for action, proof in settled.items()
    ]
    if not values:
        values = [(value, way.texts) for way in ways(after) if (value := value_of(way.after, seat, budget)) is not None]
    value, reply = min(values, key=lambda each: each[0])
    key = "puzzle.overlooked.loses" if value < _DRAW else "puzzle.overlooked.draws"
    return Overlooked(key, {"reply": _told(reply)}, (reply,))


def _lost(after: State, most: int) -> Overlooked:
    """Return how the other wins in the fewest turns."""
    for turns in range(1, most + 1):
        for way in proving.reaching(after, Goal("win", turns), Budget(proving.ENOUGH)):
            if way.reaches:
                key = "puzzle.overlooked.lost"
                return Overlooked(key, {"n": turns, "reply": _told(way.texts)}, (way.texts,))
    key = "puzzle.overlooked.over"
    return Overlooked(key)


def _parried(after: State, seat: int, turns: int) -> Overlooked:
    """Return the answer that wins for the other, or else the likeliest after which no win is left in so many turns."""
    wins = Wins(seat, Budget(proving.ENOUGH))
    first: WholeTurn | None = None
    for way in _likeliest(after):
        outcome = way.after.outcome
        if outcome is not None and outcome.winner == after.to_move:
            key = "puzzle.overlooked.lost"
            return Overlooked(key, {"n": 1, "reply": _told(way.texts)}, (way.texts,))
        if first is None and wins.after(way.after, turns) is False:
            first = way
    if first is None:
        key = "puzzle.overlooked.over"
        return Overlooked(key)
    key = "puzzle.overlooked.parried"
    return Overlooked(key, {"n": turns, "reply": _told(first.texts)}, (first.texts,))


def _likeliest(state: State) -> Iterator[WholeTurn]:
    """Yield the ways to play a turn, those first that begin as a search would."""
    places = {action: place for place, action in enumerate(as_searched(state))}
    yield from sorted(ways(state), key=lambda way: places.get(way.actions[0], len(places)))


def _told(texts: tuple[str, ...]) -> str:
    return " ".join(texts)
