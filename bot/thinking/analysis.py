"""A finished game looked at again: how the chances went, where choices and where dice turned them.

At every decision a search says what each seat may expect if the best is played, and what it may expect after what
was played. The difference is the cost of the choice. What the chances change by between the choice and the next
decision, where dice fall in between, is luck.
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
"""Of the analyses that are kept: older ones are made anew."""
MAX_MOMENTS: Final = 3
MAX_SWINGS: Final = 2
MIN_COST: Final = 0.08
"""What a choice must cost to be a turning point."""
MIN_SWING: Final = 0.12
"""By how much dice must change the chances to be told of."""
_SEARCH_LEVEL: Final = 5
"""The level of the computer player whose iterations are the most that one position is worth, whatever the clock."""
FIRST_PASS_SECONDS: Final = 24.0
"""How long the first looks at all decisions of a game may take together."""
_MAX_FIRST_PASS_SECONDS_PER_DECISION: Final = 0.4
"""How long one of them may take, in seconds, where there are few."""
SECOND_PASS_SECONDS_PER_DECISION: Final = 1.2
"""How many seconds each closer look may take."""
_SECOND_PASS_DECISIONS: Final = 6
"""How many of the dearest choices are looked at more closely."""
_MAX_ALTERNATIVES_SEARCHED: Final = 3
"""How many of the best alternatives are looked at more closely."""
_LATER_ACTION_DIVISOR: Final = 4
"""By how much later actions of a turn are searched less than the first."""


@dataclass(frozen=True, slots=True)
class CostlyChoice:
    """A choice that cost much: in turn `turn` (from 1), after `begun` actions of it, with what was better.

    `before` and `after` are what the seat could expect with the best choice, and with its own. If that is `proven`, the
    best choice has its next decisive capture within `turns` turns, or the seat wins by it within so many turns of its
    own (`within`), where anything is to be won. `expected`: the values are exact means over the dice to come.
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
        """What the choice cost."""
        return self.before - self.after

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CostlyChoice:
        """Return what `dataclasses.asdict` made of one."""
        return cls(**{**data, "played": tuple(data["played"]), "better": tuple(data["better"])})


def position_of_choice(turn: Turn, before: Turn | None, choice: CostlyChoice) -> tuple[State, Turn | None]:
    """Return the position in which a choice was made, and the turn to be shown with it; `before` is the turn before."""
    begun = turn.actions[: choice.begun]
    state = turn.before
    for action in begun:
        state = state.play(action)
    shown = Turn(turn.number, turn.seat, begun, turn.before)
    return state, shown if shown.own else before


@dataclass(frozen=True, slots=True)
class Swing:
    """Dice that changed much: at the beginning of turn `turn` they changed what the seat could expect."""

    turn: int
    seat: int
    dice: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """A turn that was thought of and not played: in turn `turn` (from 1), after `begun` actions of it.

    `key` names it for the caller.
    """

    turn: int
    begun: int
    actions: tuple[str, ...]
    key: tuple[int, int]


@dataclass(frozen=True, slots=True)
class JudgedAlternative:
    """What the seat could expect with an alternative, and with what it played."""

    alternative: Alternative
    value: float
    played: float

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> JudgedAlternative:
        """Return what `dataclasses.asdict` made of one."""
        about = data["alternative"]
        known = Alternative(about["turn"], about["begun"], tuple(about["actions"]), tuple(about["key"]))
        return cls(known, data["value"], data["played"])


@dataclass(frozen=True, slots=True)
class Analysis:
    """`points` has for every turn what each seat could expect when it began, and how it came out at last.

    `best_alternative` is the best of the turns that were thought of and not played, where somebody noted them.
    """

    points: tuple[tuple[float, ...], ...]
    moments: tuple[CostlyChoice, ...]
    swings: tuple[Swing, ...]
    best_alternative: JudgedAlternative | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data that `read_analysis` reads."""
        points = [[round(value, 4) for value in point] for point in self.points]
        moments = [asdict(choice) for choice in self.moments]
        swings = [asdict(swing) for swing in self.swings]
        found = {"version": ANALYSIS_VERSION, "points": points, "moments": moments, "swings": swings}
        if self.best_alternative is not None:
            found["best_alternative"] = asdict(self.best_alternative)
        return found


def read_analysis(data: Mapping[str, Any] | None) -> Analysis | None:
    """Return what `to_json` wrote; None for nothing, and for what an older version wrote."""
    if data is None or data.get("version") != ANALYSIS_VERSION:
        return None
    moments = [CostlyChoice.from_json(each) for each in data["moments"]]
    points = tuple(tuple(point) for point in data["points"])
    alternative = data.get("best_alternative")
    best = JudgedAlternative.from_json(alternative) if alternative is not None else None
    return Analysis(points, tuple(moments), tuple(Swing(**each) for each in data["swings"]), best)


@dataclass(frozen=True, slots=True)
class Decision:
    """A position in which somebody had a choice, what was chosen, and what a search says about it.

    `certain`: no dice fall between the end of the turn and the next choice.
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
        """What the choice cost the seat, 0 where the search says nothing about it."""
        chosen = self.chosen
        return self.best.values[self.seat] - chosen.values[self.seat] if chosen else 0.0


class Analyst:
    """Looks at one finished game, turn by turn; `done` out of `total` decisions are looked at.

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
        """Make it for the turns of a game; `effort` scales how much is searched, in iterations and by the clock."""
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
            self._most = players[turns[0].before.game.key].level(_SEARCH_LEVEL).iterations * effort
            self._look = min(_MAX_FIRST_PASS_SECONDS_PER_DECISION, FIRST_PASS_SECONDS / max(1, self.total)) * effort
            self._closer = SECOND_PASS_SECONDS_PER_DECISION * effort

    async def analysis(self) -> Analysis:
        """Return what there is to say about the game; ThinkingFailed."""
        points: list[tuple[float, ...]] = []
        decisions: list[Decision] = []
        swings: list[Swing] = []
        expected: tuple[float, ...] | None = None
        for number, (turn, choices) in enumerate(zip(self._turns, self._choices, strict=True), 1):
            found = [await self._to_decision(number, *choice, later=at > 0) for at, choice in enumerate(choices)]
            decisions += found
            here = found[0].best.values if found else expected or _even(turn.before.seats)
            dice = next((action for action in turn.actions if action.verb in turn.before.game.facts.rolls), None)
            if expected is not None and dice is not None and found:
                swings.append(_swing(number, found[0].seat, dice, expected, here))
            points.append(here)
            expected = _expected_values(found) or here
        last = self._turns[-1].after
        points.append(values_of(last.outcome) if last.outcome is not None else expected or _even(last.seats))
        moments = await self._moments(decisions, points)
        chosen = sorted(swings, key=lambda swing: -abs(swing.after - swing.before))[:MAX_SWINGS]
        chosen = [swing for swing in chosen if abs(swing.after - swing.before) >= MIN_SWING]
        swings = sorted(chosen, key=lambda swing: swing.turn)
        return Analysis(tuple(points), tuple(moments), tuple(swings), await self._best_alternative(decisions))

    def count(self) -> None:
        """Note that one more decision is looked at."""
        self.done += 1
        self.on_progress()

    async def _to_decision(self, number: int, begun: int, state: State, action: Action, *, later: bool) -> Decision:
        judged = await self._judge_within_clock(state, self._look / _LATER_ACTION_DIVISOR if later else self._look)
        self.count()
        following = self._turns[number].actions if number < len(self._turns) else ()
        certain = not any(map(state.game.facts.by_chance, following))
        return Decision(number, begun, state, action, judged, certain)

    async def _judge_within_clock(self, state: State, seconds: float) -> tuple[Judged, ...]:
        """Return what a search that ends by the clock says; its iterations are limited in proportion."""
        legal = state.legal_actions()
        if len(legal) == 1:
            return (Judged(legal[0], _even(state.seats), 0),)
        iterations = max(1, round(self._most * seconds / self._closer))
        return await self._thinkers.analyse(state.to_json(), iterations, seconds, whose=self._whose, about="analysis")

    async def _moments(self, decisions: Sequence[Decision], points: Sequence[tuple[float, ...]]) -> list[CostlyChoice]:
        """Return the dearest choices that closer looks confirm, in the order of the game.

        A look at the choice and looks at what follows it and the better one must agree that it cost enough.
        """
        dear = sorted(decisions, key=lambda each: -_likely_cost(each, points))[:_SECOND_PASS_DECISIONS]
        found: list[CostlyChoice] = []
        for each in dear:
            if _likely_cost(each, points) >= MIN_COST / 2:
                closer = replace(each, judged=await self._judge_within_clock(each.state, self._closer))
                if closer.best.action != closer.action and closer.cost >= MIN_COST:
                    found.append(await self._costly_choice(closer))
        ranked = sorted((each for each in found if each.cost >= MIN_COST), key=lambda each: -each.cost)
        # One turn can hold several mistakes: the dearest is told.
        costliest = list({each.turn: each for each in reversed(ranked)}.values())
        return sorted(sorted(costliest, key=lambda each: -each.cost)[:MAX_MOMENTS], key=lambda each: each.turn)

    async def _costly_choice(self, decision: Decision) -> CostlyChoice:
        """Return a choice beside the better one, both judged by the positions that they lead to where that can be."""
        seat, number = decision.seat, decision.state.turn
        better = [decision.best.action]
        best_end = decision.state.play(better[0])
        while best_end.to_move == seat and best_end.turn == number:
            better.append((await self._judge_within_clock(best_end, self._closer / _LATER_ACTION_DIVISOR))[0].action)
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
        """Return the best of the alternatives, judged where it parts from what was played; None where there is none."""
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
            looked = replace(decision, judged=await self._judge_within_clock(decision.state, self._closer))
            closer.append(_judge_alternative(first.alternative, looked, text) or first)
        return max(closer, key=lambda each: each.value - each.played, default=None)

    async def _expected_result(self, state: State, seat: int, seconds: float | None = None) -> float | None:
        """Return what a seat may expect at the end of its turn, None where dice come first; forced actions are played.

        `seconds` is how long a search may take, that of a closer look unless given.
        """
        while state.outcome is None and state.to_move != CHANCE and len(forced := state.legal_actions()) == 1:
            state = state.play(forced[0])
        if state.outcome is not None:
            return values_of(state.outcome)[seat]
        if state.to_move == CHANCE:
            return None
        return (await self._judge_within_clock(state, self._closer if seconds is None else seconds))[0].values[seat]


def choices_of_turn(turn: Turn) -> list[tuple[int, State, Action]]:
    """Return the decisions of a turn: how many actions came before, the position, and what was done."""
    found, state = [], turn.before
    for begun, action in enumerate(turn.actions):
        if state.to_move != CHANCE and not action.is_drop and len(state.legal_actions()) > 1:
            found.append((begun, state, action))
        state = state.play(action)
    return found


def _judge_alternative(alternative: Alternative, decision: Decision, text: str) -> JudgedAlternative | None:
    """Return an alternative with what a search says of it and of what was played; None where it says nothing."""
    judged = next((each for each in decision.judged if each.action.text == text), None)
    if judged is None or decision.chosen is None:
        return None
    value, played = judged.values[decision.seat], decision.chosen.values[decision.seat]
    return JudgedAlternative(alternative, round(value, 4), round(played, 4))


def _even(seats: int) -> tuple[float, ...]:
    return (0.5,) * seats


def _expected_values(found: Sequence[Decision]) -> tuple[float, ...] | None:
    """Return what is expected after the last decision of a turn."""
    chosen = found[-1].chosen if found else None
    return chosen.values if chosen else None


def _swing(number: int, seat: int, dice: Action, before: Sequence[float], after: Sequence[float]) -> Swing:
    thrown = " ".join(map(str, dice.value))
    return Swing(number, seat, thrown, round(before[seat], 4), round(after[seat], 4))


def _likely_cost(decision: Decision, points: Sequence[tuple[float, ...]]) -> float:
    """Return what a choice seems to have cost; if only choices follow, the next position counts, too."""
    if not decision.certain or decision.begun:
        return decision.cost
    seat = decision.seat
    return min(decision.cost, points[decision.turn - 1][seat] - points[decision.turn][seat] + MIN_COST)
