"""A turn to explain: its effects, and what each side could do next."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bot.kernel.line import position_without_history
from bot.kernel.texts import Parameter, Span, Speaker, Text
from bot.kernel.words import words
from bot.kernel.words.describe import captured_cells, moves_text
from bot.kernel.words.teller import Losses, Names
from engine import Action, State, Turn
from engine.core import Actions, InvalidPosition, Json
from engine.search import Judged

MAX_POSITIONS: Final = 1500
"""Maximum number of positions within a turn that a look-ahead visits; the first actions are always searched completely.
"""

OF_WIN, OF_THREAT, OF_CAPTURE, OF_GOAL, OF_RESCUE = 100, 85, 80, 75, 70
OF_PLAN, OF_SAFETY, OF_STEP, OF_LAST = 60, 30, 20, 5
"""Weights of reasons; the two weightiest reasons are shown."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a turn, as the predicate of a sentence; `late` ones come after the others."""

    weight: int
    text: Text
    late: bool = False


@dataclass(frozen=True, slots=True)
class Outlook:
    """Options of a seat for one turn: the winning lines of play, and the cells it could take, with owners."""

    wins: tuple[Actions, ...]
    takes: frozenset[tuple[int, str]]

    def from_seat(self, seat: int) -> frozenset[str]:
        """Return the cells that could be captured from a seat."""
        return frozenset(cell for owner, cell in self.takes if owner == seat)


@dataclass(frozen=True)
class Candidate:
    """A turn, or the rest of one: the seat to move in `before` plays the `actions`.

    `speaker` has the words of the game. `judged` is a search's judgement of the first action and its alternatives, best
    first; it may be empty.
    """

    speaker: Speaker
    before: State
    actions: Actions
    names: Names
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
    def position(self) -> Json:
        """The JSON of the position before."""
        return self.before.to_json()

    @cached_property
    def then(self) -> Json:
        """The JSON of the position after."""
        return self.after.to_json()

    @cached_property
    def rivals(self) -> tuple[int, ...]:
        """The other seats that are still playing."""
        return tuple(seat for seat in range(self.before.seats) if seat != self.seat and self.before.is_playing(seat))

    @cached_property
    def taken(self) -> Losses:
        """The cells that the turn captures, by the seat that owned them."""
        return captured_cells(self.turn)

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
        """Options of each rival if the seat did nothing in this turn."""
        return {seat: found for seat in self.rivals if (found := foresee_turn(self.before, seat)) is not None}

    @cached_property
    def left(self) -> dict[int, Outlook]:
        """Options of each rival after the turn, if that rival moved next."""
        return {seat: found for seat in self.rivals if (found := foresee_turn(self.after, seat)) is not None}

    def say(self, key: str, /, **parameters: Parameter) -> Text:
        """Return the words for a key."""
        return self.speaker.say(key, **parameters)

    def reason(self, key: str, weight: int, /, **parameters: Parameter) -> Reason:
        """Return a reason in the words for a key."""
        return Reason(weight, self.say(key, **parameters))

    def late_reason(self, key: str, weight: int, /, **parameters: Parameter) -> Reason:
        """Return a reason that comes after the others."""
        return Reason(weight, self.say(key, **parameters), late=True)

    def of_cells(self, key: str, weight: int, cells: Iterable[str], /, **parameters: Parameter) -> Reason:
        """Return a reason about one or more cells; the words refer to them as `n` (their number) and `cells`."""
        listed = sorted(cells, key=self.before.topology.index.__getitem__)
        return self.reason(key, weight, n=len(listed), cells=", ".join(listed), **parameters)

    def who(self, seats: Iterable[int]) -> Text:
        """Return the names of seats."""
        return self.speaker.listing([self.names[seat] for seat in seats])

    def move(self, actions: Sequence[Action]) -> Span:
        """Return actions in notation."""
        return moves_text(self.speaker, actions)

    def distance(self, one: str, other: str) -> int:
        """Return the number of steps between two cells on an empty board."""
        topology = self.before.topology
        return topology.distances[topology.index[one]][topology.index[other]]

    @property
    def path(self) -> tuple[str | None, str | None]:
        """Start and end cells of the acting piece."""
        sources = [action.source for action in self.actions if action.source]
        targets = [action.target for action in self.actions if action.target]
        return (sources[0] if sources else None, targets[-1] if targets else None)


def foresee_turn(state: State, seat: int) -> Outlook | None:
    """Return the options of a seat for one turn if it were to move; None if that position is impossible."""
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
    """Return the position with a seat to move, None if that position is impossible."""
    if state.outcome is not None:
        return None
    if state.to_move == seat:
        return state
    try:
        found = state.game.load({**position_without_history(state), "to_move": seat})
    except InvalidPosition:
        return None
    return found if found.outcome is None else None


def list_turn_lines(start: State) -> Iterator[tuple[Actions, State]]:
    """Yield the ways to play the next turn, short ones first, unfinished ones included."""
    queue: list[tuple[Actions, State]] = [((), start)]
    looked_at = 0
    for actions, state in queue:
        if actions:
            yield actions, state
        if state.to_move != start.to_move or state.turn != start.turn or looked_at > MAX_POSITIONS:
            continue
        for action in state.legal_actions():
            looked_at += 1
            queue.append(((*actions, action), state.advance(action)))


@dataclass(frozen=True)
class GameReasons:
    """Explanation of one game's turns: the game's own reasons, and the common ones that apply to it.

    `foresees`: True if wins can be foreseen one turn ahead; `takes`: True if captures can, too. Both are False if dice
    come between turns. Captures are not mentioned in a game without any. `concedes` yields, in whole sentences, what a
    turn gives the others by the game's own rules.
    """

    own: Callable[[Candidate], Iterable[Reason]]
    foresees: Callable[[Candidate], bool] = lambda case: not case.before.game.facts.rolls
    takes: Callable[[Candidate], bool] = lambda case: case.before.game.facts.takes and not case.before.game.facts.rolls
    concedes: Callable[[Candidate], Iterable[Text]] = lambda _: ()


_DRAW_VALUE = 0.5
MAX_WINNING_MOVES_LISTED = 5
"""Maximum number of winning moves written out."""


def explain_ending(case: Candidate) -> Iterator[Reason]:
    """Yield the outcome if the turn ends the game."""
    outcome = case.after.outcome
    if outcome is None:
        return
    if outcome.winner == case.seat:
        key = f"why.wins.{outcome.reason}"
        yield case.reason(key if case.speaker.has(key) else "why.wins", OF_WIN, who=case.who(case.rivals))
    elif outcome.places[case.seat] == 1:
        yield case.reason("why.draws", OF_PLAN)


def explain_judgement(case: Candidate) -> Iterator[Reason]:
    """Yield the result of the search, with a comparison to the next best action."""
    if len(case.before.legal_actions()) == 1:
        yield case.reason("why.forced", OF_STEP)
        return
    mine = next((each for each in case.judged if each.action == case.actions[0]), None)
    others = [each for each in case.judged if each is not mine]
    if mine is None or not others:
        return
    seat = case.seat
    value = mine.values[seat]
    if mine.known and (value > 0.0 or mine.within is None or _is_whole(case)):
        yield _proven_reason(case, mine, others)
        return
    if mine.expected:
        yield case.late_reason("why.expected", OF_STEP + 1, mine=_percent(value))
        return
    if mine.proven and value == 1.0:
        yield case.late_reason("why.wins-by-force", OF_RESCUE)
    elif mine.proven and value == 0.0:
        yield case.late_reason("why.loses-late", OF_STEP)
    elif _is_whole(case) and all(each.proven and each.values[seat] == 0.0 for each in others):
        yield case.late_reason("why.only", OF_THREAT)
    mine_rated, other_rated = _percent(value), _percent(others[0].values[seat])
    move = case.move((others[0].action,))
    if mine_rated > other_rated:
        yield case.reason("why.values", OF_LAST, mine=mine_rated, other=other_rated, move=move)
    else:
        yield case.reason("why.close", OF_LAST, mine=mine_rated, move=move)


def _proven_reason(case: Candidate, mine: Judged, others: Sequence[Judged]) -> Reason:
    """Return the reason that the game's oracle or prover gives for the turn."""
    value = mine.values[case.seat]
    if mine.within is not None:
        key = "why.proven-win-own" if value > _DRAW_VALUE else "why.proven-loss-own"
        return case.late_reason(key, OF_RESCUE, n=mine.within)
    if value != _DRAW_VALUE:
        key = "why.proven-win" if value > _DRAW_VALUE else "why.proven-loss"
        return case.late_reason(key, OF_RESCUE, n=mine.turns or 1)
    only = all(each.values[case.seat] < _DRAW_VALUE for each in others)
    return case.late_reason("why.proven-only-draw" if only else "why.proven-draw", OF_RESCUE)


def _is_whole(case: Candidate) -> bool:
    """Return True if the search has judged every legal action."""
    return len(case.judged) == len(case.before.legal_actions())


def _percent(value: float) -> int:
    return round(100 * value)


def wins(case: Candidate) -> Iterator[Reason]:
    """Yield wins that the turn prevents or prepares, one turn ahead."""
    for rival, feared in case.feared.items():
        left = case.left.get(rival)
        if feared.wins and left is not None and not left.wins:
            move = case.move(min(feared.wins, key=len))
            yield case.reason("why.stops-win", OF_WIN - 5, who=case.names[rival], move=move)
    if case.next is not None and case.next.wins and not any(left.wins for left in case.left.values()):
        moves = {line[0].text: line for line in sorted(case.next.wins, key=len, reverse=True)}
        ways = sorted(moves.values(), key=len)[:MAX_WINNING_MOVES_LISTED]
        listed_ways: list[Parameter] = [case.move(line) for line in ways]
        if len(moves) > len(ways):
            listed_ways.append(case.speaker.say("why.more-ways", n=len(moves) - len(ways)))
        listed = case.speaker.listing(listed_ways, "or")
        yield case.reason("why.threatens-win", OF_THREAT + min(len(moves), 2), n=len(moves), moves=listed)


def explain_captures(case: Candidate) -> Iterator[Reason]:
    """Yield what the turn captures, saves, threatens to capture, and whether nothing is left to capture."""
    taken = [cell for owner, cells in case.taken.items() if owner != case.seat for cell in cells]
    if taken:
        yield case.of_cells("why.captures", OF_CAPTURE + min(len(taken), 4), taken)
    lost = {cell for left in case.left.values() for cell in left.from_seat(case.seat)}
    saved = _saved_cells(case, lost)
    if saved:
        rivals = (rival for rival, feared in case.feared.items() if feared.from_seat(case.seat))
        yield case.of_cells("why.saves", OF_RESCUE + min(len(saved), 3), saved, who=case.who(rivals))
    if case.next is not None and case.now is not None:
        fresh = {cell for _, cell in case.next.takes} - {cell for _, cell in case.now.takes}
        if fresh:
            yield case.of_cells("why.threatens", OF_SAFETY if lost else OF_PLAN, fresh)
    if case.rivals and len(case.left) == len(case.rivals) and not lost:
        anybody = case.speaker.listing([case.names[seat] for seat in case.rivals], "or")
        yield case.reason("why.safe", OF_PLAN - 5 if taken else OF_STEP, who=anybody)


def let_win(case: Candidate, other: Candidate) -> Iterator[Reason]:
    """Yield the wins that a turn leaves to a rival and another turn would not."""
    for rival, left in case.left.items():
        there = other.left.get(rival)
        if left.wins and (there is None or not there.wins):
            move = case.move(min(left.wins, key=len))
            yield case.reason("why.let-win", OF_WIN, who=case.names[rival], move=move)


def let_take(case: Candidate, other: Candidate) -> Iterator[Reason]:
    """Yield what a turn lets a rival capture and another turn would not."""
    remaining = {cell for left in other.left.values() for cell in left.from_seat(case.seat)}
    for rival, left in case.left.items():
        lost = left.from_seat(case.seat) - remaining
        if lost:
            yield case.of_cells("why.let-take", OF_CAPTURE, lost, who=case.names[rival])


def _saved_cells(case: Candidate, lost: set[str]) -> set[str]:
    """Return the cells whose pieces were in danger before the turn and are not after it."""
    source, target = case.path
    moved = {source} if target in lost else set()
    gone = set(case.taken.get(case.seat, ()))
    danger = {cell for feared in case.feared.values() for cell in feared.from_seat(case.seat)}
    return danger - lost - moved - gone if len(case.left) == len(case.rivals) else set()
