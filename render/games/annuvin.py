"""Annuvin's picture: a floor of cotto tiles, hexagons or squares, and thick discs with an inlay."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from engine.core import Action
from engine.topology import Topology, hexagon, square_grid
from render import frame, pieces
from render.canvas import Canvas, Ground, Tile
from render.frame import Column
from render.scene import Contrast, GamePicture, Scene
from render.sketch import Point, Sketch, regular
from render.theme import CREAM, DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL, WATER, Theme, rgb

_KEY: Final = "annuvin"
_SETS: Final = ("light", "dark")
_TALLER: Final = 7 / 4 / math.sqrt(3)
"""How much taller than regular a hexagon is: its edges fall 7 for 4, so they repeat every 7 rows to the pixel, and
its centres lie on whole pixels. The PNG packs a fifth smaller."""


@dataclass(frozen=True)
class _Board:
    """The inks of the floor: a tile, every other frame of tiles, the grout, the slab's side, the cells' names."""

    tile: RGB
    other: RGB
    grout: RGB
    wall: RGB
    names: RGB
    emblem: RGB


_BOARDS: Final[Mapping[str, _Board]] = MappingProxyType(
    {
        "light": _Board(*map(rgb, ("E2AE8B", "D48F69", "9C5B40", "7A4530", "50200F", "B4583A"))),
        "dark": _Board(*map(rgb, ("C68B6B", "B06E50", "5A3022", "3E2017", "000000", "CC6F4E"))),
        "contrast": _Board(*map(rgb, ("EFEFEF", "C9C9C9", "3A3A3A", "000000", "000000", "000000"))),
    }
)


def _colours(theme: Theme) -> Iterable[RGB]:
    board = _BOARDS[theme.key]
    yield from (board.tile, board.other, board.grout, board.wall, board.names, board.emblem)
    for name in _SETS:
        inks = theme.sets[name]
        yield from (inks.face, inks.wall, inks.emblem, inks.contour, inks.rim)


def _contrasts(theme: Theme) -> Iterable[Contrast]:
    board = _BOARDS[theme.key]
    for floor in (board.tile, board.other):
        yield Contrast("a cell's name", (board.names,), floor, text=True)
    for floor in (SAFFRON, PALE, WATER):
        yield Contrast("a cell's name on a mark", (LINE,), floor, text=True)
    for name in _SETS:
        inks = theme.sets[name]
        for floor in (board.tile, board.other, SAFFRON, PALE, CREAM):
            yield Contrast(f"a {name} piece", (inks.face, inks.contour), floor)
        # Around the one that is chosen runs a ring.
        yield Contrast(f"a {name} piece that is chosen", (inks.face, inks.contour, CREAM), DEEP)


@dataclass(frozen=True)
class _Plan:
    """Where the cells of one of the two boards lie, and how large things are on them.

    `radius` is that of a cell's corners from its centre, `disc` a piece's, `ring` that of the last mover's mark.
    """

    topology: Topology
    centres: Mapping[str, tuple[int, int]]
    height: int
    corners: int
    turn: float
    radius: float
    tile_radius: float
    name_at: tuple[int, int]
    disc: int
    ring: int

    def shape(self, x: float, y: float, radius: float) -> list[Point]:
        """Return a cell's outline around a point."""
        tall = 1.0 if self.corners == 4 else _TALLER
        return [(px, y + (py - y) * tall) for px, py in regular(x, y, radius, self.corners, self.turn)]


@lru_cache
def _plan(square: bool, turned: bool) -> _Plan:
    """Return the layout of a board; turned, it is seen from the other side."""
    way = -1 if turned else 1
    if square:
        topology, units, middle, height = square_grid(4, 4), (180.0, 180.0), (450.0, 545.0), 1145
        centre = (1.5, 1.5)
    else:
        topology, units, middle, height = hexagon(4), (72 * math.sqrt(3), 126.0), (450.0, 567.0), 1199
        centre = topology.positions[topology.index["d4"]]
    centres = {
        name: (
            round(middle[0] + way * (x - centre[0]) * units[0]),
            round(middle[1] - way * (y - centre[1]) * units[1]),
        )
        for name, (x, y) in zip(topology.names, topology.positions, strict=True)
    }
    if square:
        return _Plan(topology, centres, height, 4, 45, 90 * math.sqrt(2), 85.5 * math.sqrt(2), (-59, 72), 58, 72)
    return _Plan(topology, centres, height, 6, 0, 72, 67.4, (0, 45), 44, 55)


def _alternate(plan: _Plan, cell: str, square: bool) -> bool:
    """Say whether a cell lies in one of the frames of the second ink, counted from the rim inwards."""
    index = plan.topology.index
    if square:
        return cell[0] in "bc" and cell[1] in "23"
    return plan.topology.distances[index[cell]][index["d4"]] % 2 == 0


@lru_cache(maxsize=12)
def _ground(theme: Theme, square: bool, turned: bool) -> Ground:
    plan, board = _plan(square, turned), _BOARDS[theme.key]
    sketch = Sketch(frame.WIDTH, plan.height, paper=theme.paper)
    frame.draw_title(sketch, theme, "annuvin", lambda s, x, y: _emblem(s, x, y, board.emblem, theme.paper))
    _draw_slab(sketch, plan, theme, square)
    for cell, (x, y) in plan.centres.items():
        ink = board.other if _alternate(plan, cell, square) else board.tile
        sketch.polygon(plan.shape(x, y, plan.tile_radius), ink, 14)
        dx, dy = plan.name_at
        if cell == "d4" and not square:
            sketch.outline(plan.shape(x, y, plan.tile_radius - 11), board.grout, 3.5, 10)
            dy -= 8
        sketch.text(x + dx, y + dy, cell, 27, board.names, "semibold", "centre")
    _coordinates(sketch, plan, theme, square)
    return Ground(_KEY, theme, sketch, 90 if square else 63, plan.centres["a1"][1])


def _draw_slab(sketch: Sketch, plan: _Plan, theme: Theme, square: bool) -> None:
    """Draw what the tiles lie in: the grout, the slab's side below it, its shadow on the ground."""
    board = _BOARDS[theme.key]
    layers = [(theme.ground, 27), (theme.ground, 21), (board.wall, 15), (board.wall, 9)]
    layers += [(board.grout, 4), (board.grout, 0)]
    if square:
        (left, top), (right, bottom) = min(plan.centres.values()), max(plan.centres.values())
        for ink, drop in layers:
            sketch.box(left - 93, top - 93 + drop, right + 93, bottom + 93 + drop, ink, 16)
        return
    for ink, drop in layers:
        for x, y in plan.centres.values():
            sketch.polygon(plan.shape(x, y + drop, plan.radius + 1), ink, 12)
    for x, y in plan.centres.values():
        # Without the rounding there are no holes where three cells meet.
        sketch.polygon(plan.shape(x, y + 2, plan.radius - 3), board.grout)


def _emblem(sketch: Sketch, x: float, y: float, ink: RGB, hole: RGB) -> None:
    sketch.polygon(regular(x, y, 24, 6), ink, 5)
    sketch.disc(x, y, 10, hole)


def _coordinates(sketch: Sketch, plan: _Plan, theme: Theme, square: bool) -> None:
    """Write the columns' letters below and the rows' numbers at the left edge, whichever side is seen."""
    lowest: dict[str, tuple[int, int]] = {}
    leftmost: dict[str, tuple[int, int]] = {}
    for cell, (x, y) in plan.centres.items():
        column, row = cell[0], cell[1:]
        if column not in lowest or y > lowest[column][1]:
            lowest[column] = (x, y)
        if row not in leftmost or x < leftmost[row][0]:
            leftmost[row] = (x, y)
    below = 131 if square else 108
    for column, (x, y) in lowest.items():
        sketch.text(x, y + below + 10, column, 34, theme.ink, "bold", "centre")
    aside = (-112, 0) if square else (-70, -37)
    for row, (x, y) in leftmost.items():
        sketch.centred(x + aside[0], y + aside[1], row, 34, theme.ink)


@lru_cache(maxsize=64)
def _floor(square: bool, ink: RGB, wall: RGB | None) -> Tile:
    """Return a tile of another colour, raised by its side where it has one."""
    plan = _plan(square, False)
    sketch = pieces.sketch_around(plan.radius + 12)
    if wall:
        sketch.polygon(plan.shape(0, 7, plan.tile_radius), wall, 14)
        sketch.polygon(plan.shape(0, 4, plan.tile_radius), wall, 14)
    sketch.polygon(plan.shape(0, 0, plan.tile_radius), ink, 14)
    return Tile(sketch)


@dataclass(frozen=True)
class _Trace:
    """What the last turn did to the board: where its piece came from and went, whom it took in which order."""

    seat: int
    source: str | None
    target: str | None
    captured: tuple[str, ...]


def _trace(actions: tuple[Action, ...], seat: int) -> _Trace:
    source = target = None
    captured = []
    for action in actions:
        if action.verb in {"move", "capture", "place"}:
            if source is None and target is None:
                source = action.source
            target = action.target
            if action.verb == "capture" and action.target:
                captured.append(action.target)
    return _Trace(seat, source, target, tuple(captured))


def _paint(scene: Scene) -> tuple[Canvas, Mapping[str, tuple[int, int, int]]]:
    position = scene.position
    square = position["options"]["board"] == "square"
    turned = scene.viewer == 1
    plan = _plan(square, turned)
    canvas = Canvas(_ground(scene.theme, square, turned))
    trace = _trace(scene.actions, scene.last_turn.seat if scene.last_turn else 0)
    owners = {cell: seat for seat, cells in enumerate(position["pieces"]) for cell in cells}
    _put_floor(canvas, scene, plan, square, trace, owners)
    for cell, seat in owners.items():
        x, y = plan.centres[cell]
        chosen = scene.choices is not None and cell == scene.choices.chosen
        canvas.put(pieces.shadow(plan.disc, LINE if chosen else _BOARDS[scene.theme.key].wall), x, y)
        canvas.put(pieces.disc(scene.theme, _SETS[seat], plan.disc), x, y + 2)
    _put_marks(canvas, scene, plan, trace, owners)
    frame.put_header(canvas, scene, "annuvin", _notation(scene.actions))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, position)
    reach = 76 if square else 56
    return canvas, {cell: (x, y, reach) for cell, (x, y) in plan.centres.items()}


def _notation(actions: tuple[Action, ...]) -> str:
    parts = [action.text for action in actions if action.verb not in {"stop", "drop"}]
    return frame.notation(parts, "")


def _put_floor(
    canvas: Canvas, scene: Scene, plan: _Plan, square: bool, trace: _Trace, owners: Mapping[str, int]
) -> None:
    """Lay the coloured tiles: the last turn's, and those of what can be chosen."""
    floors: dict[str, tuple[RGB, RGB | None]] = {}
    pale = scene.choosing
    for cell in trace.captured:
        floors[cell] = (PALE, None if pale else SAFFRON_WALL)
    for end in (trace.source, trace.target):
        if end:
            floors[end] = (PALE, None) if pale else (SAFFRON, SAFFRON_WALL)
    choices = scene.choices
    if choices:
        for target in choices.targets:
            if not target.capture and target.cell in plan.centres:
                floors[target.cell] = (WATER, None)
        if choices.chosen is not None and choices.chosen in plan.centres:
            floors[choices.chosen] = (DEEP, None)
    for cell, (ink, wall) in floors.items():
        canvas.put(_floor(square, ink, wall), *plan.centres[cell])
        free = cell not in owners and cell != trace.source and cell not in trace.captured
        if square or free:
            (x, y), (dx, dy) = plan.centres[cell], plan.name_at
            name = pieces.label(cell, 27, CREAM if ink == DEEP else LINE, "semibold", "centre")
            canvas.put(name, x + dx, y + dy + (0 if square else 6))
    if trace.source and trace.captured and not pale:
        stops = [trace.source, *trace.captured]
        _put_path(canvas, plan, [plan.centres[cell] for cell in stops])
    if choices:
        for cell in choices.movable:
            if cell in plan.centres and cell != choices.chosen:
                canvas.put(pieces.movable(plan.disc + 14), *plan.centres[cell])
        if choices.chosen is not None and choices.chosen in plan.centres:
            canvas.put(pieces.ring(plan.disc + 9, CREAM, 6), *plan.centres[choices.chosen])


def _put_marks(canvas: Canvas, scene: Scene, plan: _Plan, trace: _Trace, owners: Mapping[str, int]) -> None:
    centres = plan.centres
    large = plan.disc / 44
    if trace.source and trace.source not in owners:
        canvas.put(pieces.ring(38 * large, LINE, 6, dashed=True), *centres[trace.source])
    if not scene.choosing:
        for cell in trace.captured:
            if cell not in owners:
                canvas.put(pieces.captured(37 * large, 15 * large), *centres[cell])
        if trace.target in owners and trace.target is not None:
            x, y = centres[trace.target]
            canvas.put(pieces.ring(plan.ring, LINE, 6), x, y + 2)
            if trace.target in trace.captured:
                # On squares the names are in the lower left corners.
                side = -1 if plan.corners == 6 else 1
                canvas.put(pieces.badge(20 * large), x + side * 42 * large, y + 43 * large)
    elif scene.choices:
        for cell, number in scene.choices.numbers:
            if cell in owners:
                x, y = centres[cell]
                canvas.put(pieces.piece_number(number, 21 * large), x - 33 * large, y - 33 * large)
        for target in scene.choices.targets:
            if target.cell in centres:
                x, y = centres[target.cell]
                if target.capture:
                    canvas.put(pieces.capture_target(target.label, plan.disc + 13, 29 * large), x, y)
                else:
                    canvas.put(pieces.move_target(target.label, 27 * large), x, y - (10 if plan.corners == 6 else 0))


def _put_path(canvas: Canvas, plan: _Plan, stops: list[tuple[int, int]]) -> None:
    """Draw the way of a piece from ring to ring."""
    for number, ((ax, ay), (bx, by)) in enumerate(pairwise(stops)):
        length = math.hypot(bx - ax, by - ay)
        ux, uy = (bx - ax) / length, (by - ay) / length
        large = plan.disc / 44
        begin, end = 38 * large, length - (plan.ring if number == len(stops) - 2 else 40 * large)
        points = ((0.0, 0.0), (ux * (end - begin), uy * (end - begin)))
        canvas.put(pieces.path(points, LINE, 8), ax + ux * begin, ay + uy * begin)


def _put_column(canvas: Canvas, scene: Scene, column: Column, position: Mapping[str, Any]) -> None:
    seat = column.seat
    top = column.top
    playing = scene.state.outcome is None
    frame.put_emblem(canvas, scene, column, _SETS[seat], column.left + 66, top + 59, 34)
    frame.put_name(canvas, scene, column, column.left + 122, top + 53, 205 if playing else 270)
    count, reserve = len(position["pieces"][seat]), position["reserve"][seat]
    for number in range(4 if position["options"]["board"] == "square" else 6):
        x, y = column.left + 132 + 29 * number, top + 85
        if number < count:
            canvas.put(_pip(column.ink, True), x, y)
        elif number < count + reserve:
            canvas.put(pieces.disc(scene.theme, _SETS[seat], 12), x, y)
        else:
            canvas.put(_pip(column.faint, False), x, y)
    reach = _reach(position, seat)
    if playing:
        canvas.put(_range(reach, column.ink), column.left + 380, top + 59)


def _reach(position: Mapping[str, Any], seat: int) -> int:
    """Return how far a seat's pieces go in its turn, or may still go in a turn that has begun."""
    if position["moving"] and position["to_move"] == seat:
        return int(position["moving"]["range"])
    if position["reserve"][seat]:
        return 1
    start = 4 if position["options"]["board"] == "square" else 6
    return int(start + 1 - len(position["pieces"][seat]))


@lru_cache(maxsize=16)
def _pip(ink: RGB, full: bool) -> Tile:
    sketch = pieces.sketch_around(12)
    if full:
        sketch.disc(0, 0, 10, ink)
    else:
        sketch.ring(0, 0, 8, ink, 4)
    return Tile(sketch)


@lru_cache(maxsize=64)
def _range(reach: int, ink: RGB) -> Tile:
    sketch = pieces.sketch_around(48)
    sketch.outline(regular(0, 0, 44, 6), ink, 5, 12)
    sketch.centred(-1, 0, f"≤{reach}", 34, ink)
    return Tile(sketch)


PICTURE: Final = GamePicture(_KEY, _colours, _paint, _contrasts, most_colours=64)
