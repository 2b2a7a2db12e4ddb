"""Analysis of a finished game: how the chances went, and where choices and dice turned them.

At every decision a search estimates each seat's value after the best action, and after the one that was played. The
difference is the cost of the choice. Changes between the choice and the next decision, if dice fall in between, are
luck.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from bot.thinking.thinkers import SearchPool
from engine import CHANCE, Action, State, Turn
from engine.search import Judged, players
from engine.search.policy import values_of

ANALYSIS_VERSION: Final = 3
"""Version of stored analyses: older ones are computed anew."""
MAX_MOMENTS: Final = 3
MAX_SWINGS: Final = 2
MIN_COST: Final = 0.08
"""Minimum cost of a turning point."""
MIN_SWING: Final = 0.12
"""Minimum change by dice to be reported."""
_SEARCH_LEVEL: Final = 5
"""The level of the computer player whose iterations limit the search of one position, in addition to the time."""
FIRST_PASS_SECONDS: Final = 24.0
"""Maximum seconds for the first pass over all decisions of a game."""
_MAX_FIRST_PASS_SECONDS_PER_DECISION: Final = 0.4
"""Maximum seconds for one of them, if there are few."""
SECOND_PASS_SECONDS_PER_DECISION: Final = 1.2
"""Maximum seconds for each decision in the second pass."""
_SECOND_PASS_DECISIONS: Final = 6
"""Number of the costliest choices that are searched in the second pass."""
_MAX_ALTERNATIVES_SEARCHED: Final = 3
"""Number of the best alternatives that are searched in the second pass."""
_LATER_ACTION_DIVISOR: Final = 4
"""Factor by which later actions of a turn are searched less than the first."""


@dataclass(frozen=True, slots=True)
class CostlyChoice:
    """A costly choice: in turn `turn` (from 1), after `begun` actions of it, with what was better.

    `before` and `after` are the seat's expected values with the best choice, and with its own. If that is `proven`, the
    best choice has its next decisive capture within `turns` turns, or wins within `within` of the seat's own turns, if
    anything can be won. `expected`: True if the values are exact means over the dice to come.
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


@dataclass(frozen=True, slots=True)
class Analysis:
    """An analysis; `points` has each seat's expected value at the start of every turn, and the final result.

    `best_alternative` is the best turn that was proposed but not played, if there were proposals.
    """

    points: tuple[tuple[float, ...], ...]
    moments: tuple[CostlyChoice, ...]
    swings: tuple[Swing, ...]
    best_alternative: JudgedAlternative | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the analysis as plain data for `read_analysis`."""
        points = [[round(value, 4) for value in point] for point in self.points]
        moments = [asdict(choice) for choice in self.moments]
        swings = [asdict(swing) for swing in self.swings]
        found = {"version": ANALYSIS_VERSION, "points": points, "moments": moments, "swings": swings}
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
    return Analysis(points, tuple(moments), tuple(Swing(**each) for each in data["swings"]), best)


@dataclass(frozen=True, slots=True)
class Decision:
    """A position with a choice, what was chosen, and a search's judgement.

    `certain`: True if no dice fall between the end of the turn and the next choice.
    """

    turn: int
    begun: int
    state: State
    action: Action
    judged: tuple[Judged, ...]
    certain: bool = True

    @property
    def seat(self) -> int:
        return self.state.to_move or 0

    @property
    def best(self) -> Judged:
        return self.judged[0]

    @property
    def chosen(self) -> Judged | None:
        return next((each for each in self.judged if each.action == self.action), None)

    @property
    def cost(self) -> float:
        """The cost of the choice for the seat, 0 if the search has no judgement of it."""
        chosen = self.chosen
        return self.best.values[self.seat] - chosen.values[self.seat] if chosen else 0.0


class Analyst:
    """Analyses one finished game, turn by turn; `done` of `total` decisions are searched.

    `on_progress` is called after each.
    """

    def __init__(
        self,
        thinkers: SearchPool,
        turns: Sequence[Turn],
        effort: float = 1.0,
        whose: Hashable = None,
        alternatives: Sequence[Alternative] = (),
    ) -> None:
        """Create the analyst for the turns of a game; `effort` scales the searches, in iterations and time."""
        self._alternatives = alternatives
        self._thinkers = thinkers
        self._turns = turns
        self._whose = ("analysis", whose)
        choices = [choices_of_turn(turn) for turn in turns]
        self.done = 0
        self.on_progress: Callable[[], None] = lambda: None
        self.total = sum(map(len, choices))
        self._choices = choices
        if turns:
            self._max_iterations = players[turns[0].before.game.key].level(_SEARCH_LEVEL).iterations * effort
            self._first_pass_seconds = (
                min(_MAX_FIRST_PASS_SECONDS_PER_DECISION, FIRST_PASS_SECONDS / max(1, self.total)) * effort
            )
            self._second_pass_seconds = SECOND_PASS_SECONDS_PER_DECISION * effort

    async def analysis(self) -> Analysis:
        """Return the analysis of the game; ThinkingFailed."""
        points: list[tuple[float, ...]] = []
        decisions: list[Decision] = []
        swings: list[Swing] = []
        expected: tuple[float, ...] | None = None
        for number, (turn, choices) in enumerate(zip(self._turns, self._choices, strict=True), 1):
            found = [await self._to_decision(number, *choice, later=at > 0) for at, choice in enumerate(choices)]
            decisions += found
            here = found[0].best.values if found else expected or _even_values(turn.before.seats)
            dice = next((action for action in turn.actions if action.verb in turn.before.game.facts.rolls), None)
            if expected is not None and dice is not None and found:
                swings.append(_make_swing(number, found[0].seat, dice, expected, here))
            points.append(here)
            expected = _expected_values(found) or here
        last = self._turns[-1].after
        points.append(values_of(last.outcome) if last.outcome is not None else expected or _even_values(last.seats))
        moments = await self._find_moments(decisions, points)
        chosen = sorted(swings, key=lambda swing: -abs(swing.after - swing.before))[:MAX_SWINGS]
        chosen = [swing for swing in chosen if abs(swing.after - swing.before) >= MIN_SWING]
        swings = sorted(chosen, key=lambda swing: swing.turn)
        return Analysis(tuple(points), tuple(moments), tuple(swings), await self._best_alternative(decisions))

    def count(self) -> None:
        """Count one more searched decision."""
        self.done += 1
        self.on_progress()

    async def _to_decision(self, number: int, begun: int, state: State, action: Action, *, later: bool) -> Decision:
        judged = await self._judge_within_clock(
            state, self._first_pass_seconds / _LATER_ACTION_DIVISOR if later else self._first_pass_seconds
        )
        self.count()
        following = self._turns[number].actions if number < len(self._turns) else ()
        certain = not any(map(state.game.facts.by_chance, following))
        return Decision(number, begun, state, action, judged, certain)

    async def _judge_within_clock(self, state: State, seconds: float) -> tuple[Judged, ...]:
        """Return the judgement of a search limited by time, and by iterations in proportion."""
        legal = state.legal_actions()
        if len(legal) == 1:
            return (Judged(legal[0], _even_values(state.seats), 0),)
        iterations = max(1, round(self._max_iterations * seconds / self._second_pass_seconds))
        return await self._thinkers.analyse(state.to_json(), iterations, seconds, whose=self._whose, about="analysis")

    async def _find_moments(
        self, decisions: Sequence[Decision], points: Sequence[tuple[float, ...]]
    ) -> list[CostlyChoice]:
        """Return the costliest choices that the second pass confirms, in the order of the game.

        A search of the choice, and searches of the positions after it and after the better one, must agree on the cost.
        """
        dear = sorted(decisions, key=lambda each: -_likely_cost(each, points))[:_SECOND_PASS_DECISIONS]
        found: list[CostlyChoice] = []
        for each in dear:
            if _likely_cost(each, points) >= MIN_COST / 2:
                closer = replace(each, judged=await self._judge_within_clock(each.state, self._second_pass_seconds))
                if closer.best.action != closer.action and closer.cost >= MIN_COST:
                    found.append(await self._costly_choice(closer))
        ranked = sorted((each for each in found if each.cost >= MIN_COST), key=lambda each: -each.cost)
        # One turn can hold several mistakes: the costliest is reported.
        costliest = list({each.turn: each for each in reversed(ranked)}.values())
        return sorted(sorted(costliest, key=lambda each: -each.cost)[:MAX_MOMENTS], key=lambda each: each.turn)

    async def _costly_choice(self, decision: Decision) -> CostlyChoice:
        """Return a choice beside the better one, both judged by the positions after them if possible."""
        seat, number = decision.seat, decision.state.turn
        better = [decision.best.action]
        best_end = decision.state.play(better[0])
        while best_end.to_move == seat and best_end.turn == number:
            better.append(
                (await self._judge_within_clock(best_end, self._second_pass_seconds / _LATER_ACTION_DIVISOR))[0].action
            )
            best_end = best_end.play(better[-1])
        played = [each for each in self._turns[decision.turn - 1].actions[decision.begun :] if not each.is_drop]
        end = decision.state
        for action in played:
            end = end.play(action)
        chosen = decision.chosen
        proven = chosen is not None and chosen.known and decision.best.known
        exact = chosen is not None and all(each.known or each.expected for each in (chosen, decision.best))
        before, after = (
            (None, None) if proven or exact else [await self._expected_result(each, seat) for each in (best_end, end)]
        )
        if before is None or after is None:
            before = decision.best.values[seat]
            after = before - decision.cost
        return CostlyChoice(
            turn=decision.turn,
            seat=seat,
            begun=decision.begun,
            played=tuple(action.text for action in played),
            better=tuple(action.text for action in better),
            before=round(before, 4),
            after=round(after, 4),
            proven=proven,
            turns=decision.best.turns if proven else None,
            within=decision.best.within if proven else None,
            expected=exact and not proven,
        )

    async def _best_alternative(self, decisions: Sequence[Decision]) -> JudgedAlternative | None:
        """Return the best alternative, judged where it differs from what was played; None if there is none."""
        by_place = {(each.turn, each.begun): each for each in decisions}
        found: list[tuple[JudgedAlternative, Decision, str]] = []
        for each in self._alternatives:
            actions = [action.text for action in self._turns[each.turn - 1].actions[each.begun :]]
            same = next((at for at, text in enumerate(each.actions) if actions[at : at + 1] != [text]), None)
            decision = by_place.get((each.turn, each.begun + same)) if same is not None else None
            if same is not None and decision is not None:
                judged = _judge_alternative(each, decision, each.actions[same])
                found += [(judged, decision, each.actions[same])] if judged is not None else []
        found.sort(key=lambda each: each[0].played - each[0].value)
        closer = list[JudgedAlternative]()
        for first, decision, text in found[:_MAX_ALTERNATIVES_SEARCHED]:
            looked = replace(decision, judged=await self._judge_within_clock(decision.state, self._second_pass_seconds))
            closer.append(_judge_alternative(first.alternative, looked, text) or first)
        return max(closer, key=lambda each: each.value - each.played, default=None)

    async def _expected_result(self, state: State, seat: int, seconds: float | None = None) -> float | None:
        """Return a seat's expected value at the end of its turn, None if dice come first; forced actions are played.

        `seconds` limits the search, by default as in the second pass.
        """
        while state.outcome is None and state.to_move != CHANCE and len(forced := state.legal_actions()) == 1:
            state = state.play(forced[0])
        if state.outcome is not None:
            return values_of(state.outcome)[seat]
        if state.to_move == CHANCE:
            return None
        return (await self._judge_within_clock(state, self._second_pass_seconds if seconds is None else seconds))[
            0
        ].values[seat]


def choices_of_turn(turn: Turn) -> list[tuple[int, State, Action]]:
    """Return the decisions of a turn: the number of actions before, the position, and the action played."""
    found, state = [], turn.before
    for begun, action in enumerate(turn.actions):
        if state.to_move != CHANCE and not action.is_drop and len(state.legal_actions()) > 1:
            found.append((begun, state, action))
        state = state.play(action)
    return found


def _judge_alternative(alternative: Alternative, decision: Decision, text: str) -> JudgedAlternative | None:
    """Return an alternative with the search's judgement of it and of what was played; None if there is none."""
    judged = next((each for each in decision.judged if each.action.text == text), None)
    if judged is None or decision.chosen is None:
        return None
    value, played = judged.values[decision.seat], decision.chosen.values[decision.seat]
    return JudgedAlternative(alternative, round(value, 4), round(played, 4))


def _even_values(seats: int) -> tuple[float, ...]:
    return (0.5,) * seats


def _expected_values(found: Sequence[Decision]) -> tuple[float, ...] | None:
    """Return the expected values after the last decision of a turn."""
    chosen = found[-1].chosen if found else None
    return chosen.values if chosen else None


def _make_swing(number: int, seat: int, dice: Action, before: Sequence[float], after: Sequence[float]) -> Swing:
    thrown = " ".join(map(str, dice.value))
    return Swing(number, seat, thrown, round(before[seat], 4), round(after[seat], 4))


def _likely_cost(decision: Decision, points: Sequence[tuple[float, ...]]) -> float:
    """Return the estimated cost of a choice; if only choices follow, the next position counts, too."""
    if not decision.certain or decision.begun:
        return decision.cost
    seat = decision.seat
    return min(decision.cost, points[decision.turn - 1][seat] - points[decision.turn][seat] + MIN_COST)
