"""One turn as people look back on it: who played what from which position."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
    def own(self) -> tuple[Action, ...]:
        """What its player did: the actions without those of chance and without anybody's leaving."""
        return tuple(action for action in self.actions if self.before.game.facts.by_player(action))

    @cached_property
    def after(self) -> State:
        """The state that the actions lead to."""
        state = self.before
        for action in self.actions:
            state = state.play(action)
        return state

    @cached_property
    def json_before(self) -> Mapping[str, Any]:
        """The position before the actions as plain data."""
        return self.before.to_json()

    @cached_property
    def json_after(self) -> Mapping[str, Any]:
        """The position that the actions lead to as plain data."""
        return self.after.to_json()

    def to_json(self) -> dict[str, Any]:
        """Return the turn as plain data that `turn_from_json` reads back."""
        return {
            "number": self.number,
            "seat": self.seat,
            "actions": [action.text for action in self.actions],
            "before": self.json_before,
        }


def group_turns(start: State, actions: Iterable[Action]) -> Iterator[Turn]:
    """Group actions from a state on into turns, the last one perhaps unfinished; errors as `State.play` raises them."""
    turn, state = None, start
    for action in actions:
        turn, after = extend_turn(turn, state, action), state.play(action)
        if after.to_move is None or after.turn != state.turn:
            yield turn
            turn = None
        state = after
    if turn is not None:
        yield turn


def extend_turn(turn: Turn | None, state: State, action: Action) -> Turn:
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
        return _read(data, game.load(data["before"]))[0]
    except (KeyError, TypeError, AttributeError, EngineError) as error:
        raise InvalidPosition("broken-turn") from error


def turns_to_json(following: Sequence[Turn]) -> dict[str, Any]:
    """Return turns that follow each other, one at least, as plain data that `turns_from_json` reads back.

    The history of the first position is left out: nothing that has been played since depends on it.
    """
    played = [
        {"number": turn.number, "seat": turn.seat, "actions": [action.text for action in turn.actions]}
        for turn in following
    ]
    before = following[0].json_before
    extra = {name: value for name, value in before.get("extra", {}).items() if name != "history"}
    return {"before": {**before, "extra": extra}, "turns": played}


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
