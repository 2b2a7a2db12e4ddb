"""Hexapawn's picture: a chequered board of two woods, turned pawns, and on the rail the sign of whose goal it is."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.core import Action
from render import frame, pieces
from render.canvas import Canvas, Ground, figure
from render.frame import Column
from render.scene import GamePicture, Scene
from render.sketch import Point, Sketch
from render.theme import CREAM, DEEP, LINE, PALE, RGB, SAFFRON, WATER, Set, Theme, list_inks, read_inks

_KEY: Final = "hexapawn"
_SETS: Final = ("light", "dark")
_HEIGHT: Final = 1090
_SIDE: Final = 700
_MARGIN_LEFT: Final = 118
_TOP: Final = 142
_RAIL: Final = 34
"""How wide the rail around the board is."""
_WALL: Final = 13
"""How far the board's side is seen below it."""


@dataclass(frozen=True)
class _Wood:
    """The inks of the board: its two woods, the rail with its inlay and its side, the cells' names."""

    maple: RGB
    walnut: RGB
    rail: RGB
    inlay: RGB
    wall: RGB
    names: RGB


WOODS: Final = read_inks(
    _Wood,
    light="E6D5B8 BFA17C 6B4630 E6D5B8 3D261A 3A2418",
    dark="B79C79 957556 402B1F B79C79 241710 000000",
    contrast="F4F4F4 C4C4C4 3A3A3A FFFFFF 000000 000000",
)


def _colours(theme: Theme) -> Iterable[RGB]:
    yield from list_inks(WOODS[theme.key])
    for name in _SETS:
        yield from theme.sets[name].disc


@dataclass(frozen=True)
class _Plan:
    """Where the cells of a board lie, seen from one of its sides: `cell` is how wide each is."""

    size: int
    cell: int
    centres: Mapping[str, tuple[int, int]]

    @property
    def pawn(self) -> float:
        """How high a pawn stands, as a share of one that fills a cell of 175 pixels."""
        return self.cell / 175


@lru_cache
def _plan(size: int, turned: bool) -> _Plan:
    cell = _SIDE // size
    centres = {}
    for column in range(size):
        for row in range(size):
            x, y = (size - 1 - column, row) if turned else (column, size - 1 - row)
            centres["abcde"[column] + str(row + 1)] = (_MARGIN_LEFT + cell * x + cell // 2, _TOP + cell * y + cell // 2)
    return _Plan(size, cell, centres)


@lru_cache
def _ground(theme: Theme, size: int, turned: bool) -> Ground:
    plan, wood = _plan(size, turned), WOODS[theme.key]
    sketch = Sketch(frame.WIDTH, _HEIGHT, paper=theme.paper)
    frame.draw_title(sketch, theme, "hexapawn", _draw_emblem)
    right, bottom = _MARGIN_LEFT + plan.cell * size, _TOP + plan.cell * size
    for ink, drop in ((theme.ground, 2 * _WALL), (wood.wall, _WALL), (wood.rail, 0)):
        box = (_MARGIN_LEFT - _RAIL, _TOP - _RAIL + drop, right + _RAIL, bottom + _RAIL + drop)
        sketch.box(*box, ink, 18)
        if drop == _WALL:
            sketch.box(box[0], box[1] - _WALL, box[2], box[3] - _WALL + 2, ink, 18)
    _draw_goals(sketch, plan, wood, turned)
    half = plan.cell / 2
    for name, (x, y) in plan.centres.items():
        dark = ("abcde".index(name[0]) + int(name[1])) % 2
        sketch.box(x - half, y - half, x + half, y + half, wood.walnut if dark else wood.maple)
        sketch.text(*_name_at(plan, x, y), name, 27, wood.names, "semibold", "centre")
    for column in range(size):
        x, _ = plan.centres["abcde"[column] + "1"]
        sketch.text(x, bottom + _RAIL + 62, "abcde"[column], 34, theme.ink, "bold", "centre")
    for row in range(size):
        _, y = plan.centres["a" + str(row + 1)]
        sketch.centred(_MARGIN_LEFT - _RAIL - 36, y, str(row + 1), 34, theme.ink)
    return Ground(_KEY, theme, sketch, plan.cell, _TOP)


def _draw_goals(sketch: Sketch, plan: _Plan, wood: _Wood, turned: bool) -> None:
    """Lay into the rail beyond each row that ends the game the sign of the side that wants to get there."""
    far, near = _TOP - _RAIL / 2, _TOP + plan.cell * plan.size + _RAIL / 2
    for seat in (0, 1):
        y = near if (seat == 0) == turned else far
        for column in range(plan.size):
            x = _MARGIN_LEFT + plan.cell * column + plan.cell / 2
            if seat:
                sketch.disc(x, y, 7, wood.inlay)
            else:
                sketch.ring(x, y, 8, wood.inlay, 4)
            for side in (-1, 1):
                sketch.line([(x + side * 22, y), (x + side * plan.cell * 0.36, y)], wood.inlay, 3.5)


def _name_at(plan: _Plan, x: float, y: float) -> Point:
    """Return where a cell's name has its baseline: at the upper left, where a pawn is narrow."""
    return x - plan.cell / 2 + min(34, plan.cell * 0.195), y - plan.cell / 2 + 38


def _draw_emblem(sketch: Sketch, theme: Theme, _ground: RGB) -> None:
    wood = WOODS[theme.key]
    sketch.plate(0, 0, 24, 24, wood.rail, 7)
    _draw_shape(sketch, 0, 1, 0.27, 0, wood.inlay)


def _outline(height: float) -> list[Point]:
    """Return the profile of a turned pawn's body, from its foot to its neck and down the other side."""
    steps = [step / 16 for step in range(17)]
    right = [(12 + 26 * (1 - t) ** 2.2, 42 - 62 * t) for t in steps]
    scaled = [(x * height, y * height) for x, y in right]
    return scaled + [(-x, y) for x, y in reversed(scaled)]


def _draw_shape(sketch: Sketch, x: float, y: float, height: float, grown: float, ink: RGB) -> None:
    """Draw the whole shape of a pawn in one ink, `grown` by so much on all sides."""
    body = [(x + px, y + py) for px, py in _outline(height)]
    sketch.polygon(body, ink)
    if grown:
        sketch.outline(body, ink, 2 * grown)
    sketch.disc(x, y - 40 * height, 25 * height + grown, ink)
    wide, thick = 27 * height + grown, 6 * height + grown
    sketch.box(x - wide, y - 15 * height - thick, x + wide, y - 15 * height + thick, ink, thick)
    wide = 44 * height + grown
    sketch.box(x - wide, y + 38 * height - grown, x + wide, y + 56 * height + grown, ink, 8 * height + grown)


def _draw_pawn(sketch: Sketch, x: float, y: float, height: float, inks: Set, theme: Theme) -> None:
    """Draw a pawn: its contour, its shaded side, its face in the light, and on its head the sign of its seat."""
    line = theme.outline or max(3.0, 4.2 * height)
    _draw_shape(sketch, x, y, height, line, inks.contour)
    _draw_shape(sketch, x, y, height, 0, inks.wall)
    foot = 44 * height
    sketch.box(x - foot, y + 37 * height, x + foot, y + 48 * height, inks.face, 5 * height)
    sketch.polygon([(x + px * 0.86 - 4 * height, y + py) for px, py in _outline(height)], inks.face)
    sketch.box(x - 27 * height, y - 21 * height, x + 27 * height, y - 12 * height, inks.face, 4.5 * height)
    sketch.disc(x, y - 40 * height, 25 * height, inks.wall)
    sketch.disc(x - 1.5 * height, y - 42 * height, 22.5 * height, inks.face)
    if inks.shape == "ring":
        sketch.ring(x - 1.5 * height, y - 42 * height, 11 * height, inks.emblem, max(3.0, 4.5 * height))
    else:
        sketch.disc(x - 1.5 * height, y - 42 * height, 8 * height, inks.emblem)


@figure()
def _pawn(sketch: Sketch, theme: Theme, inks: str, height: float) -> None:
    """Return a pawn whose middle is the anchor."""
    _draw_pawn(sketch, 0, 4 * height, height, theme.sets[inks], theme)


@figure()
def _shadow(sketch: Sketch, height: float, ink: RGB) -> None:
    """Return the flat shadow that a pawn throws to its right."""
    around = [2 * math.pi * step / 48 for step in range(48)]
    foot = [(10 * height + 54 * height * math.cos(at), 54 * height + 15 * height * math.sin(at)) for at in around]
    sketch.polygon(foot, (*ink, 120))


@figure()
def _floor(sketch: Sketch, cell: int, ink: RGB) -> None:
    """Return a cell in the colour of a mark."""
    sketch.box(-cell / 2, -cell / 2, cell / 2, cell / 2, ink)


@figure()
def _bounds(sketch: Sketch, cell: int, ink: RGB, dashed: bool) -> None:
    """Return a line along the inside of a cell, dashed for the one that was left."""
    reach, corner = cell / 2 - 7, 24.0
    points = [(-reach, -reach), (reach, -reach), (reach, reach), (-reach, reach)]
    if not dashed:
        sketch.outline(points, ink, 6, 12)
        return
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        ux, uy = (bx - ax) / (2 * reach), (by - ay) / (2 * reach)
        count = max(3, round((2 * reach - corner) / 26))
        for number in range(count):
            begin = corner / 2 + (2 * reach - corner) * (number + 0.22) / count
            end = corner / 2 + (2 * reach - corner) * (number + 0.72) / count
            sketch.line([(ax + ux * begin, ay + uy * begin), (ax + ux * end, ay + uy * end)], ink, 6)


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    position = scene.position
    size, turned = int(position["options"]["board"][0]), scene.viewer == 1
    plan = _plan(size, turned)
    canvas = Canvas(_ground(scene.theme, size, turned), plan.centres)
    last = next((action for action in scene.actions if action.source and action.target), None)
    owners = {cell: seat for seat, cells in enumerate(position["pawns"]) for cell in cells}
    _put_floor(canvas, scene, plan, last)
    for cell, seat in owners.items():
        x, y = plan.centres[cell]
        canvas.put(_shadow(plan.pawn, WOODS[scene.theme.key].wall), x, y)
        canvas.put(_pawn(scene.theme, _SETS[seat], plan.pawn), x, y)
    _put_marks(canvas, scene, plan, last, owners)
    frame.put_header(canvas, scene, "hexapawn", frame.format_notation([last.text]) if last else "")
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, size, len(position["pawns"][column.seat]))
    return canvas, {cell: (x, y, plan.cell // 2 - 8) for cell, (x, y) in plan.centres.items()}


def _put_floor(canvas: Canvas, scene: Scene, plan: _Plan, last: Action | None) -> None:
    """Colour the cells of the last turn, and those of what can be chosen."""
    before = [action for turn in scene.earlier for action in turn.actions]
    ends = [end for action in before for end in (action.source, action.target)]
    floors: dict[str, RGB] = {end: PALE for end in ends if end is not None and end in plan.centres}
    for end in (last.source, last.target) if last else ():
        if end is not None and end in plan.centres:
            floors[end] = PALE if scene.choosing else SAFFRON
    choices = scene.choices
    floors |= {cell: CREAM for cell in choices.movable if cell in plan.centres}
    free = [each.cell for each in scene.aims if not each.capture]
    floors |= {cell: WATER for cell in free if cell in plan.centres}
    if choices.chosen is not None and choices.chosen in plan.centres:
        floors[choices.chosen] = DEEP
    for cell, ink in floors.items():
        x, y = plan.centres[cell]
        canvas.put(_floor(plan.cell, ink), x, y)
        label = pieces.make_label(cell, 27, CREAM if ink == DEEP else LINE, "semibold", "centre")
        canvas.put(label, *_name_at(plan, x, y))
        if ink in (CREAM, DEEP):
            canvas.put(_bounds(plan.cell, DEEP if ink == CREAM else CREAM, False), x, y)


def _put_marks(canvas: Canvas, scene: Scene, plan: _Plan, last: Action | None, owners: Mapping[str, int]) -> None:
    """Mark what the last turn did, and what can be chosen now."""
    corner = plan.cell / 2 - 32
    if last is not None and last.source and last.target:
        canvas.put(_bounds(plan.cell, LINE, True), *plan.centres[last.source])
        if not scene.choosing and last.target in owners:
            x, y = plan.centres[last.target]
            canvas.put(_bounds(plan.cell, LINE, False), x, y)
            if last.verb == "capture":
                canvas.put(pieces.make_badge(22), x + corner, y + corner)
    for cell, number in scene.choices.numbers:
        if cell in owners:
            x, y = plan.centres[cell]
            canvas.put(pieces.piece_number(number, 23), x + corner, y - corner)
    for target in scene.targets:
        if target.cell in plan.centres and not target.capture:
            mark = pieces.open_cell(14) if scene.beforehand else pieces.move_target(target.label, 30)
            canvas.put_on(mark, target.cell)
    pieces.put_captures(canvas, scene, 82 * plan.pawn, 24)


def _put_column(canvas: Canvas, scene: Scene, column: Column, size: int, left: int) -> None:
    """Put what belongs to a seat: its sign, its name, a pip for each of its pawns, hollow for the lost ones."""
    frame.put_emblem(canvas, scene, column, _SETS[column.seat], column.left + 66, column.top + 59, 34)
    frame.put_name(canvas, scene, column, column.left + 122, column.top + 53, 270)
    for number in range(size):
        ink = column.ink if number < left else column.faint
        canvas.put(_pip(ink, number < left), column.left + 134 + 36 * number, column.top + 86)


@figure()
def _pip(sketch: Sketch, ink: RGB, full: bool) -> None:
    """Return a small pawn for one on the board, a ring for one that is lost."""
    if full:
        _draw_shape(sketch, 0, 0, 0.27, 0, ink)
    else:
        sketch.ring(0, 0, 9, ink, 4)


PICTURE: Final = GamePicture(
    _KEY, _colours, _paint, most_colours=96, sets=lambda _state: _SETS, draw_emblem=_draw_emblem
)
