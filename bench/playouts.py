"""Random playouts and plies per second on one core, each game next to python-chess playing random chess.

Only the ratios mean anything: each game and chess take turns within the run, so that both see the same machine.
A ply is one action (in chess one move). "listed" draws from `legal_actions()`, as python-chess does and as a search
would; "drawn" uses `random_action`.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import chess

from engine import CHANCE, Game, State, games

Playout = Callable[[random.Random], int]
"""Plays one game and returns its plies."""

MAX_ACTIONS = 20_000


@dataclass
class Tally:
    """What was played in how many seconds."""

    games: int = 0
    plies: int = 0
    seconds: float = 0.0

    def run(self, playout: Playout, rng: random.Random, seconds: float) -> None:
        """Play whole games for about so long."""
        start = time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            self.plies += playout(rng)
            self.games += 1
        self.seconds += elapsed

    @property
    def plies_per_second(self) -> float:
        """Plies per second."""
        return self.plies / self.seconds

    def __str__(self) -> str:
        return f"{self.games / self.seconds:10.1f} {self.plies_per_second:12,.0f}"


def play_by_random_action(game: Game, seats: int, options: dict[str, str | int]) -> Playout:
    """Return playouts by `random_action`."""

    def playout(rng: random.Random) -> int:
        state = game.start(seats, options)
        for ply in range(MAX_ACTIONS):
            if state.to_move is None:
                return ply
            state = state.advance(state.random_action(rng))
        return MAX_ACTIONS

    return playout


def play_by_listed_actions(game: Game, seats: int, options: dict[str, str | int]) -> Playout:
    """Return playouts that list all legal actions and choose one."""

    def choice(state: State, rng: random.Random) -> State:
        if state.to_move == CHANCE:
            return state.advance(state.sample_chance(rng))
        actions = state.legal_actions()
        return state.advance(actions[rng.randrange(len(actions))])

    def playout(rng: random.Random) -> int:
        state = game.start(seats, options)
        for ply in range(MAX_ACTIONS):
            if state.to_move is None:
                return ply
            state = choice(state, rng)
        return MAX_ACTIONS

    return playout


def play_random_chess(rng: random.Random) -> int:
    """Play a game of random chess to its mate, stalemate or fifty idle moves, with nothing else looked at."""
    board = chess.Board()
    plies = 0
    while board.halfmove_clock < 100 and (moves := list(board.legal_moves)):
        board.push(moves[rng.randrange(len(moves))])
        plies += 1
    return plies


def list_variants(keys: Iterable[str]) -> Iterable[tuple[str, Game, int, dict[str, str | int]]]:
    """Yield what is measured: every game by its defaults, with its least and its greatest number of seats."""
    for key in keys:
        game = games[key]
        options = game.checked_options(game.seats[0], None)
        for seats in sorted({game.seats[0], game.seats[-1]}):
            yield f"{key} {seats}", game, seats, options


def main() -> int:
    """Print one line for each game, and chess last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(games)}")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long for each figure (1)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured in turn with chess (3)")
    arguments = parser.parse_args()
    unknown = [key for key in arguments.games if key not in games]
    if unknown:
        parser.error(f"no game called {', '.join(unknown)}")
    rng = random.Random(1)
    slice_seconds = arguments.seconds / arguments.rounds
    whole = Tally()
    print(f"{'':16} {'games/s':>10} {'plies/s':>12} {'to chess':>9}   {'listed: plies/s':>16} {'to chess':>9}")
    for name, game, seats, options in list_variants(arguments.games or games):
        by_draw, by_list, by_chess = Tally(), Tally(), Tally()
        for _ in range(arguments.rounds):
            by_draw.run(play_by_random_action(game, seats, options), rng, slice_seconds)
            by_chess.run(play_random_chess, rng, slice_seconds)
            by_list.run(play_by_listed_actions(game, seats, options), rng, slice_seconds)
            by_chess.run(play_random_chess, rng, slice_seconds)
        whole.games += by_chess.games
        whole.plies += by_chess.plies
        whole.seconds += by_chess.seconds
        ratios = [tally.plies_per_second / by_chess.plies_per_second for tally in (by_draw, by_list)]
        print(
            f"{name:16} {by_draw} {ratios[0]:8.2f}x   {by_list.plies_per_second:16,.0f} {ratios[1]:8.2f}x", flush=True
        )
    print(f"{'python-chess':16} {whole} {1:8.2f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
