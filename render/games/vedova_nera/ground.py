"""The web drawn with nothing on it: slab, threads, coordinates, bezel and tray."""

import math
from functools import lru_cache

from render import frame, pieces
from render.canvas import Ground, Tile
from render.games.vedova_nera.figures import draw_spider
from render.games.vedova_nera.web import (
    BOARDS,
    CENTRE,
    HEIGHT,
    HOLLOW_RADII,
    HOLLOWS,
    KEY,
    LETTERS,
    NODES,
    RINGS,
    SPOKES,
    TITLE,
    WIDE,
    WIDE_ORIGIN,
    BoardInks,
    number_at,
    polar_point,
    trace_thread,
)
from render.sketch import Point, Sketch
from render.theme import RGB, Theme

_SLAB = 446
_BEZEL = 187
_TRAY = 172
_WEB = 388
"""How far the spokes reach: a little beyond the outermost ring."""
_THREAD = 5.0
_SPOKE = 6.5


@lru_cache(maxsize=6)
def draw_ground(theme: Theme, wide: bool = False) -> Ground:
    """Return the board of a theme with nothing on it, with the title unless it is that of the wide shape."""
    board = BOARDS[theme.key]
    if wide:
        sketch = Sketch(*WIDE, WIDE_ORIGIN, theme.paper)
    else:
        sketch = Sketch(frame.WIDTH, HEIGHT, paper=theme.paper)
        frame.draw_title(sketch, theme, TITLE, lambda s, x, y: draw_spider(s, x, y, 25, board.spider))
    x, y = CENTRE
    sketch.disc(x, y + 21, _SLAB, theme.ground)
    sketch.disc(x, y + 10, _SLAB, board.wall)
    sketch.disc(x, y, _SLAB, board.rim)
    sketch.disc(x, y, _SLAB - 4, board.slab)
    _threads(sketch, board)
    sketch.disc(x, y + 5, _BEZEL, board.wall)
    sketch.disc(x, y, _BEZEL, board.bezel)
    if theme.outline:
        sketch.ring(x, y, _BEZEL - 1.5, board.wall, 3)
    for spoke, letter in enumerate(SPOKES):
        # The letters' middle is that of their small forms, a little lower than that of capitals.
        px, py = polar_point(spoke, LETTERS)
        sketch.text(px, py + 8, letter, 32, board.text, "bold", "centre")
    _tray(sketch, theme, board)
    # The players' names lie in one band, the numbers below them in another.
    return Ground(KEY, theme, sketch, top=0 if wide else HEIGHT - frame.FOOTER_HEIGHT, level=1)


@lru_cache(maxsize=3)
def title_spider(ink: RGB) -> Tile:
    """Return the game's emblem for the band of the wide shape."""
    sketch = pieces.sketch_around(36)
    draw_spider(sketch, 0, 0, 34, ink)
    return Tile(sketch)


def _threads(sketch: Sketch, board: BoardInks) -> None:
    for spoke in range(8):
        sketch.line([polar_point(spoke, _BEZEL - 10), polar_point(spoke, _WEB)], board.thread, _SPOKE)
        for ring in range(4):
            if spoke in (0, 4):
                # Room for the ring's number.
                gap = 24 / math.dist(polar_point(spoke, RINGS[ring]), polar_point(spoke + 1, RINGS[ring]))
                for start, end in ((0, 0.5 - gap), (0.5 + gap, 1)):
                    sketch.line(trace_thread(spoke, ring, start, end), board.thread, _THREAD)
                sketch.centred(*number_at(spoke, ring), str(ring + 1), 34, board.text)
            else:
                sketch.line(trace_thread(spoke, ring), board.thread, _THREAD)
    for x, y in NODES.values():
        sketch.disc(x, y, 8.5, board.thread)


def _tray(sketch: Sketch, theme: Theme, board: BoardInks) -> None:
    x, y = CENTRE
    sketch.disc(x, y, _TRAY, board.shade)
    sketch.polygon(_floor(_TRAY, 7), board.tray)
    if theme.outline:
        sketch.ring(x, y, _TRAY, board.shade, 4)
    for reach in HOLLOW_RADII:
        sketch.ring(x, y, reach, board.groove, 3.5)
    for spoke in range(8):
        sketch.line([polar_point(spoke, HOLLOW_RADII[0]), polar_point(spoke, HOLLOW_RADII[-1])], board.groove, 3.5)
    for hx, hy in HOLLOWS.values():
        sketch.disc(hx, hy, 14.5, board.pit)
        sketch.disc(hx, hy + 2, 13.5, board.hollow)


def _floor(reach: float, drop: float) -> list[Point]:
    """Return the part of the tray's floor that is seen past its upper edge: two circles' common part."""
    points = []
    for step in range(361):
        angle = math.radians(step)
        along, across = -drop * math.cos(angle), drop * math.sin(angle)
        other = along + math.sqrt(reach**2 - across**2)
        points.append(polar_point(step / 45, min(reach, other)))
    return points
