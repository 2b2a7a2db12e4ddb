"""Pictures of ladders: a line for each place, with the challenges.

They have no words but names and the title, so that one picture serves all languages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from render import text as lettering
from render.charts import WIDTH, Chart, finish_chart, put_title
from render.sketch import Sketch
from render.theme import CREAM, DEEP, LINE, SAFFRON, THEMES, Theme

MAX_RUNGS: Final = 16
"""Maximum number of places in a picture; more go on further pages."""

_MARGIN: Final = 18
_HEADER_HEIGHT: Final = 96
_ROW_HEIGHT: Final = 58
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
    colours = THEMES[theme]
    sketch = Sketch(WIDTH, _HEADER_HEIGHT + _ROW_HEIGHT * len(rungs) + _MARGIN, paper=colours.paper)
    put_title(sketch, colours, title)
    names = lettering.clean_names(tuple(rung.name for rung in rungs))
    for number, rung in enumerate(rungs):
        top = _HEADER_HEIGHT + number * _ROW_HEIGHT
        if number % 2 == 0:
            sketch.box(_MARGIN / 2, top, WIDTH - _MARGIN / 2, top + _ROW_HEIGHT, colours.band, 12)
        _draw_rung(sketch, colours, rung, (names, number), top + _ROW_HEIGHT / 2)
    return finish_chart(sketch)


def _draw_rung(sketch: Sketch, theme: Theme, rung: Rung, named: tuple[tuple[str, ...], int], middle: float) -> None:
    """Draw a place, whose name is one of those of the picture."""
    first = rung.place == 1
    sketch.box(_MARGIN, middle - 21, _MARGIN + _BADGE_WIDTH, middle + 21, SAFFRON if first else theme.ink, 12)
    ink = LINE if first else theme.on_ink
    sketch.centred(_MARGIN + _BADGE_WIDTH / 2, middle, str(rung.place), 29, ink)
    room = WIDTH - 2 * _MARGIN - _BADGE_WIDTH - 30 - (_CHALLENGE_WIDTH if rung.challenger is not None else 0)
    names, at = named
    name, size = lettering.fit_name(names[at], room, 36, lettering.MIN_SIZE, names)
    sketch.text(_MARGIN + _BADGE_WIDTH + 14, middle + size * 0.34, name, size, theme.ink)
    if rung.challenger is not None:
        _draw_challenge(sketch, theme, rung, middle)


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
