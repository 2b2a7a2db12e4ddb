"""Divisions of leagues as pictures: a table of results with who goes up and down, and how far the season has come.

No words but names and the title, so that one picture serves all languages; arrows and bars tell by their shapes what
their colours tell.
"""

from dataclasses import dataclass
from typing import Final, Literal

from render import text as lettering
from render.charts import WIDTH, Chart, finish_chart, put_cup, put_title
from render.sketch import Sketch
from render.theme import CREAM, DEEP, LINE, SAFFRON, THEMES, Theme
from render.tournaments import HEADER_HEIGHT, LABELS_HEIGHT, GridLine, put_lines, row_height

Move = Literal["", "up", "down", "champion"]
"""What the end of the season means, or would if it came now, for somebody: no change, another division, the title."""

_MARGIN: Final = 18
_MOVE_WIDTH: Final = 62
_FOOTER_HEIGHT: Final = 62
_BARS_WIDTH: Final = 62


@dataclass(frozen=True, slots=True)
class Division:
    """A division of a season: its number from 1 and how many there are, its lines, and how each line's person moves.

    `labels` stand above the columns of results. `played` of `games` are done; the bar that says so is left out once the
    season is over.
    """

    number: int
    divisions: int
    labels: tuple[str, ...]
    lines: tuple[GridLine, ...]
    moves: tuple[Move, ...]
    played: int
    games: int
    over: bool = False


def draw_division(title: str, division: Division, theme: str = "light") -> Chart:
    """Return the table of a division.

    Who goes up has an arrow upwards in a full box, who goes down one downwards in a hollow box, the champion a cup.
    KeyError for a theme that does not exist; ValueError without lines, with too many, or with other moves than lines.
    """
    if len(division.moves) != len(division.lines):
        raise ValueError(f"{len(division.moves)} moves of {len(division.lines)} people")
    colours: Theme = THEMES[theme]
    table = HEADER_HEIGHT + LABELS_HEIGHT + row_height(division.lines) * len(division.lines) + _MARGIN
    sketch = Sketch(WIDTH, table + (0 if division.over else _FOOTER_HEIGHT), paper=colours.paper)
    put_title(sketch, colours, title, _chip_width(division) + _MARGIN if division.divisions > 1 else 0)
    if division.divisions > 1:
        _put_number(sketch, colours, division)
    room = _MOVE_WIDTH if any(division.moves) else 0
    extents = put_lines(sketch, colours, division.labels, division.lines, WIDTH - _MARGIN - room)
    for move, (top, bottom) in zip(division.moves, extents, strict=True):
        if move:
            _put_move(sketch, colours, move, (top + bottom) / 2)
    if not division.over:
        _put_progress(sketch, colours, division, table + _FOOTER_HEIGHT / 2 - 10)
    return finish_chart(sketch)


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
    sketch.box(x - 23, middle - 21, x + 23, middle + 21, DEEP if move == "up" else theme.second, 10)
    ink = CREAM
    if move == "down":
        sketch.box(x - 19, middle - 17, x + 19, middle + 17, theme.paper, 7)
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
    sketch.box(_MARGIN, middle - 15, end, middle + 15, theme.second, 15)
    sketch.box(_MARGIN + 4, middle - 11, end - 4, middle + 11, theme.paper, 11)
    if division.played:
        done = max(30.0, (end - _MARGIN) * division.played / max(1, division.games))
        sketch.box(_MARGIN, middle - 15, _MARGIN + done, middle + 15, DEEP, 15)
        sketch.disc(_MARGIN + done - 15, middle, 9, SAFFRON)
        sketch.disc(_MARGIN + done - 15, middle, 4, LINE)
