"""Alpha-beta for two seats without chance.

Sources: Knuth and Moore, "An analysis of alpha-beta pruning" (1975); iterative deepening and the transposition
table after Slate and Atkin, "Chess 4.5" (1977); quiescence search: Shannon (1950), who also describes looking at
the likeliest moves only (his type B); the history heuristic: Schaeffer (1989).
"""

from collections.abc import Sequence
from typing import Any, Final

from engine.budget import Budget
from engine.core import Action, State
from engine.oracle import Oracle, Verdict
from engine.search.policy import Policy, values_of
from engine.search.result import Judged

EXACT, LOWER, UPPER = range(3)
MAX_DEPTH: Final = 40
"""Maximum depth of iterative deepening, in turns."""
_MAX_TABLE_ENTRIES: Final = 150_000
_VALUE_STEP: Final = 0.001
"""By how much a win is worth less for each turn that it is farther away."""
_ASPIRATION_MARGIN: Final = 0.5
"""A value this far outside 0..1 is a proven result (wins are near 2, losses near -1)."""
_UNPROVEN_BONUS: Final = 0.6
"""Added to a loss if not every way out was searched: still below any estimate, but not proven."""
_BLUR_NOISE: Final = 0.01
"""The noise from which on captures are followed for `_QUIET_BLURRED` turns only: all actions are judged exactly then,
and that would take long where there is much to capture."""
_QUIET_BLURRED: Final = 2
_MIN_POSITIONS: Final = 20_000
"""Positions that an informed search may look at in its first turn ahead, whatever its budget."""
_WINDOW_DEVIATIONS: Final = 3
"""Number of standard deviations of the noise for which a root window leaves room."""
_VERDICT_CACHE_SIZE: Final = 5_000

Entry = tuple[int, int, float, Action | None]


class _OutOfBudgetError(Exception):
    pass


class AlphaBeta:
    """One player's search; its transposition table lives as long as it does.

    Values are those of the seat on the move: 0..1 by the evaluation, 2 for a win and -1 for a loss less a little
    for each turn of waiting, so that one seat's value is 1 minus the other's.
    """

    def __init__(self, policy: Policy[Any]) -> None:
        self.policy = policy
        self.table: dict[tuple[Any, ...], Entry] = {}
        self.history: dict[str, int] = {}
        self.budget = Budget(0)
        self.seat = -1
        self.quiet = policy.quiet
        self.contempt = policy.contempt
        self.evaluate = policy.evaluate
        self.informed = False
        self.oracle: Oracle | None = None
        self.verdicts: dict[tuple[Any, ...], Verdict | None] = {}

    def judge(
        self,
        state: State,
        budget: Budget,
        noise: float = 0.0,
        exactly: bool = False,
        oracle: Oracle | None = None,
        informed: bool = False,
    ) -> list[Judged]:
        """Return the root's actions, the best first; values of others are bounds unless noise or `exactly` ask more.

        The first turn ahead is always looked at completely, whatever the budget. The oracle is asked where play leads
        into what it covers, by what cannot be taken back, so that no history counts there; it may not cover the root.
        `exactly` also gives a draw its true value, without the policy's contempt. `informed`: positions are appraised,
        and where following captures takes too long, the first turn ahead is looked at without.
        """
        seat = state.to_move or 0
        if len(self.table) >= _MAX_TABLE_ENTRIES:
            self.table.clear()
        # The table's values hold the contempt of the seat that searches.
        contempt = 0.0 if exactly else self.policy.contempt
        if (self.seat, self.contempt, self.informed) != (seat, contempt, informed) or self.oracle is not oracle:
            self.table.clear()
            self.seat, self.contempt, self.informed, self.oracle = seat, contempt, informed, oracle
            self.evaluate = self.policy.appraise if informed else self.policy.evaluate
        self.budget = budget.part(max(budget.most, _MIN_POSITIONS)) if informed else Budget(1 << 60)
        slack = 3.0 if exactly else _WINDOW_DEVIATIONS * noise
        self.quiet = min(self.policy.quiet, _QUIET_BLURRED) if noise > _BLUR_NOISE else self.policy.quiet
        actions = list(self.policy.candidates(state))
        scores = dict.fromkeys(actions, 0.0)
        visits = dict.fromkeys(actions, 0)
        bounds = set[Action]()
        for depth in range(1, MAX_DEPTH + 1, self.policy.stride):
            if not self._deepen(state, seat, depth, slack, actions, scores, visits, bounds):
                if depth > 1:
                    break
                self.quiet, self.budget = 0, Budget(1 << 60)
                self._deepen(state, seat, depth, slack, actions, scores, visits, bounds)
                budget.is_over = True
            budget.spent += self.budget.spent if depth == 1 else 0
            if depth == 1:
                budget.is_over = budget.is_over or budget.spent >= budget.most
                self.budget = budget
            best = scores[actions[0]]
            settled = (
                best > 1.0 + _ASPIRATION_MARGIN
                or len(actions) == 1
                or all(scores[each] < -_ASPIRATION_MARGIN for each in actions)
            )
            if budget.is_over or (settled and not exactly):
                break
        burdened = self.policy.is_burdened(state)
        return [
            _judged(each, scores[each], seat, visits[each], burdened or (each in bounds and scores[each] > 0.5))
            for each in actions
        ]

    def _deepen(
        self,
        state: State,
        seat: int,
        depth: int,
        slack: float,
        actions: list[Action],
        scores: dict[Action, float],
        visits: dict[Action, int],
        bounds: set[Action],
    ) -> bool:
        """Search the root so many turns deep and sort its actions; False if the budget ended it on the way.

        What has been searched by then counts too: the best action of the depth before comes first, and the others
        are judged against it.
        """
        best, found = -9.0, dict[Action, float]()
        finished = True
        try:
            for action in actions:
                before = self.budget.spent
                after = state.advance(action)
                left = depth - (after.turn != state.turn)
                value = self._value(after, seat, left, best - slack, 9.0, 1)
                found[action] = value
                # Below the window it is only known that the action is worth no more than that.
                bounds.discard(action)
                if value <= best - slack:
                    bounds.add(action)
                visits[action] += self.budget.spent - before
                best = max(best, value)
        except _OutOfBudgetError:
            finished = False
        place = {action: number for number, action in enumerate(actions)}
        if not finished:
            _align(found, actions[0], scores)
        scores.update(found)
        actions.sort(key=lambda action: (-scores[action], place[action]))
        return finished

    def _value(self, state: State, seat: int, depth: int, alpha: float, beta: float, ply: int) -> float:
        """Return a position's value for a seat that need not be on the move."""
        mover = state.to_move
        if mover is None:
            self.budget.spend()
            assert state.outcome is not None  # noqa: S101
            return self._settled(values_of(state.outcome)[seat], seat, ply)
        if self.oracle is not None and self.oracle.covers(state):
            verdict = self._verdict(self.oracle, state)
            if verdict is not None:
                self.budget.spend()
                return self._settled(verdict.values[seat], seat, ply + (verdict.turns or 0))
        if mover == seat:
            return self._node(state, mover, depth, alpha, beta, ply)
        return 1.0 - self._node(state, mover, depth, 1.0 - beta, 1.0 - alpha, ply)

    def _settled(self, value: float, seat: int, turns: int) -> float:
        """Return the value of a win, a draw or a loss so many turns away for a seat."""
        if value == 1.0:
            return 2.0 - _VALUE_STEP * turns
        if value == 0.0:
            return _VALUE_STEP * turns - 1.0
        return 0.5 - self.contempt if seat == self.seat else 0.5 + self.contempt

    def _verdict(self, oracle: Oracle, state: State) -> Verdict | None:
        key = state.key()
        if key not in self.verdicts:
            if len(self.verdicts) >= _VERDICT_CACHE_SIZE:
                self.verdicts.clear()
            self.verdicts[key] = oracle.probe(state)
        return self.verdicts[key]

    def _node(self, state: State, mover: int, depth: int, alpha: float, beta: float, ply: int) -> float:
        if self.budget.is_over:
            raise _OutOfBudgetError
        self.budget.spend()
        policy = self.policy
        if depth <= 0:
            return self._quiet(state, mover, depth, alpha, beta, ply)
        key = state.key()
        entry = self.table.get(key)
        first: Action | None = None
        if entry is not None:
            known, kind, value, first = entry
            if known >= depth and (kind == EXACT or (value >= beta if kind == LOWER else value <= alpha)):
                return value
        best, choice, floor = -9.0, first, alpha
        tried = policy.candidates(state)[: policy.window]
        for action in self._ordered(tried, first):
            after = state.advance(action)
            value = self._value(after, mover, depth - (after.turn != state.turn), max(alpha, best), beta, ply + 1)
            if value > best:
                best, choice = value, action
                if best >= beta:
                    self.history[action.text] = self.history.get(action.text, 0) + depth * depth
                    break
        best = _doubted(best, state, tried)
        kind = LOWER if best >= beta else EXACT if best > floor else UPPER
        if entry is not None or len(self.table) < _MAX_TABLE_ENTRIES:
            self.table[key] = (depth, kind, best, choice)
        return best

    def _quiet(self, state: State, mover: int, depth: int, alpha: float, beta: float, ply: int) -> float:
        """Return the evaluation of a quiet position; a turn in progress is played to its end."""
        policy = self.policy
        if policy.is_unfinished(state):
            best, actions = -9.0, policy.candidates(state)[: policy.window]
        else:
            best = self.evaluate(state)[mover]
            if best >= beta or depth <= -self.quiet:
                return best
            actions = policy.forcing(state)
        for action in actions:
            after = state.advance(action)
            left = depth - (after.turn != state.turn)
            value = self._value(after, mover, left, max(alpha, best), beta, ply + 1)
            if value > best:
                best = value
                if best >= beta:
                    break
        return _doubted(best, state, actions)

    def _ordered(self, actions: Sequence[Action], first: Action | None) -> Sequence[Action]:
        """Return the actions: the table's first, then those that caused cutoffs before, then the given order."""
        history = self.history
        # Stable, so that equals stay in the policy's order.
        ordered = sorted(actions, key=lambda action: -history.get(action.text, 0))
        if first is not None and first in ordered:
            ordered.remove(first)
            ordered.insert(0, first)
        return ordered


def _align(found: dict[Action, float], first: Action, scores: dict[Action, float]) -> None:
    """Shift the values of an unfinished depth so that its first action has the value of the depth before.

    Values of two depths cannot be compared: the next side to move looks better than it stands.
    """
    if first not in found or _is_proven(found[first]) or _is_proven(scores[first]):
        return
    shift = scores[first] - found[first]
    for action, value in found.items():
        if not _is_proven(value):
            found[action] = min(1.0, max(0.0, value + shift))


def _is_proven(score: float) -> bool:
    return not -_ASPIRATION_MARGIN <= score <= 1.0 + _ASPIRATION_MARGIN


def _doubted(value: float, state: State, tried: Sequence[Action]) -> float:
    """Return a position's value, raised above a proven loss if something else could have been tried."""
    if value < -_ASPIRATION_MARGIN and len(tried) < len(state.legal_actions()):
        return value + _UNPROVEN_BONUS
    return value


def _judged(action: Action, score: float, seat: int, visits: int, doubtful: bool) -> Judged:
    """Return the result for an action; a `doubtful` score proves nothing."""
    value = min(1.0, max(0.0, score))
    values = (value, 1.0 - value) if seat == 0 else (1.0 - value, value)
    return Judged(action, values, visits, _is_proven(score) and not doubtful)
