"""Moments of one player in a finished game: where something was clearly better, or otherwise what was well played.

What the analysis has found of the player comes first, as it is. The other turns that seem to have cost the most are
searched again, as deeply as the analysis searches its turning points; figures that the analysis has settled stay.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from bot.thinking.analysis import MIN_COST, Analysis, CostlyChoice
from bot.thinking.analyst import Analyst, Decision, RatedChoice
from bot.thinking.figures import FIGURE_DIGITS, Figures, choices_of_turn
from bot.thinking.thinkers import SearchPool
from engine import State, Turn
from engine.search import Judged

OWN_MOMENTS_VERSION: Final = 2
"""Version of the stored results: older ones are computed anew."""
MAX_OWN_MOMENTS: Final = 3
MIN_CLEAR_COST: Final = 0.12
"""Minimum cost of a choice for something else to be clearly better."""
_MAX_TURNS_SEARCHED: Final = 6
_MAX_GOOD_TURNS_SEARCHED: Final = 3
_CONFIRMING_FACTORS: Final = (2, 5)
"""Factors by which successive confirming searches are longer."""


@dataclass(frozen=True, slots=True)
class OwnMoment:
    """A costly choice, with the player's expected value after each first action that was searched."""

    choice: CostlyChoice
    values: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the moment as plain data for `from_json`."""
        return {"choice": asdict(self.choice), "values": dict(self.values)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OwnMoment:
        """Return what `to_json` wrote; KeyError or TypeError for anything else."""
        return cls(CostlyChoice.from_json(data["choice"]), dict(data["values"]))


@dataclass(frozen=True, slots=True)
class GoodTurn:
    """A turn (from 1) whose first choice was better than all others by at least `margin`."""

    turn: int
    played: tuple[str, ...]
    margin: float


@dataclass(frozen=True, slots=True)
class OwnMoments:
    """The moments of one player, in the order of the game; `good` is a well played turn if there are none."""

    moments: tuple[OwnMoment, ...] = ()
    good: GoodTurn | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the moments as plain data for `read_own_moments`."""
        return {
            "version": OWN_MOMENTS_VERSION,
            "moments": [each.to_json() for each in self.moments],
            "good": asdict(self.good) if self.good is not None else None,
        }

    def with_figures(self, turns: Sequence[Turn], figures: Figures) -> OwnMoments:
        """Return the moments with the figures that are settled of their positions."""
        return replace(
            self, moments=tuple(replace(each, choice=each.choice.with_figures(turns, figures)) for each in self.moments)
        )


def read_own_moments(data: Mapping[str, Any] | None) -> OwnMoments | None:
    """Return what `to_json` wrote; None for no data, and for an older version."""
    if data is None or data.get("version") != OWN_MOMENTS_VERSION:
        return None
    good = data["good"]
    return OwnMoments(
        tuple(map(OwnMoment.from_json, data["moments"])),
        GoodTurn(good["turn"], tuple(good["played"]), good["margin"]) if good is not None else None,
    )


class OwnMomentFinder(Analyst):
    """Finds the moments of one seat in an analysed game; `done` of `total` turns are searched."""

    def __init__(
        self,
        thinkers: SearchPool,
        turns: Sequence[Turn],
        seat: int,
        analysis: Analysis,
        effort: float = 1.0,
        whose: Hashable = None,
    ) -> None:
        super().__init__(thinkers, turns, effort, whose)
        self._seat = seat
        self._analysis = analysis
        self.figures = Figures(turns, analysis.settled)
        self._known = [each for each in analysis.moments if each.seat == seat]
        known = {each.turn for each in self._known}
        own = [(number, self._value_gain(number)) for number, choices in self._own_turns() if choices]
        others = [each for each in own if each[0] not in known] if len(known) < MAX_OWN_MOMENTS else []
        self._costly = sorted(others, key=lambda each: each[1])[: _MAX_TURNS_SEARCHED - len(known)]
        self._good = sorted(own, key=lambda each: -each[1])[:_MAX_GOOD_TURNS_SEARCHED]
        self.total = len(self._known) + len(self._costly)

    async def own_moments(self) -> OwnMoments:
        """Return the player's moments; ThinkingFailed. `figures` has what is settled of their positions then."""
        found: list[OwnMoment] = []
        for known in self._known:
            found.append(OwnMoment(known, await self._values_of(known)))
            self.count()
        others: list[tuple[RatedChoice, Mapping[str, float]]] = []
        for number, _ in self._costly:
            if (costly := await self._moment_in(number)) is not None:
                others.append(costly)
            self.count()
        for candidate, values in sorted(others, key=lambda each: -each[0].choice.cost):
            clear = candidate.with_figures(self._turns, self.figures).cost >= MIN_CLEAR_COST
            if len(found) < MAX_OWN_MOMENTS and clear:
                found.append(OwnMoment(candidate.settle(self._turns, self.figures), values))
        if found:
            return OwnMoments(tuple(sorted(found, key=lambda each: each.choice.turn)))
        return OwnMoments(good=await self._good_turn())

    async def _values_of(self, choice: CostlyChoice) -> Mapping[str, float]:
        """Return the player's expected value after each first action at a choice."""
        begun = {begun: state for begun, state, _ in choices_of_turn(self._turns[choice.turn - 1])}
        return self._by_action(await self._judge_within_clock(begun[choice.begun], self._second_pass_seconds))

    def _by_action(self, judged: Sequence[Judged]) -> Mapping[str, float]:
        return {each.action.text: round(each.values[self._seat], FIGURE_DIGITS) for each in judged}

    def _own_turns(self) -> Iterator[tuple[int, list[Any]]]:
        for number, turn in enumerate(self._turns, 1):
            if turn.seat == self._seat:
                yield number, choices_of_turn(turn)

    def _value_gain(self, number: int) -> float:
        """Return the change of the player's expected value from the start of a turn to that of the next."""
        points = self._analysis.points
        return points[number][self._seat] - points[number - 1][self._seat]

    async def _moment_in(self, number: int) -> tuple[RatedChoice, Mapping[str, float]] | None:
        """Return the costliest choice of a turn, with the values by first action; None if none was clearly worse."""
        best: tuple[RatedChoice, Mapping[str, float]] | None = None
        for begun, state, action in choices_of_turn(self._turns[number - 1]):
            decision = Decision(
                number, begun, state, action, await self._judge_within_clock(state, self._second_pass_seconds)
            )
            if decision.best.action == action or decision.cost < MIN_COST:
                continue
            candidate = await self._costly_choice(decision)
            choice = candidate.choice
            if choice.cost < MIN_CLEAR_COST or not await self._is_confirmed(choice, decision):
                continue
            if best is None or choice.cost > best[0].choice.cost:
                best = candidate, self._by_action(decision.judged)
        return best

    async def _is_confirmed(self, choice: CostlyChoice, decision: Decision) -> bool:
        """Return True if longer and longer searches still find the played turn clearly worse."""
        if choice.proven or choice.expected:
            return True
        for factor in _CONFIRMING_FACTORS:
            if not await self._is_clear(choice, decision, self._second_pass_seconds * factor):
                return False
        return True

    async def _is_clear(self, choice: CostlyChoice, decision: Decision, seconds: float) -> bool:
        """Return True if searches of the positions after both turns find the played one clearly worse.

        If dice come first, the choice itself is searched.
        """
        worth = [await self._worth_after(decision.state, texts, seconds) for texts in (choice.better, choice.played)]
        if worth[0] is None or worth[1] is None:
            judged = await self._judge_within_clock(decision.state, seconds)
            values = {each.action.text: each.values[self._seat] for each in judged}
            worth = [values.get(choice.better[0]), values.get(decision.action.text)]
        return worth[0] is not None and worth[1] is not None and worth[0] - worth[1] >= MIN_CLEAR_COST

    async def _worth_after(self, state: State, texts: Sequence[str], seconds: float) -> float | None:
        for text in texts:
            state = state.play(state.read(text))
        values = await self._expected_result(state, seconds)
        return None if values is None else values[self._seat]

    async def _good_turn(self) -> GoodTurn | None:
        """Return the turn whose first choice was best compared to the others, None if no turn stands out."""
        found: GoodTurn | None = None
        for number, _ in self._good:
            begun, state, action = choices_of_turn(self._turns[number - 1])[0]
            judged = await self._judge_within_clock(state, self._second_pass_seconds)
            if begun or judged[0].action != action or len(judged) == 1:
                continue
            margin = judged[0].values[self._seat] - judged[1].values[self._seat]
            if margin >= MIN_COST and (found is None or margin > found.margin):
                played = tuple(each.text for each in self._turns[number - 1].own)
                found = GoodTurn(number, played, round(margin, 4))
        return found
