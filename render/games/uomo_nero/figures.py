"""What stands in the courtyard and lies on the players' cards, each a tile made once: attackers, the Man, dice."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.games.uomo_nero.board import BOARD, COLOURS, ROWS
from render import frame, pieces
from render.canvas import Ground, Places, figure
from render.sketch import Sketch, mirror, square
from render.theme import CREAM, DEEP, LINE, RGB, WATER, Set, Theme, contrast, list_inks, mix_inks, parse_rgb, read_inks


def draw_hat(sketch: Sketch, wide: float, ink: RGB) -> None:
    """Draw a hat with its middle at (0, 0)."""
    hat = sketch.at(0, 0, wide / 48)
    hat.box(-24, 7, 24, 17, ink, 5)
    hat.box(-13, -18, 13, 3.5, ink, 5)
    hat.box(-13, -8, 13, 9, ink)


make_hat: Final = figure()(draw_hat)
"""Returns the hat as a sign."""


@figure()
def make_empty_place(sketch: Sketch, r: float, ink: RGB) -> None:
    """Return the place of an attacker that has no colour yet."""
    sketch.dashed_ring(r - 2.5, ink, 4, 6, 7.5)


KEY: Final = "uomo-nero"
TITLE: Final = "gioco dell'uomo nero"
HEIGHT: Final = 1177
WIDE: Final = (1120, 1092)
WIDE_ORIGIN: Final = (0, -82)
"""The size of the wide shape, and where the courtyard lies in it."""
CELL_PITCH: Final = 75

CENTRES: Final[Places] = {
    name: (109 + CELL_PITCH * round(x), 151 + CELL_PITCH * (ROWS - 1 - round(y)))
    for name, (x, y) in zip(BOARD.names, BOARD.positions, strict=True)
}
"""The middle of each cell in the picture."""

HALF_CELL: Final = 35.5
"""Half the width of a cell's tile."""
TILE_DEPTH: Final = 4
"""How much of a tile's side is seen below it."""

_FRAME: Final = (20, 98, 686, 1147)
_COURT: Final = (67, 108, 678, 1095)
_CHECK: Final = (72, 176, 673, 202)
_LINE: Final = (67, 1009, 678, 1019)


@dataclass(frozen=True)
class Court:
    """The inks of the courtyard in a theme.

    `cell` and `other` alternate, `finish` and `far` on row 13; `edge` is the line around the court and the
    frame's side, `check` the dark squares of the finish, `line` its light ones and the start line. `start` and
    `inlay` are the start cells and their emblems, by colour. `hat` is the emblem beside the title.
    """

    cell: RGB
    other: RGB
    grout: RGB
    frame: RGB
    edge: RGB
    finish: RGB
    far: RGB
    text: RGB
    check: RGB
    line: RGB
    hat: RGB
    start: Mapping[str, RGB]
    inlay: Mapping[str, RGB]


def _court(*inks: RGB) -> Court:
    """Return a courtyard of its inks: those that are one, then the start cells and their emblems by colour."""
    court: Callable[..., Court] = Court
    start, inlay = (dict(zip(COLOURS, each, strict=True)) for each in (inks[-8:-4], inks[-4:]))
    return court(*inks[:-8], start, inlay)


COURTS: Final = read_inks(
    _court,
    light="A9C1CC D3DFE1 6C8896 7F9AA8 4F6A78 F4ECDF E6DAC6 16262E 22343D F7F0E4 3F6275"
    " DE8878 F0CB70 8FBE98 7D96C9 8E2519 8A6508 2A6745 24418A",
    dark="2C434F 426070 22343D 3A5360 16242B 8F8A7C 77736A E6EEF0 16242B E6EEF0 7FA3B5"
    " 6E3A35 77602F 2F5A46 2F4A80 E08474 E8BD60 6FB88C 7C9BDD",
    contrast="C9C9C9 F2F2F2 3A3A3A FFFFFF 000000 FFFFFF E2E2E2 000000 000000 FFFFFF 000000"
    " F0A9AE FFE680 9AD9BC A3B7E3 8E0B15 6B5700 0A5331 06266A",
)


def list_colours(theme: Theme) -> Iterable[RGB]:
    """Yield all inks of the courtyard."""
    court = COURTS[theme.key]
    yield from (*list_inks(court), *court.start.values(), *court.inlay.values())


def ink_of(court: Court, cell: str) -> RGB:
    """Return the ink of a cell's tile."""
    column, row = "abcdefgh".index(cell[0]), int(cell[1:])
    if row == 1:
        return court.start[COLOURS[column // 2]]
    if row == ROWS:
        return court.far if column % 2 == 0 else court.finish
    return court.cell if (column + row) % 2 else court.other


def draw_emblem(sketch: Sketch, theme: Theme, _ground: RGB) -> None:
    """Draw the game's emblem, the Man's hat."""
    draw_hat(sketch.at(0, 3), 48, COURTS[theme.key].hat)


@lru_cache
def draw_ground(theme: Theme, wide: bool = False) -> Ground:
    """Return the courtyard of a theme with the title and the coordinates, or without the title in its wide shape."""
    court = COURTS[theme.key]
    if wide:
        sketch = Sketch(*WIDE, WIDE_ORIGIN, theme.paper)
    else:
        sketch = Sketch(frame.WIDTH, HEIGHT, paper=theme.paper)
        frame.draw_title(sketch, theme, TITLE, draw_emblem)
    sketch.side(_FRAME, 20, theme.ground, 24)
    sketch.side(_FRAME, 10, court.edge, 24)
    line = 3 if theme.outline else 0
    sketch.fill(_FRAME, court.edge, 24)
    sketch.fill(_FRAME, court.frame, 24 - line, -line)
    sketch.fill(_COURT, court.edge, 13, 1)
    sketch.fill(_COURT, court.grout, 11, -1)
    for cell, (x, y) in CENTRES.items():
        draw_tile(sketch.at(x, y), ink_of(court, cell), mix_inks(ink_of(court, cell), court.grout, 0.6))
        if cell[1:] == "1":
            colour = COLOURS["abcdefgh".index(cell[0]) // 2]
            pieces.draw_emblem(sketch, x, y + 1, 33, theme.sets[colour], court.inlay[colour])
    _finish(sketch, court)
    left, top, right, bottom = _LINE
    sketch.box(left, top - 1.5, right, bottom + 1.5, court.grout)
    sketch.box(left, top, right, bottom, court.line)
    for row in range(1, ROWS + 1):
        sketch.centred(45, CENTRES[f"a{row}"][1] - 2, str(row), 34, court.text)
    for column in "abcdefgh":
        # The letters' middle is that of their small forms.
        sketch.text(CENTRES[f"{column}1"][0], 1129, column, 34, court.text, "bold", "centre")
    return Ground(KEY, theme, sketch, CELL_PITCH, CENTRES["a1"][1] - 36 + round(sketch.origin[1]))


CLIPPED_ROWS: Final = {13: (-HALF_CELL, 23.7), 12: (-22.3, HALF_CELL), 2: (-HALF_CELL, 31), 1: (-29.65, HALF_CELL)}
"""What is seen of the tiles beside the start line and the chequered line, by row, from their middle."""


def draw_tile(sketch: Sketch, ink: RGB, lip: RGB) -> None:
    """Draw a cell's tile, a little thicker than its joints."""
    sketch.side((-HALF_CELL, -HALF_CELL, HALF_CELL, HALF_CELL), 0, lip, 8)
    sketch.box(-HALF_CELL, -HALF_CELL, HALF_CELL, HALF_CELL - TILE_DEPTH, ink, 8)


def _finish(sketch: Sketch, court: Court) -> None:
    """Draw the chequered line between the field and the finish."""
    left, top, right, bottom = _CHECK
    sketch.box(left - 5, top - 1.5, right + 5, bottom + 1.5, court.edge)
    sketch.box(left, top, right, bottom, court.line)
    wide, high = (right - left) / 48, (bottom - top) / 2
    for column in range(48):
        x, y = left + column * wide, top + (0 if column % 2 else high)
        sketch.box(x, y, x + wide, y + high, court.check)


ATTACKER: Final = 28
MAN: Final = 49
"""How wide the Man is on the courtyard, so that he is no higher than his cell."""
DIE: Final = 70

CLOAK: Final = parse_rgb("1D1A1C")
FOLD: Final = parse_rgb("0E0C0D")
RIBBON: Final = parse_rgb("D9A642")
EYES: Final = parse_rgb("F6E7B8")
MOON: Final = parse_rgb("EEF4F6")
"""The line around what would be lost on a dark courtyard."""

IVORY: Final = CREAM
IVORY_WALL: Final = parse_rgb("B9A98F")
IVORY_RIM: Final = parse_rgb("D8CBB6")
EBONY_WALL: Final = FOLD
EBONY_RIM: Final = parse_rgb("4A4145")

_PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


@figure()
def make_attacker(sketch: Sketch, theme: Theme, colour: str, r: float, square: bool) -> None:
    """Return an attacker, round or `square`, with a light line around it where the courtyard is dark."""
    if theme.key == "dark":
        thick, wide = r * 0.11, r * (_BLOCK if square else 1) + 2.5
        sketch.plate(0, 0, wide, wide + thick, MOON, wide * _BLOCK_CORNER if square else wide)
    if square:
        _draw_block(sketch, r * _BLOCK, r, theme.sets[colour], theme)
    else:
        pieces.draw_disc(sketch, r, theme.sets[colour], theme)


def _draw_block(sketch: Sketch, half: float, r: float, inks: Set, theme: Theme) -> None:
    """Draw what a disc of radius r is, as a block half as wide."""
    thick = half * 0.22
    top = -thick / 2
    line = theme.outline or max(3, half * 0.06) if inks.contour != inks.wall or theme.outline else 0
    for reach, low, ink in (
        (half, thick / 2, inks.contour if line else inks.wall),
        (half - line, thick / 2, inks.wall),
        (half - line, top, inks.rim),
        (half - line - (2.2 if inks.rim != inks.face else 0), top, inks.face),
    ):
        sketch.box(-reach, top - reach, reach, low + reach, ink, reach * _BLOCK_CORNER)
    pieces.draw_emblem(sketch, 0, top, r, inks)


_BLOCK: Final = 0.93
"""Half the side of a square attacker, in radii of a round one, and the radius of its corners in halves of its side."""
_BLOCK_CORNER: Final = 0.3


@figure()
def make_halo(sketch: Sketch, ink: RGB, r: float, square: bool) -> None:
    """Return what sets a token off from the card of the seat to move."""
    wide = r * _BLOCK if square else r
    sketch.plate(0, 0, wide + 2, wide + 4, ink, wide * _BLOCK_CORNER + 2 if square else wide + 2)


@figure()
def make_man(sketch: Sketch, wide: float, edge: RGB | None) -> None:
    """Return the Man, `wide` at the brim of his hat, perhaps with a light line around him.

    His anchor is the middle of the cell that he stands on, into which he fits.
    """
    _draw_man(sketch.at(0, 0, wide / 68), edge, wide / 68)


def draw_man(sketch: Sketch, r: float, ground: RGB) -> None:
    """Draw the Man as high as a disc of this radius, around (0, 0)."""
    # From the top of his hat to the hem of his cloak he is 91 units high, and their middle is 2.5 above his anchor.
    unit = 2 * r / 91
    _draw_man(sketch.at(0, 2.5 * unit, unit), edge_colour(ground), unit)


def edge_colour(ground: RGB) -> RGB | None:
    """Return the line that the Man needs around him on a dark ground, None on a light one."""
    return MOON if contrast(CLOAK, ground) < 3 else None


_CLOAK: Final = mirror(
    [(17, -8), (20, -3), (23, 6), (25.5, 17), (26.5, 28), (27, 36), (24, 39), (16, 41.2), (8, 42.4), (0, 42.8)]
)
"""The outline of the cloak, 68 being the width of the brim."""
_HAT: Final = (
    ((-22, -48, 22, -20), CLOAK, 7),
    ((-22, -34, 22, -14), CLOAK, 1),
    ((-22.5, -23, 22.5, -16), RIBBON, 0),
    ((-34, -17, 34, -4), FOLD, 5),
    ((-34, -17, 34, -6.5), CLOAK, 5),
)
"""The parts of the hat, each with its ink and the radius of its corners."""


def _draw_man(sketch: Sketch, edge: RGB | None, unit: float) -> None:
    """Draw the Man, perhaps with a line around him; `unit` is a unit of the sketch in pixels."""
    if edge:
        more = 2.6 / unit
        sketch.outline(_CLOAK, edge, 2 * more)
        sketch.polygon(_CLOAK, edge)
        for box, _, radius in _HAT:
            sketch.fill(box, edge, radius + more, more)
    sketch.polygon(_CLOAK, FOLD)
    sketch.polygon([(x, y - 5 if y > 20 else y) for x, y in _CLOAK], CLOAK)
    for side in (-1, 1):
        eye = sketch.at(side * 10, 1.5, 6.6)
        eye.disc(0, 0, 1, EYES)
        # The lid comes down towards the nose.
        eye.polygon([(-side * 1.3, -0.12), (side * 1.3, -1.25), (side * 1.3, -2), (-side * 1.3, -2)], CLOAK)
    for box, ink, radius in _HAT:
        sketch.fill(box, ink, radius)


@figure()
def man_shadow(sketch: Sketch, ink: RGB, wide: float) -> None:
    """Return the flat shadow of the Man, to be put before him."""
    sketch.at(2.5, 3, wide / 68).polygon([(x * 1.02, y) for x, y in _CLOAK], (*ink, 128))


@figure()
def make_tile(sketch: Sketch, ink: RGB, lip: RGB, row: int) -> None:
    """Return a cell's tile in another ink; the lines that cross the court beside its row stay free."""
    draw_tile(sketch, ink, lip)
    if ink == WATER:
        reach = HALF_CELL - 2
        corners = [(x, y - TILE_DEPTH if y > 0 else y) for x, y in square(0, 0, reach)]
        sketch.outline(corners, DEEP, pieces.EDGE_WIDTH, 6)
    top, bottom = CLIPPED_ROWS.get(row, (-HALF_CELL, HALF_CELL))
    for start, end in ((-HALF_CELL - 5, top), (bottom, HALF_CELL + 5)):
        sketch.box(-HALF_CELL - 5, start, HALF_CELL + 5, end, (0, 0, 0, 0))


@figure()
def make_chosen_ring(sketch: Sketch) -> None:
    """Return the two rings around the attacker that is chosen: they are seen on every cell, row 1 included."""
    sketch.ring(0, 0, 38.5, DEEP, 7)
    sketch.ring(0, 0, 33, CREAM, 5.5)


@figure()
def make_border(sketch: Sketch) -> None:
    """Return the solid line around the cell where the Man has landed."""
    sketch.outline(square(0, 0, HALF_CELL + 1.5), LINE, 6, 9)


@figure()
def make_die(sketch: Sketch, value: int, dark: bool, used: RGB | None) -> None:
    """Return a die, 70 wide, its anchor the middle of its face; one that is used is flat, in one ink."""
    half = DIE / 2
    if used:
        sketch.outline(square(0, 0, half - 3), used, 4, 12)
        pip = used
    else:
        face, wall, rim = (LINE, EBONY_WALL, EBONY_RIM) if dark else (IVORY, IVORY_WALL, IVORY_RIM)
        sketch.box(-half, -half + 11, half, half + 11, wall, 15)
        sketch.plate(0, 0, half, half, rim, 15)
        sketch.box(-half + 2.5, -half + 2.5, half - 2.5, half - 2.5, face, 12.5)
        pip = IVORY if dark else LINE
    for x, y in _PIPS[value]:
        sketch.disc(x * 18.5, y * 18.5, 7, pip)
