"""Pieces and marks that several games share, each made once as a tile; their anchor is the cell's centre."""

from __future__ import annotations

import math
from functools import lru_cache

from render import text as lettering
from render import theme as themes
from render.canvas import Tile
from render.sketch import Point, Sketch, regular
from render.theme import RGB, Set, Theme

_PAD = 12


def sketch_around(reach: float) -> Sketch:
    """Return a transparent sketch that reaches this far in all directions from (0, 0)."""
    side = math.ceil(reach) + 2
    return Sketch(2 * side, 2 * side, (side, side))


def draw_disc(sketch: Sketch, x: float, y: float, r: float, inks: Set, theme: Theme, wall: float = 0.22) -> None:
    """Draw a disc with its thickness; (x, y) is the middle of the whole, a little below that of its face."""
    thick = r * wall
    top, bottom = y - thick / 2, y + thick / 2
    line = theme.outline or max(3, r * 0.06) if inks.contour != inks.wall or theme.outline else 0
    if line:
        _pillar(sketch, x, top, bottom, r, inks.contour)
    inner = r - line
    _pillar(sketch, x, top, bottom, inner, inks.wall)
    sketch.disc(x, top, inner, inks.rim)
    sketch.disc(x, top, inner - (2.2 if inks.rim != inks.face else 0), inks.face)
    draw_emblem(sketch, x, top, r, inks)


def _pillar(sketch: Sketch, x: float, top: float, bottom: float, r: float, ink: RGB) -> None:
    sketch.disc(x, bottom, r, ink)
    sketch.box(x - r, top, x + r, bottom, ink)
    sketch.disc(x, top, r, ink)


def draw_emblem(sketch: Sketch, x: float, y: float, r: float, inks: Set, ink: RGB | None = None) -> None:
    """Draw the emblem that tells a seat's pieces without their colour on a face of radius r."""
    ink = ink or inks.emblem
    match inks.shape:
        case "triangle":
            sketch.polygon(regular(x, y + r * 0.05, r * 0.56, 3, -90), ink, r * 0.07)
        case "dot":
            sketch.disc(x, y, r * 0.42, ink)
        case "square":
            sketch.box(x - r * 0.38, y - r * 0.38, x + r * 0.38, y + r * 0.38, ink, r * 0.08)
        case "bars":
            for side in (-1, 1):
                middle = y + side * r * 0.24
                sketch.box(x - r * 0.44, middle - r * 0.14, x + r * 0.44, middle + r * 0.14, ink, r * 0.06)
        case "plus":
            sketch.box(x - r * 0.46, y - r * 0.15, x + r * 0.46, y + r * 0.15, ink, r * 0.05)
            sketch.box(x - r * 0.15, y - r * 0.46, x + r * 0.15, y + r * 0.46, ink, r * 0.05)
        case "ring":
            sketch.ring(x, y, r * 0.54, ink, max(3, r * 0.145))
        case "inlay":
            sketch.disc(x, y, r * 0.28, ink)
        case "hourglass":
            wide, high = r * 0.34, r * 0.5
            sketch.polygon([(x - wide, y - high), (x + wide, y - high), (x, y + high * 0.1)], ink, r * 0.05)
            sketch.polygon([(x - wide, y + high), (x + wide, y + high), (x, y - high * 0.1)], ink, r * 0.05)


@lru_cache(maxsize=256)
def disc(theme: Theme, inks: str, r: float, wall: float = 0.22) -> Tile:
    """Return a disc of one of the theme's sets without a shadow."""
    sketch = sketch_around(r * (1 + wall))
    draw_disc(sketch, 0, 0, r, theme.sets[inks], theme, wall)
    return Tile(sketch)


@lru_cache(maxsize=64)
def shadow(r: float, ink: RGB, strength: float = 0.5, wall: float = 0.22) -> Tile:
    """Return the flat shadow of a disc, to be put before it."""
    sketch = sketch_around(r * (1 + wall) + 8)
    shade = (*ink, round(255 * strength))
    drop = r * wall / 2
    sketch.disc(r * 0.07, drop + r * 0.12, r, shade)
    return Tile(sketch)


@lru_cache(maxsize=256)
def ring(r: float, ink: RGB, width: float, dashed: bool = False) -> Tile:
    """Return a circle, or a dashed one (the mark of the cell that was left)."""
    sketch = sketch_around(r + width)
    if dashed:
        sketch.dashed_ring(0, 0, r, ink, width)
    else:
        sketch.ring(0, 0, r, ink, width)
    return Tile(sketch)


@lru_cache(maxsize=64)
def captured(r: float = 37, half: float = 15) -> Tile:
    """Return the mark of a captured piece: a ring and a cross."""
    sketch = sketch_around(r + 6)
    sketch.ring(0, 0, r, themes.LINE, 6)
    sketch.cross(0, 0, half, themes.CROSS, 11)
    return Tile(sketch)


@lru_cache(maxsize=64)
def badge(r: float = 20) -> Tile:
    """Return the small mark of a piece captured on the cell where the mover now stands."""
    sketch = sketch_around(r + 4)
    sketch.disc(0, 0, r + 2, themes.LINE)
    sketch.disc(0, 0, r - 2, themes.PALE)
    sketch.cross(0, 0, r * 0.4, themes.CROSS, 7)
    return Tile(sketch)


@lru_cache(maxsize=64)
def returned(r: float = 34) -> Tile:
    """Return the mark of a piece taken back: a dashed ring and an arrow that turns round."""
    sketch = sketch_around(r + 6)
    sketch.dashed_ring(0, 0, r, themes.LINE, 6)
    unit = r / 34
    head = [(-5.0, -14.3), (-13.2, -6.4), (-5.0, 1.5)]
    bow = [(5.3 + 8.5 * math.cos(at), 2.1 + 8.5 * math.sin(at)) for at in (math.pi * (n / 16 - 0.5) for n in range(17))]
    arrow = [(-10.0, -6.4), *bow, (-4.4, 10.6)]
    for points in (head, arrow):
        sketch.line([(x * unit, y * unit) for x, y in points], themes.LINE, 6.8 * unit)
    sketch.polygon([(x * unit, y * unit) for x, y in head], themes.LINE)
    return Tile(sketch)


@lru_cache(maxsize=512)
def path(points: tuple[Point, ...], ink: RGB, width: float) -> Tile:
    """Return a line through points given from the anchor."""
    reach = max(max(abs(x), abs(y)) for x, y in points) + width
    sketch = sketch_around(reach)
    sketch.line(points, ink, width)
    return Tile(sketch)


@lru_cache(maxsize=64)
def movable(r: float) -> Tile:
    """Return what goes under a piece that can act: a cream disc in a deep ring of outer radius r."""
    sketch = sketch_around(r + 2)
    sketch.disc(0, 0, r, themes.DEEP)
    sketch.disc(0, 0, r - 8, themes.CREAM)
    return Tile(sketch)


@lru_cache(maxsize=256)
def move_target(label: str, r: float = 27) -> Tile:
    """Return the disc of a cell that can be moved to, with its number; smaller without one."""
    sketch = sketch_around(r + 2)
    if label:
        sketch.disc(0, 0, r, themes.LINE)
        _number(sketch, label, r * 1.6)
    else:
        sketch.disc(0, 0, r * 0.5, themes.LINE)
    return Tile(sketch)


@lru_cache(maxsize=256)
def piece_number(label: str, r: float = 20) -> Tile:
    """Return the number of a piece that can be chosen, to be put at its upper left."""
    sketch = sketch_around(r + 5)
    sketch.disc(0, 0, r + 3.5, themes.CREAM)
    sketch.disc(0, 0, r, themes.DEEP)
    _number(sketch, label, r * 1.7, min(36, r * 1.5))
    return Tile(sketch)


@lru_cache(maxsize=256)
def capture_target(label: str, r: float = 57, half: float = 29) -> Tile:
    """Return the mark of a piece that can be captured: four red arcs around it and a square with its number."""
    sketch = sketch_around(r + 8)
    for width, ink in ((12.5, themes.CREAM), (7.5, themes.CROSS)):
        for quarter in range(4):
            start = 90 * quarter + 17
            sketch.arc(0, 0, r - 4, start, start + 56, ink, width)
    if not label:
        half *= 0.55
    sketch.box(-half, -half, half, half, themes.CREAM, half * 0.3)
    inner = half - 4
    sketch.box(-inner, -inner, inner, inner, themes.CROSS, half * 0.22)
    _number(sketch, label, inner * 1.5)
    return Tile(sketch)


def _number(sketch: Sketch, label: str, room: float, most: float = 36) -> None:
    if label:
        words, size = lettering.fit(label, room, most, 20)
        sketch.centred(0, 0, words, size, themes.CREAM)


@lru_cache(maxsize=384)
def label(
    words: str, size: float, ink: RGB, weight: lettering.Weight = "bold", align: lettering.Align = "left"
) -> Tile:
    """Return a text as a tile, its anchor on the baseline at the start, the middle or the end."""
    wide, high = math.ceil(lettering.width(words, size, weight)) + 2 * _PAD, math.ceil(size * 1.7)
    start = {"left": 0.0, "centre": 0.5, "right": 1.0}[align] * (wide - 2 * _PAD) + _PAD
    origin = (round(start), math.ceil(size * 1.15))
    sketch = Sketch(wide, high, origin)
    sketch.text(0, 0, words, size, ink, weight, align)
    return Tile(sketch)


@lru_cache(maxsize=16)
def flag(ink: RGB, height: float = 30) -> Tile:
    """Return a flag on its pole, the mark of a seat that left; its anchor is the foot of the pole."""
    sketch = sketch_around(height * 1.1)
    cloth = [(0, -height), (height * 0.85, -height * 0.72), (0, -height * 0.42)]
    sketch.polygon(cloth, ink, 2)
    sketch.line([(0, -height), (0, -2)], ink, 4)
    return Tile(sketch)


@lru_cache(maxsize=16)
def laurel(r: float, ink: RGB) -> Tile:
    """Return the wreath around the emblem of a winner, open at the top."""
    sketch = sketch_around(r * 1.3 + 6)
    for side in (-1, 1):
        sketch.arc(0, 0, r, 90, 90 - side * 122, ink, 3.5)
        for leaf in range(5):
            angle = 90 - side * (26 + 25 * leaf)
            for lean, out in ((38, 1.11), (-38, 0.91)):
                at = math.radians(angle)
                x, y = r * out * math.cos(at), r * out * math.sin(at)
                # A leaf points along the stem, away from the foot of the wreath, and leans to its side.
                _leaf(sketch, x, y, math.radians(angle - side * (90 - lean)), r * 0.18, ink)
        at = math.radians(90 - side * 138)
        _leaf(sketch, r * math.cos(at), r * math.sin(at), math.radians(90 - side * 228), r * 0.22, ink)
    return Tile(sketch)


def _leaf(sketch: Sketch, x: float, y: float, angle: float, half: float, ink: RGB) -> None:
    dx, dy = math.cos(angle), math.sin(angle)
    points = []
    for step in range(25):
        t = math.pi * step / 12
        along, across = math.cos(t) * half, math.sin(t) * half * 0.45 * (1 - 0.25 * math.cos(t))
        points.append((x + along * dx - across * dy, y + along * dy + across * dx))
    sketch.polygon(points, ink)
