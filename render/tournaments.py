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
from render.charts import (
    WIDTH,
    Chart,
    begin_chart,
    draw_result_box,
    finish_chart,
    put_cup,
    put_name,
    put_place,
    put_rows,
)
from render.sketch import Sketch
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
    deep = max((len(cell) for line in lines for cell in line.cells), default=1)
    row_height = _ROW_HEIGHT if deep < 2 else _STACKED_CELL_WIDTH * deep + 8
    height = _HEADER_HEIGHT + _LABELS_HEIGHT + row_height * len(lines) + _MARGIN
    is_going_on = division is not None and not division.over
    numbered = division if division is not None and division.divisions > 1 else None
    words = "" if numbered is None else f"{numbered.number} / {numbered.divisions}"
    chip_width = _BARS_WIDTH + lettering.text_width(words, 34) + 24
    kept_free = 0 if numbered is None else chip_width + _MARGIN
    sketch, colours = begin_chart(title, height + (_FOOTER_HEIGHT if is_going_on else 0), theme, kept_free)
    if numbered is not None:
        _put_number(sketch.at(WIDTH - _MARGIN - chip_width, 50), colours, numbered, words, chip_width)
    right = WIDTH - _MARGIN - (_MOVE_WIDTH if any(line.move for line in lines) else 0)
    names = lettering.clean_names(tuple(line.name for line in lines))
    end = right - max(lettering.text_width(line.points, 36) for line in lines) - 22
    wide = min(_MAX_CELL_WIDTH, (end - _MARGIN - 64 - _MIN_NAME_WIDTH) / max(1, len(labels)))
    left = end - wide * len(labels)
    for column, label in enumerate(labels):
        sketch.centred(left + (column + 0.5) * wide, _HEADER_HEIGHT + 20, label, lettering.MIN_SIZE, colours.second)
    rows = put_rows(sketch, colours, len(lines), _HEADER_HEIGHT + _LABELS_HEIGHT, row_height, _MARGIN / 2, 12)
    for line, name, row in zip(lines, names, rows, strict=True):
        _put_line(row, colours, line, name, names, left, wide, right)
        if line.move:
            _put_move(row.at(WIDTH - _MARGIN - 23, 0), colours, line.move)
    if division is not None and is_going_on:
        _put_progress(sketch.at(_MARGIN, height + _FOOTER_HEIGHT / 2 - 10), colours, division)
    return finish_chart(sketch.reduced())


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
        step = height / len(column)
        final = len(column) == 1 and number == len(sizes) - 1
        for at, tie in enumerate(column):
            place = sketch.at(_MARGIN + number * (wide + between), _HEADER_HEIGHT + step * (at + 0.5))
            for end in (-step / 4, step / 4) if number else ():
                place.line([(0, 0), (-between / 2, 0), (-between / 2, end), (-between, end)], colours.rule, 4)
            for which, name in enumerate(tie.names):
                if not tie.is_bye or which == tie.winner:
                    slot_place = place.at(0, -1.5 if tie.is_bye else (which - 0.5) * slot - 1.5)
                    room = wide - (52 if tie.is_bye else 20)
                    fitted = lettering.fit_name(shown[name], room, 32, lettering.MIN_SIZE, names)
                    _put_slot(slot_place, colours, *fitted, wide, tie, which, final)
            if final and tie.winner is not None:
                # Above it; beside it where it is the only one.
                put_cup(place.at(wide / 2, -slot - 38) if number else place.at(wide + 50, -2), colours)
    return finish_chart(sketch.reduced())


def _put_line(
    row: Sketch,
    theme: Theme,
    line: GridLine,
    name: str,
    names: lettering.Names,
    left: float,
    wide: float,
    right: float,
) -> None:
    """Draw a line; the columns begin at `left` and are so wide."""
    ink = theme.second if line.gone else theme.ink
    if line.place:
        put_place(row, theme, _MARGIN, (50, 42), line.place, _FIGURE_SIZE, ink)
    prefix = f"{line.number} · " if line.number else ""
    room = left - _MARGIN - 72 - lettering.text_width(prefix, 34)
    put_name(row, _MARGIN + 62, name, names, room, (34, lettering.MIN_SIZE), ink, prefix)
    for column, results in enumerate(line.cells):
        high = 21.0 if len(results) == 1 else _STACKED_CELL_WIDTH / 2 - 1
        for at, result in enumerate(results):
            lower = (at - (len(results) - 1) / 2) * _STACKED_CELL_WIDTH
            _put_cell(row.at(left + (column + 0.5) * wide, lower), theme, result, wide / 2 - 2, high)
    row.text(right, 13, line.points, 36, ink, "bold", "right")


def _put_cell(sketch: Sketch, theme: Theme, cell: GridCell, wide: float, high: float) -> None:
    if cell.kind == "self":
        sketch.plate(0, 0, wide, high, theme.rule, 8)
        return
    if cell.kind == "none":
        if cell.text:
            sketch.centred(0, 0, cell.text, _FIGURE_SIZE, theme.second)
        return
    # A draw has a bar at its foot, where the figure alone does not say how it came out and leaves room for it.
    barred = cell.kind == "draw" and 2 * wide >= _MIN_CELL_WIDTH
    if cell.kind == "draw" and not barred:
        sketch.plate(0, 0, wide, high, WATER, 10)
    else:
        draw_result_box(sketch, theme, wide, high, cell.kind)
    inks = {"win": CREAM, "draw": LINE, "loss": theme.ink}
    words, size = lettering.fit_text(cell.text, 2 * wide, _FIGURE_SIZE, lettering.MIN_SIZE)
    sketch.centred(0, -4 if barred else 0, words, size, inks[cell.kind])


def _put_slot(
    sketch: Sketch, theme: Theme, words: str, size: float, wide: float, tie: BracketTie, which: int, final: bool
) -> None:
    """Draw a slot, its left end at (0, 0): full if its entrant goes on (saffron after the last tie), hollow if not."""
    through = tie.winner == which
    fill, ink = theme.band, theme.ink
    if through:
        fill, ink = (SAFFRON, LINE) if final else (DEEP, CREAM)
    sketch.box(0, -21.5, wide, 21.5, fill, 10)
    if tie.winner is not None and not through:
        sketch.box(3, -18.5, wide - 3, 18.5, theme.paper, 8)
        ink = theme.second
    if words:
        sketch.text(10, size * 0.34, words, size, ink, "bold" if through else "semibold")
    if tie.is_bye:
        arrow = sketch.at(wide - 12, 0)
        arrow.line([(-22, 0), (0, 0)], ink, 5)
        arrow.line([(-10, -10), (0, 0), (-10, 10)], ink, 5)


def _put_number(sketch: Sketch, theme: Theme, division: Division, words: str, wide: float) -> None:
    """Draw which division of how many it is, beside three bars one above the other of which its own is full."""
    sketch.box(0, -32, wide, 32, theme.band, 14)
    # Of more than three, the middle bar stands for all that are neither first nor last.
    own = 0 if division.number == 1 else 2 if division.number == division.divisions else 1
    for at in range(3) if division.divisions > 2 else (0, 2):
        bar = sketch.at(34, (at - 1) * 18)
        bar.plate(0, 0, 20, 7, theme.ink, 5)
        if at == own:
            bar.plate(0, 0, 20, 7, SAFFRON, 5)
        else:
            bar.plate(0, 0, 17, 4, theme.band, 3)
    sketch.text(_BARS_WIDTH + 8, 12, words, 34, theme.ink)


def _put_move(sketch: Sketch, theme: Theme, move: Move) -> None:
    if move == "champion":
        put_cup(sketch.at(0, 0, 0.72), theme)
        return
    sketch.plate(0, 0, 23, 21, DEEP if move == "up" else theme.second, 10)
    ink = CREAM
    if move == "down":
        sketch.plate(0, 0, 19, 17, theme.paper, 7)
        ink = theme.ink
    tip = -13 if move == "up" else 13
    sketch.line([(0, -12), (0, 12)], ink, 5)
    sketch.line([(-10, tip * 0.15), (0, tip), (10, tip * 0.15)], ink, 5)


def _put_progress(sketch: Sketch, theme: Theme, division: Division) -> None:
    """Draw how many games of the season are done, as a bar and in figures."""
    words = f"{division.played} / {division.games}"
    right = WIDTH - 2 * _MARGIN
    sketch.text(right, 11, words, 31, theme.ink, "bold", "right")
    end = right - lettering.text_width(words, 31) - 20
    sketch.box(0, -15, end, 15, theme.second, 15)
    sketch.box(4, -11, end - 4, 11, theme.paper, 11)
    if division.played:
        done = max(30.0, end * division.played / max(1, division.games))
        sketch.box(0, -15, done, 15, DEEP, 15)
        sketch.disc(done - 15, 0, 9, SAFFRON)
        sketch.disc(done - 15, 0, 4, LINE)


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
    rows = put_rows(sketch, colours, len(rungs), _HEADER_HEIGHT, _ROW_HEIGHT, _MARGIN / 2, 12)
    for rung, name, row in zip(rungs, names, rows, strict=True):
        put_place(row, colours, _MARGIN, (_BADGE_WIDTH, 42), str(rung.place), 29)
        room = WIDTH - 2 * _MARGIN - _BADGE_WIDTH - 30 - (_CHALLENGE_WIDTH if rung.challenger is not None else 0)
        x = _MARGIN + _BADGE_WIDTH + 14
        put_name(row, x, name, names, room, (36, lettering.MIN_SIZE), colours.ink)
        if rung.challenger is not None:
            _put_challenge(row.at(WIDTH - _MARGIN - _CHALLENGE_WIDTH, 0), colours, rung)
    return finish_chart(sketch.reduced())


def _put_challenge(sketch: Sketch, theme: Theme, rung: Rung) -> None:
    ink = CREAM if rung.playing else theme.ink
    sketch.box(0, -21, _CHALLENGE_WIDTH, 21, DEEP, 10)
    if not rung.playing:
        sketch.box(4, -17, _CHALLENGE_WIDTH - 4, 17, theme.paper, 7)
    sketch.line([(28, 13), (28, -12)], ink, 5)
    sketch.line([(18, -2), (28, -13), (38, -2)], ink, 5)
    sketch.centred((_CHALLENGE_WIDTH + 38) / 2, 0, str(rung.challenger), 29, ink)
