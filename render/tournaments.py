"""Pictures of competition tables: lines of results (cross tables, Swiss tables), and brackets.

They have no words but names and the title, so that one picture serves all languages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from render import text as lettering
from render.charts import WIDTH, Chart, finish_chart, put_cup, put_part, put_title
from render.sketch import Sketch
from render.theme import CREAM, DEEP, LINE, SAFFRON, THEMES, WATER, Theme

CellKind = Literal["win", "draw", "loss", "none", "self"]
MAX_LINES: Final = 16
"""Maximum number of lines, or of slots in the first column of a bracket; more go on further pages."""
MAX_CELLS: Final = 16

_MARGIN: Final = 18
HEADER_HEIGHT: Final = 96
LABELS_HEIGHT: Final = 44
_ROW_HEIGHT: Final = 58
_MIN_NAME_WIDTH: Final = 178
_MAX_CELL_WIDTH: Final = 62
_FIGURE_SIZE: Final = 29
_STACKED_CELL_WIDTH: Final = 37
_MIN_CELL_WIDTH: Final = 40


@dataclass(frozen=True, slots=True)
class GridCell:
    """A result: a label of one or two characters, and its mark ("self" where a line meets itself)."""

    text: str = ""
    kind: CellKind = "none"


@dataclass(frozen=True, slots=True)
class GridLine:
    """A line of a table: place, name as typed, results and points; a cell may hold several games.

    A line that has `gone` is written more quietly; one with a `number`, by which cells name it, has it before the name.
    """

    place: str
    name: str
    cells: tuple[tuple[GridCell, ...], ...]
    points: str
    gone: bool = False
    number: str = ""


@dataclass(frozen=True, slots=True)
class BracketTie:
    """Two slots of a bracket: their names (empty if undecided), and which of them advances.

    Who advances without an opponent has a bye: the other name is empty.
    """

    names: tuple[str, str]
    winner: int | None = None

    @property
    def is_bye(self) -> bool:
        """Whether somebody advances without an opponent."""
        return self.winner is not None and not self.names[1 - self.winner]


def draw_grid(title: str, labels: Sequence[str], lines: Sequence[GridLine], theme: str = "light") -> Chart:
    """Return a table of results, a label above each column of them.

    KeyError for a theme that does not exist; ValueError without lines, with too many, or with other cells than labels.
    """
    colours = THEMES[theme]
    height = HEADER_HEIGHT + LABELS_HEIGHT + row_height(lines) * len(lines) + _MARGIN
    sketch = Sketch(WIDTH, height, paper=colours.paper)
    put_title(sketch, colours, title)
    put_lines(sketch, colours, labels, lines, WIDTH - _MARGIN)
    return finish_chart(sketch)


def row_height(lines: Sequence[GridLine]) -> int:
    """Return how high each line of a table is: higher where cells hold several games."""
    deep = max((len(cell) for line in lines for cell in line.cells), default=1) or 1
    return _ROW_HEIGHT if deep < 2 else _STACKED_CELL_WIDTH * deep + 8


def put_lines(
    sketch: Sketch, theme: Theme, labels: Sequence[str], lines: Sequence[GridLine], right: float
) -> list[tuple[float, float]]:
    """Draw the lines of a table below their labels, with points that end at `right`; return tops and bottoms.

    ValueError without lines, with too many, or with other cells than labels.
    """
    if not 1 <= len(lines) <= MAX_LINES or len(labels) > MAX_CELLS:
        raise ValueError(f"a table of {len(lines)} lines and {len(labels)} columns")
    if any(len(line.cells) != len(labels) for line in lines):
        raise ValueError("other cells than labels")
    row = row_height(lines)
    names = lettering.clean_names(tuple(line.name for line in lines))
    end = right - max(lettering.text_width(line.points, 36) for line in lines) - 22
    wide = min(_MAX_CELL_WIDTH, (end - _MARGIN - 64 - _MIN_NAME_WIDTH) / max(1, len(labels)))
    left = end - wide * len(labels)
    for column, label in enumerate(labels):
        sketch.centred(left + (column + 0.5) * wide, HEADER_HEIGHT + 20, label, lettering.MIN_SIZE, theme.second)
    extents: list[tuple[float, float]] = []
    for number, line in enumerate(lines):
        top = HEADER_HEIGHT + LABELS_HEIGHT + number * row
        if number % 2 == 0:
            sketch.box(_MARGIN / 2, top, WIDTH - _MARGIN / 2, top + row, theme.band, 12)
        _line(sketch, theme, line, (names, number), (top, top + row), (left, wide), right)
        extents.append((top, top + row))
    return extents


def draw_bracket(title: str, columns: Sequence[Sequence[BracketTie]], theme: str = "light") -> Chart:
    """Return a bracket: each column has half as many ties as the one before it.

    Who has a bye stands alone, with an arrow; a cup stands at the winner of the last tie.
    KeyError for a theme that does not exist; ValueError for columns that are none of a bracket, or too many ties.
    """
    sizes = [len(column) for column in columns]
    if not sizes or any(one != 2 * two for one, two in pairwise(sizes)):
        raise ValueError(f"a bracket of {sizes} ties")
    if 2 * sizes[0] > MAX_LINES:
        raise ValueError(f"a bracket of {2 * sizes[0]} slots")
    colours = THEMES[theme]
    slot, gap = 46, 26
    height = sizes[0] * (2 * slot + gap)
    sketch = Sketch(WIDTH, HEADER_HEIGHT + height + _MARGIN, paper=colours.paper)
    put_title(sketch, colours, title)
    between = 30
    # Few columns are not drawn out over the whole width.
    wide = min(330.0, (WIDTH - 2 * _MARGIN - between * (len(sizes) - 1)) / len(sizes))
    # The same people stand in several columns.
    typed = tuple(dict.fromkeys(name for column in columns for tie in column for name in tie.names))
    names = lettering.clean_names(typed)
    shown = dict(zip(typed, names, strict=True))
    for number, column in enumerate(columns):
        x = _MARGIN + number * (wide + between)
        step = height / len(column)
        for at, tie in enumerate(column):
            middle = HEADER_HEIGHT + step * (at + 0.5)
            if number:
                before = step / 4
                elbow = x - between / 2
                sketch.line([(x, middle), (elbow, middle)], colours.rule, 4)
                sketch.line([(elbow, middle - before), (elbow, middle + before)], colours.rule, 4)
                for end in (middle - before, middle + before):
                    sketch.line([(x - between, end), (elbow, end)], colours.rule, 4)
            final = sizes[-1] == 1 and number == len(sizes) - 1
            for which, name in enumerate(tie.names):
                top = middle - (slot / 2 if tie.is_bye else slot) + (0 if tie.is_bye else which * slot)
                if not tie.is_bye or which == tie.winner:
                    fitted = _fit_slot(shown[name], names, wide - (52 if tie.is_bye else 20))
                    _slot(sketch, colours, fitted, (x, top, x + wide, top + slot - 3), tie, which, final)
            if final and tie.winner is not None:
                # Above it; beside it where it is the only one.
                above = len(sizes) > 1
                put_cup(sketch, x + (wide / 2 if above else wide + 50), middle - (slot + 38 if above else 2), colours)
    return finish_chart(sketch)


def _line(
    sketch: Sketch,
    theme: Theme,
    line: GridLine,
    named: tuple[tuple[str, ...], int],
    extent: tuple[float, float],
    columns: tuple[float, float],
    right: float,
) -> None:
    """Draw a line between its top and its bottom; the columns begin at the first number and are the second wide.

    Its name is one of those of the picture.
    """
    (top, bottom), (left, wide) = extent, columns
    middle = (top + bottom) / 2
    first = line.place == "1"
    ink = theme.second if line.gone else theme.ink
    if line.place:
        sketch.box(_MARGIN, middle - 21, _MARGIN + 50, middle + 21, SAFFRON if first else ink, 12)
        sketch.centred(_MARGIN + 25, middle, line.place, _FIGURE_SIZE, LINE if first else theme.on_ink)
    names, at = named
    prefix = f"{line.number} · " if line.number else ""
    room = left - _MARGIN - 72 - lettering.text_width(prefix, 34)
    name, size = lettering.fit_name(names[at], room, 34, lettering.MIN_SIZE, names) if names[at] else ("", 34)
    sketch.text(_MARGIN + 62, middle + size * 0.34, prefix + name, size, ink)
    for column, cell in enumerate(line.cells):
        for number, result in enumerate(cell):
            high = 21.0 if len(cell) == 1 else _STACKED_CELL_WIDTH / 2 - 1
            centre = middle + (number - (len(cell) - 1) / 2) * _STACKED_CELL_WIDTH
            x = left + column * wide
            _cell(sketch, theme, result, (x + 2, centre - high, x + wide - 2, centre + high))
    sketch.text(right, middle + 13, line.points, 36, ink, "bold", "right")


def _cell(sketch: Sketch, theme: Theme, cell: GridCell, box: tuple[float, float, float, float]) -> None:
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2
    if cell.kind == "self":
        sketch.box(left, top, right, bottom, theme.rule, 8)
        return
    if cell.kind == "none":
        if cell.text:
            sketch.centred(x, y, cell.text, _FIGURE_SIZE, theme.second)
        return
    # A draw has a bar at its foot, where the figure alone does not say how it came out and leaves room for it.
    barred = cell.kind == "draw" and right - left >= _MIN_CELL_WIDTH
    if cell.kind == "draw" and not barred:
        sketch.box(left, top, right, bottom, WATER, 10)
    else:
        put_part(sketch, theme, left, top, right, bottom, cell.kind)
    inks = {"win": CREAM, "draw": LINE, "loss": theme.ink}
    words, size = lettering.fit_text(cell.text, right - left, _FIGURE_SIZE, lettering.MIN_SIZE)
    sketch.centred(x, y - (4 if barred else 0), words, size, inks[cell.kind])


def _fit_slot(name: str, names: tuple[str, ...], room: float) -> tuple[str, float]:
    return lettering.fit_name(name, room, 32, lettering.MIN_SIZE, names) if name else ("", 0)


def _slot(
    sketch: Sketch,
    theme: Theme,
    fitted: tuple[str, float],
    box: tuple[float, float, float, float],
    tie: BracketTie,
    which: int,
    final: bool,
) -> None:
    """Draw a slot: full if its entrant goes on (saffron after the last tie), hollow if not."""
    left, top, right, bottom = box
    through = tie.winner == which
    fill, ink = theme.band, theme.ink
    if through:
        fill, ink = (SAFFRON, LINE) if final else (DEEP, CREAM)
    sketch.box(left, top, right, bottom, fill, 10)
    if tie.winner is not None and not through:
        sketch.box(left + 3, top + 3, right - 3, bottom - 3, theme.paper, 8)
        ink = theme.second
    words, size = fitted
    if words:
        sketch.text(left + 10, (top + bottom) / 2 + size * 0.34, words, size, ink, "bold" if through else "semibold")
    if tie.is_bye:
        tip, y = right - 12, (top + bottom) / 2
        sketch.line([(tip - 22, y), (tip, y)], ink, 5)
        sketch.line([(tip - 10, y - 10), (tip, y), (tip - 10, y + 10)], ink, 5)
