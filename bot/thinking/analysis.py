"""The data of the analysis of a finished game: the course of the chances, costly choices, and swings by dice.

The figure of a position is its expected values by seat, as they are shown. A position has a place: the turn (from 1)
and the number of its actions before the position. A turn starts at its first decision, after its dice; the place after
the last action of a turn is (next turn, 0). The figure of a position is settled when it is first shown, so that it is
the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeVar

from cachetools import LRUCache
from pydantic import TypeAdapter

from engine import CHANCE, Action, State, Turn
from engine.core import Json, Values
from engine.search import Judged

Place = tuple[int, int]
T = TypeVar("T")

FIGURE_DIGITS: Final = 4
SEARCHED_POSITIONS: Final = 2000
"""Maximum number of positions of running games whose figures are cached."""
SHOWN_ACTIONS: Final = 2
"""Maximum number of actions of a position that are shown with their figures."""


def choices_of_turn(turn: Turn) -> list[tuple[int, State, Action]]:
    """Return the decisions of a turn: the number of actions before, the position, and the action played."""
    found, state = [], turn.before
    for begun, action in enumerate(turn.actions):
        if state.to_move != CHANCE and not action.is_drop and len(state.legal_actions()) > 1:
            found.append((begun, state, action))
        state = state.play(action)
    return found


def place_after(turns: Sequence[Turn], number: int, done: int) -> Place:
    """Return the place of the position after `done` actions of a turn."""
    return (number, done) if done < len(turns[number - 1].actions) else (number + 1, 0)


class Figures:
    """Settles the figures of the positions of a game."""

    def __init__(self, turns: Sequence[Turn], settled: Mapping[Place, Values] | None = None) -> None:
        self._turns = turns
        starts = [next((begun for begun, _, _ in choices_of_turn(turn)), 0) for turn in turns]
        self.starts: Sequence[Place] = [*enumerate(starts, 1), (len(turns) + 1, 0)]
        self.settled: dict[Place, Values] = dict(settled or {})

    def read(self, place: Place, values: Values) -> Values:
        """Return the settled figure of a position, otherwise the given values, rounded."""
        return self.settled.get(place) or round_values(values)

    def settle(self, place: Place, values: Values) -> Values:
        """Settle the figure of a position with the given values, unless it has one; return the figure."""
        return self.settled.setdefault(place, round_values(values))

    def course(self, searched: Sequence[Values]) -> tuple[Values, ...]:
        """Return the figures at all starts of turns and at the end, from the values of searches.

        A search always overrates the side to move slightly, so a figure that is not settled is the mean of one round
        from there, up to the next settled position.
        """
        seats, last = len(searched[0]), len(searched) - 1
        return tuple(
            self.read(
                self.starts[at], _mean(searched[at : self._round_end(at, min(at + seats, last))] or searched[-1:])
            )
            for at in range(last + 1)
        )

    def _round_end(self, at: int, end: int) -> int:
        """Return the index of the first start after `at` with a settled position at or before it, at most `end`."""
        for later in range(at + 1, end):
            if any(self.starts[at] < place <= self.starts[later] for place in self.settled):
                return later
        return end


class SearchedFigures:
    """Settles the figures of positions that are searched one by one, while a game goes on.

    A position and the position after its best action have the same figure, the one that was shown first. A search of
    the other position finds different values; they are shifted to that figure. Proven values stay unchanged.
    """

    def __init__(self, most: int = SEARCHED_POSITIONS) -> None:
        self._settled: LRUCache[tuple[str, State], Values] = LRUCache(most)

    def settle(self, state: State, judged: Sequence[Judged]) -> tuple[Judged, ...]:
        """Return a search's judgement of the actions of a position, best first, shifted to the settled figures."""
        best = judged[0]
        if _is_certain(best):
            return tuple(judged)
        key = state.game.key
        known = self._settled.get((key, state)) or self._settled.get((key, state.play(best.action)))
        if known is None and not best.visits:
            return tuple(judged)
        figure = known or round_values(best.values)
        shift = [new - old for new, old in zip(figure, best.values, strict=True)]
        found = [replace(best, values=figure, visits=max(1, best.visits))]
        found += [each if _is_certain(each) else replace(each, values=_shifted(each, shift)) for each in judged[1:]]
        self._settled.setdefault((key, state), figure)
        for each in found[:SHOWN_ACTIONS]:
            if not _is_certain(each):
                self._settled.setdefault((key, state.play(each.action)), each.values)
        return tuple(found)


def _is_certain(judged: Judged) -> bool:
    return judged.proven or judged.known or judged.expected


def _shifted(judged: Judged, shift: Sequence[float]) -> Values:
    return round_values([min(1.0, max(0.0, value + by)) for value, by in zip(judged.values, shift, strict=True)])


def positions_in_order(starts: Sequence[Place], settled: Mapping[Place, Values]) -> Iterable[tuple[float, Place]]:
    """Yield the places of a chart with their position on the axis of turns: turns' starts, and settled positions.

    Places before the start of a turn (before its dice) are drawn at that start; places inside a turn are drawn between
    it and the next turn.
    """
    for number, places in groupby(sorted({*starts, *settled}), key=itemgetter(0)):
        before, inside = list[Place](), list[Place]()
        for place in places:
            (before if place <= starts[number - 1] else inside).append(place)
        yield from ((float(number), place) for place in before)
        yield from ((number + at / (len(inside) + 1), place) for at, place in enumerate(inside, start=1))


def round_values(values: Sequence[float]) -> Values:
    """Return values, rounded for showing and storing."""
    return tuple(round(value, FIGURE_DIGITS) for value in values)


def _mean(rows: Sequence[Values]) -> Values:
    return tuple(sum(values) / len(rows) for values in zip(*rows, strict=True))


_adapter: Final = lru_cache(TypeAdapter)


def read_data(kind: type[T], data: Json) -> T:
    """Return an instance of a dataclass from its `dataclasses.asdict`; ValueError if the data does not fit."""
    name: Any = kind
    found: T = _adapter(name).validate_python(data)
    return found


ANALYSIS_VERSION: Final = 4
"""Version of stored analyses: older ones are computed again."""
MIN_COST: Final = 0.08
"""Minimum cost of a turning point."""


@dataclass(frozen=True, slots=True)
class CostlyChoice:
    """A costly choice: in turn `turn` (from 1), after `begun` actions of it, with the better actions.

    `before` and `after` are the seat's expected values with the best choice, which is the value of the position before
    it, and after the played actions. If they are `proven`, the best choice has its next decisive capture within `turns`
    turns, or wins within `within` of the seat's own turns, if there is a win. `expected`: True if the values are exact
    means over the dice to come.
    """

    turn: int
    seat: int
    begun: int
    played: tuple[str, ...]
    better: tuple[str, ...]
    before: float
    after: float
    proven: bool = False
    turns: int | None = None
    within: int | None = None
    expected: bool = False

    @property
    def cost(self) -> float:
        """The cost of the choice."""
        return self.before - self.after

    def places(self, turns: Sequence[Turn]) -> tuple[Place, Place]:
        """Return the places of the position before the choice and of the one after the played actions."""
        return (self.turn, self.begun), place_after(turns, self.turn, self.begun + len(self.played))

    def with_figures(self, turns: Sequence[Turn], figures: Figures) -> CostlyChoice:
        """Return the choice with the settled figures of its positions."""
        before, after = (figures.settled.get(place) for place in self.places(turns))
        return replace(
            self,
            before=self.before if before is None else before[self.seat],
            after=self.after if after is None else after[self.seat],
        )


def position_of_choice(turns: Sequence[Turn], choice: CostlyChoice) -> tuple[State, Turn | None]:
    """Return the position in which a choice was made, and the turn to show with it."""
    turn = turns[choice.turn - 1]
    begun = replace(turn, actions=turn.actions[: choice.begun])
    before = turns[choice.turn - 2] if choice.turn > 1 else None
    return begun.after, begun if begun.own else before


@dataclass(frozen=True, slots=True)
class Swing:
    """Dice that changed the chances much, at the beginning of turn `turn`, for the seat that moved."""

    turn: int
    seat: int
    dice: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """A turn that was proposed but not played: in turn `turn` (from 1), after `begun` actions of it.

    `key` identifies it for the caller.
    """

    turn: int
    begun: int
    actions: tuple[str, ...]
    key: tuple[int, int]


@dataclass(frozen=True, slots=True)
class JudgedAlternative:
    """The seat's expected values with an alternative, and with the played turn."""

    alternative: Alternative
    value: float
    played: float


@dataclass(frozen=True)
class Analysis:
    """An analysis; `points` has each seat's expected value at the start of every turn, and the final result.

    `best_alternative` is the best turn that was proposed but not played, if there were proposals. `settled` has the
    values of all positions whose figures are shown, by place; those of turns' starts are among the `points`.
    """

    points: tuple[Values, ...]
    moments: tuple[CostlyChoice, ...]
    swings: tuple[Swing, ...]
    best_alternative: JudgedAlternative | None = None
    settled: Mapping[Place, Values] = field(default_factory=dict)

    def with_settled(self, figures: Figures) -> Analysis:
        """Return the analysis with newly settled figures."""
        points = [figures.read(*each) for each in zip(figures.starts, self.points, strict=True)]
        return replace(self, points=tuple(points), settled=dict(figures.settled))

    def to_json(self) -> Json:
        """Return the analysis as plain data for `read_analysis`."""
        points = [list(round_values(point)) for point in self.points]
        settled = [[*place, list(values)] for place, values in self.settled.items()]
        moments, swings, best = (asdict(self)[name] for name in ("moments", "swings", "best_alternative"))
        found = {
            "version": ANALYSIS_VERSION,
            "points": points,
            "moments": moments,
            "swings": swings,
            "settled": settled,
        }
        return found if best is None else found | {"best_alternative": best}


def read_analysis(data: Json | None) -> Analysis | None:
    """Return the analysis in the data of `to_json`; None without data, or for an older version."""
    if data is None or data.get("version") != ANALYSIS_VERSION:
        return None
    settled = {(turn, begun): values for turn, begun, values in data["settled"]}
    return read_data(Analysis, {**data, "settled": settled})
