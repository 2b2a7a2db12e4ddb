"""Flat signs in one ink: the hat (the Man's rounds and score), and the dashed place of an attacker that is to come."""

from functools import lru_cache

from render import pieces
from render.canvas import Tile
from render.sketch import Sketch
from render.theme import RGB


def draw_hat(sketch: Sketch, x: float, y: float, wide: float, ink: RGB) -> None:
    """Draw a hat with its middle at (x, y)."""
    unit = wide / 48
    sketch.box(x - 24 * unit, y + 7 * unit, x + 24 * unit, y + 17 * unit, ink, 5 * unit)
    sketch.box(x - 13 * unit, y - 18 * unit, x + 13 * unit, y + 3.5 * unit, ink, 5 * unit)
    sketch.box(x - 13 * unit, y - 8 * unit, x + 13 * unit, y + 3.5 * unit, ink)
    sketch.box(x - 13 * unit, y + 2 * unit, x + 13 * unit, y + 9 * unit, ink)


@lru_cache(maxsize=32)
def make_hat(wide: float, ink: RGB) -> Tile:
    """Return the hat as a sign."""
    sketch = pieces.sketch_around(wide * 0.6)
    draw_hat(sketch, 0, 0, wide, ink)
    return Tile(sketch)


@lru_cache(maxsize=32)
def make_empty_place(r: float, ink: RGB) -> Tile:
    """Return the place of an attacker that has no colour yet."""
    sketch = pieces.sketch_around(r + 3)
    sketch.dashed_ring(0, 0, r - 2.5, ink, 4, 6, 7.5)
    return Tile(sketch)
