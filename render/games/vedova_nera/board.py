"""What lies on the web and in the tray: spiders, the Counsellor, marbles, plaques for goals; each a tile made once."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from engine.core import Position
from engine.games.vedova_nera.rules import COLOURS, WEB, find_stable_pawns
from render import frame, pieces
from render.canvas import Canvas, Ground, Places, figure
from render.frame import Column
from render.scene import Scene
from render.sketch import Point, Sketch, regular_polygon
from render.theme import (
    LINE,
    RGB,
    Set,
    Theme,
    contrast,
    list_inks,
    mix_inks,
    read_inks,
)

KEY: Final = "vedova-nera"
TITLE: Final = "la vedova nera"
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


BOARDS: Final = read_inks(
    BoardInks,
    light="D9CDD8 A893A8 7D6580 6E5272 EADFE8 4A2F4F 2C1830 6C4B71 33203A 241428 4A2F4F 6B3F77 F4ECF3",
    dark="463349 38283D 241828 AE96B1 5C4661 231527 120A14 3B2740 170D1A 0B060C F0E4EE B98FC4 231527",
    contrast="FFFFFF 000000 000000 5A5A5A FFFFFF E2E2E2 000000 8A8A8A B5B5B5 5A5A5A 000000 000000 FFFFFF",
)


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
    def nodes(self) -> Places:
        """The places on the web."""
        return self._places(self.rings)

    @cached_property
    def hollows(self) -> Places:
        """The places in the tray."""
        return self._places(self.hollow_radii)

    def places(self, in_tray: bool) -> Places:
        """Return the places in the tray or on the web."""
        return self.hollows if in_tray else self.nodes

    def _places(self, reaches: Sequence[float]) -> Places:
        places = {}
        for name in WEB.names:
            x, y = self.polar_point(SPOKES.index(name[0]), reaches[int(name[1]) - 1])
            places[name] = (round(x), round(y))
        return places

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
    yield from list_inks(BOARDS[theme.key])
    for name in (*COLOURS, "counsellor"):
        yield from list_inks(theme.sets[name])


PAWN_RADIUS = 25.5
MARBLE_RADIUS = 17.5
_WALL = 5.6
_LIGHT = 2.0


def _turned(along: float, aside: float, spoke: float) -> Point:
    """Return a point given outwards along a spoke and clockwise from it."""
    angle = math.radians(45 * spoke)
    return along * math.sin(angle) + aside * math.cos(angle), -along * math.cos(angle) + aside * math.sin(angle)


def draw_spider(sketch: Sketch, r: float, ink: RGB) -> None:
    """Draw a spider seen from above, its head up, its legs within radius r (the game's emblem)."""
    spider, width = sketch.at(0, 0, r), max(3 / r, 0.13)
    spider.disc(0, 0.1, 0.36, ink)
    spider.disc(0, -0.3, 0.24, ink)
    for side in (-1, 1):
        for knee, foot in (
            ((0.42, -0.52), (0.34, -0.98)),
            ((0.62, -0.24), (0.94, -0.44)),
            ((0.62, 0.16), (0.94, 0.36)),
            ((0.42, 0.46), (0.36, 0.98)),
        ):
            spider.line([(0, 0), (side * knee[0], knee[1]), (side * foot[0], foot[1])], ink, width)


make_emblem: Final = figure()(draw_spider)
"""Returns the game's emblem for the band of the wide shape."""


@figure()
def make_count(sketch: Sketch, ink: RGB, count: int, r: float, size: int, gap: int) -> None:
    """Return a spider of radius r and, from `gap` on, the number of stable pawns; its anchor is the spider's middle."""
    draw_spider(sketch, r, ink)
    sketch.text(gap, size * 0.35, str(count), size, ink)


@figure()
def make_spider(sketch: Sketch, theme: Theme, colour: str, spoke: int, on_plaque: bool, reached: bool) -> None:
    """Return a stable pawn with its shadow: it has grown eight legs and a head that looks outwards along its spoke.

    Light legs that reach beyond a plaque have a dark edge; on the last turn's saffron all legs are dark.
    """
    bright = on_plaque and not reached
    inks, ink = theme.sets[colour], LINE if reached else theme.ink
    pieces.draw_shadow(sketch, PAWN_RADIUS, BOARDS[theme.key].wall)
    top = -_WALL / 2
    for grown, line in ((2.0, LINE), (0.0, ink)) if bright and ink != LINE else ((0.0, ink),):
        for side in (-1, 1):
            for angle, bend in ((42, -14), (74, -9), (106, 9), (138, 14)):
                path = []
                for reach, turn in ((PAWN_RADIUS - 4, 0), (PAWN_RADIUS + 9, 0), (PAWN_RADIUS + 17, bend)):
                    at = math.radians(angle + turn)
                    path.append(_turned(reach * math.cos(at), side * reach * math.sin(at), spoke))
                sketch.line(path, line, 5 + 2 * grown)
        hx, hy = _turned(PAWN_RADIUS + 3, 0, spoke)
        sketch.disc(hx, hy, 9 + grown, line)
        pieces.draw_pillar(sketch, -top, PAWN_RADIUS + grown, line)
    sketch.disc(0, top, PAWN_RADIUS - 3, inks.face)
    pieces.draw_emblem(sketch, 0, top, PAWN_RADIUS, inks)


@figure()
def make_counsellor(sketch: Sketch, theme: Theme) -> None:
    """Return the Counsellor with his shadow: an octagon with its thickness and an hourglass."""
    inks, r = theme.sets["counsellor"], PAWN_RADIUS + 0.5
    depth, edge = r * 0.11, r / math.cos(math.pi / 8)

    def draw_octagon(y: float, reach: float, ink: RGB) -> None:
        sketch.polygon(regular_polygon(0, y, reach, 8, 22.5), ink)

    pieces.draw_shadow(sketch, PAWN_RADIUS, BOARDS[theme.key].wall)
    if needs_light_line(theme):
        for drop in (-depth, depth):
            draw_octagon(drop, edge + _LIGHT, inks.tint)
    for reach, ink in ((edge, inks.contour), (edge - 2, inks.wall)):
        for step in range(9):
            draw_octagon(depth * (1 - step / 4), reach, ink)
    draw_octagon(-depth, edge - 1, inks.rim)
    draw_octagon(-depth, edge - 4, inks.face)
    pieces.draw_emblem(sketch, 0, -depth, r, inks)


def marble_edge(theme: Theme, inks: Set) -> RGB:
    """Return the ink of a marble's edge: light where the marble would be lost in the dark of the tray."""
    if theme.outline:
        return inks.contour
    return inks.face if contrast(inks.face, BOARDS[theme.key].tray) >= 3.4 else inks.tint


def plaque_edge(theme: Theme, inks: Set) -> RGB:
    """Return the ink of a plaque's edge and emblem."""
    if theme.outline:
        return LINE
    return inks.wall if contrast(inks.wall, inks.tint) > 3.1 else inks.contour


@figure()
def make_marble(sketch: Sketch, theme: Theme, colour: str, r: float = MARBLE_RADIUS) -> None:
    """Return a marble: eight discs, one in the other, from the shade below to the light above."""
    inks = theme.sets[colour]
    sketch.disc(0.5, 2.5, r, BOARDS[theme.key].pit)
    line = 2.5 if theme.outline else 0
    if line:
        sketch.disc(0, 0, r, inks.contour)
    for step in range(8):
        part = step / 7
        sketch.disc(0, -2.2 * part, (r - line) * (1 - 0.14 * part), mix_inks(inks.wall, inks.face, min(1, part * 1.6)))
    light = mix_inks(inks.face, (255, 255, 255), 0.45)
    if inks.shape == "hourglass":
        light = mix_inks(inks.face, (255, 255, 255), 0.3)
    if (edge := marble_edge(theme, inks)) == inks.tint:
        sketch.ring(0, 0, r - 1.25, edge, 2.5)
    sketch.arc(0, -1, r * 0.72, 190, 250, light, max(2.5, r * 0.15))
    pieces.draw_emblem(sketch, 0, -1, r * 0.82, inks)


@figure()
def make_plaque(sketch: Sketch, theme: Theme, colour: str, spoke: int) -> None:
    """Return the goal of the colour whose goals stand out: a plaque across the spoke, wider than a pawn."""
    inks = theme.sets[colour]
    edge = plaque_edge(theme, inks)
    for wide, high, ink in ((40, 26, edge), (35.5, 21.5, inks.tint)):
        corners = [_turned(high * a, wide * b, spoke) for a, b in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
        sketch.polygon(corners, ink, 12 if ink == edge else 8)
    pieces.draw_emblem(sketch, 0, 0, PAWN_RADIUS, inks, edge)


@figure()
def make_goal(sketch: Sketch, theme: Theme, colour: str, reach: float = 18) -> None:
    """Return the goal of another colour: its emblem on the node, or smaller beside what stands there."""
    inks, board = theme.sets[colour], BOARDS[theme.key]
    part = reach / 18
    sketch.disc(0, 0, reach, board.thread)
    sketch.disc(0, 0, reach - 3.5 * part, board.goal)
    if contrast(inks.face, board.goal) < (2 if inks.shape == "hourglass" else 1.4):
        # On a ground of its own colour its emblem looks as it does on the pawn.
        pieces.draw_emblem(sketch, 0, 0, 22 * part, inks)
        return
    # Small forms look larger than they are when they fill their square.
    r = {"triangle": 19, "hourglass": 22}.get(inks.shape, 21) * part
    if contrast(inks.face, board.goal) < 3:
        pieces.draw_emblem(sketch, 0, 0, r + 5 * part, inks, inks.contour)
    pieces.draw_emblem(sketch, 0, 0, r, inks, inks.face)


@figure()
def make_pawn(sketch: Sketch, theme: Theme, colour: str, on_plaque: bool) -> None:
    """Return a pawn on the web with its shadow.

    It has a dark line around it on a plaque, and a light one where the web is dark.
    """
    pieces.draw_shadow(sketch, PAWN_RADIUS, BOARDS[theme.key].wall)
    if on_plaque:
        sketch.disc(0, 0, PAWN_RADIUS + 2.5, LINE)
    if needs_light_line(theme):
        pieces.draw_pillar(sketch, _WALL / 2, PAWN_RADIUS + _LIGHT, theme.sets[colour].tint)
    pieces.draw_disc(sketch, PAWN_RADIUS, theme.sets[colour], theme)


def needs_light_line(theme: Theme) -> bool:
    """Say whether the web is so dark that pieces need a light line around them."""
    return contrast(BOARDS[theme.key].slab, LINE) < 3


@figure()
def make_token(sketch: Sketch, theme: Theme, colour: str, r: float) -> None:
    """Return a pawn off the web, as small as it stands beside its player's name."""
    inks = theme.sets[colour]
    edge, ink = (2, inks.contour) if theme.outline else (0, inks.wall)
    pieces.draw_pillar(sketch, 1.5, r + edge, ink)
    sketch.disc(0, -1.5, r - 0.8, inks.face)
    pieces.draw_emblem(sketch, 0, -1.5, r, inks)


_THREAD = 5.0
_SPOKE = 6.5


def draw_emblem(sketch: Sketch, theme: Theme, _ground: RGB) -> None:
    """Draw the game's emblem, a spider."""
    draw_spider(sketch, 25, BOARDS[theme.key].spider)


@lru_cache
def draw_ground(theme: Theme, web: Web) -> Ground:
    """Return the board of a theme with nothing on it, with the title in the usual shape."""
    board = BOARDS[theme.key]
    sketch = Sketch(*web.size, paper=theme.paper)
    if web is USUAL:
        frame.draw_title(sketch, theme, TITLE, draw_emblem)
    slab = sketch.at(*web.centre)
    slab.disc(0, 21, web.slab, theme.ground)
    slab.disc(0, 10, web.slab, board.wall)
    slab.disc(0, 0, web.slab, board.rim)
    slab.disc(0, 0, web.slab - 4, board.slab)
    _threads(sketch, board, web)
    slab.disc(0, 5, web.bezel, board.wall)
    slab.disc(0, 0, web.bezel, board.bezel)
    if theme.outline:
        slab.ring(0, 0, web.bezel - 1.5, board.wall, 3)
    for spoke, letter in enumerate(SPOKES):
        # The letters' middle is that of their small forms, a little lower than that of capitals.
        px, py = web.polar_point(spoke, web.letters)
        sketch.text(px, py + 8, letter, 32, board.text, "bold", "centre")
    _tray(sketch, theme, board, web)
    if web is USUAL:
        # The players' names lie in one band, the numbers below them in another.
        return Ground(KEY, theme, sketch, top=web.size[1] - frame.FOOTER_HEIGHT, level=1)
    return Ground(KEY, theme, sketch)


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
    tray = sketch.at(*web.centre)
    tray.disc(0, 0, web.tray, board.shade)
    sketch.polygon(_floor(web, 7), board.tray)
    if theme.outline:
        tray.ring(0, 0, web.tray, board.shade, 4)
    for reach in web.hollow_radii:
        tray.ring(0, 0, reach, board.groove, 3.5)
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


@dataclass(frozen=True)
class _Style:
    """How large things are in a player's place, and where, from its upper left corner; all numbers are pixels.

    `emblem` is the middle of the emblem and `r` its radius. The name stands at `name`, its baseline `alone` where
    nothing is below it. The spider at `sign` is `leg` large, `count` the size of its number, `gap` from it to that,
    `token` the radius of a pawn off the web and `from_sign` the way to the first of them.
    """

    emblem: tuple[int, int]
    r: int
    name: tuple[int, int]
    alone: int
    sign: tuple[int, int]
    leg: int
    count: int
    gap: int
    token: int
    from_sign: int


_ROOMY: Final = _Style((62, 61), 34, (112, 52), 71, (127, 91), 18, 34, 25, 13, 68)
_MEDIUM: Final = _Style((42, 42), 25, (80, 55), 70, (40, 94), 16, 34, 22, 13, 68)
_NARROW: Final = _Style((33, 40), 22, (64, 51), 70, (32, 93), 15, 32, 20, 12, 60)
_LARGE: Final = _Style((62, 112), 33, (28, 48), 48, (129, 112), 23, 50, 31, 15, 88)
"""In the wide shape's narrow band names have a line of their own."""
_LARGE_HEIGHT: Final = 156


def put_columns(canvas: Canvas, scene: Scene, still: set[str]) -> None:
    """Put the footer; `still` are the nodes of the stable pawns."""
    for column in frame.put_footer(canvas, scene):
        style = _NARROW if column.small else _MEDIUM if column.width < 280 else _ROOMY
        _put_player(canvas, scene, column, style, still)


def put_cards(canvas: Canvas, scene: Scene, last: str, still: set[str]) -> None:
    """Put the band of the wide shape."""
    wide, high = canvas.size
    seats = scene.state.seats
    tops = [frame.STRIP_HEIGHT + (high - frame.STRIP_HEIGHT) * seat // seats for seat in range(seats + 1)]
    columns = frame.put_band(canvas, scene, 0, tops, wide - BAND_LEFT)
    ink = BOARDS[scene.theme.key].spider
    frame.put_strip(canvas, scene, last, BAND_LEFT + 28, lambda x, y: canvas.put(make_emblem(34, ink), x + 34, y))
    for column in columns:
        # What belongs to a player lies in the middle of their place.
        lower = (column.bottom - column.top - _LARGE_HEIGHT) // 2
        _put_player(canvas, scene, column, _LARGE, still, lower)


def find_stable_nodes(position: Position) -> set[str]:
    """Return the nodes of all stable pawns."""
    found: set[str] = set()
    for colour, cells in zip(position["colours"], position["pawns"], strict=True):
        goals = WEB.bits(position["marbles"].get(colour, ()))
        found.update(WEB.cells(find_stable_pawns(goals, WEB.bits(cells))))
    return found


def _put_player(canvas: Canvas, scene: Scene, column: Column, style: _Style, still: set[str], lower: int = 0) -> None:
    position, seat = scene.position, column.seat
    colour: str | None = position["colours"][seat]
    left, top = column.left, column.top + lower
    x, y = left + style.emblem[0], top + style.emblem[1]
    if colour is None:
        canvas.put(pieces.make_ring(style.r - 3, column.ink, 5, dashed=True), x, y)
    else:
        crowned = column.won and style.r >= 30
        frame.put_emblem(canvas, scene, column, colour, x, y, style.r * 0.8 if crowned else style.r)
    in_play = position["phase"] == "play"
    dropped = seat in scene.state.dropped
    room = column.width - style.name[0] - 8 - ((52 if column.large else 28) if dropped else 0)
    frame.put_name(canvas, scene, column, left + style.name[0], top + (style.name[1] if in_play else style.alone), room)
    if not in_play or colour is None:
        return
    x, y = left + style.sign[0], top + style.sign[1]
    count = len(still & set(position["pawns"][seat]))
    canvas.put(make_count(column.ink, count, style.leg, style.count, style.gap), x, y)
    off = position["off"][seat]
    small_laurel = column.won and style.r < 28
    first, last = x + style.from_sign, column.right - style.token - (53 if small_laurel else 7)
    gap = min(style.token * 2.25, (last - first) / max(1, off - 1))
    for number in range(off):
        canvas.put(make_token(scene.theme, colour, style.token), first + gap * number, y)
    if small_laurel:
        canvas.put(pieces.make_laurel(15, column.ink), column.right - 27, y - 3)
