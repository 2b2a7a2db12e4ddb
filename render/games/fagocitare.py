"""The picture of Fagocitare: a pad of squared paper and two pens."""

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Final

from engine.core import Position, State
from engine.games.fagocitare.rules import WINNING_LEAD, sheet
from render import frame, pieces
from render.canvas import Box, Canvas, Ground, Places, figure
from render.frame import Column
from render.scene import GamePicture, Painted, Scene
from render.sketch import Point, Sketch, on_circle, square
from render.theme import DEEP, PALE, RGB, WATER, Theme, list_inks, read_inks

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


INKS: Final = read_inks(
    Inks,
    light="FCFAF3 BFD0DC E8EEEE 3A3F4B C9372C EDB7AE 2347A5 5673BC A62318 59606E 2A2422"
    " 2E4372 1E2E54 D3CBBB B9AF9C F9C440 FBDD8A F9C440 CA4F41",
    dark="23302D 34443F 2B3A36 DDE3DA F2806F 6E4039 86A9F5 7590CE B9503F B9C4BB DDE3DA"
    " 41588F 2C3E6B 3A4B46 18211F 664D12 3F3617 F2B632 CC7568",
    contrast="FFFFFF B5B5B5 E8E8E8 000000 C8101E F6C2C2 0A3FA8 466CC0 7A0010 000000 000000"
    " 000000 3A3A3A C4C4C4 6A6A6A F2B632 F6D58C F2B632 C44646",
)


@dataclass(frozen=True)
class PaperLayout:
    """Where the cells of a size lie, and how large things are on them."""

    size: int
    cell: int
    centres: Places
    box: Box

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


@lru_cache
def plan(size: int) -> PaperLayout:
    """Return the layout of a size."""
    cell = _CELLS[size]
    left = _MIDDLE - size * cell // 2
    bottom = _BOARD_TOP + size * cell
    board = sheet(size).board
    centres = {
        name: (round(left + cell * (x + 0.5)), round(bottom - cell * (y + 0.5)))
        for name, (x, y) in zip(board.names, board.positions, strict=True)
    }
    return PaperLayout(size, cell, centres, (left, _BOARD_TOP, left + size * cell, bottom))


@lru_cache
def draw_ground(theme: Theme, size: int) -> Ground:
    """Return the picture of an empty sheet."""
    layout, inks = plan(size), INKS[theme.key]
    left, top, right, bottom = layout.box
    sketch = Sketch(frame.WIDTH, layout.height, paper=theme.paper)
    frame.draw_title(sketch, theme, KEY, draw_emblem)
    _draw_pad(sketch, inks, theme, bottom + 62)
    cell = layout.cell
    sketch.fill(layout.box, inks.rim)
    sketch.fill(layout.box, inks.sheet, grown=-cell)
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
        sketch.line(draw_wobbly_line(_shake(ends, 1, rng), rng, 1.3, 4), inks.pen, 6)
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


def draw_emblem(sketch: Sketch, theme: Theme, _ground: RGB) -> None:
    """Draw the game's emblem, a captured dot."""
    inks = INKS[theme.key]
    sketch.outline(square(0, 0, 21), inks.red, 6, 4)
    sketch.ring(0, 0, 8.8, inks.blue, 6)


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


RED_SEAT: Final = 0
_TILE_LENGTH: Final = 90
"""Lines are cut into tiles of about this length."""
_DASH, _GAP = 46.0, 12.0
_VARIANTS: Final = 4
"""How many ways there are of drawing the same: enough to look drawn by hand, so few that each is soon in the cache."""


def choose_hand(cell: str) -> str:
    """Return in which way something is drawn on a cell: another one than on the cells around it."""
    return str((ord(cell[0]) + 2 * int(cell[1:])) % _VARIANTS)


def draw_dot(sketch: Sketch, r: float, seat: int, inks: Inks, seed: str) -> None:
    """Draw a live dot: red's is filled and hatched, blue's a ring."""
    rng = Random(f"{seat}{seed}")
    if seat == RED_SEAT:
        sketch.polygon(_blob(r, rng), inks.red)
        sketch.disc(*on_circle(0, 0, r * 0.93, rng.uniform(0.2, 0.9)), r * 0.13, inks.red)
        _hatch(sketch, r, inks.hatch, rng)
    else:
        _draw_ring(sketch, r * 0.84, inks.blue, r * 0.33, rng)


def draw_dead(sketch: Sketch, r: float, seat: int, inks: Inks, seed: str) -> None:
    """Draw a captured dot of the seat, faded."""
    rng = Random(f"{seat}{seed}")
    if seat == RED_SEAT:
        blob = _blob(r * 0.86, rng)
        sketch.polygon(blob, inks.red_dead)
        sketch.outline(blob, inks.red_gone, max(4.0, r * 0.16))
    else:
        _draw_ring(sketch, r * 0.77, inks.blue_dead, r * 0.24, rng)


def draw_strokes(sketch: Sketch, half: float, captor: int, inks: Inks, seed: str) -> None:
    """Cross a captured dot out with its captor's pen, from corner to corner of the frame."""
    rng = Random(f"strokes{captor}{seed}")
    ink, reach = (inks.red, inks.blue)[captor], half * 0.9
    for ends in (((-reach, -reach), (reach, reach)), ((-reach, reach), (reach, -reach))):
        sketch.line(draw_wobbly_line(ends, rng, 0.6), ink, half * 0.2)


def draw_frame(sketch: Sketch, half: float, seat: int, inks: Inks, seed: str) -> None:
    """Draw a captor's frame: red's in one go with round corners, blue's in four strokes that overshoot."""
    rng = Random(f"frame{seat}{seed}")
    width = half * 0.25
    if seat == RED_SEAT:
        moved = _shake(square(0, 0, half), 1.5, rng)
        sketch.outline(moved, inks.red, width, half * 0.3)
        turn = moved[1]
        sketch.disc(turn[0] - half * 0.22, turn[1] + width * 0.1, width * 0.62, inks.red)
        return
    over = half * 1.17
    for side in (-half, half):
        for ends in (((-over, side), (over, side)), ((side, -over), (side, over))):
            sketch.line(draw_wobbly_line(_shake(ends, 1.2, rng), rng, 0.5), inks.blue, width)


def _shake(points: Iterable[Point], amount: float, rng: Random) -> list[Point]:
    """Return points, each moved by at most an amount."""
    return [(x + rng.uniform(-amount, amount), y + rng.uniform(-amount, amount)) for x, y in points]


def _blob(r: float, rng: Random) -> list[Point]:
    waves = [(number, rng.uniform(0, 2 * math.pi), rng.uniform(0.01, 0.036)) for number in (2, 3, 5)]
    points = []
    for step in range(72):
        angle = 2 * math.pi * step / 72
        reach = r * (1 + sum(size * math.sin(number * angle + phase) for number, phase, size in waves))
        reach += rng.uniform(-0.012, 0.012) * r
        points.append(on_circle(0, 0, reach, angle))
    return points


def _hatch(sketch: Sketch, r: float, ink: RGB, rng: Random) -> None:
    """Draw the zigzag with which a dot is filled."""
    zigzag = ((-0.72, 0.2), (-0.06, 0.72), (-0.48, -0.42), (0.36, 0.66), (-0.2, -0.66), (0.74, 0.3), (0.44, -0.56))
    lean = rng.uniform(-0.05, 0.05)
    points = [(r * (x + rng.uniform(-0.04, 0.04)), r * (y + lean)) for x, y in zigzag]
    sketch.line(points, ink, max(2.6, r * 0.115))


def _draw_ring(sketch: Sketch, r: float, ink: RGB, width: float, rng: Random) -> None:
    """Draw a ring in one stroke whose end runs a little past its beginning."""
    start = rng.uniform(0, 2 * math.pi)
    phase, size = rng.uniform(0, 2 * math.pi), rng.uniform(0.015, 0.04)
    points = []
    for step in range(80):
        part = step / 74
        angle = start + 2 * math.pi * part
        reach = r * (1 + size * math.sin(2 * angle + phase) + 0.05 * (part - 0.5)) + rng.uniform(-0.2, 0.2)
        points.append(on_circle(0, 0, reach, angle))
    sketch.line(points, ink, width)


@figure(2048)
def make_dot(sketch: Sketch, theme: Theme, seat: int, r: float, seed: str, ground: RGB) -> None:
    """Return a live dot on a cell of the ground's colour, which covers lines that pass under it."""
    if seat != RED_SEAT:
        sketch.disc(0, 0, r * 0.8, ground)
    draw_dot(sketch, r, seat, INKS[theme.key], seed)


@figure(1024)
def make_captured_dot(sketch: Sketch, theme: Theme, seat: int, r: float, half: float, seed: str, lately: bool) -> None:
    """Return a captured dot of the seat in the frame of the other, filled if it was captured `lately`."""
    inks = INKS[theme.key]
    if lately:
        sketch.plate(0, 0, half, half, inks.pale, half * 0.3)
    draw_dead(sketch, r, seat, inks, seed)
    draw_strokes(sketch, half, 1 - seat, inks, seed)
    draw_frame(sketch, half, 1 - seat, inks, seed)


def _strokes(seat: int, length: float) -> list[Point]:
    if seat == RED_SEAT:
        count = max(1, round(length / _TILE_LENGTH))
        return list(pairwise(length * number / count for number in range(count + 1)))
    count = max(1, round((length + _GAP) / (_DASH + _GAP)))
    pitch = (length + _GAP) / count
    return [(pitch * number, pitch * number + pitch - _GAP) for number in range(count)]


@figure(2048)
def _stroke(sketch: Sketch, theme: Theme, seat: int, way: tuple[int, int], width: float, seed: str) -> None:
    inks = INKS[theme.key]
    rng = Random(f"line{seed}")
    sketch.line(draw_wobbly_line([(0, 0), way], rng, 0.9), (inks.red, inks.blue)[seat], width)


@figure(512)
def make_highlight(sketch: Sketch, theme: Theme, half: float, pale: bool, seed: str) -> None:
    """Return the highlighter's two strokes over a cell."""
    inks = INKS[theme.key]
    ink = inks.pale if pale else inks.highlight
    rng = Random(f"mark{seed}")
    for top, bottom in ((-half, half * 0.12), (-half * 0.12, half)):
        tilt = rng.uniform(1.5, 4)
        left, right = -half + rng.uniform(-2, 2), half + rng.uniform(-2, 2)
        sketch.polygon([(left, top + tilt), (right, top - tilt / 2), (right, bottom - tilt), (left, bottom)], ink)
    if inks.glow != inks.highlight:
        # On dark paper the highlighter is dim under the pens; its edge is what is seen from afar.
        sketch.outline(square(0, 0, half - 2), PALE if pale else inks.glow, 4, 5)


@figure(512)
def make_circle(sketch: Sketch, theme: Theme, r: float, width: float, seed: str) -> None:
    """Return the pen's circle around the dot drawn last."""
    _draw_ring(sketch, r, INKS[theme.key].pen, width, Random(f"circle{seed}"))


@figure()
def make_emblem(sketch: Sketch, theme: Theme, seat: int, r: float) -> None:
    """Return a seat's dot on a disc of paper of radius r, for the footer."""
    inks = INKS[theme.key]
    sketch.disc(0, 0, r, inks.sheet)
    draw_dot(sketch, r * 0.735, seat, inks, "emblem")


@figure()
def make_score(sketch: Sketch, theme: Theme, seat: int, count: int) -> None:
    """Return the number of captured dots in the captor's frame, for the footer."""
    inks = INKS[theme.key]
    sketch.plate(0, 0, 40, 40, inks.sheet, 9)
    draw_frame(sketch, 33, seat, inks, "score")
    sketch.centred(0, 0, str(count), 52 if count < 10 else 40, inks.figure)


@figure()
def make_box(sketch: Sketch, ink: RGB, full: bool) -> None:
    """Return one of the three boxes that show a lead."""
    if full:
        sketch.plate(0, 0, 13, 13, ink, 5)
    else:
        sketch.outline(square(0, 0, 11), ink, 4, 4)


_SETS: Final = ("red", "blue")
_HALF_FRAME: Final = 0.4
"""Half the side of a captor's frame, in cells."""


def _colours(theme: Theme) -> Iterable[RGB]:
    return list_inks(INKS[theme.key])


def _paint(scene: Scene) -> Painted:
    position = scene.position
    layout = plan(int(position["options"]["size"]))
    canvas = Canvas(draw_ground(scene.theme, layout.size), layout.centres)
    drawn = next((action.target for action in scene.actions if action.verb == "draw"), None)
    grounds = _put_highlights(canvas, scene, layout, drawn)
    half = _HALF_FRAME * layout.cell
    lately = set(_died(scene))
    for captor, cells in enumerate(position["dead"]):
        for cell in cells:
            tile = make_captured_dot(scene.theme, 1 - captor, layout.dot, half, choose_hand(cell), cell in lately)
            canvas.put_on(tile, cell)
    framed = {cell for cells in position["dead"] for cell in cells}
    for captor, lines in enumerate(position["lines"]):
        for one, other in lines:
            for start, end, trims in _stretches(layout, one, other, framed):
                _put_line(canvas, captor, start, end, trims, layout.line, int(choose_hand(one)))
    for seat, cells in enumerate(position["dots"]):
        for cell in cells:
            canvas.put_on(make_dot(scene.theme, seat, layout.dot, choose_hand(cell), grounds[cell]), cell)
    if drawn and not scene.choosing and drawn not in framed:
        circle = make_circle(scene.theme, 0.41 * layout.cell, 5 if layout.cell < 100 else 6, choose_hand(drawn))
        canvas.put_on(circle, drawn)
    for target in scene.targets:
        if not target.capture and target.cell in layout.centres:
            r = min(27, 0.36 * layout.cell)
            canvas.put_on(pieces.open_cell(5) if scene.beforehand else pieces.move_target(target.label, r), target.cell)
    pieces.put_captures(canvas, scene, 0.47 * layout.cell)
    frame.put_header(canvas, scene, KEY, _notation(scene, drawn))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, position)
    return canvas, canvas.spots(layout.cell // 2)


def _put_highlights(canvas: Canvas, scene: Scene, layout: PaperLayout, drawn: str | None) -> dict[str, RGB]:
    """Mark the dot drawn last and the cells that can be chosen, and return what colour each cell has."""
    inks = INKS[scene.theme.key]
    paper = sheet(layout.size)
    grounds = dict.fromkeys(layout.centres, inks.sheet) | dict.fromkeys(paper.board.cells(paper.rim), inks.rim)
    for cell in [action.target for turn in scene.earlier for action in turn.actions if action.verb == "draw"]:
        if cell and cell != drawn:
            canvas.put_on(make_highlight(scene.theme, layout.cell / 2 - 2, True, choose_hand(cell)), cell)
            grounds[cell] = inks.pale
    if drawn:
        canvas.put_on(make_highlight(scene.theme, layout.cell / 2 - 2, scene.choosing, choose_hand(drawn)), drawn)
        grounds[drawn] = inks.pale if scene.choosing else inks.highlight
    for target in scene.aims:
        if target.cell in layout.centres:
            canvas.put_on(_water(layout.cell), target.cell)
    return grounds


def _put_line(canvas: Canvas, captor: int, start: Point, end: Point, trims: Point, width: float, hand: int) -> None:
    """Put a stretch of a capture line; blue's is dashed. `trims` are what is left free before the start and the end."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    drawn = length - sum(trims)
    ux, uy = dx / length, dy / length
    for number, (begin, stop) in enumerate(_strokes(captor, drawn) if drawn >= width else ()):
        way = round(ux * (stop - begin)), round(uy * (stop - begin))
        tile = _stroke(canvas.theme, captor, way, width, str((hand + number) % _VARIANTS))
        canvas.put(tile, start[0] + ux * (trims[0] + begin), start[1] + uy * (trims[0] + begin))


def _stretches(
    layout: PaperLayout, one: str, other: str, framed: Container[str]
) -> Iterator[tuple[Point, Point, Point]]:
    """Yield the parts of a capture line, with what is left free at their ends: it passes by the frames on its way."""
    paper, (x, y), (end_x, end_y) = sheet(layout.size), layout.centres[one], layout.centres[other]
    edge = _HALF_FRAME * layout.cell * (math.sqrt(2) if x != end_x and y != end_y else 1)
    start, trim = layout.centres[one], layout.dot * 0.8
    index = paper.board.index
    for cell in paper.board.cells(paper.segments[index[one], index[other]] & paper.board.all):
        if cell in framed:
            yield start, layout.centres[cell], (trim, edge)
            start, trim = layout.centres[cell], edge
    yield start, layout.centres[other], (trim, layout.dot * 0.8)


def _died(scene: Scene, captor: int | None = None) -> list[str]:
    """Return the dots captured in the last turn, by one seat or by both."""
    if not scene.last_turn:
        return []
    captors = range(2) if captor is None else (captor,)
    earlier = {cell for cells in scene.last_turn.json_before["dead"] for cell in cells}
    return [cell for seat in captors for cell in scene.position["dead"][seat] if cell not in earlier]


def _notation(scene: Scene, drawn: str | None) -> str:
    """Return the dot drawn and what it captured."""
    if drawn is None or scene.last_turn is None:
        return ""
    captured = [f"x{cell}" for cell in _died(scene, scene.last_turn.seat)]
    return frame.format_notation([part for part in (drawn, " ".join(captured)) if part], "  ")


def _put_column(canvas: Canvas, scene: Scene, column: Column, position: Position) -> None:
    seat, left, top = column.seat, column.left, column.top
    scores = [len(cells) for cells in position["dead"]]
    tile = make_emblem(scene.theme, seat, 32 if column.won else 42)
    frame.put_emblem(canvas, scene, column, _SETS[seat], left + 66, top + 59, 30 if column.won else 34, tile)
    frame.put_name(canvas, scene, column, left + 122, top + 53, 200)
    lead = scores[seat] - scores[1 - seat]
    for number in range(WINNING_LEAD):
        full = number < lead
        canvas.put(make_box(column.ink if full else column.faint, full), left + 136 + 34 * number, top + 86)
    # Who has left has a flag in the corner.
    shift = 30 if seat in scene.state.dropped else 0
    canvas.put(make_score(scene.theme, seat, scores[seat]), left + 380 - shift, top + 59)


@figure()
def _water(sketch: Sketch, cell: int) -> None:
    half = cell / 2 - 3
    sketch.plate(0, 0, half, half, DEEP, 8)
    half -= pieces.EDGE_WIDTH
    sketch.plate(0, 0, half, half, WATER, 5)


def _scores(state: State) -> Sequence[str]:
    """Return how many dots each seat has captured."""
    return [str(len(cells)) for cells in state.to_json()["dead"]]


PICTURE: Final = GamePicture(
    KEY,
    _colours,
    _paint,
    most_colours=56,
    sets=lambda _state: _SETS,
    draw_emblem=draw_emblem,
    scores=_scores,
)
