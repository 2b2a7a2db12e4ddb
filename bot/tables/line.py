"""The line of play: what follows when somebody acts, chance and forced actions included."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine import CHANCE, Action, Game, State, Turn, turn_from_json
from engine.core import Random
from engine.turn import extended

Draws = Callable[[int], Random]
"""Returns the source of the n-th draw of a game, n from 1 (draw 0 is the lot for the seats)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action of the line: made by a player, by chance (its `draw`), or by the table for the player (`auto`)."""

    action: Action
    seat: int | None = None
    draw: int | None = None
    auto: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it as the data of an event."""
        data: dict[str, Any] = {"action": self.action.text}
        if self.seat is not None:
            data["seat"] = self.seat
        if self.draw is not None:
            data["draw"] = self.draw
        if self.auto:
            data["auto"] = True
        return data


@dataclass(frozen=True, slots=True)
class Line:
    """Where a game stands: its state, the last finished turn, the turn begun, and how often chance has acted.

    `begun` is None at the start of a turn; it may hold nothing but the dice that the turn starts with.
    """

    state: State
    finished: Turn | None = None
    begun: Turn | None = None
    draws: int = 0

    @property
    def shown(self) -> Turn | None:
        """The turn to show: the one begun as soon as its player has acted, the last one until then."""
        if self.begun is not None and (self.finished is None or self.acted):
            return self.begun
        return self.finished

    @property
    def acted(self) -> bool:
        """Whether the player to move has done something in this turn already."""
        return self.begun is not None and bool(self.begun.own)

    def to_json(self) -> dict[str, Any]:
        """Return what `read_line` needs besides the position."""
        return {
            "finished": self.finished.to_json() if self.finished else None,
            "begun": self.begun.to_json() if self.begun else None,
            "draws": self.draws,
        }


def read_line(game: Game, position: dict[str, Any], rest: dict[str, Any] | None) -> Line:
    """Return the line of a stored game; InvalidPosition if it is broken."""
    turns = [
        turn_from_json(game, data) if (data := (rest or {}).get(name)) is not None else None
        for name in ("finished", "begun")
    ]
    return Line(game.load(position), turns[0], turns[1], int((rest or {}).get("draws", 0)))


def opening(state: State, draws: Draws) -> tuple[Line, tuple[Step, ...]]:
    """Return the line of a game that starts, with what chance does before anybody can act."""
    return _run_on(Line(state), [], draws)


def played(line: Line, actions: Iterable[Action], draws: Draws) -> tuple[Line, tuple[Step, ...]]:
    """Return the line after actions, with every step taken; IllegalAction or GameOver as `State.play` raises them.

    Chance acts as soon as it is due. The only legal action in the middle of a turn is played by the table.
    """
    steps: list[Step] = []
    for action in actions:
        line = _run_on(line, steps, draws, forced=False)[0]
        seat = action.value if action.is_drop else line.state.to_move
        line = _after(line, action)
        steps.append(Step(action, seat))
    return _run_on(line, steps, draws)


def replayed(start: State, texts: Iterable[str]) -> Line:
    """Return the line that canonical texts lead to, chance included; the errors of `State.read` where one cannot be."""
    line = Line(start)
    for text in texts:
        line = followed(line, text)
    return line


def followed(line: Line, text: str) -> Line:
    """Return the line after one canonical text; the errors of `State.read` where it cannot be."""
    action = line.state.read(text)
    chance = line.state.to_move == CHANCE and not action.is_drop
    line = _after(line, action)
    return replace(line, draws=line.draws + 1) if chance else line


def _run_on(line: Line, steps: list[Step], draws: Draws, *, forced: bool = True) -> tuple[Line, tuple[Step, ...]]:
    while True:
        if line.state.to_move == CHANCE:
            number = line.draws + 1
            action = line.state.sample_chance(draws(number))
            line = replace(_after(line, action), draws=number)
            steps.append(Step(action, draw=number))
        elif forced and line.acted and line.state.to_move is not None and len(line.state.legal_actions()) == 1:
            action = line.state.legal_actions()[0]
            steps.append(Step(action, line.state.to_move, auto=True))
            line = _after(line, action)
        else:
            return line, tuple(steps)


def _after(line: Line, action: Action) -> Line:
    before = line.state
    state = before.play(action)
    turn = extended(line.begun, before, action)
    if state.to_move is None or state.turn != before.turn:
        return replace(line, state=state, finished=turn, begun=None)
    return replace(line, state=state, begun=turn)
