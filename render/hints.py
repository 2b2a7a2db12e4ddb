"""A suggested turn on any board: an arrow where a piece goes, brackets around where it ends, numbers for their order.

Shapes that nothing else on the boards has, in deep green with a cream edge (red with a cross beside for captures):
they can be told from the last turn and from choices without colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from render import text as lettering
from render.canvas import Canvas, Tile
from render.marks import Hint
from render.pieces import sketch_around
from render.sketch import Point
from render.theme import CREAM, CROSS, DEEP, RGB

_EDGE: Final = 5
"""How far the cream edge of a mark goes beyond it."""

Spots = Mapping[str, tuple[int, int, int]]


def put_hint(canvas: Canvas, hint: Hint, spots: Spots) -> None:
    """Put the marks of a suggested turn over a finished board; `spots` are its cells, others are left out."""
    shown = [step for step in hint.steps if step.target in spots]
    for step in shown:
        if step.source is not None and step.source in spots and step.source != step.target:
            (ax, ay, r), (bx, by, _) = spots[step.source], spots[step.target]
            canvas.put(_arrow(bx - ax, by - ay, r, CROSS if step.capture else DEEP), ax, ay)
    for cell in dict.fromkeys(step.target for step in shown):
        steps = [step for step in shown if step.target == cell]
        x, y, r = spots[cell]
        capture = any(step.capture for step in steps)
        canvas.put(_brackets(r, CROSS if capture else DEEP), x, y)
        if capture:
            canvas.put(_cross(r), x + r * 0.74, y + r * 0.74)
        label = "+".join(step.label for step in steps if step.label)
        if label:
            canvas.put(_number(label, r, CROSS if capture else DEEP), x + r * 0.74, y - r * 0.74)


@lru_cache(maxsize=256)
def _arrow(dx: float, dy: float, r: float, ink: RGB) -> Tile:
    """Return an arrow from near the anchor to near a point; `r` is the reach of a cell."""
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    begin = r * 0.3
    end = max(length - r / max(abs(ux), abs(uy)), begin + r * 0.4)  # outside the brackets, where there is room
    head = min(r * 0.66, (end - begin) * 0.7)
    width, neck = r * 0.2, end - head

    def at(along: float, aside: float = 0.0) -> Point:
        return ux * along - uy * aside, uy * along + ux * aside

    sketch = sketch_around(max(abs(dx), abs(dy)) + 2 * r)
    wide = max(head * 0.62, width)
    tip = [at(end), at(neck, wide), at(neck, -wide)]
    sketch.line([at(begin), at(neck)], CREAM, width + 2 * _EDGE)
    sketch.polygon(tip, CREAM)
    sketch.outline(tip, CREAM, 2 * _EDGE)
    sketch.line([at(begin), at(neck + 2)], ink, width)
    sketch.polygon(tip, ink)
    return Tile(sketch)


@lru_cache(maxsize=64)
def _brackets(r: float, ink: RGB) -> Tile:
    """Return four corners around a cell."""
    sketch = sketch_around(r + 12)
    half, arm, width = r * 0.86, r * 0.42, max(7.0, r * 0.15)
    for paint, wide in ((CREAM, width + 2 * _EDGE), (ink, width)):
        for sx in (-1, 1):
            for sy in (-1, 1):
                corner = (sx * half, sy * half)
                sketch.line([(sx * (half - arm), sy * half), corner, (sx * half, sy * (half - arm))], paint, wide)
    return Tile(sketch)


@lru_cache(maxsize=64)
def _cross(r: float) -> Tile:
    """Return the sign of a capture: a cross in a disc."""
    reach = max(17.0, r * 0.32)
    sketch = sketch_around(reach + _EDGE + 2)
    sketch.disc(0, 0, reach + _EDGE - 1, CREAM)
    sketch.disc(0, 0, reach, CROSS)
    sketch.cross(0, 0, reach * 0.42, CREAM, max(5.0, reach * 0.26))
    return Tile(sketch)


@lru_cache(maxsize=64)
def _number(label: str, r: float, ink: RGB) -> Tile:
    """Return the number of a step in a disc, or of several in a wider one."""
    reach = max(19.0, r * 0.36)
    size = reach * 1.35
    aside = max(0.0, lettering.width(label, size) / 2 - reach * 0.6)
    sketch = sketch_around(reach + aside + _EDGE + 2)
    for grown, paint in ((_EDGE - 1, CREAM), (0, ink)):
        wide, high = reach + aside + grown, reach + grown
        sketch.box(-wide, -high, wide, high, paint, high)
    sketch.centred(0, 0, label, size, CREAM)
    return Tile(sketch)
