"""Annuvin's floor with nobody on it: its inks, where its cells lie, the ground of the picture, the cells' names."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from engine.topology import Topology, hexagon, square_grid
from render import frame, pieces
from render.canvas import Ground, Tile
from render.sketch import Point, Sketch, regular_polygon
from render.theme import CREAM, CROSS, DEEP, RGB, WATER, Theme, parse_rgb

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


BOARDS: Final[Mapping[str, Floor]] = MappingProxyType(
    {
        "light": Floor(*map(parse_rgb, ("E2AE8B", "D48F69", "9C5B40", "7A4530", "50200F", "B4583A"))),
        "dark": Floor(*map(parse_rgb, ("C68B6B", "B06E50", "5A3022", "3E2017", "000000", "CC6F4E"))),
        "contrast": Floor(*map(parse_rgb, ("EFEFEF", "C9C9C9", "3A3A3A", "000000", "000000", "000000"))),
    }
)


@dataclass(frozen=True)
class Plan:
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
        tall = 1.0 if self.corners == 4 else _HEXAGON_STRETCH
        return [(px, y + (py - y) * tall) for px, py in regular_polygon(x, y, radius, self.corners, self.turn)]


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
        return Plan(topology, centres, height, 4, 45, 100 * math.sqrt(2), 95.5 * math.sqrt(2), (-72, 86), 60, 71)
    return Plan(topology, centres, height, 6, 0, 72, 67.4, (0, 45), 44, 55)


def is_alternate(plan: Plan, cell: str, square: bool) -> bool:
    """Say whether a cell lies in one of the frames of the second ink, counted from the rim inwards."""
    index = plan.topology.index
    if square:
        return cell[0] in "bc" and cell[1] in "23"
    return plan.topology.distances[index[cell]][index["d4"]] % 2 == 0


@lru_cache(maxsize=12)
def draw_ground(theme: Theme, square: bool, turned: bool) -> Ground:
    plan, board = plan_of(square, turned), BOARDS[theme.key]
    sketch = Sketch(frame.WIDTH, plan.height, paper=theme.paper)
    frame.draw_title(sketch, theme, "annuvin", lambda s, x, y: draw_emblem(s, theme, x, y, theme.paper))
    _draw_slab(sketch, plan, theme, square)
    for cell, (x, y) in plan.centres.items():
        ink = board.other if is_alternate(plan, cell, square) else board.tile
        sketch.polygon(plan.shape(x, y, plan.tile_radius), ink, 14)
        dx, dy = plan.name_at
        if cell == "d4" and not square:
            sketch.outline(plan.shape(x, y, plan.tile_radius - 11), board.grout, 3.5, 10)
            dy -= 8
        sketch.text(x + dx, y + dy, cell, 27, board.names, "semibold", "centre")
    _coordinates(sketch, plan, theme, square)
    return Ground(KEY, theme, sketch, 100 if square else 63, plan.centres["a1"][1])


def _draw_slab(sketch: Sketch, plan: Plan, theme: Theme, square: bool) -> None:
    """Draw what the tiles lie in: the grout, the slab's side below it, its shadow on the ground."""
    board = BOARDS[theme.key]
    layers = [(theme.ground, 27), (theme.ground, 21), (board.wall, 15), (board.wall, 9)]
    layers += [(board.grout, 4), (board.grout, 0)]
    if square:
        (left, top), (right, bottom) = min(plan.centres.values()), max(plan.centres.values())
        for ink, drop in layers:
            sketch.box(left - 103, top - 103 + drop, right + 103, bottom + 103 + drop, ink, 16)
        return
    # Of what lies deeper only the lower rim is seen, and all that the rim surrounds is grout.
    distances, index = plan.topology.distances, plan.topology.index
    rim = [centre for cell, centre in plan.centres.items() if distances[index[cell]][index["d4"]] == 3]
    centres = plan.centres.values()
    lower = [(x, y) for x, y in rim if sum(abs(px - x) < 110 and 0 < py - y < 130 for px, py in centres) < 3]
    for ink, drop in layers:
        for x, y in lower if drop else rim:
            sketch.polygon(plan.shape(x, y + drop, plan.radius + 1), ink, 12)
    sketch.polygon([plan.centres[corner] for corner in ("a1", "a4", "d7", "g7", "g4", "d1")], board.grout)
    for x, y in rim:
        # Without the rounding there are no holes where three cells meet.
        sketch.polygon(plan.shape(x, y + 2, plan.radius - 3), board.grout)


def draw_emblem(sketch: Sketch, theme: Theme, x: float, y: float, ground: RGB) -> None:
    """Draw the game's emblem, a tile with a hole."""
    sketch.polygon(regular_polygon(x, y, 24, 6), BOARDS[theme.key].emblem, 5)
    sketch.disc(x, y, 10, ground)


def _coordinates(sketch: Sketch, plan: Plan, theme: Theme, square: bool) -> None:
    """Write the columns' letters below and the rows' numbers at the left edge, whichever side is seen."""
    lowest: dict[str, tuple[int, int]] = {}
    leftmost: dict[str, tuple[int, int]] = {}
    for cell, (x, y) in plan.centres.items():
        column, row = cell[0], cell[1:]
        if column not in lowest or y > lowest[column][1]:
            lowest[column] = (x, y)
        if row not in leftmost or x < leftmost[row][0]:
            leftmost[row] = (x, y)
    below = 139 if square else 108
    for column, (x, y) in lowest.items():
        sketch.text(x, y + below + 10, column, 34, theme.ink, "bold", "centre")
    aside = (-132, 0) if square else (-70, -37)
    for row, (x, y) in leftmost.items():
        sketch.centred(x + aside[0], y + aside[1], row, 34, theme.ink)


@lru_cache(maxsize=64)
def make_coloured_tile(square: bool, ink: RGB, wall: RGB | None) -> Tile:
    """Return a tile of another colour, raised by its side where it has one."""
    plan = plan_of(square, False)
    sketch = pieces.sketch_around(plan.radius + 12)
    if wall:
        sketch.polygon(plan.shape(0, 7, plan.tile_radius), wall, 14)
        sketch.polygon(plan.shape(0, 4, plan.tile_radius), wall, 14)
    sketch.polygon(plan.shape(0, 0, plan.tile_radius), ink, 14)
    if ink == WATER:
        sketch.outline(
            plan.shape(0, 0, plan.tile_radius - (4 if plan.corners == 4 else 3)), DEEP, pieces.EDGE_WIDTH, 12
        )
    return Tile(sketch)


@lru_cache(maxsize=2)
def make_reached_edge(square: bool) -> Tile:
    """Return the edge of a tile that the enemy reaches: red, with a cream line inside it."""
    plan = plan_of(square, False)
    sketch = pieces.sketch_around(plan.radius + 4)
    inset = 6.0 * (math.sqrt(2) if square else 1)
    for part, ink, width in ((1.9, CREAM, 4.0), (0.9, CROSS, 9.0)):
        sketch.outline(plan.shape(0, 0, plan.tile_radius - inset * part), ink, width, 12)
    return Tile(sketch)


def find_struck_names(square: bool, turned: bool, ways: Iterable[tuple[str, str]]) -> list[str]:
    """Return the cells of a board whose names ways from cell to cell would strike out, in the board's order."""
    struck = set[str]().union(*(_find_struck_by(square, turned, one, other) for one, other in ways))
    return [cell for cell in plan_of(square, turned).centres if cell in struck]


@lru_cache(maxsize=4096)
def _find_struck_by(square: bool, turned: bool, one: str, other: str) -> frozenset[str]:
    plan = plan_of(square, turned)
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


@lru_cache(maxsize=128)
def make_plate(name: str, ink: RGB, letters: RGB) -> Tile:
    """Return the name of a cell on a piece of its tile, under which a way passes."""
    sketch = pieces.sketch_around(30)
    sketch.box(-23, -25, 23, 6, ink, 8)
    sketch.text(0, 0, name, 27, letters, "semibold", "centre")
    return Tile(sketch)
