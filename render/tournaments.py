"""Pictures of competition tables: lines of results (cross tables, Swiss tables, divisions of leagues), and brackets.

They have no words but names and the title, so that one picture serves all languages; arrows and bars say by their
shapes what their colours say.

Pictures of ladders: a line for each place, with the challenges.

They have no words but names and the title, so that one picture serves all languages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from render import text as lettering
from render.charts import WIDTH, Chart, begin_chart, finish_chart, put_cup, put_name, put_part, put_place, put_rows
from render.sketch import Point, Sketch
from render.theme import CREAM, DEEP, LINE, SAFFRON, WATER, Theme

CellKind = Literal["win", "draw", "loss", "none", "self"]
Move = Literal["", "up", "down", "champion"]
"""What the end of a season means, or would if it came now, for a person: no change, another division, the title."""
MAX_LINES: Final = 16
"""Maximum number of lines, or of slots in the first column of a bracket; more go on further pages."""
MAX_CELLS: Final = 16

_MARGIN: Final = 18
_HEADER_HEIGHT: Final = 96
_LABELS_HEIGHT: Final = 44
_ROW_HEIGHT: Final = 58
_MIN_NAME_WIDTH: Final = 178
_MAX_CELL_WIDTH: Final = 62
_FIGURE_SIZE: Final = 29
_STACKED_CELL_WIDTH: Final = 37
_MIN_CELL_WIDTH: Final = 40
_MOVE_WIDTH: Final = 62
_FOOTER_HEIGHT: Final = 62
_BARS_WIDTH: Final = 62


@dataclass(frozen=True, slots=True)
class GridCell:
    """A result: a label of one or two characters, and its mark ("self" where a line meets itself)."""

    text: str = ""
    kind: CellKind = "none"


@dataclass(frozen=True, slots=True)
class GridLine:
    """A line of a table: place, name as typed, results and points; a cell may hold several games.

    A line that has `gone` is written more quietly; one with a `number`, by which cells name it, has it before the name.
    Who goes up has an arrow upwards in a full box, who goes down one downwards in a hollow box, the champion a cup.
    """

    place: str
    name: str
    cells: tuple[tuple[GridCell, ...], ...]
    points: str
    gone: bool = False
    number: str = ""
    move: Move = ""


@dataclass(frozen=True, slots=True)
class Division:
    """A division of a season: its number from 1, how many there are, and how many of its games are played.

    The bar that says so is left out once the season is over.
    """

    number: int
    divisions: int
    played: int
    games: int
    over: bool = False


@dataclass(frozen=True, slots=True)
class BracketTie:
    """Two slots of a bracket: their names (empty if undecided), and which of them advances.

    Who advances without an opponent has a bye: the other name is empty.
    """

    names: tuple[str, str]
    winner: int | None = None

    @property
    def is_bye(self) -> bool:
        """Whether a person advances without an opponent."""
        return self.winner is not None and not self.names[1 - self.winner]


def draw_grid(
    title: str,
    labels: Sequence[str],
    lines: Sequence[GridLine],
    theme: str = "light",
    division: Division | None = None,
) -> Chart:
    """Return a table of results, a label above each column of them; it may be that of a division.

    KeyError for a theme that does not exist; ValueError without lines, with too many, or with other cells than labels.
    """
    if not 1 <= len(lines) <= MAX_LINES or len(labels) > MAX_CELLS:
        raise ValueError(f"a table of {len(lines)} lines and {len(labels)} columns")
    if any(len(line.cells) != len(labels) for line in lines):
        raise ValueError("other cells than labels")
    row = _row_height(lines)
    height = _HEADER_HEIGHT + _LABELS_HEIGHT + row * len(lines) + _MARGIN
    is_going_on = division is not None and not division.over
    numbered = division if division is not None and division.divisions > 1 else None
    kept_free = 0 if numbered is None else _chip_width(numbered) + _MARGIN
    sketch, colours = begin_chart(title, height + (_FOOTER_HEIGHT if is_going_on else 0), theme, kept_free)
    if numbered is not None:
        _put_number(sketch, colours, numbered)
    right = WIDTH - _MARGIN - (_MOVE_WIDTH if any(line.move for line in lines) else 0)
    names = lettering.clean_names(tuple(line.name for line in lines))
    end = right - max(lettering.text_width(line.points, 36) for line in lines) - 22
    wide = min(_MAX_CELL_WIDTH, (end - _MARGIN - 64 - _MIN_NAME_WIDTH) / max(1, len(labels)))
    left = end - wide * len(labels)
    for column, label in enumerate(labels):
        sketch.centred(left + (column + 0.5) * wide, _HEADER_HEIGHT + 20, label, lettering.MIN_SIZE, colours.second)
    middles = put_rows(sketch, colours, len(lines), _HEADER_HEIGHT + _LABELS_HEIGHT, row, _MARGIN / 2, 12)
    for number, middle in enumerate(middles):
        line = lines[number]
        _line(sketch, colours, line, names, number, middle, (left, wide), right)
        if line.move:
            _put_move(sketch, colours, line.move, middle)
    if division is not None and is_going_on:
        _put_progress(sketch, colours, division, height + _FOOTER_HEIGHT / 2 - 10)
    return finish_chart(sketch.reduced())


def _row_height(lines: Sequence[GridLine]) -> int:
    """Return how high each line of a table is: higher where cells hold several games."""
    deep = max((len(cell) for line in lines for cell in line.cells), default=1) or 1
    return _ROW_HEIGHT if deep < 2 else _STACKED_CELL_WIDTH * deep + 8


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
    slot, gap = 46, 26
    height = sizes[0] * (2 * slot + gap)
    sketch, colours = begin_chart(title, _HEADER_HEIGHT + height + _MARGIN, theme)
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
            middle = _HEADER_HEIGHT + step * (at + 0.5)
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
                    room, box = wide - (52 if tie.is_bye else 20), (x, top, x + wide, top + slot - 3)
                    fitted = lettering.fit_name(shown[name], room, 32, lettering.MIN_SIZE, names)
                    _slot(sketch, colours, fitted, box, tie, which, final)
            if final and tie.winner is not None:
                # Above it; beside it where it is the only one.
                above = len(sizes) > 1
                put_cup(sketch, x + (wide / 2 if above else wide + 50), middle - (slot + 38 if above else 2), colours)
    return finish_chart(sketch.reduced())


def _line(
    sketch: Sketch,
    theme: Theme,
    line: GridLine,
    names: lettering.Names,
    number: int,
    middle: float,
    columns: Point,
    right: float,
) -> None:
    """Draw a line; the columns begin at the first number and are the second wide."""
    left, wide = columns
    ink = theme.second if line.gone else theme.ink
    if line.place:
        put_place(sketch, theme, _MARGIN, middle, (50, 42), line.place, _FIGURE_SIZE, ink)
    prefix = f"{line.number} · " if line.number else ""
    room = left - _MARGIN - 72 - lettering.text_width(prefix, 34)
    put_name(sketch, _MARGIN + 62, middle, names, number, room, (34, lettering.MIN_SIZE), ink, prefix)
    for column, cell in enumerate(line.cells):
        for at, result in enumerate(cell):
            high = 21.0 if len(cell) == 1 else _STACKED_CELL_WIDTH / 2 - 1
            centre = middle + (at - (len(cell) - 1) / 2) * _STACKED_CELL_WIDTH
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


def _put_number(sketch: Sketch, theme: Theme, division: Division) -> None:
    """Draw which division of how many it is, beside three bars one above the other of which its own is full."""
    right, middle = WIDTH - _MARGIN, 50
    left = right - _chip_width(division)
    sketch.box(left, middle - 32, right, middle + 32, theme.band, 14)
    # Of more than three, the middle bar stands for all that are neither first nor last.
    own = 0 if division.number == 1 else 2 if division.number == division.divisions else 1
    bars = range(3) if division.divisions > 2 else (0, 2)
    for at in bars:
        y = middle + (at - 1) * 18
        sketch.box(left + 14, y - 7, left + 54, y + 7, theme.ink, 5)
        if at == own:
            sketch.box(left + 14, y - 7, left + 54, y + 7, SAFFRON, 5)
        else:
            sketch.box(left + 17, y - 4, left + 51, y + 4, theme.band, 3)
    sketch.text(left + _BARS_WIDTH + 8, middle + 12, _number_words(division), 34, theme.ink)


def _number_words(division: Division) -> str:
    return f"{division.number} / {division.divisions}"


def _chip_width(division: Division) -> float:
    return _BARS_WIDTH + lettering.text_width(_number_words(division), 34) + 24


def _put_move(sketch: Sketch, theme: Theme, move: Move, middle: float) -> None:
    x = WIDTH - _MARGIN - 23
    if move == "champion":
        put_cup(sketch, x, middle, theme, 0.72)
        return
    sketch.plate(x, middle, 23, 21, DEEP if move == "up" else theme.second, 10)
    ink = CREAM
    if move == "down":
        sketch.plate(x, middle, 19, 17, theme.paper, 7)
        ink = theme.ink
    tip = -13 if move == "up" else 13
    sketch.line([(x, middle - 12), (x, middle + 12)], ink, 5)
    sketch.line([(x - 10, middle + tip * 0.15), (x, middle + tip), (x + 10, middle + tip * 0.15)], ink, 5)


def _put_progress(sketch: Sketch, theme: Theme, division: Division, middle: float) -> None:
    """Draw how many games of the season are done, as a bar and in figures."""
    words = f"{division.played} / {division.games}"
    right = WIDTH - _MARGIN
    sketch.text(right, middle + 11, words, 31, theme.ink, "bold", "right")
    end = right - lettering.text_width(words, 31) - 20
    sketch.framed(_MARGIN, middle - 15, end, middle + 15, theme.second, theme.paper, 4, 15, 11)
    if division.played:
        done = max(30.0, (end - _MARGIN) * division.played / max(1, division.games))
        sketch.box(_MARGIN, middle - 15, _MARGIN + done, middle + 15, DEEP, 15)
        sketch.disc(_MARGIN + done - 15, middle, 9, SAFFRON)
        sketch.disc(_MARGIN + done - 15, middle, 4, LINE)


MAX_RUNGS: Final = 16
"""Maximum number of places in a picture; more go on further pages."""

_BADGE_WIDTH: Final = 64
_CHALLENGE_WIDTH: Final = 118


@dataclass(frozen=True, slots=True)
class Rung:
    """A place of a ladder: its number, its holder, the challenging place, and whether that game is being played."""

    place: int
    name: str
    challenger: int | None = None
    playing: bool = False


def draw_ladder(title: str, rungs: Sequence[Rung], theme: str = "light") -> Chart:
    """Return a page of a ladder.

    A challenge is an arrow upwards with the place it comes from: full while being played, else hollow. KeyError for an
    unknown theme; ValueError without places, or with too many.
    """
    if not 1 <= len(rungs) <= MAX_RUNGS:
        raise ValueError(f"a ladder of {len(rungs)} places")
    sketch, colours = begin_chart(title, _HEADER_HEIGHT + _ROW_HEIGHT * len(rungs) + _MARGIN, theme)
    names = lettering.clean_names(tuple(rung.name for rung in rungs))
    middles = put_rows(sketch, colours, len(rungs), _HEADER_HEIGHT, _ROW_HEIGHT, _MARGIN / 2, 12)
    for number, middle in enumerate(middles):
        rung = rungs[number]
        put_place(sketch, colours, _MARGIN, middle, (_BADGE_WIDTH, 42), str(rung.place), 29)
        room = WIDTH - 2 * _MARGIN - _BADGE_WIDTH - 30 - (_CHALLENGE_WIDTH if rung.challenger is not None else 0)
        x = _MARGIN + _BADGE_WIDTH + 14
        put_name(sketch, x, middle, names, number, room, (36, lettering.MIN_SIZE), colours.ink)
        if rung.challenger is not None:
            _draw_challenge(sketch, colours, rung, middle)
    return finish_chart(sketch.reduced())


def _draw_challenge(sketch: Sketch, theme: Theme, rung: Rung, middle: float) -> None:
    left, right = WIDTH - _MARGIN - _CHALLENGE_WIDTH, WIDTH - _MARGIN
    ink = CREAM if rung.playing else theme.ink
    sketch.box(left, middle - 21, right, middle + 21, DEEP, 10)
    if not rung.playing:
        sketch.box(left + 4, middle - 17, right - 4, middle + 17, theme.paper, 7)
    x = left + 28
    sketch.line([(x, middle + 13), (x, middle - 12)], ink, 5)
    sketch.line([(x - 10, middle - 2), (x, middle - 13), (x + 10, middle - 2)], ink, 5)
    sketch.centred(left + (_CHALLENGE_WIDTH + 38) / 2, middle, str(rung.challenger), 29, ink)
