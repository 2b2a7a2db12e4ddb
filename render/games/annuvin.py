"""Annuvin's picture: a floor of cotto tiles, hexagons or squares, and thick discs with an inlay."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from engine.core import Action, Actions, Position
from engine.topology import Topology, hexagon, square_grid
from render import frame, pieces
from render.canvas import Canvas, Ground, Places, figure
from render.frame import Column
from render.scene import GamePicture, Painted, Scene, count_pieces
from render.sketch import Point, Sketch, regular_polygon
from render.theme import CREAM, CROSS, DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL, WATER, Theme, list_inks, read_inks

KEY: Final = "annuvin"
_HEXAGON_STRETCH: Final = 7 / 4 / math.sqrt(3)
"""How much taller than regular a hexagon is: its edges fall 7 for 4, so they repeat every 7 rows to the pixel, and
its centres lie on whole pixels. The PNG packs a fifth smaller."""


@dataclass(frozen=True)
class Floor:
    """The inks of the floor: a tile, every other frame of tiles, the grout, the slab's side, the cells' names."""

    tile: RGB
    other: RGB
    grout: RGB
    wall: RGB
    names: RGB
    emblem: RGB


BOARDS: Final = read_inks(
    Floor,
    light="E2AE8B D48F69 9C5B40 7A4530 50200F B4583A",
    dark="C68B6B B06E50 5A3022 3E2017 000000 CC6F4E",
    contrast="EFEFEF C9C9C9 3A3A3A 000000 000000 000000",
)


@dataclass(frozen=True, eq=False)
class Plan:
    """Where the cells of one of the two boards lie, seen from one of its sides, and how large things are on them.

    `radius` is that of a cell's corners from its centre, `disc` a piece's, `ring` that of the last mover's mark.
    """

    square: bool
    topology: Topology
    centres: Places
    height: int
    radius: float
    tile_radius: float
    name_at: tuple[int, int]
    disc: int
    ring: int

    def shape(self, x: float, y: float, radius: float) -> list[Point]:
        """Return a cell's outline around a point."""
        if self.square:
            return regular_polygon(x, y, radius, 4, 45)
        return [(px, y + (py - y) * _HEXAGON_STRETCH) for px, py in regular_polygon(x, y, radius, 6)]

    def is_alternate(self, cell: str) -> bool:
        """Say whether a cell lies in one of the frames of the second ink, counted from the rim inwards."""
        if self.square:
            return cell[0] in "bc" and cell[1] in "23"
        return self.rings[cell] % 2 == 0

    @cached_property
    def rings(self) -> Mapping[str, int]:
        """How far each cell is from the middle of the hexagons."""
        distances = self.topology.distances[self.topology.index["d4"]]
        return dict(zip(self.topology.names, distances, strict=True))


@lru_cache
def plan_of(square: bool, turned: bool) -> Plan:
    """Return the layout of a board; turned, it is seen from the other side."""
    way = -1 if turned else 1
    if square:
        topology, units, middle, height = square_grid(4, 4), (200.0, 200.0), (474.0, 506.0), 1103
        centre = (1.5, 1.5)
    else:
        topology, units, middle, height = hexagon(4), (72 * math.sqrt(3), 126.0), (450.0, 567.0), 1199
        centre = topology.positions[topology.index["d4"]]
    centres = {
        name: (round(middle[0] + way * (x - centre[0]) * units[0]), round(middle[1] - way * (y - centre[1]) * units[1]))
        for name, (x, y) in zip(topology.names, topology.positions, strict=True)
    }
    if square:
        return Plan(True, topology, centres, height, 100 * math.sqrt(2), 95.5 * math.sqrt(2), (-72, 86), 60, 71)
    return Plan(False, topology, centres, height, 72, 67.4, (0, 45), 44, 55)


@lru_cache
def draw_ground(theme: Theme, plan: Plan) -> Ground:
    board = BOARDS[theme.key]
    sketch = Sketch(frame.WIDTH, plan.height, paper=theme.paper)
    frame.draw_title(sketch, theme, "annuvin", draw_emblem)
    _draw_slab(sketch, plan, theme)
    for cell, (x, y) in plan.centres.items():
        ink = board.other if plan.is_alternate(cell) else board.tile
        sketch.polygon(plan.shape(x, y, plan.tile_radius), ink, 14)
        dx, dy = plan.name_at
        if cell == "d4" and not plan.square:
            sketch.outline(plan.shape(x, y, plan.tile_radius - 11), board.grout, 3.5, 10)
            dy -= 8
        sketch.text(x + dx, y + dy, cell, 27, board.names, "semibold", "centre")
    _draw_coordinates(sketch, plan, theme)
    return Ground(KEY, theme, sketch, 100 if plan.square else 63, plan.centres["a1"][1])


def _draw_slab(sketch: Sketch, plan: Plan, theme: Theme) -> None:
    """Draw what the tiles lie in: the grout, the slab's side below it, its shadow on the ground."""
    board = BOARDS[theme.key]
    inks = (theme.ground, theme.ground, board.wall, board.wall, board.grout, board.grout)
    layers = list(zip(inks, (27, 21, 15, 9, 4, 0), strict=True))
    if plan.square:
        box = (*min(plan.centres.values()), *max(plan.centres.values()))
        for ink, drop in layers:
            sketch.fill(box, ink, 16, 103, drop)
        return
    # Of what lies deeper only the lower rim is seen, and all that the rim surrounds is grout.
    rim = [centre for cell, centre in plan.centres.items() if plan.rings[cell] == 3]
    centres = plan.centres.values()
    lower = [(x, y) for x, y in rim if sum(abs(px - x) < 110 and 0 < py - y < 130 for px, py in centres) < 3]
    for ink, drop in layers:
        for x, y in lower if drop else rim:
            sketch.polygon(plan.shape(x, y + drop, plan.radius + 1), ink, 12)
    sketch.polygon([plan.centres[corner] for corner in ("a1", "a4", "d7", "g7", "g4", "d1")], board.grout)
    for x, y in rim:
        # Without the rounding there are no holes where three cells meet.
        sketch.polygon(plan.shape(x, y + 2, plan.radius - 3), board.grout)


def draw_emblem(sketch: Sketch, theme: Theme, ground: RGB) -> None:
    """Draw the game's emblem, a tile with a hole."""
    sketch.polygon(regular_polygon(0, 0, 24, 6), BOARDS[theme.key].emblem, 5)
    sketch.disc(0, 0, 10, ground)


def _draw_coordinates(sketch: Sketch, plan: Plan, theme: Theme) -> None:
    """Write the columns' letters below and the rows' numbers at the left edge, whichever side is seen."""
    downwards = sorted(plan.centres.items(), key=lambda each: each[1][1])
    for column, (x, y) in {cell[0]: place for cell, place in downwards}.items():
        sketch.text(x, y + (149 if plan.square else 118), column, 34, theme.ink, "bold", "centre")
    leftwards = sorted(plan.centres.items(), key=lambda each: -each[1][0])
    dx, dy = (-132, 0) if plan.square else (-70, -37)
    for row, (x, y) in {cell[1:]: place for cell, place in leftwards}.items():
        sketch.centred(x + dx, y + dy, row, 34, theme.ink)


@figure()
def make_coloured_tile(sketch: Sketch, plan: Plan, ink: RGB, wall: RGB | None) -> None:
    """Return a tile of another colour, raised by its side where it has one."""
    if wall:
        sketch.polygon(plan.shape(0, 7, plan.tile_radius), wall, 14)
        sketch.polygon(plan.shape(0, 4, plan.tile_radius), wall, 14)
    sketch.polygon(plan.shape(0, 0, plan.tile_radius), ink, 14)
    if ink == WATER:
        edge = plan.shape(0, 0, plan.tile_radius - (4 if plan.square else 3))
        sketch.outline(edge, DEEP, pieces.EDGE_WIDTH, 12)


@figure()
def make_reached_edge(sketch: Sketch, plan: Plan) -> None:
    """Return the edge of a tile that the enemy reaches: red, with a cream line inside it."""
    inset = 6.0 * (math.sqrt(2) if plan.square else 1)
    for part, ink, width in ((1.9, CREAM, 4.0), (0.9, CROSS, 9.0)):
        sketch.outline(plan.shape(0, 0, plan.tile_radius - inset * part), ink, width, 12)


def find_struck_names(plan: Plan, ways: Iterable[tuple[str, str]]) -> list[str]:
    """Return the cells of a board whose names ways from cell to cell would strike out, in the board's order."""
    struck = set[str]().union(*(_find_struck_by(plan, one, other) for one, other in ways))
    return [cell for cell in plan.centres if cell in struck]


@lru_cache(maxsize=4096)
def _find_struck_by(plan: Plan, one: str, other: str) -> frozenset[str]:
    (ax, ay), (bx, by), (dx, dy) = plan.centres[one], plan.centres[other], plan.name_at
    way = [(ax + (bx - ax) * step / 100, ay + (by - ay) * step / 100) for step in range(101)]
    names = {cell: (x + dx, y + dy - 9) for cell, (x, y) in plan.centres.items()}
    # Most names are nowhere near.
    (left, right), (top, bottom) = sorted((ax, bx)), sorted((ay, by))
    return frozenset(
        cell
        for cell, (x, y) in names.items()
        if left - 26 < x < right + 26
        and top - 22 < y < bottom + 22
        and any(abs(px - x) < 26 and abs(py - y) < 22 for px, py in way)
    )


@figure()
def make_plate(sketch: Sketch, name: str, ink: RGB, letters: RGB) -> None:
    """Return the name of a cell on a piece of its tile, under which a way passes."""
    sketch.box(-23, -25, 23, 6, ink, 8)
    sketch.text(0, 0, name, 27, letters, "semibold", "centre")


_SETS: Final = ("light", "dark")


def _colours(theme: Theme) -> Iterable[RGB]:
    yield from list_inks(BOARDS[theme.key])
    for name in _SETS:
        yield from theme.sets[name].disc


@dataclass(frozen=True)
class _Trace:
    """A turn's effect on the board: its piece's start and end, and the captured pieces in order."""

    source: str | None
    target: str | None
    captured: tuple[str, ...]

    @property
    def cells(self) -> list[str]:
        """All cells of the turn."""
        return [cell for cell in (self.source, *self.captured, self.target) if cell]


def _trace(actions: Sequence[Action]) -> _Trace:
    steps = [action for action in actions if action.verb in {"move", "capture", "place"}]
    captured = tuple(action.target for action in steps if action.verb == "capture" and action.target)
    return _Trace(steps[0].source if steps else None, steps[-1].target if steps else None, captured)


def _seen(scene: Scene) -> tuple[Plan, Mapping[str, int], _Trace]:
    """Return the board's layout, the owners of occupied cells, and the last turn."""
    position = scene.position
    owners = {cell: seat for seat, cells in enumerate(position["pieces"]) for cell in cells}
    return plan_of(position["options"]["board"] == "square", scene.viewer == 1), owners, _trace(scene.actions)


def _paint(scene: Scene) -> Painted:
    plan, owners, trace = _seen(scene)
    canvas = Canvas(draw_ground(scene.theme, plan), plan.centres)
    earlier = [_trace(turn.actions) for turn in scene.earlier]
    _put_floor(canvas, scene, plan, trace, earlier, owners)
    for cell, seat in owners.items():
        shade = LINE if cell == scene.choices.chosen else BOARDS[scene.theme.key].wall
        canvas.put_on(pieces.make_shadow(plan.disc, shade), cell)
        canvas.put_on(pieces.make_disc(scene.theme, _SETS[seat], plan.disc), cell, 0, 2)
    _put_marks(canvas, scene, plan, trace, earlier, owners)
    frame.put_header(canvas, scene, "annuvin", _notation(scene.actions))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, plan)
    return canvas, canvas.spots(84 if plan.square else 56)


def _notation(actions: Actions) -> str:
    parts = [action.text for action in actions if action.verb not in {"stop", "drop"}]
    return frame.format_notation(parts, "")


def _put_floor(
    canvas: Canvas, scene: Scene, plan: Plan, trace: _Trace, earlier: Sequence[_Trace], owners: Mapping[str, int]
) -> None:
    """Lay the coloured tiles: the last turn's, and those of what can be chosen."""
    strong, wall = (PALE, None) if scene.choosing else (SAFFRON, SAFFRON_WALL)
    floors: dict[str, tuple[RGB, RGB | None]] = {cell: (PALE, None) for each in earlier for cell in each.cells}
    floors |= dict.fromkeys(trace.captured, (PALE, wall))
    floors |= {end: (strong, wall) for end in (trace.source, trace.target) if end}
    chosen = scene.choices.chosen if scene.choices.chosen in plan.centres else None
    for target in scene.aims:
        if not target.capture and target.cell in plan.centres:
            floors[target.cell] = (WATER, None)
    if chosen:
        floors[chosen] = (DEEP, None)
    left = {cell for each in (trace, *earlier) for cell in (each.source, *each.captured)}
    for cell, (ink, wall) in floors.items():
        canvas.put_on(make_coloured_tile(plan, ink, wall), cell)
        if plan.square or (cell not in owners and cell not in left):
            dx, dy = plan.name_at
            name = pieces.make_label(cell, 27, CREAM if ink == DEEP else LINE, "semibold", "centre")
            canvas.put_on(name, cell, dx, dy + (0 if plan.square else 2))
    inks = {cell: ink for cell, (ink, _) in floors.items()}
    for cell in sorted(scene.reach & plan.centres.keys()):
        canvas.put_on(make_reached_edge(plan), cell)
        if plan.square or cell not in owners:
            _put_plate(canvas, plan, cell, inks.get(cell))
    if trace.source and trace.captured and not scene.choosing:
        stops = [trace.source, *trace.captured]
        _put_path(canvas, plan, [plan.centres[cell] for cell in stops])
        for cell in find_struck_names(plan, pairwise(stops)):
            if plan.square or (cell not in owners and cell not in floors):
                _put_plate(canvas, plan, cell, inks.get(cell))
    pieces.put_movable(canvas, scene, plan.centres, plan.disc + 14)
    if chosen:
        canvas.put_on(pieces.make_ring(plan.disc + 9, CREAM, 6), chosen)


def _put_marks(
    canvas: Canvas, scene: Scene, plan: Plan, trace: _Trace, earlier: Sequence[_Trace], owners: Mapping[str, int]
) -> None:
    large = plan.disc / 44
    # On squares the names are in the lower left corners.
    side = 42 * large if plan.square else -42 * large
    now = set(trace.cells)
    for each in earlier:
        if each.source and each.source not in owners and each.source not in now:
            canvas.put_on(pieces.make_ring(30 * large, LINE, 4, dashed=True), each.source)
        if each.target and each.target in owners and each.target not in now:
            canvas.put_on(pieces.make_ring(plan.ring, LINE, 3), each.target, 0, 2)
        for cell in each.captured:
            if cell in owners and cell not in now:
                canvas.put_on(pieces.make_badge(16 * large), cell, side, 43 * large)
            elif cell not in now:
                canvas.put_on(pieces.make_captured_mark(28 * large, 11 * large), cell)
    if trace.source and trace.source not in owners:
        canvas.put_on(pieces.make_ring(38 * large, LINE, 6, dashed=True), trace.source)
    covered = {*owners, *(target.cell for target in scene.aims)}
    for cell in trace.captured:
        if cell not in covered:
            canvas.put_on(pieces.make_captured_mark(37 * large, 15 * large), cell)
    if trace.target and trace.target in owners and not scene.choosing:
        canvas.put_on(pieces.make_ring(plan.ring, LINE, 6), trace.target, 0, 2)
    pieces.put_numbers(canvas, scene, owners, 21 * large, -36 * large, -36 * large)
    for target in scene.targets:
        if not target.capture and target.cell in plan.centres:
            tile = pieces.open_cell() if scene.beforehand else pieces.move_target(target.label, 27 * large)
            canvas.put_on(tile, target.cell, 0, 0 if plan.square else -14)
    # Where three hexagons meet there is room for a number that is this piece's alone.
    aside = (pieces.CAPTURE_NUMBER_OFFSET, pieces.CAPTURE_NUMBER_OFFSET) if plan.square else (0.5, 0.87)
    pieces.put_captures(canvas, scene, plan.disc + 13, 21 * large, aside)
    for cell in trace.captured:
        if cell in covered:
            canvas.put_on(pieces.make_badge((16 if scene.choosing else 20) * large), cell, side, 43 * large)


def _put_path(canvas: Canvas, plan: Plan, stops: list[tuple[int, int]]) -> None:
    """Draw the way of a piece from ring to ring."""
    for number, ((ax, ay), (bx, by)) in enumerate(pairwise(stops)):
        length = math.hypot(bx - ax, by - ay)
        ux, uy = (bx - ax) / length, (by - ay) / length
        large = plan.disc / 44
        begin, end = 38 * large, length - (plan.ring if number == len(stops) - 2 else 40 * large)
        points = ((0.0, 0.0), (ux * (end - begin), uy * (end - begin)))
        canvas.put(pieces.make_path(points, LINE, 8), ax + ux * begin, ay + uy * begin)


def _put_plate(canvas: Canvas, plan: Plan, cell: str, ink: RGB | None) -> None:
    """Write a cell's name again on a piece of its tile, over what struck it out."""
    (dx, dy), board = plan.name_at, BOARDS[canvas.theme.key]
    raised = 8 if cell == "d4" and not plan.square else 0
    ink = ink or (board.other if plan.is_alternate(cell) else board.tile)
    canvas.put_on(make_plate(cell, ink, LINE if ink in (PALE, SAFFRON) else board.names), cell, dx, dy - raised)


def _put_names(canvas: Canvas, scene: Scene, ways: Sequence[tuple[str, str]]) -> None:
    """Write the names again that a hint's arrows strike out."""
    plan, owners, last = _seen(scene)
    for cell in find_struck_names(plan, ways):
        if plan.square or cell not in owners:
            _put_plate(canvas, plan, cell, PALE if cell in last.cells else None)


def _put_column(canvas: Canvas, scene: Scene, column: Column, plan: Plan) -> None:
    position, seat, top = scene.position, column.seat, column.top
    playing = scene.state.outcome is None
    frame.put_emblem(canvas, scene, column, _SETS[seat], column.left + 66, top + 59, 28 if column.won else 34)
    frame.put_name(canvas, scene, column, column.left + 122, top + 53, 205 if playing else 270)
    count, reserve = len(position["pieces"][seat]), position["reserve"][seat]
    for number in range(4 if plan.square else 6):
        if number < count:
            sign = _pip(column.ink, plan.square)
        else:
            held = number < count + reserve
            sign = pieces.make_ring(8.5, column.ink, 5) if held else pieces.make_lost_sign(column.faint)
        canvas.put(sign, column.left + 132 + 29 * number, top + 85)
    if playing:
        canvas.put(_range(_reach(position, seat), column.ink), column.left + 380, top + 59)


def _reach(position: Position, seat: int) -> int:
    """Return how far a seat's pieces go in its turn, or may still go in a turn that has begun."""
    if position["moving"] and position["to_move"] == seat:
        return int(position["moving"]["range"])
    if position["reserve"][seat]:
        return 1
    return (5 if position["options"]["board"] == "square" else 7) - len(position["pieces"][seat])


@figure()
def _pip(sketch: Sketch, ink: RGB, square: bool) -> None:
    """Return the sign of a piece on the board: a full tile."""
    sketch.polygon(regular_polygon(0, 0, 14, 4, 45) if square else regular_polygon(0, 0, 12.5, 6), ink, 3)


@figure()
def _range(sketch: Sketch, reach: int, ink: RGB) -> None:
    sketch.outline(regular_polygon(0, 0, 44, 6), ink, 5, 12)
    sketch.centred(-1, 0, f"≤{reach}", 34, ink)


PICTURE: Final = GamePicture(
    KEY,
    _colours,
    _paint,
    most_colours=64,
    sets=lambda _state: _SETS,
    put_names=_put_names,
    draw_emblem=draw_emblem,
    scores=count_pieces,
)
