"""Pictures besides boards: leaderboard tables and rating curves.

They have no words but names and the title, so that one picture serves all languages.

Emblems of titles: each kind has a shape of its own, so that no colour is needed.

They have no words but names and numbers, so that one picture serves all languages.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

from render import text as lettering
from render.sketch import Sketch
from render.theme import CREAM, CROSS, DEEP, LINE, PALE, RGB, SAFFRON, SAFFRON_WALL, THEMES, WATER, Theme

WIDTH: Final = 900
_MARGIN: Final = 36
_HEADER_HEIGHT: Final = 100
_ROW_HEIGHT: Final = 84
_BAR_WIDTH: Final = 250
_COURSE_HEIGHT: Final = 560


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A row of a leaderboard: a name as typed, results, and points if there are any yet."""

    place: int
    name: str
    wins: int
    draws: int
    losses: int
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A rating after a game: the points and their uncertainty; `mark` is the result of the game."""

    points: float
    spread: float
    mark: str


@dataclass(frozen=True, slots=True)
class Emblem:
    """A kind of title (a key of EMBLEM_KINDS) and how often a person has won it."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A finished picture: the PNG file and its size in pixels."""

    png: bytes
    size: tuple[int, int]


def draw_leaderboard(title: str, lines: Sequence[LeaderboardRow], theme: str = "light") -> Chart:
    """Return a leaderboard: place, name, a bar of wins, draws and losses with their numbers, points.

    KeyError for an unknown theme; ValueError without rows.
    """
    if not lines:
        raise ValueError("a leaderboard without lines")
    sketch, colours = begin_chart(title, _HEADER_HEIGHT + _ROW_HEIGHT * len(lines) + _MARGIN // 2, theme)
    most = max(line.wins + line.draws + line.losses for line in lines)
    right = WIDTH - _MARGIN - (108 if any(line.points is not None for line in lines) else 0)
    names = lettering.clean_names(tuple(line.name for line in lines))
    middles = put_rows(sketch, colours, len(lines), _HEADER_HEIGHT, _ROW_HEIGHT, _MARGIN / 2, 14)
    for number, middle in enumerate(middles):
        _line(sketch, colours, lines[number], names, number, middle, right, most)
    return finish_chart(sketch.reduced())


def draw_course(title: str, points: Sequence[Point], theme: str = "light", emblems: Sequence[Emblem] = ()) -> Chart:
    """Return a rating curve, game by game, with the confidence range, and with a person's titles below it.

    KeyError for an unknown theme or kind of title; ValueError for fewer than two points.
    """
    if len(points) < 2:
        raise ValueError("a course of fewer than two points")
    sketch, colours = begin_chart(title, _COURSE_HEIGHT + (EMBLEM_HEIGHT if emblems else 0), theme)
    left, top, right, bottom = 130.0, 120.0, WIDTH - 60.0, 500.0
    # The line fills the plot, however uncertain it is at first.
    low, high = min(point.points for point in points), max(point.points for point in points)
    step = _step(max(high - low, 40) / 4)
    low, high = low // step * step, (high // step + 1) * step

    def at(number: int, value: float) -> tuple[float, float]:
        x = left + (right - left) * number / (len(points) - 1)
        return x, bottom - (bottom - top) * (value - low) / (high - low)

    def within(number: int, value: float) -> tuple[float, float]:
        return at(number, min(high, max(low, value)))

    upper = [within(number, point.points + point.spread) for number, point in enumerate(points)]
    lower = [within(number, point.points - point.spread) for number, point in enumerate(points)]
    sketch.polygon([*upper, *reversed(lower)], colours.band)
    value = low
    while value <= high:
        y = at(0, value)[1]
        sketch.line([(left, y), (right, y)], colours.rule, 3)
        sketch.text(left - 16, y + 11, f"{value:.0f}", 32, colours.second, "bold", "right")
        value += step
    line = [at(number, point.points) for number, point in enumerate(points)]
    sketch.line(line, colours.ink, 7)
    if len(points) <= 40:
        for place, point in zip(line, points, strict=True):
            _result(sketch, colours, *place, point.mark)
    x, y = line[-1]
    words = f"{points[-1].points:.0f}"
    wide = lettering.text_width(words, 40)
    tip = min(x, right - wide / 2 + 20)
    sketch.box(tip - wide / 2 - 18, y - 84, tip + wide / 2 + 18, y - 30, colours.ink, 14)
    sketch.centred(tip, y - 57, words, 40, colours.on_ink)
    sketch.text(left, 542, "1", 32, colours.second, "bold", "centre")
    sketch.text(right, 542, str(len(points)), 32, colours.second, "bold", "centre")
    if emblems:
        put_emblems(sketch, colours, emblems, _COURSE_HEIGHT)
    return finish_chart(sketch.reduced())


def begin_chart(title: str, height: float, theme: str, kept_free: float = 0) -> tuple[Sketch, Theme]:
    """Return a picture with its title, and its colours; so much is kept free at the right of the title."""
    colours = THEMES[theme]
    sketch = Sketch(WIDTH, round(height), paper=colours.paper)
    put_title(sketch, colours, title, kept_free)
    return sketch, colours


def put_rows(
    sketch: Sketch, theme: Theme, count: int, top: float, height: float, margin: float, radius: float
) -> Iterator[float]:
    """Yield the middles of a number of rows, with every other row on a band."""
    for number in range(count):
        at = top + number * height
        if number % 2 == 0:
            sketch.box(margin, at, WIDTH - margin, at + height, theme.band, radius)
        yield at + height / 2


def put_place(
    sketch: Sketch,
    theme: Theme,
    left: float,
    middle: float,
    size: tuple[float, float],
    place: str,
    letters: float,
    ink: RGB | None = None,
    radius: float = 12,
) -> None:
    """Write a place on a badge of a size, which is saffron for the first."""
    first, (wide, high) = place == "1", size
    fill = SAFFRON if first else ink or theme.ink
    sketch.box(left, middle - high / 2, left + wide, middle + high / 2, fill, radius)
    sketch.centred(left + wide / 2, middle, place, letters, LINE if first else theme.on_ink)


def put_name(
    sketch: Sketch,
    x: float,
    middle: float,
    names: lettering.Names,
    number: int,
    room: float,
    sizes: tuple[float, float],
    ink: RGB,
    prefix: str = "",
) -> None:
    """Write one of the names of a picture between two sizes, as large as there is room for."""
    name, size = lettering.fit_name(names[number], room, *sizes, names) if names[number] else ("", sizes[0])
    sketch.text(x, middle + size * 0.34, prefix + name, size, ink)


def put_title(sketch: Sketch, theme: Theme, title: str, kept_free: float = 0) -> None:
    """Put the title at the head of a picture, with a cup before it; so much is kept free at its right."""
    words, size = lettering.fit_text(lettering.clean(title), WIDTH - 2 * _MARGIN - 70 - kept_free, 52, 34)
    put_cup(sketch, _MARGIN + 24, 50, theme)
    sketch.text(_MARGIN + 70, 68, words, size, theme.ink)


def put_cup(sketch: Sketch, x: float, y: float, theme: Theme, scale: float = 1) -> None:
    """Draw a cup with two handles on its foot, 60 pixels high at a scale of 1."""

    def box(left: float, top: float, right: float, bottom: float, ink: RGB, radius: float) -> None:
        sketch.box(x + left * scale, y + top * scale, x + right * scale, y + bottom * scale, ink, radius * scale)

    for side in (-1, 1):
        sketch.ring(x + side * 20 * scale, y - 14 * scale, 11 * scale, SAFFRON_WALL, 6 * scale)
    bowl = [
        (-20.0, -30.0),
        (20.0, -30.0),
        (19.0, -12.0),
        (13.0, 2.0),
        (5.0, 9.0),
        (-5.0, 9.0),
        (-13.0, 2.0),
        (-19.0, -12.0),
    ]
    sketch.polygon([(x + px * scale, y + py * scale) for px, py in bowl], SAFFRON_WALL, 3 * scale)
    inner = [(x + (px * 0.9 - 1) * scale, y + (py * 0.95 - 1) * scale) for px, py in bowl]
    sketch.polygon(inner, SAFFRON, 3 * scale)
    box(-22, -31, 22, -25, SAFFRON_WALL, 3)
    box(-13, -20, -8, -8, PALE, 2.5)
    stem = ((-4, 6), (4, 6), (7, 20), (-7, 20))
    sketch.polygon([(x + px * scale, y + py * scale) for px, py in stem], SAFFRON_WALL)
    box(-17, 18, 17, 29, theme.ink, 4)


def _line(
    sketch: Sketch,
    theme: Theme,
    line: LeaderboardRow,
    names: lettering.Names,
    number: int,
    middle: float,
    right: float,
    most: int,
) -> None:
    """Draw a line around its middle; the bar ends before `right`, where the points begin."""
    place = str(line.place)
    wide = max(54.0, lettering.text_width(place, 34) + 28)
    put_place(sketch, theme, _MARGIN, middle, (wide, 54), place, 34, radius=16)
    bar_left = right - _BAR_WIDTH - 14
    room = bar_left - _MARGIN - wide - 40
    put_name(sketch, _MARGIN + wide + 22, middle, names, number, room, (40, 28), theme.ink)
    _bar(sketch, theme, line, bar_left, middle, most)
    if line.points is not None:
        sketch.text(WIDTH - _MARGIN, middle + 14, str(line.points), 40, theme.ink, "bold", "right")


def _bar(sketch: Sketch, theme: Theme, line: LeaderboardRow, left: float, middle: float, most: int) -> None:
    """Draw wins (full), draws (half) and losses (hollow) as parts of a bar, each with its number."""
    parts = [(line.wins, "win"), (line.draws, "draw"), (line.losses, "loss")]
    shown = [(number, mark) for number, mark in parts if number]
    least = 46.0
    spare = _BAR_WIDTH - least * len(shown)
    x = left
    for number, mark in shown:
        wide = least + spare * number / max(most, 1)
        put_part(sketch, theme, x, middle - 24, x + wide - 6, middle + 24, mark)
        ink = {"win": CREAM, "draw": LINE, "loss": theme.ink}[mark]
        sketch.centred((2 * x + wide - 6) / 2, middle, str(number), 30, ink)
        x += wide


def put_part(sketch: Sketch, theme: Theme, left: float, top: float, right: float, bottom: float, mark: str) -> None:
    """Fill a box as a win (full), a draw (half) or a loss (hollow)."""
    if mark == "win":
        sketch.box(left, top, right, bottom, DEEP, 10)
    elif mark == "draw":
        sketch.box(left, top, right, bottom, WATER, 10)
        sketch.box(left + 6, bottom - 10, right - 6, bottom - 5, DEEP, 2)
    else:
        sketch.framed(left, top, right, bottom, theme.second, theme.paper, 4, 10, 7)


def _result(sketch: Sketch, theme: Theme, x: float, y: float, mark: str) -> None:
    """Draw a game's result: a full disc (win), a ring with a dot (draw), or a cross (loss)."""
    if mark == "win":
        sketch.disc(x, y, 13, theme.ink)
        sketch.disc(x, y, 9, SAFFRON)
    elif mark == "draw":
        sketch.disc(x, y, 13, theme.ink)
        sketch.disc(x, y, 9, theme.paper)
        sketch.disc(x, y, 4, theme.ink)
    else:
        sketch.disc(x, y, 13, theme.paper)
        sketch.cross(x, y, 8, CROSS, 6)


def _step(rough: float) -> float:
    """Return a round number of at least the rough one: 10, 20, 50, 100 ..."""
    size = 10.0
    while True:
        for factor in (1, 2, 5):
            if size * factor >= rough:
                return size * factor
        size *= 10


def finish_chart(picture: Image.Image, most_colours: int = 64) -> Chart:
    """Return a finished picture of few colours."""
    file = io.BytesIO()
    picture.quantize(most_colours, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return Chart(file.getvalue(), picture.size)


EMBLEM_HEIGHT: Final = 176
"""Height of a row of emblems in pixels."""
_SCALE: Final = 1.6
_RADIUS: Final = 52


def draw_emblems(title: str, emblems: Sequence[Emblem], theme: str = "light") -> Chart:
    """Return a picture of a person's titles; KeyError for an unknown theme or kind, ValueError without any."""
    if not emblems:
        raise ValueError("no emblems")
    sketch, colours = begin_chart(title, _HEADER_HEIGHT + EMBLEM_HEIGHT, theme)
    put_emblems(sketch, colours, emblems, _HEADER_HEIGHT)
    return finish_chart(sketch.reduced())


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
    """Draw a small piece on top of a large one that is turned over: a person much stronger was beaten."""
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


EMBLEM_KINDS: Final[Mapping[str, Callable[[Sketch, Theme, float, float], None]]] = {
    "league": _league,
    "ladder": _ladder,
    "month": _month,
    "streak": _streak,
    "improved": _improved,
    "upset": _upset,
    "capture": _capture,
}
"""How the emblem of each kind of title is drawn, in the order in which they are shown."""
