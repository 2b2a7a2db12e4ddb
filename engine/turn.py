"""One turn as people look back on it: who played what from which position."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from engine.core import CHANCE, Action, Actions, EngineError, Game, InvalidPosition, Json, Position, State


@dataclass(frozen=True)
class Turn:
    """The actions of one turn, its dice first, and the state before them; perhaps still unfinished.

    `number` counts turns from 1; `seat` is whose turn it is (CHANCE for chance alone, as a deal).
    """

    number: int
    seat: int
    actions: Actions
    before: State

    @cached_property
    def own(self) -> Actions:
        """What its player did: the actions without those of chance and without a seat's leaving."""
        return tuple(action for action in self.actions if self.before.game.facts.by_player(action))

    @cached_property
    def after(self) -> State:
        """The state that the actions lead to."""
        state = self.before
        for action in self.actions:
            state = state.play(action)
        return state

    @cached_property
    def json_before(self) -> Json:
        """The position before the actions as plain data; no one may change it."""
        return self.before.to_json()

    @cached_property
    def json_after(self) -> Json:
        """The position that the actions lead to as plain data; no one may change it."""
        return self.after.to_json()

    def leads_to(self, state: State) -> bool:
        """Return True if this very object is known to be the state after the actions."""
        return self.__dict__.get("after") is state

    def to_json(self, *, history: bool = True) -> Json:
        """Return the turn as plain data that `turn_from_json` reads back.

        Without the `history` of the position before it, no repetition is found in the position after it.
        """
        return {
            "number": self.number,
            "seat": self.seat,
            "actions": [action.text for action in self.actions],
            "before": self.json_before if history else without_history(self.json_before),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return Turn, (self.number, self.seat, self.actions, self.before)


Turns: TypeAlias = tuple[Turn, ...]
"""Turns in order."""


def group_turns(start: State, actions: Iterable[Action]) -> Iterator[Turn]:
    """Group actions from a state on into turns, the last one perhaps unfinished; errors as `State.play` raises them."""
    turn, state = None, start
    for action in actions:
        after = state.play(action)
        turn = extend_turn(turn, state, action, after)
        if after.to_move is None or after.turn != state.turn:
            yield turn
            turn = None
        state = after
    if turn is not None:
        yield turn


def begin_turn(state: State, position: Json | None = None) -> Turn:
    """Return a turn without actions yet; `position` is the state as plain data, if that has been made already."""
    turn = Turn(state.turn + 1, CHANCE, (), state)
    if position is not None:
        turn.__dict__["json_before"] = position
    return turn


def extend_turn(turn: Turn | None, state: State, action: Action, after: State | None = None) -> Turn:
    """Return the turn under way (None where it only begins) with the next action, taken in `state`.

    `after` is the state that the action leads to, if that is known already.
    """
    turn = turn or begin_turn(state)
    seat = turn.seat
    if state.to_move != CHANCE and state.to_move is not None and not action.is_drop:
        seat = state.to_move
    elif action.is_drop and seat == CHANCE:
        seat = action.value
    extended = Turn(turn.number, seat, (*turn.actions, action), turn.before)
    # A long game's history takes long to write, and actions to be played again.
    if after is not None:
        extended.__dict__["after"] = after
    if "json_before" in turn.__dict__:
        extended.__dict__["json_before"] = turn.json_before
    return extended


def turn_from_json(game: Game, data: Mapping[str, Any]) -> Turn:
    """Return the turn that `Turn.to_json` wrote; InvalidPosition if it is broken."""
    try:
        return _read(data, game.load(data["before"]))[0]
    except (KeyError, TypeError, AttributeError, EngineError) as error:
        raise InvalidPosition("broken-turn") from error


def turns_to_json(following: Sequence[Turn]) -> Json:
    """Return turns that follow each other, one at least, as plain data that `turns_from_json` reads back.

    The history of the first position is left out: nothing that has been played since depends on it.
    """
    played = [
        {"number": turn.number, "seat": turn.seat, "actions": [action.text for action in turn.actions]}
        for turn in following
    ]
    return {"before": without_history(following[0].json_before), "turns": played}


def without_history(position: Position) -> Json:
    """Return a position as plain data without its repetition history."""
    extra = {name: value for name, value in position.get("extra", {}).items() if name != "history"}
    return {**position, "extra": extra}


def turns_from_json(game: Game, data: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Return the turns that `turns_to_json` wrote; InvalidPosition if they are broken."""
    found: list[Turn] = []
    try:
        state = game.load(data["before"])
        for each in data["turns"]:
            turn, state = _read(each, state)
            found.append(turn)
    except (KeyError, TypeError, AttributeError, EngineError) as error:
        raise InvalidPosition("broken-turn") from error
    return tuple(found)


def _read(data: Mapping[str, Any], before: State) -> tuple[Turn, State]:
    """Return a turn from its plain data, and the state that it leads to."""
    number, seat = data["number"], data["seat"]
    if type(number) is not int or type(seat) is not int:
        raise InvalidPosition("broken-turn")
    actions, state = [], before
    for text in data["actions"]:
        actions.append(state.read(text))
        state = state.advance(actions[-1])
    return Turn(number, seat, tuple(actions), before), state
