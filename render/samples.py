"""Positions to look at: seeded games with their last turns and choices, for palettes, galleries and tests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from engine.core import CHANCE, Action, Game, State
from engine.turn import Turn
from render.marks import Choices, Target
from render.scene import Scene

NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena")
_LONGEST = 600


def playout(game: Game, seed: int, seats: int, options: dict[str, str | int]) -> Iterator[tuple[State, Turn | None]]:
    """Yield every state of a random game with the turn that led to it (unfinished in the middle of a turn)."""
    rng = Random(seed)
    state = game.start(seats, options)
    yield state, None
    before, actions = state, list[Action]()
    while state.to_move is not None and state.turn < _LONGEST:
        if actions and state.turn != before.turn:
            before, actions = state, []
        seat = state.to_move
        action = state.random_action(rng)
        actions.append(action)
        state = state.advance(action)
        number = before.turn + 1
        mover = next((s for s in (seat, before.to_move) if s not in (CHANCE, None)), CHANCE)
        yield state, Turn(number, mover if mover is not None else CHANCE, tuple(actions), before)


def choices_of(state: State, seed: int = 0) -> Choices | None:
    """Return what a player might be shown to choose from: a piece that can act and where it can go, numbered."""
    if state.to_move is None or state.to_move == CHANCE:
        return None
    actions = state.legal_actions()
    sources = sorted({action.source for action in actions if action.source})
    chosen = Random(seed).choice(sources) if sources else None
    targets: dict[str, bool] = {}
    for action in actions:
        if action.target and (action.source == chosen or not sources):
            targets[action.target] = targets.get(action.target, False) or "capture" in action.verb
    ordered = sorted(targets, key=lambda cell: (not targets[cell], cell[0], int(cell[1:])))
    return Choices(
        movable=tuple(sources),
        chosen=chosen,
        targets=tuple(Target(cell, targets[cell], str(number)) for number, cell in enumerate(ordered, 1)),
    )


def variants(game: Game) -> list[tuple[int, dict[str, str | int]]]:
    """Return each number of seats with each combination of options."""
    names = list(game.options)
    combinations = product(*(game.options[name].values for name in names))
    options = [dict(zip(names, values, strict=True)) for values in combinations]
    return [(seats, chosen) for seats in game.seats for chosen in options]


def scenes(game: Game, theme: str, most: int = 24) -> list[Scene]:
    """Return some scenes that show the whole range of a game: all variants, stages, last turns and choices."""
    result = []
    each = variants(game)
    rounds = max(1, most // len(each))
    for number, (seats, options) in enumerate(each):
        line = list(playout(game, number, seats, options))
        for part in range(rounds):
            at = (len(line) - 1) * (part + 1) // rounds if number % 2 else len(line) * part // rounds
            state, turn = line[at]
            choices = choices_of(state, part) if part % 2 else None
            viewer = (number + part) % seats
            result.append(Scene.of(state, turn, viewer, choices, NAMES[:seats], theme))
    return result
