"""How the chances of a game went: one line a seat over the turns, with the turns that decided.

Seats are told apart by colour, by the dashes of their lines and by the shapes on them. No words but names and the
title, so that one picture serves all languages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from render import text as lettering
from render.charts import Chart, finished
from render.sketch import Point, Sketch
from render.theme import LINE, RGB, SAFFRON, THEMES, Theme, rgb

WIDTH: Final = 900
_MARGIN: Final = 36
_TOP: Final = 226
_PLOT: Final = 400
_LEFT, _RIGHT = 150.0, WIDTH - 54.0
_LEGEND_ROW: Final = 62
_SHAPES: Final = 6
"""About so many shapes stand on a line."""

INKS: Final[Mapping[str, tuple[RGB, ...]]] = MappingProxyType(
    {
        "light": tuple(map(rgb, ("2B4A8F", "C23A28", "1F7A4D", "8A5A00", "6F3A8C"))),
        "dark": tuple(map(rgb, ("8FB4FF", "FF8F7D", "7FD6A2", "F2C14E", "D3A4F0"))),
        "contrast": tuple(map(rgb, ("00329B", "B00000", "005C2E", "6B4400", "5A1A80"))),
    }
)
"""The colours of the seats' lines."""
_DASHES: Final = ((), (26.0, 14.0), (6.0, 14.0), (30.0, 12.0, 6.0, 12.0), (14.0, 9.0))
"""Drawn and left out, by seat."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A turn that is marked: `seat` decided there, or the dice did."""

    turn: int
    seat: int
    dice: bool = False


def draw_chances(
    title: str,
    names: Sequence[str],
    points: Sequence[Sequence[float]],
    marks: Sequence[Mark] = (),
    theme: str = "light",
) -> Chart:
    """Return how the chances went: `points` are, turn by turn, those of each seat, from 0 to 1.

    The first point is that of the beginning of turn 1, the last one the end. KeyError for a theme that does not
    exist; ValueError for fewer than two points.
    """
    if len(points) < 2:
        raise ValueError("chances of fewer than two points")
    colours, inks = THEMES[theme], INKS[theme]
    seats = len(points[0])
    rows = math.ceil(seats / 2)
    height = _TOP + _PLOT + 66 + rows * _LEGEND_ROW + 20
    sketch = Sketch(WIDTH, height, paper=colours.paper)
    words, size = lettering.fit(lettering.clean(title), WIDTH - 2 * _MARGIN, 52, 34)
    sketch.text(_MARGIN, 68, words, size, colours.ink)
    _grid(sketch, colours, len(points))
    _put_marks(sketch, colours, [mark for mark in marks if mark.turn <= len(points)], len(points))
    lines = [[_at(number, point[seat], len(points)) for number, point in enumerate(points)] for seat in range(seats)]
    for seat, line in enumerate(lines):
        _dashed(sketch, line, colours.paper, 13, ())
        _dashed(sketch, line, inks[seat], 8, _DASHES[seat])
    every = max(1, round(len(points) / _SHAPES))
    for seat, line in enumerate(lines):
        for number in range((seat + 1) * every // (seats + 1), len(line), every):
            _shape(sketch, *line[number], seat, inks[seat], colours)
    for mark in marks:
        if not mark.dice and mark.turn <= len(points):
            x, y = lines[mark.seat][mark.turn - 1]
            sketch.disc(x, y, 17, colours.ink)
            sketch.disc(x, y, 12, SAFFRON)
    for seat in range(seats):
        _legend(sketch, colours, seat, names[seat] if seat < len(names) else "", inks[seat])
    return finished(sketch)


def _at(number: int, value: float, count: int) -> Point:
    return _LEFT + (_RIGHT - _LEFT) * number / (count - 1), _TOP + _PLOT * (1 - value)


def _grid(sketch: Sketch, theme: Theme, count: int) -> None:
    """Draw the levels in per cent and the numbers of the turns."""
    for value in (0.0, 0.5, 1.0):
        y = _at(0, value, count)[1]
        sketch.line([(_LEFT, y), (_RIGHT, y)], theme.rule, 3)
        sketch.text(_LEFT - 18, y + 12, f"{value:.0%}", 34, theme.second, "bold", "right")
    turns = count - 1
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500) if turns / size <= 6)
    for turn in (1, *range(step, turns + 1, step)):
        if turn == 1 or turn > step * 0.6 + 1:
            sketch.text(_at(turn - 1, 0, count)[0], _TOP + _PLOT + 48, str(turn), 34, theme.second, "bold", "centre")


def _put_marks(sketch: Sketch, theme: Theme, marks: Sequence[Mark], count: int) -> None:
    """Draw the numbers of turns above the plot, with a line down: in boxes for choices, beside a die for dice."""
    for dice, y in ((True, _TOP - 100.0), (False, _TOP - 44.0)):
        shown = sorted({mark.turn for mark in marks if mark.dice == dice})
        wide = [lettering.width(str(turn), 34) + (74 if dice else 32) for turn in shown]
        at = [_at(turn - 1, 0, count)[0] for turn in shown]
        for turn, x, left, width in zip(shown, at, _spread(at, wide), wide, strict=True):
            foot = (left + width / 2, y + 26)
            _dashed(sketch, [foot, (x, _TOP - 4), (x, _TOP + _PLOT)], theme.ink, 4, (5.0, 10.0))
            if dice:
                sketch.box(left, y - 26, left + width, y + 26, theme.ink, 12)
                sketch.box(left + 8, y - 18, left + 44, y + 18, theme.on_ink, 7)
                for off in (-9, 0, 9):
                    sketch.disc(left + 26 + off, y + off, 4.5, theme.ink)
                sketch.centred(left + 50 + (width - 60) / 2, y, str(turn), 34, theme.on_ink)
            else:
                sketch.box(left, y - 26, left + width, y + 26, theme.ink, 14)
                sketch.box(left + 4, y - 22, left + width - 4, y + 22, SAFFRON, 11)
                sketch.centred(left + width / 2, y, str(turn), 34, LINE)


def _spread(middles: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Return where boxes begin that stand as near to their middles as they can without touching each other."""
    lefts: list[float] = []
    for middle, width in zip(middles, widths, strict=True):
        before = lefts[-1] + widths[len(lefts) - 1] + 6 if lefts else _LEFT - 60
        lefts.append(max(middle - width / 2, before))
    end = _RIGHT + 40
    for number in reversed(range(len(lefts))):
        lefts[number] = min(lefts[number], end - widths[number])
        end = lefts[number] - 6
    return lefts


def _dashed(sketch: Sketch, line: Sequence[Point], ink: RGB, width: float, dashes: Sequence[float]) -> None:
    """Draw a line through points in dashes, unbroken without any."""
    if not dashes:
        sketch.line(line, ink, width)
        return
    which, left, part = 0, dashes[0], [line[0]]
    for (ax, ay), (bx, by) in pairwise(line):
        length, gone = math.hypot(bx - ax, by - ay), 0.0
        while length - gone > left:
            gone += left
            point = ax + (bx - ax) * gone / length, ay + (by - ay) * gone / length
            if which % 2 == 0:
                sketch.line([*part, point], ink, width)
            which = (which + 1) % len(dashes)
            left, part = dashes[which], [point]
        left -= length - gone
        part.append((bx, by))
    if which % 2 == 0 and len(part) > 1:
        sketch.line(part, ink, width)


def _shape(sketch: Sketch, x: float, y: float, seat: int, ink: RGB, theme: Theme) -> None:
    """Draw a seat's shape: a disc, a square, a triangle, a diamond, a ring; set off from what is beneath."""
    for grown, paint in ((4.0, theme.paper), (0.0, ink)):
        r = 14 + grown
        if seat == 0:
            sketch.disc(x, y, r, paint)
        elif seat == 1:
            sketch.box(x - r * 0.88, y - r * 0.88, x + r * 0.88, y + r * 0.88, paint)
        elif seat == 2:
            sketch.polygon([(x, y - r * 1.2), (x + r * 1.1, y + r * 0.8), (x - r * 1.1, y + r * 0.8)], paint)
        elif seat == 3:
            sketch.polygon([(x, y - r * 1.2), (x + r * 1.2, y), (x, y + r * 1.2), (x - r * 1.2, y)], paint)
        else:
            sketch.disc(x, y, r, paint)
            if not grown:
                sketch.disc(x, y, r - 6, theme.paper)


def _legend(sketch: Sketch, theme: Theme, seat: int, name: str, ink: RGB) -> None:
    """Draw a piece of a seat's line with its shape and the name beside it, two seats a row."""
    left = _MARGIN + 14 + (seat % 2) * (WIDTH / 2 - 10)
    y = _TOP + _PLOT + 66 + (seat // 2) * _LEGEND_ROW + 34
    _dashed(sketch, [(left, y), (left + 84, y)], ink, 8, _DASHES[seat])
    _shape(sketch, left + 42, y, seat, ink, theme)
    words, size = lettering.fit(lettering.clean(name), WIDTH / 2 - 150, 40, 28)
    sketch.text(left + 104, y + size * 0.34, words, size, theme.ink)
