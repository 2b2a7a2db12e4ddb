"""A game's knowledge for the searches: evaluation, move ordering, and the strength of the levels."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

from engine.core import PASS, Action, State, Values as Values, values_of as values_of

S = TypeVar("S", bound=State)
Method = Literal["alpha-beta", "tree"]


@dataclass(frozen=True, slots=True)
class Level:
    """How strong a computer player is: iterations for a whole turn, and the spread of the noise on what it sees.

    The noise is added to the value of every action at the root (standard deviation, in values), never to a
    win or a loss that has been proven. `book` is whether it opens by the policy's list.
    """

    iterations: int
    noise: float = 0.0
    book: bool = False


class Policy(ABC, Generic[S]):
    """A game's knowledge for the searches, about its kind of positions; it knows nothing of how they work.

    `method` is the search that is stronger (alpha-beta: two seats, no chance). In the tree `exploration` is UCT's
    constant, and a node tries width + growth * sqrt(visits) actions. `window` is how many candidates alpha-beta
    looks at below the root, and it deepens by `stride` turns (2 where the seat that is about to move looks better
    than it stands, so that odd and even depths cannot be compared). It follows forcing actions for `quiet` turns more.
    `last_waiting_turn` is the turn after which a hint no longer waits (`is_waiting`).
    `contempt` is what a draw is worth less to the seat that searches: as long as there is play left it goes on.
    """

    key: str
    levels: Sequence[Level]
    method: Method = "tree"
    exploration: float = 0.25
    width: float = 4.0
    growth: float = 1.0
    window: int = 1000
    stride: int = 1
    quiet: int = 5
    contempt: float = 0.0
    last_waiting_turn: int = 40

    @abstractmethod
    def evaluate(self, state: S) -> Values:
        """Return the expected value of each seat in an unfinished position."""

    def appraise(self, state: S) -> Values:
        """Return the best known evaluation, used by informed levels and analyses but not by the lower levels."""
        return self.evaluate(state)

    def candidates(self, state: S) -> Sequence[Action]:
        """Return the legal actions worth trying, most promising first; never empty for a seat on the move."""
        return state.legal_actions()

    def forcing(self, state: S) -> Sequence[Action]:
        """Return the actions, if any, without which the evaluation would mislead (captures)."""
        return ()

    def openings(self, state: S) -> Sequence[Action]:
        """Return the book actions of a level with an opening book, empty if it is to think."""
        return ()

    def is_burdened(self, state: S) -> bool:
        """Return whether history, by repetition or the no-progress rule, may still turn a win into a draw.

        Alpha-beta's table ignores history, so nothing is proven then.
        """
        return False

    def is_waiting(self, state: S, action: Action) -> bool:
        """Return whether an action only passes the time: it brings nothing of the seat's own anywhere."""
        return action.verb == PASS.verb

    def is_unfinished(self, state: S) -> bool:
        """Return whether the seat on the move is in the middle of its turn and cannot end it now."""
        return False


def compute_pair(odds: float, seat: int) -> Values:
    """Return the values of two seats by the log odds of one of them."""
    value = logistic(odds)
    return (1.0 - value, value) if seat else (value, 1.0 - value)


def compute_shares(strengths: Sequence[float]) -> Values:
    """Return the values of seats whose strengths say by e how much likelier one is ahead of another.

    Each pair of seats is compared by the logistic function (Bradley and Terry 1952), and a seat's value is the
    mean of its comparisons; for two seats that is the logistic function of the difference.
    """
    if len(strengths) == 2:
        return compute_pair(strengths[0] - strengths[1], 0)
    others = len(strengths) - 1
    return tuple(
        sum_in_order([logistic(one - other) for place, other in enumerate(strengths) if place != seat]) / others
        for seat, one in enumerate(strengths)
    )


def sum_in_order(numbers: Iterable[float]) -> float:
    """Return the sum of numbers, added one after the other.

    From Python 3.12 on the built-in sum compensates rounding errors, which its compiled form does not: searches would
    differ.
    """
    result = 0.0
    for number in numbers:
        result += number
    return result


_MAX_EXPONENT: Final = 30.0


def logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)), the winning probability for log odds."""
    return 1.0 / (1.0 + math.exp(-max(-_MAX_EXPONENT, min(_MAX_EXPONENT, x))))
