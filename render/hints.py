"""A suggested turn on any board: an arrow where a piece goes, brackets around where it ends, numbers for their order.

Shapes that nothing else on the boards has, in deep green with a cream edge (red with a cross beside for captures):
they can be told from the last turn and from choices without colours.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from render import text as lettering
from render.canvas import Canvas, Tile
from render.marks import Hint
from render.pieces import sketch_around
from render.sketch import Point
from render.theme import CREAM, CROSS, DEEP, RGB

_EDGE_WIDTH: Final = 5
"""Width of a mark's cream edge."""
_SMALL_REACH: Final = 24
"""Reach below which pieces are so close together that the arrow's head is drawn inside the target cell."""
_MAX_WIDTH: Final = 50

Spots = Mapping[str, tuple[int, int, int]]
Ways = Sequence[tuple[str, str]]


def put_hint(canvas: Canvas, hint: Hint, spots: Spots, put_names: Callable[[Ways], None] | None = None) -> None:
    """Put the marks of a suggested turn over a finished board; `spots` are its cells, others are left out.

    `put_names` is given the arrows' ends and writes the names of cells again that they strike out.
    """
    shown = [step for step in hint.steps if step.target in spots]
    ways = []
    for step in shown:
        if step.source is not None and step.source in spots and step.source != step.target:
            (ax, ay, r), (bx, by, _) = spots[step.source], spots[step.target]
            ink = CROSS if step.capture else DEEP
            ways.append((step.source, step.target))
            if r < _SMALL_REACH:
                canvas.put(_taken_up(r, ink), ax, ay)
                canvas.put(_head(bx - ax, by - ay, r, ink), bx, by)
            else:
                canvas.put(_arrow(bx - ax, by - ay, r, ink), ax, ay)
    # Each kind over all of the one before it: nothing that says something is cut by a neighbour's brackets.
    marked: dict[str, bool] = {}
    for step in shown:
        marked[step.target] = marked.get(step.target, False) or step.capture
    small = {target for _, target in ways if spots[target][2] < _SMALL_REACH}
    for cell, capture in marked.items():
        if cell not in small:
            x, y, r = spots[cell]
            canvas.put(_brackets(r, CROSS if capture else DEEP), x, y)
    if put_names is not None:
        put_names(ways)
    for cell in (cell for cell, capture in marked.items() if capture):
        x, y, r = spots[cell]
        canvas.put(_cross(r), x + _corner(r), y + _corner(r))
    for cell, capture in marked.items():
        x, y, r = spots[cell]
        label = "+".join(step.label for step in shown if step.label and step.target == cell)
        if label:
            canvas.put(_number(label, r, CROSS if capture else DEEP), x + _corner(r), y - _corner(r))


def _half(r: float) -> float:
    """Return how far the brackets' corners are from the middle: near the piece where the cell is large."""
    return min(r * 0.86, _MAX_WIDTH)


def _corner(r: float) -> float:
    return _half(r) * 0.86


@lru_cache(maxsize=256)
def _arrow(dx: float, dy: float, r: float, ink: RGB) -> Tile:
    """Return an arrow from near the anchor to near a point; `r` is the reach of a cell."""
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    end = max(length - r / max(abs(ux), abs(uy)), r * 0.7)  # outside the brackets, where there is room
    begin = max(r * 0.3, min(r * 0.8, end - r))  # beside the piece's emblem, where there is room
    head = min(r * 0.66, (end - begin) * 0.7)
    width, neck = r * 0.2, end - head

    def at(along: float, aside: float = 0.0) -> Point:
        return ux * along - uy * aside, uy * along + ux * aside

    sketch = sketch_around(max(abs(dx), abs(dy)) + 2 * r)
    wide = max(head * 0.62, width)
    tip = [at(end), at(neck, wide), at(neck, -wide)]
    sketch.line([at(begin), at(neck)], CREAM, width + 2 * _EDGE_WIDTH)
    sketch.polygon(tip, CREAM)
    sketch.outline(tip, CREAM, 2 * _EDGE_WIDTH)
    sketch.line([at(begin), at(neck + 2)], ink, width)
    sketch.polygon(tip, ink)
    return Tile(sketch)


@lru_cache(maxsize=64)
def _taken_up(r: float, ink: RGB) -> Tile:
    """Return the ring around a small piece that is to go: its face stays free."""
    sketch = sketch_around(r + 9)
    sketch.ring(0, 0, r + 4.5, CREAM, 9)
    sketch.ring(0, 0, r + 4, ink, 4)
    return Tile(sketch)


@lru_cache(maxsize=64)
def _head(dx: float, dy: float, r: float, ink: RGB) -> Tile:
    """Return the small cell where a piece goes: a disc with an arrow that comes from (-dx, -dy)."""
    length = math.hypot(dx, dy)
    ux, uy = dx / length * r, dy / length * r
    sketch = sketch_around(r + 3)
    sketch.disc(0, 0, r + 2, CREAM)
    sketch.disc(0, 0, r - 1.5, ink)
    sketch.line([(-ux * 0.5, -uy * 0.5), (ux * 0.1, uy * 0.1)], CREAM, r * 0.26)
    sketch.polygon([(ux * 0.68, uy * 0.68), (-uy * 0.48, ux * 0.48), (uy * 0.48, -ux * 0.48)], CREAM)
    return Tile(sketch)


@lru_cache(maxsize=64)
def _brackets(r: float, ink: RGB) -> Tile:
    """Return four corners around a cell."""
    sketch = sketch_around(r + 12)
    half, width = _half(r), min(max(7.0, r * 0.15), 8.4)
    arm = half * 0.49
    for paint, wide in ((CREAM, width + 2 * _EDGE_WIDTH), (ink, width)):
        for sx in (-1, 1):
            for sy in (-1, 1):
                corner = (sx * half, sy * half)
                sketch.line([(sx * (half - arm), sy * half), corner, (sx * half, sy * (half - arm))], paint, wide)
    return Tile(sketch)


@lru_cache(maxsize=64)
def _cross(r: float) -> Tile:
    """Return the sign of a capture: a cross in a disc."""
    reach = max(17.0, r * 0.32)
    sketch = sketch_around(reach + _EDGE_WIDTH + 2)
    sketch.disc(0, 0, reach + _EDGE_WIDTH - 1, CREAM)
    sketch.disc(0, 0, reach, CROSS)
    sketch.cross(0, 0, reach * 0.42, CREAM, max(5.0, reach * 0.26))
    return Tile(sketch)


@lru_cache(maxsize=64)
def _number(label: str, r: float, ink: RGB) -> Tile:
    """Return the number of a step in a disc, or of several in a wider one."""
    reach = max(20.0, r * 0.36)
    size = reach * 1.35
    aside = max(0.0, lettering.text_width(label, size) / 2 - reach * 0.6)
    sketch = sketch_around(reach + aside + _EDGE_WIDTH + 2)
    for grown, paint in ((_EDGE_WIDTH - 1, CREAM), (0, ink)):
        wide, high = reach + aside + grown, reach + grown
        sketch.box(-wide, -high, wide, high, paint, high)
    sketch.centred(0, 0, label, size, CREAM)
    return Tile(sketch)
