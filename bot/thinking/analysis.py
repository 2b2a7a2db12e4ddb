"""What the analysis of a finished game says: how the chances went, and where choices and dice turned them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from bot.thinking.figures import Figures, Place, place_after
from engine import State, Turn
from engine.core import Values

ANALYSIS_VERSION: Final = 4
"""Version of stored analyses: older ones are computed anew."""
MIN_COST: Final = 0.08
"""Minimum cost of a turning point."""


@dataclass(frozen=True, slots=True)
class CostlyChoice:
    """A costly choice: in turn `turn` (from 1), after `begun` actions of it, with what was better.

    `before` and `after` are the seat's expected values with the best choice, which is what the position before is
    worth, and after what it played. If that is `proven`, the best choice has its next decisive capture within `turns`
    turns, or wins within `within` of the seat's own turns, if anything can be won. `expected`: True if the values are
    exact means over the dice to come.
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
        """Return the places of the position before the choice and of the one after what was played."""
        return (self.turn, self.begun), place_after(turns, self.turn, self.begun + len(self.played))

    def with_figures(self, turns: Sequence[Turn], figures: Figures) -> CostlyChoice:
        """Return the choice with the figures that are settled of its positions."""
        before, after = (figures.settled.get(place) for place in self.places(turns))
        return replace(
            self,
            before=self.before if before is None else before[self.seat],
            after=self.after if after is None else after[self.seat],
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CostlyChoice:
        """Return the choice from the output of `dataclasses.asdict`."""
        return cls(**{**data, "played": tuple(data["played"]), "better": tuple(data["better"])})


def position_of_choice(turn: Turn, before: Turn | None, choice: CostlyChoice) -> tuple[State, Turn | None]:
    """Return the position of a choice, and the turn to show with it; `before` is the previous turn."""
    begun = turn.actions[: choice.begun]
    state = turn.before
    for action in begun:
        state = state.play(action)
    shown = Turn(turn.number, turn.seat, begun, turn.before)
    return state, shown if shown.own else before


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
    """The seat's expected values with an alternative, and with what it played."""

    alternative: Alternative
    value: float
    played: float

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> JudgedAlternative:
        """Return the alternative from the output of `dataclasses.asdict`."""
        about = data["alternative"]
        known = Alternative(about["turn"], about["begun"], tuple(about["actions"]), tuple(about["key"]))
        return cls(known, data["value"], data["played"])


@dataclass(frozen=True)
class Analysis:
    """An analysis; `points` has each seat's expected value at the start of every turn, and the final result.

    `best_alternative` is the best turn that was proposed but not played, if there were proposals. `settled` has the
    values of all positions whose figures are shown, by place; those of turns' starts are among the `points`.
    """

    points: tuple[tuple[float, ...], ...]
    moments: tuple[CostlyChoice, ...]
    swings: tuple[Swing, ...]
    best_alternative: JudgedAlternative | None = None
    settled: Mapping[Place, Values] = field(default_factory=dict)

    def with_settled(self, figures: Figures) -> Analysis:
        """Return the analysis with what has been settled since."""
        points = [figures.read(*each) for each in zip(figures.starts, self.points, strict=True)]
        return replace(self, points=tuple(points), settled=dict(figures.settled))

    def to_json(self) -> dict[str, Any]:
        """Return the analysis as plain data for `read_analysis`."""
        points = [[round(value, 4) for value in point] for point in self.points]
        moments = [asdict(choice) for choice in self.moments]
        swings = [asdict(swing) for swing in self.swings]
        settled = [[*place, list(values)] for place, values in self.settled.items()]
        found: dict[str, Any] = {"version": ANALYSIS_VERSION, "points": points, "moments": moments, "swings": swings}
        found["settled"] = settled
        if self.best_alternative is not None:
            found["best_alternative"] = asdict(self.best_alternative)
        return found


def read_analysis(data: Mapping[str, Any] | None) -> Analysis | None:
    """Return what `to_json` wrote; None for no data, and for an older version."""
    if data is None or data.get("version") != ANALYSIS_VERSION:
        return None
    moments = [CostlyChoice.from_json(each) for each in data["moments"]]
    points = tuple(tuple(point) for point in data["points"])
    alternative = data.get("best_alternative")
    best = JudgedAlternative.from_json(alternative) if alternative is not None else None
    settled = {(turn, begun): tuple(values) for turn, begun, values in data["settled"]}
    return Analysis(points, tuple(moments), tuple(Swing(**each) for each in data["swings"]), best, settled)
