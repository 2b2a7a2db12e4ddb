"""Analysing a finished game, and finding the moments of one player in it.

At every decision a search estimates each seat's value after the best action and after the played one. The difference
is the cost of the choice. Changes between the choice and the next decision, if dice fall in between, are luck. The
costliest choices are searched again; the figures of their positions are the same everywhere
(`bot/thinking/analysis.py`).

Moments are positions in which another turn was clearly better; without any, a well played turn is found instead. The
player's costly choices in the analysis come first, unchanged. The other turns with the highest estimated cost are
searched again, as deeply as the second pass of the analysis. Figures that the analysis has settled stay.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Final

from bot.thinking.analysis import (
    FIGURE_DIGITS,
    MIN_COST,
    Alternative,
    Analysis,
    CostlyChoice,
    Figures,
    JudgedAlternative,
    Place,
    Swing,
    choices_of_turn,
    place_after,
    read_data,
)
from bot.thinking.thinkers import SearchPool, complete_turn, find_expected_values, judge_actions
from engine import Action, State, Turn
from engine.core import Json, Values
from engine.search import Judged, players
from engine.search.policy import values_of

MAX_MOMENTS: Final = 3
MAX_SWINGS: Final = 2
MIN_SWING: Final = 0.12
"""Minimum change by dice to be reported."""
_SEARCH_LEVEL: Final = 5
"""The level of the computer player whose iterations limit the search of one position, in addition to the time."""
FIRST_PASS_SECONDS: Final = 24.0
"""Maximum seconds for the first pass over all decisions of a game."""
_MAX_FIRST_PASS_SECONDS_PER_DECISION: Final = 0.4
"""Maximum seconds for each decision in the first pass, if there are few."""
SECOND_PASS_SECONDS_PER_DECISION: Final = 1.2
"""Maximum seconds for each decision in the second pass."""
_SECOND_PASS_DECISIONS: Final = 6
"""Number of the costliest choices that are searched in the second pass."""
_MAX_ALTERNATIVES_SEARCHED: Final = 3
"""Number of the best alternatives that are searched in the second pass."""
_LATER_ACTION_SHARE: Final = 1 / 4
"""The share of the first action's search that later actions of a turn get."""
FigureOf = Callable[[Place, Values], Values]
"""Returns the figure of a position from its place and values of a search: `Figures.read` or `Figures.settle`."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A position with a choice, the played action, and a search's judgement.

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


@dataclass(frozen=True, slots=True)
class RatedChoice:
    """A costly choice with the values of all seats before it and after the played actions, from a search."""

    choice: CostlyChoice
    before: Values
    after: Values

    @property
    def is_exact(self) -> bool:
        """Whether the values are exact."""
        return self.choice.proven or self.choice.expected

    def with_figures(self, turns: Sequence[Turn], figure_of: FigureOf) -> CostlyChoice:
        """Return the choice with the figures of its positions."""
        (begin, end), seat = self.choice.places(turns), self.choice.seat
        before, after = figure_of(begin, self.before), figure_of(end, self.after)
        return replace(self.choice, before=before[seat], after=after[seat])


class Analyst:
    """Analyses one finished game, turn by turn; `done` of `total` decisions are searched.

    `on_progress` is called after each of them.
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
        self._choices = [choices_of_turn(turn) for turn in turns]
        self.done = 0
        self.on_progress: Callable[[], None] = lambda: None
        self.total = sum(map(len, self._choices))
        self._max_iterations = players[turns[0].before.game.key].level(_SEARCH_LEVEL).iterations * effort
        self._max_seconds = SECOND_PASS_SECONDS_PER_DECISION * effort
        first_pass = min(_MAX_FIRST_PASS_SECONDS_PER_DECISION, FIRST_PASS_SECONDS / max(1, self.total))
        self._first_pass_share = first_pass / SECOND_PASS_SECONDS_PER_DECISION

    async def analysis(self) -> Analysis:
        """Return the analysis of the game; ThinkingFailed."""
        points: list[Values] = []
        decisions: list[Decision] = []
        swings: list[_DiceSwing] = []
        expected: Values | None = None
        for number, (turn, choices) in enumerate(zip(self._turns, self._choices, strict=True), 1):
            found = [await self._to_decision(number, *choice, later=at > 0) for at, choice in enumerate(choices)]
            decisions += found
            here = found[0].best.values if found else expected or _even_values(turn.before.seats)
            dice = next((action for action in turn.actions if action.verb in turn.before.game.facts.rolls), None)
            if expected is not None and dice is not None and found:
                swings.append(_DiceSwing(number, found[0].begun, found[0].seat, dice, expected, here))
            points.append(here)
            chosen = found[-1].chosen if found else None
            expected = chosen.values if chosen is not None else here
        last = self._turns[-1].after
        points.append(values_of(last.outcome) if last.outcome is not None else expected or _even_values(last.seats))
        figures = Figures(self._turns)
        moments = await self._find_moments(decisions, points, figures)
        turned = tuple(_find_swings(swings, figures))
        alternative = await self._best_alternative(decisions, figures)
        return Analysis(figures.course(points), tuple(moments), turned, alternative, dict(figures.settled))

    def count(self) -> None:
        """Count one more searched decision."""
        self.done += 1
        self.on_progress()

    async def _to_decision(self, number: int, begun: int, state: State, action: Action, *, later: bool) -> Decision:
        judged = await self._judge(state, self._first_pass_share * (_LATER_ACTION_SHARE if later else 1))
        self.count()
        following = self._turns[number].actions if number < len(self._turns) else ()
        certain = not any(map(state.game.facts.by_chance, following))
        return Decision(number, begun, state, action, judged, certain)

    async def _judge(self, state: State, share: float = 1.0) -> tuple[Judged, ...]:
        """Return the judgement of a search limited by time and by iterations: a share of those of the second pass."""
        iterations, seconds = self._max_iterations * share, self._max_seconds * share
        return await judge_actions(self._thinkers, state, iterations, seconds, whose=self._whose, about="analysis")

    async def _judge_later(self, state: State) -> tuple[Judged, ...]:
        return await self._judge(state, _LATER_ACTION_SHARE)

    async def _find_moments(
        self, decisions: Sequence[Decision], points: Sequence[Values], figures: Figures
    ) -> list[CostlyChoice]:
        """Return the costliest choices that the second pass confirms, in the order of the game; settle their figures.

        A search of the choice, and searches of the positions after both turns, must agree that it is costly.
        """
        dear = sorted(decisions, key=lambda each: -_likely_cost(each, points))[:_SECOND_PASS_DECISIONS]
        found: list[RatedChoice] = []
        for each in dear:
            if _likely_cost(each, points) >= MIN_COST / 2:
                closer = replace(each, judged=await self._judge(each.state))
                if closer.best.action != closer.action and closer.cost >= MIN_COST:
                    found.append(await self._costly_choice(closer))
        # Report only the costliest mistake of a turn. Settle exact values before estimates.
        ranked = sorted(found, key=lambda each: -each.choice.cost)
        costliest = list({each.choice.turn: each for each in reversed(ranked)}.values())
        costliest = sorted(costliest, key=lambda each: -each.choice.cost)[:MAX_MOMENTS]
        settled = list[CostlyChoice]()
        for candidate in sorted(costliest, key=lambda each: not each.is_exact):
            if candidate.with_figures(self._turns, figures.read).cost >= MIN_COST:
                settled.append(candidate.with_figures(self._turns, figures.settle))
        return sorted(settled, key=lambda each: each.turn)

    async def _costly_choice(self, decision: Decision) -> RatedChoice:
        """Return a choice with the better one, both judged by the positions after them if possible."""
        seat = decision.seat
        better, best_end = await complete_turn(decision.state, decision.best.action, self._judge_later)
        actions = self._turns[decision.turn - 1].actions
        played = list(takewhile(lambda each: not each.is_drop, actions[decision.begun :]))
        end = decision.state
        for action in played:
            end = end.play(action)
        chosen = decision.chosen
        proven = chosen is not None and chosen.known and decision.best.known
        exact = chosen is not None and all(each.known or each.expected for each in (chosen, decision.best))
        before, after = None, None
        if not (proven or exact):
            before, after = [await find_expected_values(each, self._judge) for each in (best_end, end)]
        if before is None or after is None:
            before = decision.best.values
            after = await self._value_of_turn(decision, exact)
        choice = CostlyChoice(
            turn=decision.turn,
            seat=seat,
            begun=decision.begun,
            played=tuple(action.text for action in played),
            better=tuple(action.text for action in better),
            before=round(before[seat], FIGURE_DIGITS),
            after=round(after[seat], FIGURE_DIGITS),
            proven=proven,
            turns=decision.best.turns if proven else None,
            within=decision.best.within if proven else None,
            expected=exact and not proven,
        )
        return RatedChoice(choice, before, after)

    async def _value_of_turn(self, decision: Decision, exact: bool) -> Values:
        """Return the values after the played actions from a decision on, by the last decision of that turn."""
        chosen = decision.chosen
        *_, (begun, state, action) = self._choices[decision.turn - 1]
        if begun != decision.begun and not exact:
            judged = await self._judge_later(state)
            chosen = next((each for each in judged if each.action == action), chosen)
        return chosen.values if chosen is not None else decision.best.values

    async def _best_alternative(self, decisions: Sequence[Decision], figures: Figures) -> JudgedAlternative | None:
        """Return the best alternative, judged at its first difference from the played turn; None if there is none."""
        by_place = {(each.turn, each.begun): each for each in decisions}
        found: list[tuple[JudgedAlternative, Decision]] = []
        for each in self._alternatives:
            played = [action.text for action in self._turns[each.turn - 1].actions[each.begun :]]
            same = next((at for at, text in enumerate(each.actions) if played[at : at + 1] != [text]), None)
            decision = by_place.get((each.turn, each.begun + same)) if same is not None else None
            judged = _judge_alternative(each, decision) if decision is not None else None
            if decision is not None and judged is not None:
                found.append((judged, decision))
        found.sort(key=lambda each: each[0].played - each[0].value)
        closer = list[tuple[JudgedAlternative, Decision]]()
        for first, decision in found[:_MAX_ALTERNATIVES_SEARCHED]:
            looked = replace(decision, judged=await self._judge(decision.state))
            closer.append((_judge_alternative(first.alternative, looked) or first, looked))
        best = max(closer, key=lambda each: each[0].value - each[0].played, default=None)
        return self._alternative_with_figures(*best, figures) if best is not None else None

    def _alternative_with_figures(self, judged: JudgedAlternative, at: Decision, figures: Figures) -> JudgedAlternative:
        """Return an alternative with values that fit the figures before it and after the played action.

        Its difference from the played action is the one of its search; its value is at most that of the position.
        """
        if at.chosen is None:
            return judged
        most = figures.settle((at.turn, at.begun), at.best.values)[at.seat]
        played = figures.settle(place_after(self._turns, at.turn, at.begun + 1), at.chosen.values)[at.seat]
        value = max(0.0, min(most, played + judged.value - judged.played))
        return replace(judged, value=round(value, FIGURE_DIGITS), played=played)


def _judge_alternative(alternative: Alternative, decision: Decision) -> JudgedAlternative | None:
    """Return an alternative with the search's values of it and of the played action; None without judgement."""
    text = alternative.actions[decision.begun - alternative.begun]
    judged = next((each for each in decision.judged if each.action.text == text), None)
    if judged is None or decision.chosen is None:
        return None
    value, played = judged.values[decision.seat], decision.chosen.values[decision.seat]
    return JudgedAlternative(alternative, round(value, FIGURE_DIGITS), round(played, FIGURE_DIGITS))


def _even_values(seats: int) -> Values:
    return (0.5,) * seats


@dataclass(frozen=True, slots=True)
class _DiceSwing:
    """The values before the dice of a turn and after them, at the turn's first decision."""

    turn: int
    begun: int
    seat: int
    dice: Action
    before: Values
    after: Values

    def with_figures(self, figure_of: FigureOf) -> Swing:
        """Return the swing with the figures of its positions."""
        thrown = " ".join(map(str, self.dice.value))
        before, after = figure_of((self.turn, 0), self.before), figure_of((self.turn, self.begun), self.after)
        return Swing(self.turn, self.seat, thrown, before[self.seat], after[self.seat])


def _find_swings(swings: Sequence[_DiceSwing], figures: Figures) -> list[Swing]:
    """Return the greatest changes by dice, in the order of the game; settle their figures."""

    def change(each: _DiceSwing) -> float:
        shown = each.with_figures(figures.read)
        return abs(shown.after - shown.before)

    greatest = [each for each in sorted(swings, key=change, reverse=True)[:MAX_SWINGS] if change(each) >= MIN_SWING]
    return sorted((each.with_figures(figures.settle) for each in greatest), key=lambda each: each.turn)


def _likely_cost(decision: Decision, points: Sequence[Values]) -> float:
    """Return the estimated cost of a choice; without dice before the next choice, the next position counts, too."""
    if not decision.certain or decision.begun:
        return decision.cost
    seat = decision.seat
    return min(decision.cost, points[decision.turn - 1][seat] - points[decision.turn][seat] + MIN_COST)


OWN_MOMENTS_VERSION: Final = 2
"""Version of stored moments: older ones are computed again."""
MAX_OWN_MOMENTS: Final = 3
MIN_CLEAR_COST: Final = 0.12
"""Minimum cost of a choice for another one to be clearly better."""
_MAX_TURNS_SEARCHED: Final = 6
_MAX_GOOD_TURNS_SEARCHED: Final = 3
_CONFIRMING_FACTORS: Final = (2, 5)
"""Factors for the length of the successive confirming searches."""


@dataclass(frozen=True, slots=True)
class OwnMoment:
    """A costly choice, with the player's expected value after each first action that was searched."""

    choice: CostlyChoice
    values: Mapping[str, float]


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

    def to_json(self) -> Json:
        """Return the moments as plain data for `read_own_moments`."""
        return {"version": OWN_MOMENTS_VERSION, **asdict(self)}

    def with_figures(self, turns: Sequence[Turn], figures: Figures) -> OwnMoments:
        """Return the moments with the settled figures of their positions."""
        return replace(
            self, moments=tuple(replace(each, choice=each.choice.with_figures(turns, figures)) for each in self.moments)
        )


def read_own_moments(data: Json | None) -> OwnMoments | None:
    """Return the moments in the data of `to_json`; None without data, or for an older version."""
    if data is None or data.get("version") != OWN_MOMENTS_VERSION:
        return None
    return read_data(OwnMoments, data)


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
        own = [number for number, turn in enumerate(turns, 1) if turn.seat == seat and self._choices[number - 1]]
        others = [number for number in own if number not in known] if len(known) < MAX_OWN_MOMENTS else []
        self._costly = sorted(others, key=self._value_gain)[: _MAX_TURNS_SEARCHED - len(known)]
        self._good = sorted(own, key=self._value_gain, reverse=True)[:_MAX_GOOD_TURNS_SEARCHED]
        self.total = len(self._known) + len(self._costly)

    async def own_moments(self) -> OwnMoments:
        """Return the player's moments, and settle their figures in `figures`; ThinkingFailed."""
        found: list[OwnMoment] = []
        for known in self._known:
            state = next(state for begun, state, _ in self._choices[known.turn - 1] if begun == known.begun)
            found.append(OwnMoment(known, self._by_action(await self._judge(state))))
            self.count()
        others: list[tuple[RatedChoice, Mapping[str, float]]] = []
        for number in self._costly:
            if (costly := await self._moment_in(number)) is not None:
                others.append(costly)
            self.count()
        for candidate, values in sorted(others, key=lambda each: -each[0].choice.cost):
            is_clear = candidate.with_figures(self._turns, self.figures.read).cost >= MIN_CLEAR_COST
            if len(found) < MAX_OWN_MOMENTS and is_clear:
                found.append(OwnMoment(candidate.with_figures(self._turns, self.figures.settle), values))
        if found:
            return OwnMoments(tuple(sorted(found, key=lambda each: each.choice.turn)))
        return OwnMoments(good=await self._good_turn())

    def _by_action(self, judged: Sequence[Judged]) -> Mapping[str, float]:
        """Return the player's expected value after each first action."""
        return {each.action.text: round(each.values[self._seat], FIGURE_DIGITS) for each in judged}

    def _value_gain(self, number: int) -> float:
        """Return the change of the player's expected value from the start of a turn to the start of the next."""
        points = self._analysis.points
        return points[number][self._seat] - points[number - 1][self._seat]

    async def _moment_in(self, number: int) -> tuple[RatedChoice, Mapping[str, float]] | None:
        """Return the costliest choice of a turn, with the values by first action; None if none was clearly worse."""
        best: tuple[RatedChoice, Mapping[str, float]] | None = None
        for begun, state, action in self._choices[number - 1]:
            decision = Decision(number, begun, state, action, await self._judge(state))
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
        """Return True if longer searches confirm that the played turn was clearly worse."""
        if choice.proven or choice.expected:
            return True
        for factor in _CONFIRMING_FACTORS:
            better, played = [
                await self._worth_after(decision.state, texts, factor) for texts in (choice.better, choice.played)
            ]
            if better is None or played is None:
                # If dice come first, search the choice itself.
                values = self._by_action(await self._judge(decision.state, factor))
                better, played = values.get(choice.better[0]), values.get(decision.action.text)
            if better is None or played is None or better - played < MIN_CLEAR_COST:
                return False
        return True

    async def _worth_after(self, state: State, texts: Sequence[str], share: float) -> float | None:
        for text in texts:
            state = state.play(state.read(text))
        values = await find_expected_values(state, lambda end: self._judge(end, share))
        return None if values is None else values[self._seat]

    async def _good_turn(self) -> GoodTurn | None:
        """Return the turn whose first choice has the largest margin over the others; None if no margin is clear."""
        found: GoodTurn | None = None
        for number in self._good:
            begun, state, action = self._choices[number - 1][0]
            judged = await self._judge(state)
            if begun or judged[0].action != action or len(judged) == 1:
                continue
            margin = judged[0].values[self._seat] - judged[1].values[self._seat]
            if margin >= MIN_COST and (found is None or margin > found.margin):
                played = tuple(each.text for each in self._turns[number - 1].own)
                found = GoodTurn(number, played, round(margin, FIGURE_DIGITS))
        return found
