"""Positions to look at: seeded games with their last turns and choices, for palettes, the gallery and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Final

from engine.core import CHANCE, Action, Game, State
from engine.games import games
from engine.turn import Turn, turn_from_json
from render import Drawing, draw
from render.scene import Choices, Hint, HintStep, Target

NAMES: Final = ("Anna", "Bruno", "Carla", "Dario", "Elena")
_MAX_ACTIONS: Final = 600


def random_playout(
    game: Game,
    seed: int,
    seats: int,
    options: Mapping[str, str | int],
    longest: int = _MAX_ACTIONS,
    choose: Callable[[State, Random], Action] = lambda state, rng: state.random_action(rng),
) -> Iterator[tuple[State, Turn | None]]:
    """Yield every state of a random game with the turn that led to it (unfinished in the middle of a turn).

    A game that has not ended after `longest` turns is left there. `choose` says what is played.
    """
    rng = Random(seed)
    state = game.start(seats, options)
    yield state, None
    before, actions = state, list[Action]()
    while state.to_move is not None and state.turn < longest:
        if actions and state.turn != before.turn:
            before, actions = state, []
        seat = state.to_move
        action = choose(state, rng)
        actions.append(action)
        state = state.advance(action)
        mover = next((s for s in (seat, before.to_move) if s not in (CHANCE, None)), CHANCE)
        yield state, Turn(before.turn + 1, mover if mover is not None else CHANCE, tuple(actions), before)


def choices_of(state: State, seed: int = 0) -> Choices | None:
    """Return what a player might be shown to choose from: a piece that can act and where it can go, numbered."""
    if state.to_move is None or state.to_move == CHANCE:
        return None
    rng = Random(seed)
    actions, facts = state.legal_actions(), state.game.facts
    kind = rng.choice(sorted({facts.kind_of(action) for action in actions}))
    actions = [action for action in actions if facts.kind_of(action) == kind]
    sources = sorted({action.source for action in actions if action.source})
    chosen = rng.choice(sources) if sources else None
    targets: dict[str, bool] = {}
    capturing = state.find_captures(actions)
    for action in actions:
        if action.target and action.source == chosen:
            targets[action.target] = targets.get(action.target, False) or action in capturing
    ordered = sorted(in_order(state, targets), key=lambda cell: not targets[cell])[:25]
    return Choices(
        movable=tuple(sources),
        chosen=chosen,
        targets=tuple(Target(cell, targets[cell], str(number)) for number, cell in enumerate(ordered, 1)),
        kind=kind,
    )


def in_order(state: State, cells: Iterable[str]) -> list[str]:
    """Return cells in the order of the board, those beside it last."""
    index = state.topology.index
    return sorted(cells, key=lambda cell: (index.get(cell, len(index)), cell))


def list_variants(game: Game) -> list[tuple[int, dict[str, str | int]]]:
    """Return each number of seats with each combination of options."""
    names = list(game.options)
    combinations = product(*(game.options[name].values for name in names))
    options = [dict(zip(names, values, strict=True)) for values in combinations]
    return [(seats, chosen) for seats in game.seats for chosen in options]


@dataclass(frozen=True)
class Sample:
    """A position to keep: all that `draw` takes but the theme, with a name."""

    name: str
    state: State
    turn: Turn | None
    viewer: int
    choices: Choices | None
    names: tuple[str, ...]

    def arguments(self) -> dict[str, Any]:
        """Return what `draw` takes by name."""
        return {"last_turn": self.turn, "viewer": self.viewer, "choices": self.choices, "names": self.names}

    def to_json(self) -> dict[str, Any]:
        """Return the sample as plain data that `from_json` reads, without counters and history."""
        marks = self.choices and {
            "movable": list(self.choices.movable),
            "chosen": self.choices.chosen,
            "targets": [[target.cell, target.capture, target.label] for target in self.choices.targets],
            "kind": self.choices.kind,
            "numbers": [list(each) for each in self.choices.numbers],
        }
        return {
            "name": self.name,
            "position": bare(self.state.to_json()),
            "turn": self.turn and {**self.turn.to_json(), "before": bare(self.turn.before.to_json())},
            "viewer": self.viewer,
            "choices": marks,
            "names": list(self.names),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sample:
        """Return the sample that `to_json` wrote."""
        game = games[data["position"]["game"]]
        marks = data["choices"]
        choices = marks and Choices(
            tuple(marks["movable"]),
            marks["chosen"],
            tuple(Target(cell, capture, label) for cell, capture, label in marks["targets"]),
            marks["kind"],
            tuple((cell, number) for cell, number in marks["numbers"]),
        )
        turn = data["turn"] and turn_from_json(game, data["turn"])
        return cls(data["name"], game.load(data["position"]), turn, data["viewer"], choices, tuple(data["names"]))


@dataclass(frozen=True)
class Suggestion:
    """A position with a suggested turn, drawn in one theme for the seat on the move."""

    name: str
    state: State
    hint: Hint
    theme: str

    def drawn(self) -> Drawing:
        names = NAMES[: self.state.seats]
        return draw(self.state, viewer=self.state.to_move, names=names, theme=self.theme, hint=self.hint)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data that `from_json` reads, without counters and history."""
        steps = [[step.target, step.source, step.capture, step.label] for step in self.hint.steps]
        hint = {"kind": self.hint.kind, "steps": steps}
        return {"name": self.name, "position": bare(self.state.to_json()), "theme": self.theme, "hint": hint}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Suggestion:
        """Return what `to_json` wrote."""
        steps = tuple(HintStep(*step) for step in data["hint"]["steps"])
        state = games[data["position"]["game"]].load(data["position"])
        return cls(data["name"], state, Hint(steps, data["hint"]["kind"]), data["theme"])


def bare(position: dict[str, Any]) -> dict[str, Any]:
    """Return a position as JSON without counters and history."""
    return {key: value for key, value in position.items() if key != "extra"}
