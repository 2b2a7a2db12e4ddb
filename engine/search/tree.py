"""Monte Carlo tree search for any number of seats, with chance.

Sources: UCT: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006); every seat maximises its own
value, as in max^n (Luckhardt and Irani 1986; in UCT: Sturtevant 2008); progressive widening: Coulom (2007) and,
as "progressive unpruning", Chaslot et al. (2008); leaves judged by an evaluation in place of playouts to the end:
Lorentz, "Amazons discover Monte-Carlo" (2008), Winands and Björnsson (2010); proven results: Winands, Björnsson
and Saito, "Monte-Carlo tree search solver" (2008). At a chance node an outcome is drawn by its probability each
time, so the mean of the visits is the expectation.
"""

import math
import random
from collections.abc import Sequence
from typing import Any, Final

from engine.budget import Budget
from engine.core import CHANCE, Action, State
from engine.search.policy import Policy, Values, values_of
from engine.search.result import Judged

_REUSE_DEPTH: Final = 6
"""Plies from the old root within which the next position is looked for."""


class Node:
    """A position of the tree; `totals` add up the values of all visits by seat.

    `proven` are values beyond doubt, to which play gets in `distance` actions.
    """

    __slots__ = ("action", "actions", "children", "distance", "proven", "rolled", "state", "totals", "visits")

    def __init__(self, state: State, action: Action | None = None) -> None:
        self.state = state
        self.action = action
        self.actions: Sequence[Action] | None = None
        self.children: list[Node] = []
        self.rolled: dict[str, Node] = {}
        self.visits = 0
        self.totals = [0.0] * state.seats
        self.proven: Values | None = None
        self.distance = 0
        if state.outcome is not None:
            self.proven = values_of(state.outcome)

    @property
    def values(self) -> Values:
        """What is expected, or known."""
        if self.proven is not None:
            return self.proven
        return tuple([total / self.visits for total in self.totals])


class TreeSearch:
    """One player's tree; it is kept from one move to the next as far as it still applies."""

    def __init__(self, policy: Policy[Any]) -> None:
        self.policy = policy
        self.evaluate = policy.evaluate
        self.informed = False
        self.root: Node | None = None
        self.seat = CHANCE
        self.contempt = 0.0

    def judge(
        self,
        state: State,
        budget: Budget,
        rng: random.Random,
        exactly: bool = False,
        informed: bool = False,
        avoid: frozenset[str] = frozenset(),
    ) -> list[Judged]:
        """Return the root's actions, the best first; what an earlier search found out about them counts.

        Every action of the root is looked at once, whatever the budget, except those to `avoid`, by text. `exactly`
        gives a draw its true value, without the policy's contempt. `informed`: positions are appraised.
        """
        seat = state.to_move or 0
        contempt = 0.0 if exactly else self.policy.contempt
        if contempt != self.contempt or (contempt and seat != self.seat):
            self.root = None  # its values hold another contempt, or that of another seat
        if informed != self.informed:
            self.root, self.informed = None, informed
            self.evaluate = self.policy.appraise if informed else self.policy.evaluate
        self.seat, self.contempt = seat, contempt
        if avoid:
            root = self.root = self._node(state)
            root.actions = [action for action in self._actions(root) if action.text not in avoid]
        else:
            root = self.root = self._find(state) or self._node(state)
        self._open(root, budget)
        budget.most -= max(0, root.visits - len(root.children))  # what is known already need not be searched again
        enough = 0 if avoid else 1  # whether a single action loses matters only where others were left out
        while not budget.is_over and budget.spent < budget.most and root.proven is None and len(root.children) > enough:
            self._iterate(root, rng)
            budget.spend()
        if avoid:
            self.root = None  # what was left out is missing there
        ranked = sorted(enumerate(root.children), key=lambda pair: (*_rank(pair[1], seat), pair[0]))
        return [
            Judged(child.action, child.values, child.visits, child.proven is not None)
            for _, child in ranked
            if child.action is not None
        ]

    def _open(self, root: Node, budget: Budget) -> None:
        """Give the root a child for every candidate, best first by the evaluation."""
        actions = self._actions(root)
        for action in actions[len(root.children) :]:
            child = self._node(root.state.advance(action), action)
            values = self._evaluated(child)
            self._count(child, values)
            self._count(root, values)
            root.children.append(child)
            budget.spend()
        self._prove(root)

    def _node(self, state: State, action: Action | None = None) -> Node:
        """Return a new node; a draw is worth less to the seat that searches, and as much more to the others."""
        node = Node(state, action)
        outcome, seat = state.outcome, self.seat
        if self.contempt and outcome is not None and outcome.places[seat] == 1 < outcome.places.count(1):
            others = self.contempt / (state.seats - 1)
            values = [value + others for value in values_of(outcome)]
            values[seat] -= others + self.contempt
            node.proven = tuple(values)
        return node

    def _find(self, state: State) -> Node | None:
        """Return the node of the old tree, near its root, that has this very position."""
        level = [self.root] if self.root is not None else []
        for _ in range(_REUSE_DEPTH):
            following: list[Node] = []
            for node in level:
                here = node.state
                if here.turn == state.turn and here.to_move == state.to_move and here == state:
                    return node
                if here.turn <= state.turn:
                    following += node.children
                    following += node.rolled.values()
            level = following
        return None

    def _iterate(self, root: Node, rng: random.Random) -> None:
        """Walk down to a new position, judge it, and count that for every position on the way."""
        path, node = [root], root
        while node.proven is None:
            node = self._down(node, rng)
            path.append(node)
            if not node.visits:
                break
        values = self._evaluated(node)
        for passed in reversed(path):
            self._count(passed, values)
        for passed in reversed(path[:-1]):
            if not self._prove(passed):
                break

    def _down(self, node: Node, rng: random.Random) -> Node:
        """Return the child that the next visit goes to, made if it is new."""
        state = node.state
        if state.to_move == CHANCE:
            roll = state.sample_chance(rng)
            child = node.rolled.get(roll.text)
            if child is None:
                child = node.rolled[roll.text] = self._node(state.advance(roll), roll)
            return child
        actions = self._actions(node)
        tried = len(node.children)
        policy = self.policy
        if tried < len(actions) and tried < policy.width + policy.growth * math.sqrt(node.visits):
            action = actions[tried]
            child = self._node(state.advance(action), action)
            node.children.append(child)
            return child
        return self._select(node)

    def _select(self, node: Node) -> Node:
        """Return the child with the highest upper confidence bound for the seat on the move (UCB1)."""
        seat = node.state.to_move or 0
        weight = self.policy.exploration * math.sqrt(math.log(node.visits + 1))
        best, choice = -1.0, node.children[0]
        for child in node.children:
            visits = child.visits
            if child.proven is None:
                bound = child.totals[seat] / visits + weight / math.sqrt(visits)
            else:
                bound = child.proven[seat]
                if bound == 0.0:
                    bound = -0.5
            if bound > best:
                best, choice = bound, child
        return choice

    def _prove(self, node: Node) -> bool:
        """Work out whether the node's result is beyond doubt now; True if it is."""
        seat = node.state.to_move
        if node.proven is not None:
            return True
        if seat is None or seat == CHANCE:
            return False
        proven = [child for child in node.children if child.proven is not None]
        if not proven:
            return False
        best = min(proven, key=lambda child: _rank_proof(child.values[seat], child.distance))
        if best.values[seat] != 1.0 and len(proven) < len(self._actions(node)):
            return False
        node.proven = best.proven
        node.distance = best.distance + 1
        return True

    def _actions(self, node: Node) -> Sequence[Action]:
        if node.actions is None:
            node.actions = self.policy.candidates(node.state)
        return node.actions

    def _evaluated(self, node: Node) -> Values:
        return node.proven if node.proven is not None else self.evaluate(node.state)

    @staticmethod
    def _count(node: Node, values: Values) -> None:
        node.visits += 1
        totals = node.totals
        for seat, value in enumerate(values):
            totals[seat] += value


def _rank_proof(value: float, distance: int) -> tuple[float, int]:
    """Return what to sort proven values by: the highest first, of wins the shorter, of losses the longer."""
    return -value, distance if value == 1.0 else -distance if value == 0.0 else 0


def _rank(child: Node, seat: int) -> tuple[int, float, float]:
    """Return what to sort by: the quickest proven win, the most visited (the robust child), the slowest loss."""
    value = child.values[seat]
    if child.proven is not None and value in (0.0, 1.0):
        return (0, child.distance, 0.0) if value == 1.0 else (2, -child.distance, 0.0)
    return (1, -child.visits, -value)
