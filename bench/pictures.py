"""What a 900 px picture costs: `python bench/pictures.py`, next to chess.svg rasterised in the same run.

Each game's figure is the median over positions of seeded games, each drawn once, in the order of play, after a few
other games have warmed the caches of tiles; "first" is the time of the very first picture of a process. Drawing is
everything until the tiles are chosen and merged, encoding what makes the PNG of them. All times are the processor's,
so that other work on the machine counts little; each game is set against chess.svg rasterised before and after it.
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
from render.scene import Scene
from tests.support.samples import NAMES, playout, variants

WARMING, MEASURED, MOST = 3, 3, 120
CHESS = chess.Board()


def milliseconds(work: Callable[[], object], times: int = 7) -> list[float]:
    """Return the times of some work."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append((time.process_time() - start) * 1000)
    return taken


def by_cairo() -> bytes:
    """Return python-chess's board, rasterised by cairosvg."""
    return bytes(cairosvg.svg2png(chess.svg.board(CHESS, size=900).encode()))


def by_resvg() -> bytes:
    """Return the same, rasterised by resvg."""
    return bytes(resvg_py.svg_to_bytes(svg_string=chess.svg.board(CHESS, size=900)))


def lines(key: str) -> list[list[tuple[State, Turn | None]]]:
    """Return the positions of some seeded games, in different variants."""
    each = variants(games[key])
    found = []
    for seed in range(WARMING + MEASURED):
        seats, options = each[seed * 3 % len(each)]
        found.append(list(islice(playout(games[key], seed, seats, options), MOST)))
    return found


def game(key: str, before: list[float]) -> tuple[str, list[float]]:
    """Return a line of figures for a game, and the times of chess.svg + cairosvg after it."""
    drawing, encoding, sizes = [], [], []
    begun = 0.0
    for number, line in enumerate(lines(key)):
        for state, turn in line:
            start = time.process_time()
            scene = Scene.of(state, turn, state.to_move, None, NAMES, "light")
            canvas, _ = pictures[key].paint(scene)
            patches = canvas.patches()
            middle = time.process_time()
            png = canvas.encode(patches)
            end = time.process_time()
            begun = begun or end - start
            if number >= WARMING:
                drawing.append(middle - start)
                encoding.append(end - middle)
                sizes.append(len(png))
    after = milliseconds(by_cairo)
    draw, encode = statistics.median(drawing) * 1000, statistics.median(encoding) * 1000
    whole = statistics.median([a + b for a, b in zip(drawing, encoding, strict=True)]) * 1000
    cairo = statistics.median(before + after)
    figures = (
        f"{key:12} {draw:9.2f} {encode:9.2f} {whole:9.2f} {begun * 1000:9.0f} {cairo:9.1f} {cairo / whole:8.1f}x "
        f"{statistics.median(sizes) / 1000:9.1f} {max(sizes) / 1000:9.1f}"
    )
    return figures, after


def main() -> None:
    """Print the figures."""
    cairo, resvg = milliseconds(by_cairo, 15), milliseconds(by_resvg, 15)
    print("Pictures, 900 px wide (ms of the processor, kB)")
    for name, times, png in (("cairosvg", cairo, by_cairo()), ("resvg", resvg, by_resvg())):
        print(f"{f'chess.svg + {name}':32} {statistics.median(times):9.2f} {'':30} {len(png) / 1000:9.1f}")
    heads = ("drawing", "encoding", "both", "first", "cairosvg", "faster", "median", "most")
    print(f"{'':12} " + " ".join(f"{head:>9}" for head in heads))
    for key in games:
        if key in pictures:
            line, cairo = game(key, cairo)
            print(line)


if __name__ == "__main__":
    main()
