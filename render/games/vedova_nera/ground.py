"""The web drawn with nothing on it: slab, threads, coordinates, bezel and tray."""

import math
from functools import lru_cache

from render import frame, pieces
from render.canvas import Ground, Tile
from render.games.vedova_nera.figures import draw_spider
from render.games.vedova_nera.web import BOARDS, KEY, SPOKES, TITLE, USUAL, BoardInks, Web
from render.sketch import Point, Sketch
from render.theme import RGB, Theme

_THREAD = 5.0
_SPOKE = 6.5


@lru_cache(maxsize=6)
def draw_ground(theme: Theme, web: Web) -> Ground:
    """Return the board of a theme with nothing on it, with the title in the usual shape."""
    board = BOARDS[theme.key]
    sketch = Sketch(*web.size, paper=theme.paper)
    if web is USUAL:
        frame.draw_title(sketch, theme, TITLE, lambda s, x, y: draw_spider(s, x, y, 25, board.spider))
    x, y = web.centre
    sketch.disc(x, y + 21, web.slab, theme.ground)
    sketch.disc(x, y + 10, web.slab, board.wall)
    sketch.disc(x, y, web.slab, board.rim)
    sketch.disc(x, y, web.slab - 4, board.slab)
    _threads(sketch, board, web)
    sketch.disc(x, y + 5, web.bezel, board.wall)
    sketch.disc(x, y, web.bezel, board.bezel)
    if theme.outline:
        sketch.ring(x, y, web.bezel - 1.5, board.wall, 3)
    for spoke, letter in enumerate(SPOKES):
        # The letters' middle is that of their small forms, a little lower than that of capitals.
        px, py = web.polar_point(spoke, web.letters)
        sketch.text(px, py + 8, letter, 32, board.text, "bold", "centre")
    _tray(sketch, theme, board, web)
    if web is USUAL:
        # The players' names lie in one band, the numbers below them in another.
        return Ground(KEY, theme, sketch, top=web.size[1] - frame.FOOTER_HEIGHT, level=1)
    return Ground(KEY, theme, sketch)


@lru_cache(maxsize=3)
def title_spider(ink: RGB) -> Tile:
    """Return the game's emblem for the band of the wide shape."""
    sketch = pieces.sketch_around(36)
    draw_spider(sketch, 0, 0, 34, ink)
    return Tile(sketch)


def _threads(sketch: Sketch, board: BoardInks, web: Web) -> None:
    for spoke in range(8):
        ends = [web.polar_point(spoke, reach) for reach in (web.bezel - 10, web.rings[-1] + 12)]
        sketch.line(ends, board.thread, _SPOKE)
        for ring in range(4):
            if spoke in (0, 4):
                # Room for the ring's number.
                gap = 24 / math.dist(
                    web.polar_point(spoke, web.rings[ring]), web.polar_point(spoke + 1, web.rings[ring])
                )
                for start, end in ((0, 0.5 - gap), (0.5 + gap, 1)):
                    sketch.line(web.trace_thread(spoke, ring, start, end), board.thread, _THREAD)
                sketch.centred(*web.number_at(spoke, ring), str(ring + 1), 34, board.text)
            else:
                sketch.line(web.trace_thread(spoke, ring), board.thread, _THREAD)
    for x, y in web.nodes.values():
        sketch.disc(x, y, 8.5, board.thread)


def _tray(sketch: Sketch, theme: Theme, board: BoardInks, web: Web) -> None:
    x, y = web.centre
    sketch.disc(x, y, web.tray, board.shade)
    sketch.polygon(_floor(web, 7), board.tray)
    if theme.outline:
        sketch.ring(x, y, web.tray, board.shade, 4)
    for reach in web.hollow_radii:
        sketch.ring(x, y, reach, board.groove, 3.5)
    for spoke in range(8):
        ends = [web.polar_point(spoke, reach) for reach in (web.hollow_radii[0], web.hollow_radii[-1])]
        sketch.line(ends, board.groove, 3.5)
    for hx, hy in web.hollows.values():
        sketch.disc(hx, hy, 14.5 * web.scale, board.pit)
        sketch.disc(hx, hy + 2, 13.5 * web.scale, board.hollow)


def _floor(web: Web, drop: float) -> list[Point]:
    """Return the part of the tray's floor that is seen past its upper edge: two circles' common part."""
    points = []
    for step in range(361):
        angle = math.radians(step)
        along, across = -drop * math.cos(angle), drop * math.sin(angle)
        other = along + math.sqrt(web.tray**2 - across**2)
        points.append(web.polar_point(step / 45, min(web.tray, other)))
    return points
