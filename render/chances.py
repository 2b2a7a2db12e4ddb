"""A chart of the winning chances of a game: one line per seat over the turns, with the decisive turns marked.

Seats are distinguished by the colours and emblems of their pieces and by the dashes of their lines. It has no words but
names and the title, so that one picture serves all languages.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from typing import Final

from engine.core import State
from render import pieces, text as lettering
from render.charts import Chart, finish_chart, put_name
from render.games import pictures
from render.sketch import Point, Sketch
from render.theme import LINE, RGB, SAFFRON, SEATS, THEMES, Set, Theme, contrast

SeatPieces = Sequence[Sequence[str]]
"""For each seat the kinds of its pieces: names of the theme's sets, or kinds of the game's own."""

_EMPTY_PLACE_WIDTH: Final = 4


def pieces_of(state: State) -> SeatPieces:
    """Return the kinds of pieces that each seat has in a position; none for a seat without pieces."""
    picture = pictures.get(state.game.key)
    if picture is None:
        return ((),) * state.seats
    return tuple((kinds,) if isinstance(kinds, str) else tuple(kinds) for kinds in picture.sets(state))


def draw_piece(sketch: Sketch, theme: Theme, game: str, kind: str, r: float, ground: RGB | None = None) -> None:
    """Draw a piece as it is on the board, its middle at (0, 0), on a ground (the theme's paper if None)."""
    draw_own = pictures[game].draw_own_piece if game in pictures else None
    if kind in theme.sets:
        pieces.draw_disc(sketch, r, theme.sets[kind], theme)
    elif draw_own is not None:
        draw_own(sketch, kind, r, theme.paper if ground is None else ground)
    else:
        raise KeyError(kind)


def draw_empty_place(sketch: Sketch, r: float, ink: RGB) -> None:
    """Draw the place of a seat's piece where the seat has none."""
    sketch.dashed_ring(r - _EMPTY_PLACE_WIDTH / 2, ink, _EMPTY_PLACE_WIDTH, 8, 8)


WIDTH: Final = 900
_MARGIN: Final = 36
_PLOT_TOP: Final = 226
_PLOT_HEIGHT: Final = 400
_TALL_PLOT_HEIGHT: Final = 520
"""For three and more, whose chances are mostly small: most of it is for what is below `_FOLD`."""
_FOLD: Final = 0.6
_FOLD_HEIGHT: Final = 90
"""The height of what is above `_FOLD` then."""
_LEFT, _RIGHT = 150.0, WIDTH - 54.0
_LEGEND_ROW_HEIGHT: Final = 62
_LEGEND_LINE: Final = 96
_LEGEND_PITCH: Final = 44
"""Minimum length in pixels of a line in the legend, and the distance of the pieces on it."""
_SHAPES_PER_LINE: Final = 6
"""Approximate number of symbols on a line."""
_SHAPE_ROOM: Final = 54.0
"""Symbols at this distance from each other and from other lines are well readable."""
_MIN_SHAPE_DISTANCE: Final = 38.0

_DASHES: Final = ((), (26.0, 14.0), (6.0, 14.0), (30.0, 12.0, 6.0, 12.0), (14.0, 9.0))
"""Lengths drawn and left out, by seat."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked turn: `seat` made the decisive choice, or the dice did.

    `at` is where on the axis of turns the choice was, None at the start of the turn.
    """

    turn: int
    seat: int
    dice: bool = False
    at: float | None = None


def draw_chances(
    title: str,
    names: Sequence[str],
    points: Sequence[Sequence[float]],
    marks: Sequence[Mark] = (),
    theme: str = "light",
    game: str = "",
    seat_pieces: Sequence[SeatPieces] = (),
    turns: Sequence[float] = (),
) -> Chart:
    """Return the chart: `points` are each seat's chances from 0 to 1, turn by turn.

    The first point is the start of turn 1, the last one the end; `turns` says where each of them is on the axis of
    turns, in order, from 1 on: at the start of a turn or on the way to the next. `seat_pieces` are, for each point, the
    pieces that the seats have there in this `game`: they give the lines colours and symbols, which may change on the
    way; the legend shows those of the end. Without them every seat has a colour. KeyError for an unknown theme or kind
    of piece; ValueError for fewer than two points, and if there are not as many positions with pieces as points.
    """
    if len(points) < 2:
        raise ValueError("chances of fewer than two points")
    if seat_pieces and len(seat_pieces) != len(points):
        raise ValueError("each point has its pieces")
    places = list(turns) or [float(turn) for turn in range(1, len(points) + 1)]
    colours = THEMES[theme]
    seats = len(points[0])
    axis = _Axis(places[-1], seats)
    shown = seat_pieces or [[(name,) for name in SEATS[:seats]]] * len(points)
    tracks = [_Track(colours, game, seat, [tuple(each[seat]) for each in shown]) for seat in range(seats)]
    rows = math.ceil(seats / 2)
    height = round(axis.bottom) + 66 + rows * _LEGEND_ROW_HEIGHT + 20
    sketch = Sketch(WIDTH, height, paper=colours.paper)
    words, size = lettering.fit_text(lettering.clean(title), WIDTH - 2 * _MARGIN, 52, 34)
    sketch.text(_MARGIN, 68, words, size, colours.ink)
    _grid(sketch, colours, axis)
    _put_marks(sketch, colours, [mark for mark in marks if mark.turn <= axis.end], axis)
    lines = [[axis.at(turn, point[seat]) for turn, point in zip(places, points, strict=True)] for seat in range(seats)]
    for track, line in zip(tracks, lines, strict=True):
        _dashed(sketch, line, colours.paper, 18, ())
        track.put_line(sketch, line)
    for track, numbers in zip(tracks, _find_shape_places(lines), strict=True):
        for count, number in enumerate(numbers):
            kinds = track.kinds[number]
            track.put_piece(sketch.at(*lines[track.seat][number]), kinds[count % len(kinds)] if kinds else None)
    for mark in marks:
        if not mark.dice and mark.turn <= axis.end:
            # Of two points at one turn, before its dice and after them, the choice is at the second.
            x, y = lines[mark.seat][bisect_right(places, mark.turn if mark.at is None else mark.at) - 1]
            sketch.disc(x, y, 17, colours.ink)
            sketch.disc(x, y, 12, SAFFRON)
    shown_names = lettering.clean_names((*names, *[""] * seats)[:seats])
    for track in tracks:
        _legend(sketch, track, shown_names, axis.bottom)
    return finish_chart(sketch.reduced())


@dataclass(frozen=True, slots=True)
class _Axis:
    """The axes: turns from 1 to the end, and the chances of so many seats."""

    end: float
    seats: int

    @property
    def levels(self) -> Sequence[float]:
        """The chances that have a line."""
        return (0.0, 0.5, 1.0) if self.seats < 3 else (0.0, 0.2, 0.4, _FOLD, 1.0)

    @property
    def bottom(self) -> float:
        """Where the chance 0 is, in pixels."""
        return height_of_chance(0, self.seats)

    def at(self, turn: float, value: float) -> Point:
        """Return the point of a value at a turn, in pixels."""
        return _LEFT + (_RIGHT - _LEFT) * (turn - 1) / (self.end - 1), height_of_chance(value, self.seats)


def height_of_chance(value: float, seats: int) -> float:
    """Return where a chart of so many seats shows a chance, in pixels from its top."""
    if seats < 3:
        return _PLOT_TOP + _PLOT_HEIGHT * (1 - value)
    if value > _FOLD:
        return _PLOT_TOP + _FOLD_HEIGHT * (1 - value) / (1 - _FOLD)
    return _PLOT_TOP + _FOLD_HEIGHT + (_TALL_PLOT_HEIGHT - _FOLD_HEIGHT) * (1 - value / _FOLD)


def _find_shape_places(lines: Sequence[Sequence[Point]]) -> list[list[int]]:
    """Return the points of each line that have a symbol: spread over it, apart from other symbols and lines."""
    seats, length = len(lines), len(lines[0])
    every = max(1, round(length / _SHAPES_PER_LINE))
    placed: list[Point] = []
    found: list[list[int]] = [[] for _ in lines]
    for start in range(0, length, every):
        for seat, line in enumerate(lines):
            wanted = start + (seat + 1) * every // (seats + 1)

            def room(number: int, line: Sequence[Point] = line) -> float:
                x, y = line[number]
                others = [math.dist((x, y), each) for each in placed]
                others += [abs(y - other[number][1]) for other in lines if other is not line]
                return min(_SHAPE_ROOM, *others)

            window = range(max(start, 1 if length > every else 0), min(start + every, length))
            if not window:
                continue
            best = max(window, key=lambda number: (room(number), -abs(number - wanted)))
            if found[seat] and any(math.dist(line[best], each) < _MIN_SHAPE_DISTANCE for each in placed):
                continue
            placed.append(line[best])
            found[seat].append(best)
    return found


def _grid(sketch: Sketch, theme: Theme, axis: _Axis) -> None:
    """Draw the levels in per cent and the numbers of the turns; where the levels are closer the ground is darker."""
    if axis.seats > 2:
        sketch.box(_LEFT, _PLOT_TOP, _RIGHT, height_of_chance(_FOLD, axis.seats), theme.band, 0)
    for value in axis.levels:
        y = axis.at(1, value)[1]
        sketch.line([(_LEFT, y), (_RIGHT, y)], theme.rule, 3)
        sketch.text(_LEFT - 18, y + 12, f"{value:.0%}", 34, theme.second, "bold", "right")
    turns = round(axis.end) - 1
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500) if turns / size <= 6)
    for turn in (1, *range(step, turns + 1, step)):
        if turn == 1 or turn > step * 0.6 + 1:
            sketch.text(axis.at(turn, 0)[0], axis.bottom + 48, str(turn), 34, theme.second, "bold", "centre")


def _put_marks(sketch: Sketch, theme: Theme, marks: Sequence[Mark], axis: _Axis) -> None:
    """Draw the numbers of turns above the plot, with a line down: in boxes for choices, beside a die for dice."""
    for dice, y in ((True, _PLOT_TOP - 100.0), (False, _PLOT_TOP - 44.0)):
        shown = sorted({mark.turn for mark in marks if mark.dice == dice})
        wide = [lettering.text_width(str(turn), 34) + (74 if dice else 32) for turn in shown]
        at = [axis.at(turn, 0)[0] for turn in shown]
        for turn, x, left, width in zip(shown, at, _spread(at, wide), wide, strict=True):
            foot = (left + width / 2, y + 26)
            _dashed(sketch, [foot, (x, _PLOT_TOP - 4), (x, axis.bottom)], theme.ink, 4, (5.0, 10.0))
            sign = sketch.at(left, y)
            if dice:
                sign.box(0, -26, width, 26, theme.ink, 12)
                sign.box(8, -18, 44, 18, theme.on_ink, 7)
                for off in (-9, 0, 9):
                    sign.disc(26 + off, off, 4.5, theme.ink)
                sign.centred(width / 2 + 20, 0, str(turn), 34, theme.on_ink)
            else:
                sign.box(0, -26, width, 26, theme.ink, 14)
                sign.box(4, -22, width - 4, 22, SAFFRON, 11)
                sign.centred(width / 2, 0, str(turn), 34, LINE)


def _spread(middles: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Return the left edges of boxes placed as near to their centres as possible without touching."""
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
    pattern = cycle(zip(dashes, cycle((True, False)), strict=False))
    (left, is_drawn), part = next(pattern), [line[0]]
    for (ax, ay), (bx, by) in pairwise(line):
        length, gone = math.hypot(bx - ax, by - ay), 0.0
        while length - gone > left:
            gone += left
            point = ax + (bx - ax) * gone / length, ay + (by - ay) * gone / length
            if is_drawn:
                sketch.line([*part, point], ink, width)
            (left, is_drawn), part = next(pattern), [point]
        left -= length - gone
        part.append((bx, by))
    if is_drawn and len(part) > 1:
        sketch.line(part, ink, width)


def edge_colour(inks: Set, theme: Theme) -> RGB | None:
    """Return the contrasting edge colour that a line needs on the paper, None if it needs none."""
    if contrast(inks.face, theme.paper) >= 3:
        return None
    best = max((inks.contour, inks.tint), key=lambda ink: contrast(ink, theme.paper))
    return best if contrast(best, theme.paper) >= 3 else theme.second


@dataclass(frozen=True)
class _Track:
    """How a seat's line is drawn: `kinds` are the kinds of the seat's pieces at each point."""

    theme: Theme
    game: str
    seat: int
    kinds: Sequence[Sequence[str]]

    def put_line(self, sketch: Sketch, line: Sequence[Point]) -> None:
        """Draw the line; each part has the colour of the seat's first piece there."""
        first = [kinds[0] if kinds else None for kinds in self.kinds]
        start = 0
        for end in range(1, len(line)):
            if end == len(line) - 1 or first[end] != first[start]:
                self.put_part(sketch, line[start : end + 1], first[start])
                start = end

    def put_part(self, sketch: Sketch, line: Sequence[Point], kind: str | None) -> None:
        """Draw a line in the colour of a piece, with an edge if it would be invisible on the paper."""
        inks = self.theme.sets.get(kind or "")
        around = inks and edge_colour(inks, self.theme)
        if around:
            _dashed(sketch, line, around, 13, _DASHES[self.seat])
        ink = inks.face if inks else self.theme.ink if kind else self.theme.second
        _dashed(sketch, line, ink, 6 if around else 8, _DASHES[self.seat])

    def put_piece(self, sketch: Sketch, kind: str | None) -> None:
        """Draw a piece at (0, 0) as on the board, set off from the background; its empty place for None."""
        theme = self.theme
        inks = theme.sets.get(kind or "")
        around = inks and edge_colour(inks, theme)
        sketch.plate(0, 0, 23, 25, theme.paper, 23)
        if around:
            sketch.plate(0, 0, 20, 22, around, 20)
        if kind is None:
            draw_empty_place(sketch, 18, theme.second)
        else:
            draw_piece(sketch, theme, self.game, kind, 18 if inks else 24)


def _legend(sketch: Sketch, track: _Track, names: lettering.Names, bottom: float) -> None:
    """Draw the end of a seat's line with all its pieces there and the name beside it, two seats a row."""
    kinds: Sequence[str | None] = track.kinds[-1] or (None,)
    down, across = divmod(track.seat, 2)
    place = sketch.at(_MARGIN + 14 + across * (WIDTH / 2 - 10), bottom + 100 + down * _LEGEND_ROW_HEIGHT)
    long = max(_LEGEND_LINE, _LEGEND_PITCH * (len(kinds) + 1))
    track.put_part(place, [(0, 0), (long, 0)], kinds[0])
    for number, kind in enumerate(kinds):
        track.put_piece(place.at(long / 2 + _LEGEND_PITCH * (number - (len(kinds) - 1) / 2), 0), kind)
    put_name(place, long + 20, names[track.seat], names, WIDTH / 2 - 66 - long, (40, 28), track.theme.ink)
