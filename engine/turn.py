"""One turn as people look back on it: who played what from which position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.core import Action, Game, InvalidPosition, State


@dataclass(frozen=True)
class Turn:
    """The actions of one turn, its dice first, and the state before them; perhaps still unfinished.

    `number` counts turns from 1; `seat` is whose turn it is (CHANCE for chance alone, as a deal).
    """

    number: int
    seat: int
    actions: tuple[Action, ...]
    before: State

    @property
    def after(self) -> State:
        """The state that the actions lead to."""
        state = self.before
        for action in self.actions:
            state = state.play(action)
        return state

    def to_json(self) -> dict[str, Any]:
        """Return the turn as plain data that `turn_from_json` reads back."""
        return {
            "number": self.number,
            "seat": self.seat,
            "actions": [action.text for action in self.actions],
            "before": self.before.to_json(),
        }


def turn_from_json(game: Game, data: Mapping[str, Any]) -> Turn:
    """Return the turn that `Turn.to_json` wrote; InvalidPosition or an action's error if it is broken."""
    try:
        number, seat, texts = data["number"], data["seat"], data["actions"]
        before = game.load(data["before"])
    except (KeyError, TypeError) as error:
        raise InvalidPosition("broken-turn") from error
    actions = []
    state = before
    for text in texts:
        action = state.read(text)
        actions.append(action)
        state = state.advance(action)
    return Turn(number, seat, tuple(actions), before)
