"""A turn to be explained: what it did, and what each side could do next."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from bot.language.texts import Parameter, Span, Speaker, Text
from bot.words import words
from bot.words.lines import typed_form
from engine import Action, State, Turn
from engine.core import InvalidPosition
from engine.search import Judged

MAX_POSITIONS: Final = 1500
"""Maximum number of positions within a turn that a look-ahead visits; the first actions are always searched completely.
"""

OF_WIN, OF_THREAT, OF_CAPTURE, OF_GOAL, OF_RESCUE = 100, 85, 80, 75, 70
OF_PLAN, OF_SAFETY, OF_STEP, OF_LAST = 60, 30, 20, 5
"""Weights of reasons: the two weightiest are told."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A purpose of a turn, as the predicate of a sentence; a `late` one comes after the others."""

    weight: int
    text: Text
    late: bool = False


@dataclass(frozen=True, slots=True)
class Outlook:
    """Options of a seat for one turn: the winning lines of play, and the cells it could take, with owners."""

    wins: tuple[tuple[Action, ...], ...]
    takes: frozenset[tuple[int, str]]

    def from_seat(self, seat: int) -> frozenset[str]:
        """Return the cells that could be captured from a seat."""
        return frozenset(cell for owner, cell in self.takes if owner == seat)


@dataclass(frozen=True)
class Candidate:
    """A turn, or the rest of one: the seat to move in `before` plays the `actions`.

    `speaker` knows the game; `judged` is a search's judgement of the first action and its alternatives, best first, and
    may be empty.
    """

    speaker: Speaker
    before: State
    actions: tuple[Action, ...]
    names: Sequence[Span | str]
    judged: Sequence[Judged] = ()

    @property
    def seat(self) -> int:
        """The seat that acts."""
        return self.before.to_move or 0

    @cached_property
    def turn(self) -> Turn:
        """The actions as a turn."""
        return Turn(self.before.turn + 1, self.seat, self.actions, self.before)

    @cached_property
    def after(self) -> State:
        """The state after the actions."""
        return self.turn.after

    @cached_property
    def position(self) -> dict[str, Any]:
        """The JSON of the position before."""
        return self.before.to_json()

    @cached_property
    def then(self) -> dict[str, Any]:
        """The JSON of the position after."""
        return self.after.to_json()

    @cached_property
    def rivals(self) -> tuple[int, ...]:
        """The other seats still playing."""
        return tuple(seat for seat in range(self.before.seats) if seat != self.seat and self.before.is_playing(seat))

    @cached_property
    def taken(self) -> dict[int, list[str]]:
        """The cells that the turn captures, by the seat they belonged to."""
        return {seat: cells for seat, cells in words[self.before.game.key].captured(self.turn).items() if cells}

    @cached_property
    def now(self) -> Outlook | None:
        """Options of the seat in this turn."""
        return foresee_turn(self.before, self.seat)

    @cached_property
    def next(self) -> Outlook | None:
        """Options of the seat in a second turn in a row."""
        return foresee_turn(self.after, self.seat)

    @cached_property
    def feared(self) -> dict[int, Outlook]:
        """Options of each rival if the seat did nothing."""
        return {seat: found for seat in self.rivals if (found := foresee_turn(self.before, seat)) is not None}

    @cached_property
    def left(self) -> dict[int, Outlook]:
        """Options of each rival after the turn, if it were the rival's turn."""
        return {seat: found for seat in self.rivals if (found := foresee_turn(self.after, seat)) is not None}

    def say(self, key: str, /, **parameters: Parameter) -> Text:
        """Return the words for a key."""
        return self.speaker.say(key, **parameters)

    def reason(self, key: str, weight: int, /, **parameters: Parameter) -> Reason:
        """Return a reason in the words for a key."""
        return Reason(weight, self.say(key, **parameters))

    def of_cells(self, key: str, weight: int, cells: Iterable[str], /, **parameters: Parameter) -> Reason:
        """Return a reason about at least one cell: `n` and `cells` stand for them in the words."""
        listed = sorted(cells, key=self.before.topology.index.__getitem__)
        return self.reason(key, weight, n=len(listed), cells=", ".join(listed), **parameters)

    def who(self, seats: Iterable[int]) -> Text:
        """Return the names of seats."""
        return self.speaker.listing([self.names[seat] for seat in seats])

    def move(self, actions: Sequence[Action]) -> Span:
        """Return actions in notation."""
        return Span(" ".join(typed_form(self.speaker, action) for action in actions), code=True)

    @property
    def path(self) -> tuple[str | None, str | None]:
        """Start and end cells of the acting piece."""
        sources = [action.source for action in self.actions if action.source]
        targets = [action.target for action in self.actions if action.target]
        return (sources[0] if sources else None, targets[-1] if targets else None)


def foresee_turn(state: State, seat: int) -> Outlook | None:
    """Return what a seat could do in one turn if it were to move; None if that is no possible position."""
    start = on_move(state, seat)
    if start is None:
        return None
    captured = words[state.game.key].captured
    wins, takes = [], set[tuple[int, str]]()
    for actions, after in list_turn_lines(start):
        if after.outcome is not None and after.outcome.winner == seat:
            wins.append(actions)
        for owner, cells in captured(Turn(start.turn + 1, seat, actions, start)).items():
            takes |= {(owner, cell) for cell in cells if owner != seat}
    return Outlook(tuple(wins), frozenset(takes))


def on_move(state: State, seat: int) -> State | None:
    """Return the position with a seat to move, None if there is no such position."""
    if state.outcome is not None:
        return None
    if state.to_move == seat:
        return state
    position = {name: value for name, value in state.to_json().items() if name != "extra"}
    try:
        found = state.game.load({**position, "to_move": seat})
    except InvalidPosition:
        return None
    return found if found.outcome is None else None


def list_turn_lines(start: State) -> Iterator[tuple[tuple[Action, ...], State]]:
    """Yield the ways to play the next turn, short ones first, unfinished ones included."""
    queue: list[tuple[tuple[Action, ...], State]] = [((), start)]
    looked_at = 0
    for actions, state in queue:
        if actions:
            yield actions, state
        if state.to_move != start.to_move or state.turn != start.turn or looked_at > MAX_POSITIONS:
            continue
        for action in state.legal_actions():
            looked_at += 1
            queue.append(((*actions, action), state.advance(action)))


def always_false(_case: Candidate) -> bool:
    """Return False: nothing of the kind can be foreseen in the game."""
    return False


@dataclass(frozen=True)
class GameReasons:
    """Explanation of one game's turns: by its own reasons, and by those common ones that make sense there.

    `foresees`: True if wins one turn ahead can be seen on the board; `takes`: True if captures can, too. Both are False
    if dice come between turns; if nothing is ever captured, captures are not mentioned. `concedes`: what a turn gives
    the others by the game's own rules, in whole sentences.
    """

    own: Callable[[Candidate], Iterable[Reason]]
    foresees: Callable[[Candidate], bool] = lambda case: not case.before.game.facts.rolls
    takes: Callable[[Candidate], bool] = lambda case: case.before.game.facts.takes and not case.before.game.facts.rolls
    concedes: Callable[[Candidate], Iterable[Text]] = lambda _: ()
