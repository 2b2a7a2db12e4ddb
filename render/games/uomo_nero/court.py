"""The courtyard with nobody in it: its inks, where its cells lie, and the ground of the picture."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from engine.topology import square_grid
from render import frame, pieces
from render.canvas import Ground
from render.games.uomo_nero.signs import draw_hat
from render.sketch import Sketch
from render.theme import RGB, Theme, parse_rgb

KEY: Final = "uomo-nero"
TITLE: Final = "gioco dell'uomo nero"
HEIGHT: Final = 1177
WIDE: Final = (1120, 1092)
WIDE_ORIGIN: Final = (0, -82)
"""The size of the wide shape, and where the courtyard lies in it."""
COLOURS: Final = ("red", "yellow", "green", "blue")
BOARD: Final = square_grid(8, 13, diagonal=False)
CELL_PITCH: Final = 75
ROWS: Final = 13

CENTRES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        name: (109 + CELL_PITCH * round(x), 151 + CELL_PITCH * (ROWS - 1 - round(y)))
        for name, (x, y) in zip(BOARD.names, BOARD.positions, strict=True)
    }
)
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


def mix_inks(one: RGB, other: RGB, share: float) -> RGB:
    """Return the ink between two, `share` of the second."""
    red, green, blue = (round(a * (1 - share) + b * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _court(inks: str, start: str, inlay: str) -> Court:
    each: tuple[RGB, ...] = tuple(map(parse_rgb, inks.split()))
    cell, other, grout, wood, edge, finish, far, text, check, line, hat = each
    return Court(
        cell, other, grout, wood, edge, finish, far, text, check, line, hat, _by_colour(start), _by_colour(inlay)
    )


def _by_colour(words: str) -> Mapping[str, RGB]:
    return MappingProxyType(dict(zip(COLOURS, map(parse_rgb, words.split()), strict=True)))


COURTS: Final[Mapping[str, Court]] = MappingProxyType(
    {
        "light": _court(
            "A9C1CC D3DFE1 6C8896 7F9AA8 4F6A78 F4ECDF E6DAC6 16262E 22343D F7F0E4 3F6275",
            "DE8878 F0CB70 8FBE98 7D96C9",
            "8E2519 8A6508 2A6745 24418A",
        ),
        "dark": _court(
            "2C434F 426070 22343D 3A5360 16242B 8F8A7C 77736A E6EEF0 16242B E6EEF0 7FA3B5",
            "6E3A35 77602F 2F5A46 2F4A80",
            "E08474 E8BD60 6FB88C 7C9BDD",
        ),
        "contrast": _court(
            "C9C9C9 F2F2F2 3A3A3A FFFFFF 000000 FFFFFF E2E2E2 000000 000000 FFFFFF 000000",
            "F0A9AE FFE680 9AD9BC A3B7E3",
            "8E0B15 6B5700 0A5331 06266A",
        ),
    }
)


def list_colours(theme: Theme) -> Iterable[RGB]:
    """Yield all inks of the courtyard and of what stands in it."""
    court = COURTS[theme.key]
    yield from (court.cell, court.other, court.grout, court.frame, court.edge, court.finish, court.far, court.text)
    yield from (court.check, court.line, court.hat, *court.start.values(), *court.inlay.values())


def ink_of(court: Court, cell: str) -> RGB:
    """Return the ink of a cell's tile."""
    column, row = "abcdefgh".index(cell[0]), int(cell[1:])
    if row == 1:
        return court.start[COLOURS[column // 2]]
    if row == ROWS:
        return court.far if column % 2 == 0 else court.finish
    return court.cell if (column + row) % 2 else court.other


@lru_cache(maxsize=6)
def draw_ground(theme: Theme, wide: bool = False) -> Ground:
    """Return the courtyard of a theme with the title and the coordinates, or without the title in its wide shape."""
    court = COURTS[theme.key]
    if wide:
        sketch = Sketch(*WIDE, WIDE_ORIGIN, theme.paper)
    else:
        sketch = Sketch(frame.WIDTH, HEIGHT, paper=theme.paper)
        frame.draw_title(sketch, theme, TITLE, lambda s, x, y: draw_hat(s, x, y + 3, 48, court.hat))
    left, top, right, bottom = _FRAME
    sketch.side(left, right, bottom + 20, theme.ground, 24)
    sketch.side(left, right, bottom + 10, court.edge, 24)
    if theme.outline:
        sketch.box(left, top, right, bottom, court.edge, 24)
        sketch.box(left + 3, top + 3, right - 3, bottom - 3, court.frame, 21)
    else:
        sketch.box(left, top, right, bottom, court.frame, 24)
    left, top, right, bottom = _COURT
    sketch.box(left - 1, top - 1, right + 1, bottom + 1, court.edge, 13)
    sketch.box(left + 1, top + 1, right - 1, bottom - 1, court.grout, 11)
    for cell, (x, y) in CENTRES.items():
        draw_tile(sketch, x, y, ink_of(court, cell), mix_inks(ink_of(court, cell), court.grout, 0.6))
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


CLIPPED_ROWS: Final[Mapping[int, tuple[float, float]]] = MappingProxyType(
    {13: (-HALF_CELL, 23.5), 12: (-22.5, HALF_CELL), 2: (-HALF_CELL, 31), 1: (-29.5, HALF_CELL)}
)
"""What is seen of the tiles beside the start line and the chequered line, by row, from their middle."""


def draw_tile(sketch: Sketch, x: float, y: float, ink: RGB, lip: RGB) -> None:
    """Draw a cell's tile, a little thicker than its joints."""
    sketch.side(x - HALF_CELL, x + HALF_CELL, y + HALF_CELL, lip, 8)
    sketch.box(x - HALF_CELL, y - HALF_CELL, x + HALF_CELL, y + HALF_CELL - TILE_DEPTH, ink, 8)


def _finish(sketch: Sketch, court: Court) -> None:
    """Draw the chequered line between the field and the finish."""
    left, top, right, bottom = _CHECK
    sketch.box(left - 5, top - 1.5, right + 5, bottom + 1.5, court.edge)
    sketch.box(left, top, right, bottom, court.line)
    wide, high = (right - left) / 48, (bottom - top) / 2
    for column in range(48):
        x, y = left + column * wide, top + (0 if column % 2 else high)
        sketch.box(x, y, x + wide, y + high, court.check)
