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
from render.sketch import Sketch, mirror
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
    rows = put_rows(sketch, colours, len(lines), _HEADER_HEIGHT, _ROW_HEIGHT, _MARGIN / 2, 14)
    for line, name, row in zip(lines, names, rows, strict=True):
        _put_line(row, colours, line, name, names, right, most)
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

    upper, lower = (
        [within(number, point.points + side * point.spread) for number, point in enumerate(points)] for side in (1, -1)
    )
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
            _put_result(sketch.at(*place), colours, point.mark)
    x, y = line[-1]
    words = f"{points[-1].points:.0f}"
    wide = lettering.text_width(words, 40)
    tip = min(x, right - wide / 2 + 20)
    sketch.plate(tip, y - 57, wide / 2 + 18, 27, colours.ink, 14)
    sketch.centred(tip, y - 57, words, 40, colours.on_ink)
    sketch.text(left, 542, "1", 32, colours.second, "bold", "centre")
    sketch.text(right, 542, str(len(points)), 32, colours.second, "bold", "centre")
    if emblems:
        put_emblems(sketch, colours, emblems, _COURSE_HEIGHT)
    return finish_chart(sketch.reduced())


def begin_chart(title: str, height: float, theme: str, kept_free: float = 0) -> tuple[Sketch, Theme]:
    """Return a picture with a cup and its title, and its colours; so much is kept free at the right of the title."""
    colours = THEMES[theme]
    sketch = Sketch(WIDTH, round(height), paper=colours.paper)
    words, size = lettering.fit_text(lettering.clean(title), WIDTH - 2 * _MARGIN - 70 - kept_free, 52, 34)
    put_cup(sketch.at(_MARGIN + 24, 50), colours)
    sketch.text(_MARGIN + 70, 68, words, size, colours.ink)
    return sketch, colours


def put_rows(
    sketch: Sketch, theme: Theme, count: int, top: float, height: float, margin: float, radius: float
) -> Iterator[Sketch]:
    """Yield a number of rows, every other one on a band; the (0, 0) of each is the left end of its middle."""
    for number in range(count):
        at = top + number * height
        if number % 2 == 0:
            sketch.box(margin, at, WIDTH - margin, at + height, theme.band, radius)
        yield sketch.at(0, at + height / 2)


def put_place(
    row: Sketch,
    theme: Theme,
    left: float,
    size: tuple[float, float],
    place: str,
    letters: float,
    ink: RGB | None = None,
    radius: float = 12,
) -> None:
    """Write a place on a badge of a size, which is saffron for the first."""
    first, (wide, high) = place == "1", size
    row.box(left, -high / 2, left + wide, high / 2, SAFFRON if first else ink or theme.ink, radius)
    row.centred(left + wide / 2, 0, place, letters, LINE if first else theme.on_ink)


def put_name(
    row: Sketch,
    x: float,
    name: str,
    names: lettering.Names,
    room: float,
    sizes: tuple[float, float],
    ink: RGB,
    prefix: str = "",
) -> None:
    """Write one of the names of a picture between two sizes, as large as there is room for."""
    shown, size = lettering.fit_name(name, room, *sizes, names) if name else ("", sizes[0])
    row.text(x, size * 0.34, prefix + shown, size, ink)


def put_cup(sketch: Sketch, theme: Theme) -> None:
    """Draw a cup with two handles on its foot, 60 pixels high."""
    for side in (-1, 1):
        sketch.ring(side * 20, -14, 11, SAFFRON_WALL, 6)
    bowl = mirror([(20, -30), (19, -12), (13, 2), (5, 9)])
    sketch.polygon(bowl, SAFFRON_WALL, 3)
    sketch.polygon([(x * 0.9 - 1, y * 0.95 - 1) for x, y in bowl], SAFFRON, 3)
    sketch.box(-22, -31, 22, -25, SAFFRON_WALL, 3)
    sketch.box(-13, -20, -8, -8, PALE, 2.5)
    sketch.polygon(mirror([(4, 6), (7, 20)]), SAFFRON_WALL)
    sketch.box(-17, 18, 17, 29, theme.ink, 4)


def _put_line(
    row: Sketch, theme: Theme, line: LeaderboardRow, name: str, names: lettering.Names, right: float, most: int
) -> None:
    """Draw a line; the bar ends before `right`, where the points begin."""
    place = str(line.place)
    wide = max(54.0, lettering.text_width(place, 34) + 28)
    put_place(row, theme, _MARGIN, (wide, 54), place, 34, radius=16)
    bar_left = right - _BAR_WIDTH - 14
    put_name(row, _MARGIN + wide + 22, name, names, bar_left - _MARGIN - wide - 40, (40, 28), theme.ink)
    _put_bar(row.at(bar_left, 0), theme, line, most)
    if line.points is not None:
        row.text(WIDTH - _MARGIN, 14, str(line.points), 40, theme.ink, "bold", "right")


def _put_bar(row: Sketch, theme: Theme, line: LeaderboardRow, most: int) -> None:
    """Draw wins (full), draws (half) and losses (hollow) as parts of a bar, each with its number."""
    parts = ((line.wins, "win", CREAM), (line.draws, "draw", LINE), (line.losses, "loss", theme.ink))
    shown = [part for part in parts if part[0]]
    least = 46.0
    spare = _BAR_WIDTH - least * len(shown)
    x = 0.0
    for number, mark, ink in shown:
        wide = least + spare * number / max(most, 1)
        part = row.at(x + wide / 2 - 3, 0)
        draw_result_box(part, theme, wide / 2 - 3, 24, mark)
        part.centred(0, 0, str(number), 30, ink)
        x += wide


def draw_result_box(sketch: Sketch, theme: Theme, wide: float, high: float, mark: str) -> None:
    """Fill a box that reaches so far to all sides as a win (full), a draw (half) or a loss (hollow)."""
    if mark == "win":
        sketch.plate(0, 0, wide, high, DEEP, 10)
    elif mark == "draw":
        sketch.plate(0, 0, wide, high, WATER, 10)
        sketch.box(6 - wide, high - 10, wide - 6, high - 5, DEEP, 2)
    else:
        sketch.plate(0, 0, wide, high, theme.second, 10)
        sketch.plate(0, 0, wide - 4, high - 4, theme.paper, 7)


def _put_result(sketch: Sketch, theme: Theme, mark: str) -> None:
    """Draw a game's result: a full disc (win), a ring with a dot (draw), or a cross (loss)."""
    if mark == "loss":
        sketch.disc(0, 0, 13, theme.paper)
        sketch.cross(0, 0, 8, CROSS, 6)
        return
    sketch.disc(0, 0, 13, theme.ink)
    sketch.disc(0, 0, 9, SAFFRON if mark == "win" else theme.paper)
    if mark == "draw":
        sketch.disc(0, 0, 4, theme.ink)


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
    picture.quantize(most_colours, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, "PNG")
    return Chart(file.getvalue(), picture.size)


EMBLEM_HEIGHT: Final = 176
"""Height of a row of emblems in pixels."""


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
        place = sketch.at(_MARGIN + step * (number + 0.5), top + 62)
        EMBLEM_KINDS[each.kind](place, theme)
        place.text(0, 90, f"× {each.count}", 34, theme.ink, "bold", "centre")


def _draw_league(sketch: Sketch, theme: Theme) -> None:
    """Draw a cup: a season of a league."""
    put_cup(sketch.at(0, 0, 1.6), theme)


def _draw_ladder(sketch: Sketch, theme: Theme) -> None:
    """Draw a ladder with a disc on its top: the first place of a ladder."""
    for side in (-1, 1):
        sketch.line([(side * 22, 50), (side * 16, -30)], theme.ink, 8)
    for rung in range(4):
        reach, y = 21 - rung * 1.4, 38 - rung * 19
        sketch.line([(-reach, y), (reach, y)], theme.ink, 7)
    sketch.disc(0, -36, 17, SAFFRON_WALL)
    sketch.disc(0, -38, 14, SAFFRON)


def _draw_month(sketch: Sketch, theme: Theme) -> None:
    """Draw a leaf of a calendar with a star: the champion of a month."""
    sketch.box(-46, -42, 46, 52, theme.ink, 12)
    sketch.box(-39, -18, 39, 45, PALE, 6)
    for side in (-1, 1):
        sketch.plate(side * 22, -42, 5, 12, SAFFRON_WALL, 5)
    for y, radius, ink in ((14, 30, SAFFRON_WALL), (13, 23, SAFFRON)):
        sketch.at(0, y, radius).polygon(_STAR, ink, 1 / radius)


_STAR: Final = mirror([(0, -1), (0.24, -0.32), (0.95, -0.31), (0.38, 0.12), (0.59, 0.81), (0, 0.4)])
"""The corners of a star with five points."""


def _draw_streak(sketch: Sketch, _theme: Theme) -> None:
    """Draw three discs in a row, joined: wins one after the other."""
    points = [(-38, 30), (0, 0), (38, -30)]
    sketch.line(points, SAFFRON_WALL, 14)
    for place in points:
        disc = sketch.at(*place)
        disc.disc(0, 3, 25, SAFFRON_WALL)
        disc.disc(0, 0, 25, SAFFRON_WALL)
        disc.disc(0, 0, 20, SAFFRON)
        disc.line([(-9, 1), (-2, 8), (10, -7)], LINE, 5)


def _draw_improved(sketch: Sketch, theme: Theme) -> None:
    """Draw columns that rise under an arrow: the most improved."""
    for left, high, ink in ((-46, 20, theme.ink), (-14, 38, theme.ink), (18, 56, SAFFRON_WALL)):
        sketch.box(left, 52 - high, left + 25, 52, ink, 4)
    sketch.box(21, 0, 40, 49, SAFFRON, 3)
    sketch.line([(-42, 12), (-6, -12), (30, -40)], SAFFRON_WALL, 9)
    sketch.line([(6, -42), (32, -42), (32, -18)], SAFFRON_WALL, 9)


def _draw_upset(sketch: Sketch, theme: Theme) -> None:
    """Draw a small piece on top of a large one that is turned over: a person much stronger was beaten."""
    sketch.box(-48, 8, 48, 52, theme.ink, 16)
    sketch.box(-40, 15, 40, 45, DEEP, 12)
    sketch.cross(0, 30, 10, PALE, 6)
    sketch.box(-24, -30, 24, 6, SAFFRON_WALL, 12)
    sketch.box(-19, -26, 19, -2, SAFFRON, 9)
    sketch.line([(-14, -44), (0, -54), (14, -44)], SAFFRON_WALL, 7)


def _draw_capture(sketch: Sketch, theme: Theme) -> None:
    """Draw one disc within a ring of hollow ones on a medal: many pieces taken at once."""
    sketch.disc(0, 4, 52, SAFFRON_WALL)
    sketch.disc(0, 0, 52, SAFFRON_WALL)
    sketch.disc(0, 0, 47, SAFFRON)
    sketch.disc(0, 0, 17, theme.ink)
    for x, y in ((-31, 0), (31, 0), (-16, -27), (16, -27), (-16, 27), (16, 27)):
        sketch.disc(x, y, 11, LINE)
        sketch.disc(x, y, 6, PALE)


EMBLEM_KINDS: Final[Mapping[str, Callable[[Sketch, Theme], None]]] = {
    "league": _draw_league,
    "ladder": _draw_ladder,
    "month": _draw_month,
    "streak": _draw_streak,
    "improved": _draw_improved,
    "upset": _draw_upset,
    "capture": _draw_capture,
}
"""How the emblem of each kind of title is drawn around (0, 0), in the order in which they are shown."""
