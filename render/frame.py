"""The frame around every board: the header above, the players' footer below or the band at the right."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from render import pieces, text as lettering
from render.canvas import Box, Canvas, Tile, figure
from render.scene import DrawEmblem, Scene
from render.sketch import Sketch
from render.theme import LINE, RGB, SAFFRON, Theme, contrast

WIDTH = 900
HEADER_HEIGHT = 92
FOOTER_HEIGHT = 118
BAND_WIDTH = 200
WIDE_BAND_WIDTH = 320
"""From this width on a band is that of a wide picture, in which everything is larger."""
STRIP_HEIGHT = 146
_MARGIN = 36
_NOTATION_SIZES = (34, 27)
_TITLE_SIZES = (52, 36)
_TITLE_ROOM = 380
"""Maximum width of a title: a longer one is smaller, since the last turn stands beside it."""
_MIN_LAUREL_RADIUS = 26
"""From this radius on an emblem has room for a laurel around it."""


def draw_title(sketch: Sketch, theme: Theme, title: str, draw_emblem: DrawEmblem) -> None:
    """Draw the game's emblem (`GamePicture.draw_emblem`) and its name on a background."""
    draw_emblem(sketch.at(58, 48), theme, theme.paper)
    words, size = lettering.fit_text(title, _TITLE_ROOM, *_TITLE_SIZES)
    sketch.text(98, 60 - (_TITLE_SIZES[0] - size) * lettering.CAPITAL_HEIGHT / 4, words, size, theme.ink)


def format_notation(actions: Sequence[str], joint: str = " ") -> str:
    """Return a turn as the header shows it: a real multiplication sign, a real dash."""
    return joint.join(actions).replace("-", "–").replace("x", "×")


def put_header(canvas: Canvas, scene: Scene, title: str, last: str) -> None:
    """Put the number of the last turn and its notation (without drops: they show as a flag)."""
    theme, last = scene.theme, scene.translate_notation(last)
    pill = _pill(str(scene.number), theme, 34)
    canvas.put(pill, WIDTH - _MARGIN, 48)
    right = WIDTH - _MARGIN - pill.width - 20
    if scene.drawn:
        canvas.put(_draw_sign(theme), right, 48)
        right -= _draw_sign(theme).width + 14
    if any(action.is_drop for action in scene.actions):
        canvas.put(pieces.make_flag(theme.second), right - 26, 60)
        right -= 40
    if last:
        title_end = 98 + lettering.text_width(*lettering.fit_text(title, _TITLE_ROOM, *_TITLE_SIZES))
        words, size = lettering.fit_text(last, right - title_end - 24, *_NOTATION_SIZES, "semibold")
        canvas.put(pieces.make_label(words, size, theme.second, "semibold", "right"), right, 56)


@figure(256)
def _pill(sketch: Sketch, number: str, theme: Theme, size: int) -> None:
    half = round(size * 0.8)
    wide = max(2 * half + 10, round(lettering.text_width(number, size)) + round(size * 1.06))
    sketch.box(-wide, -half, 0, half, theme.ink, half)
    sketch.centred(-wide / 2, 0, number, size, theme.on_ink)


@figure()
def _draw_sign(sketch: Sketch, theme: Theme) -> None:
    """Return the sign of a draw: two equal bars beside the turn's number, since no one's column is a winner's."""
    half = 27
    if theme.outline:
        sketch.disc(-half, 0, half, theme.ink)
    sketch.disc(-half, 0, half - theme.outline, SAFFRON)
    for middle in (-6.8, 6.8):
        sketch.plate(-half, middle, 12.24, 3.06, LINE, 1.36)


@dataclass(frozen=True)
class Column:
    """A seat's place in the footer or the band, with the inks to use on it.

    `paper` is its ground, `ink` for text and signs, `faint` for what is gone; `active` if it is the seat's turn,
    `won` if it has the first place, `large` if everything in it is half as large again (in wide pictures).
    """

    seat: int
    left: int
    top: int
    right: int
    bottom: int
    paper: RGB
    ink: RGB
    faint: RGB
    active: bool
    won: bool
    large: bool = False

    @property
    def width(self) -> int:
        """How wide it is, in pixels."""
        return self.right - self.left

    @property
    def small(self) -> bool:
        """Whether it is so narrow that everything in it is smaller (names 31 instead of 40)."""
        return self.width < 200


def put_footer(canvas: Canvas, scene: Scene) -> list[Column]:
    """Put one column for each seat at the foot of the picture and return them.

    The column of the seat to move is inverted and points at the board; winners' columns are saffron.
    """
    width, height = canvas.size
    top, seats = height - FOOTER_HEIGHT, scene.state.seats
    edges = [width * seat // seats for seat in range(seats + 1)]
    columns = _put_columns(canvas, scene, [(left, top, right, height) for left, right in pairwise(edges)])
    for column, follower in pairwise(columns):
        if column.paper == follower.paper:
            canvas.put(_rule(scene.theme.rule), column.right, top + FOOTER_HEIGHT / 2)
    return columns


def put_band(canvas: Canvas, scene: Scene, top: int, tops: Sequence[int], wide: int = BAND_WIDTH) -> list[Column]:
    """Put the band at the right instead of a footer: seat n's column reaches from tops[n] to tops[n + 1].

    `tops` has one entry more than there are seats. What lies between `top` and tops[0] is plain band, which is
    `wide` pixels wide.
    """
    width, _ = canvas.size
    left, large = width - wide, wide >= WIDE_BAND_WIDTH
    if tops[0] > top:
        canvas.lay(_field(wide, tops[0] - top, scene.theme.band), left, top)
    columns = _put_columns(canvas, scene, [(left, upper, width, lower) for upper, lower in pairwise(tops)], large, True)
    for column, follower in pairwise(columns):
        if column.paper == follower.paper:
            canvas.put(_line_between(scene.theme, wide), left + wide // 2, column.bottom)
    return columns


def _put_columns(
    canvas: Canvas, scene: Scene, boxes: Iterable[Box], large: bool = False, sideways: bool = False
) -> list[Column]:
    """Put the seats' places into their boxes, that of the seat to move pointing up, or `sideways`, at the board."""
    theme, columns = scene.theme, []
    for seat, box in enumerate(boxes):
        active, won = scene.state.to_move == seat, seat in scene.winners
        if won:
            inks = (SAFFRON, LINE, LINE)
        elif active:
            inks = (theme.ink, theme.on_ink, theme.second_on_ink)
        else:
            inks = (theme.band, theme.ink, theme.second)
        column = Column(seat, *box, *inks, active, won, large)
        left, top, right, bottom = box
        canvas.lay(_field(column.width, bottom - top, column.paper), left, top)
        if active and not scene.bare:
            tip = (left, (top + bottom) // 2) if sideways else ((left + right) // 2, top)
            canvas.put(_pointer(column.paper, sideways), *tip)
        columns.append(column)
    return columns


def put_strip(canvas: Canvas, scene: Scene, last: str, left: int, draw: Callable[[int, int], None]) -> None:
    """Put the header of a wide picture into the upper end of its band: the turn's number, below it what was played.

    `draw` puts what the game has to say there, given its left end and its middle.
    """
    theme, right = scene.theme, canvas.size[0] - _MARGIN
    last = scene.translate_notation(last)
    canvas.put(_pill(str(scene.number), theme, 50), right, 46)
    draw(left, 46)
    if scene.drawn:
        canvas.put(_draw_sign(theme), right, 114)
        right -= _draw_sign(theme).width + 14
    if any(action.is_drop for action in scene.actions):
        canvas.put(pieces.make_flag(theme.second, 38), right - 33, 136)
        right -= 47
    if last:
        words, size = lettering.fit_text(last, right - left, 50, 36, "semibold")
        canvas.put(pieces.make_label(words, size, theme.second, "semibold"), left, 128)


def put_name(canvas: Canvas, scene: Scene, column: Column, x: float, baseline: float, room: float) -> None:
    """Put a seat's name: 40 high, 31 in small columns, 60 in large ones, less and then shortened where it is long."""
    name = scene.names[column.seat]
    if name:
        size, least = (60, 44) if column.large else (31 if column.small else 40, lettering.MIN_SIZE)
        words, size_used = lettering.fit_name(name, room, size, least, scene.names)
        canvas.put(pieces.make_label(words, size_used, column.ink), x, baseline)
    if column.seat in scene.state.dropped:
        high = 44 if column.large else 26
        canvas.put(pieces.make_flag(column.ink, high), column.right - 8 - high, baseline)


def put_emblem(
    canvas: Canvas, scene: Scene, column: Column, inks: str, x: float, y: float, r: float, tile: Tile | None = None
) -> None:
    """Put a disc of one of the theme's sets, or a tile, as the seat's emblem: on a light disc when it is to move.

    A winner's has a laurel around it where there is room for one; one that would be lost on its ground gets a line.
    """
    if column.won:
        if r >= _MIN_LAUREL_RADIUS:
            canvas.put(pieces.make_laurel(r + 9, LINE), x, y + 1)
    elif column.active:
        canvas.put(pieces.make_patch(r + (8 if r >= 30 else 5), scene.theme.halo), x, y)
    else:
        each = scene.theme.sets[inks]
        if max(contrast(each.face, column.paper), contrast(each.contour, column.paper)) < 3:
            canvas.put(pieces.make_patch(r + 5, column.faint), x, y)
    canvas.put(tile or pieces.make_disc(scene.theme, inks, r), x, y)


@lru_cache
def _field(width: int, height: int, ink: RGB) -> Tile:
    return Tile(Sketch(width, height, paper=ink))


@figure()
def _rule(sketch: Sketch, ink: RGB) -> None:
    sketch.plate(0, 0, 1.5, 38, ink, 1.5)


@figure()
def _line_between(sketch: Sketch, theme: Theme, wide: int) -> None:
    """Return the line between two columns of the band that have the same ground; its anchor is its middle."""
    sketch.box(22 - wide / 2, -1.5, wide / 2 - 22, 1.5, theme.rule, 1.5)


@figure()
def _pointer(sketch: Sketch, ink: RGB, sideways: bool) -> None:
    points = [(-44.0, 20.0), (0.0, -21.0), (44.0, 20.0)]
    if sideways:
        points = [(y, x) for x, y in points]
    sketch.polygon(points, ink, 6)
    # Nothing of it may lie over the column, which has its own tile.
    left, top = (0, -48) if sideways else (-48, 0)
    sketch.box(left, top, 48, 48, (0, 0, 0, 0))
