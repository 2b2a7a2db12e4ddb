"""How fast the searches are: random playouts and search iterations a second, next to python-chess.

Only the ratios mean anything: each game and chess take turns within the run, so that both see the same machine. An
iteration is a position that the game's own search (alpha-beta or the tree) looks at and judges; chess plays random
plies, as in bench/playouts.py. Where `make compiled` has been used, the same follows with the compiled engine.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass

import chess

from bot.thinking.thinkers import search_path
from engine import CHANCE, State, core, games
from engine.budget import Budget
from engine.search import players
from engine.search.alphabeta import AlphaBeta

_BUDGET = 400
_MAX_ACTIONS = 20_000
_OPENING = 12


@dataclass
class Rate:
    """What was counted in how many seconds."""

    count: int = 0
    seconds: float = 0.0

    def add(self, count: int, seconds: float) -> None:
        """Add a measurement."""
        self.count += count
        self.seconds += seconds

    @property
    def per_second(self) -> float:
        """How many in a second."""
        return self.count / self.seconds


def play_random_chess(rng: random.Random) -> int:
    """Play a game of random chess to its mate, stalemate or fifty idle moves."""
    board = chess.Board()
    plies = 0
    while board.halfmove_clock < 100 and (moves := list(board.legal_moves)):
        board.push(moves[rng.randrange(len(moves))])
        plies += 1
    return plies


def play_random_game(key: str, seats: int, rng: random.Random) -> int:
    """Play a random game and return its actions."""
    state = games[key].start(seats)
    for ply in range(_MAX_ACTIONS):
        if state.to_move is None:
            return ply
        state = state.advance(state.random_action(rng))
    return _MAX_ACTIONS


def make_position(key: str, seats: int, rng: random.Random) -> State:
    """Return a position some turns into a game, a seat on the move."""
    state = games[key].start(seats)
    turns = rng.randrange(_OPENING)
    while state.to_move is not None and (state.to_move == CHANCE or state.turn < turns):
        state = state.advance(state.random_action(rng))
    return state


def search_position(key: str, state: State) -> int:
    """Search a position from scratch and return the iterations it took."""
    if state.to_move is None:
        return 0
    player, budget = players[key], Budget(_BUDGET)
    memory = player.memory()
    if isinstance(memory, AlphaBeta):
        memory.judge(state, budget)
    else:
        memory.judge(state, budget, random.Random(0))
    return budget.spent


def measure(key: str, seats: int, seconds: float, rounds: int) -> tuple[Rate, Rate, Rate]:
    """Return the rates of playout plies, of search iterations and of chess plies, measured in turn."""
    plies, iterations, plies_of_chess = Rate(), Rate(), Rate()
    rng = random.Random(1)
    for _ in range(rounds):
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            begun = time.perf_counter()
            plies.add(play_random_game(key, seats, rng), time.perf_counter() - begun)
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            state = make_position(key, seats, rng)
            begun = time.perf_counter()
            iterations.add(search_position(key, state), time.perf_counter() - begun)
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            begun = time.perf_counter()
            plies_of_chess.add(play_random_chess(rng), time.perf_counter() - begun)
    return plies, iterations, plies_of_chess


def main() -> int:
    """Print one line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(games)}")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long for each figure (1)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured in turn with chess (3)")
    arguments = parser.parse_args()
    unknown = [key for key in arguments.games if key not in games]
    if unknown:
        parser.error(f"no game called {', '.join(unknown)}")
    piece = arguments.seconds / arguments.rounds
    path = search_path()
    here = "plain Python" if (core.__file__ or "").endswith(".py") else "compiled"
    print(f"{here:16} {'playout plies/s':>16} {'to chess':>9} {'iterations/s':>14} {'to chess':>9}")
    whole = Rate()
    for key in arguments.games or games:
        for seats in sorted({games[key].seats[0], games[key].seats[-1]}):
            plies, iterations, of_chess = measure(key, seats, piece, arguments.rounds)
            whole.add(of_chess.count, of_chess.seconds)
            ratios = [rate.per_second / of_chess.per_second for rate in (plies, iterations)]
            print(
                f"{key + ' ' + str(seats):16} {plies.per_second:16,.0f} {ratios[0]:8.2f}x"
                f" {iterations.per_second:14,.0f} {ratios[1]:8.2f}x",
                flush=True,
            )
    print(f"{'python-chess':16} {whole.per_second:16,.0f} {1:8.2f}x", flush=True)
    if not path or not set(arguments.games) <= set(games.ours):
        return 0  # games of other packages are never compiled
    print()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    return subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
