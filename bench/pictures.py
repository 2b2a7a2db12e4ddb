"""What a 900 px picture costs: `python bench/pictures.py`, next to chess.svg rasterised in the same run.

Each game's figure is the median over positions of seeded games, each drawn once, in the order of play, after a few
other games have warmed the caches of tiles; "first" is the time of the very first picture of a process. Drawing is
everything until the tiles are chosen and merged, encoding what makes the PNG of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from itertools import islice

import cairosvg
import chess
import chess.svg
import resvg_py

from engine import State, Turn, games
from render.games import pictures
from render.samples import NAMES, playout, variants
from render.scene import Scene

WARMING, MEASURED, MOST = 3, 3, 120


def milliseconds(work: Callable[[], object], times: int = 15) -> float:
    """Return the median time of some work."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


def lines(key: str) -> list[list[tuple[State, Turn | None]]]:
    """Return the positions of some seeded games, in different variants."""
    each = variants(games[key])
    found = []
    for seed in range(WARMING + MEASURED):
        seats, options = each[seed * 3 % len(each)]
        found.append(list(islice(playout(games[key], seed, seats, options), MOST)))
    return found


def game(key: str, baseline: float) -> str:
    """Return a line of figures for a game."""
    drawing, encoding, sizes = [], [], []
    begun = 0.0
    for number, line in enumerate(lines(key)):
        for state, turn in line:
            start = time.perf_counter()
            scene = Scene.of(state, turn, state.to_move, None, NAMES, "light")
            canvas, _ = pictures[key].paint(scene)
            patches = canvas.patches()
            middle = time.perf_counter()
            png = canvas.encode(patches)
            end = time.perf_counter()
            begun = begun or end - start
            if number >= WARMING:
                drawing.append(middle - start)
                encoding.append(end - middle)
                sizes.append(len(png))
    draw, encode = statistics.median(drawing) * 1000, statistics.median(encoding) * 1000
    whole = statistics.median([a + b for a, b in zip(drawing, encoding, strict=True)]) * 1000
    return (
        f"{key:12} {draw:9.2f} {encode:9.2f} {whole:9.2f} {begun * 1000:9.0f} {baseline / whole:8.1f}x "
        f"{statistics.median(sizes) / 1000:9.1f} {max(sizes) / 1000:9.1f}"
    )


def main() -> None:
    """Print the figures."""
    svg = chess.svg.board(chess.Board(), size=900)
    cairo = milliseconds(lambda: cairosvg.svg2png(chess.svg.board(chess.Board(), size=900).encode()))
    resvg = milliseconds(lambda: resvg_py.svg_to_bytes(svg_string=chess.svg.board(chess.Board(), size=900)))
    print("Pictures, 900 px wide (ms, kB)")
    print(f"{'chess.svg + cairosvg':32} {cairo:9.2f} {'':19} {len(cairosvg.svg2png(svg.encode())) / 1000:9.1f}")
    print(f"{'chess.svg + resvg':32} {resvg:9.2f}")
    print(f"{'':12} {'drawing':>9} {'encoding':>9} {'both':>9} {'first':>9} {'cairosvg':>9} {'median':>9} {'most':>9}")
    for key in games:
        if key in pictures:
            print(game(key, cairo))


if __name__ == "__main__":
    main()
