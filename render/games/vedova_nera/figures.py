"""What lies on the web and in the tray: spiders, the Counsellor, marbles, plaques for goals; each a tile made once."""

import math
from functools import lru_cache

from render import pieces
from render.canvas import Tile
from render.games.vedova_nera.web import BOARDS
from render.sketch import Point, Sketch, regular_polygon
from render.theme import LINE, RGB, Set, Theme, contrast

PAWN_RADIUS = 25.5
MARBLE_RADIUS = 17.5
_WALL = 5.6
_LIGHT = 2.0


def _turned(along: float, aside: float, spoke: float) -> Point:
    """Return a point given outwards along a spoke and clockwise from it."""
    angle = math.radians(45 * spoke)
    return along * math.sin(angle) + aside * math.cos(angle), -along * math.cos(angle) + aside * math.sin(angle)


def draw_spider(sketch: Sketch, x: float, y: float, r: float, ink: RGB) -> None:
    """Draw a spider seen from above, its head up, its legs within radius r (the game's emblem)."""
    sketch.disc(x, y + r * 0.1, r * 0.36, ink)
    sketch.disc(x, y - r * 0.3, r * 0.24, ink)
    width = max(3, r * 0.13)
    for side in (-1, 1):
        for knee, foot in (
            ((0.42, -0.52), (0.34, -0.98)),
            ((0.62, -0.24), (0.94, -0.44)),
            ((0.62, 0.16), (0.94, 0.36)),
            ((0.42, 0.46), (0.36, 0.98)),
        ):
            path = [(0.0, 0.0), (side * knee[0], knee[1]), (side * foot[0], foot[1])]
            sketch.line([(x + px * r, y + py * r) for px, py in path], ink, width)


@lru_cache(maxsize=128)
def make_count(ink: RGB, count: int, r: float, size: int, gap: int) -> Tile:
    """Return a spider of radius r and, from `gap` on, the number of stable pawns; its anchor is the spider's middle."""
    half = max(r, size) + 2
    sketch = Sketch(round(r + gap + size), round(2 * half), (r + 2, half))
    draw_spider(sketch, 0, 0, r, ink)
    sketch.text(gap, size * 0.35, str(count), size, ink)
    return Tile(sketch)


def _pillar(sketch: Sketch, top: float, bottom: float, r: float, ink: RGB) -> None:
    sketch.disc(0, bottom, r, ink)
    sketch.box(-r, top, r, bottom, ink)
    sketch.disc(0, top, r, ink)


@lru_cache(maxsize=128)
def make_spider(theme: Theme, colour: str, spoke: int, on_plaque: bool = False, reached: bool = False) -> Tile:
    """Return a stable pawn with its shadow: it has grown eight legs and a head that looks outwards along its spoke.

    Light legs that reach beyond a plaque have a dark edge; on the last turn's saffron all legs are dark.
    """
    bright = on_plaque and not reached
    inks, ink = theme.sets[colour], LINE if reached else theme.ink
    sketch = pieces.sketch_around(50)
    pieces.draw_shadow(sketch, PAWN_RADIUS, BOARDS[theme.key].wall)
    top = -_WALL / 2
    for grown, line in ((2.0, LINE), (0.0, ink)) if bright and ink != LINE else ((0.0, ink),):
        for side in (-1, 1):
            for angle, bend in ((42, -14), (74, -9), (106, 9), (138, 14)):
                path = []
                for reach, turn in ((PAWN_RADIUS - 4, 0), (PAWN_RADIUS + 9, 0), (PAWN_RADIUS + 17, bend)):
                    at = math.radians(angle + turn)
                    path.append(_turned(reach * math.cos(at), side * reach * math.sin(at), spoke))
                sketch.line(path, line, 5 + 2 * grown)
        hx, hy = _turned(PAWN_RADIUS + 3, 0, spoke)
        sketch.disc(hx, hy, 9 + grown, line)
        _pillar(sketch, top, -top, PAWN_RADIUS + grown, line)
    sketch.disc(0, top, PAWN_RADIUS - 3, inks.face)
    pieces.draw_emblem(sketch, 0, top, PAWN_RADIUS, inks)
    return Tile(sketch)


@lru_cache(maxsize=8)
def make_counsellor(theme: Theme) -> Tile:
    """Return the Counsellor with his shadow: an octagon with an hourglass."""
    inks, r = theme.sets["counsellor"], PAWN_RADIUS + 0.5
    sketch = pieces.sketch_around(r + 8)
    pieces.draw_shadow(sketch, PAWN_RADIUS, BOARDS[theme.key].wall)
    if needs_light_line(theme):
        for drop in (-r * 0.11, r * 0.11):
            sketch.polygon(regular_polygon(0, drop, r / math.cos(math.pi / 8) + _LIGHT, 8, 22.5), inks.tint)
    draw_octagon(sketch, 0, 0, r, inks, r * 0.22)
    return Tile(sketch)


def draw_octagon(sketch: Sketch, x: float, y: float, r: float, inks: Set, wall: float) -> None:
    """Draw an octagon with its thickness, an hourglass on it."""
    top, bottom = y - wall / 2, y + wall / 2
    edge = r / math.cos(math.pi / 8)
    for reach, ink in ((edge, inks.contour), (edge - 2, inks.wall)):
        for step in range(9):
            sketch.polygon(regular_polygon(x, bottom + (top - bottom) * step / 8, reach, 8, 22.5), ink)
    sketch.polygon(regular_polygon(x, top, edge - 1, 8, 22.5), inks.rim)
    sketch.polygon(regular_polygon(x, top, edge - 4, 8, 22.5), inks.face)
    pieces.draw_emblem(sketch, x, top, r, inks)


def _mixed(a: RGB, b: RGB, part: float) -> RGB:
    return (round(a[0] + (b[0] - a[0]) * part), round(a[1] + (b[1] - a[1]) * part), round(a[2] + (b[2] - a[2]) * part))


def marble_edge(theme: Theme, inks: Set) -> RGB:
    """Return the ink of a marble's edge: light where the marble would be lost in the dark of the tray."""
    if theme.outline:
        return inks.contour
    return inks.face if contrast(inks.face, BOARDS[theme.key].tray) >= 3.4 else inks.tint


def plaque_edge(theme: Theme, inks: Set) -> RGB:
    """Return the ink of a plaque's edge and emblem."""
    if theme.outline:
        return LINE
    return inks.wall if contrast(inks.wall, inks.tint) > 3.1 else inks.contour


@lru_cache(maxsize=64)
def make_marble(theme: Theme, colour: str, r: float = MARBLE_RADIUS) -> Tile:
    """Return a marble: eight discs, one in the other, from the shade below to the light above."""
    inks = theme.sets[colour]
    sketch = pieces.sketch_around(r + 5)
    sketch.disc(0.5, 2.5, r, BOARDS[theme.key].pit)
    line = 2.5 if theme.outline else 0
    if line:
        sketch.disc(0, 0, r, inks.contour)
    for step in range(8):
        part = step / 7
        sketch.disc(0, -2.2 * part, (r - line) * (1 - 0.14 * part), _mixed(inks.wall, inks.face, min(1, part * 1.6)))
    light = _mixed(inks.face, (255, 255, 255), 0.45)
    if inks.shape == "hourglass":
        light = _mixed(inks.face, (255, 255, 255), 0.3)
    if (edge := marble_edge(theme, inks)) == inks.tint:
        sketch.ring(0, 0, r - 1.25, edge, 2.5)
    sketch.arc(0, -1, r * 0.72, 190, 250, light, max(2.5, r * 0.15))
    pieces.draw_emblem(sketch, 0, -1, r * 0.82, inks)
    return Tile(sketch)


@lru_cache(maxsize=128)
def make_plaque(theme: Theme, colour: str, spoke: int) -> Tile:
    """Return the goal of the colour whose goals stand out: a plaque across the spoke, wider than a pawn."""
    inks = theme.sets[colour]
    edge = plaque_edge(theme, inks)
    sketch = pieces.sketch_around(52)
    for wide, high, ink in ((40, 26, edge), (35.5, 21.5, inks.tint)):
        corners = [_turned(high * a, wide * b, spoke) for a, b in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
        sketch.polygon(corners, ink, 12 if ink == edge else 8)
    pieces.draw_emblem(sketch, 0, 0, PAWN_RADIUS, inks, edge)
    return Tile(sketch)


@lru_cache(maxsize=64)
def make_goal(theme: Theme, colour: str, reach: float = 18) -> Tile:
    """Return the goal of another colour: its emblem on the node, or smaller beside what stands there."""
    inks, board = theme.sets[colour], BOARDS[theme.key]
    sketch, part = pieces.sketch_around(22), reach / 18
    sketch.disc(0, 0, reach, board.thread)
    sketch.disc(0, 0, reach - 3.5 * part, board.goal)
    if contrast(inks.face, board.goal) < (2 if inks.shape == "hourglass" else 1.4):
        # On a ground of its own colour its emblem looks as it does on the pawn.
        pieces.draw_emblem(sketch, 0, 0, 22 * part, inks)
        return Tile(sketch)
    # Small forms look larger than they are when they fill their square.
    r = {"triangle": 19, "hourglass": 22}.get(inks.shape, 21) * part
    if contrast(inks.face, board.goal) < 3:
        pieces.draw_emblem(sketch, 0, 0, r + 5 * part, inks, inks.contour)
    pieces.draw_emblem(sketch, 0, 0, r, inks, inks.face)
    return Tile(sketch)


@lru_cache(maxsize=64)
def make_pawn(theme: Theme, colour: str, on_plaque: bool = False) -> Tile:
    """Return a pawn on the web with its shadow.

    It has a dark line around it on a plaque, and a light one where the web is dark.
    """
    sketch = pieces.sketch_around(PAWN_RADIUS * 1.22 + 4)
    pieces.draw_shadow(sketch, PAWN_RADIUS, BOARDS[theme.key].wall)
    if on_plaque:
        sketch.disc(0, 0, PAWN_RADIUS + 2.5, LINE)
    if needs_light_line(theme):
        _pillar(sketch, -_WALL / 2, _WALL / 2, PAWN_RADIUS + _LIGHT, theme.sets[colour].tint)
    pieces.draw_disc(sketch, 0, 0, PAWN_RADIUS, theme.sets[colour], theme)
    return Tile(sketch)


def needs_light_line(theme: Theme) -> bool:
    """Say whether the web is so dark that pieces need a light line around them."""
    return contrast(BOARDS[theme.key].slab, LINE) < 3


@lru_cache(maxsize=64)
def make_token(theme: Theme, colour: str, r: float) -> Tile:
    """Return a pawn off the web, as small as it stands beside its player's name."""
    inks = theme.sets[colour]
    sketch = pieces.sketch_around(r * 1.5)
    if theme.outline:
        _pillar(sketch, -1.5, 1.5, r + 2, inks.contour)
    else:
        _pillar(sketch, -1.5, 1.5, r, inks.wall)
    sketch.disc(0, -1.5, r - 0.8, inks.face)
    pieces.draw_emblem(sketch, 0, -1.5, r, inks)
    return Tile(sketch)
