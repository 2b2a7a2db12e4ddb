"""The picture of Real Queen: marbles in a lacquered tray, reserves on the rails, queens in gold."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.core import Actions, Position
from engine.games.real_queen.rules import BOARD, PIECES, SIZE, find_alignments
from render import frame, pieces
from render.canvas import Box, Canvas, Ground, Places, figure
from render.frame import Column
from render.scene import GamePicture, Painted, Scene, TurnSeen, count_pieces
from render.sketch import Point, Sketch, mirror, on_circle
from render.theme import (
    CREAM,
    DEEP,
    LINE,
    PALE,
    RGB,
    SAFFRON,
    SAFFRON_WALL,
    WATER,
    Theme,
    list_inks,
    mix_inks,
    parse_rgb,
    read_inks,
)

MARBLE_RADIUS: Final = 38.5
QUEEN_RADIUS: Final = 52
"""The radius of the queen's gold rim."""
GOLD: Final = parse_rgb("D9A441")
GOLD_WALL: Final = parse_rgb("B97A10")
GOLD_CROWN: Final = parse_rgb("EFC466")
GLINTS: Final = {"light": parse_rgb("FFFFFF"), "dark": parse_rgb("8C8288")}
_DISCS: Final = 8
_SMALL_RADIUS: Final = 20
"""Marbles smaller than this, those of the reserve, have half as many discs."""


def mix_tones(theme: Theme, colour: str) -> list[RGB]:
    """Return the inks of a marble's discs, from the shade at its edge to its face."""
    inks = theme.sets[colour]
    return [mix_inks(inks.wall, inks.face, step / (_DISCS - 1)) for step in range(_DISCS)]


def draw_marble(sketch: Sketch, r: float, colour: str, theme: Theme) -> None:
    """Draw a marble: eight discs, one in the other, towards the light at the upper left."""
    if theme.outline:
        sketch.disc(0, 0, r, theme.sets[colour].contour)
        r -= min(theme.outline, r * 0.12)
    for step, ink in enumerate(mix_tones(theme, colour)):
        if r < _SMALL_RADIUS and step not in (0, 3, 5, _DISCS - 1):
            continue
        part = step / (_DISCS - 1)
        sketch.polygon(_within(r, 0.17 * r * part, 0.185 * r * part, r * (1 - 0.187 * part)), ink)
    if r > 12:
        _draw_glint(sketch.at(-0.4 * r, -0.42 * r, r), GLINTS[colour])


def _within(r: float, left: float, up: float, inner: float) -> list[Point]:
    """Return the part of a smaller circle, its centre moved to the left and up, that lies in a circle."""
    points = []
    for step in range(96):
        angle = 2 * math.pi * step / 96
        dx, dy = math.cos(angle), math.sin(angle)
        along = left * dx + up * dy
        reach = min(inner, along + math.sqrt(along * along + r * r - left * left - up * up))
        points.append((reach * dx - left, reach * dy - up))
    return points


def _draw_glint(sketch: Sketch, ink: RGB) -> None:
    """Draw an ellipse that leans to the right."""
    points = []
    for step in range(48):
        along, across = on_circle(0, 0, math.sqrt(0.5), 2 * math.pi * step / 48)
        points.append((0.245 * along + 0.13 * across, 0.13 * across - 0.245 * along))
    sketch.polygon(points, ink)


def draw_crown(sketch: Sketch, r: float, ink: RGB) -> None:
    """Draw the crown of a queen whose face has radius r."""
    crown = sketch.at(0, 0, r / 47.6)
    crown.polygon(mirror([(0, -19), (12.2, -2.3), (28.5, -10), (26, 18.2)]), ink, 1.5)
    for right, down in ((-26.3, -10.5), (0, -20.5), (26.3, -10.5)):
        crown.disc(right, down, 4.8, ink)


@figure()
def make_marble(sketch: Sketch, theme: Theme, colour: str, r: float = MARBLE_RADIUS) -> None:
    """Return a normal piece."""
    draw_marble(sketch, r, colour, theme)


@figure()
def make_queen(sketch: Sketch, theme: Theme, colour: str, r: float = QUEEN_RADIUS) -> None:
    """Return a queen: a marble in a gold rim of radius r, with her crown."""
    rim = r * 0.09
    if theme.outline:
        sketch.disc(1, 3, r + 1, LINE)
        sketch.disc(0, 0, r + 1, LINE)
        r -= 2
    sketch.disc(1, 3, r, GOLD_WALL)
    sketch.disc(0, 0, r, GOLD)
    draw_marble(sketch, r - rim, colour, theme)
    draw_crown(sketch, r - rim, LINE if colour == "light" else GOLD_CROWN)


@figure()
def make_absent_queen(sketch: Sketch, ink: RGB) -> None:
    """Return the sign in the footer of a queen who is on the board."""
    sketch.dashed_ring(42, ink, 5, 10, 11)
    draw_crown(sketch, 42 * 0.93, ink)


@figure()
def make_shadow(sketch: Sketch, r: float, ink: RGB) -> None:
    """Return the flat shadow of a marble, to be put before it."""
    sketch.disc(r * 0.045, r * 0.13, r, ink)


KEY: Final = "real-queen"
CELL: Final = 104
HOLLOW: Final = 40
FACE: Final = (38, 102, 862, 1026)
"""The tray's face; its wall is 11 below it, its shadow 22."""
FIELD: Final = (78, 174, 822, 918)
RAILS: Final = ((78, 960, 752, 1014), (78, 114, 752, 168))
"""The reserves' rails: that of the seat at the bottom, that of the other; beside each stands how many it holds."""
COUNT_AT: Final = 790
HEIGHT: Final = 1182


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


TRAYS: Final = read_inks(
    Tray,
    light="8FAE9E 759787 68897A 4F6F61 4C6B5D 24392F 98B6A7 6E9080 587868 4F7A68 A08B45",
    dark="56776A 486A5D 385548 253C33 243A32 FFFFFF 668A7C 3D5B4F 2C463C 7FA392 8A7440",
    contrast="FFFFFF E2E2E2 C4C4C4 6A6A6A 000000 000000 FFFFFF B0B0B0 8C8C8C 000000 FFDF80",
)


@lru_cache
def compute_centres(turned: bool) -> Places:
    """Return the centre of every hollow; turned, the board is seen from the other side."""
    found = {}
    for name, (x, y) in zip(BOARD.names, BOARD.positions, strict=True):
        across, up = (SIZE - 1 - x, SIZE - 1 - y) if turned else (x, y)
        found[name] = (138 + round(CELL * across), 235 + round(CELL * (SIZE - 1 - up)))
    return found


def compute_slots(seat_at_bottom: bool) -> list[tuple[int, int]]:
    """Return the places of a rail from left to right, in groups of five that can be counted at a glance."""
    _, top, _, bottom = RAILS[0 if seat_at_bottom else 1]
    return [(101 + 31 * number + 13 * (number // 5), (top + bottom) // 2 + 2) for number in range(PIECES)]


@lru_cache
def draw_ground(theme: Theme, turned: bool) -> Ground:
    """Return the picture of the empty tray."""
    tray = TRAYS[theme.key]
    sketch = Sketch(frame.WIDTH, HEIGHT, paper=theme.paper)
    frame.draw_title(sketch, theme, "real queen", draw_emblem)
    line = theme.outline
    sketch.side(FACE, 22, theme.ground, 38)
    sketch.side(FACE, 11, tray.wall, 38)
    if line:
        sketch.fill(FACE, tray.wall, 38)
    sketch.fill(FACE, tray.frame, 38 - line, -line)
    for rail in RAILS:
        _sunken(sketch, rail, tray.lip, tray.hollow, 27)
    _sunken(sketch, FIELD, tray.brim, tray.field, 18)
    for cell, (x, y) in compute_centres(turned).items():
        _draw_hollow(sketch.at(x, y), tray)
        if y == 235 + CELL * (SIZE - 1):
            sketch.text(x, 946, cell[0], 34, tray.text, "bold", "centre")
        if x == 138:
            sketch.centred(60, y, cell[1:], 34, tray.text)
    return Ground(KEY, theme, sketch, CELL // 2, 235 - CELL // 2)


def _sunken(sketch: Sketch, box: Box, shade: RGB, floor: RGB, radius: int) -> None:
    left, top, right, bottom = box
    sketch.fill(box, shade, radius)
    sketch.box(left, top + 5, right, bottom, floor, radius)


@figure()
def make_near_cell(sketch: Sketch, theme: Theme) -> None:
    """Return a cell beside a queen, where a line wins: its field has another ink and a line around it."""
    tray, half = TRAYS[theme.key], CELL / 2
    sketch.plate(0, 0, half, half, tray.lip)
    sketch.box(1.5 - half, 1.5 - half, half - 1.5, half - 1.5, tray.near, 8)
    _draw_hollow(sketch, tray)


def _draw_hollow(sketch: Sketch, tray: Tray) -> None:
    sketch.disc(0, 2.5, HOLLOW + 1.5, tray.crest)
    sketch.disc(0, -1, HOLLOW, tray.lip)
    # What the hollow and the same circle further down have in common.
    drop = 8
    reach = math.degrees(math.asin(drop / 2 / HOLLOW))
    lower = [on_circle(0, -1, HOLLOW, angle) for angle in _span(reach, 180 - reach)]
    upper = [on_circle(0, drop - 1, HOLLOW, angle) for angle in _span(180 + reach, 360 - reach)]
    sketch.polygon(lower + upper, tray.hollow)


def _span(start: float, end: float) -> list[float]:
    """Return the angles of an arc between two in degrees."""
    return [math.radians(start + (end - start) * step / 60) for step in range(61)]


def draw_emblem(sketch: Sketch, theme: Theme, ground: RGB) -> None:
    """Draw the game's emblem, a crown."""
    sketch.disc(0, 0, 24, TRAYS[theme.key].emblem)
    draw_crown(sketch.at(0, -1), 32, ground)


_SETS: Final = ("light", "dark")
_FLOOR_RADIUS: Final = 46
"""The radius of the coloured disc under a marble; a queen's is larger by the difference of their radii."""
_QUEEN_EXTRA_RADIUS: Final = QUEEN_RADIUS - MARBLE_RADIUS
_BAND: Final = 28
_LAST_TURN_COLOURS: Final = (SAFFRON, PALE)


def _colours(theme: Theme) -> Iterable[RGB]:
    yield from (*list_inks(TRAYS[theme.key]), GOLD, GOLD_WALL, GOLD_CROWN, *GLINTS.values())
    for name in _SETS:
        yield from mix_tones(theme, name)
        if theme.outline:
            yield theme.sets[name].contour


@dataclass(frozen=True)
class _Trace:
    """What the last turn did: where it came from and went, the runs it made, what was captured and returned."""

    source: str | None = None
    target: str | None = None
    runs: tuple[tuple[str, ...], ...] = ()
    captured: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()

    @property
    def cells(self) -> list[str]:
        """All cells that it changed."""
        return [cell for cell in (self.source, self.target, *self.captured, *self.returned) if cell]


def _trace(seen: TurnSeen | None) -> _Trace:
    actions = seen.turn.actions if seen else ()
    first = next((action for action in actions if action.verb in _OPENING_VERBS and action.target), None)
    captured = tuple(action.target for action in actions if action.verb == "capture" and action.target)
    returned = tuple(action.target for action in actions if action.verb == "return" and action.target)
    if seen is None or first is None or first.target is None:
        return _Trace(captured=captured, returned=returned)
    seat = seen.turn.seat
    own = {*seen.before["pieces"][seat], seen.before["queens"][seat], first.target} - {first.source, None}
    made = find_alignments(BOARD.index[first.target], BOARD.bits(own))
    return _Trace(first.source, first.target, tuple(tuple(BOARD.cells(run)) for run in made), captured, returned)


_OPENING_VERBS: Final = ("place", "crown", "step", "shift")


def _paint(scene: Scene) -> Painted:
    turned = scene.viewer == 1
    canvas = Canvas(draw_ground(scene.theme, turned), compute_centres(turned))
    position = scene.position
    owners = {cell: seat for seat, cells in enumerate(position["pieces"]) for cell in cells}
    queens = {cell: seat for seat, cell in enumerate(position["queens"]) if cell}
    for cell in _find_near_cells(queens):
        canvas.lay(make_near_cell(scene.theme), *canvas.places[cell])
    trace, earlier = _trace(scene.last), [_trace(step) for step, _ in scene.past]
    floors = _put_floors(canvas, scene, trace, earlier, owners, queens)
    shade = TRAYS[scene.theme.key].shade
    for cell, seat in (owners | queens).items():
        radius = QUEEN_RADIUS if cell in queens else MARBLE_RADIUS
        canvas.put_on(make_shadow(radius, SAFFRON_WALL if floors.get(cell) in _LAST_TURN_COLOURS else shade), cell)
        make = make_queen if cell in queens else make_marble
        canvas.put_on(make(scene.theme, _SETS[seat]), cell, 0, -1 if cell in queens else -2)
    _put_marks(canvas, scene, trace, earlier, owners, queens)
    _put_rails(canvas, scene, position)
    frame.put_header(canvas, scene, "real queen", _notation(scene.actions))
    for column in frame.put_footer(canvas, scene):
        _put_column(canvas, scene, column, position)
    return canvas, canvas.spots(46)


def _find_near_cells(queens: Iterable[str]) -> list[str]:
    """Return the cells of the queens and those beside them, where a line of the other's pieces wins."""
    near = {BOARD.index[cell] for cell in queens}
    near |= {other for cell in near for other in BOARD.neighbours[cell]}
    return [BOARD.names[cell] for cell in sorted(near)]


def _notation(actions: Actions) -> str:
    """Return what was played and captured; what went back to the reserve shows on the board."""
    first = " ".join(action.text for action in actions if action.verb in _OPENING_VERBS or action.verb == "pass")
    captures = " ".join(action.text for action in actions if action.verb == "capture")
    return frame.format_notation([part for part in (first, captures) if part], "  ")


def _put_floors(
    canvas: Canvas,
    scene: Scene,
    trace: _Trace,
    earlier: Sequence[_Trace],
    owners: Mapping[str, int],
    queens: Mapping[str, int],
) -> dict[str, RGB]:
    """Put what lies under the pieces, and return the ink of each marked cell."""
    strong = PALE if scene.choosing else SAFFRON
    floors = {cell: PALE for each in earlier for cell in each.cells}
    for run in trace.runs:
        (ax, ay), (bx, by) = canvas.places[run[0]], canvas.places[run[-1]]
        canvas.put(pieces.make_path(((0.0, 0.0), (float(bx - ax), float(by - ay))), strong, _BAND), ax, ay)
        floors |= dict.fromkeys(run, strong)
    floors |= {cell: strong for cell in (trace.source, trace.target) if cell}
    floors |= dict.fromkeys(trace.captured, PALE)
    floors |= dict.fromkeys(trace.returned, strong)
    floors |= dict.fromkeys(_find_beaten_queens(scene, queens), PALE)
    choices = scene.choices
    for target in scene.aims:
        if target.cell in canvas.places and not (target.capture and (target.cell in owners or target.cell in queens)):
            floors[target.cell] = WATER
    floors |= {cell: DEEP for cell in (*choices.movable, choices.chosen or "") if cell in canvas.places}
    for cell, ink in floors.items():
        reach = _FLOOR_RADIUS + (_QUEEN_EXTRA_RADIUS if cell in queens else 0)
        if cell == choices.chosen:
            canvas.put_on(pieces.make_discs((reach + 5, DEEP), (reach + 1, CREAM), (reach - 4, DEEP)), cell)
        elif ink == DEEP:
            make = pieces.make_movable_mark if choices.chosen is None else pieces.make_other_movable_mark
            canvas.put_on(make(reach + 5), cell)
        elif ink == WATER:
            canvas.put_on(pieces.make_place(reach), cell)
        elif not (cell in queens and ink in _LAST_TURN_COLOURS):
            canvas.put_on(pieces.make_patch(reach, ink), cell)
    return {cell: ink for cell, ink in floors.items() if cell not in queens}


def _find_beaten_queens(scene: Scene, queens: Mapping[str, int]) -> list[str]:
    """Return the cell of the queen beside whom a line has won."""
    outcome = scene.state.outcome
    won = outcome is not None and outcome.reason in ("plain", "royal")
    return [cell for cell, seat in queens.items() if won and outcome and outcome.places[seat] > 1]


def _put_marks(
    canvas: Canvas,
    scene: Scene,
    trace: _Trace,
    earlier: Sequence[_Trace],
    owners: Mapping[str, int],
    queens: Mapping[str, int],
) -> None:
    """Put what lies over the pieces: the last turn's marks, then those of what can be chosen."""
    standing = {*owners, *queens}
    covered = {target.cell for target in scene.aims}
    free = set(canvas.places) - standing - covered
    for each in earlier:
        if each.source and each.source in free.difference(trace.cells):
            canvas.put_on(pieces.make_ring(28, LINE, 4, dashed=True), each.source)
        if each.target and each.target not in free.union(trace.cells):
            canvas.put_on(pieces.make_ring(QUEEN_RADIUS + 6 if each.target in queens else 46, LINE, 3), each.target)
        for cell in each.captured:
            if cell in free.difference(trace.cells):
                canvas.put_on(pieces.make_captured_mark(27, 11), cell)
            elif cell not in trace.cells:
                canvas.put_on(pieces.make_badge(16), cell, -34, 34)
        for cell in each.returned:
            if cell in free.difference(trace.cells):
                canvas.put_on(pieces.make_returned_mark(27), cell)
    if trace.source and trace.source in free:
        canvas.put_on(pieces.make_ring(34, LINE, 6, dashed=True), trace.source)
    for cell in trace.captured:
        if cell in free:
            canvas.put_on(pieces.make_captured_mark(34), cell)
        elif cell in covered:
            canvas.put_on(pieces.make_badge(16), cell, -36, 36)
    for cell in trace.returned:
        if cell in free:
            canvas.put_on(pieces.make_returned_mark(), cell)
    if trace.target and not scene.choosing:
        canvas.put_on(pieces.make_ring(QUEEN_RADIUS + 8 if trace.target in queens else 48, LINE, 6), trace.target)
    for cell in _find_beaten_queens(scene, queens):
        canvas.put_on(pieces.make_ring(QUEEN_RADIUS + 9, LINE, 6), cell)
        canvas.put_on(pieces.make_badge(), cell, -40, 40)
    for cell, number in scene.choices.numbers:
        if cell in standing:
            aside = 39 if cell in queens else 32
            canvas.put_on(pieces.piece_number(number, 21), cell, -aside, -aside)
    for target in scene.targets:
        cell = target.cell
        if target.capture or cell not in canvas.places:
            continue
        if not scene.beforehand:
            if cell in owners:
                canvas.put_on(pieces.make_ring(29, CREAM, 5), cell)
            canvas.put_on(pieces.move_target(target.label), cell)
        elif cell not in standing:
            # A piece that changes places is marked as one that can act.
            canvas.put_on(pieces.open_cell(), cell)
    pieces.put_captures(canvas, scene, MARBLE_RADIUS + 13)


def _put_rails(canvas: Canvas, scene: Scene, position: Position) -> None:
    tray = TRAYS[scene.theme.key]
    for seat in range(2):
        reserve, board = position["reserve"][seat], len(position["pieces"][seat])
        for number, (x, y) in enumerate(compute_slots(seat_at_bottom=seat == scene.viewer)):
            if number < reserve:
                canvas.put(make_shadow(15, tray.lip), x, y)
                canvas.put(make_marble(scene.theme, _SETS[seat], 15), x, y)
            else:
                gone = number >= reserve + board
                canvas.put(pieces.make_lost_sign(tray.lip) if gone else pieces.make_patch(5, tray.lip), x, y)
        _, top, _, bottom = RAILS[0 if seat == scene.viewer else 1]
        label = pieces.make_label(str(reserve), 34, tray.text, align="centre")
        canvas.put(label, COUNT_AT, (top + bottom) / 2 + 12)


def _put_column(canvas: Canvas, scene: Scene, column: Column, position: Position) -> None:
    seat, left, top = column.seat, column.left, column.top
    r = 28 if column.won else 34
    tile = make_marble(scene.theme, _SETS[seat], r)
    frame.put_emblem(canvas, scene, column, _SETS[seat], left + 66, top + 59, r, tile)
    frame.put_name(canvas, scene, column, left + 122, top + 73, 195)
    # Who has left has a flag in the corner.
    x = left + (348 if seat in scene.state.dropped else 378)
    if position["queens"][seat]:
        canvas.put(make_absent_queen(column.faint), x, top + 59)
    else:
        canvas.put(make_queen(scene.theme, _SETS[seat], 46), x, top + 59)


PICTURE: Final = GamePicture(
    KEY,
    _colours,
    _paint,
    most_colours=64,
    sets=lambda _state: _SETS,
    draw_emblem=draw_emblem,
    scores=count_pieces,
)
