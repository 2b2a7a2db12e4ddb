"""How strong the computer is, measured from outside: games against plain UCT, which knows only the rules.

The opponent is the textbook's (Kocsis and Szepesvári 2006): one new position an iteration, a random playout to the end
from there, every seat its own result, outcomes of chance drawn. It has three times the processor time of ours: for each
action three times what ours took for one on average so far, in that game, and all that it is behind where that is more.
Seats are swapped after each game of a pair, which share their random opening and their dice. `--effort` is the share of
our level's iterations.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Sequence

from engine import CHANCE, Action, State, games
from engine.search import players
from engine.search.contest import score_interval
from engine.search.policy import Values, values_of

_TIME_FACTOR = 3.0
_OPENING = 4
_EXPLORATION = math.sqrt(0.5)
"""UCB1's constant for results from 0 to 1."""
_MAX_ACTIONS = 1_000
"""Actions after which a playout counts as even: La Vedova Nera hardly ever ends by random play."""
_MIN_GAMES = 50
"""Iterations that it gets in any case."""


class Node:
    """A position that has been visited, and what its playouts came to."""

    __slots__ = ("actions", "children", "rolled", "state", "totals", "visits")

    def __init__(self, state: State) -> None:
        self.state = state
        self.actions: list[Action] | None = None
        self.children: list[tuple[Action, Node]] = []
        self.rolled: dict[str, Node] = {}
        self.visits = 0
        self.totals = [0.0] * state.seats


class PlainUct:
    """Chooses actions by random playouts."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"uct {seed}")
        self.iterations = 0

    def choose(self, state: State, seconds: float) -> Action:
        """Return an action after so many seconds of this thread's time."""
        legal = state.legal_actions()
        if len(legal) == 1:
            return legal[0]
        root, begun, count = Node(state), time.thread_time(), 0
        while count < _MIN_GAMES or time.thread_time() - begun < seconds:
            self._iterate(root)
            count += 1
        self.iterations += count
        return max(root.children, key=lambda pair: pair[1].visits)[0]

    def _iterate(self, root: Node) -> None:
        path, node = [root], root
        while node.visits and node.state.to_move is not None:
            node = self._down(node)
            path.append(node)
        values = self._playout(node.state)
        for passed in path:
            passed.visits += 1
            for seat, value in enumerate(values):
                passed.totals[seat] += value

    def _down(self, node: Node) -> Node:
        state = node.state
        if state.to_move == CHANCE:
            roll = state.sample_chance(self.rng)
            if roll.text not in node.rolled:
                node.rolled[roll.text] = Node(state.advance(roll))
            return node.rolled[roll.text]
        if node.actions is None:
            node.actions = list(state.legal_actions())
            self.rng.shuffle(node.actions)
        if node.actions:
            action = node.actions.pop()
            node.children.append((action, Node(state.advance(action))))
            return node.children[-1][1]
        seat, weight = state.to_move or 0, 2 * math.log(node.visits)
        return max(
            (child for _, child in node.children),
            key=lambda child: child.totals[seat] / child.visits + _EXPLORATION * math.sqrt(weight / child.visits),
        )

    def _playout(self, state: State) -> Values:
        for _ in range(_MAX_ACTIONS):
            if state.outcome is not None:
                return values_of(state.outcome)
            state = state.advance(state.random_action(self.rng))
        return (0.5,) * state.seats


def play_game(key: str, level: int, effort: float, number: int) -> tuple[float, float, float]:
    """Play a game of two and return what our level gets, and the seconds that it and the other took."""
    player, uct = players[key], PlainUct(number)
    opening, chance = random.Random(f"opening {number // 2}"), random.Random(f"chance {number // 2}")
    state: State = games[key].start(2)
    ours, memory = number % 2, player.memory()
    taken, theirs, actions = 0.0, 0.0, 0
    while (seat := state.to_move) is not None:
        if seat == CHANCE:
            state = state.advance(state.sample_chance(chance))
        elif state.turn < _OPENING:
            state = state.advance(state.random_action(opening))
        elif seat == ours or not actions:
            # Where the other is first to act, ours thinks once for it, so that there is something to take three times.
            begun = time.thread_time()
            action = player.choose(state, level, number // 2, effort=effort, memory=memory if seat == ours else None)
            taken, actions = taken + time.thread_time() - begun, actions + 1
            state = state.advance(action) if seat == ours else state
        if state.to_move == 1 - ours and state.turn >= _OPENING and actions:
            begun = time.thread_time()
            action = uct.choose(state, max(_TIME_FACTOR * taken / actions, _TIME_FACTOR * taken - theirs))
            theirs += time.thread_time() - begun
            state = state.advance(action)
    if state.outcome is None:
        raise AssertionError("a game that is over has an outcome")
    return values_of(state.outcome)[ours], taken, theirs


def measure_games(key: str, level: int, effort: float, numbers: Sequence[int]) -> None:
    """Play the games with these numbers and print the score after each."""
    score = taken = theirs = 0.0
    for count, number in enumerate(numbers, 1):
        value, ours, others = play_game(key, level, effort, number)
        score, taken, theirs = score + value, taken + ours, theirs + others
        low, high = score_interval(score / count, count)
        end = "\n" if not sys.stdout.isatty() or count == len(numbers) else "\r"
        print(
            f"{key:12} level {level} x {effort:g}: {score:5g} of {count:3} ({100 * low:.0f} to {100 * high:.0f} %),"
            f" {taken:7.0f} s against {theirs:7.0f} s",
            end=end,
            flush=True,
        )


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("keys", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(games)}")
    parser.add_argument("--games", type=int, default=100, help="how many of each (100)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one, to go on later (0)")
    parser.add_argument("--level", type=int, help="5 without dice, 4 with them")
    parser.add_argument("--effort", type=float, help="0.1 without dice, 1 with them")
    arguments = parser.parse_args()
    for key in arguments.keys or games:
        dice = games[key].has_chance(2, {})
        level = arguments.level or (4 if dice else 5)
        effort = arguments.effort or (1.0 if dice else 0.1)
        measure_games(key, level, effort, range(arguments.first, arguments.first + arguments.games))


if __name__ == "__main__":
    main()
