"""Computer players: the choice of an action or a whole turn at a level, and the analysis of a position.

All inputs and outputs are picklable, and `think` takes and returns plain data, so that searches can run in worker
processes. With a seed and without a time limit everything is deterministic.
"""

import random
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from engine.budget import Budget
from engine.core import CHANCE, Action, Actions, GameOver, Position, State
from engine.games import games
from engine.search.alphabeta import AlphaBeta
from engine.search.policy import Level, Policy
from engine.search.result import (
    Judged,
    apply_known_values,
    list_known_actions,
    list_settled_actions,
    list_won_actions,
    pick,
    refute_losses,
)
from engine.search.tree import TreeSearch

LEVELS: Final = (1, 2, 3, 4, 5)
"""The levels, weakest first."""

FIRST_INFORMED_LEVEL: Final = 4
"""The first level that uses the game's oracle; the levels below are meant to be beatable."""

_EVEN_VALUE: Final = 0.5
_PROOF_SHARE: Final = 0.3
"""Share of the time for looking for a proof."""
_MAX_PROOF_POSITIONS: Final = 100_000
_CHECK_SHARE: Final = 0.25
"""Share of the time kept for checking what the search may have overlooked."""
_MAX_CHECKED: Final = 6
"""Maximum number of a search's best actions that are checked for the opponent's wins."""
_FIRST_ACTION_SHARE: Final = 0.8
_LATER_ACTION_SHARE: Final = 0.5
"""Share of the turn's remaining time for its first action, and for each later one."""


Memory: TypeAlias = AlphaBeta | TreeSearch
"""What a player remembers between the moves of one game: its search, with its tree or its table.

It only saves time: without it the same player plays as well, more slowly.
"""


class Player:
    """The computer as a player of one game."""

    def __init__(self, policy: Policy[Any]) -> None:
        self.policy = policy

    def level(self, number: int) -> Level:
        """Return a level's parameters in this game; ValueError for an unknown level."""
        if number not in LEVELS:
            raise ValueError(number)
        return self.policy.levels[number - 1]

    def memory(self) -> Memory:
        """Return an empty memory for one game."""
        return (AlphaBeta if self.policy.method == "alpha-beta" else TreeSearch)(self.policy)

    def choose(
        self,
        state: State,
        level: int,
        seed: int,
        *,
        seconds: float | None = None,
        effort: float = 1.0,
        memory: Memory | None = None,
    ) -> Action:
        """Return the action that a player of this level plays; GameOver or ValueError if no seat is on the move.

        `effort` scales the level's iterations, `seconds` end the search early.
        """
        strength = self.level(level)
        if effort != 1.0:
            strength = replace(strength, iterations=max(1, round(strength.iterations * effort)))
        actions = self._seat_actions(state)
        if len(actions) == 1:
            return actions[0]
        rng = random.Random(f"{seed} {state.turn} {level}")
        if strength.book and (known := self.policy.openings(state)):
            return known[rng.randrange(len(known))]
        budget = Budget(strength.iterations, seconds)
        judged = self._judged(
            state, budget, rng, memory or self.memory(), strength.noise, asking=level >= FIRST_INFORMED_LEVEL
        )
        return pick(judged, state.to_move or 0, strength.noise, rng)

    def turn(
        self,
        state: State,
        level: int,
        seed: int,
        *,
        seconds: float | None = None,
        effort: float = 1.0,
    ) -> Actions:
        """Return all actions of the turn up to its end, to the next roll or to the end of the game.

        The later actions use what the first search has found. `seconds` are for all of them: the first may take most
        of the time, each later one half of what is left.
        """
        memory = self.memory()
        seat, number, actions = state.to_move, state.turn, list[Action]()
        end = None if seconds is None else time.monotonic() + seconds
        share = _FIRST_ACTION_SHARE
        while not actions or (state.to_move == seat and state.turn == number):
            left = None if end is None else max(0.0, end - time.monotonic()) * share
            actions.append(self.choose(state, level, seed, seconds=left, effort=effort, memory=memory))
            state = state.advance(actions[-1])
            share = _LATER_ACTION_SHARE
        return tuple(actions)

    def analyse(
        self,
        state: State,
        budget: int,
        seed: int = 0,
        *,
        seconds: float | None = None,
        memory: Memory | None = None,
        clock: Callable[[], float] = time.monotonic,
        avoid: Collection[str] = (),
    ) -> tuple[Judged, ...]:
        """Return the actions of the seat on the move with the values per seat after them, the best first.

        What the game's oracle or its prover knows replaces estimates. `clock` counts the seconds. Actions
        to `avoid`, by text, are left out, unless all others lose for certain: then the budget is spent once more on all
        of them. GameOver or ValueError if no seat is on the move.
        """
        self._seat_actions(state)
        memory, seat = memory or self.memory(), state.to_move or 0
        for left_out in (frozenset(avoid), frozenset[str]()):
            rng = random.Random(f"{seed} {state.turn}")
            limit = Budget(budget, seconds, clock=clock)
            judged = self._judged(state, limit, rng, memory, exactly=True, asking=True, avoid=left_out)
            found = tuple(each for each in judged if each.action.text not in left_out)
            if found and not (found[0].proven and found[0].values[seat] == 0.0):
                return found
        return found

    def _seat_actions(self, state: State) -> Actions:
        if state.to_move is None:
            raise GameOver
        if state.to_move == CHANCE or not state.legal_actions():
            raise ValueError("chance is to move")
        return tuple(state.legal_actions())

    def _judged(
        self,
        state: State,
        budget: Budget,
        rng: random.Random,
        memory: Memory,
        noise: float = 0.0,
        exactly: bool = False,
        asking: bool = False,
        avoid: frozenset[str] = frozenset(),
    ) -> list[Judged]:
        seat = state.to_move or 0
        sure = list_known_actions(state) if asking else []
        if sure and sure[0].values[seat] != _EVEN_VALUE:
            return sure
        prover = state.game.prover if asking and not sure else None
        first: list[Judged] = []
        if prover is not None:
            proving = budget.part(min(_MAX_PROOF_POSITIONS, budget.most * prover.pace // 2), _PROOF_SHARE)
            sure = list_settled_actions(state, proving)
            if sure and (sure[0].expected or sure[0].values[seat] != _EVEN_VALUE):
                return sure
            first = [] if sure else list_won_actions(state, proving)
            if first and not exactly:
                return first
        whole = budget
        if prover is not None and prover.turns:
            budget = whole.part(whole.most, 1.0 - _CHECK_SHARE)
        if isinstance(memory, AlphaBeta):
            oracle = state.game.oracle if asking else None
            if oracle is not None and oracle.covers(state):
                oracle = None  # where it leaves a doubt here, it is the history's: that is for the search to follow
            judged = memory.judge(state, budget, noise, exactly, oracle, informed=asking)
        else:
            judged = memory.judge(state, budget, rng, exactly, informed=asking, avoid=avoid)
        if sure:
            # Among draws the search prefers those in which the other may go wrong.
            return _ranked(sure, judged)
        if first:
            winning = {each.action for each in first}
            return [*first, *(each for each in judged if each.action not in winning)]
        if prover is not None:
            checking = whole.part(min(_MAX_PROOF_POSITIONS, whole.most * prover.pace // 2))
            return refute_losses(state, judged, checking, _MAX_CHECKED)
        return apply_known_values(state, judged) if asking else judged


def _ranked(sure: Sequence[Judged], judged: Sequence[Judged]) -> list[Judged]:
    """Return proven actions; equal ones keep the order of a search."""
    place = {each.action: number for number, each in enumerate(judged)}
    best = sure[0].values
    drawn = sorted((each for each in sure if each.values == best), key=lambda each: place.get(each.action, len(place)))
    return [*drawn, *(each for each in sure if each.values != best)]


def think(position: Position, level: int, seed: int, seconds: float | None = None) -> tuple[str, ...]:
    """Return the canonical texts of the turn that a level plays in a position's JSON (for worker processes).

    InvalidPosition for a position that does not exist, otherwise as `Player.turn`.
    """
    from engine.search import players

    state = games[position["game"]].load(position)
    turn = players[state.game.key].turn(state, level, seed, seconds=seconds)
    return tuple(action.text for action in turn)


def assess(
    position: Position,
    iterations: int,
    seed: int = 0,
    seconds: float | None = None,
    avoid: Collection[str] = (),
) -> tuple[tuple[str, tuple[float, ...], int, bool, bool, int | None, int | None, bool], ...]:
    """Return text, values, visits and what is certain of what `Player.analyse` judges (for worker processes).

    InvalidPosition for a position that does not exist, otherwise as `Player.analyse`.
    """
    from engine.search import players

    state = games[position["game"]].load(position)
    judged = players[state.game.key].analyse(state, iterations, seed, seconds=seconds, avoid=avoid)
    return tuple(
        (each.action.text, each.values, each.visits, each.proven, each.known, each.turns, each.within, each.expected)
        for each in judged
    )
