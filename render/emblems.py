"""Emblems of titles: each kind has a shape of its own, so that no colour is needed.

They have no words but names and numbers, so that one picture serves all languages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from render import text as lettering
from render.charts import WIDTH, Chart, Point, draw_course, finish_chart, put_cup, put_title
from render.sketch import Sketch
from render.theme import DEEP, LINE, PALE, SAFFRON, SAFFRON_WALL, THEMES, Theme

EMBLEM_HEIGHT: Final = 176
"""Height of a row of emblems in pixels."""
_HEADER_HEIGHT: Final = 100
_MARGIN: Final = 36
_SCALE: Final = 1.6
_RADIUS: Final = 52


@dataclass(frozen=True, slots=True)
class Emblem:
    """A kind of title (a key of EMBLEM_KINDS) and how often a person has won it."""

    kind: str
    count: int


def draw_emblems(title: str, emblems: Sequence[Emblem], theme: str = "light") -> Chart:
    """Return a picture of a person's titles; KeyError for an unknown theme or kind, ValueError without any."""
    if not emblems:
        raise ValueError("no emblems")
    colours = THEMES[theme]
    sketch = Sketch(WIDTH, _HEADER_HEIGHT + EMBLEM_HEIGHT, paper=colours.paper)
    put_title(sketch, colours, title)
    put_emblems(sketch, colours, emblems, _HEADER_HEIGHT)
    return finish_chart(sketch)


def draw_course_with_emblems(
    title: str, points: Sequence[Point], emblems: Sequence[Emblem], theme: str = "light"
) -> Chart:
    """Return a rating curve with titles below it; the errors of `draw_course`."""
    if not emblems:
        return draw_course(title, points, theme)

    def fill(sketch: Sketch, colours: Theme, top: float) -> None:
        put_emblems(sketch, colours, emblems, top)

    return draw_course(title, points, theme, room=EMBLEM_HEIGHT, fill=fill)


def put_emblems(sketch: Sketch, theme: Theme, emblems: Sequence[Emblem], top: float) -> None:
    """Draw a row of emblems, each with the number of times below it."""
    sketch.box(_MARGIN / 2, top, WIDTH - _MARGIN / 2, top + EMBLEM_HEIGHT - 12, theme.band, 14)
    step = (WIDTH - 2 * _MARGIN) / len(EMBLEM_KINDS)
    for number, each in enumerate(emblems):
        x, y = _MARGIN + step * (number + 0.5), top + 62
        EMBLEM_KINDS[each.kind](sketch, theme, x, y)
        words = f"× {each.count}"
        wide = lettering.text_width(words, 34)
        sketch.text(x - wide / 2, top + 152, words, 34, theme.ink)


def _medal(sketch: Sketch, x: float, y: float) -> None:
    """Draw the saffron disc on which most emblems lie."""
    sketch.disc(x, y + 4, _RADIUS, SAFFRON_WALL)
    sketch.disc(x, y, _RADIUS, SAFFRON_WALL)
    sketch.disc(x, y, _RADIUS - 5, SAFFRON)


def _league(sketch: Sketch, theme: Theme, x: float, y: float) -> None:
    """Draw a cup: a season of a league."""
    put_cup(sketch, x, y, theme, _SCALE)


def _ladder(sketch: Sketch, theme: Theme, x: float, y: float) -> None:
    """Draw a ladder with a disc on its top: the first place of a ladder."""
    for side in (-1, 1):
        sketch.line([(x + side * 22, y + 50), (x + side * 16, y - 30)], theme.ink, 8)
    for rung in range(4):
        reach = 21 - rung * 1.4
        sketch.line([(x - reach, y + 38 - rung * 19), (x + reach, y + 38 - rung * 19)], theme.ink, 7)
    sketch.disc(x, y - 36, 17, SAFFRON_WALL)
    sketch.disc(x, y - 38, 14, SAFFRON)


def _month(sketch: Sketch, theme: Theme, x: float, y: float) -> None:
    """Draw a leaf of a calendar with a star: the champion of a month."""
    sketch.box(x - 46, y - 42, x + 46, y + 52, theme.ink, 12)
    sketch.box(x - 39, y - 18, x + 39, y + 45, PALE, 6)
    for side in (-1, 1):
        sketch.box(x + side * 22 - 5, y - 54, x + side * 22 + 5, y - 30, SAFFRON_WALL, 5)
    sketch.polygon(_star(x, y + 14, 30), SAFFRON_WALL, 1)
    sketch.polygon(_star(x, y + 13, 23), SAFFRON, 1)


def _streak(sketch: Sketch, _theme: Theme, x: float, y: float) -> None:
    """Draw three discs in a row, joined: wins one after the other."""
    points = [(x - 38, y + 30), (x, y), (x + 38, y - 30)]
    sketch.line(points, SAFFRON_WALL, 14)
    for px, py in points:
        sketch.disc(px, py + 3, 25, SAFFRON_WALL)
        sketch.disc(px, py, 25, SAFFRON_WALL)
        sketch.disc(px, py, 20, SAFFRON)
        sketch.line([(px - 9, py + 1), (px - 2, py + 8), (px + 10, py - 7)], LINE, 5)


def _improved(sketch: Sketch, theme: Theme, x: float, y: float) -> None:
    """Draw columns that rise under an arrow: the most improved."""
    for number, high in enumerate((20, 38, 56)):
        left = x - 46 + number * 32
        sketch.box(left, y + 52 - high, left + 25, y + 52, theme.ink if number < 2 else SAFFRON_WALL, 4)
    sketch.box(x + 21, y, x + 40, y + 49, SAFFRON, 3)
    sketch.line([(x - 42, y + 12), (x - 6, y - 12), (x + 30, y - 40)], SAFFRON_WALL, 9)
    sketch.line([(x + 6, y - 42), (x + 32, y - 42), (x + 32, y - 18)], SAFFRON_WALL, 9)


def _upset(sketch: Sketch, theme: Theme, x: float, y: float) -> None:
    """Draw a small piece on top of a large one that is turned over: somebody much stronger was beaten."""
    sketch.box(x - 48, y + 8, x + 48, y + 52, theme.ink, 16)
    sketch.box(x - 40, y + 15, x + 40, y + 45, DEEP, 12)
    sketch.cross(x, y + 30, 10, PALE, 6)
    sketch.box(x - 24, y - 30, x + 24, y + 6, SAFFRON_WALL, 12)
    sketch.box(x - 19, y - 26, x + 19, y - 2, SAFFRON, 9)
    sketch.line([(x - 14, y - 44), (x, y - 54), (x + 14, y - 44)], SAFFRON_WALL, 7)


def _capture(sketch: Sketch, theme: Theme, x: float, y: float) -> None:
    """Draw one disc within a ring of hollow ones: many pieces taken at once."""
    _medal(sketch, x, y)
    sketch.disc(x, y, 17, theme.ink)
    for px, py in ((-31, 0), (31, 0), (-16, -27), (16, -27), (-16, 27), (16, 27)):
        sketch.disc(x + px, y + py, 11, LINE)
        sketch.disc(x + px, y + py, 6, PALE)


def _star(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Return the corners of a star with five points."""
    unit = ((0, -1), (0.24, -0.32), (0.95, -0.31), (0.38, 0.12), (0.59, 0.81), (0, 0.4))
    right = [(x + px * radius, y + py * radius) for px, py in unit]
    left = [(2 * x - px, py) for px, py in right[-2:0:-1]]
    return right + left


EMBLEM_KINDS: Final[Mapping[str, Callable[[Sketch, Theme, float, float], None]]] = MappingProxyType(
    {
        "league": _league,
        "ladder": _ladder,
        "month": _month,
        "streak": _streak,
        "improved": _improved,
        "upset": _upset,
        "capture": _capture,
    }
)
"""How the emblem of each kind of title is drawn, in the order in which they are shown."""
