"""What two pens draw: dots, frames and capture lines, each a little different from its neighbours."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Final

from render import pieces
from render.canvas import Tile
from render.games.fagocitare.paper import INKS, Inks, draw_wobbly_line
from render.sketch import Point, Sketch
from render.theme import PALE, RGB, Theme

RED_SEAT: Final = 0
_TILE_LENGTH: Final = 90
"""Lines are cut into tiles of about this length."""
_DASH, _GAP = 46.0, 12.0
_VARIANTS: Final = 4
"""How many ways there are of drawing the same: enough to look drawn by hand, so few that each is soon in the cache."""


def choose_hand(cell: str) -> str:
    """Return in which way something is drawn on a cell: another one than on the cells around it."""
    return str((ord(cell[0]) + 2 * int(cell[1:])) % _VARIANTS)


def draw_dot(sketch: Sketch, x: float, y: float, r: float, seat: int, inks: Inks, seed: str) -> None:
    """Draw a live dot: red's is filled and hatched, blue's a ring."""
    rng = Random(f"{seat}{seed}")
    if seat == RED_SEAT:
        sketch.polygon(_blob(x, y, r, rng), inks.red)
        turn = rng.uniform(0.2, 0.9)
        sketch.disc(x + r * 0.93 * math.cos(turn), y + r * 0.93 * math.sin(turn), r * 0.13, inks.red)
        _hatch(sketch, x, y, r, inks.hatch, rng)
    else:
        _draw_ring(sketch, x, y, r * 0.84, inks.blue, r * 0.33, rng)


def draw_dead(sketch: Sketch, x: float, y: float, r: float, seat: int, inks: Inks, seed: str) -> None:
    """Draw a captured dot of the seat, faded."""
    rng = Random(f"{seat}{seed}")
    if seat == RED_SEAT:
        blob = _blob(x, y, r * 0.86, rng)
        sketch.polygon(blob, inks.red_dead)
        sketch.outline(blob, inks.red_gone, max(4.0, r * 0.16))
    else:
        _draw_ring(sketch, x, y, r * 0.77, inks.blue_dead, r * 0.24, rng)


def draw_strokes(sketch: Sketch, half: float, captor: int, inks: Inks, seed: str) -> None:
    """Cross a captured dot out with its captor's pen, from corner to corner of the frame."""
    rng = Random(f"strokes{captor}{seed}")
    ink, reach = (inks.red, inks.blue)[captor], half * 0.9
    for ends in (((-reach, -reach), (reach, reach)), ((-reach, reach), (reach, -reach))):
        sketch.line(draw_wobbly_line(ends, rng, 0.6), ink, half * 0.2)


def draw_frame(sketch: Sketch, x: float, y: float, half: float, seat: int, inks: Inks, seed: str) -> None:
    """Draw a captor's frame: red's in one go with round corners, blue's in four strokes that overshoot."""
    rng = Random(f"frame{seat}{seed}")
    width = half * 0.25
    if seat == RED_SEAT:
        corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
        moved = [(a + rng.uniform(-1.5, 1.5), b + rng.uniform(-1.5, 1.5)) for a, b in corners]
        sketch.outline(moved, inks.red, width, half * 0.3)
        turn = moved[1]
        sketch.disc(turn[0] - half * 0.22, turn[1] + width * 0.1, width * 0.62, inks.red)
        return
    over = half * 1.17
    for sign in (-1, 1):
        for ends in (
            ((x - over, y + sign * half), (x + over, y + sign * half)),
            ((x + sign * half, y - over), (x + sign * half, y + over)),
        ):
            tilted = [(a + rng.uniform(-1.2, 1.2), b + rng.uniform(-1.2, 1.2)) for a, b in ends]
            sketch.line(draw_wobbly_line(tilted, rng, 0.5), inks.blue, width)


def _blob(x: float, y: float, r: float, rng: Random) -> list[Point]:
    waves = [(number, rng.uniform(0, 2 * math.pi), rng.uniform(0.01, 0.036)) for number in (2, 3, 5)]
    points = []
    for step in range(72):
        angle = 2 * math.pi * step / 72
        reach = r * (1 + sum(size * math.sin(number * angle + phase) for number, phase, size in waves))
        reach += rng.uniform(-0.012, 0.012) * r
        points.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
    return points


def _hatch(sketch: Sketch, x: float, y: float, r: float, ink: RGB, rng: Random) -> None:
    """Draw the zigzag with which a dot is filled."""
    zigzag = ((-0.72, 0.2), (-0.06, 0.72), (-0.48, -0.42), (0.36, 0.66), (-0.2, -0.66), (0.74, 0.3), (0.44, -0.56))
    lean = rng.uniform(-0.05, 0.05)
    points = [(x + r * (a + rng.uniform(-0.04, 0.04)), y + r * (b + lean)) for a, b in zigzag]
    sketch.line(points, ink, max(2.6, r * 0.115))


def _draw_ring(sketch: Sketch, x: float, y: float, r: float, ink: RGB, width: float, rng: Random) -> None:
    """Draw a ring in one stroke whose end runs a little past its beginning."""
    start = rng.uniform(0, 2 * math.pi)
    phase, size = rng.uniform(0, 2 * math.pi), rng.uniform(0.015, 0.04)
    points = []
    for step in range(80):
        part = step / 74
        angle = start + 2 * math.pi * part
        reach = r * (1 + size * math.sin(2 * angle + phase) + 0.05 * (part - 0.5)) + rng.uniform(-0.2, 0.2)
        points.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
    sketch.line(points, ink, width)


@lru_cache(maxsize=2048)
def make_dot(theme: Theme, seat: int, r: float, seed: str, ground: RGB) -> Tile:
    """Return a live dot on a cell of the ground's colour, which covers lines that pass under it."""
    sketch = pieces.sketch_around(r * 1.15)
    if seat != RED_SEAT:
        sketch.disc(0, 0, r * 0.8, ground)
    draw_dot(sketch, 0, 0, r, seat, INKS[theme.key], seed)
    return Tile(sketch)


@lru_cache(maxsize=1024)
def make_captured_dot(theme: Theme, seat: int, r: float, half: float, seed: str, lately: bool) -> Tile:
    """Return a captured dot of the seat in the frame of the other, filled if it was captured `lately`."""
    sketch = pieces.sketch_around(half * 1.3 + 3)
    if lately:
        sketch.box(-half, -half, half, half, INKS[theme.key].pale, half * 0.3)
    draw_dead(sketch, 0, 0, r, seat, INKS[theme.key], seed)
    draw_strokes(sketch, half, 1 - seat, INKS[theme.key], seed)
    draw_frame(sketch, 0, 0, half, 1 - seat, INKS[theme.key], seed)
    return Tile(sketch)


def make_line(
    theme: Theme, seat: int, start: Point, end: Point, trims: Point, width: float, seed: str
) -> list[tuple[Tile, Point]]:
    """Return a stretch of a capture line as tiles with the places of their anchors; blue's is dashed.

    `trims` are what is left free before the start and the end.
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    if length - sum(trims) < width:
        return []
    parts = _strokes(seat, length - sum(trims))
    ux, uy = dx / length, dy / length
    result = []
    for number, (begin, stop) in enumerate(parts):
        x, y = start[0] + ux * (trims[0] + begin), start[1] + uy * (trims[0] + begin)
        way = round(ux * (stop - begin)), round(uy * (stop - begin))
        tile = _stroke(theme, seat, way, width, str((int(seed) + number) % _VARIANTS))
        result.append((tile, (x, y)))
    return result


def _strokes(seat: int, length: float) -> list[tuple[float, float]]:
    if seat == RED_SEAT:
        count = max(1, round(length / _TILE_LENGTH))
        return list(pairwise(length * number / count for number in range(count + 1)))
    count = max(1, round((length + _GAP) / (_DASH + _GAP)))
    pitch = (length + _GAP) / count
    return [(pitch * number, pitch * number + pitch - _GAP) for number in range(count)]


@lru_cache(maxsize=2048)
def _stroke(theme: Theme, seat: int, way: tuple[int, int], width: float, seed: str) -> Tile:
    inks = INKS[theme.key]
    sketch = pieces.sketch_around(max(abs(way[0]), abs(way[1])) + width)
    rng = Random(f"line{seed}")
    sketch.line(
        draw_wobbly_line([(0.0, 0.0), (float(way[0]), float(way[1]))], rng, 0.9), (inks.red, inks.blue)[seat], width
    )
    return Tile(sketch)


@lru_cache(maxsize=512)
def make_highlight(theme: Theme, half: float, pale: bool, seed: str) -> Tile:
    """Return the highlighter's two strokes over a cell."""
    inks = INKS[theme.key]
    ink = inks.pale if pale else inks.highlight
    rng = Random(f"mark{seed}")
    sketch = pieces.sketch_around(half + 6)
    for top, bottom in ((-half, half * 0.12), (-half * 0.12, half)):
        tilt = rng.uniform(1.5, 4)
        left, right = -half + rng.uniform(-2, 2), half + rng.uniform(-2, 2)
        sketch.polygon([(left, top + tilt), (right, top - tilt / 2), (right, bottom - tilt), (left, bottom)], ink)
    if inks.glow != inks.highlight:
        # On dark paper the highlighter is dim under the pens; its edge is what is seen from afar.
        corners = [(side * (half - 2), end * (half - 2)) for side, end in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        sketch.outline(corners, PALE if pale else inks.glow, 4, 5)
    return Tile(sketch)


@lru_cache(maxsize=512)
def make_circle(theme: Theme, r: float, width: float, seed: str) -> Tile:
    """Return the pen's circle around the dot drawn last."""
    sketch = pieces.sketch_around(r + width + 4)
    _draw_ring(sketch, 0, 0, r, INKS[theme.key].pen, width, Random(f"circle{seed}"))
    return Tile(sketch)


@lru_cache(maxsize=64)
def make_emblem(theme: Theme, seat: int, r: float) -> Tile:
    """Return a seat's dot on a disc of paper of radius r, for the footer."""
    inks = INKS[theme.key]
    sketch = pieces.sketch_around(r + 2)
    sketch.disc(0, 0, r, inks.sheet)
    draw_dot(sketch, 0, 0, r * 0.735, seat, inks, "emblem")
    return Tile(sketch)


@lru_cache(maxsize=128)
def make_score(theme: Theme, seat: int, count: int) -> Tile:
    """Return the number of captured dots in the captor's frame, for the footer."""
    inks = INKS[theme.key]
    sketch = pieces.sketch_around(46)
    sketch.box(-40, -40, 40, 40, inks.sheet, 9)
    draw_frame(sketch, 0, 0, 33, seat, inks, "score")
    sketch.centred(0, 0, str(count), 52 if count < 10 else 40, inks.figure)
    return Tile(sketch)


@lru_cache(maxsize=32)
def make_box(ink: RGB, full: bool) -> Tile:
    """Return one of the three boxes that show a lead."""
    sketch = pieces.sketch_around(16)
    if full:
        sketch.box(-13, -13, 13, 13, ink, 5)
    else:
        corners: Sequence[Point] = [(-11, -11), (11, -11), (11, 11), (-11, 11)]
        sketch.outline(corners, ink, 4, 4)
    return Tile(sketch)
