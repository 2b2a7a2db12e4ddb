"""Pieces and marks shared by several games, each made once as a tile; their anchor is the cell's centre.

A suggested turn on any board: an arrow where a piece goes, brackets around where it ends, numbers for their order.

Shapes that nothing else on the boards has, in deep green with a cream edge (red with a cross beside for captures):
they differ from the marks of the last turn and of choices without colours.
"""

import math
from collections.abc import Callable, Container, Sequence
from functools import lru_cache
from typing import Final

from render import text as lettering, theme as themes
from render.canvas import Canvas, Spots, Tile, figure
from render.scene import Hint, Scene
from render.sketch import SUPERSAMPLING, Point, Sketch, on_circle, regular_polygon
from render.text import Weight
from render.theme import CREAM, CROSS, DEEP, RGB, Set, Theme

_PADDING = 12
_WALL: Final = 0.22
"""How thick discs are, in radii."""
EDGE_WIDTH: Final = 4
"""Width of the edge of reachable cells."""
CAPTURE_NUMBER_OFFSET: Final = 0.8
"""How far the number of a capture stands to the right of its piece and above it, in radii of the arcs."""


def draw_disc(sketch: Sketch, r: float, inks: Set, theme: Theme) -> None:
    """Draw a disc with its thickness; (0, 0) is the middle of the whole, a little below that of its face."""
    bottom = r * _WALL / 2
    line = theme.outline or max(3, r * 0.06) if inks.contour != inks.wall or theme.outline else 0
    if line:
        draw_pillar(sketch, bottom, r, inks.contour)
    inner = r - line
    draw_pillar(sketch, bottom, inner, inks.wall)
    sketch.disc(0, -bottom, inner, inks.rim)
    sketch.disc(0, -bottom, inner - (2.2 if inks.rim != inks.face else 0), inks.face)
    draw_emblem(sketch, 0, -bottom, r, inks)


def draw_pillar(sketch: Sketch, bottom: float, r: float, ink: RGB) -> None:
    """Draw what is seen of an upright cylinder, whose foot is as far below (0, 0) as its upper face is above."""
    sketch.disc(0, bottom, r, ink)
    sketch.box(-r, -bottom, r, bottom, ink)
    sketch.disc(0, -bottom, r, ink)


def draw_emblem(sketch: Sketch, x: float, y: float, r: float, inks: Set, ink: RGB | None = None) -> None:
    """Draw the emblem that tells a seat's pieces without their colour on a face of radius r."""
    face, ink = sketch.at(x, y, r), ink or inks.emblem
    match inks.shape:
        case "triangle":
            face.polygon(regular_polygon(0, 0.05, 0.56, 3, -90), ink, 0.07)
        case "dot":
            face.disc(0, 0, 0.42, ink)
        case "square":
            face.plate(0, 0, 0.38, 0.38, ink, 0.08)
        case "bars":
            for side in (-1, 1):
                face.plate(0, side * 0.24, 0.44, 0.14, ink, 0.06)
        case "plus":
            face.plate(0, 0, 0.46, 0.15, ink, 0.05)
            face.plate(0, 0, 0.15, 0.46, ink, 0.05)
        case "ring":
            face.ring(0, 0, 0.54, ink, max(3 / r, 0.145))
        case "inlay":
            face.disc(0, 0, 0.28, ink)
        case "hourglass":
            for side in (-1, 1):
                face.polygon([(-0.34, side * 0.5), (0.34, side * 0.5), (0, -side * 0.05)], ink, 0.05)


@figure(256)
def make_disc(sketch: Sketch, theme: Theme, inks: str, r: float) -> None:
    """Return a disc of one of the theme's sets without a shadow."""
    draw_disc(sketch, r, theme.sets[inks], theme)


def draw_shadow(sketch: Sketch, r: float, ink: RGB) -> None:
    """Draw the flat shadow of a disc around (0, 0), to be done before the disc."""
    sketch.disc(r * 0.07, r * (_WALL / 2 + 0.12), r, (*ink, 128))


make_shadow: Final = figure()(draw_shadow)
"""Returns the flat shadow of a disc, to be put before it."""


@figure(256)
def make_discs(sketch: Sketch, *discs: tuple[float, RGB]) -> None:
    """Return flat discs on each other, each with its radius, the largest first."""
    for r, ink in discs:
        sketch.disc(0, 0, r, ink)


def make_patch(r: float, ink: RGB) -> Tile:
    """Return a flat disc, to be put under a piece or a mark, or into an empty hollow."""
    return make_discs((r, ink))


@figure(256)
def make_ring(sketch: Sketch, r: float, ink: RGB, width: float, dashed: bool = False) -> None:
    """Return a circle, or a dashed one (the mark of the cell that was left)."""
    if dashed:
        sketch.dashed_ring(r, ink, width)
    else:
        sketch.ring(0, 0, r, ink, width)


@figure()
def make_lost_sign(sketch: Sketch, ink: RGB) -> None:
    """Return the sign of a piece that is lost, for a row of pieces: a cross."""
    sketch.cross(0, 0, 7.5, ink, 5.5)


@figure()
def make_captured_mark(sketch: Sketch, r: float, half: float = 15) -> None:
    """Return the mark of a captured piece: a ring and a cross."""
    sketch.ring(0, 0, r, themes.LINE, 6)
    sketch.cross(0, 0, half, themes.CROSS, 11)


@figure()
def make_badge(sketch: Sketch, r: float = 20) -> None:
    """Return the small mark of a piece captured on the cell where the mover now stands."""
    sketch.disc(0, 0, r + 2, themes.LINE)
    sketch.disc(0, 0, r - 2, themes.PALE)
    sketch.cross(0, 0, r * 0.4, themes.CROSS, 7)


@figure()
def make_taken_mark(sketch: Sketch, theme: Theme, inks: str, r: float, square: bool = False) -> None:
    """Return the mark of a captured piece where several players have some: flat, with a cross in its corner."""
    each = theme.sets[inks]
    line = max(2.0, r * 0.1)
    for number, ink in enumerate((themes.LINE, themes.PALE, each.contour, each.face)):
        _draw_flat(sketch, r - number * line, ink, square)
    draw_emblem(sketch, 0, 0, r - line, each)
    corner, badge = sketch.at(r * 0.62, r * 0.62), max(9.0, r * 0.46)
    corner.disc(0, 0, badge + 2, themes.LINE)
    corner.disc(0, 0, badge - 1, themes.PALE)
    corner.cross(0, 0, badge * 0.42, themes.CROSS, max(4.5, badge * 0.36))


def _draw_flat(sketch: Sketch, reach: float, ink: RGB, square: bool, corner: float = 0.3) -> None:
    """Draw a flat piece, round or square."""
    if square:
        sketch.plate(0, 0, reach * 0.9, reach * 0.9, ink, reach * corner)
    else:
        sketch.disc(0, 0, reach, ink)


@figure()
def make_taken_badge(sketch: Sketch, theme: Theme, inks: str, square: bool = False) -> None:
    """Return the small mark of a piece captured where something else is now: whose it was, and a cross beside it."""
    each = theme.sets[inks]
    sketch.plate(0, 0, 29, 15, themes.LINE, 15)
    sketch.plate(0, 0, 27, 13, themes.PALE, 13)
    piece = sketch.at(-14, 0)
    _draw_flat(piece, 12, each.contour, square, 0.27)
    _draw_flat(piece, 10.5, each.face, square, 0.27)
    draw_emblem(piece, 0, 0, 13, each)
    sketch.cross(14, 0, 6.5, themes.CROSS, 6.5)


@figure()
def make_returned_mark(sketch: Sketch, r: float = 34) -> None:
    """Return the mark of a piece taken back: a dashed ring and an arrow that turns round."""
    sketch.dashed_ring(r, themes.LINE, 6)
    head = [(-5.0, -14.3), (-13.2, -6.4), (-5.0, 1.5)]
    bow = [on_circle(5.3, 2.1, 8.5, math.pi * (n / 16 - 0.5)) for n in range(17)]
    arrow = sketch.at(0, 0, r / 34)
    arrow.line(head, themes.LINE, 6.8)
    arrow.line([(-10.0, -6.4), *bow, (-4.4, 10.6)], themes.LINE, 6.8)
    arrow.polygon(head, themes.LINE)


@figure(512)
def make_path(sketch: Sketch, points: tuple[Point, ...], ink: RGB, width: float) -> None:
    """Return a line through points given from the anchor."""
    sketch.line(points, ink, width)


def make_movable_mark(r: float, width: float = 8) -> Tile:
    """Return what goes under a piece that can act: a cream disc in a deep ring of outer radius r."""
    return make_discs((r, themes.DEEP), (r - width, themes.CREAM))


def make_other_movable_mark(r: float) -> Tile:
    """Return the thin ring of a piece that could act as well while another one is chosen."""
    return make_ring(r - 2, themes.DEEP, 3)


def open_cell(r: float = 10) -> Tile:
    """Return the small mark of a cell that can be chosen, shown before a person is choosing."""
    return make_discs((r, themes.DEEP), (r * 0.58, themes.WATER))


def make_place(r: float) -> Tile:
    """Return the disc under what can be reached; its edge is seen where its colour is not."""
    return make_discs((r, themes.DEEP), (r - EDGE_WIDTH, themes.WATER))


@figure(256)
def move_target(sketch: Sketch, label: str, r: float = 27) -> None:
    """Return the disc of a cell that can be moved to, with its number; smaller without one."""
    if label:
        _draw_number(sketch, label, r, min(36.0, r * 1.35), ((0.0, themes.LINE),), r)
    else:
        sketch.disc(0, 0, r * 0.5, themes.LINE)


@figure(256)
def piece_number(sketch: Sketch, label: str, r: float = 20) -> None:
    """Return the number of a piece that can be chosen, to be put beside its face."""
    _draw_number(sketch, label, r, min(36.0, r * 1.5), ((3.5, themes.CREAM), (0.0, themes.DEEP)), r)


@figure()
def order_number(sketch: Sketch, label: str, r: float = 17) -> None:
    """Return the number of an earlier turn among those since a person's last, to be put beside what it moved."""
    _draw_number(sketch, label, r, r * 1.5, ((2.5, themes.LINE), (0.0, themes.PALE)), r, themes.LINE)


def _draw_number(
    sketch: Sketch,
    label: str,
    r: float,
    size: float,
    layers: tuple[tuple[float, RGB], ...],
    corner: float,
    ink: RGB = themes.CREAM,
) -> None:
    """Draw a number on a field 2r high, which is wider where the number needs it; `layers` lie on each other."""
    size = max(lettering.MIN_SIZE, size)
    high = max(r, size * lettering.CAPITAL_HEIGHT / 2 + 4)
    # In a round field the corners of the figures come nearest to the edge.
    room = (
        math.sqrt(max(0.0, (high - 1.5) ** 2 - (size * lettering.CAPITAL_HEIGHT / 2) ** 2)) if corner >= r else high - 4
    )
    aside = max(0.0, lettering.text_width(label, size) / 2 - room)
    for grown, tone in layers:
        wide, tall = high + aside + grown, high + grown
        sketch.plate(0, 0, wide, tall, tone, min(corner + grown, tall))
    sketch.centred(0, 0, label, size, ink)


@figure()
def capture_arcs(sketch: Sketch, r: float) -> None:
    """Return four red arcs around a piece that can be captured, which leave its face free."""
    for width, ink in ((12.5, themes.CREAM), (7.5, themes.CROSS)):
        for quarter in range(4):
            start = 90 * quarter + 17
            sketch.arc(0, 0, r - 4, start, start + 56, ink, width)


@figure(256)
def capture_number(sketch: Sketch, label: str, half: float = 20) -> None:
    """Return the number of a capture in a red square; without a number it has a cross."""
    if label:
        _draw_number(sketch, label, half, half * 1.5, ((4.0, themes.CREAM), (0.0, themes.CROSS)), half * 0.25)
        return
    half *= 0.8
    sketch.plate(0, 0, half + 4, half + 4, themes.CREAM, half * 0.3 + 4)
    sketch.plate(0, 0, half, half, themes.CROSS, half * 0.3)
    sketch.cross(0, 0, half * 0.45, themes.CREAM, 6)


def put_captures(
    canvas: Canvas,
    scene: Scene,
    r: float,
    half: float = 20,
    aside: Point = (CAPTURE_NUMBER_OFFSET, CAPTURE_NUMBER_OFFSET),
    dy: float = 0,
) -> None:
    """Put the marks of all pieces that can be captured, `dy` below the cells' middles: each number at the upper right.

    `aside` is how far to the right and above, in radii of the arcs. Before a person chooses there are the arcs alone.
    What is chosen from stays to be seen: the numbers stand beside the faces, and over all arcs.
    """
    marked = [target for target in scene.targets if target.capture and target.cell in canvas.places]
    for target in marked:
        canvas.put_on(capture_arcs(r), target.cell, 0, dy)
    for target in marked if not scene.beforehand else ():
        canvas.put_on(capture_number(target.label, half), target.cell, r * aside[0], dy - r * aside[1])


def put_numbers(canvas: Canvas, scene: Scene, standing: Container[str], r: float, dx: float, dy: float) -> None:
    """Put the numbers of the pieces that can be chosen beside their faces."""
    for cell, number in scene.choices.numbers:
        if cell in standing:
            canvas.put_on(piece_number(number, r), cell, dx, dy)


def put_movable(canvas: Canvas, scene: Scene, standing: Container[str], r: float, width: float = 8) -> None:
    """Put what goes under the pieces that can act; once one is chosen, that of the others."""
    chosen = scene.choices.chosen
    for cell in scene.choices.movable:
        if cell in standing and cell != chosen:
            canvas.put_on(make_movable_mark(r, width) if chosen is None else make_other_movable_mark(r), cell)


@lru_cache(maxsize=1536)
def make_label(words: str, size: float, ink: RGB, weight: Weight = "bold", align: lettering.Align = "left") -> Tile:
    """Return a text as a tile, its anchor on the baseline at the start, the middle or the end."""
    length, part = lettering.text_width(words, size, weight), {"left": 0.0, "centre": 0.5, "right": 1.0}[align]
    wide, high = math.ceil(length) + 2 * _PADDING, math.ceil(size * 1.7)
    anchor = (round(part * (wide - 2 * _PADDING) + _PADDING), math.ceil(size * 1.15))
    # Names are new all the time: only their mask is drawn large, not their colours.
    begin = round((anchor[0] - length * part) * SUPERSAMPLING), anchor[1] * SUPERSAMPLING
    fine = lettering.draw_masked(
        words, size * SUPERSAMPLING, weight, (wide * SUPERSAMPLING, high * SUPERSAMPLING), begin
    )
    return Tile(fine.reduce(SUPERSAMPLING), anchor, ink)


@figure()
def make_flag(sketch: Sketch, ink: RGB, height: float = 30) -> None:
    """Return a flag on its pole, the mark of a seat that left; its anchor is the foot of the pole."""
    cloth = [(0, -height), (height * 0.85, -height * 0.72), (0, -height * 0.42)]
    sketch.polygon(cloth, ink, 2)
    sketch.line([(0, -height), (0, -2)], ink, 4)


@figure()
def make_laurel(sketch: Sketch, r: float, ink: RGB) -> None:
    """Return the wreath around the emblem of a winner, open at the top; a small one has fewer and larger leaves."""
    leaves, half = (6, r * 0.19) if r >= 30 else (4, r * 0.3)
    span = 132 / leaves
    for side in (-1, 1):
        sketch.arc(0, 0, r, 90, 90 - side * 128, ink, 3)
        for leaf in range(leaves):
            at = math.radians(90 - side * (14 + span * (leaf + 0.5)))
            # A leaf points along the stem, away from the foot of the wreath, and leans outwards.
            x, y = r * 1.1 * math.cos(at), r * 1.1 * math.sin(at)
            _leaf(sketch, x, y, at - side * math.radians(62), half, ink)
        tip = math.radians(90 - side * 140)
        _leaf(sketch, r * math.cos(tip), r * math.sin(tip), tip - side * math.radians(84), half, ink)
    sketch.line([(-r * 0.16, r * 1.16), (0, r), (r * 0.16, r * 1.16)], ink, 3)


def _leaf(sketch: Sketch, x: float, y: float, angle: float, half: float, ink: RGB) -> None:
    dx, dy = math.cos(angle), math.sin(angle)
    points = []
    for step in range(25):
        t = math.pi * step / 12
        along, across = math.cos(t) * half, math.sin(t) * half * 0.45 * (1 - 0.25 * math.cos(t))
        points.append((x + along * dx - across * dy, y + along * dy + across * dx))
    sketch.polygon(points, ink)


_EDGE_WIDTH: Final = 5
"""Width of a mark's cream edge."""
_SMALL_REACH: Final = 24
"""Reach below which pieces are so close together that the arrow's head is drawn inside the target cell."""
_MAX_WIDTH: Final = 50

Ways = Sequence[tuple[str, str]]


def put_hint(canvas: Canvas, hint: Hint, spots: Spots, put_names: Callable[[Ways], None] | None) -> None:
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


@figure(256)
def _arrow(sketch: Sketch, dx: float, dy: float, r: float, ink: RGB) -> None:
    """Return an arrow from near the anchor to near a point; `r` is the reach of a cell."""
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    end = max(length - r / max(abs(ux), abs(uy)), r * 0.7)  # outside the brackets, where there is room
    begin = max(r * 0.3, min(r * 0.8, end - r))  # beside the piece's emblem, where there is room
    head = min(r * 0.66, (end - begin) * 0.7)
    width, neck = r * 0.2, end - head

    def at(along: float, aside: float = 0.0) -> Point:
        return ux * along - uy * aside, uy * along + ux * aside

    wide = max(head * 0.62, width)
    tip = [at(end), at(neck, wide), at(neck, -wide)]
    sketch.line([at(begin), at(neck)], CREAM, width + 2 * _EDGE_WIDTH)
    sketch.polygon(tip, CREAM)
    sketch.outline(tip, CREAM, 2 * _EDGE_WIDTH)
    sketch.line([at(begin), at(neck + 2)], ink, width)
    sketch.polygon(tip, ink)


@figure()
def _taken_up(sketch: Sketch, r: float, ink: RGB) -> None:
    """Return the ring around a small piece that is to go: its face stays free."""
    sketch.ring(0, 0, r + 4.5, CREAM, 9)
    sketch.ring(0, 0, r + 4, ink, 4)


@figure()
def _head(sketch: Sketch, dx: float, dy: float, r: float, ink: RGB) -> None:
    """Return the small cell where a piece goes: a disc with an arrow that comes from (-dx, -dy)."""
    length = math.hypot(dx, dy)
    ux, uy = dx / length * r, dy / length * r
    sketch.disc(0, 0, r + 2, CREAM)
    sketch.disc(0, 0, r - 1.5, ink)
    sketch.line([(-ux * 0.5, -uy * 0.5), (ux * 0.1, uy * 0.1)], CREAM, r * 0.26)
    sketch.polygon([(ux * 0.68, uy * 0.68), (-uy * 0.48, ux * 0.48), (uy * 0.48, -ux * 0.48)], CREAM)


@figure()
def _brackets(sketch: Sketch, r: float, ink: RGB) -> None:
    """Return four corners around a cell."""
    half, width = _half(r), min(max(7.0, r * 0.15), 8.4)
    arm = half * 0.49
    for paint, wide in ((CREAM, width + 2 * _EDGE_WIDTH), (ink, width)):
        for sx in (-1, 1):
            for sy in (-1, 1):
                corner = (sx * half, sy * half)
                sketch.line([(sx * (half - arm), sy * half), corner, (sx * half, sy * (half - arm))], paint, wide)


@figure()
def _cross(sketch: Sketch, r: float) -> None:
    """Return the sign of a capture: a cross in a disc."""
    reach = max(17.0, r * 0.32)
    sketch.disc(0, 0, reach + _EDGE_WIDTH - 1, CREAM)
    sketch.disc(0, 0, reach, CROSS)
    sketch.cross(0, 0, reach * 0.42, CREAM, max(5.0, reach * 0.26))


@figure()
def _number(sketch: Sketch, label: str, r: float, ink: RGB) -> None:
    """Return the number of a step in a disc, or of several in a wider one."""
    reach = max(20.0, r * 0.36)
    size = reach * 1.35
    aside = max(0.0, lettering.text_width(label, size) / 2 - reach * 0.6)
    for grown, paint in ((_EDGE_WIDTH - 1, CREAM), (0, ink)):
        wide, high = reach + aside + grown, reach + grown
        sketch.plate(0, 0, wide, high, paint, high)
    sketch.centred(0, 0, label, size, CREAM)
