"""What a 900 px picture costs: `python -m bench.pictures`, next to chess.svg rasterised in the same run.

Each game has three figures, each the median over positions of seeded games, each drawn once:
- warm: in the order of play, with the same names, after a few other games have warmed the caches of tiles;
- cold: the same positions shuffled, each with names that no picture had before;
- first: the very first picture of a process of its own, against chess.svg + cairosvg's first in one (imports apart).
All times are the processor's, so that other work on the machine counts little; each game is set against chess.svg
rasterised before and after it.
"""

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice

import cairosvg
import chess
import chess.svg
import resvg_py

from engine import State, Turn, games
from render.games import pictures
from render.scene import Scene
from tests.support.samples import NAMES, list_variants, random_playout

WARMING, MEASURED, MOST = 3, 3, 120
CHESS = chess.Board()


def measure_milliseconds(work: Callable[[], object], times: int = 7) -> list[float]:
    """Return the times of some work."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append((time.process_time() - start) * 1000)
    return taken


def render_with_cairo() -> bytes:
    """Return python-chess's board, rasterised by cairosvg."""
    return bytes(cairosvg.svg2png(chess.svg.board(CHESS, size=900).encode()))


def render_with_resvg() -> bytes:
    """Return the same, rasterised by resvg."""
    return bytes(resvg_py.svg_to_bytes(svg_string=chess.svg.board(CHESS, size=900)))


def list_positions(key: str) -> list[list[tuple[State, Turn | None]]]:
    """Return the positions of some seeded games, in different variants."""
    each = list_variants(games[key])
    found = []
    for seed in range(WARMING + MEASURED):
        seats, options = each[seed * 3 % len(each)]
        found.append(list(islice(random_playout(games[key], seed, seats, options), MOST)))
    return found


def measure_drawing(state: State, turn: Turn | None, names: Sequence[str]) -> tuple[float, int]:
    """Draw a picture and return how long it took (ms) and how large it is."""
    start = time.process_time()
    scene = Scene.of(state, turn, state.to_move, None, names, "light")
    canvas, _ = pictures[state.game.key].paint(scene)
    png = canvas.png()
    return (time.process_time() - start) * 1000, len(png)


def make_new_names(number: int) -> list[str]:
    """Return names that nobody had before."""
    rng = random.Random(number)
    return ["".join(rng.choices("abcdefghilmnopqrstuvz", k=6)).title() for _ in range(5)]


def measure_first_picture(what: str) -> float:
    """Return what the first picture of a new process takes (ms)."""
    ran = subprocess.run(
        [sys.executable, "-m", "bench.pictures", "--first", what], capture_output=True, text=True, check=True
    )
    return float(ran.stdout)


def print_first(what: str) -> None:
    """Draw one picture, print how long it took."""
    if what == "chess":
        (taken,) = measure_milliseconds(render_with_cairo, 1)
    else:
        state = games[what].start(games[what].seats[-1])
        pictures[what]
        taken, _ = measure_drawing(state, None, NAMES)
    print(taken)


def print_game(key: str, before: list[float]) -> tuple[str, list[float]]:
    """Return a line of figures for a game, and the times of chess.svg + cairosvg after it."""
    warm, cold, measured = [], [], []
    for number, line in enumerate(list_positions(key)):
        for state, turn in line:
            taken, size = measure_drawing(state, turn, NAMES)
            if number >= WARMING:
                warm.append((taken, size))
                measured.append((state, turn))
    random.Random(1).shuffle(measured)
    cold = [measure_drawing(state, turn, make_new_names(number))[0] for number, (state, turn) in enumerate(measured)]
    after = measure_milliseconds(render_with_cairo)
    quick, slow = statistics.median(taken for taken, _ in warm), statistics.median(cold)
    sizes = [size for _, size in warm]
    cairo = statistics.median(before + after)
    begun = statistics.median(measure_first_picture(key) for _ in range(3))
    figures = (
        f"{key:12} {quick:9.2f} {cairo / quick:8.1f}x {slow:9.2f} {cairo / slow:8.1f}x {begun:9.0f} {cairo:9.1f} "
        f"{statistics.median(sizes) / 1000:9.1f} {max(sizes) / 1000:9.1f}"
    )
    return figures, after


def main() -> None:
    """Print the figures."""
    cairo, resvg = measure_milliseconds(render_with_cairo, 15), measure_milliseconds(render_with_resvg, 15)
    print("Pictures, 900 px wide (ms of the processor, kB)")
    for name, times, png in (("cairosvg", cairo, render_with_cairo()), ("resvg", resvg, render_with_resvg())):
        print(f"{f'chess.svg + {name}':32} {statistics.median(times):9.2f} {'':30} {len(png) / 1000:9.1f}")
    print(f"{'the first of a process':32} {statistics.median(measure_first_picture('chess') for _ in range(3)):9.0f}")
    heads = ("warm", "faster", "cold", "faster", "first", "cairosvg", "median", "most")
    print(f"{'':12} " + " ".join(f"{head:>9}" for head in heads))
    for key in games:
        if key in pictures:
            line, cairo = print_game(key, cairo)
            print(line, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--first"]:
        print_first(sys.argv[2])
    else:
        main()
