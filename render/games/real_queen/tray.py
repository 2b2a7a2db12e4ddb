"""The lacquered tray of Real Queen: its inks, where the hollows lie, and everything that never changes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from engine.topology import square_grid
from render import frame
from render.canvas import Ground, Tile
from render.games.real_queen.marbles import draw_crown
from render.sketch import Point, Sketch
from render.theme import RGB, Theme, parse_rgb

KEY: Final = "real-queen"
SIZE: Final = 7
PIECES: Final = 20
CELL: Final = 104
HOLLOW: Final = 40
LEFT, TOP, RIGHT, BOTTOM = 38, 102, 862, 1026
"""The tray's face; its wall is 11 below it, its shadow 22."""
FIELD: Final = (78, 174, 822, 918)
RAILS: Final = ((78, 960, 752, 1014), (78, 114, 752, 168))
"""The reserves' rails: that of the seat at the bottom, that of the other; beside each stands how many it holds."""
COUNT_AT: Final = 790
HEIGHT: Final = 1182
BOARD: Final = square_grid(SIZE, SIZE)


@dataclass(frozen=True)
class Tray:
    """The inks of the tray in one theme.

    `lip` is the shade at a hollow's upper edge, `crest` the light on its lower one, `brim` the shade at the
    field's upper edge, `shade` the shadow of a marble, `emblem` the disc in the title, `near` the field beside a queen.
    """

    frame: RGB
    field: RGB
    hollow: RGB
    lip: RGB
    wall: RGB
    text: RGB
    crest: RGB
    brim: RGB
    shade: RGB
    emblem: RGB
    near: RGB


TRAYS: Final[Mapping[str, Tray]] = MappingProxyType(
    {
        key: Tray(*map(parse_rgb, inks.split()))
        for key, inks in {
            "light": "8FAE9E 759787 68897A 4F6F61 4C6B5D 24392F 98B6A7 6E9080 587868 4F7A68 A08B45",
            "dark": "56776A 486A5D 385548 253C33 243A32 FFFFFF 668A7C 3D5B4F 2C463C 7FA392 8A7440",
            "contrast": "FFFFFF E2E2E2 C4C4C4 6A6A6A 000000 000000 FFFFFF B0B0B0 8C8C8C 000000 FFDF80",
        }.items()
    }
)


@lru_cache
def compute_centres(turned: bool) -> Mapping[str, tuple[int, int]]:
    """Return the centre of every hollow; turned, the board is seen from the other side."""
    found = {}
    for name, (x, y) in zip(BOARD.names, BOARD.positions, strict=True):
        across, up = (SIZE - 1 - x, SIZE - 1 - y) if turned else (x, y)
        found[name] = (138 + round(CELL * across), 235 + round(CELL * (SIZE - 1 - up)))
    return MappingProxyType(found)


def compute_slots(seat_at_bottom: bool) -> list[tuple[int, int]]:
    """Return the places of a rail from left to right, in groups of five that can be counted at a glance."""
    _, top, _, bottom = RAILS[0 if seat_at_bottom else 1]
    return [(101 + 31 * number + 13 * (number // 5), (top + bottom) // 2 + 2) for number in range(PIECES)]


@lru_cache(maxsize=6)
def draw_ground(theme: Theme, turned: bool) -> Ground:
    """Return the picture of the empty tray."""
    tray = TRAYS[theme.key]
    sketch = Sketch(frame.WIDTH, HEIGHT, paper=theme.paper)
    frame.draw_title(sketch, theme, "real queen", lambda s, x, y: draw_emblem(s, theme, x, y, theme.paper))
    line = theme.outline
    sketch.side(LEFT, RIGHT, BOTTOM + 22, theme.ground, 38)
    sketch.side(LEFT, RIGHT, BOTTOM + 11, tray.wall, 38)
    if line:
        sketch.box(LEFT, TOP, RIGHT, BOTTOM, tray.wall, 38)
    sketch.box(LEFT + line, TOP + line, RIGHT - line, BOTTOM - line, tray.frame, 38 - line)
    for rail in RAILS:
        _sunken(sketch, rail, tray.lip, tray.hollow, 27)
    _sunken(sketch, FIELD, tray.brim, tray.field, 18)
    for x, y in compute_centres(turned).values():
        _draw_hollow(sketch, x, y, tray)
    for cell, (x, y) in compute_centres(turned).items():
        if y == 235 + CELL * (SIZE - 1):
            sketch.text(x, 946, cell[0], 34, tray.text, "bold", "centre")
        if x == 138:
            sketch.centred(60, y, cell[1:], 34, tray.text)
    return Ground(KEY, theme, sketch, CELL // 2, 235 - CELL // 2)


def _sunken(sketch: Sketch, box: tuple[int, int, int, int], shade: RGB, floor: RGB, radius: int) -> None:
    left, top, right, bottom = box
    sketch.box(left, top, right, bottom, shade, radius)
    sketch.box(left, top + 5, right, bottom, floor, radius)


@lru_cache(maxsize=3)
def make_near_cell(theme: Theme) -> Tile:
    """Return a cell beside a queen, where a line wins: its field has another ink and a line around it."""
    tray, half = TRAYS[theme.key], CELL / 2
    sketch = Sketch(CELL, CELL, (CELL // 2, CELL // 2))
    sketch.box(-half, -half, half, half, tray.lip)
    sketch.box(1.5 - half, 1.5 - half, half - 1.5, half - 1.5, tray.near, 8)
    _draw_hollow(sketch, 0, 0, tray)
    return Tile(sketch)


def _draw_hollow(sketch: Sketch, x: float, y: float, tray: Tray) -> None:
    sketch.disc(x, y + 2.5, HOLLOW + 1.5, tray.crest)
    sketch.disc(x, y - 1, HOLLOW, tray.lip)
    sketch.polygon(_lens(x, y - 1, HOLLOW, 8), tray.hollow)


def _lens(x: float, y: float, r: float, drop: float) -> list[Point]:
    """Return what a circle and the same circle further down have in common."""
    reach = math.degrees(math.asin(drop / 2 / r))
    lower = [math.radians(angle) for angle in _span(reach, 180 - reach)]
    upper = [math.radians(angle) for angle in _span(180 + reach, 360 - reach)]
    return [(x + r * math.cos(a), y + r * math.sin(a)) for a in lower] + [
        (x + r * math.cos(a), y + drop + r * math.sin(a)) for a in upper
    ]


def _span(start: float, end: float) -> list[float]:
    return [start + (end - start) * step / 60 for step in range(61)]


def draw_emblem(sketch: Sketch, theme: Theme, x: float, y: float, ground: RGB) -> None:
    """Draw the game's emblem, a crown."""
    sketch.disc(x, y, 24, TRAYS[theme.key].emblem)
    draw_crown(sketch, x, y - 1, 32, ground)
