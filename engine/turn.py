"""One turn as people look back on it: who played what from which position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.core import CHANCE, Action, EngineError, Game, InvalidPosition, State


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
    def own(self) -> tuple[Action, ...]:
        """What its player did: the actions without those of chance and without anybody's leaving."""
        return tuple(action for action in self.actions if self.before.game.facts.by_player(action))

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


def turns(start: State, actions: Iterable[Action]) -> Iterator[Turn]:
    """Group actions from a state on into turns, the last one perhaps unfinished; errors as `State.play` raises them."""
    turn, state = None, start
    for action in actions:
        turn, after = extended(turn, state, action), state.play(action)
        if after.to_move is None or after.turn != state.turn:
            yield turn
            turn = None
        state = after
    if turn is not None:
        yield turn


def extended(turn: Turn | None, state: State, action: Action) -> Turn:
    """Return the turn under way (None where it only begins) with the next action, taken in `state`."""
    if turn is None:
        turn = Turn(state.turn + 1, CHANCE, (), state)
    seat = turn.seat
    if state.to_move != CHANCE and state.to_move is not None and not action.is_drop:
        seat = state.to_move
    elif action.is_drop and seat == CHANCE:
        seat = action.value
    return Turn(turn.number, seat, (*turn.actions, action), turn.before)


def turn_from_json(game: Game, data: Mapping[str, Any]) -> Turn:
    """Return the turn that `Turn.to_json` wrote; InvalidPosition if it is broken."""
    try:
        number, seat, texts = data["number"], data["seat"], data["actions"]
        before = game.load(data["before"])
        actions = []
        state = before
        for text in texts:
            action = state.read(text)
            actions.append(action)
            state = state.advance(action)
    except (KeyError, TypeError, AttributeError, EngineError) as error:
        raise InvalidPosition("broken-turn") from error
    if type(number) is not int or type(seat) is not int:
        raise InvalidPosition("broken-turn")
    return Turn(number, seat, tuple(actions), before)
