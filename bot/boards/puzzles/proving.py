"""Proving the turns that reach a puzzle's goal: by a game's oracle or prover, or by a search of every reply."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bot.boards.puzzles.puzzle import WINNING_GOALS, Goal, TurnTexts
from bot.kernel.texts import Parameter
from bot.kernel.words.describe import find_captured
from bot.kernel.words.teller import search_order
from engine import CHANCE, Action, State
from engine.budget import Budget
from engine.core import Actions
from engine.prover import Proof
from engine.search.result import winning_turns
from engine.winning import WinProver

MAX_POSITIONS: Final = 3_000_000
"""Maximum number of positions of a proof."""
_DRAW_VALUE: Final = 0.5


@dataclass(frozen=True, slots=True)
class WholeTurn:
    """One way to play a turn, and the state after it; `reaches` is None if it is not proven."""

    actions: Actions
    after: State
    reaches: bool | None = None

    @property
    def texts(self) -> TurnTexts:
        """The canonical texts of the actions."""
        return tuple(action.text for action in self.actions)


def whole_turns(state: State) -> Iterator[WholeTurn]:
    """Yield every way to play the turn of the seat to move, the shortest first.

    Orders of the same actions that lead to the same position count once.
    """
    queue: list[WholeTurn] = [WholeTurn((), state)]
    seen = set()
    for begun in queue:
        for action in begun.after.legal_actions():
            after = begun.after.advance(action)
            if (key := after.key()) in seen:
                continue
            seen.add(key)
            way = WholeTurn((*begun.actions, action), after)
            if is_over(state, after):
                yield way
            else:
                queue.append(way)


def is_over(before: State, after: State) -> bool:
    """Return True if the current turn has ended."""
    return after.to_move is None or after.to_move == CHANCE or after.turn != before.turn


def proven_ways(state: State, goal: Goal, budget: Budget) -> Iterator[WholeTurn]:
    """Yield every way to play the turn of the seat to move, as soon as it is known whether it reaches the goal."""
    seat = state.to_move or 0
    if goal.kind == "most":
        yield from _by_amount(state, budget)
    elif goal.kind == "safe":
        for way in whole_turns(state):
            yield replace(way, reaches=capturing_throw(way.after, seat, budget) is None)
    elif goal.turns == 0:
        yield from _by_value(state, seat, 1.0 if goal.kind in WINNING_GOALS else _DRAW_VALUE, budget)
    elif goal.kind in WINNING_GOALS:
        yield from _winning(state, seat, goal.turns, budget)
    else:
        wins = WinProver(1 - seat, budget)
        for way in whole_turns(state):
            lost = wins.is_won(way.after, goal.turns)
            yield replace(way, reaches=None if lost is None else not lost)


def _winning(state: State, seat: int, turns: int, budget: Budget) -> Iterator[WholeTurn]:
    prover = state.game.prover
    if prover is None or not prover.turns or not prover.covers(state):
        wins = WinProver(seat, budget)
        for way in whole_turns(state):
            yield replace(way, reaches=wins.is_won(way.after, turns - 1))
        return
    for actions, won in winning_turns(state, turns, budget):
        after = state
        for action in actions:
            after = after.advance(action)
        yield WholeTurn(actions, after, won)


def value_of(state: State, seat: int, budget: Budget) -> float | None:
    """Return the value for a seat under best play, by the oracle or the prover; None if neither knows it."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return _DRAW_VALUE if winner is None else float(winner == seat)
    oracle = state.game.oracle
    if oracle is not None and oracle.covers(state):
        verdict = oracle.probe(state)
        return None if verdict is None else verdict.values[seat]
    prover = state.game.prover
    if prover is None or not prover.covers(state):
        return None
    settled = prover.settle(state, budget).values()
    if not settled or any(proof.expected for proof in settled):
        return None
    mover = state.to_move or 0
    return max(settled, key=lambda proof: proof.values[mover]).values[seat]


def _settle(state: State, budget: Budget) -> Mapping[Action, Proof]:
    """Return the proofs of all legal actions by the game's prover; empty without one, or with an oracle."""
    prover = state.game.prover
    return prover.settle(state, budget) if state.game.oracle is None and prover is not None else {}


def _by_value(state: State, seat: int, wanted: float, budget: Budget) -> Iterator[WholeTurn]:
    settled = _settle(state, budget)
    whole = all(is_over(state, state.advance(action)) and not proof.expected for action, proof in settled.items())
    if settled and whole:
        for each, proof in settled.items():
            yield WholeTurn((each,), state.advance(each), proof.values[seat] >= wanted)
        return
    for way in whole_turns(state):
        budget.spend()
        value = value_of(way.after, seat, budget)
        yield replace(way, reaches=None if value is None else value >= wanted)


def captured_count(before: State, actions: Sequence[Action]) -> int:
    """Return the number of opponents' pieces that a turn captures."""
    lost = find_captured(before, actions)
    return sum(len(cells) for whose, cells in lost.items() if whose != before.to_move)


def _by_amount(state: State, budget: Budget) -> list[WholeTurn]:
    found = list(whole_turns(state))
    amounts = [captured_count(state, way.actions) for way in found]
    for _ in found:
        budget.spend()
    most = max(amounts)
    return [replace(way, reaches=amount == most and amount > 0) for way, amount in zip(found, amounts, strict=True)]


def capturing_throw(state: State, seat: int, budget: Budget) -> tuple[Action, Action] | None:
    """Return the likeliest throw that allows a capture of the seat's pieces, with the capture; None without one."""
    if state.to_move != CHANCE:
        return None
    for roll, _ in sorted(state.chance_outcomes(), key=lambda each: -each[1]):
        budget.spend()
        thrown = state.advance(roll)
        for action in thrown.legal_actions():
            is_capture = state.game.facts.is_capture(action) and thrown.to_move != seat
            if is_capture and seat in find_captured(thrown, (action,)):
                return roll, action
    return None


@dataclass(frozen=True, slots=True)
class PuzzleSentence:
    """The key of a sentence and its parameters: `n` chooses the plural, a tuple is a turn, shown as text."""

    key: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refutation(PuzzleSentence):
    """The sentence about what a wrong turn overlooks, and the reply that shows it."""

    reply: TurnTexts = ()


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
    found = capturing_throw(after, seat, Budget(MAX_POSITIONS))
    if found is None:
        return Refutation("puzzle.overlooked.over")
    roll, capture = found
    dice = roll.text.partition(" ")[2]
    return Refutation("puzzle.overlooked.thrown", {"dice": dice, "move": (capture.text,)}, (roll.text, capture.text))


def _valued(after: State, seat: int) -> Refutation:
    """Return the reply that leaves the solver the lowest value."""
    budget = Budget(MAX_POSITIONS)
    settled = _settle(after, budget)
    values: list[tuple[float, TurnTexts]] = [(proof.values[seat], (action.text,)) for action, proof in settled.items()]
    values = values or [
        (value, way.texts) for way in whole_turns(after) if (value := value_of(way.after, seat, budget)) is not None
    ]
    value, reply = min(values, key=lambda each: each[0])
    key = "puzzle.overlooked.loses" if value < _DRAW_VALUE else "puzzle.overlooked.draws"
    return Refutation(key, {"reply": reply}, reply)


def _fastest_loss(after: State, most: int) -> Refutation:
    """Return the opponent's fastest win."""
    for turns in range(1, most + 1):
        for way in proven_ways(after, Goal("win", turns), Budget(MAX_POSITIONS)):
            if way.reaches:
                return Refutation("puzzle.overlooked.lost", {"n": turns, "reply": way.texts}, way.texts)
    return Refutation("puzzle.overlooked.over")


def _best_parry(after: State, seat: int, turns: int) -> Refutation:
    """Return a reply that wins for the opponent, otherwise the likeliest one that prevents a win in time."""
    wins = WinProver(seat, Budget(MAX_POSITIONS))
    first: WholeTurn | None = None
    for way in _likeliest(after):
        outcome = way.after.outcome
        if outcome is not None and outcome.winner == after.to_move:
            return Refutation("puzzle.overlooked.lost", {"n": 1, "reply": way.texts}, way.texts)
        if first is None and wins.is_won(way.after, turns) is False:
            first = way
    if first is None:
        return Refutation("puzzle.overlooked.over")
    return Refutation("puzzle.overlooked.parried", {"n": turns, "reply": first.texts}, first.texts)


def _likeliest(state: State) -> Iterator[WholeTurn]:
    """Yield the ways to play a turn, in the move order of the search."""
    places = {action: place for place, action in enumerate(search_order(state))}
    yield from sorted(whole_turns(state), key=lambda way: places.get(way.actions[0], len(places)))
