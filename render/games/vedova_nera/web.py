"""The board of La Vedova Nera: its inks, and where nodes, threads and hollows lie."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from engine.topology import web
from render.sketch import Point
from render.theme import RGB, Theme, parse_rgb

KEY: Final = "vedova-nera"
TITLE: Final = "la vedova nera"
COLOURS: Final = ("red", "green", "yellow", "blue", "white")
CENTRE: Final = (450, 535)
HEIGHT: Final = 1130
WIDE: Final = (1310, 920)
WIDE_ORIGIN: Final = (0, -86)
"""The size of the wide shape, and where the web lies in it."""
SPOKES: Final = "abcdefgh"

RINGS: Final = (214.0, 268.0, 322.0, 376.0)
SAG_RADII: Final = (200.0, 244.0, 289.0, 335.5)
"""How far from the centre each ring's threads sag half-way between two spokes."""
LETTERS: Final = 431.0
"""How far from the centre the spokes' letters stand: outside the web, where nothing ever lies."""
HOLLOW_RADII: Final = (46.0, 82.0, 118.0, 154.0)


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


def polar_point(spoke: float, reach: float) -> Point:
    """Return the point at a distance from the centre; spokes count clockwise from the one pointing up."""
    angle = math.radians(45 * spoke)
    return CENTRE[0] + reach * math.sin(angle), CENTRE[1] - reach * math.cos(angle)


def _places(reaches: tuple[float, ...]) -> dict[str, tuple[int, int]]:
    places = {}
    for name in web(8, 4).names:
        x, y = polar_point(SPOKES.index(name[0]), reaches[int(name[1]) - 1])
        places[name] = (round(x), round(y))
    return places


NODES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(_places(RINGS))
HOLLOWS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(_places(HOLLOW_RADII))


def number_at(spoke: int, ring: int) -> tuple[int, int]:
    """Return the middle of a ring's number on its thread, a little outwards where the bezel is near."""
    x, y = polar_point(spoke + 0.5, max(SAG_RADII[ring], 206))
    return round(x), round(y)


def trace_thread(spoke: int, ring: int, start: float = 0, end: float = 1) -> list[Point]:
    """Return the thread of a ring (from 0) from a spoke to the next one clockwise, or a part of it."""
    (ax, ay), (bx, by) = polar_point(spoke, RINGS[ring]), polar_point(spoke + 1, RINGS[ring])
    mx, my = polar_point(spoke + 0.5, SAG_RADII[ring])
    # A parabola through the three points: its control point lies as far beyond the middle as the chord before it.
    cx, cy = 2 * mx - (ax + bx) / 2, 2 * my - (ay + by) / 2
    points = []
    for step in range(25):
        t = start + (end - start) * step / 24
        a, c, b = (1 - t) ** 2, 2 * t * (1 - t), t**2
        points.append((a * ax + c * cx + b * bx, a * ay + c * cy + b * by))
    return points


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
