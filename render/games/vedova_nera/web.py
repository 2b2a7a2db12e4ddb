"""The board of La Vedova Nera: its inks, and where nodes, threads and hollows lie."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

from engine.topology import web
from render.sketch import Point
from render.theme import RGB, Theme, parse_rgb

KEY: Final = "vedova-nera"
TITLE: Final = "la vedova nera"
COLOURS: Final = ("red", "green", "yellow", "blue", "white")
SPOKES: Final = "abcdefgh"
_RING_GAP: Final = 54


@dataclass(frozen=True)
class BoardInks:
    """The inks of the board in a theme.

    `rim` is the slab's edge, `shade` the tray's edge under its upper side, `groove` its lines, `pit` the hollows'
    upper edge, `spider` the emblem beside the title, `goal` the ground of the other colours' goals.
    """

    slab: RGB
    rim: RGB
    wall: RGB
    thread: RGB
    bezel: RGB
    tray: RGB
    shade: RGB
    groove: RGB
    hollow: RGB
    pit: RGB
    text: RGB
    spider: RGB
    goal: RGB


BOARDS: Final[Mapping[str, BoardInks]] = MappingProxyType(
    {
        "light": BoardInks(
            *map(
                parse_rgb,
                (
                    "D9CDD8", "A893A8", "7D6580", "6E5272", "EADFE8", "4A2F4F",
                    "2C1830", "6C4B71", "33203A", "241428", "4A2F4F", "6B3F77", "F4ECF3",
                ),
            )
        ),
        "dark": BoardInks(
            *map(
                parse_rgb,
                (
                    "463349", "38283D", "241828", "AE96B1", "5C4661", "231527",
                    "120A14", "3B2740", "170D1A", "0B060C", "F0E4EE", "B98FC4", "231527",
                ),
            )
        ),
        "contrast": BoardInks(
            *map(
                parse_rgb,
                (
                    "FFFFFF", "000000", "000000", "5A5A5A", "FFFFFF", "E2E2E2",
                    "000000", "8A8A8A", "B5B5B5", "5A5A5A", "000000", "000000", "FFFFFF",
                ),
            )
        ),
    }
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Web:
    """Where the parts of the board lie in a shape of the picture; all numbers are pixels.

    `first` is the radius of the innermost ring; its threads and those of the others sag half-way between two spokes, to
    `sags` from the centre. `tray` is the radius of the tray, and everything in it is `scale` as large as in the usual
    shape.
    """

    size: tuple[int, int]
    centre: tuple[int, int]
    first: int
    sags: tuple[float, ...]
    tray: int
    scale: float = 1

    @cached_property
    def rings(self) -> tuple[int, ...]:
        """The radii of the rings."""
        return tuple(self.first + _RING_GAP * ring for ring in range(4))

    @property
    def bezel(self) -> int:
        """The radius of the rim around the tray."""
        return self.first - 27

    @property
    def letters(self) -> int:
        """How far from the centre the spokes' letters stand: outside the web, where nothing ever lies."""
        return self.rings[-1] + 55

    @property
    def slab(self) -> int:
        """The radius of the whole."""
        return self.rings[-1] + 70

    @cached_property
    def hollow_radii(self) -> tuple[float, ...]:
        """The radii of the tray's rings."""
        return tuple(reach * self.scale for reach in (46, 82, 118, 154))

    @cached_property
    def nodes(self) -> Mapping[str, tuple[int, int]]:
        """The places on the web."""
        return self._places(self.rings)

    @cached_property
    def hollows(self) -> Mapping[str, tuple[int, int]]:
        """The places in the tray."""
        return self._places(self.hollow_radii)

    def _places(self, reaches: Sequence[float]) -> Mapping[str, tuple[int, int]]:
        places = {}
        for name in web(8, 4).names:
            x, y = self.polar_point(SPOKES.index(name[0]), reaches[int(name[1]) - 1])
            places[name] = (round(x), round(y))
        return MappingProxyType(places)

    def polar_point(self, spoke: float, reach: float) -> Point:
        """Return the point at a distance from the centre; spokes count clockwise from the one pointing up."""
        angle = math.radians(45 * spoke)
        return self.centre[0] + reach * math.sin(angle), self.centre[1] - reach * math.cos(angle)

    def number_at(self, spoke: int, ring: int) -> tuple[int, int]:
        """Return the middle of a ring's number on its thread, a little outwards where the bezel is near."""
        x, y = self.polar_point(spoke + 0.5, max(self.sags[ring], self.bezel + 19))
        return round(x), round(y)

    def trace_thread(self, spoke: int, ring: int, start: float = 0, end: float = 1) -> list[Point]:
        """Return the thread of a ring (from 0) from a spoke to the next one clockwise, or a part of it."""
        (ax, ay), (bx, by) = (self.polar_point(at, self.rings[ring]) for at in (spoke, spoke + 1))
        mx, my = self.polar_point(spoke + 0.5, self.sags[ring])
        # A parabola through the three points: its control point lies as far beyond the middle as the chord before it.
        cx, cy = 2 * mx - (ax + bx) / 2, 2 * my - (ay + by) / 2
        points = []
        for step in range(25):
            t = start + (end - start) * step / 24
            a, c, b = (1 - t) ** 2, 2 * t * (1 - t), t**2
            points.append((a * ax + c * cx + b * bx, a * ay + c * cy + b * by))
        return points


USUAL: Final = Web((900, 1130), (450, 535), 214, (200, 244, 289, 335.5), 172)
WIDE: Final = Web((1316, 1016), (498, 497), 262, (245, 289.5, 334.5, 380), 227, 1.32)
"""The wide shape has a larger tray, since its marbles are to be 14 pixels wide where the whole is 400 wide."""
BAND_LEFT: Final = 996
"""Where the players' band begins in the wide shape."""


def list_colours(theme: Theme) -> Iterable[RGB]:
    """Yield the inks of the board and of the pieces on it."""
    board = BOARDS[theme.key]
    yield from (
        board.slab, board.rim, board.wall, board.thread, board.bezel, board.tray, board.shade, board.groove,
        board.hollow, board.pit, board.text, board.spider, board.goal,
    )  # fmt: skip
    for name in (*COLOURS, "counsellor"):
        inks = theme.sets[name]
        yield from (inks.face, inks.wall, inks.emblem, inks.tint, inks.contour, inks.rim)
