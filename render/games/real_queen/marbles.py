"""Real Queen's marbles and queens, and the marks that belong to them; each a tile made once."""

import math
from functools import lru_cache
from typing import Final

from render import pieces
from render.canvas import Tile
from render.sketch import Point, Sketch
from render.theme import CREAM, LINE, RGB, Theme, parse_rgb

MARBLE_RADIUS: Final = 38.5
QUEEN_RADIUS: Final = 52
"""The radius of the queen's gold rim."""
GOLD: Final = parse_rgb("D9A441")
GOLD_WALL: Final = parse_rgb("B97A10")
GOLD_CROWN: Final = parse_rgb("EFC466")
GLINTS: Final = {"light": parse_rgb("FFFFFF"), "dark": parse_rgb("8C8288")}
_DISCS: Final = 8
_SMALL_RADIUS: Final = 20
"""Marbles smaller than this, those of the reserve, have half as many discs."""


def mix_tones(theme: Theme, colour: str) -> list[RGB]:
    """Return the inks of a marble's discs, from the shade at its edge to its face."""
    inks = theme.sets[colour]
    return [
        (mixed[0], mixed[1], mixed[2])
        for mixed in (
            [round(a + (b - a) * step / (_DISCS - 1)) for a, b in zip(inks.wall, inks.face, strict=True)]
            for step in range(_DISCS)
        )
    ]


def draw_marble(sketch: Sketch, x: float, y: float, r: float, colour: str, theme: Theme) -> None:
    """Draw a marble: eight discs, one in the other, towards the light at the upper left."""
    if theme.outline:
        sketch.disc(x, y, r, theme.sets[colour].contour)
        r -= min(theme.outline, r * 0.12)
    for step, ink in enumerate(mix_tones(theme, colour)):
        if r < _SMALL_RADIUS and step not in (0, 3, 5, _DISCS - 1):
            continue
        part = step / (_DISCS - 1)
        sketch.polygon(_within(x, y, r, 0.17 * r * part, 0.185 * r * part, r * (1 - 0.187 * part)), ink)
    if r > 12:
        _glint(sketch, x - 0.4 * r, y - 0.42 * r, 0.245 * r, 0.13 * r, GLINTS[colour])


def _within(x: float, y: float, r: float, left: float, up: float, inner: float) -> list[Point]:
    """Return the part of a smaller circle, its centre moved to the left and up, that lies in a circle."""
    points = []
    for step in range(96):
        angle = 2 * math.pi * step / 96
        dx, dy = math.cos(angle), math.sin(angle)
        along = left * dx + up * dy
        reach = min(inner, along + math.sqrt(along * along + r * r - left * left - up * up))
        points.append((x - left + reach * dx, y - up + reach * dy))
    return points


def _glint(sketch: Sketch, x: float, y: float, long: float, short: float, ink: RGB) -> None:
    """Draw an ellipse that leans to the right."""
    points = []
    for step in range(48):
        angle = 2 * math.pi * step / 48
        along, across = long * math.cos(angle), short * math.sin(angle)
        points.append((x + (along + across) * math.sqrt(0.5), y + (across - along) * math.sqrt(0.5)))
    sketch.polygon(points, ink)


def draw_crown(sketch: Sketch, x: float, y: float, r: float, ink: RGB) -> None:
    """Draw the crown of a queen whose face has radius r."""
    unit = r / 47.6
    half = [(0.0, -19.0), (12.2, -2.3), (28.5, -10.0), (26.0, 18.2)]
    outline = [*half, *((-right, down) for right, down in reversed(half))][:-1]
    sketch.polygon([(x + right * unit, y + down * unit) for right, down in outline], ink, 1.5 * unit)
    for right, down in ((-26.3, -10.5), (0, -20.5), (26.3, -10.5)):
        sketch.disc(x + right * unit, y + down * unit, 4.8 * unit, ink)


@lru_cache(maxsize=64)
def make_marble(theme: Theme, colour: str, r: float = MARBLE_RADIUS) -> Tile:
    """Return a normal piece."""
    sketch = pieces.sketch_around(r + 2)
    draw_marble(sketch, 0, 0, r, colour, theme)
    return Tile(sketch)


@lru_cache(maxsize=32)
def make_queen(theme: Theme, colour: str, r: float = QUEEN_RADIUS) -> Tile:
    """Return a queen: a marble in a gold rim of radius r, with her crown."""
    sketch = pieces.sketch_around(r + 8)
    rim = r * 0.09
    if theme.outline:
        sketch.disc(1, 3, r + 1, LINE)
        sketch.disc(0, 0, r + 1, LINE)
        r -= 2
    sketch.disc(1, 3, r, GOLD_WALL)
    sketch.disc(0, 0, r, GOLD)
    draw_marble(sketch, 0, 0, r - rim, colour, theme)
    draw_crown(sketch, 0, 0, r - rim, LINE if colour == "light" else GOLD_CROWN)
    return Tile(sketch)


@lru_cache(maxsize=16)
def make_absent_queen(ink: RGB, r: float = 42) -> Tile:
    """Return the sign in the footer of a queen who is on the board."""
    sketch = pieces.sketch_around(r + 6)
    sketch.dashed_ring(0, 0, r, ink, 5, 10, 11)
    draw_crown(sketch, 0, 0, r * 0.93, ink)
    return Tile(sketch)


@lru_cache(maxsize=32)
def make_shadow(r: float, ink: RGB) -> Tile:
    """Return the flat shadow of a marble, to be put before it."""
    sketch = pieces.sketch_around(r + 10)
    sketch.disc(r * 0.045, r * 0.13, r, ink)
    return Tile(sketch)


@lru_cache(maxsize=32)
def make_chosen_mark(r: float, ink: RGB) -> Tile:
    """Return what goes under the piece that has been chosen: a cream ring in a disc of the ink."""
    sketch = pieces.sketch_around(r + 2)
    sketch.disc(0, 0, r, ink)
    sketch.disc(0, 0, r - 4, CREAM)
    sketch.disc(0, 0, r - 9, ink)
    return Tile(sketch)


@lru_cache(maxsize=16)
def make_slot(ink: RGB, gone: bool) -> Tile:
    """Return an empty place of a rail: a dot, or a cross for a piece that is lost."""
    sketch = pieces.sketch_around(14)
    if gone:
        sketch.cross(0, 0, 7.5, ink, 5.5)
    else:
        sketch.disc(0, 0, 5, ink)
    return Tile(sketch)
