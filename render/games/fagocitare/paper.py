"""Fagocitare's pad of squared paper: its inks, where the cells lie, and everything that never changes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Final

from engine.topology import square_grid
from render import frame
from render.canvas import Ground
from render.sketch import Point, Sketch
from render.theme import RGB, Theme, parse_rgb

KEY: Final = "fagocitare"
LEFT, TOP, RIGHT = 26, 100, 874
"""The pad's edges; it begins with the gummed one."""
_CELLS: Final = {7: 104, 10: 75, 12: 63}
_BOARD_TOP: Final = 162
_MIDDLE: Final = 464


@dataclass(frozen=True)
class Inks:
    """The colours of the paper and the pens in one theme.

    `pen` draws the board's outline and the circle around the last dot, `figure` writes on paper in the footer,
    `edge` and `under` are the pad's lower pages, `glow` is the highlighter's edge, `red_gone` the line around a
    dead red dot.
    """

    sheet: RGB
    grid: RGB
    rim: RGB
    pen: RGB
    red: RGB
    red_dead: RGB
    blue: RGB
    blue_dead: RGB
    hatch: RGB
    text: RGB
    figure: RGB
    gum: RGB
    gum_wall: RGB
    edge: RGB
    under: RGB
    highlight: RGB
    pale: RGB
    glow: RGB
    red_gone: RGB

    def all(self) -> tuple[RGB, ...]:
        """Return all colours."""
        return tuple(vars(self).values())


INKS: Final[Mapping[str, Inks]] = MappingProxyType(
    {
        key: Inks(*map(parse_rgb, inks.split()))
        for key, inks in {
            "light": "FCFAF3 BFD0DC E8EEEE 3A3F4B C9372C EDB7AE 2347A5 5673BC A62318 59606E 2A2422"
            " 2E4372 1E2E54 D3CBBB B9AF9C F9C440 FBDD8A F9C440 CA4F41",
            "dark": "23302D 34443F 2B3A36 DDE3DA F2806F 6E4039 86A9F5 7590CE B9503F B9C4BB DDE3DA"
            " 41588F 2C3E6B 3A4B46 18211F 664D12 3F3617 F2B632 CC7568",
            "contrast": "FFFFFF B5B5B5 E8E8E8 000000 C8101E F6C2C2 0A3FA8 466CC0 7A0010 000000 000000"
            " 000000 3A3A3A C4C4C4 6A6A6A F2B632 F6D58C F2B632 C44646",
        }.items()
    }
)


@dataclass(frozen=True)
class PaperLayout:
    """Where the cells of a size lie, and how large things are on them."""

    size: int
    cell: int
    centres: Mapping[str, tuple[int, int]]
    box: tuple[int, int, int, int]

    @property
    def height(self) -> int:
        """The height of the picture."""
        return self.box[3] + 102 + frame.FOOTER_HEIGHT

    @property
    def dot(self) -> float:
        """The radius of a dot."""
        return 0.31 * self.cell

    @property
    def line(self) -> float:
        """The width of a capture line."""
        return 9 if self.cell < 100 else 10

    def is_rim(self, cell: str) -> bool:
        """Say whether a cell lies in the outer frame."""
        last = str(self.size)
        return cell[0] in ("a", "abcdefghijkl"[self.size - 1]) or cell[1:] in ("1", last)


@lru_cache
def plan(size: int) -> PaperLayout:
    """Return the layout of a size."""
    cell = _CELLS[size]
    left = _MIDDLE - size * cell // 2
    bottom = _BOARD_TOP + size * cell
    board = square_grid(size, size)
    centres = {
        name: (round(left + cell * (x + 0.5)), round(bottom - cell * (y + 0.5)))
        for name, (x, y) in zip(board.names, board.positions, strict=True)
    }
    return PaperLayout(size, cell, MappingProxyType(centres), (left, _BOARD_TOP, left + size * cell, bottom))


@lru_cache(maxsize=9)
def draw_ground(theme: Theme, size: int) -> Ground:
    """Return the picture of an empty sheet."""
    layout, inks = plan(size), INKS[theme.key]
    left, top, right, bottom = layout.box
    sketch = Sketch(frame.WIDTH, layout.height, paper=theme.paper)
    frame.draw_title(sketch, theme, KEY, lambda s, x, y: draw_emblem(s, theme, x, y, theme.paper))
    _draw_pad(sketch, inks, theme, bottom + 62)
    cell = layout.cell
    sketch.box(left, top, right, bottom, inks.rim)
    sketch.box(left + cell, top + cell, right - cell, bottom - cell, inks.sheet)
    for x in range(left % cell, RIGHT, cell):
        if x > LEFT + 8:
            sketch.box(x - 1.5, TOP + 36, x + 1.5, bottom + 62, inks.grid)
    for y in range(top, bottom + 1, cell):
        sketch.box(LEFT, y - 1.5, RIGHT, y + 1.5, inks.grid)
    rng = Random(size)
    for ends in (
        ((left - 7, top), (right + 8, top)),
        ((left - 7, bottom), (right + 8, bottom)),
        ((left, top - 8), (left, bottom + 6)),
        ((right, top - 8), (right, bottom + 8)),
    ):
        bent = [(x + rng.uniform(-1, 1), y + rng.uniform(-1, 1)) for x, y in ends]
        sketch.line(draw_wobbly_line(bent, rng, 1.3, 4), inks.pen, 6)
    for name, (x, y) in layout.centres.items():
        if name[1:] == "1":
            sketch.text(x, bottom + 40, name[0], 34, inks.text, "bold", "centre")
        if name[0] == "a":
            sketch.centred((LEFT + left) / 2 + 2, y, name[1:], 34, inks.text)
    return Ground(KEY, theme, sketch, cell, top)


def _draw_pad(sketch: Sketch, inks: Inks, theme: Theme, bottom: int) -> None:
    for ink, drop in ((theme.ground, 18), (inks.under, 11), (inks.edge, 6)):
        sketch.box(LEFT, TOP + 20, RIGHT, bottom + drop, ink, 9)
    if theme.outline:
        sketch.box(LEFT - 3, TOP - 3, RIGHT + 3, bottom + 3, theme.ink, 10)
    sketch.box(LEFT, TOP + 20, RIGHT, bottom, inks.sheet, 7)
    sketch.box(LEFT, TOP, RIGHT, TOP + 36, inks.gum, 9)
    sketch.box(LEFT, TOP + 20, RIGHT, TOP + 36, inks.gum)
    sketch.box(LEFT, TOP + 30, RIGHT, TOP + 36, inks.gum_wall)


def draw_emblem(sketch: Sketch, theme: Theme, x: float, y: float, _ground: RGB) -> None:
    """Draw the game's emblem, a captured dot."""
    inks = INKS[theme.key]
    sketch.outline([(x - 21, y - 21), (x + 21, y - 21), (x + 21, y + 21), (x - 21, y + 21)], inks.red, 6, 4)
    sketch.ring(x, y, 8.8, inks.blue, 6)


def draw_wobbly_line(ends: Sequence[Point], rng: Random, amount: float, slow: float = 1) -> list[Point]:
    """Return a straight stroke between two points as a hand draws it; its ends stay where they are.

    `amount` is how far it strays, `slow` how much longer than for a short stroke its waves are.
    """
    (ax, ay), (bx, by) = ends
    length = math.hypot(bx - ax, by - ay)
    if not length:
        return list(ends)
    ux, uy = (bx - ax) / length, (by - ay) / length
    waves = [(rng.uniform(45, 190) * slow, rng.uniform(0, 2 * math.pi)) for _ in range(3)]
    steps = max(2, round(length / 6))
    points = []
    for step in range(steps + 1):
        along = length * step / steps
        calm = min(1.0, along / 20, (length - along) / 20)
        aside = amount * calm * sum(math.sin(2 * math.pi * along / wave + phase) for wave, phase in waves) * 0.6
        aside += calm * rng.uniform(-0.25, 0.25)
        points.append((ax + ux * along - uy * aside, ay + uy * along + ux * aside))
    return points
